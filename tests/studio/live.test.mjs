// Live mode in a real browser: sliders drive muscles, the controller follows the target, dragging moves it. The finger
// for what is checked, the hand for what is looked at.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDir, launch, onPage, openPage, ready, redrawn, serve, shots } from "./browser.mjs";

let browser;
const servers = [];

/** Starts `sinew studio`, to be ended with the tests, and gives its address. */
async function started(...words) {
  const server = await serve(...words);
  servers.push(server);
  return server.address;
}

let finger;
before(async () => {
  browser = await launch();
  finger = await started("finger");
});
after(async () => {
  await browser?.close();
  for (const s of servers) s.stop();
});

const DESKTOP = { width: 900, height: 520 };
const PHONE = { width: 360, height: 740, hasTouch: true, isMobile: true };

const withPage = (address, options, body) => onPage(browser, address, options, body);

const receives = (page) => page.waitForFunction(() => window.studio.liveMode.link.state.sequence > 2, null, { timeout: 60000 });
const state = (page) => page.evaluate(() => {
  const { state: s, frame } = window.studio.liveMode.link;
  return { time: frame.time, activation: Array.from(frame.activation), positions: Array.from(frame.positions), coordinates: Array.from(s.coordinates), goals: Array.from(s.goals), paused: s.paused, following: s.following, diverged: s.diverged };
});
const firstMuscle = (page) => page.locator(".drive").first().getAttribute("data-muscle");
const far = (a, b) => Math.max(...a.map((v, i) => Math.abs(v - b[i])));

test("a model without a replay opens live, and its clock runs", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    assert.equal(await page.locator("#mode").isVisible(), false);
    assert.equal(await page.textContent("#link"), "connected");
    const first = await state(page);
    await page.waitForFunction((t) => window.studio.frame.time > t + 0.1, first.time, { timeout: 60000 });
    assert.match(await page.textContent("#live-note"), /× real time/);
    const n = await page.evaluate(() => window.studio.liveMode.link.received);
    const started = Date.now();
    await page.waitForTimeout(1500);
    const more = await page.evaluate(() => window.studio.liveMode.link.received);
    console.log(`${((1000 * (more - n)) / (Date.now() - started)).toFixed(0)} state updates a second in the page`);
  }));

test("a slider drives its muscle and the bones answer", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    await page.click("#live-reset");
    await page.waitForFunction(() => window.studio.frame.time < 0.5, null, { timeout: 60000 });
    const before = await state(page);
    await page.locator(".drive").first().fill("1");
    await page.waitForFunction((m) => window.studio.frame.activation[m] > 0.99, await firstMuscle(page), { timeout: 60000 });
    await page.waitForFunction((t) => window.studio.frame.time > t + 0.3, before.time, { timeout: 60000 });
    const after_ = await state(page);
    assert.ok(far(after_.positions, before.positions) > 1e-3, "something moved by a millimetre");
    assert.equal(await page.textContent(".pick .level >> nth=0"), "1.00");
    await page.click(".pick >> nth=0");
    await page.waitForFunction(() => document.querySelector(".plot .value")?.textContent === "1.00", null, { timeout: 60000 });
    await page.locator("#strength").fill("0.3");
    await page.click("#relax");
    await page.waitForFunction(() => window.studio.frame.activation.every((a) => a === 0), null, { timeout: 60000 });
  }));

test("pause, reset and gravity", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    await page.click("#live-pause");
    await page.waitForFunction(() => window.studio.liveMode.link.state.paused, null, { timeout: 60000 });
    const held = await state(page);
    await page.waitForTimeout(200);
    assert.equal((await state(page)).time, held.time);
    assert.equal(await page.getAttribute("#live-pause", "aria-label"), "Continue");
    await page.focus("#canvas");
    await page.keyboard.press(" ");
    await page.waitForFunction((t) => window.studio.frame.time > t, held.time, { timeout: 60000 });
    await page.keyboard.press("r");
    await page.waitForFunction((t) => window.studio.frame.time < t, held.time + 0.01, { timeout: 60000 });
    await page.click("#gravity");
    assert.equal(await page.isChecked("#gravity"), false);
    await page.click("#gravity");
  }));

