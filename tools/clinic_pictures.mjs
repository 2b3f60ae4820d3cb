// Makes the pictures of docs/tutorial-therapist.md and docs/tutorial-tired-hand.md with the page that was built:
//
//     SINEW_NODE_MODULES=build/studio/npm/node_modules node tools/clinic_pictures.mjs docs/images
//
// Needs Chromium, as the tests of the page do.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { buildDir, launch, openPage, ready, redrawn } from "../tests/studio/browser.mjs";

const out = resolve(process.argv[2] ?? "docs/images");
const sinew = join(buildDir, "sinew");
const SIZE = { width: 1200, height: 760 };

async function shot(page, name) {
  await page.waitForTimeout(1200);
  await redrawn(page);
  await page.mouse.move(1, 1);
  await page.evaluate(() => document.activeElement?.blur());
  await page.screenshot({ path: join(out, `${name}.png`) });
}

async function therapist(browser) {
  const server = spawn(sinew, ["studio", "hand-clinical", "--port", "0", "--timeout", "300"]);
  const address = await new Promise((done) => server.stdout.on("data", (d) => /http:\S+/.test(d) && done(String(d).match(/http:\S+/)[0])));
  const { page } = await openPage(browser, SIZE);
  await page.goto(address);
  await ready(page);
  await page.click("[data-pose=fist]");
  await shot(page, "therapist-1");
  await page.selectOption("#nerve", "ulnar-high");
  await shot(page, "therapist-2");
  await page.selectOption("#nerve", "ulnar-low");
  await page.click("[data-pose=spread]");
  await page.click("#side-dorsal");
  for (const key of ["o", "l"]) await page.keyboard.press(key);
  await shot(page, "therapist-3");
  for (const key of ["o", "l"]) await page.keyboard.press(key);
  await page.click("#explorer summary");
  await page.selectOption("#explore-what", { label: "Each tendon transfer to one muscle" });
  await page.selectOption("#explore-to", "DI1");
  await page.waitForSelector('.ranked button[aria-label*="EI to DI1"]');
  await page.evaluate(() => document.getElementById("explorer").scrollIntoView());
  await shot(page, "therapist-4");
  await page.click('.ranked button[aria-label*="EI to DI1"]');
  await page.click("#explorer summary");
  await page.keyboard.press("h");
  await page.keyboard.press("h");
  await page.evaluate(() => document.querySelector(".verdicts").scrollIntoView());
  await shot(page, "therapist-5");
  await page.context().close();
  server.kill("SIGINT");
}

const KEYS = `# Open, close, hold, open: four coarse keys.
time,mcp2.flexion,pip2.flexion,dip2.flexion,mcp3.flexion,pip3.flexion,dip3.flexion,mcp4.flexion,pip4.flexion,dip4.flexion,mcp5.flexion,pip5.flexion,dip5.flexion
0,0,10,5,0,10,5,0,10,5,0,10,5
0.6,60,70,40,65,75,40,65,75,40,60,70,40
1.8,60,70,40,65,75,40,65,75,40,60,70,40
2.4,0,10,5,0,10,5,0,10,5,0,10,5
`;

async function animator(browser) {
  const folder = mkdtempSync(join(tmpdir(), "sinew-pictures-"));
  const run = (...words) => execFileSync(sinew, [...words, "--quiet"], { cwd: folder });
  writeFileSync(join(folder, "squeeze.pose.csv"), KEYS);
  const loads = [2, 3, 4, 5].flatMap((d) => ["--load", `mp${d}=0,0,18`]);
  run("track", "hand-clinical", "squeeze.pose.csv", "-o", "squeeze", "--method", "step");
  run("track", "hand-clinical", "squeeze.pose.csv", "-o", "long", "--method", "step", ...loads, "--fatigue", "--repeat", "40", "--rest", "0.5");
  run("plot", "long.sto", "--muscle", "FDS*,ECU", "-o", join(out, "tired-hand-2.png"));
  for (const [replay, name, time] of [["squeeze.replay.xml", "tired-hand-1", 0.3], ["long.replay.xml", "tired-hand-3", 39 * 2.9 + 1.2]]) {
    const file = join(folder, `${name}.html`);
    run("studio", "hand-clinical", replay, "--target", "squeeze.pose.csv", "--save", file);
    const { page } = await openPage(browser, SIZE);
    await page.goto(pathToFileURL(file).href);
    await ready(page);
    if (name === "tired-hand-3") await page.click("#layer-target"); // the keys are those of one repetition
    await page.evaluate((t) => window.studio.player.seek(Math.min(t, window.studio.player.end)), time);
    await shot(page, name);
    await page.context().close();
  }
  rmSync(folder, { recursive: true, force: true });
}

const browser = await launch({ smooth: true });
if (!browser) throw new Error("no Chromium found");
await therapist(browser);
await animator(browser);
await browser.close();
