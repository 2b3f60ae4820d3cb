// A page that holds the simulation: one file, opened from the disk, without a server and without the network. It gives the
// answers that the served page gives.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { buildDir, launch, onPage, openPage, ready, redrawn, serve, shots } from "./browser.mjs";

const skip = existsSync(join(buildDir, "js", "sinew.wasm")) ? false : "the WebAssembly module has not been built";
const DESKTOP = { width: 1280, height: 800 };
let browser;
let folder;
before(async () => {
  browser = await launch();
  folder = mkdtempSync(join(tmpdir(), "sinew-solver-"));
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

function write(name, ...words) {
  const file = join(folder, name);
  execFileSync(join(buildDir, "sinew"), ["studio", ...words, "--save", file, "--live"], { stdio: ["ignore", "pipe", "inherit"] });
  return file;
}

/** Opens the file with the network turned off and gives what was asked for all the same. */
async function offline(file, body) {
  const asked = [];
  const { page, context, troubles } = await openPage(browser, DESKTOP);
  try {
    await context.setOffline(true);
    page.on("request", (r) => !/^(file|blob|data):/.test(r.url()) && asked.push(r.url()));
    await page.goto(pathToFileURL(file).href);
    assert.equal(await ready(page), "true");
    await body(page);
    assert.deepEqual(asked, []);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

const CASE = [{ kind: "nerve", name: "ulnar-high", to: "", value: 0, force: [0, 0, 0] }];

/** The final answer to a pose, healthy and with a nerve cut. */
async function ask(page, changes, bend) {
  await page.evaluate(([c, q]) => {
    const { clinic } = window.studio;
    clinic.editor.set(c);
    clinic.consult.setPose(clinic.consult.pose.map((_, i) => (i % 3 === 0 ? q : 0)));
  }, [changes, bend]);
  await page.waitForFunction(() => {
    const { consult, answer } = window.studio.clinic;
    return answer?.id === consult.id && answer.final;
  }, null, { timeout: 60000 });
  return page.evaluate(() => ({ ...window.studio.clinic.answer, id: 0 }));
}

/** Largest difference of the numbers of two answers; everything else must be equal. */
function difference(a, b) {
  if (typeof a === "number" && typeof b === "number") return Math.abs(a - b);
  if (typeof a !== "object" || !a) return assert.equal(a, b) ?? 0;
  assert.deepEqual(Object.keys(a), Object.keys(b));
  return Math.max(0, ...Object.keys(a).map((k) => difference(a[k], b[k])));
}

test("the clinical page answers as the served one does, from a file, offline", { skip }, async () => {
  const file = write("clinical.html", "hand-clinical");
  const size = gzipSync(readFileSync(file)).length;
  console.log(`the live clinical hand: ${statSync(file).size} bytes, ${size} compressed`);
  assert.ok(size < 1.5e6);
  const mine = [];
  await offline(file, async (page) => {
    for (const [changes, bend] of [[[], 0], [[], 0.4], [CASE, 0.4], [CASE, 0.9]]) mine.push(await ask(page, changes, bend));
    const waits = await page.evaluate(() => window.studio.clinic.consult.waits.slice(1).sort((x, y) => x - y));
    console.log(`from a question to its first answer: ${waits[Math.floor(waits.length / 2)].toFixed(0)} ms in the middle of ${waits.length}`);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "solver-clinic.png") });
  });
  const server = await serve("hand-clinical");
  try {
    await onPage(browser, server.address, DESKTOP, async (page) => {
      let worst = 0;
      for (const [i, [changes, bend]] of [[[], 0], [[], 0.4], [CASE, 0.4], [CASE, 0.9]].entries())
        worst = Math.max(worst, difference(mine[i], await ask(page, changes, bend)));
      console.log(`answers equal to ${worst}`);
      assert.ok(worst < 1e-6);
    });
  } finally {
    server.stop();
  }
});

test("the hand of strands lives in the page: activations move it, the controller follows a target", { skip }, async () => {
  const file = write("hand.html", "hand", "--no-skin");
  await offline(file, async (page) => {
    await page.waitForFunction(() => window.studio.liveMode.link.received > 3, null, { timeout: 60000 });
    const flexor = await page.evaluate(() => {
      const { data, liveMode } = window.studio;
      const muscle = data.muscles.indexOf("FDP2");
      liveMode.drive(muscle, 0.4);
      return muscle;
    });
    await page.waitForFunction((m) => window.studio.frame.activation[m] > 0.39 && window.studio.frame.time > 0.3, flexor, { timeout: 60000 });
    const bent = await page.evaluate(() => {
      const { data, frame } = window.studio;
      return frame.coordinates[data.coordinates.findIndex((c) => c.name.startsWith("pip2"))];
    });
    assert.ok(bent > 0.1, `the flexor bends the finger: ${bent}`);
    const factor = await page.evaluate(() => window.studio.liveMode.link.state.factor);
    console.log(`live hand: ${factor.toFixed(2)} of real time, picture drawn by software on the same cores`);
    await redrawn(page);
    await page.screenshot({ path: join(shots, "solver-hand.png") });
  });
});

test("an exported replay has its solver beside it", { skip }, async () => {
  const run = (...words) => execFileSync(join(buildDir, "sinew"), words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  run("track", "hand-clinical", "pinch", "-o", "pinch");
  run("export", "pinch.replay.xml", "--to", "html", "--live");
  assert.throws(() => run("export", "pinch.replay.xml", "--to", "csv", "--live"), /--live needs --to html/);
  await offline(join(folder, "pinch.html"), async (page) => {
    assert.ok(await page.evaluate(() => window.studio.player.replay.count) > 10);
    await page.locator("#mode-clinic").click();
    await page.waitForFunction(() => window.studio.clinic.answer?.final, null, { timeout: 60000 });
    assert.match(await page.locator("body").innerText(), /simulated in this page/);
  });
});

test("a module that is damaged is said, and the page stays", { skip }, async () => {
  const file = write("whole.html", "hand-clinical");
  const text = readFileSync(file, "utf8").replace(/(id="sinew-core"[^>]*>.{2000}).{400}/s, (_, begin) => begin + "A".repeat(400));
  const broken = join(folder, "broken.html");
  writeFileSync(broken, text);
  await offline(broken, async (page) => {
    await page.waitForFunction(() => document.documentElement.dataset.solver, null, { timeout: 60000 });
    const said = await page.evaluate(() => document.documentElement.dataset.solver);
    assert.match(said, /damaged/);
    assert.match(await page.locator("body").innerText(), /the simulation stopped: the compressed data is damaged/);
  });
});
