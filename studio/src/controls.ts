// What is shown and from where: layers, opacity of the skin, thickness of the strands, sides, legend.

import type { StudioData } from "./data";
import { announce, byId, cssVar, el } from "./dom";
import { MARKER_COLORS } from "./markers";
import { rampColours, rampCss, rampPlace, rampTop } from "./ramp";
import type { Scale } from "./scale";
import type { Choice } from "./quality";
import type { Layer, View } from "./view";

interface Switch {
  layer: Layer;
  label: string;
  key: string;
  on: boolean;
  there: boolean;
  about?: string;
}

export class Controls {
  private readonly buttons = new Map<Layer, HTMLButtonElement>();
  private readonly skin = el("input", { type: "range", id: "skin", min: 0, max: 1, step: 0.05, value: 0.35, "aria-label": "Opacity of the skin" });

  private readonly scaleButton = el("button", { type: "button", class: "chip tiny", id: "scale", "aria-label": "Colours up to 1", "aria-pressed": "false" }, "to 1");
  private readonly ramp = el("span", { class: "scale" });
  private readonly colours = el("button", { type: "button", class: "chip tiny", id: "colours", "aria-label": "Colours of activation instead of anatomy", "aria-pressed": "false" }, "heat");

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
    private readonly scale: Scale,
  ) {
    const hasTarget = data.live || !!data.clinic || !!data.replay?.targetPositions;
    const switches: Switch[] = [
      { layer: "bones", label: "Bones", key: "B", on: true, there: true },
      { layer: "strands", label: data.strands.every((s) => s.line) ? "Muscles" : "Strands", key: "S", on: true, there: data.strands.length > 0 },
      { layer: "soft", label: "Soft muscles", key: "O", on: true, there: data.soft.length > 0, about: "shapes of a deformation library in the place of strands" },
      { layer: "target", label: "Target", key: "G", on: true, there: hasTarget, about: "the motion to follow, as a wireframe where the bones leave it" },
      { layer: "constraints", label: "Constraints", key: "C", on: false, there: data.constraints.length > 0 },
      { layer: "surfaces", label: "Surfaces", key: "W", on: false, there: data.bodies.some((b) => b.meshes.some((m) => m.wrap)) },
      { layer: "grid", label: "Grid", key: "D", on: true, there: true },
    ];
    const chips = switches.filter((s) => s.there).map((s) => this.makeSwitch(s));
    this.scaleButton.addEventListener("click", () => this.scale.toggle());
    this.colours.addEventListener("click", () => this.scale.toggleColours());
    const rows: Node[] = [el("div", { class: "chips", role: "group", "aria-label": "Layers" }, ...chips)];
    if (data.skin) rows.push(this.slider("Skin", this.skin, (v) => view.setSkinOpacity(v)));
    const thickness = el("input", { type: "range", id: "thickness", min: 0.4, max: 2.5, step: 0.1, value: 1, "aria-label": "Thickness of muscles and tendons" });
    if (data.strands.length) rows.push(this.slider("Thickness", thickness, (v) => view.drawTubes((t) => (t.thickness = v))));
    byId("view").append(...rows);
    view.setSkinOpacity(Number(this.skin.value));
    this.sides();
    this.legend();
  }

  private makeSwitch(s: Switch): HTMLButtonElement {
    const b = el("button", {
      type: "button", class: "chip", id: `layer-${s.layer}`, "aria-pressed": String(s.on), title: `${s.label}${s.about ? `: ${s.about}` : ""} (${s.key})`,
    }, s.label);
    b.addEventListener("click", () => this.toggle(s.layer));
    this.buttons.set(s.layer, b);
    this.view.show(s.layer, s.on);
    return b;
  }

  private slider(label: string, input: HTMLInputElement, set: (v: number) => void): HTMLElement {
    input.addEventListener("input", () => set(Number(input.value)));
    return el("label", { class: "slider" }, el("span", {}, label), input);
  }

  isOn(layer: Layer): boolean {
    return this.buttons.get(layer)?.getAttribute("aria-pressed") === "true";
  }

  toggle(layer: Layer): void {
    const b = this.buttons.get(layer);
    if (!b) return;
    const on = b.getAttribute("aria-pressed") !== "true";
    b.setAttribute("aria-pressed", String(on));
    this.view.show(layer, on);
    if (layer === "constraints") byId("legend").classList.toggle("with-marks", on);
    announce(`${b.textContent} ${on ? "shown" : "hidden"}`);
  }

  /** Skin: away, see-through, whole. */
  cycleSkin(): void {
    if (!this.data.skin) return;
    const v = Number(this.skin.value);
    const next = v < 0.02 ? 0.35 : v < 0.98 ? 1 : 0;
    this.skin.value = String(next);
    this.view.setSkinOpacity(next);
    announce(`Skin ${Math.round(100 * next)} per cent`);
  }

  private sides(): void {
    this.view.sides.forEach((side, i) => {
      const b = el("button", { type: "button", class: "chip small", title: `${side.name} (${i + 1})`, id: `side-${side.id}` }, side.name);
      b.addEventListener("click", () => this.view.look(side));
      byId("sides").append(b);
    });
    const fit = el("button", { type: "button", class: "chip small", title: "Whole model or close; with a muscle selected, that muscle (F)", id: "fit" }, "Fit");
    fit.addEventListener("click", () => this.view.refit());
    const picture = el("button", { type: "button", class: "chip small", id: "picture", "aria-label": "Save the picture", title: "Save the picture as a PNG file (P)" }, "Save");
    picture.addEventListener("click", () => this.savePicture());
    byId("sides").append(fit, picture);
  }

  /** What is in the picture, as a file: its name is that of the model and the time. */
  savePicture(): void {
    const { name, title } = this.data;
    const time = this.view.time.toFixed(2).replace(".", "_");
    this.view.picture(cssVar("--paper")).toBlob((blob) => {
      if (!blob) return announce("The picture could not be saved");
      const link = el("a", { href: URL.createObjectURL(blob), download: `${[name, title].filter(Boolean).join("-")}-${time}s.png`.replace(/[^\w.-]+/g, "_") });
      link.click();
      window.setTimeout(() => URL.revokeObjectURL(link.href), 10000);
      announce("Picture saved");
    });
  }

  /** The scale of colours with its ticks: at nothing, a quarter and all of it. */
  drawScale(): void {
    const top = rampTop();
    const bar = el("span", { class: "ramp", "aria-hidden": "true" });
    bar.style.background = `linear-gradient(to right, ${Array.from({ length: 13 }, (_, i) => rampCss(top * (i / 12) ** 2)).join(", ")})`;
    const ticks = [0, top / 4, top].map((level) => {
      const tick = el("span", { class: "tick", "aria-hidden": "true" }, String(Number(level.toFixed(4))));
      tick.style.left = `${100 * rampPlace(level)}%`;
      return tick;
    });
    const shown = this.ramp.contains(this.scaleButton) ? [...this.ramp.children].slice(0, -2) : [];
    shown.forEach((node) => node.remove()); // the buttons stay: one may have the focus
    this.ramp.prepend(el("span", {}, "activation"), el("span", { class: "ramp-box" }, bar, ...ticks));
    if (!shown.length) this.ramp.append(this.scaleButton, this.colours);
    const anatomy = rampColours() === "anatomy";
    this.colours.setAttribute("aria-pressed", String(!anatomy));
    this.colours.title = anatomy ? "Muscles are red and glow with activation; press for a scale of many colours (M)" : "A scale of many colours; press for muscle red and tendon ivory (M)";
    byId("legend").setAttribute("aria-label", `Legend: colours of activation from 0 to ${top}; full is 1`);
    this.scaleButton.setAttribute("aria-pressed", String(this.scale.whole));
    this.scaleButton.title = this.scale.whole ? "Colours up to 1, all that a muscle can do; press to fit them to the motion (A)" : `Colours end at ${top}; press for the whole range, up to 1 (A)`;
  }

  private legend(): void {
    this.drawScale();
    this.ramp.hidden = !this.data.muscles.length;
    byId("legend").hidden = this.ramp.hidden && !this.data.constraints.length;
    const marks = this.view.markers.counts().map(([type, n]) => {
      const mark = el("span", { class: `mark ${type}`, "aria-hidden": "true" });
      mark.style.color = MARKER_COLORS[type];
      return el("span", { class: "key" }, mark, `${type} ${n}`);
    });
    byId("legend").append(
      this.ramp,
      el("span", { class: "marks" }, ...marks),
    );
  }
}

/** How much work goes into pictures; for the help panel. It lasts as long as the page. */
export function picturesChoice(view: View): HTMLElement {
  const choices: [Choice, string, string][] = [
    ["auto", "Automatic", "drawn more simply while things move, if this machine is too slow for smooth motion; in full when they rest"],
    ["best", "Best", "always drawn in full; motion may stutter"],
    ["fast", "Fast", "always drawn simply while things move: fewer pixels, coarser meshes, no smooth edges; in full when they rest"],
  ];
  const select = el("select", { id: "quality", "aria-label": "Quality of the picture" }, ...choices.map(([value, name, about]) => el("option", { value, title: about }, name)));
  select.title = choices.map(([, name, about]) => `${name}: ${about}`).join("\n");
  select.addEventListener("change", () => {
    const [value, name, about] = choices.find(([v]) => v === select.value)!;
    view.setQuality(value);
    announce(`Pictures ${name}: ${about}`);
  });
  return el("label", { class: "slider" }, el("span", {}, "Pictures"), select);
}
