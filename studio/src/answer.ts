// The answer of the clinical page in words and bars: the verdict of each hand, what is lost, who takes over, and the muscle
// that is selected.

import { actions, changeText, coordinateName, nerveName, NOTICE, strandOf, unitLabel } from "./anatomy";
import type { Answer, Change, Compensator, Held, StudioData } from "./data";
import { announce, byId, el, save } from "./dom";
import { ExplorerCard, type Trial } from "./explorer";
import { OverTimeCard, type Rhythm } from "./overtime";
import { answerCsv } from "./table";

const WORDS: Record<Held["verdict"], [string, string]> = {
  yes: ["Yes", "the pose can be held"],
  marginal: ["Marginal", "some joints get too little torque"],
  no: ["No", "the pose cannot be held"],
};
const SIGNS: Record<Held["verdict"], string> = { yes: "✓", marginal: "≈", no: "✕" };
const MOST = 10;
/** mN m and degrees: less is not worth a line */
const WORTH = 4;
const OFF = 5;

export interface AnswerEvents {
  select(strand: number): void;
  /** adds to the case */
  change(...changes: Change[]): void;
  /** changes can be made here */
  editable: boolean;
  /** the answers to come should tell how the hands tire */
  endure(rhythm: Rhythm | null): void;
  /** the answers to come should rank what this tries */
  explore(trial: Trial | null): void;
}

export class AnswerPanel {
  private readonly root = byId("answer");
  private readonly cards = el("div", { class: "verdicts", role: "status", "aria-live": "polite" });
  private readonly body = el("div", {});
  private readonly muscle = el("section", { class: "card", id: "muscle-card", "aria-label": "Selected muscle" });
  private readonly over: OverTimeCard;
  private readonly explorer: ExplorerCard | null;
  private changes: Change[] = [];
  private selected = -1;
  private said = "";
  private answer: Answer | null = null;
  private takers: Compensator[] = [];

  constructor(
    private readonly data: StudioData,
    private readonly events: AnswerEvents,
  ) {
    this.muscle.hidden = true;
    this.over = new OverTimeCard(data, events.editable, (r) => events.endure(r));
    this.explorer = events.editable ? new ExplorerCard(data, data.clinic!, { ask: (t) => events.explore(t), change: (c) => events.change(...c) }) : null;
    const table = el("button", { type: "button", class: "chip small", id: "save-table" }, "Save as table (CSV)");
    table.addEventListener("click", () => this.saveTable());
    this.root.append(this.cards, this.muscle, this.body, ...(this.explorer ? [this.explorer.root] : []), this.over.root,
      el("div", { class: "chips" }, table), el("p", { class: "notice" }, NOTICE));
  }

  /** searching: where the hand ends up is not known yet. */
  show(answer: Answer, changes: Change[], searching: boolean): void {
    this.answer = answer;
    this.changes = changes;
    const limbs: [string, Held][] = answer.case ? [["Healthy", answer.healthy], ["Case", answer.case]] : [["Healthy", answer.healthy]];
    this.cards.replaceChildren(...limbs.map(([name, held]) => this.card(name, held, searching && name === "Case")));
    const parts: Node[] = [];
    // The first of two answers has no compensators yet: those of the pose before stay for a moment.
    if (answer.compensators) this.takers = answer.compensators;
    else if (!answer.case) this.takers = [];
    if (answer.case) parts.push(this.lost(answer.case, searching), this.compensators(this.takers, changes));
    else parts.push(this.workers(answer.healthy));
    this.body.replaceChildren(...parts);
    this.over.root.hidden = !this.events.editable && !answer.over;
    this.over.show(answer.over);
    this.explorer?.show(answer.explore);
    this.drawMuscle();
    const text = limbs.map(([name, h]) => `${name}: ${h.verdict}`).join(", ");
    if (text !== this.said) announce((this.said = text));
  }

  private saveTable(): void {
    if (!this.answer) return;
    save(`${this.data.name}.csv`, "text/csv", answerCsv(this.data, this.answer, this.changes));
    announce("Table saved");
  }

  select(strand: number): void {
    this.selected = strand;
    this.drawMuscle();
  }

