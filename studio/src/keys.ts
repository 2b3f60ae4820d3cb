// Key poses: what the reader sets or records in the live mode, as a motion file that every command takes.

import type { Coordinate } from "./data";
import { announce, el } from "./dom";

export interface Key {
  time: number;
  values: number[];
}

/** Degrees (0.1) or tenths of a millimetre: how far a recording may be off after thinning. */
const TOLERANCE = { rad: (0.1 * Math.PI) / 180, m: 1e-4 };
/** s between keys that are set one after the other, and between samples of a recording */
const APART = 0.5;
const SAMPLE = 0.02;
/** The least time between two keys, s: what motion files allow. */
const LEAST = 0.001;

/** Keeps the samples that straight lines between the kept ones would miss. */
export function thin(samples: Key[], coordinates: Coordinate[]): Key[] {
  const keep = new Set([0, samples.length - 1]);
  const spans: [number, number][] = [[0, samples.length - 1]];
  while (spans.length) {
    const [a, b] = spans.pop()!;
    let worst = 1;
    let at = -1;
    for (let i = a + 1; i < b; ++i) {
      const t = (samples[i].time - samples[a].time) / (samples[b].time - samples[a].time);
      for (let c = 0; c < coordinates.length; ++c) {
        const line = (1 - t) * samples[a].values[c] + t * samples[b].values[c];
        const off = Math.abs(samples[i].values[c] - line) / TOLERANCE[coordinates[c].unit];
        if (off > worst) (worst = off), (at = i);
      }
    }
    if (at < 0) continue;
    keep.add(at);
    spans.push([a, at], [at, b]);
  }
  return samples.filter((_, i) => keep.has(i));
}

/** NAME.pose.csv: every coordinate times 180 / pi, which is what the reader divides by. */
export function poseCsv(coordinates: Coordinate[], keys: Key[]): string {
  const sorted = [...keys].sort((a, b) => a.time - b.time);
  const number = (v: number) => String(Number(((v * 180) / Math.PI).toFixed(4)));
  const rows = sorted.map((k) => [Number(k.time.toFixed(4)), ...k.values.map(number)].join(","));
  const name = (c: Coordinate) => (c.motion ? `${c.joint}.${c.motion.replace(/ /g, "_")}` : c.name);
  return [`time,${coordinates.map(name).join(",")}`, ...rows, ""].join("\n");
}

export class Keys {
  readonly keys: Key[] = [];
  private samples: Key[] | null = null;
  private readonly list = el("ol", { class: "keys-list", id: "key-list", "aria-label": "Keys" });
  private readonly note = el("p", { class: "hint", id: "key-note", role: "status" });
  private readonly record = el("button", { type: "button", class: "chip", id: "key-record", "aria-pressed": "false", title: "Record how the bones move; press again to stop" }, "Record");
  private readonly save = el("button", { type: "button", class: "chip", id: "key-save", title: "As a motion for sinew track and sinew motions --add" }, "Download the poses");

  constructor(
    private readonly name: string,
    private readonly coordinates: Coordinate[],
    /** what the sliders show: the target where it is followed, else where the bones are */
    private readonly pose: () => number[],
  ) {}

  build(): HTMLElement {
    const set = el("button", { type: "button", class: "chip", id: "key-pose", title: "Put the pose that the sliders show into the list (K)" }, "Key this pose");
    set.addEventListener("click", () => this.add());
    this.record.addEventListener("click", () => this.toggle());
    this.save.addEventListener("click", () => this.download());
    this.show();
    return el("section", { class: "keys-panel", "aria-label": "Key poses" }, el("h3", {}, "Key poses"), el("div", { class: "chips" }, set, this.record, this.save), this.list, this.note);
  }

  add(): void {
    const last = this.keys.reduce((t, k) => Math.max(t, k.time), -APART);
    this.keys.push({ time: last + APART, values: this.pose() });
    this.show();
    announce(`Key ${this.keys.length} at ${(last + APART).toFixed(2)} seconds`);
  }

  /** Of every snapshot: the time of the simulation and where the bones are. */
  sample(time: number, values: ArrayLike<number>): void {
    const samples = this.samples;
    if (!samples) return;
    const last = samples[samples.length - 1];
    if (last && time < last.time) return this.toggle(); // it was reset
    if (!last || time - last.time >= SAMPLE - 1e-9) samples.push({ time, values: Array.from(values) });
  }

  private toggle(): void {
    let said = "";
    if (!this.samples) {
      this.samples = [];
      announce("Recording");
    } else {
      const samples = this.samples;
      this.samples = null;
      if (samples.length > 1) {
        const last = this.keys.reduce((t, k) => Math.max(t, k.time), -APART);
        const shift = last + APART - samples[0].time;
        const kept = thin(samples, this.coordinates).map((k) => ({ time: k.time + shift, values: k.values }));
        this.keys.push(...kept);
        announce(`Recorded ${kept.length} keys`);
      } else said = "Nothing was recorded: the simulation stood still";
    }
    this.record.setAttribute("aria-pressed", String(this.samples !== null));
    this.show(said);
  }

  /** The list, and below it what was just said or what there is. */
  private show(said = ""): void {
    this.keys.sort((a, b) => a.time - b.time);
    this.list.replaceChildren(...this.keys.map((key, i) => this.row(key, i)));
    this.save.disabled = this.keys.length < 2;
    if (said) announce(said);
    if (said || this.samples) this.note.textContent = said || "Recording. Press Record again to stop.";
    else this.note.textContent = this.keys.length < 2 ? "A motion needs at least two keys." : `${this.keys.length} keys, ${(this.keys[this.keys.length - 1].time - this.keys[0].time).toFixed(2)} s`;
  }

  private row(key: Key, i: number): HTMLElement {
    const time = el("input", { type: "number", min: 0, step: 0.05, value: Number(key.time.toFixed(3)), "aria-label": `Time of key ${i + 1}, seconds` });
    const gone = el("button", { type: "button", class: "icon tiny", "aria-label": `Remove key ${i + 1}`, title: "Remove" }, "×");
    time.addEventListener("change", () => {
      const wanted = Math.max(0, Number(time.value) || 0);
      const taken = this.keys.some((k) => k !== key && Math.abs(k.time - wanted) < LEAST);
      if (!taken) key.time = wanted;
      this.show(taken ? `There is a key at ${wanted.toFixed(2)} s already` : "");
    });
    gone.addEventListener("click", () => {
      this.keys.splice(this.keys.indexOf(key), 1);
      this.show();
      announce(`Key ${i + 1} removed`);
    });
    return el("li", {}, el("label", {}, time, " s"), gone);
  }

  private download(): void {
    const first = Math.min(...this.keys.map((k) => k.time));
    const text = poseCsv(this.coordinates, this.keys.map((k) => ({ ...k, time: k.time - first })));
    const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    const link = el("a", { href: url, download: `${this.name || "motion"}.pose.csv`.replace(/[^\w.-]+/g, "_") });
    document.body.append(link);
    link.click();
    link.remove();
    window.setTimeout(() => URL.revokeObjectURL(url), 10000);
    announce("Downloaded the poses");
  }
}
