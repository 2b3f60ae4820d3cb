// Live mode: the bar below, the sliders of the target pose, and dragging bones. Moving a muscle's slider takes the
// muscles into one's own hands; moving the target hands them to the controller.

import type { Coordinate, StudioData } from "./data";
import { announce, byId, el } from "./dom";
import type { Frame } from "./frame";
import { WHY_UNLOADED } from "./help";
import { Keys } from "./keys";
import { Link, Op } from "./link";
import { button, ICONS, setIcon } from "./transport";
import { Dials } from "./dials";
import type { View } from "./view";

interface Slider {
  input: HTMLInputElement;
  shown: HTMLElement;
  unit: "rad" | "m";
}

interface Level {
  input: HTMLInputElement;
  shown: HTMLElement;
}

const degrees = (v: number) => `${Math.round((v * 180) / Math.PI)}°`;
const millimetres = (v: number) => `${Math.round(1000 * v)} mm`;

/** How long a moved slider waits for the simulation to hear of it. */
const SETTLE_MS = 1500;

export class LiveMode {
  readonly link: Link;
  dragging = false;
  private on = false;
  private fresh = false;
  /** when a target was last moved: older snapshots are still on their way then */
  private touched = -Infinity;
  private readonly sliders: Slider[] = [];
  private readonly levels: Level[] = [];
  private readonly pause: HTMLButtonElement;
  private readonly keys: Keys;
  private readonly note = el("output", { class: "live-note", id: "live-note" });
  private readonly gravity = el("input", { type: "checkbox", id: "gravity", checked: true });
  private readonly follow = el("button", { type: "button", class: "chip", id: "follow", "aria-pressed": "false", title: "The controller brings the bones to the target" }, "Follow the target");
  private readonly off = el("p", { class: "hint", id: "pose-off" }, "The controller is off: sliders show where the bones are. Move one, and it follows.");
  private readonly grip = el("input", { type: "range", id: "grip", min: 0, max: 40, step: 0.5, value: 0, "aria-label": "Grip force on every digit, newtons" });
  private readonly gripShown = el("output", {}, "0 N");
  private readonly gripRow = el("label", { class: "coordinate grip", hidden: true }, el("span", {}, "Grip on each digit"), this.gripShown, this.grip);
  private readonly gripWhy = el("p", { class: "hint", id: "grip-why", hidden: true }, WHY_UNLOADED);
  private readonly dials: Dials;
  private readonly grab = el("button", { type: "button", class: "chip", id: "grab", "aria-pressed": "false", title: "Drag bones with the pointer (or hold shift)" }, "Drag bones");

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
    frame: Frame,
    private readonly changed: () => void,
  ) {
    this.link = new Link(data, frame, { snapshot: () => this.snapshot(), link: (t, bad) => this.showLink(t, bad) });
    this.dials = new Dials(data, this.link, () => this.setFollow(true));
    this.pause = button("Pause", ICONS.pause, "Pause or continue (space)", () => this.togglePause(), "live-pause");
    this.pause.classList.add("main");
    this.gravity.addEventListener("change", () => this.link.send(Op.Gravity, -1, this.gravity.checked ? 1 : 0));
    this.follow.addEventListener("click", () => this.setFollow(!this.link.state.following));
    this.grab.addEventListener("click", () => this.grab.setAttribute("aria-pressed", String(this.grab.getAttribute("aria-pressed") !== "true")));
    this.grip.addEventListener("input", () => {
      this.link.send(Op.Grip, -1, Number(this.grip.value));
      this.gripShown.textContent = `${this.grip.value} N`;
    });
    this.keys = new Keys(data.name, data.coordinates, () => Array.from(this.link.state.following ? this.link.state.goals : this.link.state.coordinates));
    this.buildFunctions();
    this.buildPose();
    this.buildDrag();
  }

  set(on: boolean): void {
    this.on = on;
    byId("pose").hidden = !on || !this.sliders.length;
    byId("tab-pose").hidden = !on || !this.sliders.length;
    byId("functions").hidden = !on || !this.levels.length;
    byId("link").hidden = !on;
    if (!on) {
      this.link.close();
      return;
    }
    this.mount();
    this.link.open();
  }

  private mount(): void {
    byId("transport").replaceChildren(
      el(
        "div",
        { class: "keys", role: "group", "aria-label": "Simulation" },
        this.pause,
        button("Reset", ICONS.reset, "Back to rest (R)", () => this.reset(), "live-reset"),
      ),
      el("label", { class: "check" }, this.gravity, "Gravity"),
      ...(this.sliders.length ? [this.follow, this.grab] : []),
      ...(this.data.muscles.length ? [this.relaxButton()] : []),
      this.note,
    );
  }

  private relaxButton(): HTMLButtonElement {
    const b = el("button", { type: "button", class: "chip", id: "relax", title: "All activations to zero" }, "Relax");
    b.addEventListener("click", () => {
      this.setFollow(false);
      this.link.send(Op.Relax);
      announce("All muscles relaxed");
    });
    return b;
  }

  drive(muscle: number, level: number): void {
    if (this.link.state.following) this.setFollow(false);
    this.link.send(Op.Drive, muscle, level);
  }

  strength(muscle: number, level: number): void {
    this.link.send(Op.Strength, muscle, level);
  }

  private setFollow(on: boolean): void {
    if (on === this.link.state.following) return;
    this.link.send(Op.Follow, on ? 1 : 0);
    this.link.state.following = on;
    announce(on ? "The controller follows the target" : "The controller is off");
  }

  private togglePause(): void {
    this.link.send(Op.Pause, this.link.state.paused ? 0 : 1);
    announce(this.link.state.paused ? "Running" : "Paused");
  }

  private reset(): void {
    this.link.send(Op.Reset);
    this.grip.value = "0";
    this.dials.reset();
    this.gripShown.textContent = "0 N";
    this.fresh = false;
    announce("Reset");
  }

  key(e: KeyboardEvent): boolean {
    if (e.key === " ") this.togglePause();
    else if (e.key.toLowerCase() === "r") this.reset();
    else if (e.key.toLowerCase() === "k" && this.sliders.length) this.keys.add();
    else return false;
    return true;
  }

  // ---- functions ----------------------------------------------------------------------------

  /** A slider for each function of the model; what they ask of a muscle adds up. */
  private buildFunctions(): void {
    const panel = byId("functions");
    const rows = this.data.functions.map((name, i) => {
      const input = el("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0, "aria-label": `Level of ${name}`, "data-function": i });
      const shown = el("output", {}, "0.00");
      input.addEventListener("input", () => {
        if (this.link.state.following) this.setFollow(false);
        this.link.send(Op.Function, i, Number(input.value));
      });
      this.levels.push({ input, shown });
      return el("label", { class: "coordinate" }, el("span", {}, name.replace(/[._]/g, " ")), shown, input);
    });
    panel.append(el("details", { class: "group", open: true }, el("summary", {}, el("span", {}, "Functions"), el("span", { class: "count" }, String(rows.length))), ...rows));
  }

  private syncFunctions(): void {
    this.levels.forEach((s, i) => {
      const level = this.link.state.functions[i];
      if (s.input !== document.activeElement) s.input.value = String(level);
      s.shown.textContent = level.toFixed(2);
    });
  }

  // ---- target pose --------------------------------------------------------------------------

  /** What a slider is called, below a heading with the joint's name or without one. */
  private coordinateName(c: Coordinate, headed: boolean): string {
    const joint = c.jointLabel || c.joint;
    if (c.motion) return headed ? c.motion : `${joint} ${c.motion}`;
    return headed ? c.name.replace(`${c.joint}.`, "axis ") : joint;
  }

  /** A button for each posture of the model, and one for the pose as drawn. */
  private postureButtons(): HTMLElement[] {
    if (!this.data.postures.length) return [];
    const zero = this.data.coordinates.map(() => 0);
    const chips = [{ name: "rest", values: zero }, ...this.data.postures].map(({ name, values }) => {
      const text = name.replace(/_/g, " ");
      const b = el("button", { type: "button", class: "chip", "data-posture": name, title: `Target: ${text}` }, text);
      b.addEventListener("click", () => {
        this.setFollow(true);
        this.touched = performance.now();
        values.forEach((v, i) => this.link.send(Op.Aim, i, v));
        announce(`Target: ${text}`);
      });
      return b;
    });
    return [el("div", { class: "postures", role: "group", "aria-label": "Postures" }, ...chips)];
  }

  private buildPose(): void {
    const panel = byId("pose");
    panel.append(el("h2", {}, "Target pose"), ...this.postureButtons(), this.off, this.gripRow, this.gripWhy);
    if (this.data.coordinates.length) panel.append(this.keys.build());
    let joint = "";
    this.data.coordinates.forEach((c, i) => {
      const many = this.data.coordinates.filter((o) => o.joint === c.joint).length > 1;
      if (many && c.joint !== joint) panel.append(el("h3", { title: c.joint }, c.jointLabel || c.joint));
      joint = c.joint;
      const name = this.coordinateName(c, many);
      const input = el("input", {
        type: "range", min: c.lower, max: c.upper, step: (c.upper - c.lower) / 200, value: 0,
        "aria-label": `Target of ${c.motion ? `${c.jointLabel || c.joint} ${c.motion}` : c.name}`, "data-coordinate": i,
      });
      const shown = el("output", {});
      input.addEventListener("input", () => {
        this.setFollow(true);
        this.touched = performance.now();
        this.link.send(Op.Aim, i, Number(input.value));
      });
      this.sliders.push({ input, shown, unit: c.unit });
      // What gives way by itself has no target, but keeps its place among the sliders.
      panel.append(el("label", { class: "coordinate", hidden: !c.driven }, el("span", {}, name.replace(/_/g, " ")), shown, input));
    });
  }

  private syncPose(): void {
    const { goals, coordinates, following } = this.link.state;
    this.sliders.forEach((s, i) => {
      const v = following ? goals[i] : coordinates[i];
      const held = s.input === document.activeElement && (following || performance.now() - this.touched < SETTLE_MS);
      if (!held) s.input.value = String(v);
      const text = s.unit === "rad" ? degrees : millimetres;
      s.shown.textContent = text(coordinates[i]);
      s.input.setAttribute("aria-valuetext", text(Number(s.input.value)));
    });
  }

  // ---- dragging -----------------------------------------------------------------------------

  private buildDrag(): void {
    const canvas = byId<HTMLCanvasElement>("canvas");
    let grip: ReturnType<View["grip"]> = null;
    const at = (e: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    canvas.addEventListener(
      "pointerdown",
      (e) => {
        const wanted = e.shiftKey || this.grab.getAttribute("aria-pressed") === "true";
        if (!this.on || e.button !== 0 || !wanted || !this.link.state.canFollow) return;
        grip = this.view.grip(...at(e));
        if (!grip) return;
        this.dragging = true;
        this.view.controls.enabled = false;
        canvas.setPointerCapture(e.pointerId);
        this.setFollow(true);
        e.stopImmediatePropagation();
      },
      true,
    );
    canvas.addEventListener("pointermove", (e) => {
      if (!grip) return;
      const to = grip.to(...at(e));
      if (to) this.link.send(Op.Drag, grip.body, ...grip.local, ...to);
    });
    const release = () => {
      grip = null;
      this.view.controls.enabled = true;
      window.setTimeout(() => (this.dragging = false));
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  // ---- what comes in ------------------------------------------------------------------------

  private showLink(text: string, bad: boolean): void {
    const node = byId("link");
    if (node.textContent !== text) node.textContent = text;
    node.classList.toggle("bad", bad);
    if (bad) this.fresh = false;
  }

  private snapshot(): void {
    if (!this.on) return;
    const s = this.link.state;
    setIcon(this.pause, s.paused ? "Continue" : "Pause", s.paused ? ICONS.play : ICONS.pause);
    this.follow.setAttribute("aria-pressed", String(s.following));
    // Without muscles there is nothing that could bring the bones to a target: the sliders only show where they are.
    this.off.hidden = s.following || !s.canFollow;
    this.follow.disabled = this.grab.disabled = !s.canFollow;
    this.gripRow.hidden = this.gripWhy.hidden = !s.canGrip;
    if (s.canDial && !this.dials.panel.isConnected) this.gripWhy.after(this.dials.panel);
    for (const { input } of this.sliders) input.disabled = !s.canFollow;
    const time = `${this.link.frame.time.toFixed(2)} s`;
    this.note.textContent = s.diverged
      ? "The simulation diverged: reset it"
      : s.paused ? `${time} · paused` : `${time} · ${s.factor.toFixed(2)} × real time`;
    if (s.diverged && !this.fresh) announce("The simulation diverged. Reset it.");
    this.fresh = s.diverged;
    this.keys.sample(this.link.frame.time, s.coordinates);
    this.syncPose();
    this.syncFunctions();
    this.changed();
  }
}
