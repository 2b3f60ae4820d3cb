// The list of muscles: groups, search, sorting by activity, a bar that follows the activation, and in live mode a
// slider per muscle.

import { commonLabel, listGroups, type StudioData } from "./data";
import { byId, el } from "./dom";
import type { Frame } from "./frame";
import { rampCss, rampShare, rampTop } from "./ramp";

export interface ListEvents {
  select(strand: number): void;
  hover(strand: number): void;
  drive(muscle: number, level: number): void;
}

interface Row {
  strand: number;
  node: HTMLElement;
  pick: HTMLButtonElement;
  fill: HTMLElement;
  value: HTMLElement;
  slider: HTMLInputElement | null;
  weak: HTMLElement;
  shown: number;
}

interface Section {
  name: string;
  node: HTMLDetailsElement;
  rows: Row[];
  count: HTMLElement;
}

/** With more strands than this, groups begin closed. */
const MANY = 150;

export class MuscleList {
  private readonly sections: Section[] = [];
  private readonly rows: Row[] = [];
  private readonly root = byId("list");
  private readonly found = byId("found");
  private readonly search = byId<HTMLInputElement>("search");
  private byActivity = false;
  private sorted = 0;
  /** shown last */
  private last: Frame | null = null;

  constructor(
    private readonly data: StudioData,
    private readonly events: ListEvents,
  ) {
    for (const group of listGroups(data)) this.sections.push(this.makeSection(group.name, group.strands));
    this.root.append(...this.sections.map((s) => s.node));
    if (!this.rows.length) {
      this.root.append(el("p", { class: "hint" }, "This model has no strands: its bones move by themselves."));
      byId("search").closest<HTMLElement>(".panel-head")!.hidden = true;
    }
    this.search.addEventListener("input", () => this.filter());
    this.root.addEventListener("keydown", (e) => this.move(e));
    const sort = byId("sort");
    sort.addEventListener("click", () => {
      this.byActivity = !this.byActivity;
      sort.setAttribute("aria-pressed", String(this.byActivity));
      this.arrange();
    });
  }

  private makeSection(name: string, strands: number[]): Section {
    const rows = strands.map((s) => this.makeRow(s));
    const count = el("span", { class: "count" }, String(rows.length));
    const label = commonLabel(this.data, strands);
    const title = label && label.toLowerCase() !== name.toLowerCase() ? [el("span", { class: "about" }, label)] : [];
    const node = el(
      "details",
      { class: "group", open: this.data.strands.length <= MANY },
      el("summary", {}, el("span", {}, name), ...title, count),
      el("ul", {}, ...rows.map((r) => r.node)),
    );
    node.addEventListener("toggle", () => this.last && this.update(this.last));
    this.rows.push(...rows);
    return { name, node, rows, count };
  }

  private makeRow(strand: number): Row {
    const s = this.data.strands[strand];
    const weak = el("span", { class: "weak" });
    weak.hidden = true;
    const fill = el("span", { class: "fill" });
    const value = el("span", { class: "level" }, s.muscle < 0 ? "passive" : "0.00");
    const pick = el(
      "button",
      { type: "button", class: "pick", "aria-pressed": "false", "data-strand": strand, title: s.label || undefined },
      el("span", { class: "name" }, s.name.replace(/_/g, " "), weak),
      ...(s.label ? [el("span", { class: "quiet" }, s.label)] : []),
      el("span", { class: "meter", "aria-hidden": "true" }, fill),
      value,
    );
    pick.addEventListener("click", () => this.events.select(strand));
    pick.addEventListener("pointerenter", () => this.events.hover(strand));
    pick.addEventListener("pointerleave", () => this.events.hover(-1));
    const node = el("li", { class: "row" }, pick);
    return { strand, node, pick, fill, value, slider: null, weak, shown: -1 };
  }

  /** Live mode: every active strand gets a slider under its name. Strands of one muscle move together. */
  setLive(live: boolean): void {
    document.body.classList.toggle("live", live);
    for (const row of this.rows) {
      const { muscle, name } = this.data.strands[row.strand];
      if (live && muscle >= 0 && !row.slider) {
        row.slider = el("input", {
          type: "range", min: 0, max: 1, step: 0.01, value: 0,
          class: "drive", "aria-label": `Activation of ${name}`, "data-muscle": muscle,
        });
        row.slider.addEventListener("input", () => this.events.drive(muscle, Number(row.slider!.value)));
        row.node.append(row.slider);
      } else if (!live && row.slider) {
        row.slider.remove();
        row.slider = null;
      }
    }
  }

