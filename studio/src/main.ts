// The page: loads the data, builds the parts, and passes between them what the reader does. No physics here.

import { Clinic } from "./clinic";
import { Controls, picturesChoice } from "./controls";
import { DataError, loadData, requestData, type StudioData } from "./data";
import { Details } from "./details";
import { announce, byId, el, pretty } from "./dom";
import { FillMode } from "./fill";
import { restFrame, sampleReplay, type Frame } from "./frame";
import { makeHelp } from "./help";
import { MuscleList } from "./list";
import { Player } from "./player";
import { LiveMode } from "./livemode";
import { Scale } from "./scale";
import { hasSolver } from "./socket";
import { Slices } from "./slices";
import { Theme } from "./theme";
import { Transport } from "./transport";
import { View } from "./view";

class Studio {
  readonly view: View;
  readonly player: Player | null = null;
  readonly frame: Frame;
  selected = -1;
  private readonly list: MuscleList;
  private readonly details: Details;
  private readonly controls: Controls;
  readonly scale: Scale;
  private readonly transport: Transport | null = null;
  private readonly theme: Theme;
  private readonly help: HTMLDialogElement;
  private readonly liveMode: LiveMode | null = null;
  private live = false;
  readonly clinic: Clinic | null = null;
  private inClinic = false;
  private readonly fillMode: FillMode | null = null;
  private filling = false;
  private shown: Set<number> | null = null;
  /** the strand that the tip is about, -1: no tip */
  private tipped = -1;

  constructor(readonly data: StudioData) {
    this.frame = restFrame(data);
    byId("model").textContent = data.title ? `${data.name} · ${data.title}` : data.name;
    document.title = `${data.name} – sinew studio`;
    this.scale = new Scale(data, () => this.rescale());
    this.view = new View(byId<HTMLCanvasElement>("canvas"), data);
    this.list = new MuscleList(data, {
      select: (s) => this.select(s === this.selected ? -1 : s),
      hover: (s) => this.hover(s),
      drive: (muscle, level) => this.liveMode?.drive(muscle, level),
    });
    this.details = new Details(data, {
      select: (s) => this.select(s),
      seek: (t) => this.player?.seek(t),
      strength: (muscle, level) => {
        this.liveMode?.strength(muscle, level);
        this.list.setStrength(muscle, level);
      },
      isolate: (s) => this.showOnly(new Set([s])),
      hide: (s) => this.hide(s),
      showAll: () => this.showOnly(null),
    });
    this.controls = new Controls(data, this.view, this.scale);
    if (data.replay) {
      this.player = new Player(data.replay, () => this.playerChanged());
      this.transport = new Transport(data, this.player);
      this.transport.mount();
    }
    byId("transport").hidden = !data.replay && !data.live;
    if (data.live) this.liveMode = new LiveMode(data, this.view, this.frame, () => this.liveChanged());
    if (data.clinic) {
      // Cases in the data: a page that was handed over. Without any there is a server to ask.
      this.clinic = new Clinic(data, this.view, this.frame, data.clinic.cases.length === 0, {
        changed: () => this.liveChanged(),
        select: (s) => this.select(s === this.selected ? -1 : s),
      });
    }
    if (data.live && data.fillable.length && !hasSolver()) this.fillMode = new FillMode(data, this.view);
    this.help = makeHelp(data.live, !!data.clinic, picturesChoice(this.view));
    this.theme = new Theme((dark) => {
      this.view.theme(dark);
      this.transport?.paint();
      this.details.update(this.frame);
    });
    this.tabs();
    this.modes();
    this.pointer();
    if (!this.inClinic) this.view.cover(); // the buttons and the legend are there now
    document.addEventListener("keydown", (e) => this.key(e));
    this.refresh();
  }

  private playerChanged(): void {
    if (this.live || this.inClinic) return;
    this.transport?.update();
    this.refresh();
  }

  /** The colours end elsewhere: everything that has them is drawn again. */
  private rescale(): void {
    this.controls.drawScale();
    this.list.rescale();
    this.transport?.rescale();
    this.show();
  }

