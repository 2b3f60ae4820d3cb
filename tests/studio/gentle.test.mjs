// A gentle motion with names: the scale of colours fits it, muscles are found by what people call them, the picture can
// be saved.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeArm } from "./arm.mjs";
import { buildDir, launch, onPage, redrawn, shots } from "./browser.mjs";
import { inline } from "./container.mjs";

const template = readFileSync(join(buildDir, "studio", "studio.html"), "utf8");
const file = join(buildDir, "studio", "gentle.html");
let browser;

before(async () => {
  const label = (name) => (name.startsWith("biceps") ? "musculus biceps brachii, head" : "");
  writeFileSync(file, inline(template, makeArm({ effort: 0.1, label })));
  browser = await launch();
});
after(() => browser?.close());

const DESKTOP = { width: 900, height: 520 };
const withPage = (options, body) => onPage(browser, pathToFileURL(file).href, options, body);
const ticks = (page) => page.locator("#legend .tick").allTextContents();
const colours = (page) => page.evaluate(() => Array.from(window.studio.view.tubes.mesh.geometry.getAttribute("color").array));

test("the colours end above the largest activation, or at 1", () =>
  withPage(DESKTOP, async (page) => {
    await page.evaluate(() => window.studio.player.seek(1));
    assert.deepEqual(await ticks(page), ["0", "0.03", "0.12"]);
    assert.match(await page.getAttribute("#legend", "aria-label"), /from 0 to 0\.12; full is 1/);
    const fill = () => page.locator('[data-strand="0"] .fill').evaluate((e) => e.style.transform);
    assert.match(await fill(), /scaleX\(0\.8/); // 0.1 of 0.12
    const fitted = await colours(page);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "gentle.png") });
    await page.click("#scale");
    assert.deepEqual(await ticks(page), ["0", "0.25", "1"]);
    assert.equal(await page.getAttribute("#scale", "aria-pressed"), "true");
    assert.match(await fill(), /scaleX\(0\.1/);
    const whole = await colours(page);
    assert.ok(fitted.some((c, i) => Math.abs(c - whole[i]) > 0.2), "the strands have other colours");
    await page.keyboard.press("a");
    assert.deepEqual(await ticks(page), ["0", "0.03", "0.12"]);
    await page.click('[data-strand="0"]');
    assert.match(await page.textContent(".plot .extent >> nth=0"), /0\.00 – 0\.12/);
  }));

/** Mean colour of the belly (reddest ring) and of the end of a strand. */
const beltOf = (page) =>
  page.evaluate(() => {
    const { tubes } = window.studio.view;
    const c = tubes.mesh.geometry.getAttribute("color").array;
    const own = [...tubes.owner.keys()].filter((i) => tubes.owner[i] === 0).map((i) => [0, 1, 2].map((k) => c[3 * (8 * i) + k]));
    return { end: own[0], belly: own[own.length >> 1] };
  });

test("muscle is red and tendon pale, or a scale of many colours", () =>
  withPage(DESKTOP, async (page) => {
    await page.evaluate(() => window.studio.player.seek(0));
    const anatomy = await beltOf(page);
    assert.ok(anatomy.belly[0] > 2 * anatomy.belly[1] && anatomy.belly[0] > 2 * anatomy.belly[2], `red: ${anatomy.belly}`);
    assert.ok(Math.min(...anatomy.end) > 0.45, `pale: ${anatomy.end}`);
    await page.click("#colours");
    assert.equal(await page.getAttribute("#colours", "aria-pressed"), "true");
    const heat = await beltOf(page);
    assert.ok(heat.belly[2] > heat.belly[0], `blue at rest: ${heat.belly}`);
    await page.keyboard.press("m");
    assert.deepEqual(await beltOf(page), anatomy);
  }));

test("muscles go by the names that people know", () =>
  withPage(DESKTOP, async (page) => {
    assert.equal(await page.textContent(".group .about >> nth=0"), "musculus biceps brachii");
    await page.fill("#search", "brachii");
    assert.ok((await page.locator(".row:visible").count()) >= 2);
    await page.fill("#search", "");
    await page.click('[data-strand="0"]');
    assert.equal(await page.textContent("#details .label"), "musculus biceps brachii, head");
    await page.keyboard.press("Escape");
    await redrawn(page);
    const at = await page.evaluate(() => window.studio.view.screenOf(0));
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + at.x, box.y + at.y);
    await page.waitForSelector("#tip:visible");
    const tip = await page.locator("#tip").innerText();
    assert.match(tip, /activation 0\.\d\d · \S+ N · \S+ mm/);
    const edge = await page.locator("#tip").boundingBox();
    assert.ok(edge.x >= box.x && edge.x + edge.width <= box.x + box.width, "the tip stays in the picture");
  }));

