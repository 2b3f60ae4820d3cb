// An animated WebP of motions, from pages that `sinew export --to html` wrote. That of the README is made by
//   for m in finger_extension fist; do build/sinew track hand $m -o $m && build/sinew export $m.replay.xml --to html; done
//   node tools/make_animation.mjs docs/images/hand.webp finger_extension.html fist.html --from 0.55,0.1,1 --at 0.015,-0.078,-0.02 --zoom 1.55 --rate 10 --size 560x460 --quality 0.7
// Flags: --size WIDTHxHEIGHT (640x480), --rate frames a second (12), --seconds of the whole (10; the pages share them by
// their length), --from x,y,z the direction seen from, --at x,y,z what is looked at, --zoom FACTOR, --skin OPACITY,
// --quality 0..1 (0.8).
// Needs chromium on the PATH and the node modules that the build of the page brings (as render_picture.mjs does). The
// frames are encoded by the browser; this program only puts them into one file (RIFF: VP8X, ANIM, one ANMF each).
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));
process.env.SINEW_NODE_MODULES ??= join(top, "build/studio/npm/node_modules");
process.env.SINEW_BUILD_DIR ??= join(top, "build");
const { launch, openPage, ready, redrawn } = await import("../tests/studio/browser.mjs");

const words = process.argv.slice(2);
function flag(name, otherwise) {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
}
const numbers = (text) => text.split(/[,x]/).map(Number);
const [width, height] = numbers(flag("size", "640x480"));
const rate = Number(flag("rate", "12"));
const seconds = Number(flag("seconds", "10"));
const from = numbers(flag("from", "0.55,0.1,1"));
const at = numbers(flag("at", "0.01,-0.02,-0.02"));
const zoom = Number(flag("zoom", "1.6"));
const skin = Number(flag("skin", "0.4"));
const quality = Number(flag("quality", "0.8"));
const [out, ...files] = words;
if (!files.length) {
  console.error("usage: make_animation.mjs OUT.webp PAGE.html... [--size WxH] [--rate F] [--seconds S] [--from x,y,z] [--at x,y,z] [--zoom F] [--skin O]");
  process.exit(2);
}

/** Runs in the page: the view alone; its length in seconds. */
function stage({ width, height, skin }) {
  const { view, player } = window.studio;
  const canvas = document.querySelector("canvas");
  canvas.parentElement.style.cssText = `position:fixed;left:0;top:0;width:${width}px;height:${height}px;z-index:1000;background:#fbfaf7`;
  for (const other of [...document.querySelectorAll("body *")])
    if (!other.contains(canvas) && other !== canvas) other.style.visibility = "hidden";
  for (const layer of ["grid", "target", "constraints"]) view.show(layer, false);
  view.setSkinOpacity(skin);
  view.setQuality("best"); // a picture that moves is drawn more cheaply where the machine is slow
  player.pause();
  return window.studio.data.replay.times.at(-1) - window.studio.data.replay.times[0];
}

/** Runs in the page: the camera, once the view has its size. */
function aim({ from, at, zoom }) {
  const { view } = window.studio;
  const long = Math.hypot(...from);
  const far = (1.15 * view.bounds.min.distanceTo(view.bounds.max)) / zoom;
  view.camera.position.set(...at.map((t, i) => t + (far * from[i]) / long));
  view.camera.lookAt(...at);
  view.controls.target.set(...at);
  view.controls.update();
}

/** Runs in a blank page: a PNG as WebP. */
async function encode({ png, width, height, quality }) {
  const image = new Image();
  image.src = `data:image/png;base64,${png}`;
  await image.decode();
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  canvas.getContext("2d").drawImage(image, 0, 0, width, height);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}

function chunk(name, data) {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

/** The picture itself out of a WebP file: its chunks but the header. */
function pictureOf(webp) {
  const parts = [];
  for (let o = 12; o + 8 <= webp.length; ) {
    const size = webp.readUInt32LE(o + 4);
    const name = webp.toString("latin1", o, o + 4);
    if (["VP8 ", "VP8L", "ALPH"].includes(name)) parts.push(chunk(name, webp.subarray(o + 8, o + 8 + size)));
    o += 8 + size + (size % 2);
  }
  return Buffer.concat(parts);
}

function animation(frames) {
  const header = Buffer.alloc(10);
  header[0] = 0x02; // animated
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  const parts = [chunk("VP8X", header), chunk("ANIM", Buffer.alloc(6))]; // loops for ever
  for (const webp of frames) {
    const head = Buffer.alloc(16);
    head.writeUIntLE(width - 1, 6, 3);
    head.writeUIntLE(height - 1, 9, 3);
    head.writeUIntLE(Math.round(1000 / rate), 12, 3);
    head[15] = 0x02; // do not blend with the frame before
    parts.push(chunk("ANMF", Buffer.concat([head, pictureOf(webp)])));
  }
  const body = Buffer.concat([Buffer.from("WEBP", "latin1"), ...parts]);
  return chunk("RIFF", body);
}

const browser = await launch({ smooth: true });
if (!browser) {
  console.error("make_animation.mjs: no chromium on the PATH");
  process.exit(1);
}
const size = { width, height };
const { page: blank } = await openPage(browser, size);
const pages = [];
for (const file of files) {
  const { page } = await openPage(browser, { ...size, deviceScaleFactor: 1 });
  await page.goto(pathToFileURL(resolve(file)).href);
  await ready(page);
  pages.push({ page, length: await page.evaluate(stage, { ...size, skin }) });
}
const whole = pages.reduce((sum, p) => sum + p.length, 0);
const frames = [];
for (const { page, length } of pages) {
  await page.waitForTimeout(300); // the size of the view follows in its own time
  await page.evaluate(aim, { from, at, zoom });
  const count = Math.round((rate * seconds * length) / whole);
  for (let i = 0; i < count; i++) {
    await page.evaluate((t) => window.studio.player.seek(t), (length * i) / count);
    await redrawn(page);
    const png = (await page.screenshot({ clip: { x: 0, y: 0, ...size } })).toString("base64");
    frames.push(Buffer.from(await blank.evaluate(encode, { png, ...size, quality }), "base64"));
  }
}
await browser.close();
const data = animation(frames);
writeFileSync(out, data);
console.log(`${out}: ${frames.length} frames of ${width} x ${height}, ${(frames.length / rate).toFixed(1)} s, ${(data.length / 1e6).toFixed(2)} MB`);