  /** A snapshot has come in: the frame is filled already. */
  private liveChanged(): void {
    this.scale.see(this.frame.activation, this.frame.time);
    this.show();
    this.list.syncSliders(this.frame.activation);
  }

  /** Replay or live, where the page has both; live where there is no replay. */
  private modes(): void {
    if (this.clinic) {
      byId("mode").hidden = !this.player;
      byId("mode-live").hidden = true;
      byId("mode-clinic").hidden = false;
      byId("mode-clinic").addEventListener("click", () => this.setClinic(true));
      byId("mode-replay").addEventListener("click", () => this.setClinic(false));
      if (!this.player) this.setClinic(true);
    }
    if (!this.liveMode) return;
    byId("mode").hidden = !this.player && !this.fillMode;
    byId("mode-replay").hidden = !this.player;
    byId("mode-fill").hidden = !this.fillMode;
    byId("mode-fill").addEventListener("click", () => this.setFill(true));
    byId("mode-replay").addEventListener("click", () => this.setLive(false));
    byId("mode-live").addEventListener("click", () => this.setLive(true));
    if (!this.player) this.setLive(true);
  }

  /** Filling a muscle is a mode of its own: the model stands as drawn, and the simulation rests. */
  setFill(on: boolean): void {
    if (!this.fillMode || on === this.filling) return;
    this.filling = on;
    this.fillMode.set(on);
    document.body.classList.toggle("filling", on);
    byId("mode-fill").setAttribute("aria-pressed", String(on));
    if (on) {
      this.player?.pause();
      if (this.live) this.liveMode!.link.close();
      byId("mode-replay").setAttribute("aria-pressed", "false");
      byId("mode-live").setAttribute("aria-pressed", "false");
      Object.assign(this.frame, restFrame(this.data));
      this.show();
      byId("tab-fill").click();
      announce("Fill a muscle with strands");
    } else {
      byId("tab-muscles").click();
      byId(this.live ? "mode-live" : "mode-replay").setAttribute("aria-pressed", "true");
      if (this.live) this.liveMode!.link.open();
      else this.refresh();
    }
  }

  /** Poses and cases instead of the replay. */
  setClinic(on: boolean): void {
    if (!this.clinic || on === this.inClinic || (!on && !this.player)) return;
    this.player?.pause();
    this.inClinic = on;
    byId("mode-replay").setAttribute("aria-pressed", String(!on));
    byId("mode-clinic").setAttribute("aria-pressed", String(on));
    this.scale.setLive(on);
    this.clinic.set(on);
    if (!on) {
      this.transport?.mount();
      this.refresh();
    }
    announce(on ? "Clinic" : "Replay");
  }

  setLive(live: boolean): void {
    this.setFill(false);
    if (!this.liveMode || live === this.live || (!live && !this.player)) return;
    this.player?.pause();
    this.live = live;
    byId("mode-replay").setAttribute("aria-pressed", String(!live));
    byId("mode-live").setAttribute("aria-pressed", String(live));
    this.list.setLive(live);
    this.details.setLive(live);
    this.liveMode.set(live);
    this.scale.setLive(live);
    if (!live) {
      this.transport?.mount();
      this.refresh();
    }
    announce(live ? "Live simulation" : "Replay");
  }

  /** Shows the frame that the clock points at. */
  refresh(): void {
    if (this.player && !this.live && !this.inClinic) sampleReplay(this.player.replay, this.player.time, this.frame);
    this.show();
  }

  private show(): void {
    this.view.update(this.frame);
    if (this.tipped >= 0) byId("tip").replaceChildren(...this.describe(this.tipped));
    this.list.update(this.frame);
    this.details.update(this.frame);
  }

  select(strand: number): void {
    this.selected = strand;
    this.view.selected = strand;
    this.list.mark(strand);
    this.details.select(strand);
    this.clinic?.select(strand);
    this.transport?.select(strand);
    announce(strand < 0 ? "Nothing selected" : `${this.data.strands[strand].name} selected`);
    this.refresh();
  }

