// The page without a server, with the arm inlined: what a person does with pointer, touch and keys, and what changes.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { makeArm } from "./arm.mjs";
import { buildDir, launch, onPage, openPage, ready, redrawn, shots } from "./browser.mjs";
import { inline } from "./container.mjs";

const template = readFileSync(join(buildDir, "studio", "studio.html"), "utf8");
const file = join(buildDir, "studio", "arm.html");
const url = pathToFileURL(file).href;
let browser;

before(async () => {
  writeFileSync(file, inline(template, makeArm()));
  browser = await launch();
});
after(() => browser?.close());

const withPage = (options, body, address = url) => onPage(browser, address, options, body);

// Small, since software draws the pictures; LARGE is for those that people look at.
const DESKTOP = { width: 900, height: 440 };
const LARGE = { width: 1280, height: 760 };
const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true, deviceScaleFactor: 2 };
const time = (page) => page.evaluate(() => window.studio.player.time);
const selected = (page) => page.evaluate(() => window.studio.selected);
const picture = async (page) => (await redrawn(page), (await page.locator("#canvas").screenshot()).toString("base64"));

test("play runs the clock and pause stops it", () =>
  withPage(DESKTOP, async (page) => {
    assert.equal(await time(page), 0);
    const still = await picture(page);
    await page.click("#play");
    await page.waitForFunction(() => window.studio.player.time > 0.2);
    assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
    await page.click("#play");
    const t = await time(page);
    await page.waitForTimeout(120);
    assert.equal(await time(page), t);
    assert.notEqual(await picture(page), still);
    assert.match(await page.textContent("#clock"), /^\d\.\d\d \/ 4\.00 s$/);
  }));

test("scrubbing moves bones, strands and numbers", () =>
  withPage(DESKTOP, async (page) => {
    const pose = () => page.evaluate(() => Array.from(window.studio.frame.positions));
    const first = await pose();
    const box = await page.locator(".track").boundingBox();
    await page.mouse.click(box.x + 0.25 * box.width, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - 1) < 0.03, `quarter of the track is ${await time(page)} s`);
    const moved = await pose();
    assert.ok(Math.hypot(moved[6] - first[6], moved[7] - first[7]) > 0.05, "the hand has moved");
    assert.equal(await page.textContent('[data-strand="0"] .level'), "1.00");
    await page.mouse.move(box.x + 0.25 * box.width, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.75 * box.width, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    assert.ok(Math.abs((await time(page)) - 3) < 0.03);
    assert.match(await page.getAttribute("#timeline", "aria-valuetext"), /of 4\.00 seconds, frame \d+/);
  }));

test("a muscle chosen in the list shows its curves", () =>
  withPage(LARGE, async (page) => {
    await page.evaluate(() => window.studio.player.seek(1.3));
    await page.click('[data-strand="0"]');
    assert.equal(await selected(page), 0);
    assert.equal(await page.getAttribute('[data-strand="0"]', "aria-pressed"), "true");
    assert.equal(await page.textContent("#selected-name"), "biceps_long");
    assert.equal(await page.textContent("#announce"), "biceps_long selected");
    const titles = await page.$$eval(".plot-title", (all) => all.map((n) => n.textContent));
    assert.deepEqual(titles, ["Activation", "Force", "Length"]);
    assert.equal(await page.textContent(".plot:first-of-type .value"), "0.89");
    assert.match(await page.getAttribute(".plot:first-of-type canvas", "aria-label"), /^Activation 0\.89/);
    const inked = await page.$$eval(".curve", (all) =>
      all.map((c) => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)));
    assert.deepEqual(inked, [true, true, true]);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "desktop-light.png") });
    const box = await page.locator(".curve").first().boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    assert.ok(Math.abs((await time(page)) - 2) < 0.05, "a click on a curve goes there");
  }));