  private card(name: string, held: Held, searching: boolean): HTMLElement {
    const [word, about] = WORDS[held.verdict];
    return el("div", { class: `verdict ${held.verdict}`, "data-limb": name.toLowerCase() },
      el("span", { class: "limb" }, name),
      el("strong", {}, el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[held.verdict]), word),
      el("span", { class: "about" }, searching ? `${about}; looking for the nearest pose` : about),
      el("dl", {}, ...fact("missing", `${held.unmet.toFixed(held.unmet < 10 ? 1 : 0)} mN m`), ...fact("reserve", `${Math.round(100 * held.reserve)} %`), ...fact("effort", held.effort.toPrecision(2))));
  }

  /** Joints that lack torque, and how far the nearest pose stays short of the one asked for. */
  private lost(held: Held, searching: boolean): HTMLElement {
    const rows = this.data.coordinates
      .map((c, i) => ({ c, missing: Math.abs(held.missing[i]), short: held.nearest ? towards(held.pose[i], held.nearest.pose[i]) : 0, asked: held.pose[i], found: held.nearest?.pose[i] ?? held.pose[i] }))
      .filter((r) => r.missing > WORTH || Math.abs(r.short) > OFF)
      .sort((a, b) => Math.abs(b.short) - Math.abs(a.short) || b.missing - a.missing)
      .slice(0, MOST);
    if (!rows.length) return el("section", { class: "card", "aria-label": "Lost" }, el("h2", {}, "Lost"), el("p", { class: "hint" }, held.verdict === "yes" ? "Nothing: every joint gets its torque." : `Little: no joint lacks more than ${held.unmet.toFixed(1)} mN m.`));
    return el("section", { class: "card", "aria-label": "Lost" }, el("h2", {}, "Lost"),
      el("table", { class: "lost" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Joint"), el("th", { scope: "col" }, "lacks"), el("th", { scope: "col" }, "ends up"))),
        el("tbody", {}, ...rows.map((r) => el("tr", {}, el("th", { scope: "row" }, coordinateName(r.c).replace(" finger ", " ")), el("td", {}, r.missing < 0.5 ? "–" : `${r.missing.toFixed(0)} mN m`),
          el("td", {}, searching ? "…" : held.nearest ? ending(r.short, r.c.motion === "flexion" && !/wrist/i.test(r.c.joint) && r.asked >= 0 ? -r.found : 0) : "–"))))));
  }

  private compensators(list: Compensator[], changes: Change[]): HTMLElement {
    const top = Math.max(0.02, ...list.map((u) => Math.max(u.case, u.high, u.healthy)));
    const shown = [...list].sort((a, b) => Number(b.must) - Number(a.must)).slice(0, MOST);
    return el("section", { class: "card", "aria-label": "Who takes over" },
      el("h2", {}, "Who takes over"),
      shown.length
        ? el("ul", { class: "takers" }, ...shown.map((u) => this.taker(u, top)))
        : el("p", { class: "hint" }, "Nobody compensates."),
      el("p", { class: "hint legend-line" }, "▏healthy  ● case  ▬ all activations that would do. Must: it has to work harder; may: others could take over instead."),
      el("p", { class: "hint" }, `Case: ${changes.map(changeText).join("; ") || "nothing changed"}`));
  }

  private taker(u: Compensator, top: number): HTMLElement {
    const percent = (v: number) => `${(100 * Math.min(Math.max(v / top, 0), 1)).toFixed(1)}%`;
    const range = el("span", { class: "range" });
    range.style.left = percent(Math.max(u.low, 0));
    range.style.width = `calc(${percent(Math.max(u.high, 0))} - ${percent(Math.max(u.low, 0))})`;
    const healthy = el("span", { class: "healthy" });
    healthy.style.left = percent(u.healthy);
    const now = el("span", { class: "now" });
    now.style.left = percent(u.case);
    const strand = strandOf(this.data, u.muscle);
    const about = `${u.unit}: ${u.must ? "must" : "may"}; activation ${u.healthy.toFixed(3)} healthy, ${u.case.toFixed(3)} in the case${u.low >= 0 ? `; ${u.low.toFixed(3)} to ${u.high.toFixed(3)} would do` : ""}`;
    const b = el("button", { type: "button", class: "taker", "aria-label": about, title: about },
      el("span", { class: "unit" }, el("span", {}, u.unit, el("span", { class: `badge ${u.must ? "must" : "may"}` }, u.must ? "must" : "may")), el("small", {}, unitLabel(this.data, u.unit))),
      el("span", { class: "bar2" }, ...(u.low >= 0 ? [range] : []), healthy, now), el("span", { class: "level" }, `${u.force >= 0 ? "+" : ""}${u.force.toFixed(1)} N`));
    b.addEventListener("click", () => strand >= 0 && this.events.select(strand));
    return el("li", {}, b);
  }

  /** Who works, where nothing is wrong. */
  private workers(held: Held): HTMLElement {
    const rows = held.activation.map((a, muscle) => ({ a, muscle })).filter((r) => r.a > 0.002).sort((x, y) => y.a - x.a).slice(0, MOST);
    const top = Math.max(0.02, rows[0]?.a ?? 0);
    return el("section", { class: "card", "aria-label": "Who works" }, el("h2", {}, "Who works"),
      el("ul", { class: "takers" }, ...rows.map(({ a, muscle }) => {
        const now = el("span", { class: "fill2" });
        now.style.width = `${(100 * a) / top}%`;
        const unit = this.data.muscles[muscle];
        const b = el("button", { type: "button", class: "taker", "aria-label": `${unit}, activation ${a.toFixed(3)}` },
          el("span", { class: "unit" }, unit, el("small", {}, unitLabel(this.data, unit))), el("span", { class: "bar2" }, now), el("span", { class: "level" }, a.toFixed(3)));
        b.addEventListener("click", () => this.events.select(strandOf(this.data, muscle)));
        return el("li", {}, b);
      })));
  }

  /** The muscle that is selected: what it is, what it does in both hands, and what can be done to it. */
  private drawMuscle(): void {
    this.muscle.hidden = this.selected < 0;
    if (this.selected < 0) return;
    const s = this.data.strands[this.selected];
    const unit = this.data.muscles[s.muscle] ?? s.name;
    const level = (h?: Held) => (h && s.muscle >= 0 ? h.activation[s.muscle].toFixed(3) : "–");
    const force = (h?: Held) => (h ? `${h.force[this.selected].toFixed(1)} N` : "–");
    const close = el("button", { type: "button", class: "icon tiny", "aria-label": "Close this muscle", title: "Close (Esc)" }, "×");
    close.addEventListener("click", () => this.events.select(-1));
    const acts: [string, Change["kind"], number][] = [["Cut", "cut", 0], ["Paralyse", "strength", 0], ["Half strength", "strength", 0.5], ["Tire", "cost", 5]];
    const buttons = acts.map(([label, kind, value]) => {
      const b = el("button", { type: "button", class: "chip small", "aria-label": `${label}: ${unit}` }, label);
      b.addEventListener("click", () => this.events.change({ kind, name: unit, to: "", value, force: [0, 0, 0] }));
      return b;
    });
    this.muscle.replaceChildren(
      el("div", { class: "title" }, el("h2", { id: "selected-unit" }, unit), close),
      el("p", { class: "label" }, s.label),
      el("dl", { class: "wide" }, ...fact("nerve", nerveName(this.data, this.selected) || "–"), ...fact("action", actions(this.data, this.selected) || "–"),
        ...fact("healthy", `${level(this.answer?.healthy)}, ${force(this.answer?.healthy)}`),
        ...(this.answer?.case ? fact("case", `${level(this.answer.case)}, ${force(this.answer.case)}`) : [])),
      ...(this.events.editable ? [el("div", { class: "chips" }, ...buttons)] : []));
  }
}

/** Where a joint ends up that stays so many degrees short, or overextended by so many rad. */
function ending(short: number, over: number): string {
  const beyond = (over * 180) / Math.PI;
  if (beyond >= 1) return `${beyond.toFixed(0)}° overextended`;
  const degrees = Math.abs(short).toFixed(0);
  return degrees === "0" ? "as asked" : `${degrees}° ${short < 0 ? "too far" : "short"}`;
}

/** Degrees that a joint stays short of a pose; less than zero: it goes beyond. Seen from the neutral pose. */
function towards(asked: number, found: number): number {
  return ((asked < 0 ? found - asked : asked - found) * 180) / Math.PI;
}

function fact(name: string, value: string): Node[] {
  return [el("dt", {}, name), el("dd", {}, value)];
}
