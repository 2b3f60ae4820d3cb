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

/** Milliseconds from asking for the page: first paint with something on it, marks of the page. */
async function times(page) {
  return page.evaluate(() => {
    const found = {};
    for (const entry of [...performance.getEntriesByType("paint"), ...performance.getEntriesByType("mark")]) found[entry.name] = Math.round(entry.startTime);
    return found;
  });
}

/** Opens a page a few times; the median of the first paints, which the work of others on the machine disturbs least. */
async function firstPaint(address, what) {
  const paints = [];
  let last;
  for (let i = 0; i < 3; i++) {
    const { page, context } = await openPage(browser, { width: 1280, height: 760 });
    await page.goto(address, { waitUntil: "commit" });
    assert.equal(await ready(page), "true");
    last = await times(page);
    paints.push(last["first-contentful-paint"]);
    await context.close();
  }
  paints.sort((a, b) => a - b);
  console.log(`${what}: first paint ${paints[1]} ms (${paints.join(", ")}), data ${last.data} ms, model ${last.built} ms`);
  assert.ok(paints[0] > 0 && paints[0] < last.built, "something is drawn before the model is there");
}

/** A page with one word on it: what the browser needs by itself on this machine, as busy as it is. */
test("a page with one word", async () => {
  const file = join(folder, "word.html");
  writeFileSync(file, "<!doctype html><title>word</title><p>Loading");
  const paints = [];
  for (let i = 0; i < 3; i++) {
    const { page, context } = await openPage(browser, { width: 1280, height: 760 });
    await page.goto(pathToFileURL(file).href);
    await page.waitForFunction(() => performance.getEntriesByType("paint").length > 1);
    paints.push((await times(page))["first-contentful-paint"]);
    await context.close();
  }
  console.log(`one word: first paint ${paints.sort((a, b) => a - b)[1]} ms (${paints.join(", ")})`);
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
  await firstPaint(pathToFileURL(file).href, "one file");
});

test("the served page", async () => {
  const server = await serve("hand");
  try {
    await firstPaint(server.address, "served");
  } finally {
    server.stop();
  }
});
