// One curve over time with a cursor: the whole replay, or the last seconds of the live simulation.

import { cssVar, el, pretty, sharpContext } from "./dom";

/** Times and values, oldest first. */
export interface Series {
  times: ArrayLike<number>;
  at(i: number): number;
  count: number;
}

export interface PlotOptions {
  title: string;
  unit: string;
  /** fixed range, else from the data */
  range?: () => [number, number];
  /** called with a time when the reader points at one */
  seek?: (time: number) => void;
}

const PAD = 6;

export class Plot {
  readonly node: HTMLElement;
  private readonly canvas = el("canvas", { class: "curve", role: "img" });
  private readonly value = el("output", { class: "value" });
  private readonly extent = el("span", { class: "extent" });
  private series: Series | null = null;
  private from = 0;
  private to = 1;

  constructor(private readonly options: PlotOptions) {
    this.node = el(
      "figure",
      { class: "plot" },
      el("figcaption", {}, el("span", { class: "plot-title" }, options.title), this.value, this.extent),
      this.canvas,
    );
    this.canvas.addEventListener("pointerdown", (e) => this.point(e));
    this.canvas.addEventListener("pointermove", (e) => e.buttons && this.point(e));
  }

  private point(event: PointerEvent): void {
    const box = this.canvas.getBoundingClientRect();
    const f = Math.min(Math.max((event.clientX - box.left - PAD) / (box.width - 2 * PAD), 0), 1);
    this.options.seek?.(this.from + f * (this.to - this.from));
  }

  setSeries(series: Series | null): void {
    this.series = series;
  }

  draw(now: number, current: number, from: number, to: number): void {
    this.from = from;
    this.to = to > from ? to : from + 1;
    this.value.textContent = `${pretty(current)}${this.options.unit ? " " + this.options.unit : ""}`;
    const sharp = sharpContext(this.canvas);
    const [low, high] = this.range();
    this.extent.textContent = this.series ? `${pretty(low)} – ${pretty(high)}` : "";
    this.canvas.setAttribute(
      "aria-label",
      `${this.options.title} ${pretty(current)} ${this.options.unit}, between ${pretty(low)} and ${pretty(high)}`,
    );
    if (sharp) this.paint(sharp.c, sharp.w, sharp.h, now, current, low, high);
  }

  private range(): [number, number] {
    if (this.options.range) return this.options.range();
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; this.series && i < this.series.count; i++) {
      const v = this.series.at(i);
      if (v < low) low = v;
      if (v > high) high = v;
    }
    if (!(high >= low)) return [0, 1];
    return high - low < 1e-9 ? [low - 0.5, high + 0.5] : [low, high];
  }

  private paint(c: CanvasRenderingContext2D, w: number, h: number, now: number, current: number, low: number, high: number): void {
    const x = (t: number) => PAD + ((t - this.from) / (this.to - this.from)) * (w - 2 * PAD);
    const y = (v: number) => h - PAD - ((v - low) / (high - low)) * (h - 2 * PAD);
    c.strokeStyle = cssVar("--line");
    c.lineWidth = 1;
    c.beginPath();
    for (const v of [low, (low + high) / 2, high]) {
      c.moveTo(PAD, Math.round(y(v)) + 0.5);
      c.lineTo(w - PAD, Math.round(y(v)) + 0.5);
    }
    c.stroke();
    if (this.series && this.series.count > 0) this.paintCurve(c, x, y, h);
    const cx = Math.min(Math.max(x(now), PAD), w - PAD);
    c.strokeStyle = cssVar("--ink");
    c.globalAlpha = 0.55;
    c.beginPath();
    c.moveTo(cx, 0);
    c.lineTo(cx, h);
    c.stroke();
    c.globalAlpha = 1;
    c.fillStyle = cssVar("--accent");
    c.beginPath();
    c.arc(cx, Math.min(Math.max(y(current), PAD), h - PAD), 3.5, 0, 2 * Math.PI);
    c.fill();
  }

  private paintCurve(c: CanvasRenderingContext2D, x: (t: number) => number, y: (v: number) => number, h: number): void {
    const s = this.series!;
    c.beginPath();
    for (let i = 0; i < s.count; i++) c.lineTo(x(s.times[i]), y(s.at(i)));
    c.strokeStyle = cssVar("--accent");
    c.lineWidth = 1.75;
    c.lineJoin = "round";
    c.stroke();
    c.lineTo(x(s.times[s.count - 1]), h - PAD);
    c.lineTo(x(s.times[0]), h - PAD);
    c.closePath();
    c.globalAlpha = 0.12;
    c.fillStyle = cssVar("--accent");
    c.fill();
    c.globalAlpha = 1;
  }
}
