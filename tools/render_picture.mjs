// Renders a moment of a motion from a page that `sinew export --to html` wrote. The picture of the README is made by
//   build/sinew track hand fist -o hand && build/sinew export hand.replay.xml --to html
//   node tools/render_picture.mjs hand.html docs/images/hand.png 0 0.75 1.6 --from 0.55,0.1,1 --at 0.015,-0.05,-0.02 --zoom 1.25
// and those of the tutorial by tools/make_tutorial.py. Flags: --size WIDTHxHEIGHT of the picture, --from x,y,z the
// direction from which the whole scene is seen (without it the back of the hand), --at x,y,z what is looked at instead of
// the middle, --show constraints, --zoom FACTOR, --skin OPACITY.
// Needs chromium on the PATH and the node modules that the build of the page brings (SINEW_NODE_MODULES, or
// build/studio/npm/node_modules).
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const top = fileURLToPath(new URL("..", import.meta.url));
process.env.SINEW_NODE_MODULES ??= join(top, "build/studio/npm/node_modules");
process.env.SINEW_BUILD_DIR ??= join(top, "build");
const { launch, openPage, ready, redrawn } = await import("../tests/studio/browser.mjs");

const usage = "usage: render_picture.mjs PAGE.html OUT.png [TIME...] [--size WxH] [--from x,y,z] [--zoom F] [--show LAYER] [--at x,y,z] [--skin OPACITY]\n" +
  "several times stand side by side";
const words = process.argv.slice(2);
/** Takes --NAME VALUE out of the words. */
function flag(name, otherwise) {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
}
const [wide, high] = flag("size", "1280x560").split("x").map(Number);
const from = flag("from", "").split(",").map(Number);
const zoom = Number(flag("zoom", "1"));
const shown = flag("show", "");
const at = flag("at", "").split(",").map(Number);
const skin = Number(flag("skin", "0.35"));
const [file, out, ...rest] = words;
if (!out) {
  console.error(usage);
  process.exit(2);
}
const times = rest.length ? rest.map(Number) : [0, 0.75, 1.6];
const size = { width: wide, height: high };

/** Runs in the page: the view alone, from the back of the hand, thumb side up, at a time. */
function stage({ time, index, count, width, height, shown, skin }) {
  const { view, player } = window.studio;
  const canvas = document.querySelector("canvas");
  const holder = canvas.parentElement;
  holder.style.cssText = `position:fixed;left:0;top:0;width:${width / count}px;height:${height}px;z-index:1000;background:#fbfaf7`;
  for (const other of [...document.querySelectorAll("body *")])
    if (!other.contains(canvas) && other !== canvas) other.style.visibility = "hidden";
  for (const layer of ["grid", "target", "constraints"]) view.show(layer, layer === shown);
  view.setSkinOpacity(skin);
  view.setQuality("best"); // a picture that moves is drawn more cheaply where the machine is slow
  player?.pause();
  player?.seek(time);
  return index;
}

const browser = await launch({ smooth: true });
if (!browser) {
  console.error("render_picture.mjs: no chromium on the PATH");
  process.exit(1);
}
const { page, troubles } = await openPage(browser, { ...size, deviceScaleFactor: 1 });
await page.goto(pathToFileURL(resolve(file)).href);
await ready(page);
const shots = [];
for (const [index, time] of times.entries()) {
  await page.evaluate(stage, { time, index, count: times.length, shown, skin, ...size });
  await page.waitForTimeout(300); // the size of the view follows in its own time
  await page.evaluate(from.length === 3 ? aimFrom : aim, { from, zoom, at });
  await redrawn(page);
  const width = size.width / times.length;
  shots.push((await page.screenshot({ clip: { x: 0, y: 0, width, height: size.height } })).toString("base64"));
}

/** Runs in the page: the camera over the back of the hand. */
function aim() {
  const { view } = window.studio;
  const box = view.bounds;
  const target = box.min.clone().lerp(box.max, 0.5);
  const high = box.max.y - box.min.y;
  target.y = box.min.y + 0.23 * high;
  view.camera.position.set(target.x - 0.3 * high, target.y + 0.1 * high, target.z - 0.8 * high);
  view.camera.lookAt(target);
  view.controls.target.copy(target);
  view.controls.update();
}

/** Runs in the page: the camera looks at the middle of the scene from a direction. */
function aimFrom({ from, zoom, at }) {
  const { view } = window.studio;
  const target = view.bounds.min.clone().lerp(view.bounds.max, 0.5);
  if (at.length === 3) target.set(...at);
  const far = (1.15 * view.bounds.min.distanceTo(view.bounds.max)) / zoom;
  const long = Math.hypot(...from);
  view.camera.position.set(...[target.x, target.y, target.z].map((t, i) => t + (far * from[i]) / long));
  view.camera.lookAt(target);
  view.controls.target.copy(target);
  view.controls.update();
}

const { page: sheet } = await openPage(browser, size); // the studio's page forbids inline styles
await sheet.setContent(`<body style="margin:0;display:flex;background:#fbfaf7">${shots
  .map((s) => `<img style="width:${100 / shots.length}%" src="data:image/png;base64,${s}">`).join("")}`);
await sheet.screenshot({ path: out, clip: { x: 0, y: 0, ...size } });
await browser.close();
if (troubles.length) console.error(troubles.join("\n"));