  /** Puts the sliders where the activations are, except the one that is being held. */
  syncSliders(activation: Float32Array): void {
    for (const row of this.seen())
      if (row.slider && row.slider !== document.activeElement)
        row.slider.value = String(activation[this.data.strands[row.strand].muscle]);
  }

  private filter(): void {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let hits = 0;
    for (const section of this.sections) {
      let inside = 0;
      for (const row of section.rows) {
        const { name, label } = this.data.strands[row.strand];
        const text = `${name} ${label} ${section.name}`.toLowerCase();
        const hit = words.every((w) => text.includes(w));
        row.node.hidden = !hit;
        if (hit) inside++;
      }
      section.node.hidden = inside === 0;
      if (words.length && inside) section.node.open = true;
      hits += inside;
    }
    this.found.textContent = words.length ? `${hits} of ${this.rows.length}` : "";
    this.root.classList.toggle("empty", hits === 0);
  }

  private visible(): HTMLButtonElement[] {
    return [...this.root.querySelectorAll<HTMLButtonElement>(".pick")].filter((b) => b.offsetParent !== null);
  }

  private move(event: KeyboardEvent): void {
    if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || !(event.target instanceof HTMLButtonElement)) return;
    const all = this.visible();
    const next = all[all.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
    next?.focus();
    event.preventDefault();
    event.stopPropagation();
  }

  focusSearch(): void {
    this.search.focus();
    this.search.select();
  }

  mark(selected: number): void {
    for (const row of this.rows) {
      const on = row.strand === selected;
      row.pick.setAttribute("aria-pressed", String(on));
      row.node.classList.toggle("selected", on);
      if (!on) continue;
      row.node.closest("details")?.setAttribute("open", "");
      row.node.scrollIntoView({ block: "nearest" });
    }
  }

  /** Marks what has been weakened, with what is left of it. */
  setStrength(muscle: number, level: number): void {
    for (const row of this.rows) {
      if (this.data.strands[row.strand].muscle !== muscle) continue;
      row.weak.hidden = level >= 1;
      row.weak.textContent = `${Math.round(100 * level)} %`;
      row.weak.title = "strength, relative to the model";
    }
  }

  /** Greys what is not shown in the picture; null: all of it is. */
  showOnly(strands: Set<number> | null): void {
    for (const row of this.rows) row.node.classList.toggle("away", !!strands && !strands.has(row.strand));
  }

  /** The scale of colours has changed: every bar is drawn again. */
  rescale(): void {
    for (const row of this.rows) row.shown = -1;
  }

  /** Rows of open groups: nobody sees the others. */
  private seen(): Row[] {
    return this.byActivity ? this.rows : this.sections.flatMap((s) => (s.node.open ? s.rows : []));
  }

  update(frame: Frame): void {
    this.last = frame;
    for (const row of this.seen()) {
      const { muscle } = this.data.strands[row.strand];
      if (muscle < 0) continue;
      const level = frame.activation[muscle];
      if (Math.abs(level - row.shown) < 0.004 * rampTop()) continue;
      row.shown = level;
      row.fill.style.transform = `scaleX(${rampShare(level).toFixed(3)})`;
      row.fill.style.background = rampCss(level);
      row.value.textContent = level.toFixed(2);
    }
    if (this.byActivity && performance.now() - this.sorted > 700) this.arrange();
  }

  /** Most active first within one flat list; or back into the groups. Nothing moves while the list has the focus. */
  private arrange(): void {
    if (this.byActivity && this.root.contains(document.activeElement)) return;
    this.sorted = performance.now();
    this.root.classList.toggle("flat", this.byActivity);
    if (!this.byActivity) {
      for (const s of this.sections) s.node.querySelector("ul")!.append(...s.rows.map((r) => r.node));
      this.root.querySelector("ul.all")?.remove();
      return;
    }
    let all = this.root.querySelector("ul.all");
    if (!all) this.root.prepend((all = el("ul", { class: "all" })));
    all.append(...[...this.rows].sort((a, b) => b.shown - a.shown).map((r) => r.node));
  }
}