  /** Strands in the picture; null: all. */
  private showOnly(strands: Set<number> | null): void {
    this.shown = strands;
    this.view.showOnly(strands);
    this.list.showOnly(strands);
    const n = this.data.strands.length;
    announce(strands ? `${strands.size} of ${n} shown` : "All muscles shown");
  }

  private hide(strand: number): void {
    const shown = this.shown ?? new Set(this.data.strands.keys());
    shown.delete(strand);
    this.showOnly(shown);
  }

  private hover(strand: number): void {
    if (this.view.hovered === strand) return;
    this.view.hovered = strand;
    this.view.update(this.frame);
  }

  private tabs(): void {
    const layout = byId("layout");
    for (const tab of document.querySelectorAll<HTMLElement>(".tabs [role=tab]"))
      tab.addEventListener("click", () => {
        layout.dataset.tab = tab.getAttribute("aria-controls")!;
        for (const t of document.querySelectorAll(".tabs [role=tab]")) t.setAttribute("aria-selected", String(t === tab));
        this.details.update(this.frame);
      });
  }

  /** A click that did not turn the model selects; the pointer at rest names what it is on. */
  private pointer(): void {
    const canvas = byId<HTMLCanvasElement>("canvas");
    const tip = byId("tip");
    let down = { x: 0, y: 0 };
    canvas.addEventListener("pointerdown", (e) => (down = { x: e.clientX, y: e.clientY }));
    canvas.addEventListener("pointerup", (e) => {
      if (Math.hypot(e.clientX - down.x, e.clientY - down.y) > 5 || e.button !== 0 || this.liveMode?.dragging) return;
      const box = canvas.getBoundingClientRect();
      this.select(this.view.pick(e.clientX - box.left, e.clientY - box.top, e.pointerType === "touch" ? 20 : 10));
    });
    canvas.addEventListener("pointermove", (e) => {
      if (e.pointerType === "touch" || e.buttons) return;
      const box = canvas.getBoundingClientRect();
      const x = e.clientX - box.left;
      const y = e.clientY - box.top;
      const strand = this.view.pick(x, y, 8);
      this.hover(strand);
      canvas.style.cursor = strand >= 0 ? "pointer" : "grab";
      tip.hidden = strand < 0;
      this.tipped = strand;
      if (strand < 0) return;
      tip.replaceChildren(...this.describe(strand));
      tip.style.transform = `translate(${Math.max(Math.min(x + 14, box.width - tip.offsetWidth - 4), 4)}px, ${Math.max(y - tip.offsetHeight - 6, 4)}px)`;
    });
    canvas.addEventListener("pointerleave", () => {
      tip.hidden = true;
      this.tipped = -1;
      this.hover(-1);
    });
  }

  /** A strand in two lines: what it is, and what it does now. */
  private describe(strand: number): (Node | string)[] {
    const { name, label, muscle } = this.data.strands[strand];
    const numbers = [
      muscle < 0 ? "passive" : `activation ${this.frame.activation[muscle].toFixed(2)}`,
      `${pretty(this.frame.force[strand])} N`,
      `${pretty(1000 * this.frame.length[strand])} mm`,
    ];
    return [el("strong", {}, name), ...(label ? [` ${label}`] : []), el("br"), numbers.join(" · ")];
  }