test("the picture can be saved", () =>
  withPage(DESKTOP, async (page) => {
    await page.evaluate(() => window.studio.player.seek(1.5));
    for (const save of [() => page.click("#picture"), () => page.keyboard.press("p")]) {
      const [download] = await Promise.all([page.waitForEvent("download"), save()]);
      assert.equal(download.suggestedFilename(), "arm-bend_and_stretch-1_50s.png");
      const bytes = readFileSync(await download.path());
      assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((c) => c.charCodeAt(0)));
      assert.ok(bytes.length > 5000, "there is something in it");
    }
  }));

test("bones that are where they should be hide the target, others show it", () =>
  withPage(DESKTOP, async (page) => {
    // The camera's depth of a wire is that of the bone and a little more: read from the shader that was compiled.
    const pushed = await page.evaluate(() => {
      const shader = { vertexShader: "#include <project_vertex>" };
      window.studio.view.ghostMaterial.onBeforeCompile(shader);
      return shader.vertexShader;
    });
    assert.match(pushed, /mvPosition - vec4\(0\.0, 0\.0, 0\.00\d+, 0\.0\)/);
    const at = async (on) => {
      await page.evaluate((shown) => (window.studio.view.show("target", shown), window.studio.view.show("bones", false)), on);
      await redrawn(page);
      return (await page.locator("#canvas").screenshot()).toString("base64");
    };
    assert.notEqual(await at(true), await at(false), "alone it is seen");
  }));

/** Boxes of what lies over the picture, and the box of the bones on the screen. */
const layout = (page) =>
  page.evaluate(() => {
    const { view } = window.studio;
    const canvas = document.getElementById("canvas").getBoundingClientRect();
    const box = (r) => [r.left - canvas.left, r.top - canvas.top, r.right - canvas.left, r.bottom - canvas.top];
    const shown = [...document.querySelectorAll("#view > *, #legend, #sides > *")].map((e) => e.getBoundingClientRect());
    const over = shown.filter((r) => r.height > 0 && r.top < canvas.bottom && r.bottom > canvas.top).map(box);
    const model = [Infinity, Infinity, -Infinity, -Infinity];
    const { max, min, getCenter } = view.bounds;
    const corner = getCenter.call(view.bounds, view.camera.position.clone());
    for (let i = 0; i < 8; i++) {
      corner.set(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z).project(view.camera);
      const [x, y] = [((corner.x + 1) / 2) * canvas.width, ((1 - corner.y) / 2) * canvas.height];
      model.splice(0, 4, Math.min(model[0], x), Math.min(model[1], y), Math.max(model[2], x), Math.max(model[3], y));
    }
    return { over, model, width: canvas.width };
  });
const apart = (a, b) => a[2] <= b[0] + 0.5 || b[2] <= a[0] + 0.5 || a[3] <= b[1] + 0.5 || b[3] <= a[1] + 0.5;

for (const size of [{ width: 1280, height: 800 }, { width: 1000, height: 560 }, { width: 820, height: 1180 }, { width: 390, height: 844 }])
  test(`nothing lies over the model, a button or the edge at ${size.width} x ${size.height}`, () =>
    withPage(size, async (page) => {
      await redrawn(page);
      const { over, model, width } = await layout(page);
      over.forEach((a, i) => {
        assert.ok(a[0] >= -0.5 && a[2] <= width + 0.5, `inside the picture: ${a}`);
        over.slice(0, i).forEach((b) => assert.ok(apart(a, b), `${a} lies over ${b}`));
      });
      const middle = over.filter((a) => a[2] > width / 3 && a[0] < (2 * width) / 3);
      for (const a of middle) assert.ok(a[3] <= model[1] + 0.5 || a[1] >= model[3] - 0.5, `${a} lies over the model ${model}`);
    }));
