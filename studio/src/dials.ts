// Dials of a live body on a tree: coactivation, breathing, and a weight on a body.

import type { StudioData } from "./data";
import { el } from "./dom";
import { Link, Op } from "./link";
import { hasSolver } from "./socket";

enum Dial {
  Coactivation,
  Breathing,
}

export class Dials {
  readonly panel = el("div", { id: "dials" });
  private readonly rows: { input: HTMLInputElement; shown: HTMLElement; text: (v: number) => string }[] = [];
  private readonly body: HTMLSelectElement;
  /** the body that carries the weight, -1: none */
  private carrying = -1;

  constructor(
    data: StudioData,
    private readonly link: Link,
    private readonly hold: () => void,
  ) {
    this.body = el("select", { id: "weight-body", "aria-label": "Body that carries the weight" });
    data.bodies.forEach((b, i) => this.body.append(el("option", { value: i }, b.name.replace(/_/g, " "))));
    const arm = data.bodies.findIndex((b) => b.name === "radius_R");
    this.body.value = String(Math.max(0, arm));
    const kg = this.row("weight", "Weight, kg", 3, 0.1, (v) => `${v.toFixed(1)} kg`, (v) => this.weigh(v));
    this.body.addEventListener("change", () => this.weigh(Number(kg.value)));
    const breathing = this.row("breathing", "Depth of a breath, degrees at the ribs", 3, 0.1, (v) => `${v.toFixed(1)}°`, (v) => this.link.send(Op.Dial, Dial.Breathing, (v * Math.PI) / 180));
    this.panel.append(
      this.labelled(this.row("coactivation", "Coactivation of all muscles", 1, 0.05, (v) => v.toFixed(2), (v) => this.link.send(Op.Dial, Dial.Coactivation, v)), "Coactivation"),
      ...(hasSolver() ? [] : [this.labelled(breathing, "Breathing")]), // the breath is a motion, which only the server has
      this.labelled(kg, "Weight on", this.body),
    );
  }

  private row(id: string, label: string, max: number, step: number, text: (v: number) => string, send: (v: number) => void): HTMLInputElement {
    const input = el("input", { type: "range", id, min: 0, max, step, value: 0, "aria-label": label });
    const shown = el("output", {}, text(0));
    input.addEventListener("input", () => {
      this.hold();
      send(Number(input.value));
      shown.textContent = text(Number(input.value));
    });
    this.rows.push({ input, shown, text });
    return input;
  }

  private labelled(input: HTMLInputElement, name: string, ...more: HTMLElement[]): HTMLElement {
    const row = this.rows.find((r) => r.input === input)!;
    return el("div", { class: "coordinate" }, el("span", {}, name, ...more.flatMap((m) => [" ", m])), row.shown, input);
  }

  private weigh(kg: number): void {
    const body = Number(this.body.value);
    if (this.carrying >= 0 && this.carrying !== body) this.link.send(Op.Weight, this.carrying, 0);
    this.carrying = body;
    this.link.send(Op.Weight, body, kg);
  }

  /** Back to nothing, as the simulation is after a reset. */
  reset(): void {
    this.carrying = -1;
    for (const { input, shown, text } of this.rows) {
      input.value = "0";
      shown.textContent = text(0);
    }
  }
}
