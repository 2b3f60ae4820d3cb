// The case: a list of changes that can be added to, removed, saved and opened. With a server anything goes; a page that was
// handed over has the cases that were solved for it.

import { caseXml, changeText, coordinateName, lesionName, readCase, unitLabel } from "./anatomy";
import type { Change, ClinicData, StudioData } from "./data";
import { announce, byId, el, save } from "./dom";

interface Kind {
  id: string;
  label: string;
  kind: Change["kind"];
  of: "unit" | "joint" | "body";
  /** what the number means: least, most, step, first, unit */
  number?: [number, number, number, number, string];
}

const KINDS: Kind[] = [
  { id: "weak", label: "Weak", kind: "strength", of: "unit", number: [0, 100, 5, 50, "% left"] },
  { id: "paralysed", label: "Paralysed", kind: "strength", of: "unit" },
  { id: "cut", label: "Tendon cut", kind: "cut", of: "unit" },
  { id: "tired", label: "Tired", kind: "cost", of: "unit", number: [1, 20, 1, 5, "× effort"] },
  { id: "contracture", label: "Contracture", kind: "passive", of: "unit", number: [1, 10, 0.5, 3, "× passive"] },
  { id: "fused", label: "Joint fused", kind: "fuse", of: "joint", number: [-60, 90, 5, 0, "degrees"] },
  { id: "transfer", label: "Tendon transfer", kind: "transfer", of: "unit" },
  { id: "load", label: "Load", kind: "load", of: "body", number: [0.5, 20, 0.5, 5, "newtons"] },
];

const DIRECTIONS: [string, [number, number, number]][] = [
  ["dorsal", [0, 0, 1]], ["palmar", [0, 0, -1]], ["distal", [0, -1, 0]], ["proximal", [0, 1, 0]], ["radial", [1, 0, 0]], ["ulnar", [-1, 0, 0]],
];

export class CaseEditor {
  readonly changes: Change[] = [];
  readonly nerve: HTMLSelectElement;
  readonly root: HTMLElement;
  private readonly list = el("ul", { class: "changes", "aria-label": "Changes of this case" });
  private readonly kind = el("select", { id: "change-kind", "aria-label": "Kind of change" });
  private readonly name = el("select", { id: "change-name", "aria-label": "What is changed" });
  private readonly to = el("select", { id: "change-to", "aria-label": "Recipient or direction" });
  private readonly value = el("input", { type: "range", id: "change-value" });
  private readonly shown = el("output", {});
  private readonly valueRow: HTMLElement;
  private readonly nothing = el("p", { class: "hint" }, "A healthy hand: nothing is changed.");

  constructor(
    private readonly data: StudioData,
    private readonly clinic: ClinicData,
    private readonly changed: () => void,
  ) {
    this.nerve = el("select", { id: "nerve", "aria-label": "Nerve lesion" },
      el("option", { value: "" }, "No nerve lesion"), ...clinic.nerves.map((n) => el("option", { value: n }, lesionName(n))));
    this.nerve.addEventListener("change", () => this.setNerve(this.nerve.value));
    this.kind.append(...KINDS.map((k) => el("option", { value: k.id }, k.label)));
    this.kind.addEventListener("change", () => this.offer());
    this.value.addEventListener("input", () => this.showValue());
    const add = el("button", { type: "button", class: "chip strong", id: "change-add" }, "Add");
    add.addEventListener("click", () => this.addChosen());
    this.valueRow = el("label", { class: "coordinate" }, el("span", {}, "How much"), this.shown, this.value);
    this.root = el("section", { class: "card", "aria-label": "Case" },
      el("h2", {}, "Case"), this.nerve, this.nothing, this.list,
      el("details", { class: "group", id: "more-changes" }, el("summary", {}, el("span", {}, "Change more")),
        el("div", { class: "form" }, this.kind, this.name, this.to, this.valueRow, add)),
      this.files());
    this.offer();
    this.draw();
  }

