// The clinical page: a pose and a case go in; whether each hand can hold it, by whom, who takes over and what is lost come
// out. Healthy and case stand side by side under one camera. The answers are the server's, or those in the file.

import { AnswerPanel } from "./answer";
import { coordinateName, idleStrands, lesionName, NOTICE } from "./anatomy";
import { CaseEditor } from "./caseedit";
import { Consult } from "./consult";
import type { Answer, Change, ClinicData, StudioData } from "./data";
import { announce, byId, el } from "./dom";
import { restFrame, type Frame } from "./frame";
import { Grafts } from "./grafts";
import { Labels } from "./labels";
import { Loads } from "./loads";
import type { View } from "./view";

const POSTURES: [string, string][] = [["hanging", "Hand hangs"], ["palm-down", "Palm down"], ["palm-up", "Palm up"], ["thumb-up", "Thumb up"]];
const SIDES = ["both", "healthy", "case"] as const;
type Sides = (typeof SIDES)[number];
const TWEEN_MS = 220;

const degrees = (v: number) => `${Math.round((v * 180) / Math.PI)}°`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replace(/_/g, " ");

/** Where two hands are on their way to. */
interface Goal {
  frame: Frame;
  positions: Float32Array;
  rotations: Float32Array;
}

export class Clinic {
  readonly consult: Consult;
  readonly labels: Labels;
  /** the answer that is shown */
  answer: Answer | null = null;
  private readonly clinic: ClinicData;
  private readonly editor: CaseEditor | null = null;
  private readonly panel: AnswerPanel;
  private readonly healthy: Frame;
  private readonly grafts: Grafts;
  readonly loads: Loads;
  private readonly sliders: { input: HTMLInputElement; shown: HTMLElement; index: number }[] = [];
  private readonly posture = el("select", { id: "posture", "aria-label": "Where gravity pulls" });
  private readonly toggles: Record<string, HTMLButtonElement> = {};
  private sides: Sides = "both";
  private q: number[];
  private on = false;
  private fileCase = 0;
  private filePose = 0;
  private goals: Goal[] = [];
  private tweenFrom = 0;
  private tweenStart: Float32Array[] = [];
  private ticks = 0;
  /** hands move smoothly to a new answer; under a slider they follow at once */
  private glide = true;
  private timer = 0;

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
    private readonly frame: Frame,
    private readonly served: boolean,
    private readonly events: { changed(): void; select(strand: number): void },
  ) {
    this.clinic = data.clinic!;
    this.q = data.coordinates.map(() => 0);
    this.healthy = restFrame(data);
    this.labels = new Labels(data, view, frame);
    this.grafts = new Grafts(view);
    this.loads = new Loads(data, view);
    this.consult = new Consult(data, { answer: (a) => this.take(a), link: (t, bad) => this.showLink(t, bad) });
    this.panel = new AnswerPanel(data, { select: (s) => events.select(s), change: (...c) => this.editor?.add(...c), editable: served,
      endure: (r) => this.consult.setRhythm(r), explore: (t) => this.consult.setTrial(t) });
    const root = byId("clinic");
    if (served) {
      this.editor = new CaseEditor(data, this.clinic, () => this.caseChanged());
      root.append(this.poses(), this.editor.root, this.joints());
    } else root.append(this.cases(), this.poses());
    root.append(el("p", { class: "notice" }, NOTICE));
    this.makeToggles();
  }

  // ---- panels -------------------------------------------------------------------------------

  /** Names of poses, motions once each. */
  private poseNames(): string[] {
    return [...new Set(this.clinic.poses.map((p) => p.name))];
  }

  private isMotion(name: string): boolean {
    return this.clinic.poses.filter((p) => p.name === name).length > 1;
  }

  /** Motions of the server, to be chosen from a list; those of a file are few and stand beside its poses. */
  private motions(): HTMLSelectElement {
    const names = this.poseNames().filter((n) => this.isMotion(n));
    const select = el("select", { id: "motion", "aria-label": "Motion to play" },
      el("option", { value: "" }, "Play a motion …"), ...names.map((n) => el("option", { value: n }, capital(n.replace(/ in motion$/, "")))));
    select.addEventListener("change", () => select.value && this.choosePose(select.value));
    return select;
  }

  private poses(): HTMLElement {
    const names = this.poseNames().filter((n) => !this.served || !this.isMotion(n));
    const chips = names.map((name) => {
      const b = el("button", { type: "button", class: "chip small", "data-pose": name, "aria-pressed": "false" }, capital(name));
      b.addEventListener("click", () => this.choosePose(name));
      return b;
    });
    const card = el("section", { class: "card", "aria-label": "Pose" }, el("h2", {}, "Pose"),
      el("div", { class: "chips", role: "group", "aria-label": "Poses" }, ...chips));
    if (this.served) {
      this.posture.append(...POSTURES.map(([value, label]) => el("option", { value }, label)));
      this.posture.addEventListener("change", () => this.caseChanged());
      card.append(this.motions(), this.posture);
    } else card.append(el("p", { class: "hint" }, `Gravity: ${POSTURES.find(([p]) => p === this.clinic.posture)?.[1].toLowerCase() ?? "as drawn"}. This file shows what was solved when it was written; sinew studio moves every joint.`));
    return card;
  }

  private cases(): HTMLElement {
    const select = el("select", { id: "file-case", "aria-label": "Case" }, ...this.clinic.cases.map((c, i) => el("option", { value: i }, caseTitle(c.name))));
    select.addEventListener("change", () => {
      this.fileCase = Number(select.value);
      this.showFile();
    });
    return el("section", { class: "card", "aria-label": "Case" }, el("h2", {}, "Case"), select);
  }

  /** A slider for each coordinate that muscles move, by finger. */
  private joints(): HTMLElement {
    const groups = new Map<string, HTMLElement[]>();
    this.data.coordinates.forEach((c, index) => {
      if (!c.driven) return;
      const full = coordinateName(c);
      const [first, ...rest] = full.split(" ");
      const input = el("input", {
        type: "range", min: c.lower, max: c.upper, step: (c.upper - c.lower) / 200, value: 0, "aria-label": `${full}, target`, "data-coordinate": index,
      });
      const shown = el("output", {}, degrees(0));
      input.setAttribute("aria-valuetext", degrees(0));
      input.addEventListener("input", () => {
        this.q[index] = Number(input.value);
        this.showSlider(index);
        this.stop();
        this.markPose("");
        this.glide = false;
        this.consult.setPose(this.q);
      });
      this.sliders.push({ input, shown, index });
      const row = el("label", { class: "coordinate" }, el("span", {}, capital(rest.join(" ") || first)), shown, input);
      groups.set(first, [...(groups.get(first) ?? []), row]);
    });
    const nodes = [...groups].map(([name, rows], i) =>
      el("details", { class: "group", open: i < 1 }, el("summary", {}, el("span", {}, capital(name)), el("span", { class: "count" }, String(rows.length))), ...rows));
    return el("section", { class: "card", "aria-label": "Joints" }, el("h2", {}, "Joints"), ...nodes);
  }

  private showSlider(index: number): void {
    const s = this.sliders.find((o) => o.index === index);
    if (!s) return;
    s.shown.textContent = degrees(this.q[index]);
    s.input.setAttribute("aria-valuetext", degrees(this.q[index]));
    if (s.input !== document.activeElement) s.input.value = String(this.q[index]);
  }

  private markPose(name: string): void {
    for (const b of byId("clinic").querySelectorAll("[data-pose]")) b.setAttribute("aria-pressed", String(b.getAttribute("data-pose") === name));
    const motion = byId("clinic").querySelector<HTMLSelectElement>("#motion");
    if (motion) motion.value = this.isMotion(name) ? name : "";
  }

  /** Switches above the picture: how muscles are drawn, and which hand. */
  private makeToggles(): void {
    const add = (id: string, label: string, title: string, act: () => void) => {
      const b = el("button", { type: "button", class: "chip", id, "aria-pressed": "false", title }, label);
      b.addEventListener("click", act);
      this.toggles[id] = b;
      return b;
    };
    const sides = add("hands", "Both hands", "Both hands, the healthy one, or the case (H)", () => this.nextSides());
    sides.removeAttribute("aria-pressed");
    const group = el("div", { class: "chips", id: "clinic-layers", role: "group", "aria-label": "Clinical view" },
      sides,
      add("by-activity", "By activity", "Fade muscles that rest (O)", () => this.toggleOpacity()),
      add("spread", "Spread", "Spread the bellies; their ends stay in place (E)", () => this.toggleSpread()),
      add("name-tags", "Labels", "Name, nerve and action of the most active muscles (L)", () => this.toggleLabels()));
    group.hidden = true;
    byId("view").append(group);
  }

  private press(id: string, on: boolean): void {
    this.toggles[id].setAttribute("aria-pressed", String(on));
    announce(`${this.toggles[id].textContent} ${on ? "on" : "off"}`);
  }

  toggleOpacity(): void {
    const on = !this.view.tubes.byActivity;
    this.view.drawTubes((t) => (t.byActivity = on));
    this.press("by-activity", on);
  }

  toggleSpread(): void {
    const on = this.view.tubes.spread === 0;
    this.view.drawTubes((t) => (t.spread = on ? 1 : 0));
    this.press("spread", on);
  }

  toggleLabels(): void {
    this.labels.on = !this.labels.on;
    this.press("name-tags", this.labels.on);
    this.view.request();
  }

  nextSides(): void {
    this.sides = SIDES[(SIDES.indexOf(this.sides) + 1) % SIDES.length];
    this.toggles.hands.textContent = this.sides === "both" ? "Both hands" : this.sides === "healthy" ? "Healthy hand" : "Case only";
    announce(this.toggles.hands.textContent);
    this.place(false);
  }

  key(e: KeyboardEvent): boolean {
    const acts: Record<string, () => void> = {
      o: () => this.toggleOpacity(), e: () => this.toggleSpread(), l: () => this.toggleLabels(), h: () => this.nextSides(),
      " ": () => this.togglePlay(),
    };
    const act = acts[e.key.toLowerCase()];
    act?.();
    return !!act;
  }

  // ---- on and off ---------------------------------------------------------------------------

  set(on: boolean): void {
    this.on = on;
    document.body.classList.toggle("clinical", on);
    for (const id of ["clinic", "answer", "tab-clinic", "tab-answer"]) byId(id).hidden = !on;
    byId("clinic-layers").hidden = !on;
    byId("link").hidden = !on || !this.served;
    this.view.afterDraw = on ? () => this.labels.draw() : null;
    const narrow = matchMedia("(max-width: 800px)").matches;
    if (on) {
      this.mount();
      if (narrow) this.view.cover(24, 40);
      else this.view.cover(24, 130); // the captions and the scale
      if (this.served) this.consult.open();
      else this.choosePose(this.poseNames()[0]);
      if (narrow) byId("tab-answer").click();
    } else {
      this.consult.close();
      this.stop();
      this.view.beside(null);
      this.grafts.show([]);
      this.loads.show([]);
      this.view.drawTubes((t) => (t.idle.fill(0), (t.byActivity = false), (t.spread = 0)));
      byId("labels").replaceChildren();
      byId("captions").hidden = true;
      this.view.cover();
    }
  }

  private mount(): void {
    byId("transport").replaceChildren(el("p", { class: "notice", id: "clinic-notice" }, NOTICE));
    byId("transport").hidden = false;
  }

  private showLink(text: string, bad: boolean): void {
    const node = byId("link");
    node.textContent = text;
    node.classList.toggle("bad", bad);
  }

  // ---- questions ----------------------------------------------------------------------------

  get changes(): Change[] {
    return this.editor ? this.editor.changes : this.clinic.cases[this.fileCase].changes;
  }

  private caseChanged(): void {
    this.glide = true;
    const posture = Math.max(0, POSTURES.findIndex(([p]) => p === this.posture.value));
    this.consult.setCase(this.changes, posture);
  }

  private choosePose(name: string): void {
    const first = this.clinic.poses.findIndex((p) => p.name === name);
    if (first < 0) return;
    this.stop();
    this.glide = true;
    this.filePose = first;
    this.q = this.clinic.poses[first].q.slice();
    this.data.coordinates.forEach((_, i) => this.showSlider(i));
    this.markPose(name);
    announce(`Pose ${name}`);
    if (this.served) this.consult.setPose(this.q);
    else this.showFile();
    this.offerMotion(name);
  }

  private showFile(): void {
    this.take(this.clinic.cases[this.fileCase].answers[this.filePose]);
  }

  // ---- motions in a file --------------------------------------------------------------------

  /** Poses of one name are the frames of a motion: they can be played. */
  private offerMotion(name: string): void {
    const motion = this.clinic.poses.flatMap((p, i) => (p.name === name ? [i] : []));
    if (motion.length < 2) return this.mount();
    const slider = el("input", { type: "range", id: "motion-time", min: 0, max: motion.length - 1, step: 1, value: 0, "aria-label": `Time of ${name}` });
    const clock = el("output", { class: "clock" });
    const show = (i: number) => {
      this.filePose = motion[i];
      slider.value = String(i);
      clock.textContent = `${this.clinic.poses[motion[i]].time.toFixed(2)} s`;
      slider.setAttribute("aria-valuetext", clock.textContent);
      if (this.served) this.showFrame();
      else this.showFile();
    };
    slider.addEventListener("input", () => (this.stop(), (this.glide = false), show(Number(slider.value))));
    const play = el("button", { type: "button", class: "chip", id: "motion-play" }, "Play");
    play.addEventListener("click", () => this.togglePlay());
    this.advance = () => show((Number(slider.value) + 1) % motion.length);
    this.playButton = play;
    byId("transport").replaceChildren(play, slider, clock, el("p", { class: "notice" }, NOTICE));
    show(0);
  }

  /** Asks the server about one moment of a motion. */
  private showFrame(): void {
    this.q = this.clinic.poses[this.filePose].q.slice();
    this.data.coordinates.forEach((_, i) => this.showSlider(i));
    this.consult.setPose(this.q);
  }

  private advance: (() => void) | null = null;
  private playButton: HTMLButtonElement | null = null;

  private togglePlay(): void {
    if (this.timer) return this.stop();
    if (!this.advance || !this.playButton?.isConnected) return;
    this.glide = false;
    this.timer = window.setInterval(() => this.advance?.(), 1000 / 12);
    this.playButton.textContent = "Pause";
  }

  private stop(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    if (this.playButton) this.playButton.textContent = "Play";
  }

  // ---- answers ------------------------------------------------------------------------------

  private take(answer: Answer): void {
    if (!this.on) return;
    if (answer.error) {
      byId("case-note").textContent = answer.error;
      announce(answer.error);
      return;
    }
    // The first answer comes without the nearest pose: the hand waits for the second rather than jump twice.
    const waits = !answer.final && !!answer.case && answer.case.unmet > 2;
    this.answer = answer;
    this.panel.show(answer, this.changes, waits);
    if (!waits) this.place(this.glide);
  }

  /** Puts both hands where the answer has them. */
  private place(tween: boolean): void {
    const a = this.answer;
    if (!a) return;
    const shows = a.case && this.sides !== "healthy" ? a.case : a.healthy;
    const bodies = shows === a.case ? (a.case.nearest?.bodies ?? a.bodies) : a.bodies;
    this.frame.activation.set(shows.activation);
    this.frame.force.set(shows.force);
    this.frame.time = ++this.ticks;
    this.frame.place = -1;
    this.frame.hasTarget = bodies !== a.bodies;
    spreadBodies(a.bodies, this.frame.targetPositions, this.frame.targetRotations);
    this.healthy.activation.set(a.healthy.activation);
    this.healthy.force.set(a.healthy.force);
    this.goals = [goal(this.frame, bodies), goal(this.healthy, a.bodies)];
    const both = !!a.case && this.sides === "both";
    this.view.beside(both ? this.healthy : null);
    const idle = shows === a.case ? idleStrands(this.data, this.changes) : new Set<number>();
    this.view.tubes.idle.forEach((_, s) => (this.view.tubes.idle[s] = idle.has(s) ? 1 : 0));
    const lost = new Set(shows.lost ?? []);
    this.view.tubes.hidden.forEach((_, s) => (this.view.tubes.hidden[s] = lost.has(s) ? 1 : 0));
    this.grafts.show(shows.grafts ?? []);
    this.loads.show(this.changes);
    this.caption(both, shows === a.case);
    this.start(tween && !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  private caption(both: boolean, changed: boolean): void {
    const captions = byId("captions");
    const loaded = this.changes.some((c) => c.kind === "load");
    const healthy = loaded ? "Healthy, same load" : "Healthy";
    const right = changed ? (this.editor ? "Case" : caseTitle(this.clinic.cases[this.fileCase].name)) : loaded ? "Healthy, loaded" : "Healthy";
    captions.hidden = false;
    captions.classList.toggle("two", both);
    captions.replaceChildren(...(both ? [el("span", {}, healthy)] : []), el("span", { class: changed ? "changed" : "" }, right));
  }

  private start(tween: boolean): void {
    this.tweenStart = this.goals.flatMap((g) => [g.frame.positions.slice(), g.frame.rotations.slice()]);
    const running = this.tweenFrom > 0;
    this.tweenFrom = performance.now() - (tween ? 0 : TWEEN_MS);
    if (!running) this.step();
  }

  private step(): void {
    const t = Math.min((performance.now() - this.tweenFrom) / TWEEN_MS, 1);
    const f = t * t * (3 - 2 * t);
    this.goals.forEach((g, i) => {
      blend(g.frame.positions, this.tweenStart[2 * i], g.positions, f);
      blendRotations(g.frame.rotations, this.tweenStart[2 * i + 1], g.rotations, f);
    });
    this.lengths();
    this.events.changed();
    if (t < 1) requestAnimationFrame(() => this.step());
    else this.tweenFrom = 0;
  }

  /** Lengths as the picture has them: an answer does not bring them. */
  private lengths(): void {
    this.data.strands.forEach((_, s) => (this.frame.length[s] = this.view.tubes.lengthOf(s)));
  }

  select(strand: number): void {
    this.panel.select(strand);
  }
}

/** A case of one change is called like it: nerve ulnar-low, cut FDP2. */
function caseTitle(name: string): string {
  const lesion = name.match(/^nerve (.+)$/);
  return lesion ? lesionName(lesion[1]) : capital(name);
}

function spreadBodies(bodies: number[], positions: Float32Array, rotations: Float32Array): void {
  for (let b = 0; 7 * b < bodies.length; b++) {
    positions.set(bodies.slice(7 * b, 7 * b + 3), 3 * b);
    rotations.set(bodies.slice(7 * b + 3, 7 * b + 7), 4 * b);
  }
}

function goal(frame: Frame, bodies: number[]): Goal {
  const g = { frame, positions: new Float32Array(frame.positions.length), rotations: new Float32Array(frame.rotations.length) };
  spreadBodies(bodies, g.positions, g.rotations);
  return g;
}

function blend(out: Float32Array, a: Float32Array, b: Float32Array, f: number): void {
  for (let i = 0; i < out.length; i++) out[i] = a[i] * (1 - f) + b[i] * f;
}

function blendRotations(out: Float32Array, a: Float32Array, b: Float32Array, f: number): void {
  for (let i = 0; i < out.length; i += 4) {
    let dot = 0;
    for (let k = 0; k < 4; k++) dot += a[i + k] * b[i + k];
    let norm = 0;
    for (let k = 0; k < 4; k++) {
      out[i + k] = a[i + k] * (1 - f) + (dot < 0 ? -f : f) * b[i + k];
      norm += out[i + k] ** 2;
    }
    for (let k = 0; k < 4; k++) out[i + k] /= Math.sqrt(norm) || 1;
  }
}
