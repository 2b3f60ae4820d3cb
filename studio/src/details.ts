// The panel of the selected muscle: its numbers as live curves, and what holds it. Without a selection it shows who
// works hardest now.

import type { StudioData } from "./data";
import { byId, el, pretty } from "./dom";
import type { Frame } from "./frame";
import { MARKER_COLORS } from "./markers";
import { Plot, type Series } from "./plot";
import { rampCss, rampShare, rampTop } from "./ramp";

const WINDOW = 8; // s of live history
const TOP = 8;

/** The last seconds of a live run, one ring for all strands. */
class History {
  readonly times: number[] = [];
  private readonly rows: { activation: Float32Array; force: Float32Array; length: Float32Array }[] = [];

  push(frame: Frame): void {
    if (this.times.length && frame.time <= this.times[this.times.length - 1]) this.clear();
    this.times.push(frame.time);
    this.rows.push({ activation: frame.activation.slice(), force: frame.force.slice(), length: frame.length.slice() });
    while (this.times[0] < frame.time - WINDOW) {
      this.times.shift();
      this.rows.shift();
    }
  }

  clear(): void {
    this.times.length = 0;
    this.rows.length = 0;
  }

  series(kind: "activation" | "force" | "length", index: number, scale: number): Series {
    const rows = this.rows;
    return { times: this.times, count: rows.length, at: (i) => scale * rows[i][kind][index] };
  }
}

export class Details {
  private readonly root = byId("details");
  private readonly activation: Plot;
  private readonly force: Plot;
  private readonly length: Plot;
  private readonly history = new History();
  private readonly top: { node: HTMLButtonElement; name: HTMLElement; fill: HTMLElement; value: HTMLElement; strand: number }[] = [];
  private readonly strengths = new Map<number, number>();
  private readonly idle = el("p", { class: "hint", id: "idle", hidden: true });
  private selected = -1;
  private live = false;
  private ranked = 0;
  private later = 0;

  constructor(
    private readonly data: StudioData,
    private readonly events: {
      select(strand: number): void;
      seek(time: number): void;
      isolate(strand: number): void;
      hide(strand: number): void;
      showAll(): void;
      strength(muscle: number, level: number): void;
    },
  ) {
    const seek = (t: number) => !this.live && events.seek(t);
    this.activation = new Plot({ title: "Activation", unit: "", range: () => [0, rampTop()], seek });
    this.force = new Plot({ title: "Force", unit: "N", seek });
    this.length = new Plot({ title: "Length", unit: "mm", seek });
    this.select(-1);
  }

  setLive(live: boolean): void {
    this.live = live;
    this.history.clear();
    this.select(this.selected);
  }

  select(strand: number): void {
    this.selected = strand;
    this.root.replaceChildren(...(strand < 0 ? this.overview() : this.one(strand)));
    if (strand >= 0) this.bind();
  }

  private overview(): Node[] {
    this.top.length = 0;
    const count = Math.min(TOP, this.data.strands.filter((s) => s.muscle >= 0).length);
    for (let i = 0; i < count; i++) {
      const name = el("span", { class: "name" });
      const fill = el("span", { class: "fill" });
      const value = el("span", { class: "level" });
      const meter = el("span", { class: "meter", "aria-hidden": "true" }, fill);
      const node = el("button", { type: "button", class: "pick" }, name, meter, value);
      const entry = { node, name, fill, value, strand: -1 };
      node.addEventListener("click", () => entry.strand >= 0 && this.events.select(entry.strand));
      this.top.push(entry);
    }
    this.ranked = 0;
    const hint = "Click a strand, or choose one in the list, to see its activation, force and length.";
    if (!this.data.strands.length) return [el("p", { class: "hint" }, "Without strands there are no activations, forces or lengths to show.")];
    if (!count) return [el("p", { class: "hint" }, hint)];
    return [
      el("h2", {}, "Most active now"),
      this.idle,
      el("ol", { class: "top" }, ...this.top.map((t) => el("li", { class: "row" }, t.node))),
      el("p", { class: "hint" }, hint),
    ];
  }

  private one(strand: number): Node[] {
    const s = this.data.strands[strand];
    const facts = [
      s.muscle < 0 ? "passive strand" : this.data.muscles[s.muscle] === s.name ? "muscle" : `part of ${this.data.muscles[s.muscle]}`,
      ...(s.maxForce > 0 ? [`at most ${pretty(s.maxForce)} N`] : []),
      s.line ? `line muscle over ${s.line.bodies.length} points` : `${s.npoint} control points`,
    ];
    const close = el("button", { type: "button", class: "icon", "aria-label": "Close details of this muscle", title: "Close (Esc)" }, "×");
    close.addEventListener("click", () => this.events.select(-1));
    const plots = s.muscle < 0 ? [this.force, this.length] : [this.activation, this.force, this.length];
    return [
      el("div", { class: "title" }, el("h2", { id: "selected-name" }, s.name), close),
      ...(s.label ? [el("p", { class: "label" }, s.label)] : []),
      el("p", { class: "facts" }, facts.join(" · ")),
      el("div", { class: "chips", role: "group", "aria-label": "Show" }, ...this.showButtons(strand)),
      ...plots.map((p) => p.node),
      ...(this.live && s.muscle >= 0 ? [this.strength(s.muscle)] : []),
      ...this.holds(strand),
    ];
  }

