// Chromium for the tests: found on the PATH, its headless shell first (half the work of the whole browser), quiet, with a profile of its own that is removed afterwards, and with
// every console message and uncaught error collected.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join, resolve } from "node:path";

const modules = resolve(process.env.SINEW_NODE_MODULES ?? "studio/node_modules");
const { chromium } = createRequire(join(modules, "x.js"))("playwright-core");

export const buildDir = resolve(process.env.SINEW_BUILD_DIR ?? "build");
export const shots = join(buildDir, "studio", "screenshots");
mkdirSync(shots, { recursive: true });

export function findChromium() {
  for (const name of ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      const file = join(folder, name);
      try {
        accessSync(file, constants.X_OK);
        return file;
      } catch {
        // Not here.
      }
    }
  return null;
}

/** smooth: with smooth edges, for pictures to be shown. Tests do without: drawing by software takes half the time then. */
export async function launch({ smooth = false } = {}) {
  const executablePath = findChromium();
  if (!executablePath) return null;
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
      "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      ...(smooth ? [] : ["--webgl-antialiasing-mode=none", "--webgl-msaa-sample-count=0"]),
    ],
  });
}

/** Starts `sinew studio` with these words; gives its address, and how to end it. */
export async function serve(...words) {
  const child = spawn(join(buildDir, "sinew"), ["studio", ...words, "--port", "0", "--timeout", "300"]);
  let said = "";
  const address = await new Promise((resolve, reject) => {
    child.stdout.on("data", (d) => {
      said += d;
      const found = said.match(/http:\/\/\S+/);
      if (found) resolve(found[0]);
    });
    child.stderr.on("data", (d) => (said += d));
    child.on("exit", (code) => reject(new Error(`sinew studio ended with ${code}: ${said}`)));
  });
  return { address, stop: () => child.kill("SIGINT") };
}

/** A page of a size, with the troubles that it reported. */
export async function openPage(browser, { width, height, ...options }) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = await context.newPage();
  const troubles = [];
  page.on("console", (m) => {
    if (["error", "warning"].includes(m.type()) && !/GPU stall|swiftshader|Software WebGL/i.test(m.text())) troubles.push(`${m.type()}: ${m.text()}`);
  });
  page.on("pageerror", (e) => troubles.push(`uncaught: ${e.message}`));
  return { page, context, troubles };
}

/** Runs a body on the page at an address and expects no console trouble. */
export async function onPage(browser, address, options, body) {
  const { page, context, troubles } = await openPage(browser, options);
  try {
    await page.goto(address);
    assert.equal(await ready(page), "true");
    await body(page);
    assert.deepEqual(troubles, []);
  } finally {
    await context.close();
  }
}

export async function ready(page) {
  await page.waitForFunction(() => document.documentElement.dataset.ready, null, { timeout: 60000 });
  const state = await page.evaluate(() => document.documentElement.dataset.ready);
  if (state === "true") await page.waitForFunction(() => window.studio.view.drawn > 0, null, { timeout: 60000 });
  return state;
}

/** Waits until the picture has been drawn again after what was just done. */
export async function redrawn(page) {
  const before = await page.evaluate(() => (window.studio.view.request(), window.studio.view.drawn));
  await page.waitForFunction((n) => window.studio.view.drawn > n, before, { timeout: 60000 });
}

/** Processor time of a process and all below it, s. */
export function spent(root) {
  const all = readdirSync("/proc").filter((n) => /^\d+$/.test(n)).flatMap((n) => {
    try {
      const f = readFileSync(`/proc/${n}/stat`, "latin1").replace(/^.*\) /s, "").split(" ");
      return [{ pid: Number(n), parent: Number(f[1]), time: (Number(f[11]) + Number(f[12])) / 100 }];
    } catch {
      return [];
    }
  });
  const own = new Set([root]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const p of all) if (own.has(p.parent) && !own.has(p.pid)) (own.add(p.pid), (grown = true));
  }
  return all.filter((p) => own.has(p.pid)).reduce((sum, p) => sum + p.time, 0);
}
