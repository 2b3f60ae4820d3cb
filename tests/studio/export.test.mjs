// What the library wrote, read by the page: a simulated finger as one HTML file. The lengths that the simulator recorded
// must be those of the curves that the page draws from the control points.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
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

/** A point of a cubic B-spline, by repeated interpolation: another way than the page's. at: three numbers by index. */
function deBoor(knots, count, at, s) {
  let k = 3;
  while (k < count - 1 && knots[k + 1] <= s) k++;
  const d = [0, 1, 2, 3].map((i) => at(k - 3 + i));
  for (let r = 1; r <= 3; r++)
    for (let i = 3; i >= r; i--) {
      const low = knots[k - 3 + i];
      const t = (s - low) / (knots[k + 1 + i - r] - low);
      d[i] = d[i].map((x, c) => (1 - t) * d[i - 1][c] + t * x);
    }
  return d[3];
}

/** In the page, as the largest relative differences: the length that the simulator recorded from that of the curve, both
 * by two Gauss points a span; the length of the tube from that of the polygon with corners on the curve. */
function measure(source) {
  const point = eval(`(${source})`);
  const { data, frame, player, view } = window.studio;
  const worst = { length: 0, tube: 0 };
  const distance = (p, q) => Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  for (let i = 0; i < player.replay.count; i += 5) {
    player.seek(player.replay.times[i]);
    data.strands.forEach(({ knots, npoint, first }, s) => {
      const curve = (t) => point(knots, npoint, (k) => Array.from(frame.points.slice(3 * (first + k), 3 * (first + k) + 3)), t);
      let length = 0;
      for (let k = 3; k < npoint; k++)
        for (const sign of [-1, 1]) {
          const wide = knots[k + 1] - knots[k];
          const t = knots[k] + wide * (0.5 + sign / Math.sqrt(12));
          const [a, b, c, d] = [-0.2, -0.1, 0.1, 0.2].map((x) => curve(t + x * wide));
          const slope = a.map((_, j) => (8 * (c[j] - b[j]) - (d[j] - a[j])) / 1.2); // exact for a cubic, over the span
          length += 0.5 * distance(slope, [0, 0, 0]);
        }
      const rings = view.tubes.rings[s];
      const corners = Array.from({ length: rings.count }, (_, k) => curve(knots[3] + (k / (rings.count - 1)) * (knots[npoint] - knots[3])));
      const polygon = corners.slice(1).reduce((sum, p, k) => sum + distance(p, corners[k]), 0);
      worst.length = Math.max(worst.length, Math.abs(length / frame.length[s] - 1));
      worst.tube = Math.max(worst.tube, Math.abs(view.tubes.lineLength(rings) / polygon - 1));
    });
  }
  return worst;
}

test("a replay as one file", async () => {
  execFileSync(sinew, ["simulate", "finger", "-o", join(folder, "curl"), "--time", "0.5", "--activation", "FDP2=0.6", "--quiet"]);
  const file = join(folder, "curl.html");
  execFileSync(sinew, ["studio", "finger", join(folder, "curl.replay.xml"), "--target", join(folder, "curl.replay.xml"), "--save", file]);
  const { page, context, troubles } = await openPage(browser, { width: 1000, height: 640 });
  await page.goto(pathToFileURL(file).href);
  assert.equal(await ready(page), "true");
  assert.equal(await page.textContent("#model"), "finger · curl");
  const worst = await page.evaluate(measure, deBoor.toString());
  console.log(worst);
  // The file has control points in 16 bits, and a span may be short; the polygon is exact but for single precision.
  assert.ok(worst.length < 5e-4, `the curves are as long as the simulator says, to ${worst.length}`);
  assert.ok(worst.tube < 1e-5, `the tubes are the polygons with corners on the curves, to ${worst.tube}`);
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

/** In the page, for each frame: where some vertices of the shown skin are. */
function shownSkin(step) {
  const { player, view } = window.studio;
  return Array.from(player.replay.times, (time) => {
    player.seek(time);
    const at = view.skin.position;
    return Array.from({ length: Math.ceil(at.count / step) }, (_, i) => [at.getX(i * step), at.getY(i * step), at.getZ(i * step)]);
  });
}

test("flesh and muscles on the page", async () => {
  const there = (name) => join(folder, name);
  const flesh = ["--flesh", "draft", "--muscles", "--quiet"];
  execFileSync(sinew, ["track", "hand", "fist", "-o", there("soft"), "--frames", "24:28", "--quiet"]);
  execFileSync(sinew, ["export", there("soft.replay.xml"), "--to", "html", ...flesh]);
  execFileSync(sinew, ["export", there("soft.replay.xml"), "--to", "pc2", ...flesh]);
  const cache = readFileSync(there("soft.pc2"));
  const count = cache.readInt32LE(16);
  const { page, context, troubles } = await openPage(browser, { width: 1000, height: 640 });
  await page.goto(pathToFileURL(there("soft.html")).href);
  assert.equal(await ready(page), "true");
  const step = 11;
  const frames = await page.evaluate(shownSkin, step);
  assert.equal(frames.length, cache.readInt32LE(28));
  let worst = 0;
  frames.forEach((points, f) => {
    assert.equal(points.length, Math.ceil(count / step));
    points.forEach((p, i) => p.forEach((x, k) => {
      worst = Math.max(worst, Math.abs(x - cache.readFloatLE(32 + 12 * (f * count + i * step) + 4 * k)));
    }));
  });
  console.log(`flesh on the page: ${(1e3 * worst).toFixed(3)} mm from the cache`);
  assert.ok(worst < 1e-4, `the page shows the flesh ${worst} m off`);
  await page.locator("#skin").fill("1");
  await page.screenshot({ path: join(shots, "export-flesh.png") });
  assert.deepEqual(troubles, []);
  await context.close();
});
