// Line muscles of models on a tree: the page draws them from the poses of the bodies alone, and what it draws is as long
// as what the simulator recorded.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { buildDir, launch, onPage, redrawn, shots } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "sinew-lines-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (file, body) => onPage(browser, pathToFileURL(file).href, { width: 1000, height: 640 }, body);

test("the hand's muscles over a replay", async () => {
  execFileSync(sinew, ["track", "hand-clinical", "fist", "-o", join(folder, "fist"), "--method", "step", "--quiet"]);
  const file = join(folder, "fist.html");
  execFileSync(sinew, ["studio", "hand-clinical", join(folder, "fist.replay.xml"), "--save", file, "--quiet"]);
  await open(file, async (page) => {
    const worst = await page.evaluate(() => {
      const { data, player, view } = window.studio;
      let most = 0;
      for (let i = 0; i < player.replay.count; i += 3) {
        player.seek(player.replay.times[i]);
        data.strands.forEach((_, s) => (most = Math.max(most, Math.abs(view.tubes.lengthOf(s) - player.replay.length[i * data.strands.length + s]))));
      }
      return most;
    });
    console.log(`lengths differ by at most ${(1e6 * worst).toFixed(1)} micrometres`);
    // An arc is drawn as a polygon of six sides; the poses have 16 bits.
    assert.ok(worst < 5e-5, `lines are as long as recorded, to ${worst} m`);
    assert.equal(await page.evaluate(() => window.studio.data.npoint), 0, "no control points are stored");
    assert.equal(await page.evaluate(() => window.studio.data.strands.length), 47);
    await page.evaluate(() => window.studio.player.seek(1.4));
    await page.click('.pick:has-text("FDP2")');
    assert.equal(await page.textContent("#selected-name"), "FDP2");
    await redrawn(page);
    await page.screenshot({ path: join(shots, "lines-fist.png") });
    const rings = await page.evaluate(() => {
      // The belly is thicker and redder than the tendon.
      const { tubes } = window.studio.view;
      const pos = tubes.mesh.geometry.getAttribute("position").array;
      const col = tubes.mesh.geometry.getAttribute("color").array;
      const ring = (i) => ({ r: Math.hypot(...[0, 1, 2].map((k) => pos[24 * i + k] - tubes.centres[3 * i + k])), red: col[24 * i] / col[24 * i + 1] });
      const own = [...tubes.owner.keys()].filter((i) => tubes.owner[i] === 0).map(ring);
      return { belly: own.reduce((a, b) => (a.r > b.r ? a : b)), end: own[own.length - 4] };
    });
    assert.ok(rings.belly.r > 2 * rings.end.r && rings.belly.red > 1.5 * rings.end.red, JSON.stringify(rings));
  });
});

test("814 muscles of the body in one draw call, fast enough for 30 pictures a second", async () => {
  const file = join(folder, "body.html");
  execFileSync(sinew, ["studio", "body", "--save", file, "--quiet"]);
  await open(file, async (page) => {
    const { lines, calls, ms } = await page.evaluate(() => {
      const { data, frame, view } = window.studio;
      const times = Array.from({ length: 15 }, () => {
        const start = performance.now();
        view.tubes.update(frame, -1, -1);
        return performance.now() - start;
      });
      view.show("bones", false);
      view.show("grid", false);
      view.show("skin", false);
      view.draw(1);
      return { lines: data.strands.length, calls: view.painter.renderer.info.render.calls, ms: Math.min(...times) };
    });
    console.log(`${lines} lines, ${calls} draw call(s), ${ms.toFixed(1)} ms a frame without drawing; ${(statSync(file).size / 1024).toFixed(0)} kB`);
    assert.equal(lines, 814);
    assert.ok(calls <= 2, `${calls} draw calls`);
    assert.ok(ms < 33, `${ms} ms`);
  });
});
