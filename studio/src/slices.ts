// The slices screen: scroll through a stack of images, click a seed, see the contour, correct it, see the surface.
// The server grows the contours; this only shows them and says what the reader did.

import * as THREE from "three";
import { announce, byId, el, sharpContext } from "./dom";
import { Theme } from "./theme";

interface SliceState {
  state: "empty" | "grown" | "leaking" | "bridged" | "hand";
  loops: number[][];
}

interface Answer {
  name: string;
  muscle: string;
  n: [number, number, number];
  spacing: [number, number, number];
  deeds: { kind: string; slice: number; at: number[] }[];
  slices?: SliceState[];
  trouble?: string;
}

type Tool = "seed" | "wall" | "push";

const TOOLS: { id: Tool; label: string; hint: string }[] = [
  { id: "seed", label: "Seed", hint: "Click inside the muscle. It is grown from there through all slices." },
  { id: "wall", label: "Wall", hint: "Drag a line that the muscle must not cross, where it leaks into its neighbour." },
  { id: "push", label: "Push", hint: "Drag the contour to where it belongs. The slice then counts as drawn by hand." },
];
const COLOURS = { empty: "#ff5c49", grown: "#ff5c49", leaking: "#ffd23f", bridged: "#5aa9ff", hand: "#5ad17a" };
const AWAY = "The server does not answer: is sinew studio still running?";
/** Pixels around the pointer that a push takes along. */
const REACH = 14;

export class Slices {
  /** how often the slice was drawn: for tests, as of the other screens */
  readonly view = { drawn: 0 };
  private answer!: Answer;
  private slice = 0;
  private tool: Tool = "seed";
  private busy = false;
  /** a seed that the server is growing from */
  private pending: { at: [number, number]; slice: number } | null = null;
  /** where the keyboard's cross is, pixels of the image */
  private cross: [number, number] = [0, 0];
  private crossShown = false;
  private from: [number, number] | null = null;
  private to: [number, number] | null = null;
  private readonly images = new Map<number, Promise<ImageBitmap>>();
  private readonly canvas = el("canvas", { id: "slice-canvas", tabindex: 0, role: "img", "aria-describedby": "slice-keys" });
  private readonly slider = el("input", { type: "range", id: "slice", min: 0, max: 0, step: 1, value: 0, "aria-label": "Slice" });
  private readonly shown = el("output", { id: "slice-shown", for: "slice" });
  private readonly hint = el("p", { class: "hint", id: "tool-hint" });
  private readonly trouble = el("p", { class: "note bad", id: "trouble", role: "alert", hidden: true });
  private readonly report = el("p", { id: "report", role: "status" });
  private readonly look = el("div", { class: "chips", id: "look", role: "group", "aria-label": "Slices to check" });
  private readonly undo = this.chip("Undo", "undo", "Undo the last seed, wall or push (U)", () => this.ask("undo", "Undone"));
  private readonly clear = this.chip("Start again", "clear", "Remove all seeds, walls and pushes", () => this.ask("clear", "Everything is cleared"));
  private readonly plain = this.chip("Grow this slice again", "plain", "Discard what was drawn by hand in this slice", () => this.ask(`plain/${this.slice}`, "Grown again"));
  private readonly save = this.chip("Download the contours", "save", "As a .contours.xml for sinew contours and sinew surface", () => this.download());
  private readonly grow = this.chip("Show the surface", "surface", "A closed surface through all contours", () => void this.showSurface());
  private readonly next = el("details", { class: "hint", id: "next" });
  private readonly view3d = el("canvas", { id: "surface-canvas", role: "img", "aria-label": "No surface yet" });
  private three: { renderer: THREE.WebGLRenderer; scene: THREE.Scene; camera: THREE.PerspectiveCamera; body: THREE.Group } | null = null;

  async open(): Promise<void> {
    this.answer = (await (await fetch("slices")).json()) as Answer;
    const [w, h, n] = this.answer.n;
    this.cross = [w / 2, h / 2];
    this.slice = Math.floor(n / 2);
    this.slider.max = String(n - 1);
    byId("model").textContent = `${this.answer.name} · ${this.answer.muscle}`;
    document.title = `${this.answer.name} – sinew studio`;
    this.build();
    new Theme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    await this.go(this.slice);
    this.tell();
  }