test("the controller follows the target that the sliders set", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    await page.click("#live-reset");
    const before = await state(page);
    const text = await page.evaluate(() => {
      const slider = document.querySelector('[data-coordinate="0"]').cloneNode(); // rounds to its steps
      const c = window.studio.data.coordinates[0];
      slider.value = String(Math.min(window.studio.liveMode.link.state.coordinates[0] + 0.4, c.upper));
      return slider.value;
    });
    const goal = Number(text);
    await page.locator('[data-coordinate="0"]').fill(text);
    await page.waitForFunction(() => window.studio.liveMode.link.state.following, null, { timeout: 60000 });
    await page.waitForSelector('#follow[aria-pressed="true"]', { timeout: 60000 });
    await page.waitForFunction(
      ([g, b]) => Math.abs(window.studio.liveMode.link.state.coordinates[0] - g) < 0.5 * Math.abs(b - g),
      [goal, before.coordinates[0]], { timeout: 60000 });
    assert.ok(Math.max(...(await state(page)).activation) > 0, "muscles work for it");
    assert.equal(await page.evaluate(() => window.studio.frame.hasTarget), true);
    await page.locator(".drive").first().fill("0.2");
    await page.waitForFunction(() => !window.studio.liveMode.link.state.following, null, { timeout: 60000 });
    await page.click("#live-reset");
  }));

test("what is asked for before the connection stands is done once it does", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    await page.click("#live-reset");
    await page.evaluate(() => {
      const { link } = window.studio.liveMode;
      link.close();
      link.open();
      link.send(1, 0, 0.6); // drive the first muscle
    });
    await page.waitForFunction(() => window.studio.frame.activation[0] > 0.59, null, { timeout: 60000 });
    await page.click("#live-reset");
  }));

test("dragging a bone moves the target", () =>
  withPage(finger, { width: 1000, height: 800 }, async (page) => {
    await receives(page);
    await page.click("#live-reset");
    await page.click("#side-right");
    await redrawn(page);
    const before = await state(page);
    // The middle of the last bone, in the picture.
    const at = await page.evaluate(() => {
      const { view } = window.studio;
      const box = document.querySelector("#canvas").getBoundingClientRect();
      const mesh = view.bodies.at(-1).children[0];
      const at = mesh.geometry.attributes.position;
      const place = view.camera.position.clone().set(0, 0, 0);
      for (let i = 0; i < at.count; i++) place.add(view.camera.position.clone().fromBufferAttribute(at, i).divideScalar(at.count));
      place.applyMatrix4(mesh.matrixWorld).project(view.camera);
      return { x: box.left + ((place.x + 1) / 2) * box.width, y: box.top + ((1 - place.y) / 2) * box.height };
    });
    await page.keyboard.down("Shift");
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + 60, at.y - 30, { steps: 6 });
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.waitForFunction((g) => window.studio.liveMode.link.state.goals.some((v, i) => Math.abs(v - g[i]) > 0.05), before.goals, { timeout: 60000 });
    assert.equal((await state(page)).following, true);
    await page.click("#live-reset");
  }));

test("a model without muscles says so, and stays in the picture", async () => {
  const address = await started("pendulum");
  await withPage(address, DESKTOP, async (page) => {
    await receives(page);
    assert.match(await page.textContent("#list"), /no strands/);
    assert.match(await page.textContent("#details"), /Without strands/);
    for (const id of ["#search", "#legend", "#thickness", "#scale", "#relax"]) assert.equal(await page.locator(id).isVisible(), false, id);
    await page.waitForFunction(() => document.querySelector("#follow").disabled && document.querySelector("#grab").disabled, null, { timeout: 60000 });
    assert.equal(await page.locator("[data-coordinate]").first().isDisabled(), true);
    // It swings for a second and a half: its middle is in the picture all the time.
    const worst = await page.evaluate(async () => {
      const { view } = window.studio;
      let most = 0;
      const end = performance.now() + 1500;
      while (performance.now() < end) {
        await new Promise((next) => requestAnimationFrame(next));
        const mesh = view.bodies.at(-1).children[0];
        mesh.geometry.computeBoundingSphere();
        const at = mesh.geometry.boundingSphere.center.clone().applyMatrix4(mesh.matrixWorld).project(view.camera);
        most = Math.max(most, Math.abs(at.x), Math.abs(at.y));
      }
      return most;
    });
    assert.ok(worst < 1, `at most ${worst.toFixed(2)} of the way to the edge`);
  });
});

