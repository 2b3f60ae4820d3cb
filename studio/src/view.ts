// The three-dimensional view: bones, target as wireframe, strands, skin, markers, camera, and what the pointer is on.
// It draws only when something changed (request()), so that a page at rest costs nothing.

import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import type { Mesh, StudioData } from "./data";
import type { Frame } from "./frame";
import { Markers } from "./markers";
import { Painter, type Part } from "./painter";
import type { Choice } from "./quality";
import { poseMatrix, SkinMesh, vertexNormals } from "./skin";
import { SoftMuscles } from "./soft";
import { Tubes } from "./tubes";
import { Twin } from "./twin";

export type Layer = "bones" | "strands" | "skin" | "soft" | "target" | "constraints" | "surfaces" | "grid";
/** A place to look from: its name, and the direction of the eye in the page's axes. */
export interface Side {
  id: string;
  name: string;
  from: THREE.Vector3;
}

export class View {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(32, 1, 0.001, 50);
  readonly controls: OrbitControls;
  readonly tubes: Tubes;
  readonly markers: Markers;
  readonly skin: SkinMesh | null;
  readonly soft: SoftMuscles | null;
  /** called after every picture, with the camera as it was */
  afterDraw: (() => void) | null = null;
  private twin: Twin | null = null;
  private twinFrame: Frame | null = null;
  selected = -1;
  hovered = -1;
  /** pictures drawn so far; tests wait for it to grow */
  drawn = 0;
  readonly painter: Painter;
  private readonly root = new THREE.Group();
  private readonly bodies: THREE.Group[] = [];
  private readonly ghosts: THREE.Group[] = [];
  private readonly bones = new THREE.Group();
  private readonly target = new THREE.Group();
  private readonly grid: THREE.GridHelper;
  private readonly bounds = new THREE.Box3();
  private readonly focus = new THREE.Box3();
  private whole = true;
  private readonly ghostMaterial = new THREE.MeshBasicMaterial({ wireframe: true, transparent: true, depthWrite: false });
  private readonly wraps: THREE.Mesh[] = [];
  private readonly wrapMaterial = new THREE.MeshLambertMaterial({
    color: "#7fa0c4", transparent: true, opacity: 0.38, side: THREE.DoubleSide, depthWrite: false,
  });
  private readonly light = { sky: new THREE.HemisphereLight(), key: new THREE.DirectionalLight(), rim: new THREE.DirectionalLight() };
  private wanted = false;
  private targetWanted = true;
  private frame: Frame | null = null;
  readonly sides: Side[];
  private home: Side;
  /** Pixels above and below that something will lie over, whatever is there at a look. */
  private covered = [0, 0];

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly data: StudioData,
  ) {
    this.painter = new Painter(canvas, this.scene, this.camera, this.light);
    this.scene.add(this.root, this.light.sky, this.camera);
    this.camera.add(this.light.key, this.light.key.target, this.light.rim, this.light.rim.target);
    // Models with z up are laid into three's y up world as a whole.
    if (data.up === "z") this.root.rotation.x = -Math.PI / 2;
    this.tubes = new Tubes(data);
    this.skin = data.skin ? new SkinMesh(data.skin, data.replay?.skinOffsets ?? null, data.bodies) : null;
    this.soft = data.soft.length ? new SoftMuscles(data) : null;
    this.buildBodies();
    this.measure();
    const size = this.bounds.getSize(new THREE.Vector3()).length();
    this.markers = new Markers(data, Math.min(Math.max(0.0055 * size, 0.001), 0.01));
    this.grid = this.makeGrid(size);
    this.pushGhost(0.003 * size);
    this.root.add(this.bones, this.target, this.tubes.group, this.markers.group);
    if (this.skin) this.root.add(this.skin.group);
    if (this.soft) this.root.add(this.soft.group);
    this.scene.add(this.grid);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.request());
    this.sides = this.makeSides();
    this.home = this.sides[0];
    this.look(this.home);
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  private buildBodies(): void {
    const material = (mesh: Mesh) =>
      new THREE.MeshLambertMaterial({
        color: new THREE.Color().setRGB(...mesh.color, THREE.SRGBColorSpace),
        side: THREE.DoubleSide,
      });
    for (const body of this.data.bodies) {
      const solid = new THREE.Group();
      const ghost = new THREE.Group();
      solid.matrixAutoUpdate = ghost.matrixAutoUpdate = false;
      for (const mesh of body.meshes) {
        const geometry = meshGeometry(mesh);
        if (mesh.wrap) {
          const wrap = new THREE.Mesh(geometry, this.wrapMaterial);
          wrap.renderOrder = 2;
          wrap.visible = false;
          this.wraps.push(wrap);
          solid.add(wrap);
          continue;
        }
        solid.add(new THREE.Mesh(geometry, material(mesh)));
        ghost.add(new THREE.Mesh(geometry, this.ghostMaterial));
      }
      this.bodies.push(solid);
      this.ghosts.push(ghost);
      this.bones.add(solid);
      this.target.add(ghost);
      poseMatrix(body.rest, 0, body.rest, 3, solid.matrix);
    }
    for (const mesh of this.data.scenery) this.bones.add(new THREE.Mesh(meshGeometry(mesh), material(mesh)));
  }

  /** The wires of the target lie this far behind where they are, so that bones which are where they should be cover
   * them: what shows is where the two part. */
  private pushGhost(by: number): void {
    this.ghostMaterial.onBeforeCompile = (shader) => {
      const push = `#include <project_vertex>\ngl_Position = projectionMatrix * (mvPosition - vec4(0.0, 0.0, ${by.toFixed(6)}, 0.0));`;
      shader.vertexShader = shader.vertexShader.replace("#include <project_vertex>", push);
    };
  }

  /** Box around the rest pose and, with a replay, around where the strands go. */
  private measure(): void {
    this.root.updateMatrixWorld(true);
    this.bounds.makeEmpty();
    const v = new THREE.Vector3();
    const boxes = this.bodies.map((b) => ((b.matrixWorldNeedsUpdate = true), new THREE.Box3().setFromObject(b)));
    for (const box of boxes) this.bounds.union(box);
    const add = (points: Float32Array, wanted: (i: number) => boolean) => {
      for (let i = 0; 3 * i + 2 < points.length; i++)
        if (wanted(i)) this.bounds.expandByPoint(v.set(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
    };
    add(this.data.restPoints, () => true);
    const nb = this.data.bodies.length;
    if (this.data.replay) add(this.data.replay.positions, (i) => !this.data.bodies[i % nb].pinned);
    this.findFocus(boxes);
    if (this.bounds.isEmpty()) this.bounds.set(new THREE.Vector3(-0.1, -0.1, -0.1), new THREE.Vector3(0.1, 0.1, 0.1));
    this.bounds.applyMatrix4(this.root.matrixWorld);
    this.focus.applyMatrix4(this.root.matrixWorld);
  }

  /** What the first picture shows: everything; or, where many small bones hang on a few long ones, the small ones. */
  private findFocus(boxes: THREE.Box3[]): void {
    const size = new THREE.Vector3();
    const moving = boxes.map((b, i) => (b.isEmpty() || this.data.bodies[i].pinned ? 0 : b.getSize(size).length()));
    const sizes = moving.filter((s) => s > 0).sort((a, b) => a - b);
    this.focus.makeEmpty();
    if (sizes.length > 6) {
      const most = 3 * sizes[sizes.length >> 1];
      boxes.forEach((b, i) => moving[i] > 0 && moving[i] <= most && this.focus.union(b));
      this.focus.expandByScalar(0.12 * this.focus.getSize(size).length());
    } else this.focus.copy(this.bounds);
    // One or two bodies on a joint, live: they swing, and nobody knows yet how far.
    if (this.data.live && !this.data.replay && sizes.length > 0 && sizes.length <= 2) {
      this.bounds.expandByScalar(sizes[sizes.length - 1]);
      this.focus.copy(this.bounds);
    }
  }

  private makeGrid(size: number): THREE.GridHelper {
    const cell = 10 ** Math.round(Math.log10(size / 12));
    const cells = 2 * Math.ceil((1.2 * size) / cell / 2);
    const grid = new THREE.GridHelper(cells * cell, cells);
    const c = this.bounds.getCenter(new THREE.Vector3());
    grid.position.set(c.x, this.bounds.min.y - 0.04 * size, c.z);
    (grid.material as THREE.Material).transparent = true;
    (grid.material as THREE.Material).depthWrite = false;
    return grid;
  }

  /** Something else to show, in the model's own axes. */
  add(object: THREE.Object3D): void {
    this.root.add(object);
    this.request();
  }

  /** A second limb on the left half of the picture; null: this one alone. */
  beside(frame: Frame | null): void {
    if (frame && !this.twin) {
      this.twin = new Twin(this.data, this.bodies);
      this.twin.tubes.fade = this.tubes.fade;
      this.root.add(this.twin.group);
    }
    const changed = !!frame !== !!this.twinFrame;
    this.twinFrame = frame;
    if (changed) this.resize();
    if (this.frame) this.update(this.frame);
  }

  /** What moves with a body, in each of the limbs. */
  bodyObjects(index: number): THREE.Object3D[] {
    return [this.bodies[index], ...(this.twin ? [this.twin.bodies[index]] : [])];
  }

  get split(): boolean {
    return !!this.twinFrame;
  }

  /** The tubes of the second limb, where there is one. */
  get otherTubes(): Tubes | null {
    return this.twin?.tubes ?? null;
  }

  /** Sets how all tubes are drawn. */
  drawTubes(set: (tubes: Tubes) => void): void {
    set(this.tubes);
    if (this.twin) set(this.twin.tubes);
    if (this.frame) this.update(this.frame);
  }

  /** Colours that follow the page's theme. */
  theme(dark: boolean): void {
    const { sky, key, rim } = this.light;
    sky.color.set(dark ? "#dfe6f2" : "#ffffff");
    sky.groundColor.set(dark ? "#3a3431" : "#a39a8f");
    sky.intensity = dark ? 1.15 : 1.55;
    key.color.set("#fff4e4");
    key.intensity = dark ? 2.0 : 2.2;
    key.position.set(-0.6, 0.9, 0.6);
    key.target.position.set(0, 0, -1);
    rim.color.set(dark ? "#8fb4ff" : "#cfe0ff");
    rim.intensity = dark ? 0.9 : 0.5;
    rim.position.set(1.2, 0.2, -1.5);
    rim.target.position.set(0, 0, -1);
    this.ghostMaterial.color.set(dark ? "#8fd3ff" : "#1a5f99");
    this.ghostMaterial.opacity = this.data.clinic ? 0.14 : 0.3;
    const lines = this.grid.material as THREE.LineBasicMaterial;
    lines.vertexColors = false;
    lines.color.set(dark ? "#aab4c4" : "#4c4740");
    lines.opacity = dark ? 0.12 : 0.13;
    lines.needsUpdate = true;
    this.tubes.fade = dark ? 0.05 : 0.42;
    if (this.frame) this.update(this.frame);
    this.request();
  }

  show(layer: Layer, on: boolean): void {
    if (layer === "target") this.targetWanted = on;
    else if (layer === "bones") this.bones.traverse((o) => o instanceof THREE.Mesh && !this.wraps.includes(o) && (o.visible = on));
    else if (layer === "surfaces") this.wraps.forEach((w) => (w.visible = on));
    else if (layer === "strands") this.drawTubes((t) => (t.mesh.visible = on));
    else if (layer === "constraints") this.markers.group.visible = on;
    else if (layer === "grid") this.grid.visible = on;
    else if (layer === "soft") this.soft && (this.soft.group.visible = on);
    else if (this.skin) this.skin.group.visible = on;
    if (this.frame) this.update(this.frame);
  }

  /** Shows only these strands; null: all of them. */
  showOnly(strands: Set<number> | null): void {
    this.soft?.cover(strands);
    this.drawTubes((t) => t.hidden.forEach((_, s) => (t.hidden[s] = strands && !strands.has(s) ? 1 : 0)));
  }

  setSkinOpacity(opacity: number): void {
    this.skin?.setOpacity(opacity);
    if (this.frame) this.update(this.frame);
  }

  update(frame: Frame): void {
    this.frame = frame;
    this.bodies.forEach((b, i) => place(b, frame.positions, frame.rotations, i));
    this.target.visible = this.targetWanted && frame.hasTarget;
    if (this.target.visible) this.ghosts.forEach((g, i) => place(g, frame.targetPositions, frame.targetRotations, i));
    this.tubes.covered = this.soft?.group.visible ? this.soft.covers : null;
    this.tubes.update(frame, this.selected, this.hovered);
    this.soft?.update(frame, this.selected);
    if (this.twinFrame) this.twin!.update(this.twinFrame, this.selected, this.hovered);
    this.markers.update(frame, this.selected);
    this.skin?.update(frame);
    this.request();
  }

  /** The sides that the model names, or those that every model has. */
  private makeSides(): Side[] {
    const plain: [string, number[]][] = [
      ["Front", [0, 0, 1]], ["Back", [0, 0, -1]], ["Left", [-1, 0, 0]], ["Right", [1, 0, 0]], ["Top", [0, 1, 0]],
    ];
    const named = this.data.views.map((v): Side => ({
      id: v.name.toLowerCase(), name: v.name, from: new THREE.Vector3(...v.from).applyQuaternion(this.root.quaternion),
    }));
    return named.length ? named : plain.map(([name, from]) => ({ id: name.toLowerCase(), name, from: new THREE.Vector3(...from) }));
  }

  /** Looks at the whole model from one side, a little from above and beside so that depth shows. */
  look(side: Side): void {
    this.home = side;
    const steep = Math.abs(side.from.y) > 0.9;
    const up = steep ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, 1, 0);
    const beside = up.clone().cross(side.from);
    const toEye = side.from.clone().addScaledVector(beside, steep ? 0.05 : 0.2).addScaledVector(up, steep ? 0.12 : 0.18).normalize();
    const box = this.whole ? this.bounds : this.focus;
    const centre = box.getCenter(new THREE.Vector3());
    const [above, below] = overlaid(this.canvas).map((px, i) => Math.min(Math.max(px, this.covered[i]) / Math.max(this.canvas.clientHeight, 1), 0.3));
    const distance = this.fitDistance(toEye, centre, box, 1 - above - below);
    const upwards = toEye.clone().cross(up.clone().cross(toEye).normalize());
    centre.addScaledVector(upwards, (above - below) * distance * Math.tan((this.camera.fov * Math.PI) / 360));
    this.camera.position.copy(centre).addScaledVector(toEye, distance);
    this.controls.target.copy(centre);
    const size = this.bounds.getSize(new THREE.Vector3()).length();
    this.controls.minDistance = 0.05 * size;
    this.controls.maxDistance = 8 * size;
    this.camera.near = 0.01 * size;
    this.camera.far = 20 * size;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.request();
  }

  /** Leaves at least so many pixels above and below to what lies over the picture, and looks again. */
  cover(above = 0, below = 0): void {
    this.covered = [above, below];
    this.look(this.home);
  }

  /** open: the part of the height that nothing lies over */
  private fitDistance(toEye: THREE.Vector3, centre: THREE.Vector3, box: THREE.Box3, open = 1): number {
    const right = new THREE.Vector3(0, 1, 0).cross(toEye).normalize();
    const up = toEye.clone().cross(right);
    const tanV = Math.tan((this.camera.fov * Math.PI) / 360);
    const tanH = tanV * this.camera.aspect;
    const seenV = tanV * open;
    const corner = new THREE.Vector3();
    let distance = 0;
    for (let i = 0; i < 8; i++) {
      corner.set(
        i & 1 ? box.max.x : box.min.x,
        i & 2 ? box.max.y : box.min.y,
        i & 4 ? box.max.z : box.min.z,
      );
      corner.sub(centre);
      const depth = corner.dot(toEye);
      distance = Math.max(distance, depth + Math.abs(corner.dot(right)) / tanH, depth + Math.abs(corner.dot(up)) / seenV);
    }
    return 1.1 * distance;
  }

  /** Turns the camera about the model, angles in radians: the keyboard's way to orbit. */
  orbit(azimuth: number, elevation: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const s = new THREE.Spherical().setFromVector3(offset);
    s.theta += azimuth;
    s.phi = Math.min(Math.max(s.phi - elevation, 0.05), Math.PI - 0.05);
    this.camera.position.copy(this.controls.target).add(offset.setFromSpherical(s));
    this.controls.update();
    this.request();
  }

  zoom(factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.request();
  }

  /** The whole model into view, or back to its focus; with a strand selected, that strand. */
  refit(): void {
    if (this.selected < 0) {
      this.whole = !this.whole;
      this.follow();
      return this.look(this.home);
    }
    const box = new THREE.Box3();
    const v = new THREE.Vector3();
    this.tubes.owner.forEach((owner, i) => {
      if (owner === this.selected) box.expandByPoint(v.fromArray(this.tubes.centres, 3 * i));
    });
    box.applyMatrix4(this.root.matrixWorld).expandByScalar(0.01);
    const offset = this.camera.position.clone().sub(this.controls.target).normalize();
    const centre = box.getCenter(new THREE.Vector3());
    this.camera.position.copy(centre).addScaledVector(offset, this.fitDistance(offset, centre, box));
    this.controls.target.copy(centre);
    this.controls.update();
    this.request();
  }

  /** What has left the picture since is taken in by the next look at the whole. */
  private follow(): void {
    this.scene.updateMatrixWorld();
    const now = new THREE.Box3();
    this.bodies.forEach((b, i) => !this.data.bodies[i].pinned && now.union(new THREE.Box3().setFromObject(b)));
    if (now.isEmpty()) return;
    this.bounds.union(now);
    if (!this.focus.intersectsBox(now)) this.focus.union(now);
  }

  /** The strand nearest to a place on the canvas (CSS pixels), within a reach; nearer ones in depth win a tie. */
  pick(x: number, y: number, reach: number): number {
    if (!this.tubes.mesh.visible || this.skin?.hides) return -1;
    const { clientWidth, clientHeight: h } = this.canvas;
    const w = this.split ? clientWidth / 2 : clientWidth;
    const left = this.split && x < w;
    if (this.split && !left) x -= w;
    const tubes = left ? this.twin!.tubes : this.tubes;
    const m = new THREE.Matrix4()
      .multiplyMatrices(this.camera.projectionMatrix, this.camera.matrixWorldInverse)
      .multiply(this.root.matrixWorld);
    const v = new THREE.Vector3();
    const { centres, owner } = tubes;
    let best = -1;
    let bestScore = Infinity;
    for (let i = 0; i < owner.length; i++) {
      if (tubes.hidden[owner[i]]) continue;
      v.set(centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]).applyMatrix4(m);
      if (v.z < -1 || v.z > 1) continue;
      const d = Math.hypot(((v.x + 1) / 2) * w - x, ((1 - v.y) / 2) * h - y);
      const score = d + 600 * v.z * v.z * v.z; // far strands lose
      if (d <= reach && score < bestScore) [best, bestScore] = [owner[i], score];
    }
    return best;
  }

  /** Takes hold of a bone under a place on the canvas: which body, where in it, and where the pointer pulls that place
   * in the plane that faces the camera. All in the model's own axes. */
  grip(x: number, y: number): { body: number; local: number[]; to(x: number, y: number): number[] | null } | null {
    const ray = this.rayAt(x, y);
    this.scene.updateMatrixWorld();
    let best: { body: number; point: THREE.Vector3; distance: number } | null = null;
    this.bodies.forEach((group, body) => {
      const hit = this.data.bodies[body].pinned ? undefined : ray.intersectObject(group, true)[0];
      if (hit && (!best || hit.distance < best.distance)) best = { body, point: hit.point, distance: hit.distance };
    });
    if (!best) return null;
    const { body, point } = best as { body: number; point: THREE.Vector3 };
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point);
    return {
      body,
      local: this.bodies[body].worldToLocal(point.clone()).toArray(),
      to: (px, py) => {
        const at = this.rayAt(px, py).ray.intersectPlane(plane, new THREE.Vector3());
        return at ? this.root.worldToLocal(at).toArray() : null;
      },
    };
  }

  private rayAt(x: number, y: number): THREE.Raycaster {
    const { clientWidth, clientHeight: h } = this.canvas;
    const w = this.split ? clientWidth / 2 : clientWidth;
    if (this.split && x >= w) x -= w;
    const ray = new THREE.Raycaster();
    ray.setFromCamera(new THREE.Vector2((2 * x) / w - 1, 1 - (2 * y) / h), this.camera);
    return ray;
  }

  /** Where the middle of a strand is on the canvas, for tests and labels. */
  screenOf(strand: number): { x: number; y: number } {
    const { owner } = this.tubes;
    const first = owner.indexOf(strand);
    return this.screenAt(first + Math.floor((owner.lastIndexOf(strand) - first) / 2));
  }

  /** Where a sample of the tubes is on the canvas; of the right half where the picture is split. */
  screenAt(sample: number): { x: number; y: number } {
    const { centres } = this.tubes;
    this.camera.updateMatrixWorld();
    const v = new THREE.Vector3().fromArray(centres, 3 * sample).applyMatrix4(this.root.matrixWorld).project(this.camera);
    const w = this.canvas.clientWidth;
    const x = (v.x + 1) / 2;
    return { x: this.split ? (w * (1 + x)) / 2 : w * x, y: ((1 - v.y) / 2) * this.canvas.clientHeight };
  }

  /** Time of the frame that is shown, s. */
  get time(): number {
    return this.frame?.time ?? 0;
  }

  /** The picture as it is now, on a ground of one colour. */
  picture(ground: string): HTMLCanvasElement {
    this.draw(0); // in full; and what was drawn before may be gone from the canvas
    const out = document.createElement("canvas");
    [out.width, out.height] = [this.canvas.width, this.canvas.height];
    const c = out.getContext("2d")!;
    c.fillStyle = ground;
    c.fillRect(0, 0, out.width, out.height);
    c.drawImage(this.canvas, 0, 0);
    return out;
  }

  request(): void {
    if (this.wanted) return;
    this.wanted = true;
    const { quality } = this.painter;
    quality.ask(performance.now());
    requestAnimationFrame(() => {
      this.wanted = false;
      quality.begin(performance.now());
      this.draw(quality.moving);
      this.painter.settle(() => this.wanted || requestAnimationFrame(() => this.wanted || this.draw(0)));
    });
  }

  /** How much work goes into a picture while things move. */
  setQuality(choice: Choice): void {
    this.painter.quality.choice = choice;
    this.request();
  }

  /** One picture; or two halves by one camera, the second limb on the left. */
  private draw(level: number): void {
    const own = [this.bones, this.target, this.tubes.group, ...(this.extra ? [this.extra] : [])];
    const shown = own.map((o) => o.visible);
    const show = (twin: boolean, mine: boolean) => {
      if (this.twin) this.twin.group.visible = twin;
      own.forEach((o, i) => (o.visible = shown[i] && mine));
    };
    const halves: Part[] = [
      { from: 0, to: 0.5, prepare: () => show(true, false) },
      { from: 0.5, to: 1, prepare: () => show(false, true) },
    ];
    this.painter.paint(level, this.split ? halves : [{ from: 0, to: 1, prepare: () => show(false, true) }]);
    this.afterDraw?.();
    if (this.drawn++ === 0) performance.mark("picture");
  }

  /** Something that belongs to the first limb only, such as tendons that were moved. */
  extra: THREE.Object3D | null = null;

  private resize(): void {
    const parent = this.canvas.parentElement!;
    const w = Math.max(parent.clientWidth, 1);
    const h = Math.max(parent.clientHeight, 1);
    const before = this.camera.aspect;
    this.painter.resize(w, h);
    this.camera.aspect = (this.split ? w / 2 : w) / h;
    this.camera.updateProjectionMatrix();
    if (this.drawn === 0 || Math.abs(Math.log(before / this.camera.aspect)) > 0.4) this.look(this.home);
    this.request();
  }
}

