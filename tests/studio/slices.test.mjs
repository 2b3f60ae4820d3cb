// The slices screen: a seed is clicked, contours are corrected with pointer and keyboard, and what is downloaded is read
// back by the command line.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDir, launch, onPage, serve, shots } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
const folder = mkdtempSync(join(tmpdir(), "sinew-slices-"));
const stack = join(folder, "scan.nii");
let browser;
let server;

before(async () => {
  browser = await launch();
  execFileSync(sinew, ["phantom", "spindle", "--size", "128,96,40", "--quiet", "-o", stack]);
  server = await serve("--slices", stack, "--muscle", "biceps");
});

after(async () => {
  server?.stop();
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const state = async () => (await fetch(`${server.address}slices`)).json();

/** Where a pixel of the image is on the page. */
async function place(page, x, y) {
  const { n, spacing } = await state();
  const box = await page.locator("#slice-canvas").boundingBox();
  const scale = Math.min(box.width / (n[0] * spacing[0]), box.height / (n[1] * spacing[1]));
  const [sx, sy] = [scale * spacing[0], scale * spacing[1]];
  return [box.x + (box.width - n[0] * sx) / 2 + (x + 0.5) * sx, box.y + (box.height - n[1] * sy) / 2 + (y + 0.5) * sy];
}

const grown = (page, text) => page.waitForFunction((t) => document.querySelector("#report").textContent.includes(t), text, { timeout: 60000 });

test("a seed is clicked, corrected, and the contours are downloaded", { timeout: 240000 }, async (t) => {
  if (!browser) return t.skip("no Chromium");
  await onPage(browser, server.address, { width: 1200, height: 760 }, async (page) => {
    await page.locator("#slice").fill("20");
    assert.equal(await page.locator("#slice-shown").textContent(), "20 of 39");
    // off the muscle: said, and nothing is kept
    await page.mouse.click(...(await place(page, 2, 2)));
    await page.waitForSelector("#trouble:not([hidden])", { timeout: 60000 });
    assert.equal((await state()).deeds.length, 0);

    const seed = JSON.parse(execFileSync(sinew, ["phantom", "spindle", "--size", "128,96,40", "--json", "-o", join(folder, "again.nii")])).seed;
    await page.locator("#slice").fill(String(seed[2]));
    await page.mouse.click(...(await place(page, seed[0], seed[1])));
    await grown(page, "Found in");
    assert.equal(await page.locator("html").getAttribute("data-waiting"), null, "no longer waits");
    await page.locator("#next summary").click();
    assert.match(await page.locator("#next pre").textContent(), /sinew surface biceps\.contours\.xml --into/);
    const first = await state();
    assert.ok(first.slices[seed[2]].loops.length === 1, "one loop at the seed");
    assert.ok(await page.locator("#trouble").isHidden());

    // push the contour a few pixels to the right: this slice is then drawn by hand, the others stay
    await page.locator("#tool-push").click();
    const loop = first.slices[seed[2]].loops[0];
    let right = 0;
    for (let i = 0; i < loop.length; i += 2) if (loop[i] > loop[right]) right = i;
    await page.mouse.move(...(await place(page, loop[right], loop[right + 1])));
    await page.mouse.down();
    await page.mouse.move(...(await place(page, loop[right] + 4, loop[right + 1])), { steps: 4 });
    await page.mouse.up();
    await page.waitForSelector(`#look-${seed[2]}`, { timeout: 60000 });
    const pushed = await state();
    assert.equal(pushed.slices[seed[2]].state, "hand");
    const far = (s) => Math.max(...s.slices[seed[2]].loops[0].filter((_, i) => i % 2 === 0));
    assert.ok(far(pushed) > far(first) + 2, `${far(first)} to ${far(pushed)}`);
    assert.deepEqual(pushed.slices[seed[2] + 1], first.slices[seed[2] + 1]);

    await page.locator("#surface").click();
    await page.waitForSelector("#surface-canvas[data-triangles]", { timeout: 60000 });
    assert.ok(Number(await page.locator("#surface-canvas").getAttribute("data-triangles")) > 500);
    await page.screenshot({ path: join(shots, "slices.png") });

    const [got] = await Promise.all([page.waitForEvent("download"), page.locator("#save").click()]);
    assert.equal(got.suggestedFilename(), "biceps.contours.xml");
    const file = join(folder, "biceps.contours.xml");
    writeFileSync(file, readFileSync(await got.path()));
    assert.match(readFileSync(file, "utf8"), /state="hand"/);
    const made = JSON.parse(execFileSync(sinew, ["surface", file, "--muscle", "biceps", "--json", "-o", join(folder, "b.obj")]));
    const truth = JSON.parse(execFileSync(sinew, ["surface", join(folder, "scan.truth.contours.xml"), "--json", "-o", join(folder, "t.obj")]));
    assert.ok(Math.abs(made.volume / truth.volume - 1) < 0.04, `${made.volume} against ${truth.volume}`);

    // undo takes the push back, by key
    await page.locator("#slice-canvas").focus();
    await page.keyboard.press("u");
    await page.waitForSelector(`#look-${seed[2]}`, { state: "detached", timeout: 60000 });
    assert.deepEqual((await state()).slices, first.slices);
  });
});

test("everything works from the keyboard and has a name", { timeout: 240000 }, async (t) => {
  if (!browser) return t.skip("no Chromium");
  await fetch(`${server.address}slices/clear`);
  await onPage(browser, server.address, { width: 1100, height: 700 }, async (page) => {
    const unnamed = await page.evaluate(() =>
      [...document.querySelectorAll("button, input, canvas, [role=group]")]
        .filter((e) => e.checkVisibility() && !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.length))
        .map((e) => e.outerHTML));
    assert.deepEqual(unnamed, []);
    const before = Number(await page.locator("#slice").inputValue());
    await page.locator("#slice-canvas").focus();
    await page.keyboard.press("PageUp");
    assert.equal(Number(await page.locator("#slice").inputValue()), before + 1);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector("#announce").textContent.length > 0 && !document.querySelector("#report").textContent.includes("Growing"), null, { timeout: 60000 });
    const { deeds, slices } = await state();
    assert.equal(deeds.length, 1);
    assert.equal(slices[before + 1].loops.length, 1);
  });
});