test("garbage from the page's side leaves the session alive", () =>
  withPage(finger, DESKTOP, async (page) => {
    await receives(page);
    await page.evaluate(() => {
      const { socket } = window.studio.liveMode.link;
      socket.send("text");
      socket.send(new Uint8Array(77));
    });
    const n = (await state(page)).time;
    await page.waitForFunction((t) => window.studio.frame.time > t, n, { timeout: 60000 });
    await page.evaluate(() => window.studio.liveMode.link.socket.send(new Uint8Array(100000)));
    await page.waitForFunction(() => document.querySelector("#link").textContent === "connected" && window.studio.liveMode.link.socket.readyState === 1, null, { timeout: 60000 });
  }));

test("a server that goes away is named, and found again", async () => {
  const address = await started("finger");
  const server = servers.at(-1);
  const { page, context } = await openPage(browser, DESKTOP);
  await page.goto(address);
  await ready(page);
  await receives(page);
  server.stop();
  await page.waitForFunction(() => document.querySelector("#link").textContent === "server away", null, { timeout: 60000 });
  await context.close();
});

test("functions of the model mix", async () => {
  const address = await started("shoulder");
  await withPage(address, { width: 1280, height: 800 }, async (page) => {
    await receives(page);
    const names = await page.evaluate(() => window.studio.data.functions);
    assert.equal(names.length, 12);
    assert.equal(await page.locator("[data-function]").count(), 12);
    const set = async (name, level) => page.locator(`[data-function="${names.indexOf(name)}"]`).fill(String(level));
    const before = await state(page);
    // The mixture of figure 4.15 of [Kaufman 2008].
    await set("scapula.abduction", 0.5);
    await set("scapula.upward_rotation", 0.8);
    await set("humerus.flexion", 0.5);
    await set("humerus.abduction", 0.8);
    await page.waitForFunction((k) => window.studio.liveMode.link.state.functions[k] > 0.79, names.indexOf("humerus.abduction"), { timeout: 60000 });
    await page.waitForFunction((t) => window.studio.frame.time > t + 0.35, before.time, { timeout: 120000 });
    const after_ = await state(page);
    assert.equal(after_.diverged, false);
    assert.ok(far(after_.positions, before.positions) > 0.003, "the bones move");
    assert.ok(after_.activation.filter((a) => a > 0.1).length > 3, "several muscles work");
    await page.screenshot({ path: join(shots, "functions-desktop.png") });
    await page.click("#relax");
    await page.waitForFunction(() => window.studio.liveMode.link.state.functions.every((v) => v === 0), null, { timeout: 60000 });
    assert.equal(await page.locator("[data-function]").first().inputValue(), "0");
  });
  await withPage(address, { ...PHONE, colorScheme: "dark" }, async (page) => {
    await receives(page);
    assert.equal(await page.locator("[data-function]").first().isVisible(), true);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await page.locator('[data-function="0"]').fill("0.5");
    await page.waitForFunction(() => window.studio.liveMode.link.state.functions[0] > 0.49, null, { timeout: 60000 });
    await page.screenshot({ path: join(shots, "functions-phone.png") });
  });
});

test("a replay and its modes fit into 360 pixels, with the skin", async () => {
  const replay = join(buildDir, "studio", "wrist");
  const poses = join(buildDir, "studio", "wrist.pose.csv");
  writeFileSync(poses, "time,wrist.flexion\n0,0\n0.1,5\n");
  execFileSync(join(buildDir, "sinew"), ["track", "hand", poses, "-o", replay, "--quiet"]);
  const address = await started("hand", `${replay}.replay.xml`, "--target", poses);
  await withPage(address, PHONE, async (page) => {
    const fits = async () => assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    const inside = async (id) => {
      const box = await page.locator(id).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= 360, `${id} is inside`);
    };
    await fits();
    assert.equal(await page.locator("#mode-fill").isVisible(), false, "bones are not offered to be filled");
    for (const id of ["#mode", "#theme", "#help-open", "#side-palmar", "#fit", "#tab-view"]) await inside(id);
    await page.tap("#tab-view");
    await page.locator("#skin").fill("1");
    assert.equal(await page.evaluate(() => window.studio.data.replay.skinOffsets !== null), true);
    await page.tap("#mode-live");
    await receives(page);
    await fits();
    for (const id of ["#mode", "#theme", "#help-open", "#relax", "#live-note"]) await inside(id);
    assert.equal(await page.evaluate(() => window.studio.view.skin !== null), true);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "modes-phone.png") });
  });
});