  private showButtons(strand: number): Node[] {
    const make = (id: string, text: string, title: string, run: () => void) => {
      const b = el("button", { type: "button", class: "chip small", id, title }, text);
      b.addEventListener("click", run);
      return b;
    };
    return [
      make("only-this", "Only this", "Show this muscle alone (I)", () => this.events.isolate(strand)),
      make("hide-this", "Hide", "Hide this muscle (H)", () => this.events.hide(strand)),
      make("show-all", "Show all", "Show every muscle again (U)", () => this.events.showAll()),
    ];
  }

  /** How strong the muscle is: weaken one and see who takes over. */
  private strength(muscle: number): HTMLElement {
    const input = el("input", {
      type: "range", id: "strength", min: 0, max: 1, step: 0.05, value: this.strengths.get(muscle) ?? 1, "aria-label": "Strength of the muscle",
    });
    const shown = el("output", { class: "level" }, `${Math.round(100 * Number(input.value))} %`);
    input.addEventListener("input", () => {
      this.strengths.set(muscle, Number(input.value));
      shown.textContent = `${Math.round(100 * Number(input.value))} %`;
      this.events.strength(muscle, Number(input.value));
    });
    return el("label", { class: "slider wide" }, el("span", {}, "Strength"), input, shown);
  }

  private holds(strand: number): Node[] {
    const held = this.data.constraints.filter((c) => c.strand === strand).sort((a, b) => a.position - b.position);
    if (!held.length) return [];
    const item = (c: (typeof held)[number]) => {
      const mark = el("span", { class: `mark ${c.type}`, "aria-hidden": "true" });
      mark.style.color = MARKER_COLORS[c.type];
      return el("li", {}, mark, el("span", {}, `${c.type} on ${c.attachment || "the world"}`), el("span", { class: "at" }, `${(100 * c.position).toFixed(0)} %`));
    };
    return [el("h3", {}, "Held by"), el("ul", { class: "holds" }, ...held.map(item))];
  }

  private bind(): void {
    const i = this.selected;
    const r = this.data.replay;
    const s = this.data.strands[i];
    const ns = this.data.strands.length;
    const nm = this.data.muscles.length;
    if (this.live || !r) {
      this.activation.setSeries(s.muscle < 0 ? null : this.history.series("activation", s.muscle, 1));
      this.force.setSeries(this.history.series("force", i, 1));
      this.length.setSeries(this.history.series("length", i, 1000));
      return;
    }
    const replaySeries = (from: Float32Array, width: number, at: number, scale: number): Series => ({
      times: r.times,
      count: r.count,
      at: (k) => scale * from[k * width + at],
    });
    this.activation.setSeries(s.muscle < 0 ? null : replaySeries(r.activation, nm, s.muscle, 1));
    this.force.setSeries(replaySeries(r.force, ns, i, 1));
    this.length.setSeries(replaySeries(r.length, ns, i, 1000));
  }

  update(frame: Frame): void {
    if (this.live) this.history.push(frame);
    if (this.selected < 0) return this.rank(frame);
    const r = this.data.replay;
    const from = this.live || !r ? frame.time - WINDOW : r.times[0];
    const to = this.live || !r ? frame.time : r.times[r.count - 1];
    if (this.live || !r) this.bind();
    const s = this.data.strands[this.selected];
    if (s.muscle >= 0) this.activation.draw(frame.time, frame.activation[s.muscle], from, to);
    this.force.draw(frame.time, frame.force[this.selected], from, to);
    this.length.draw(frame.time, 1000 * frame.length[this.selected], from, to);
  }

  private rank(frame: Frame): void {
    if (!this.top.length) return;
    const wait = this.ranked + 200 - performance.now();
    window.clearTimeout(this.later);
    if (wait > 0) {
      this.later = window.setTimeout(() => this.selected < 0 && this.rank(frame), wait);
      return;
    }
    this.ranked = performance.now();
    const level = (s: number) => frame.activation[this.data.strands[s].muscle];
    const order = this.data.strands.map((_, i) => i).filter((i) => this.data.strands[i].muscle >= 0);
    order.sort((a, b) => level(b) - level(a));
    this.idle.hidden = level(order[0]) >= 0.005;
    this.idle.textContent = this.live
      ? "No muscle is active. Move the slider of one, or let the controller follow the target."
      : "No muscle is active at this time.";
    this.top.forEach((t, i) => {
      t.node.parentElement!.hidden = level(order[i]) < 0.005;
      t.strand = order[i];
      t.name.textContent = this.data.strands[order[i]].name.replace(/_/g, " ");
      t.node.title = this.data.strands[order[i]].label;
      t.value.textContent = level(order[i]).toFixed(2);
      t.fill.style.transform = `scaleX(${rampShare(level(order[i])).toFixed(3)})`;
      t.fill.style.background = rampCss(level(order[i]));
    });
  }
}
