// Filling a muscle with strands, watched: choose a mesh and the strands drawn through it, start, see the strands move
// apart, tune while they do, pause, then keep the result as a new model or throw it away. The work is the server's.

import * as THREE from "three";
import type { Fillable, StudioData } from "./data";
import { announce, byId, el } from "./dom";
import type { View } from "./view";
import { Seen } from "./seen";

const MAGIC = 0x54534e53; // SNST
const HEADER = 28;
enum Op {
  Start = 1,
  Tune,
  Pause,
  Keep,
  Stop,
}
const STATES = ["idle", "moving", "paused", "at rest", "done", "failed"] as const;
export type FillState = (typeof STATES)[number];

/** A slider over powers of ten. */
function power(id: string, label: string, low: number, high: number, value: number) {
  const input = el("input", { type: "range", id, min: Math.log10(low), max: Math.log10(high), step: 0.02, value: Math.log10(value), "aria-label": label });
  const shown = el("output", {}, String(value));
  const get = () => Number((10 ** Number(input.value)).toPrecision(2));
  input.addEventListener("input", () => (shown.textContent = String(get())));
  return { row: el("label", { class: "coordinate" }, el("span", {}, label), shown, input), input, get };
}

function count(id: string, label: string, low: number, high: number, value: number) {
  const input = el("input", { type: "range", id, min: low, max: high, step: 1, value, "aria-label": label });
  const shown = el("output", {}, String(value));
  input.addEventListener("input", () => (shown.textContent = input.value));
  return { row: el("label", { class: "coordinate" }, el("span", {}, label), shown, input), input, get: () => Number(input.value) };
}