test("a click on a strand in the picture selects it, one beside lets go", () =>
  withPage(DESKTOP, async (page) => {
    await page.evaluate(() => window.studio.view.look(window.studio.view.sides.find((s) => s.id === "right")));
    await redrawn(page);
    const at = await page.evaluate(() => window.studio.view.screenOf(3));
    const box = await page.locator("#canvas").boundingBox();
    await page.mouse.move(box.x + at.x, box.y + at.y);
    assert.equal(await page.locator("#tip").isVisible(), true);
    await page.mouse.click(box.x + at.x, box.y + at.y);
    const name = await page.textContent("#selected-name");
    assert.match(name, /^triceps/);
    await page.mouse.click(box.x + 20, box.y + box.height - 80);
    assert.equal(await selected(page), -1);
  }));

test("layers, skin and thickness change the picture", () =>
  withPage(DESKTOP, async (page) => {
    let last = await picture(page);
    const changes = async (what) => {
      const now = await picture(page);
      assert.notEqual(now, last, what);
      last = now;
    };
    for (const layer of ["bones", "strands", "target", "constraints", "grid"]) {
      const was = await page.getAttribute(`#layer-${layer}`, "aria-pressed");
      await page.click(`#layer-${layer}`);
      assert.notEqual(await page.getAttribute(`#layer-${layer}`, "aria-pressed"), was);
      await changes(layer);
      await page.click(`#layer-${layer}`);
      await changes(layer);
    }
    await page.locator("#skin").fill("1");
    await changes("whole skin");
    await page.locator("#skin").fill("0");
    await changes("no skin");
    await page.locator("#thickness").fill("2.5");
    await changes("thick strands");
    for (const side of ["back", "left", "right", "top", "front"]) {
      await page.click(`#side-${side}`);
      await changes(side);
    }
  }));

test("search and sorting of the list", () =>
  withPage(DESKTOP, async (page) => {
    const rows = () => page.$$eval(".pick[data-strand]", (all) => all.filter((b) => b.offsetParent).map((b) => b.querySelector(".name").textContent));
    assert.equal((await rows()).length, 9);
    await page.fill("#search", "TRI");
    assert.deepEqual(await rows(), ["triceps long", "triceps lateral"]);
    assert.equal(await page.textContent("#found"), "2 of 9");
    await page.fill("#search", "nothing like it");
    assert.deepEqual(await rows(), []);
    await page.fill("#search", "");
    await page.evaluate(() => window.studio.player.seek(1));
    await page.click("#sort");
    assert.equal((await rows())[0].startsWith("biceps"), true);
    await page.click("#sort");
    assert.deepEqual(await page.$$eval("details.group", (g) => g.length), 4);
  }));