/** Pixels of the canvas, from above and from below, that buttons and the legend take in its middle third, where the model is. */
function overlaid(canvas: HTMLCanvasElement): [number, number] {
  const box = canvas.getBoundingClientRect();
  const taken: [number, number] = [0, 0];
  for (const one of document.querySelectorAll("#view > *, #legend, #sides")) {
    const r = one.getBoundingClientRect();
    const beside = r.right < box.left + box.width / 3 || r.left > box.right - box.width / 3;
    if (r.height === 0 || beside || r.bottom <= box.top || r.top >= box.bottom) continue;
    const high = r.top + r.bottom < box.top + box.bottom;
    if (high) taken[0] = Math.max(taken[0], r.bottom - box.top);
    else taken[1] = Math.max(taken[1], box.bottom - r.top);
  }
  return taken;
}

function meshGeometry(mesh: Mesh): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(mesh.vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
  const normals = new Float32Array(mesh.vertices.length);
  vertexNormals(mesh.vertices, mesh.triangles, normals);
  geometry.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  return geometry;
}

function place(object: THREE.Group, positions: Float32Array, rotations: Float32Array, i: number): void {
  poseMatrix(positions, 3 * i, rotations, 4 * i, object.matrix);
  object.matrixWorldNeedsUpdate = true;
}