export class FillMode {
  state: FillState = "idle";
  step = 0;
  moved = 0;
  points = new Float32Array(0);
  nstrand = 0;
  private per = 0;
  private socket: WebSocket | null = null;
  private on = false;
  private readonly mesh = el("select", { id: "fill-mesh", "aria-label": "Muscle mesh" });
  private readonly inputs = el("fieldset", { class: "inputs" });
  private readonly number = count("fill-count", "Strands", 2, 120, 24);
  private readonly control = count("fill-control", "Control points of each", 4, 24, 12);
  private readonly stiffness = power("fill-stiffness", "Stiffness", 0.1, 1000, 10);
  private readonly repulsion = power("fill-repulsion", "Repulsion", 0.1, 100, 1);
  private readonly start = this.key("fill-start", "Start", () => this.begin());
  private readonly pause = this.key("fill-pause", "Pause", () => this.send(Op.Pause, [this.state === "paused" ? 0 : 1]));
  private readonly keep = this.key("fill-keep", "Keep", () => this.send(Op.Keep));
  private readonly stop = this.key("fill-stop", "Discard", () => this.send(Op.Stop));
  private readonly note = el("p", { class: "hint", id: "fill-note", role: "status" });
  private readonly result = el("p", { class: "hint", id: "fill-result", hidden: true });
  private readonly group = new THREE.Group();
  private readonly shell = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshLambertMaterial({ color: "#c2685c", transparent: true, opacity: 0.22, side: THREE.DoubleSide, depthWrite: false }),
  );
  private tubes: THREE.InstancedMesh | null = null;

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
  ) {
    this.group.visible = false;
    this.group.add(this.shell);
    view.add(this.group);
    for (const [i, f] of data.fillable.entries()) this.mesh.append(el("option", { value: i }, f.name));
    this.mesh.addEventListener("change", () => this.choose());
    const tune = () => this.send(Op.Tune, [this.control.get()], [this.stiffness.get(), this.repulsion.get()]);
    for (const c of [this.control, this.stiffness, this.repulsion]) c.input.addEventListener("input", tune);
    // Another number of strands is another filling: it begins anew, with what the sliders say.
    this.number.input.addEventListener("change", () => this.busy() && this.begin());
    byId("fill").append(
      el("h2", {}, "Fill a muscle with strands"),
      el("label", { class: "coordinate" }, el("span", {}, "Muscle mesh"), this.mesh),
      this.inputs,
      this.number.row, this.control.row, this.stiffness.row, this.repulsion.row,
      el("div", { class: "pose-keys", role: "group", "aria-label": "Relaxation" }, this.start, this.pause, this.keep, this.stop),
      this.note,
      this.result,
    );
    if (data.fillable.length) this.choose();
    this.show();
  }

  private key(id: string, text: string, action: () => void): HTMLButtonElement {
    const b = el("button", { type: "button", class: "chip", id }, text);
    b.addEventListener("click", action);
    return b;
  }

  private chosen(): Fillable {
    return this.data.fillable[Number(this.mesh.value) || 0];
  }

  private busy(): boolean {
    return this.state === "moving" || this.state === "paused" || this.state === "at rest";
  }

  set(on: boolean): void {
    if (on === this.on) return;
    this.on = on;
    this.group.visible = on;
    byId("fill").hidden = !on;
    byId("tab-fill").hidden = !on;
    this.view.request();
    if (!on) {
      this.socket?.close();
      this.socket = null;
      return;
    }
    this.socket = new WebSocket(`ws://${location.host}${location.pathname}strands`);
    this.socket.binaryType = "arraybuffer";
    const seen = new Seen(this.socket);
    this.socket.onmessage = (e) => {
      seen.add();
      if (e.data instanceof ArrayBuffer) this.take(e.data);
    };
    this.socket.onclose = () => this.on && (this.note.textContent = "The server has stopped.");
  }

  /** Shows the mesh and the strands that may be its inputs; the first one is taken unless one bears the mesh's name. */
  private choose(): void {
    const f = this.chosen();
    const named = f.inputs.find((i) => f.name.startsWith(i.name)) ?? f.inputs[0];
    this.inputs.replaceChildren(
      el("legend", {}, "Run as"),
      ...f.inputs.map((i) => el("label", { class: "check" }, el("input", { type: "checkbox", value: i.index, checked: i === named }), i.name)),
    );
    this.shell.geometry.dispose();
    this.shell.geometry = new THREE.BufferGeometry();
    this.shell.geometry.setAttribute("position", new THREE.BufferAttribute(f.vertices, 3));
    this.shell.geometry.setIndex(new THREE.BufferAttribute(f.triangles, 1));
    this.shell.geometry.computeVertexNormals();
    this.view.request();
  }

  private begin(): void {
    const inputs = [...this.inputs.querySelectorAll<HTMLInputElement>("input:checked")].map((i) => Number(i.value)).slice(0, 20);
    if (!inputs.length) {
      this.note.textContent = "Choose at least one strand that runs through the mesh.";
      return;
    }
    this.result.hidden = true;
    this.send(Op.Start, [this.chosen().node, this.number.get(), this.control.get()], [this.stiffness.get(), this.repulsion.get()], inputs);
    announce("Relaxation started");
  }

  private send(op: Op, whole: number[] = [], numbers: number[] = [], more: number[] = []): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const view = new DataView(new ArrayBuffer(4 * (1 + whole.length + numbers.length + more.length)));
    let at = 0;
    for (const v of [op, ...whole]) view.setUint32(at, v, true), (at += 4);
    for (const v of numbers) view.setFloat32(at, v, true), (at += 4);
    for (const v of more) view.setUint32(at, v, true), (at += 4);
    this.socket.send(view.buffer);
  }

  private take(message: ArrayBuffer): void {
    const view = new DataView(message);
    if (message.byteLength < HEADER || view.getUint32(0, true) !== MAGIC) return;
    const before = this.state;
    this.state = STATES[view.getUint32(4, true)] ?? "failed";
    this.step = view.getUint32(8, true);
    this.moved = view.getFloat32(12, true);
    const n = view.getUint32(16, true);
    this.per = view.getUint32(20, true);
    const length = view.getUint32(24, true);
    const floats = 3 * n * this.per;
    if (message.byteLength !== HEADER + 4 * floats + length) return;
    if (n || this.state === "idle") {
      this.nstrand = n;
      this.points = new Float32Array(message, HEADER, floats);
      this.draw();
    }
    this.show(new TextDecoder().decode(new Uint8Array(message, HEADER + 4 * floats, length)));
    if (this.state !== before && this.state !== "moving") announce(`Strands: ${this.state}`);
  }

  private show(text = ""): void {
    const busy = this.busy();
    this.pause.disabled = this.keep.disabled = this.stop.disabled = !busy;
    this.pause.textContent = this.state === "paused" ? "Continue" : "Pause";
    this.start.textContent = busy ? "Start again" : "Start";
    this.note.textContent = text || (busy ? `${this.nstrand} strands, step ${this.step}: ${this.state === "moving" ? `they move by ${(100 * this.moved).toFixed(1)} % of their spacing` : this.state}` : "");
    this.note.classList.toggle("bad", this.state === "failed");
    if (this.state !== "done") return;
    this.result.replaceChildren(
      "The new model: ",
      el("a", { href: "strands.muscle.xml", download: "strands.muscle.xml", id: "fill-muscle" }, "strands.muscle.xml"),
      " and ",
      el("a", { href: "strands.scene.xml", download: "strands.scene.xml" }, "strands.scene.xml"),
      ". Put both into one folder; the strand that was drawn is disabled in it.",
    );
    this.result.hidden = false;
  }

  /** A little cylinder for every piece of a strand. */
  private draw(): void {
    const pieces = this.nstrand * Math.max(this.per - 1, 0);
    if (!this.tubes || this.tubes.count !== pieces) {
      if (this.tubes) this.group.remove(this.tubes), this.tubes.dispose();
      this.tubes = pieces ? new THREE.InstancedMesh(new THREE.CylinderGeometry(1, 1, 1, 6, 1, true), new THREE.MeshLambertMaterial(), pieces) : null;
      if (this.tubes) (this.tubes.frustumCulled = false), this.group.add(this.tubes), this.paint();
    }
    const [a, b, up, m, q, scale] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(0, 1, 0), new THREE.Matrix4(), new THREE.Quaternion(), new THREE.Vector3()];
    const box = new THREE.Box3().setFromBufferAttribute(this.shell.geometry.getAttribute("position") as THREE.BufferAttribute);
    const radius = 0.006 * box.getSize(scale).length();
    for (let s = 0, k = 0; s < this.nstrand && this.tubes; s++)
      for (let i = 0; i + 1 < this.per; i++, k++) {
        a.fromArray(this.points, 3 * (s * this.per + i));
        b.fromArray(this.points, 3 * (s * this.per + i + 1));
        const length = a.distanceTo(b);
        q.setFromUnitVectors(up, scale.subVectors(b, a).normalize());
        m.compose(a.lerp(b, 0.5), q, scale.set(radius, length, radius));
        this.tubes.setMatrixAt(k, m);
      }
    if (this.tubes) this.tubes.instanceMatrix.needsUpdate = true;
    this.view.request();
  }

  /** Neighbours in the list get different hues, so that one can be followed. */
  private paint(): void {
    const color = new THREE.Color();
    for (let s = 0, k = 0; s < this.nstrand; s++)
      for (let i = 0; i + 1 < this.per; i++, k++) this.tubes!.setColorAt(k, color.setHSL((0.02 + 0.38 * s * 0.618034) % 0.14, 0.75, 0.42 + 0.16 * (s % 3)));
  }
}