  private chip(label: string, id: string, title: string, click: () => void): HTMLButtonElement {
    const b = el("button", { type: "button", class: "chip", id, title }, label);
    b.addEventListener("click", click);
    return b;
  }

  private build(): void {
    const tools = el("div", { class: "segmented", role: "group", "aria-label": "Tool" });
    for (const t of TOOLS) {
      const b = el("button", { type: "button", id: `tool-${t.id}`, "aria-pressed": String(t.id === this.tool), title: t.hint }, t.label);
      b.addEventListener("click", () => this.choose(t.id));
      tools.append(b);
    }
    this.slider.addEventListener("input", () => void this.go(Number(this.slider.value)));
    const stage = el("section", { class: "stage", "aria-label": "Slice" }, this.canvas);
    const panel = el(
      "section",
      { class: "panel slices-panel", "aria-label": "Contours" },
      el("label", { class: "slice-row" }, el("span", {}, "Slice"), this.shown, this.slider),
      tools,
      this.hint,
      this.trouble,
      this.report,
      this.look,
      el("div", { class: "chips" }, this.undo, this.plain, this.clear),
      el("div", { class: "chips" }, this.grow, this.save),
      this.view3d,
      this.next,
      el("p", { class: "hint", id: "slice-keys" }, "Keys: Page Up and Page Down change the slice, arrows move the cross, Enter sets a seed or an end of a wall or push, U undoes."),
    );
    byId("layout").replaceChildren(stage, panel);
    document.documentElement.classList.add("slices");
    byId("help-open").hidden = true;
    byId("transport").hidden = true;
    this.choose("seed");
    this.tellNext();
    this.listen();
  }

  private choose(tool: Tool): void {
    this.tool = tool;
    this.from = this.to = null;
    this.hint.textContent = TOOLS.find((t) => t.id === tool)!.hint;
    for (const t of TOOLS) byId(`tool-${t.id}`).setAttribute("aria-pressed", String(t.id === tool));
    this.draw();
  }

  // ---- pointer and keys -----------------------------------------------------------------------

