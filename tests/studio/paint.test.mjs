// What is seen before the model: "Loading" stands in the first bytes of a page, before data and program, and is drawn before
// they are there. Ten seconds of hand as one file, and the served page.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { buildDir, launch, openPage, ready, serve } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
const KEYS = [0, 70, 0, 60, 0, 80, 0, 70, 0, 50, 0]; // degrees of the fingers, a second apart
let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "sinew-paint-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const TRIES = 3;

/**
 * Opens a page while the browser keeps a trace. Until the first paint with something on it: milliseconds from asking for
 * the page, and processor time of the thread that parses, runs and paints it, which the work of others does not lengthen.
 */
async function openTraced(address, until) {
  const { page, context } = await openPage(browser, { width: 1280, height: 760 });
  await browser.startTracing(page, { categories: ["toplevel", "loading", "blink.user_timing", "devtools.timeline"] });
  await page.goto(address, { waitUntil: "commit" });
  await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length > 0, null, { timeout: 60000 });
  const marks = await until(page);
  const events = JSON.parse((await browser.stopTracing()).toString()).traceEvents;
  const wall = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  await context.close();
  const paint = events.filter((e) => e.name === "firstContentfulPaint").pop();
  const asked = events.filter((e) => e.name === "navigationStart" && e.ts < paint.ts).pop();
  let work = 0;
  for (const e of events)
    if (e.name === "ThreadControllerImpl::RunTask" && e.pid === paint.pid && e.tid === paint.tid && e.ts >= asked.ts && e.ts < paint.ts) work += (e.tdur ?? 0) / 1000;
  return { wall: Math.round(wall), work: Math.round(work), marks };
}

/** Opens a page a few times; the quickest tells what the page costs, the others what the machine does besides. */
async function firstPaint(address, what, until = async (page) => (await page.waitForTimeout(200), {})) {
  const tries = [];
  for (let i = 0; i < TRIES; i++) tries.push(await openTraced(address, until));
  const least = (key) => Math.min(...tries.map((t) => t[key]));
  const { data, built } = tries[0].marks;
  const later = built ? `; data after ${Math.round(data)} ms, model after ${Math.round(built)} ms` : "";
  console.log(`${what}: first paint after ${least("wall")} ms (${tries.map((t) => t.wall).join(", ")}), ${least("work")} ms of processor time${later}`);
  assert.ok(least("work") > 0);
  for (const t of tries) if (t.marks.built) assert.ok(t.wall < t.marks.built, "something is drawn before the model is there");
  return least("work");
}

/** When the model of a page is there: its marks. */
async function whenReady(page) {
  assert.equal(await ready(page), "true");
  return page.evaluate(() => Object.fromEntries(performance.getEntriesByType("mark").map((m) => [m.name, m.startTime])));
}

/** A page with one word on it: what the browser needs by itself on this machine, as busy as it is. */
test("a page with one word", async () => {
  const file = join(folder, "word.html");
  writeFileSync(file, "<!doctype html><title>word</title><p>Loading");
  await firstPaint(pathToFileURL(file).href, "one word");
});

test("ten seconds of hand as one file", async () => {
  const rows = KEYS.map((v, i) => [i, ...[2, 3, 4, 5].flatMap(() => [v, v])].join(","));
  const names = [2, 3, 4, 5].flatMap((d) => [`mcp${d}.flexion`, `pip${d}.flexion`]);
  writeFileSync(join(folder, "ten.pose.csv"), ["time," + names.join(","), ...rows, ""].join("\n"));
  execFileSync(sinew, ["track", "hand", "ten.pose.csv", "-o", "ten", "--replay", "bin", "--quiet"], { cwd: folder });
  execFileSync(sinew, ["export", "ten.replay.bin", "--to", "html", "--quiet", "-o", "ten.html"], { cwd: folder });
  const file = join(folder, "ten.html");
  const bytes = readFileSync(file);
  const [loading, data, program] = ['id="loading"', 'id="sinew-data"', "three"].map((text) => bytes.indexOf(text));
  console.log(`ten seconds of hand: ${(statSync(file).size / 1e6).toFixed(2)} MB, "Loading" at byte ${loading}, data from byte ${data}`);
  assert.ok(statSync(file).size < 8e6);
  assert.ok(loading > 0 && loading < 32768 && loading < data && (program < 0 || loading < program));
  await firstPaint(pathToFileURL(file).href, "one file", whenReady);
});

test("the served page", async () => {
  const server = await serve("hand");
  try {
    await firstPaint(server.address, "served", whenReady);
  } finally {
    server.stop();
  }
});