test("everything by keyboard", () =>
  withPage(DESKTOP, async (page) => {
    const key = (k) => page.keyboard.press(k);
    await key("ArrowRight");
    assert.ok(Math.abs((await time(page)) - 1 / 24) < 1e-6);
    await key("Shift+ArrowRight");
    assert.ok(Math.abs((await time(page)) - 11 / 24) < 1e-5);
    await key("ArrowLeft");
    assert.ok(Math.abs((await time(page)) - 10 / 24) < 1e-5);
    await key("End");
    assert.equal(await time(page), 4);
    await key("Home");
    assert.equal(await time(page), 0);
    await key(" ");
    await page.waitForFunction(() => window.studio.player.time > 0);
    await key(" ");
    assert.equal(await page.textContent("#announce"), "Paused");
    await key(".");
    assert.equal(await page.inputValue("#speed"), "2");
    await key("c");
    assert.equal(await page.getAttribute("#layer-constraints", "aria-pressed"), "true");
    await key("k");
    assert.equal(await page.inputValue("#skin"), "1");
    await key("/");
    await page.keyboard.type("flex");
    assert.equal(await time(page) < 4, true, "letters in the search field are only letters");
    await key("Tab");
    await key("Tab");
    await page.focus('[data-strand="5"]');
    await key("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.dataset.strand), "6");
    await key("Enter");
    assert.equal(await selected(page), 6);
    await key("Escape");
    assert.equal(await selected(page), -1);
    await key("?");
    assert.equal(await page.locator("#help").isVisible(), true);
    await page.screenshot({ path: join(shots, "help.png") });
    await key("Escape");
    assert.equal(await page.locator("#help").isVisible(), false);
    const view = () => page.evaluate(() => window.studio.view.camera.position.toArray());
    const eye = await view();
    await page.focus("#canvas");
    await key("ArrowLeft");
    await key("+");
    assert.notDeepEqual(await view(), eye);
  }));

test("light and dark follow the system until chosen", async () => {
  await withPage({ ...LARGE, colorScheme: "dark" }, async (page) => {
    assert.equal(await page.getAttribute("html", "data-theme"), "dark");
    await page.click("#layer-constraints");
    await page.evaluate(() => (window.studio.player.seek(1.3), window.studio.select(3)));
    await redrawn(page);
    await page.screenshot({ path: join(shots, "desktop-dark.png") });
    await page.keyboard.press("t");
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
    await page.reload();
    await ready(page);
    assert.equal(await page.getAttribute("html", "data-theme"), "light");
  });
});

test("text keeps a contrast of 4.5 in both themes", async () => {
  for (const colorScheme of ["light", "dark"])
    await withPage({ ...DESKTOP, colorScheme }, async (page) => {
      const worst = await page.evaluate(() => {
        const probe = document.createElement("span");
        document.body.append(probe);
        const luminance = (name) => {
          probe.style.color = `var(${name})`;
          const [r, g, b] = getComputedStyle(probe).color.match(/[\d.]+/g).map((v) => v / 255);
          const f = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
        };
        let low = 99;
        for (const text of ["--ink", "--muted", "--accent"])
          for (const ground of ["--paper", "--panel", "--paper-2"]) {
            const [a, b] = [luminance(text), luminance(ground)].sort((x, y) => y - x);
            low = Math.min(low, (a + 0.05) / (b + 0.05));
          }
        return low;
      });
      assert.ok(worst >= 4.5, `${colorScheme}: ${worst.toFixed(2)}`);
    });
});

test("every control has a name, and state in its role", () =>
  withPage(DESKTOP, async (page) => {
    const nameless = await page.$$eval("button, input, select, summary, canvas[role]", (all) =>
      all.filter((n) => n.offsetParent !== null).filter((n) => {
        const label = n.getAttribute("aria-label") || n.textContent.trim() || (n.id && document.querySelector(`label[for=${n.id}]`)?.textContent);
        return !label;
      }).map((n) => n.outerHTML));
    assert.deepEqual(nameless, []);
    assert.equal(await page.getAttribute("#announce", "aria-live"), "polite");
    const ring = await page.evaluate(() => {
      document.querySelector("#play").focus();
      return getComputedStyle(document.querySelector("#play")).outlineStyle;
    });
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle), "solid", ring);
  }));

test("less motion when the reader asks for it", () =>
  withPage({ ...DESKTOP, reducedMotion: "reduce" }, async (page) => {
    const transition = await page.evaluate(() => getComputedStyle(document.querySelector("summary span"), "::before").transitionProperty);
    assert.equal(transition, "none");
    assert.equal(await page.evaluate(() => window.studio.player.playing), false);
  }));

test("360 pixels wide, by touch", () =>
  withPage(PHONE, async (page) => {
    await page.evaluate(() => window.studio.player.seek(1.3));
    await redrawn(page);
    await page.screenshot({ path: join(shots, "phone-muscles.png") });
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.equal(await overflow(), 0);
    await page.tap('[data-strand="3"]');
    assert.equal(await selected(page), 3);
    await page.tap("#tab-details");
    assert.equal(await page.locator("#muscles").isVisible(), false);
    assert.equal(await page.locator(".curve").first().isVisible(), true);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "phone-details.png") });
    await page.tap("#tab-view");
    await page.tap("#layer-constraints");
    assert.equal(await page.getAttribute("#layer-constraints", "aria-pressed"), "true");
    await page.locator("#skin").fill("0.9");
    await redrawn(page);
    await page.screenshot({ path: join(shots, "phone-view.png") });
    assert.equal(await overflow(), 0);
    await page.tap("#play");
    await page.waitForFunction(() => window.studio.player.playing && window.studio.player.time > 1.31);
    await page.tap("#play");
    const box = await page.locator(".track").boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    assert.ok(Math.abs((await time(page)) - 2) < 0.05);
    const small = await page.$$eval("button, select, summary", (all) =>
      all.filter((n) => n.offsetParent).map((n) => [n.id || n.textContent, n.getBoundingClientRect()]).filter(([, b]) => b.height < 24 || b.width < 24).map(([id]) => id));
    assert.deepEqual(small, [], "touch targets of 24 pixels or more");
  }));