test("the hand, to be looked at", async () => {
  const address = await started("hand");
  await withPage(address, { width: 1280, height: 760 }, async (page) => {
    const marks = await page.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map((m) => [m.name, Math.round(m.startTime)])));
    console.log(`first picture ${marks.picture} ms after the page was asked for`);
    await receives(page);
    assert.deepEqual(await page.locator("#pose .coordinate:not(.grip) > span").allTextContents().then((all) => all.slice(0, 3)),
      ["forearm pronation", "flexion", "radial deviation"]); // in the order of the joints: forearm, then the wrist
    assert.equal(await page.locator("#pose h3").filter({ hasNotText: "Key poses" }).first().textContent(), "wrist");
    assert.equal(await page.locator('[aria-label="Target of wrist radial deviation"]').count(), 1);
    assert.equal(await page.locator('[aria-label="Target of index finger MCP flexion"]').count(), 1);
    assert.equal(await page.locator("#pose").filter({ hasText: /axis \d/ }).count(), 0);
    // A posture: its angles become the targets. The next line goes on from there.
    await page.click('[data-posture="thumbs_up"]');
    const thumbsUp = await page.evaluate(() => window.studio.data.postures.find((p) => p.name === "thumbs_up").values);
    await page.waitForFunction((v) => v.every((x, i) => Math.abs(window.studio.liveMode.link.state.goals[i] - x) < 1e-4), thumbsUp, { timeout: 60000 });
    await page.click('[data-posture="rest"]');
    await page.click("#layer-constraints");
    for (const [i, c] of (await page.evaluate(() => window.studio.data.coordinates)).entries())
      if (/^(mcp|pip|dip)[2-5]/i.test(c.name) && c.upper > 1) await page.evaluate(([k, v]) => (window.studio.liveMode.setFollow(true), window.studio.liveMode.link.send(6, k, v)), [i, 0.5 * c.upper]);
    const start = (await state(page)).time;
    await page.waitForFunction((t) => window.studio.frame.time > t + 0.4, start, { timeout: 120000 });
    assert.equal((await state(page)).diverged, false);
    // A load: the flexors of the half-closed hand rise when it grips, and fall again when it lets go.
    const flexors = () => page.evaluate(() => window.studio.data.muscles.reduce((sum, m, i) => sum + (/^FDP\d/.test(m) ? window.studio.frame.activation[i] : 0), 0));
    await page.waitForFunction((t) => window.studio.frame.time > t + 1, start, { timeout: 120000 });
    const loose = await flexors();
    assert.equal(await page.locator("#grip").isVisible(), true);
    await page.locator("#grip").fill("20");
    assert.equal(await page.locator("#grip-why").isVisible(), true);
    await page.waitForFunction((least) => window.studio.data.muscles.reduce((sum, m, i) => sum + (/^FDP\d/.test(m) ? window.studio.frame.activation[i] : 0), 0) > least, loose + 0.1, { timeout: 120000 });
    await page.screenshot({ path: join(shots, "live-desktop.png") });
  });
  await withPage(address, { ...PHONE, colorScheme: "dark" }, async (page) => {
    await receives(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await page.tap("#tab-pose");
    assert.equal(await page.locator("[data-coordinate]").first().isVisible(), true);
    await page.screenshot({ path: join(shots, "live-phone.png") });
    await page.tap("#tab-muscles");
    await page.locator(".drive").first().fill("0.5");
    await page.waitForFunction((m) => window.studio.frame.activation[m] > 0.4, await firstMuscle(page), { timeout: 60000 });
  });
});
