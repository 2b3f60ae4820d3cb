// Filling a muscle with strands in a real browser: they move, pause, are tuned, counted anew, kept. The model is the arm of
// the tutorial with its brachialis.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildDir, launch, onPage, redrawn, serve, shots } from "./browser.mjs";

const top = fileURLToPath(new URL("../..", import.meta.url));
const sinew = join(buildDir, "sinew");
const folder = mkdtempSync(join(tmpdir(), "sinew-fill-"));
let browser, server;

before(async () => {
  execFileSync("python3", [join(top, "tools/make_tutorial.py"), folder, "--files"]);
  server = await serve(join(folder, "arm.muscle.xml"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.stop();
  rmSync(folder, { recursive: true });
});

const withPage = (options, body) => onPage(browser, server.address, options, async (page) => {
  await page.click("#mode-fill");
  await page.waitForFunction(() => window.studio.fillMode.socket?.readyState === 1, null, { timeout: 60000 });
  await body(page);
});
const fill = (page) => page.evaluate(() => {
  const f = window.studio.fillMode;
  return { state: f.state, step: f.step, moved: f.moved, nstrand: f.nstrand, points: Array.from(f.points) };
});
const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: 60000 });
const reaches = (page, ...states) => until(page, (s) => s.includes(window.studio.fillMode.state), states);

test("strands move, pause, are tuned, and become a model", () =>
  withPage({ width: 1200, height: 780 }, async (page) => {
    assert.deepEqual(await page.evaluate(() => window.studio.data.fillable.map((f) => [f.name, f.inputs.map((i) => i.name)])), [["brachialis_mesh", ["brachialis"]]]);
    assert.equal(await page.isDisabled("#fill-keep"), true);
    await page.locator("#fill-count").fill("12");
    // Watched from before the start: on a busy machine they are at rest before the next line is reached.
    const seen = until(page, () => {
      const { step, nstrand, points } = window.studio.fillMode;
      window.seen ??= [];
      if (nstrand === 12 && step > (window.seen.at(-1)?.step ?? 0)) window.seen.push({ step, points: Array.from(points) });
      return window.seen.length > 1;
    });
    await page.click("#fill-start");
    await seen;
    const [first, second] = await page.evaluate(() => window.seen);
    assert.ok(Math.max(...second.points.map((v, i) => Math.abs(v - first.points[i]))) > 1e-6, "they move");
    await page.screenshot({ path: join(shots, "fill-moving.png") });
    // Another number of strands begins anew.
    await page.locator("#fill-count").fill("20");
    await page.locator("#fill-count").dispatchEvent("change");
    await until(page, () => window.studio.fillMode.nstrand === 20);
    await page.click("#fill-pause");
    await reaches(page, "paused");
    const held = await fill(page);
    await page.waitForTimeout(250);
    assert.equal((await fill(page)).step, held.step);
    assert.equal(await page.textContent("#fill-pause"), "Continue");
    await page.click("#fill-pause");
    await reaches(page, "at rest");
    const rest = await fill(page);
    assert.ok(rest.moved < 0.002);
    // Tuned, it moves again and comes to rest elsewhere.
    await page.locator("#fill-stiffness").fill("2.5");
    await until(page, (n) => window.studio.fillMode.step > n, rest.step);
    await reaches(page, "at rest");
    const stiff = await fill(page);
    assert.ok(Math.max(...stiff.points.map((v, i) => Math.abs(v - rest.points[i]))) > 1e-5, "stiffer strands lie elsewhere");
    await redrawn(page);
    await page.screenshot({ path: join(shots, "fill-desktop.png") });
    await page.click("#fill-keep");
    await reaches(page, "done");
    assert.match(await page.textContent("#fill-note"), /^20 strands after \d+ steps\. Spacing .* 0 crossings/);
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#fill-muscle")]);
    assert.equal(download.suggestedFilename(), "strands.muscle.xml");
    for (const name of ["strands.muscle.xml", "strands.scene.xml"])
      writeFileSync(join(folder, name), await page.evaluate(async (n) => (await fetch(n)).text(), name));
    const info = JSON.parse(execFileSync(sinew, ["info", join(folder, "strands.muscle.xml"), "--json"]));
    assert.equal(info.strands, 23); // biceps, triceps, the one drawn, which is disabled, and these
    execFileSync(sinew, ["check", join(folder, "strands.muscle.xml")]);
    // Back to the live simulation, which goes on.
    await page.click("#mode-live");
    assert.equal(await page.isVisible("#fill"), false);
    await until(page, () => document.querySelector("#link").textContent === "connected" && window.studio.frame.time > 0);
  }));

test("discarding, wrong input and a phone", () =>
  withPage({ width: 360, height: 740, hasTouch: true, isMobile: true, colorScheme: "dark" }, async (page) => {
    assert.equal(await page.locator("#fill-start").isVisible(), true);
    const right = (id) => page.evaluate((i) => document.querySelector(i).getBoundingClientRect().right, id);
    for (const id of ["#help-open", "#fill-stiffness", "#stage"]) assert.ok((await right(id)) <= 360, `${id} is on the screen`);
    await page.locator(".inputs input").first().uncheck();
    await page.tap("#fill-start");
    assert.match(await page.textContent("#fill-note"), /at least one strand/);
    await page.locator(".inputs input").first().check();
    await page.tap("#fill-start");
    await reaches(page, "at rest");
    await page.screenshot({ path: join(shots, "fill-phone.png") });
    await page.locator("#fill-stop").tap();
    await reaches(page, "idle");
    assert.equal((await fill(page)).nstrand, 0);
    // Garbage is passed over, and a mesh that cannot be filled is refused with the reason.
    await page.evaluate(() => {
      const { socket } = window.studio.fillMode;
      socket.send(new Uint8Array(77));
      socket.send(new Uint32Array([1, 0xffffffff, 10, 12, 0, 0, 0]));
      socket.send(new Uint32Array([99]));
      window.studio.fillMode.send(1, [1, 6, 12], [10, 1], [0]); // the biceps in the mesh of the humerus
    });
    await reaches(page, "failed");
    assert.match(await page.textContent("#fill-note"), /outside the muscle mesh|biceps/);
  }));
