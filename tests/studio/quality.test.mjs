// Pictures at a level of quality: what rests is drawn in full, whatever was chosen; simpler pictures are drawn only while
// things move; and on a machine without a graphics card they cost a fraction. Prints the figures.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDir, launch, onPage, shots, spent } from "./browser.mjs";
import { inline } from "./container.mjs";
import { many } from "./many.mjs";

const SIZE = { width: 1280, height: 720 };
const SMALL = { width: 900, height: 420 };
let browser;
let folder;
let address;

before(async () => {
  browser = await launch({ smooth: true });
  folder = mkdtempSync(join(tmpdir(), "sinew-quality-"));
  writeFileSync(join(folder, "many.html"), inline(readFileSync(join(buildDir, "studio/studio.html"), "utf8"), many()));
  address = `file://${join(folder, "many.html")}`;
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits until the picture has been still for longer than it takes to be drawn in full. */
async function settled(page) {
  const drawn = () => page.evaluate(() => window.studio.view.drawn);
  for (let before = -1, now = await drawn(); now !== before; before = now, now = await drawn()) await page.waitForTimeout(900);
}

/** What a person does: the help panel, the choice, and back. */
async function choose(page, choice) {
  await page.click("#help-open");
  await page.locator("#quality").selectOption(choice);
  await page.click('#help [aria-label="Close help"]');
}

/** The middle of the picture on the screen, where nothing lies over it: what the browser shows, not what the page thinks. */
async function shot(page) {
  const { x, y, width, height } = await page.locator("#stage").boundingBox();
  return (await page.screenshot({ clip: { x: x + 0.1 * width, y: y + 0.35 * height, width: 0.8 * width, height: 0.45 * height } })).toString("base64");
}

const shown = (page) => page.evaluate(() => ({ level: window.studio.view.painter.shown, width: window.studio.view.canvas.width }));

/** Levels of the pictures that are drawn while the replay plays, after which it stands where it stood. */
const playing = (page) =>
  page.evaluate(async () => {
    const { player } = window.studio;
    window.levels = [];
    player.play();
    while (window.levels.length < 4) await new Promise((r) => setTimeout(r, 20));
    const levels = window.levels.slice();
    player.pause();
    player.seek(1);
    return levels;
  });

test("what rests is drawn in full, whatever was chosen", () =>
  onPage(browser, address, SMALL, async (page) => {
    assert.equal(await page.locator("#quality").inputValue(), "auto", "nothing is remembered and nothing is asked");
    await page.evaluate(() => {
      const { painter } = window.studio.view;
      const { paint } = painter;
      painter.paint = function (level, parts) {
        window.levels?.push(level);
        paint.call(this, level, parts);
      };
    });
    const pictures = {};
    for (const choice of ["best", "fast", "auto"]) {
      await choose(page, choice);
      const levels = await playing(page);
      if (choice === "best") assert.ok(levels.every((l) => l === 0), `best: ${levels}`);
      if (choice === "fast") assert.ok(levels.every((l) => l === 4), `fast: ${levels}`);
      await settled(page);
      const { level, width } = await shown(page);
      assert.equal(level, 0, `${choice} rests at level ${level}`);
      assert.equal(width, await page.evaluate(() => window.studio.view.canvas.clientWidth * devicePixelRatio));
      pictures[choice] = await shot(page);
    }
    assert.ok(pictures.fast === pictures.best && pictures.auto === pictures.best, "the same pixels");
    await choose(page, "fast");
    // The camera is a motion too: simple while it turns, in full after.
    await page.locator("#canvas").focus();
    await page.evaluate(() => (window.levels = []));
    await page.keyboard.press("ArrowLeft");
    await settled(page);
    assert.deepEqual(await page.evaluate(() => window.levels), [4, 0]);
    // A file is a full picture, also while things move.
    const file = await page.evaluate(() => {
      const { view } = window.studio;
      view.draw(4);
      const out = view.picture("#ffffff");
      return { width: out.width, level: view.painter.shown };
    });
    assert.deepEqual(file, { width: await page.evaluate(() => window.studio.view.canvas.clientWidth), level: 0 });
  }));

/** Grey values of a picture at a level, each the mean of so many pixels along a side. */
const greys = (page, level, mean) =>
  page.evaluate(
    ([level, mean]) => {
      const { view } = window.studio;
      view.draw(level);
      const c = document.createElement("canvas");
      [c.width, c.height] = [view.canvas.width, view.canvas.height];
      const g = c.getContext("2d");
      g.fillStyle = "#ffffff";
      g.fillRect(0, 0, c.width, c.height);
      g.drawImage(view.canvas, 0, 0);
      const { data } = g.getImageData(0, 0, c.width, c.height);
      const [w, h] = [Math.floor(c.width / mean), Math.floor(c.height / mean)];
      return Array.from({ length: w * h }, (_, i) => {
        let sum = 0;
        for (let k = 0; k < mean * mean; k++) sum += data[4 * ((Math.floor(i / w) * mean + Math.floor(k / mean)) * c.width + (i % w) * mean + (k % mean)) + 1];
        return sum / mean / mean;
      });
    },
    [level, mean],
  );
const rms = (a, b) => Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0) / a.length);

