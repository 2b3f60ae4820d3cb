// The colour of an activation, in two ways. Anatomy: a muscle is red at rest and glows as it works. Activation: a scale
// of many colours. There lightness rises linearly in OKLab from indigo through red to amber, so that the order
// survives every kind of colour blindness and a grey print; both ends keep their distance from a light and from a dark
// page. The scale is that of the square root: in ordinary motions most muscles work at a few per cent, and the
// difference between nothing and a little matters more than that between much and very much. It ends at a round value
// above the largest activation of the motion, or at 1; the legend has the ticks.

const STOPS = 64;

function oklchToLinear(l: number, c: number, hueDegrees: number): [number, number, number] {
  const h = (hueDegrees * Math.PI) / 180;
  const a = c * Math.cos(h);
  const b = c * Math.sin(h);
  const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s3 = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clamp = (x: number) => Math.min(Math.max(x, 0), 1);
  return [
    clamp(4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3),
    clamp(-1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3),
    clamp(-0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3),
  ];
}

import type { Palette, Rgb } from "./data";

export type Colours = "anatomy" | "activation";

/** Linear-light RGB, STOPS entries of three. */
const SCALE: Float32Array = (() => {
  const table = new Float32Array(3 * STOPS);
  for (let i = 0; i < STOPS; i++) {
    const t = i / (STOPS - 1);
    const hue = 268 + t * (438 - 268); // blue, violet, red, orange, amber (78)
    table.set(oklchToLinear(0.43 + 0.41 * t, 0.125 + 0.05 * Math.sin(Math.PI * t) + 0.02 * t, hue), 3 * i);
  }
  return table;
})();

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const anatomy = new Float32Array(3 * STOPS);
/** linear light */
export const tendon: Rgb = [0.85, 0.79, 0.67];
let colours: Colours = "anatomy";

/** The model's own colours of muscle, muscle at work and tendon. */
export function setPalette(palette: Palette): void {
  for (let i = 0; i < STOPS; i++)
    for (let k = 0; k < 3; k++) {
      const t = i / (STOPS - 1);
      anatomy[3 * i + k] = linear(palette.muscle[k] * (1 - t) + palette.active[k] * t);
    }
  palette.tendon.forEach((c, k) => (tendon[k] = linear(c)));
}

export function rampColours(): Colours {
  return colours;
}

/** All that is coloured must be drawn again afterwards. */
export function setColours(value: Colours): void {
  colours = value;
}

/** Ends that the scale may have; a quarter of each is round too. */
export const TOPS = [0.02, 0.04, 0.08, 0.12, 0.2, 0.4, 0.6, 1];
let top = 1;

/** The smallest end that a level fits below. */
export function topFor(level: number): number {
  return TOPS.find((t) => t >= level) ?? 1;
}

export function rampTop(): number {
  return top;
}

/** All that is coloured must be drawn again afterwards. */
export function setRampTop(value: number): void {
  top = value;
}

/** What share of the scale a level is, 0 to 1. */
export function rampShare(level: number): number {
  return Math.min(Math.max(level / top, 0), 1);
}

/** Where a level stands on the scale of colours, 0 to 1. */
export function rampPlace(level: number): number {
  return Math.sqrt(rampShare(level));
}

/** Writes the linear colour of a level into out at o. */
export function rampLinear(level: number, out: Float32Array | number[], o = 0): void {
  const x = rampPlace(level) * (STOPS - 1);
  const i = Math.min(Math.floor(x), STOPS - 2);
  const f = x - i;
  const table = colours === "anatomy" ? anatomy : SCALE;
  for (let k = 0; k < 3; k++) out[o + k] = table[3 * i + k] * (1 - f) + table[3 * i + 3 + k] * f;
}

const encode = (x: number) => Math.round(255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055));

export function rampCss(level: number): string {
  const c = [0, 0, 0];
  rampLinear(level, c);
  return `rgb(${encode(c[0])}, ${encode(c[1])}, ${encode(c[2])})`;
}
