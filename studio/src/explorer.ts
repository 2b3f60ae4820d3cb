// What matters most for the pose: each muscle, nerve, joint or tendon transfer in turn, or a set of muscles weakened
// together (the most used, all above a level, some by chance), ranked by the torque that is then missing.

import { coordinateName, lesionName, unitLabel } from "./anatomy";
import type { Change, ClinicData, Explored, StudioData } from "./data";
import { announce, el } from "./dom";

/** What is tried; `what` counts as snExplore does. */
export interface Trial {
  what: number;
  count: number;
  seed: number;
  /** on the activation, and what weakened muscles keep: 0 to 1 */
  level: number;
  strength: number;
  /** recipient of transfers */
  to: string;
}

type Field = "to" | "count" | "level" | "strength" | "seed";
const KINDS: { label: string; fields: Field[] }[] = [
  { label: "Each muscle cut", fields: [] },
  { label: "Each nerve cut", fields: [] },
  { label: "Each joint fused", fields: [] },
  { label: "Each tendon transfer to one muscle", fields: ["to"] },
  { label: "The most used muscles weak", fields: ["count", "strength"] },
  { label: "Weak: all more active than", fields: ["level", "strength"] },
  { label: "Some muscles weak, at random", fields: ["count", "strength", "seed"] },
];
const [, NERVE, JOINT, TRANSFER] = KINDS.keys();
const SETS = TRANSFER + 1;
/** label, least, most, first, and what a whole one is */
const NUMBERS: Record<Exclude<Field, "to">, [string, number, number, number, number]> = {
  count: ["How many", 1, 41, 5, 1],
  level: ["Activation, %", 0, 100, 10, 100],
  strength: ["Keeps, %", 0, 100, 30, 100],
  seed: ["Seed", 0, 9999, 1, 1],
};
const MOST = 10;
/** tolerances: a smaller change is none */
const WORTH = 0.02;

const joined = (name: string, label: string) => (label ? `${name} – ${label}` : name);

export class ExplorerCard {
  readonly root = el("details", { class: "card over", id: "explorer" });
  private readonly kind = el("select", { id: "explore-what", "aria-label": "What is tried" });
  private readonly to = el("select", { id: "explore-to" });
  private readonly rows = {} as Record<Field, HTMLElement>;
  private readonly trial: Trial = { what: 0, count: 5, seed: 1, level: 0.1, strength: 0.3, to: "" };
  private readonly result = el("div", { id: "explore-result" });

  /** ask: the answers to come should rank this; null: no longer. change: adds to the case. */
  constructor(
    private readonly data: StudioData,
    clinic: ClinicData,
    private readonly events: { ask(trial: Trial | null): void; change(changes: Change[]): void },
  ) {
    this.kind.append(...KINDS.map((k, i) => el("option", { value: i }, k.label)));
    this.to.append(...[...clinic.groups, ...data.muscles].map((u) => el("option", { value: u }, joined(u, unitLabel(data, u)))));
    this.trial.to = this.to.value;
    this.kind.addEventListener("change", () => this.choose(Number(this.kind.value)));
    this.to.addEventListener("change", () => ((this.trial.to = this.to.value), this.ask()));
    this.rows.to = el("label", {}, el("span", {}, "Recipient"), this.to);
    for (const field of Object.keys(NUMBERS) as (keyof typeof NUMBERS)[]) this.rows[field] = this.number(field);
    this.root.append(el("summary", {}, el("h2", {}, "What matters most")), this.kind,
      el("div", { class: "rhythm" }, ...Object.values(this.rows)), this.result);
    this.root.addEventListener("toggle", () => this.ask());
    this.offer();
  }

  private number(field: keyof typeof NUMBERS): HTMLElement {
    const [label, min, max, first, whole] = NUMBERS[field];
    const input = el("input", { type: "number", id: `explore-${field}`, min, max, step: 1, value: first });
    input.addEventListener("change", () => {
      const value = Number(input.value);
      if (!(value >= min && value <= max) || value !== Math.round(value)) return void (input.value = String(this.trial[field] * whole));
      this.trial[field] = value / whole;
      this.ask();
    });
    return el("label", {}, el("span", {}, label), input);
  }

  private choose(what: number): void {
    this.trial.what = what;
    this.offer();
    this.ask();
  }

