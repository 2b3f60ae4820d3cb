// What the library wrote, read by the page: a simulated finger as one HTML file. The lengths that the simulator recorded
// must be those of the curves that the page draws from the control points.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { buildDir, launch, openPage, ready, shots } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "sinew-export-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a replay as one file", async () => {
  execFileSync(sinew, ["simulate", "finger", "-o", join(folder, "curl"), "--time", "0.5", "--activation", "FDP2=0.6", "--quiet"]);
  const file = join(folder, "curl.html");
  execFileSync(sinew, ["studio", "finger", join(folder, "curl.replay.xml"), "--target", join(folder, "curl.replay.xml"), "--save", file]);
  const { page, context, troubles } = await openPage(browser, { width: 1000, height: 640 });
  await page.goto(pathToFileURL(file).href);
  assert.equal(await ready(page), "true");
  assert.equal(await page.textContent("#model"), "finger · curl");
  const worst = await page.evaluate(() => {
    const { data, frame, player, view } = window.studio;
    let off = 0;
    for (let i = 0; i < player.replay.count; i += 5) {
      player.seek(player.replay.times[i]);
      data.strands.forEach((_, s) => off = Math.max(off, Math.abs(view.tubes.lineLength(view.tubes.rings[s]) / frame.length[s] - 1)));
    }
    return off;
  });
  assert.ok(worst < 5e-3, `lengths agree to ${worst}`); // the tubes are polygons of 96 chords at most
  const moved = await page.evaluate(() => {
    const { player, frame } = window.studio;
    player.seek(player.start);
    const first = frame.positions.slice();
    player.seek(player.end);
    return Math.max(...frame.positions.map((v, i) => Math.abs(v - first[i])));
  });
  assert.ok(moved > 1e-3, "the finger has moved");
  assert.equal(await page.evaluate(() => window.studio.frame.hasTarget), true);
  await page.click("#layer-surfaces");
  await page.screenshot({ path: join(shots, "export-finger.png") });
  assert.deepEqual(troubles, []);
  await context.close();
  console.log(`${(statSync(file).size / 1024).toFixed(0)} kB`);
});

test("every scene opens", async () => {
  for (const name of ["pendulum", "cable", "pulley", "crane", "sheet"]) {
    const file = join(folder, `${name}.html`);
    execFileSync(sinew, ["studio", name, "--save", file]);
    const { page, context, troubles } = await openPage(browser, { width: 700, height: 500 });
    await page.goto(pathToFileURL(file).href);
    assert.equal(await ready(page), "true", name);
    assert.deepEqual(troubles, []);
    await context.close();
  }
});