  private listen(): void {
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => {
      this.crossShown = false;
      this.from = this.to = this.pixel(e);
      c.setPointerCapture(e.pointerId);
    });
    c.addEventListener("pointermove", (e) => {
      if (!this.from) return;
      this.to = this.pixel(e);
      this.draw();
    });
    c.addEventListener("pointerup", (e) => {
      if (!this.from) return;
      this.to = this.pixel(e);
      void this.act(this.from, this.to);
      this.from = this.to = null;
    });
    c.addEventListener("wheel", (e) => {
      e.preventDefault();
      void this.go(this.slice + Math.sign(e.deltaY));
    }, { passive: false });
    document.addEventListener("keydown", (e) => this.key(e));
  }

  private key(e: KeyboardEvent): void {
    const step = e.shiftKey ? 10 : 1;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const onCanvas = document.activeElement === this.canvas;
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === "PageUp" || e.key === "PageDown") void this.go(this.slice + (e.key === "PageUp" ? step : -step));
    else if (e.key.toLowerCase() === "u") this.undo.click();
    else if (onCanvas && arrows[e.key]) {
      const [w, h] = this.answer.n;
      this.cross = [clamp(this.cross[0] + step * arrows[e.key][0], w), clamp(this.cross[1] + step * arrows[e.key][1], h)];
      this.crossShown = true;
      if (this.from) this.to = this.cross;
      announce(`Column ${Math.round(this.cross[0])}, row ${Math.round(this.cross[1])}`);
      this.draw();
    } else if (onCanvas && e.key === "Enter") {
      if (this.tool !== "seed" && !this.from) {
        this.from = this.to = [...this.cross];
        announce("First end set; move the cross and press Enter again");
      } else {
        void this.act(this.from ?? this.cross, this.cross);
        this.from = this.to = null;
      }
    } else return;
    e.preventDefault();
  }

  // ---- what the reader does ------------------------------------------------------------------------

  private async act(from: [number, number], to: [number, number]): Promise<void> {
    const f = (x: number) => x.toFixed(2);
    const line = `${f(from[0])},${f(from[1])},${f(to[0])},${f(to[1])}`;
    if (this.tool === "seed") {
      if (!this.busy) this.pending = { at: to, slice: this.slice };
      await this.ask(`seed/${f(to[0])},${f(to[1])},${this.slice}`, "Grown from the seed");
    }
    else if (Math.hypot(to[0] - from[0], to[1] - from[1]) < 0.5) this.draw();
    else if (this.tool === "wall") await this.ask(`wall/${line},${this.slice}`, "Wall set");
    else await this.ask(`push/${line},${REACH},${this.slice}`, "Contour pushed");
  }

  private async ask(what: string, done: string): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.wait("Growing the muscle through all slices …");
    this.draw();
    try {
      this.answer = (await (await fetch(`slices/${what}`)).json()) as Answer;
      announce(this.answer.trouble ?? done);
    } catch {
      this.answer.trouble = AWAY;
    }
    this.busy = false;
    this.pending = null;
    this.wait(null);
    this.tell();
    this.draw();
    if (this.three && this.answer.slices) await this.showSurface();
  }

  /** Says what takes a while; null: it is done. */
  private wait(text: string | null): void {
    document.documentElement.toggleAttribute("data-waiting", text !== null);
    if (text !== null) this.report.textContent = text;
  }

  /** What to do with the file, in the words of the command line. */
  private tellNext(): void {
    const { muscle } = this.answer;
    const file = `${muscle}.contours.xml`;
    this.next.replaceChildren(
      el("summary", {}, "What to do with the contours"),
      el("p", {}, "Download them, then put the muscle between two bodies of your model and fill it with strands, or make it soft:"),
      el("pre", {}, ...[
        `sinew surface ${file} --into MODEL --origin BODY --insertion BODY -o scanned.muscle.xml`,
        `sinew strands scanned.muscle.xml --mesh ${muscle}_muscle --from ${muscle} --count 12 --group ${muscle}_group -o filled.muscle.xml`,
        `sinew library filled.muscle.xml --muscle ${muscle}_group --mesh ${muscle}_muscle -o ${muscle}.library`,
      ].map((line) => el("span", {}, `${line}\n`))),
    );
  }

  private tell(): void {
    const { slices, trouble, deeds, spacing } = this.answer;
    this.trouble.hidden = !trouble;
    this.trouble.textContent = trouble ?? "";
    const found = slices?.filter((s) => s.loops.length).length ?? 0;
    const area = slices?.reduce((sum, s) => sum + s.loops.reduce((a, l) => a + loopArea(l), 0), 0) ?? 0;
    const volume = area * spacing[0] * spacing[1] * spacing[2] * 1e6;
    this.report.textContent = slices ? `Found in ${found} of ${slices.length} slices, about ${volume.toFixed(1)} cm³.` : "No seed yet.";
    const odd = slices?.map((s, k) => ({ ...s, k })).filter((s) => s.state === "leaking" || s.state === "bridged" || s.state === "hand") ?? [];
    this.look.replaceChildren(
      ...odd.map((s) => this.chip(`${s.k} ${s.state === "hand" ? "by hand" : s.state}`, `look-${s.k}`, `Go to slice ${s.k}`, () => void this.go(s.k))),
    );
    this.undo.disabled = this.clear.disabled = !deeds.length;
    this.save.disabled = this.grow.disabled = !slices;
    this.next.hidden = !slices;
    this.tellSlice();
  }

  private tellSlice(): void {
    const state = this.answer.slices?.[this.slice]?.state ?? "empty";
    this.plain.disabled = state !== "hand";
    this.canvas.setAttribute("aria-label", `Slice ${this.slice} of ${this.answer.n[2]}, contour: ${state}`);
  }

  private serverAway(): void {
    this.trouble.hidden = false;
    this.trouble.textContent = AWAY;
  }

  private async go(k: number): Promise<void> {
    this.slice = Math.min(Math.max(k, 0), this.answer.n[2] - 1);
    this.slider.value = String(this.slice);
    this.shown.textContent = `${this.slice} of ${this.answer.n[2] - 1}`;
    this.tellSlice();
    await this.image(this.slice);
    this.draw();
  }

  private download(): void {
    const a = el("a", { href: "slices/file.contours.xml", download: `${this.answer.muscle}.contours.xml` });
    document.body.append(a);
    a.click();
    a.remove();
  }

  // ---- pictures ------------------------------------------------------------------------------------

  private image(k: number): Promise<ImageBitmap> {
    let made = this.images.get(k);
    if (!made) {
      made = fetch(`slices/image/${k}`).then(async (r) => {
        const grey = new Uint8Array(await r.arrayBuffer());
        const [w, h] = this.answer.n;
        const rgba = new Uint8ClampedArray(4 * w * h);
        for (let i = 0; i < w * h; ++i) rgba.set([grey[i], grey[i], grey[i], 255], 4 * i);
        return createImageBitmap(new ImageData(rgba, w, h));
      });
      this.images.set(k, made);
    }
    return made;
  }

  /** Scale and offset from pixels of the image to the canvas: as large as fits, with the true proportions. */
  private fit(w: number, h: number): { sx: number; sy: number; x: number; y: number } {
    const [nx, ny] = this.answer.n;
    const [dx, dy] = this.answer.spacing;
    const scale = Math.min(w / (nx * dx), h / (ny * dy));
    const sx = scale * dx;
    const sy = scale * dy;
    return { sx, sy, x: (w - nx * sx) / 2, y: (h - ny * sy) / 2 };
  }

  private pixel(e: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const f = this.fit(box.width, box.height);
    const [nx, ny] = this.answer.n;
    return [clamp((e.clientX - box.left - f.x) / f.sx - 0.5, nx), clamp((e.clientY - box.top - f.y) / f.sy - 0.5, ny)];
  }

  private draw(): void {
    if (!this.answer) return;
    const k = this.slice;
    void this.image(k).then((image) => {
      const s = sharpContext(this.canvas);
      if (!s || k !== this.slice) return;
      const { c, w, h } = s;
      const f = this.fit(w, h);
      c.imageSmoothingEnabled = false;
      c.drawImage(image, f.x, f.y, image.width * f.sx, image.height * f.sy);
      const at = (x: number, y: number): [number, number] => [f.x + (x + 0.5) * f.sx, f.y + (y + 0.5) * f.sy];
      this.drawLoops(c, at);
      this.drawDeeds(c, at);
      ++this.view.drawn;
    });
  }

  private drawLoops(c: CanvasRenderingContext2D, at: (x: number, y: number) => [number, number]): void {
    const slice = this.answer.slices?.[this.slice];
    if (!slice) return;
    c.beginPath();
    for (const loop of slice.loops) {
      for (let i = 0; i < loop.length; i += 2) i ? c.lineTo(...at(loop[i], loop[i + 1])) : c.moveTo(...at(loop[0], loop[1]));
      c.closePath();
    }
    c.fillStyle = `${COLOURS[slice.state]}33`;
    c.fill("evenodd");
    c.lineWidth = 2;
    c.strokeStyle = COLOURS[slice.state];
    c.stroke();
  }

  private drawDeeds(c: CanvasRenderingContext2D, at: (x: number, y: number) => [number, number]): void {
    c.lineWidth = 2;
    for (const d of this.answer.deeds) {
      if (d.slice !== this.slice) continue;
      c.strokeStyle = d.kind === "wall" ? "#ffffff" : "#7cf0ff";
      c.beginPath();
      if (d.kind === "seed") c.arc(...at(d.at[0], d.at[1]), 5, 0, 7);
      if (d.kind === "wall") c.moveTo(...at(d.at[0], d.at[1])), c.lineTo(...at(d.at[2], d.at[3]));
      c.stroke();
    }
    if (this.pending?.slice === this.slice) {
      c.strokeStyle = "#7cf0ff";
      c.setLineDash([3, 3]);
      c.beginPath();
      c.arc(...at(...this.pending.at), 7, 0, 7);
      c.stroke();
      c.setLineDash([]);
    }
    c.strokeStyle = "#ffffff";
    c.beginPath();
    if (this.from && this.to) c.moveTo(...at(...this.from)), c.lineTo(...at(...this.to));
    if (this.crossShown) {
      const [x, y] = at(...this.cross);
      c.moveTo(x - 9, y), c.lineTo(x + 9, y), c.moveTo(x, y - 9), c.lineTo(x, y + 9);
    }
    c.stroke();
  }

  private async showSurface(): Promise<void> {
    this.wait("Making the surface …");
    const r = await fetch("slices/surface").catch(() => null);
    this.wait(null);
    this.tell();
    if (!r) return this.serverAway();
    if (!r.ok) {
      this.trouble.hidden = false;
      this.trouble.textContent = "No surface can be made yet: the muscle must be found in at least two slices.";
      return;
    }
    const bytes = await r.arrayBuffer();
    const [nv, nt] = new Int32Array(bytes, 0, 2);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(bytes, 8, 3 * nv), 3));
    geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(bytes, 8 + 12 * nv, 3 * nt), 1));
    geometry.computeVertexNormals();
    geometry.center();
    geometry.computeBoundingSphere();
    const t = (this.three ??= this.makeView());
    t.body.clear();
    t.body.add(new THREE.Mesh(geometry, new THREE.MeshPhongMaterial({ color: "#c4573f", specular: "#332a26", shininess: 18 })));
    const narrow = Math.min(1, this.view3d.clientWidth / Math.max(this.view3d.clientHeight, 1));
    t.camera.position.set(0, (-3.8 / narrow) * (geometry.boundingSphere?.radius ?? 0.1), 0);
    t.camera.up.set(0, 0, 1);
    t.camera.lookAt(0, 0, 0);
    this.view3d.setAttribute("aria-label", `Surface of the muscle: ${nt} triangles. Drag to turn it.`);
    this.view3d.dataset.triangles = String(nt);
    announce(`Surface of ${nt} triangles`);
    this.render();
  }

  private makeView() {
    const renderer = new THREE.WebGLRenderer({ canvas: this.view3d, antialias: true, alpha: true });
    const scene = new THREE.Scene();
    const camera = new THREE.PerspectiveCamera(32, 1, 0.001, 10);
    const body = new THREE.Group();
    const light = new THREE.DirectionalLight("#ffffff", 2);
    light.position.set(-0.5, -1, 1);
    scene.add(body, light, new THREE.AmbientLight("#ffffff", 1));
    this.view3d.addEventListener("pointerdown", (e) => this.view3d.setPointerCapture(e.pointerId));
    this.view3d.addEventListener("pointermove", (e) => {
      if (!e.buttons) return;
      body.rotateOnWorldAxis(new THREE.Vector3(0, 0, 1), e.movementX / 100);
      body.rotateOnWorldAxis(new THREE.Vector3(1, 0, 0), e.movementY / 100);
      this.render();
    });
    return { renderer, scene, camera, body };
  }

  private render(): void {
    if (!this.three) return;
    const { renderer, scene, camera } = this.three;
    const w = this.view3d.clientWidth;
    const h = this.view3d.clientHeight;
    renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    renderer.setSize(w, h, false);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    renderer.render(scene, camera);
  }
}

const clamp = (x: number, n: number) => Math.min(Math.max(x, 0), n - 1);

/** Signed: holes run the other way and are taken off. */
function loopArea(loop: number[]): number {
  let twice = 0;
  for (let i = 0; i < loop.length; i += 2) {
    const j = (i + 2) % loop.length;
    twice += loop[i] * loop[j + 1] - loop[j] * loop[i + 1];
  }
  return twice / 2;
}
