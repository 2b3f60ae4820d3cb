// Loads as arrows on the bones that bear them. A load turns with its bone, so that its arrow is a part of it.

import * as THREE from "three";
import type { Change, StudioData } from "./data";
import type { View } from "./view";

/** m: the shortest arrow, and what a newton adds up to the longest */
const LEAST = 0.012;
const PER_NEWTON = 0.0015;
const LONGEST = 0.045;

export class Loads {
  private drawn = "";
  private shown: { parent: THREE.Object3D; arrow: THREE.Object3D }[] = [];
  private readonly material = new THREE.MeshLambertMaterial({ color: "#2f6fd0", emissive: "#12305e" });

  constructor(
    private readonly data: StudioData,
    private readonly view: View,
  ) {}

  get count(): number {
    return this.shown.length;
  }

  show(changes: Change[]): void {
    const loads = changes.filter((c) => c.kind === "load" && Math.hypot(...c.force) > 0);
    const now = JSON.stringify([loads, this.view.bodyObjects(0).length]);
    if (now === this.drawn) return;
    this.drawn = now;
    for (const s of this.shown) {
      s.parent.remove(s.arrow);
      s.arrow.traverse((o) => o instanceof THREE.Mesh && o.geometry.dispose());
    }
    this.shown = [];
    for (const c of loads) {
      const index = this.data.bodies.findIndex((b) => b.name === c.name);
      if (index < 0) continue;
      for (const parent of this.view.bodyObjects(index)) {
        const arrow = this.arrow(index, c.force);
        parent.add(arrow);
        this.shown.push({ parent, arrow });
      }
    }
    this.view.request();
  }

  /** From the middle of the bone outwards, along the force as the bone was drawn. */
  private arrow(index: number, force: [number, number, number]): THREE.Object3D {
    const body = this.data.bodies[index];
    const box = new THREE.Box3();
    for (const m of body.meshes)
      if (!m.wrap) for (let k = 0; k < m.vertices.length; k += 3) box.expandByPoint(new THREE.Vector3().fromArray(m.vertices, k));
    const rest = new THREE.Quaternion(body.rest[4], body.rest[5], body.rest[6], body.rest[3]);
    const newtons = new THREE.Vector3(...force);
    const length = Math.min(LEAST + PER_NEWTON * newtons.length(), LONGEST);
    const head = 0.008;
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.0013, 0.0013, length - head, 12), this.material);
    const tip = new THREE.Mesh(new THREE.ConeGeometry(0.0034, head, 16), this.material);
    shaft.position.y = (length - head) / 2;
    tip.position.y = length - head / 2;
    const arrow = new THREE.Group().add(shaft, tip);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), newtons.normalize().applyQuaternion(rest.invert()));
    if (!box.isEmpty()) box.getCenter(arrow.position);
    return arrow;
  }
}
