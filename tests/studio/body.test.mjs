// The body in the studio: 814 muscles, how soon the first picture is there, how many pictures a second while it plays, and
// the live simulation with its dials. Prints the figures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDir, launch, onPage, redrawn, serve, shots, spent } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
let browser;
let folder;
const servers = [];
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "sinew-body-"));
});
after(async () => {
  for (const s of servers) s.stop();
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function started(...words) {
  const server = await serve(...words);
  servers.push(server);
  return server.address;
}

const marks = (page) => page.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map((m) => [m.name, Math.round(m.startTime)])));
/** Processor time that the page's process has taken so far, s: what else the machine does does not count. */
async function pageTime(page) {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find((m) => m.name === "ProcessTime").value;
}
const SIZE = { width: 1280, height: 760 };

test("a replay: first picture and pictures a second", async () => {
  execFileSync(sinew, ["track", "body", "curl", "-o", join(folder, "curl"), "--quiet"]);
  const address = await started("body", join(folder, "curl.replay.xml"));
  const began = spent(process.pid);
  await onPage(browser, address, SIZE, async (page) => {
    const work = spent(process.pid) - began;
    const said = await marks(page);
    const own = await pageTime(page);
    console.log(`body: ${(1000 * own).toFixed(0)} ms of processor time for the page itself until it is ready; the rest is the browser and its software GL`);
    assert.ok(own < 1.5, "a first picture within 2 s on a machine of its own");
    const size = await page.evaluate(() => performance.getEntriesByType("resource").map((r) => `${r.name.split("/").pop()} ${(r.transferSize / 1024).toFixed(0)} kB ${r.duration.toFixed(0)} ms`).join(", "));
    console.log(`body: first picture ${said.picture} ms after the page was asked for, ${work.toFixed(2)} s of processor time on however many cores; ${JSON.stringify(said)}; ${size}; replay ${(statSync(join(folder, "curl.replay.xml")).size / 1024).toFixed(0)} kB`);
    const before = spent(process.pid);
    const played = await page.evaluate(async () => {
      const { player, view } = window.studio;
      player.seek(0);
      player.play();
      const from = view.drawn;
      const start = performance.now();
      while (performance.now() - start < 3000 || view.drawn < from + 10) await new Promise((r) => setTimeout(r, 100));
      const drawn = view.drawn - from;
      const rate = (1000 * drawn) / (performance.now() - start);
      player.pause();
      view.draw(0); // counted in full, whatever this machine can do while it plays
      return { drawn, rate, level: view.painter.quality.moving, calls: view.painter.renderer.info.render.calls, triangles: view.painter.renderer.info.render.triangles };
    });
    const each = (1000 * (spent(process.pid) - before)) / played.drawn;
    console.log(`body: ${played.rate.toFixed(1)} pictures a second in software GL, ${each.toFixed(0)} ms of processor time each (page, GL and browser); while playing (level ${played.level}); ${played.calls} draw calls, ${played.triangles} triangles`);
    const script = await page.evaluate(() => {
      const { player, view } = window.studio;
      const times = Array.from({ length: 20 }, (_, i) => {
        const start = performance.now();
        player.seek(0.1 * i);
        return performance.now() - start;
      });
      return Math.min(...times); // what it takes when nobody else wants the machine
    });
    console.log(`body: ${script.toFixed(1)} ms of script for a picture`);
    assert.ok(played.calls < 100 && played.triangles < 200000, "few enough for 30 a second with a graphics card");
    assert.ok(script < 33, "script leaves room for 30 pictures a second");
    await page.screenshot({ path: join(shots, "body-replay.png") });
  });
});

test("live: it stands, takes a weight, breathes, and is found by its muscles", async () => {
  const address = await started("body", "--load", "radius_R=0.2kg", "--coactivation", "arm_R=0.5", "--breathing", "1");
  await onPage(browser, address, SIZE, async (page) => {
    console.log(`body live: ${JSON.stringify(await marks(page))}`);
    await page.waitForFunction(() => window.studio.frame.time > 1, null, { timeout: 120000 });
    const state = await page.evaluate(() => {
      const s = window.studio.liveMode.link.state;
      const c = window.studio.data.coordinates;
      return { factor: s.factor, following: s.following, diverged: s.diverged, most: Math.max(...s.coordinates.map((v, i) => (/insp|sternum|cart/.test(c[i].name) ? 0 : Math.abs(v)))) };
    });
    console.log(`body live: ${state.factor.toFixed(2)} times real time, largest coordinate ${state.most.toFixed(4)} rad`);
    assert.ok(state.following && !state.diverged);
    assert.ok(state.most < 0.08, "it stands");
    assert.equal(await page.locator("#dials").isVisible(), true);
    await page.locator("#weight").fill("0.5");
    await page.locator("#breathing").fill("2");
    await page.locator("#coactivation").fill("0.2");
    const elbow = await page.evaluate(() => window.studio.data.coordinates.findIndex((c) => c.name === "ulna_R_flex"));
    await page.locator(`[data-coordinate="${elbow}"]`).evaluate((input) => {
      input.value = "1.2";
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.waitForFunction((k) => window.studio.liveMode.link.state.coordinates[k] > 1.0, elbow, { timeout: 120000 });
    // Held there, with the weight: some flexor of the elbow works.
    const held = await page.evaluate(() => window.studio.frame.time);
    await page.waitForFunction((t) => window.studio.frame.time > t + 0.5, held, { timeout: 120000 });
    const effort = await page.evaluate(() => {
      const { data, frame } = window.studio;
      return Math.max(...data.strands.map((s) => (/^(brachialis|biceps|brachioradialis).*_R/.test(s.name) ? frame.activation[s.muscle] : 0)));
    });
    assert.ok(effort > 0.02, `flexors work: ${effort}`);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "body-live.png") });
    await page.locator('input[type="search"]').fill("biceps");
    await page.screenshot({ path: join(shots, "body-search.png") });
    assert.ok((await page.locator(".row:visible").count()) < 30, "searching leaves few");
  });
});
