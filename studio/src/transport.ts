// The bar below: play, step, speed and a timeline whose ground is the activation of every muscle over time.

import type { StudioData } from "./data";
import { byId, cssVar, el, sharpContext } from "./dom";
import { SPEEDS, type Player } from "./player";
import { rampLinear, rampShare } from "./ramp";

function icon(path: string): SVGSVGElement {
  const ns = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(ns, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const p = document.createElementNS(ns, "path");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
}

export const ICONS = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM13 5h4v14h-4z",
  back: "M16 5v14l-9-7zM5 5h2v14H5z",
  forward: "M8 5v14l9-7zM17 5h2v14h-2z",
  reset: "M12 5V1L7 6l5 5V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z",
};

export function button(label: string, path: string, title: string, click: () => void, id?: string): HTMLButtonElement {
  const b = el("button", { type: "button", class: "icon", "aria-label": label, title, id }, icon(path));
  b.addEventListener("click", click);
  return b;
}

export function setIcon(b: HTMLButtonElement, label: string, path: string): void {
  if (b.getAttribute("aria-label") === label) return;
  b.setAttribute("aria-label", label);
  b.replaceChildren(icon(path));
}

const seconds = (t: number) => t.toFixed(2);

export class Transport {
  private readonly range: HTMLInputElement;
  private readonly ground = el("canvas", { class: "ground", "aria-hidden": "true" });
  private readonly head = el("span", { class: "head", "aria-hidden": "true" });
  private readonly clock = el("output", { class: "clock", id: "clock" });
  private readonly play: HTMLButtonElement;
  private readonly speed = el("select", { id: "speed", "aria-label": "Speed" });
  private image: HTMLCanvasElement | null = null;
  private selected = -1;

  constructor(
    private readonly data: StudioData,
    private readonly player: Player,
  ) {
    this.range = el("input", {
      type: "range", id: "timeline", min: player.start, max: player.end, step: "any", value: player.start,
      "aria-label": "Time",
    });
    this.range.addEventListener("input", () => player.seek(Number(this.range.value)));
    this.play = button("Play", ICONS.play, "Play or pause (space)", () => player.toggle(), "play");
    this.play.classList.add("main");
    for (const s of SPEEDS) this.speed.append(el("option", { value: s }, `${s}×`));
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    this.image = this.makeImage();
    new ResizeObserver(() => this.paint()).observe(this.ground);
  }

  mount(): void {
    byId("transport").replaceChildren(
      el(
        "div",
        { class: "keys", role: "group", "aria-label": "Playback" },
        button("One frame back", ICONS.back, "One frame back (←)", () => this.player.step(-1), "step-back"),
        this.play,
        button("One frame forward", ICONS.forward, "One frame forward (→)", () => this.player.step(1), "step-on"),
      ),
      el("div", { class: "track" }, this.ground, this.head, this.range),
      el("div", { class: "times" }, this.clock, this.speed),
    );
    this.update(); // the ground is painted once its size is known
  }

  /** One column per frame, one row per muscle. */
  private makeImage(): HTMLCanvasElement | null {
    const { replay, muscles } = this.data;
    if (!replay || !muscles.length) return null;
    const step = Math.max(1, Math.ceil(replay.count / 1200));
    const w = Math.ceil(replay.count / step);
    const canvas = el("canvas", { width: w, height: muscles.length });
    const c = canvas.getContext("2d")!;
    const image = c.createImageData(w, muscles.length);
    const rgb = [0, 0, 0];
    for (let m = 0; m < muscles.length; m++)
      for (let x = 0; x < w; x++) {
        rampLinear(replay.activation[x * step * muscles.length + m], rgb);
        const o = 4 * (m * w + x);
        for (let k = 0; k < 3; k++) image.data[o + k] = 255 * Math.min(rgb[k], 1) ** (1 / 2.2);
        image.data[o + 3] = 255;
      }
    c.putImageData(image, 0, 0);
    return canvas;
  }

  select(strand: number): void {
    this.selected = strand;
    this.paint();
  }

  /** The scale of colours has changed. */
  rescale(): void {
    this.image = this.makeImage();
    this.paint();
  }

  /** Heat of all muscles; with one selected, its curve before a faint ground. */
  paint(): void {
    const sharp = sharpContext(this.ground);
    if (!sharp || !this.image) return;
    const { c, w, h } = sharp;
    const muscle = this.selected >= 0 ? this.data.strands[this.selected].muscle : -1;
    c.imageSmoothingEnabled = true;
    c.globalAlpha = muscle >= 0 ? 0.3 : 0.9;
    c.drawImage(this.image, 0, 0, w, h);
    c.globalAlpha = 1;
    if (muscle < 0) return;
    const r = this.data.replay!;
    c.beginPath();
    for (let i = 0; i < r.count; i++) {
      const x = ((r.times[i] - r.times[0]) / (this.player.end - this.player.start || 1)) * w;
      c.lineTo(x, h - 2 - rampShare(r.activation[i * this.data.muscles.length + muscle]) * (h - 4));
    }
    c.strokeStyle = cssVar("--ink");
    c.lineWidth = 1.75;
    c.lineJoin = "round";
    c.stroke();
  }

  update(): void {
    const p = this.player;
    this.range.value = String(p.time);
    this.range.setAttribute("aria-valuetext", `${seconds(p.time)} of ${seconds(p.end)} seconds, frame ${p.frame + 1}`);
    const f = (p.time - p.start) / (p.end - p.start || 1);
    this.head.style.left = `${(100 * f).toFixed(3)}%`;
    this.clock.textContent = `${seconds(p.time)} / ${seconds(p.end)} s`;
    this.speed.value = String(p.speed);
    setIcon(this.play, p.playing ? "Pause" : "Play", p.playing ? ICONS.pause : ICONS.play);
  }
}