test("a full picture has smooth edges; a simple one looks like it", async () => {
  let truth;
  await onPage(browser, address, { ...SMALL, deviceScaleFactor: 2 }, async (page) => (truth = await greys(page, 0, 2)));
  await onPage(browser, address, SMALL, async (page) => {
    const off = [];
    for (const level of [0, 1, 2]) off.push(rms(await greys(page, level, 1), truth));
    console.log(`quality: grey values against a picture of four times the pixels: full ${off[0].toFixed(2)}, without smooth edges ${off[1].toFixed(2)}, simple ${off[2].toFixed(2)} (of 255, rms)`);
    assert.ok(off[0] < 0.6 * off[1], "smooth edges");
    assert.ok(off[2] < 12, "the same light and shape");
  });
});

test("automatic follows the time that pictures take", () =>
  onPage(browser, address, SMALL, async (page) => {
    // A machine on which a picture of each level takes so long; its clock goes with the pictures.
    const run = (costs, { count = 200, rest = 0, choice = "auto", later = null } = {}) =>
      page.evaluate(
        ([costs, count, rest, choice, later]) => {
          const quality = new window.studio.view.painter.quality.constructor();
          quality.choice = choice;
          const levels = [];
          let now = 1000;
          for (let i = 0; i < count; i++) {
            quality.ask(now);
            now += (later && i >= later.after ? later.costs : costs)[quality.moving];
            quality.begin(now);
            levels.push(quality.moving);
            now += rest;
          }
          return levels;
        },
        [costs, count, rest, choice, later],
      );
    const last = (levels) => levels[levels.length - 1];
    assert.ok((await run([17, 17, 17, 17, 17])).every((l) => l === 0), "a quick machine draws in full");
    assert.ok((await run([34, 17, 17, 17, 17])).every((l) => l === 0), "30 a second are enough");
    const slow = await run([600, 250, 60, 45, 30]);
    assert.equal(last(slow), 4);
    assert.ok(slow.indexOf(4) <= 10, `and soon: ${slow.slice(0, 12)}`);
    assert.equal(last(await run([100, 20, 17, 17, 17], { count: 60 })), 1, "no further than needed");
    assert.ok((await run([600, 250, 60, 45, 30], { rest: 400 })).every((l) => l === 0), "single pictures are drawn in full");
    const quiet = await run([600, 250, 60, 45, 30], { count: 3000, later: { after: 100, costs: [17, 17, 17, 17, 17] } });
    assert.equal(last(quiet), 0, "back in full when the machine has time again");
    const never = await run([600, 20, 17, 17, 17], { count: 4000 });
    const trials = never.filter((l, i) => l === 0 && never[i - 1] !== 0).length;
    assert.ok(trials < 8, `what is too much is tried seldom: ${trials}`);
    assert.ok((await run([600, 250, 60, 45, 30], { choice: "best" })).every((l) => l === 0));
    assert.ok((await run([17, 17, 17, 17, 17], { choice: "fast" })).every((l) => l === 4));
  }));

test("what a picture costs without a graphics card", () =>
  onPage(browser, address, SIZE, async (page) => {
    const cost = async (choice) => {
      await choose(page, choice);
      await page.evaluate(() => (window.studio.player.seek(0), window.studio.player.play()));
      await page.waitForTimeout(choice === "auto" ? 4000 : 500); // automatic needs a moment to find its level
      const from = { time: spent(process.pid), drawn: await page.evaluate(() => (window.times = [], window.studio.view.afterDraw = () => window.times.push(performance.now()), window.studio.view.drawn)) };
      await page.waitForFunction(([n, more]) => window.studio.view.drawn >= n + more, [from.drawn, choice === "best" ? 4 : 25], { timeout: 120000 });
      const said = await page.evaluate(() => ({ drawn: window.studio.view.drawn, level: window.studio.view.painter.quality.moving, times: window.times }));
      const each = (1000 * (spent(process.pid) - from.time)) / (said.drawn - from.drawn);
      const gaps = said.times.slice(1).map((t, i) => t - said.times[i]).sort((a, b) => a - b);
      const tenth = gaps.slice(0, Math.max(Math.floor(gaps.length / 10), 1));
      const rates = { median: 1000 / gaps[gaps.length >> 1], best: (1000 * tenth.length) / tenth.reduce((s, v) => s + v, 0) };
      console.log(`quality ${choice}: ${each.toFixed(0)} ms of processor time for a picture (page, drawing and browser), level ${said.level}; ${rates.median.toFixed(1)} pictures a second (median), ${rates.best.toFixed(1)} in the quietest tenth`);
      if (choice === "auto") await page.screenshot({ path: join(shots, "quality-auto.png") });
      await page.evaluate(() => window.studio.player.pause());
      await settled(page);
      return each;
    };
    const [best, auto, fast] = [await cost("best"), await cost("auto"), await cost("fast")];
    // With a graphics card a picture is cheap at any level, and there is nothing to save.
    if (best > 200) assert.ok(fast < 0.3 * best && auto < 0.6 * best, `best ${best}, automatic ${auto}, fast ${fast}`);
  }));
