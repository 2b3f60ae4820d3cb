// Poses are keyed and recorded in the live mode; the file that is downloaded is a motion that sinew tracks.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { buildDir, launch, onPage, serve, shots } from "./browser.mjs";

const sinew = join(buildDir, "sinew");
const folder = mkdtempSync(join(tmpdir(), "sinew-keys-"));
let browser, server;

before(async () => {
  server = await serve("finger");
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const receives = (page) => page.waitForFunction(() => window.studio.liveMode.link.state.sequence > 2, null, { timeout: 60000 });

/** Moves the slider of a coordinate, and waits until the simulation has heard of it. */
async function aim(page, coordinate, value) {
  await page.locator(`input[data-coordinate="${coordinate}"]`).evaluate((input, v) => {
    input.value = v;
    input.dispatchEvent(new Event("input"));
  }, value);
  await page.waitForFunction(([c, v]) => Math.abs(window.studio.liveMode.link.state.goals[c] - v) < 0.02, [coordinate, value], { timeout: 60000 });
}

async function downloaded(page) {
  const [got] = await Promise.all([page.waitForEvent("download"), page.locator("#key-save").click()]);
  assert.equal(got.suggestedFilename(), "finger.pose.csv");
  return readFileSync(await got.path(), "utf8");
}

test("keys become a motion that is tracked", { timeout: 280000 }, async (t) => {
  if (!browser) return t.skip("no Chromium");
  await onPage(browser, server.address, { width: 1100, height: 760 }, async (page) => {
    await receives(page);
    assert.ok(await page.locator("#key-save").isDisabled());
    await page.locator("#key-pose").click();
    await aim(page, 2, 0.6);
    await page.locator("#key-pose").click();
    await aim(page, 2, 0);
    await page.locator("#canvas").focus();
    await page.keyboard.press("k");
    assert.equal(await page.locator("#key-list li").count(), 3);
    const second = page.locator("#key-list input").nth(1);
    await second.fill("0.4");
    await second.press("Enter");
    // A time that is taken is refused, and the page says so.
    await second.fill("1");
    await second.press("Enter");
    assert.equal(await page.locator("#key-note").textContent(), "There is a key at 1.00 s already");
    assert.equal(await second.inputValue(), "0.4");
    await page.screenshot({ path: join(shots, "keys.png") });

    const text = await downloaded(page);
    const rows = text.trim().split("\n").map((r) => r.split(","));
    assert.deepEqual(rows[0], ["time", "MCP.flexion", "MCP.deviation", "PIP.flexion", "DIP.flexion"]);
    assert.deepEqual(rows.slice(1).map((r) => Number(r[0])), [0, 0.4, 1]);
    assert.ok(Math.abs(Number(rows[2][3]) - (0.6 * 180) / Math.PI) < 1.5, rows[2][3]);
    const file = join(folder, "finger.pose.csv");
    writeFileSync(file, text);
    execFileSync(sinew, ["track", "finger", file, "-o", join(folder, "out"), "--quiet"]);
    assert.match(readFileSync(join(folder, "out.replay.xml"), "utf8"), /<Replay/);

    await page.getByRole("button", { name: "Remove key 3" }).click();
    assert.equal(await page.locator("#key-list li").count(), 2);
  });
});

test("a recording is thinned to keys", { timeout: 280000 }, async (t) => {
  if (!browser) return t.skip("no Chromium");
  await onPage(browser, server.address, { width: 1100, height: 760 }, async (page) => {
    await receives(page);
    await page.locator("#key-record").click();
    assert.match(await page.locator("#key-note").textContent(), /^Recording/);
    const from = await page.evaluate(() => window.studio.liveMode.link.frame.time);
    await aim(page, 2, 0.5);
    await page.waitForFunction((t) => window.studio.liveMode.link.frame.time > t + 0.6, from, { timeout: 120000 });
    await page.locator("#key-record").click();
    const count = await page.locator("#key-list li").count();
    assert.ok(count >= 2 && count < 40, `${count} keys`);
    const rows = (await downloaded(page)).trim().split("\n").slice(1).map((r) => r.split(",").map(Number));
    assert.equal(rows.length, count);
    for (let i = 1; i < rows.length; ++i) assert.ok(rows[i][0] > rows[i - 1][0]);
    assert.ok(Math.max(...rows.map((r) => r[3])) > 8, "the finger was seen to bend");
  });
});