  private offer(): void {
    for (const [field, row] of Object.entries(this.rows)) row.hidden = !KINDS[this.trial.what].fields.includes(field as Field);
  }

  private ask(): void {
    this.events.ask(this.root.open ? this.trial : null);
  }

  show(found: Explored | undefined): void {
    if (!found || !this.root.open) return;
    const { what } = this.trial;
    const transfer = what === TRANSFER;
    const shown = what >= SETS ? found.findings : found.findings.filter((f) => (transfer ? -f.change : f.change) > WORTH).slice(0, MOST);
    const none = transfer ? "No transfer restores anything." : "Nothing is lost: the pose needs none of them alone.";
    const equal = found.findings.filter((f) => Math.abs(f.change - shown[0]?.change) < WORTH).length;
    const tie = transfer && equal > 1 ? ` ${equal} of them do equally well here: what each donor leaves behind decides.` : "";
    const units = transfer ? "What each restores" : what >= SETS ? "What is lost as one after the other is added" : "What each would cost";
    this.result.replaceChildren(
      ...(found.error ? [el("p", { class: "note bad", role: "alert" }, found.error)] : []),
      ...(shown.length ? [this.list(shown)] : found.error ? [] : [el("p", { class: "hint" }, none)]),
      ...(what >= SETS && shown.length ? [this.adopt(shown)] : []),
      el("p", { class: "hint" }, `${units}: missing torque over the tolerance of each joint, summed${found.base > WORTH ? `; ${found.base.toFixed(2)} are missing already` : ""}. ${what >= SETS ? "" : "Press one to add it to the case."}${tie}`));
    announce(found.error || (shown.length ? `${shown.length} ranked, first ${this.title(shown[0].name)}` : none));
  }

  private list(findings: Explored["findings"]): HTMLElement {
    const top = Math.max(...findings.map((f) => Math.abs(f.change)), 1e-6);
    return el("ol", { class: "takers ranked" }, ...findings.map((f) => {
      const bar = el("span", { class: "fill2" });
      bar.style.width = `${(100 * Math.abs(f.change)) / top}%`;
      const worst = f.worst >= 0 ? `${coordinateName(this.data.coordinates[f.worst])} lacks ${f.torque.toFixed(0)}\u00a0mN\u00a0m` : "nothing is missing";
      const amount = Math.max(0, this.trial.what === TRANSFER ? -f.change : f.change).toFixed(2);
      const inside = [el("span", { class: "unit" }, this.title(f.name), el("small", {}, worst)), el("span", { class: "bar2" }, bar), el("span", { class: "level" }, amount)];
      if (this.trial.what >= SETS) return el("li", { class: "taker" }, ...inside);
      const b = el("button", { type: "button", class: "taker", "aria-label": `Add to the case: ${this.title(f.name)}; ${this.trial.what === TRANSFER ? "restores" : "costs"} ${amount}; then ${worst}` }, ...inside);
      b.addEventListener("click", () => this.events.change([this.changeOf(f.name)]));
      return el("li", {}, b);
    }));
  }

  /** A set becomes the case as a whole. */
  private adopt(findings: Explored["findings"]): HTMLElement {
    const b = el("button", { type: "button", class: "chip small", id: "explore-adopt" }, "Add these to the case");
    const strength = this.trial.strength;
    b.addEventListener("click", () => this.events.change(findings.map((f) => blank("strength", f.name.replace(/^\+ /, ""), { value: strength }))));
    return b;
  }

  private title(name: string): string {
    const { what } = this.trial;
    if (what === NERVE) return lesionName(name);
    if (what === JOINT) return this.data.coordinates.find((c) => c.joint === name)?.jointLabel || name;
    if (what === TRANSFER) return name.replace(">", " to ");
    return joined(name, unitLabel(this.data, name.replace(/^\+ /, "")));
  }

  private changeOf(name: string): Change {
    const { what } = this.trial;
    if (what === NERVE) return blank("nerve", name);
    if (what === JOINT) return blank("fuse", name);
    if (what === TRANSFER) return blank("transfer", name.split(">")[0], { to: name.split(">")[1] });
    return blank("cut", name);
  }
}

function blank(kind: Change["kind"], name: string, more: Partial<Change> = {}): Change {
  return { kind, name, to: "", value: 0, force: [0, 0, 0], ...more };
}