test("the recorded bulge is added to the skin", () =>
  withPage(DESKTOP, async (page) => {
    const most = (t) => page.evaluate((time) => {
      const { data, view, player } = window.studio;
      player.seek(time);
      const offsets = data.replay.skinOffsets;
      const at = () => Array.from(offsets.vertices, (v) => view.skin.position.getX(v));
      const withBulge = at();
      view.skin.update({ ...window.studio.frame, place: -1 });
      return Math.max(...at().map((x, i) => withBulge[i] - x));
    }, t);
    assert.ok(Math.abs((await most(1)) - 0.014) < 2e-4);
    assert.ok(Math.abs(await most(3)) < 1e-5);
  }));

test("strand names are text, never markup", async () => {
  const hostile = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>';
  const raw = makeArm();
  const length = raw.readUInt32LE(8);
  const head = JSON.parse(raw.subarray(16, 16 + length).toString());
  head.strands[0].name = head.name = hostile;
  const text = Buffer.from(JSON.stringify(head).padEnd(length + 400 - ((length + 400) % 8), " "));
  const front = Buffer.from(raw.subarray(0, 16));
  front.writeUInt32LE(text.length, 8);
  const path = join(buildDir, "studio", "hostile.html");
  writeFileSync(path, inline(template, Buffer.concat([front, text, raw.subarray(16 + length)])));
  await withPage(DESKTOP, async (page) => {
    await page.click('[data-strand="0"]');
    assert.equal(await page.textContent("#selected-name"), hostile);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  }, pathToFileURL(path).href);
});

test("data that does not fit is refused with a reason", async () => {
  const good = makeArm();
  const changed = (edit) => {
    const copy = Buffer.from(good);
    edit(copy);
    return copy;
  };
  const headless = (edit) => {
    const length = good.readUInt32LE(8);
    const head = JSON.parse(good.subarray(16, 16 + length).toString());
    edit(head);
    let text = JSON.stringify(head);
    text = Buffer.from(text + " ".repeat((8 - (text.length % 8)) % 8));
    const front = Buffer.from(good.subarray(0, 16));
    front.writeUInt32LE(text.length, 8);
    return Buffer.concat([front, text, good.subarray(16 + length)]);
  };
  const cases = [
    [Buffer.from("nonsense that is long enough"), /not studio data/],
    [changed((b) => b.writeUInt32LE(7, 4)), /version 7/],
    [changed((b) => b.writeUInt32LE(0xfffffff8, 8)), /outside the file/],
    [changed((b) => b.write("????", 16)), /not JSON/],
    [good.subarray(0, good.length - 5000), /outside the file/],
    [headless((h) => (h.strands[0].npoint = 3)), /at least 4/],
    [headless((h) => (h.strands[0].muscle = 77)), /77/],
    [headless((h) => (h.constraints[0].strand = -1)), /constraint 0/],
    [headless((h) => (h.replay.count = 1e9)), /bad count/],
    [headless((h) => (h.replay.points.count = 5)), /points has 5/],
    [headless((h) => (h.bodies[0].meshes[0].triangles.offset = h.bodies[1].meshes[0].vertices.offset)), /refers to/],
    [headless((h) => (h.groups[0].strands = ["x"])), /group biceps/],
  ];
  const { page, context } = await openPage(browser, DESKTOP);
  for (const [container, expected] of cases) {
    const path = join(buildDir, "studio", "broken.html");
    writeFileSync(path, inline(template, container));
    await page.goto(pathToFileURL(path).href);
    assert.equal(await ready(page), "failed");
    assert.match(await page.textContent("#failure"), expected);
  }
  await context.close();
});