  private files(): HTMLElement {
    const clear = el("button", { type: "button", class: "chip small", id: "case-clear" }, "Healthy again");
    clear.addEventListener("click", () => this.set([]));
    const save = el("button", { type: "button", class: "chip small", id: "case-save" }, "Save case");
    save.addEventListener("click", () => this.save());
    const open = el("input", { type: "file", id: "case-open", class: "quiet", accept: ".xml", "aria-label": "Open a case file" });
    open.addEventListener("change", async () => {
      const file = open.files?.[0];
      if (!file) return;
      try {
        this.set(readCase(await file.text(), this.data.name));
        announce(`Case ${file.name} opened`);
      } catch (error) {
        byId("case-note").textContent = `${file.name}: ${error instanceof Error ? error.message : error}`;
      }
      open.value = "";
    });
    return el("div", { class: "pose-keys" }, clear, save, el("label", { class: "chip small opener", for: "case-open" }, "Open case"), open,
      el("p", { class: "note bad", id: "case-note", role: "alert" }));
  }

  private save(): void {
    save("hand.case.xml", "application/xml", caseXml(this.data.name, this.changes));
    announce("Case saved");
  }

  private get chosen(): Kind {
    return KINDS.find((k) => k.id === this.kind.value)!;
  }

  private units(also: string[]): HTMLOptionElement[] {
    return [...also, ...this.data.muscles].map((u) => el("option", { value: u }, [u, unitLabel(this.data, u)].filter(Boolean).join(" – ")));
  }

  /** What can be chosen for the kind of change. */
  private offer(): void {
    const k = this.chosen;
    const joints = this.data.coordinates.filter((c) => c.driven).map((c) => el("option", { value: c.name }, coordinateName(c)));
    const bodies = this.data.bodies.filter((b) => !b.pinned).map((b) => el("option", { value: b.name }, b.name));
    const transfer = k.kind === "transfer";
    this.name.replaceChildren(...(k.of === "joint" ? joints : k.of === "body" ? bodies : this.units(transfer ? this.clinic.donors : [])));
    this.to.hidden = !transfer && k.kind !== "load";
    this.to.replaceChildren(...(transfer ? this.units(this.clinic.groups) : DIRECTIONS.map(([d]) => el("option", { value: d }, d))));
    this.valueRow.hidden = !k.number;
    if (k.number) {
      const [min, max, step, first, unit] = k.number;
      Object.entries({ min, max, step }).forEach(([key, v]) => this.value.setAttribute(key, String(v)));
      this.value.setAttribute("aria-label", `How much, ${unit}`);
      this.value.value = String(first);
    }
    this.showValue();
  }

  private showValue(): void {
    this.shown.textContent = this.chosen.number ? `${this.value.value} ${this.chosen.number[4]}` : "";
  }

  private addChosen(): void {
    const k = this.chosen;
    const number = k.number ? Number(this.value.value) : 0;
    const change: Change = { kind: k.kind, name: this.name.value, to: "", value: 0, force: [0, 0, 0] };
    if (k.id === "weak") change.value = number / 100;
    else if (k.kind === "load") change.force = DIRECTIONS.find(([d]) => d === this.to.value)![1].map((x) => x * number) as [number, number, number];
    else if (k.kind === "transfer") change.to = this.to.value;
    else change.value = number;
    this.add(change);
  }

  /** One change of a kind and name, and one nerve lesion: a newer one takes the place of the older. */
  add(...changes: Change[]): void {
    for (const change of changes) {
      const same = this.changes.findIndex((c) => c.kind === change.kind && (c.name === change.name || c.kind === "nerve"));
      if (same >= 0) this.changes[same] = change;
      else this.changes.push(change);
    }
    this.update();
  }

  setNerve(lesion: string): void {
    const others = this.changes.filter((c) => c.kind !== "nerve");
    this.set(lesion ? [{ kind: "nerve", name: lesion, to: "", value: 0, force: [0, 0, 0] }, ...others] : others);
  }

  set(changes: Change[]): void {
    this.changes.splice(0, this.changes.length, ...changes);
    this.update();
  }

  private update(): void {
    byId("case-note").textContent = "";
    this.draw();
    this.changed();
  }

  private draw(): void {
    this.nerve.value = this.changes.find((c) => c.kind === "nerve")?.name ?? "";
    this.nothing.hidden = this.changes.length > 0;
    this.list.replaceChildren(...this.changes.map((c) => {
      const remove = el("button", { type: "button", class: "icon tiny", "aria-label": `Remove: ${changeText(c)}` }, "×");
      remove.addEventListener("click", () => this.set(this.changes.filter((o) => o !== c)));
      return el("li", {}, el("span", {}, changeText(c)), remove);
    }));
  }
}