  private key(e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || this.help.open) return;
    if (e.key === "Escape") {
      if (target instanceof HTMLInputElement && target.type === "search") target.blur();
      this.select(-1);
      return;
    }
    if (target instanceof HTMLInputElement && target.type === "search") return;
    if (target instanceof HTMLSelectElement) return;
    if (target.id === "canvas" && this.canvasKey(e)) return e.preventDefault();
    const onButton = target instanceof HTMLButtonElement || target.tagName === "SUMMARY";
    if (e.key === " " && onButton) return;
    const slider = target instanceof HTMLInputElement && target.type === "range" && target.id !== "timeline";
    if (slider && (e.key.startsWith("Arrow") || e.key === "Home" || e.key === "End")) return;
    if (this.inClinic && this.clinic!.key(e)) return e.preventDefault();
    if (this.live ? this.liveMode!.key(e) || this.viewKey(e) : this.playKey(e) || this.viewKey(e)) e.preventDefault();
  }

  private canvasKey(e: KeyboardEvent): boolean {
    if (e.shiftKey) return false;
    const turn: Record<string, [number, number]> = {
      ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1],
    };
    if (turn[e.key]) this.view.orbit(...turn[e.key]);
    else if (e.key === "+" || e.key === "=") this.view.zoom(0.9);
    else if (e.key === "-") this.view.zoom(1.1);
    else return false;
    return true;
  }

  private playKey(e: KeyboardEvent): boolean {
    const p = this.player;
    if (!p) return false;
    const n = e.shiftKey ? 10 : 1;
    switch (e.key) {
      case " ":
        p.toggle();
        announce(p.playing ? "Playing" : "Paused");
        return true;
      case "ArrowLeft":
        p.step(-n);
        return true;
      case "ArrowRight":
        p.step(n);
        return true;
      case "Home":
        p.seek(p.start);
        return true;
      case "End":
        p.pause();
        p.seek(p.end);
        return true;
      case ",":
      case ".":
        p.faster(e.key === "." ? 1 : -1);
        announce(`Speed ${p.speed}`);
        return true;
    }
    return false;
  }

  private viewKey(e: KeyboardEvent): boolean {
    const actions: Record<string, () => void> = {
      b: () => this.controls.toggle("bones"),
      s: () => this.controls.toggle("strands"),
      o: () => this.controls.toggle("soft"),
      g: () => this.controls.toggle("target"),
      c: () => this.controls.toggle("constraints"),
      w: () => this.controls.toggle("surfaces"),
      d: () => this.controls.toggle("grid"),
      k: () => this.controls.cycleSkin(),
      f: () => this.view.refit(),
      t: () => this.theme.toggle(),
      a: () => this.scale.toggle(),
      m: () => this.scale.toggleColours(),
      i: () => this.selected >= 0 && this.showOnly(new Set([this.selected])),
      h: () => this.selected >= 0 && this.hide(this.selected),
      u: () => this.showOnly(null),
      p: () => this.controls.savePicture(),
      "/": () => this.list.focusSearch(),
      "?": () => this.help.showModal(),
    };
    const side = this.view.sides[Number(e.key) - 1];
    const action = side ? () => this.view.look(side) : actions[e.key.toLowerCase()];
    action?.();
    return !!action;
  }
}

/**
 * When "Loading" is on the screen. Building the model keeps the graphics process busy, so a frame that has only been handed
 * to it would come late. A page in the background is never painted: that ends the wait, too.
 */
function painted(): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, 500);
    new PerformanceObserver((list) => {
      if (list.getEntriesByName("first-contentful-paint").length) done();
    }).observe({ type: "paint", buffered: true });
  });
}

async function start(): Promise<void> {
  try {
    const slicing = document.documentElement.hasAttribute("data-slices");
    const asked = slicing ? null : requestData();
    await painted();
    performance.mark("loading");
    if (slicing) {
      const slices = new Slices();
      (window as any).studio = slices;
      await slices.open();
      document.documentElement.dataset.ready = "true";
      return;
    }
    const bar = byId<HTMLProgressElement>("loading-bar");
    const data = await loadData(asked, (share) => (bar.value = share));
    // For tests and for curious people at the console.
    performance.mark("data");
    (window as any).studio = new Studio(data);
    performance.mark("built");
    byId("loading").hidden = true;
    document.documentElement.dataset.ready = "true";
  } catch (error) {
    const place = byId("failure");
    byId("loading").hidden = true;
    place.hidden = false;
    place.textContent =
      error instanceof DataError
        ? `The data of this page cannot be shown: ${error.message}.`
        : `The page could not start: ${error instanceof Error ? error.message : error}. It needs WebGL 2.`;
    document.documentElement.dataset.ready = "failed";
  }
}

void start();
