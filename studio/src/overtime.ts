// The pose held again and again: how long each hand lasts, which muscles tire, and what the others do then.

import { coordinateName } from "./anatomy";
import type { Endurance, OverTime, StudioData } from "./data";
import { announce, el } from "./dom";

const W = 300;
const H = 92;
const LEFT = 36;
const BOTTOM = 16;
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "1 4"];

export interface Rhythm {
  work: number;
  rest: number;
  repeat: number;
}

const FIELDS: [keyof Rhythm, string, number, number, number][] = [
  ["work", "Hold, s", 0.5, 120, 0.5],
  ["rest", "Rest, s", 0, 120, 0.5],
  ["repeat", "Times", 1, 300, 1],
];

export class OverTimeCard {
  readonly root = el("details", { class: "card over", id: "over-time" });
  private readonly rhythm: Rhythm = { work: 2, rest: 4, repeat: 60 };
  private readonly result = el("div", { id: "over-result" });

  /** ask: the answer to come should tell how both hands tire; null: no longer. */
  constructor(
    private readonly data: StudioData,
    served: boolean,
    ask: (rhythm: Rhythm | null) => void,
  ) {
    this.root.append(el("summary", {}, el("h2", {}, "Over time")));
    if (served) {
      const inputs = FIELDS.map(([key, label, min, max, step]) => {
        const input = el("input", { type: "number", id: `over-${key}`, min, max, step, value: this.rhythm[key] });
        input.addEventListener("change", () => {
          const value = Number(input.value);
          if (!(value >= min && value <= max)) return void (input.value = String(this.rhythm[key]));
          this.rhythm[key] = value;
          ask(this.rhythm);
        });
        return el("label", {}, el("span", {}, label), input);
      });
      this.root.append(el("div", { class: "rhythm" }, ...inputs));
      this.root.addEventListener("toggle", () => ask(this.root.open ? this.rhythm : null));
    }
    this.root.append(this.result);
  }

  show(over: OverTime | undefined): void {
    if (!over) return;
    const hands: [string, Endurance][] = [["Healthy", over.healthy], ...(over.case ? [["Case", over.case] as [string, Endurance]] : [])];
    const told = hands.map(([name, e]) => `${name} hand: ${this.sentence(e, over)}`);
    const shown = over.case ?? over.healthy;
    this.result.replaceChildren(
      ...told.map((text, i) => el("p", { class: `lasts ${hands[i][1].fails < 0 ? "yes" : "no"}` }, text)),
      ...(shown.units.length
        ? [plot(shown, "fatigued", "Tired motor units"), plot(shown, "activation", "Activation"), legend(shown)]
        : [el("p", { class: "hint" }, "No muscle tires: the pose asks for too little. Add a load.")]),
      el("p", { class: "hint" }, "Three-compartment model; its rates are from the literature and unchecked. Read the order, not the seconds."));
    announce(told.join(". "));
  }

  private sentence(e: Endurance, over: OverTime): string {
    if (e.fails < 0) return `lasts all ${over.repeat} times, ${clock(over.repeat * (over.work + over.rest))}`;
    const joint = e.worst >= 0 ? `: ${coordinateName(this.data.coordinates[e.worst])} gives way` : "";
    return e.fails === 0 ? `cannot hold it at all${joint}` : `lost after ${clock(e.fails)}, at the ${ordinal(e.repetition)} time${joint}`;
  }
}

function ordinal(n: number): string {
  const tail = n % 100 > 10 && n % 100 < 14 ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${tail}`;
}

function clock(seconds: number): string {
  return seconds < 90 ? `${Math.round(seconds)} s` : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

function svg(tag: string, props: Record<string, string | number>, ...children: (Node | string)[]): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(props)) node.setAttribute(key, String(value));
  node.append(...children);
  return node;
}

/** Curves of the muscles that tire most; the line across is where the pose is lost. */
function plot(e: Endurance, what: "fatigued" | "activation", title: string): HTMLElement {
  const end = Math.max(1, e.time[e.time.length - 1]);
  const top = Math.max(0.05, ...e.units.flatMap((u) => u[what]));
  const x = (t: number) => LEFT + ((W - LEFT - 4) * t) / end;
  const y = (v: number) => 6 + (H - BOTTOM - 6) * (1 - v / top);
  const curves = e.units.map((u, i) =>
    svg("polyline", { class: `tired tired-${i}`, "stroke-dasharray": DASHES[i], points: u[what].map((v, k) => `${x(e.time[k]).toFixed(1)},${y(v).toFixed(1)}`).join(" ") }));
  const last = e.units.map((u) => `${u.unit} ${Math.round(100 * u[what][u[what].length - 1])} %`).join(", ");
  const picture = svg("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title} over ${clock(end)}; in the end ${last}` },
    svg("line", { class: "axis", x1: LEFT, x2: W - 4, y1: y(0), y2: y(0) }),
    svg("line", { class: "axis", x1: LEFT, x2: LEFT, y1: y(0), y2: 6 }),
    svg("text", { x: LEFT - 4, y: 12, "text-anchor": "end" }, `${Math.round(100 * top)} %`),
    svg("text", { x: LEFT - 4, y: y(0), "text-anchor": "end" }, "0"),
    svg("text", { x: W - 4, y: H - 3, "text-anchor": "end" }, clock(end)),
    ...curves,
    ...(e.fails > 0 ? [svg("line", { class: "fails", x1: x(e.fails), x2: x(e.fails), y1: 4, y2: y(0) })] : []));
  return el("figure", { class: "plot" }, el("figcaption", {}, title), picture);
}

function legend(e: Endurance): HTMLElement {
  return el("ul", { class: "legend-tired" }, ...e.units.map((u, i) =>
    el("li", {}, svg("svg", { viewBox: "0 0 24 6", "aria-hidden": "true" }, svg("line", { class: `tired tired-${i}`, "stroke-dasharray": DASHES[i], x1: 0, x2: 24, y1: 3, y2: 3 })),
      `${u.unit} ${Math.round(100 * u.fatigued[u.fatigued.length - 1])} %`)));
}
