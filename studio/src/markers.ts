// Constraint markers: fixed cyan cubes, sliding green rings around the strand, surface maroon discs, struts amber
// diamonds. Each kind has its own shape as well as its own colour.

import * as THREE from "three";
import type { Constraint, ConstraintType, Strand, StudioData } from "./data";
import type { Frame } from "./frame";
import { poseMatrix } from "./skin";
import { strandPoint, thinRadius } from "./tubes";

export const MARKER_COLORS: Record<ConstraintType, string> = {
  fixed: "#00b7d4",
  sliding: "#2fa84f",
  surface: "#a3234b",
  strut: "#d99a1c",
};

const SHAPES: Record<ConstraintType, () => THREE.BufferGeometry> = {
  fixed: () => new THREE.BoxGeometry(1.5, 1.5, 1.5),
  sliding: () => new THREE.TorusGeometry(1.15, 0.38, 8, 20),
  surface: () => new THREE.CylinderGeometry(1.25, 1.25, 0.55, 16).rotateX(Math.PI / 2),
  strut: () => new THREE.OctahedronGeometry(1.1),
};

export class Markers {
  readonly group = new THREE.Group();
  private readonly matrix = new THREE.Matrix4();
  private readonly probe = new THREE.Vector3();
  private readonly sets: { items: Constraint[]; mesh: THREE.InstancedMesh }[] = [];

  constructor(
    private readonly data: StudioData,
    private readonly size: number,
  ) {
    for (const type of Object.keys(SHAPES) as ConstraintType[]) {
      const items = data.constraints.filter((c) => c.type === type);
      if (!items.length) continue;
      const material = new THREE.MeshLambertMaterial({ color: MARKER_COLORS[type] });
      const mesh = new THREE.InstancedMesh(SHAPES[type](), material, items.length);
      mesh.frustumCulled = false;
      this.sets.push({ items, mesh });
      this.group.add(mesh);
    }
  }

  counts(): [ConstraintType, number][] {
    return this.sets.map((s) => [s.items[0].type, s.items.length]);
  }

  /** Where a constraint is: on its body, where the strand slides through it, or on the strand. Gives the parameter. */
  private place(c: Constraint, strand: Strand, frame: Frame, at: THREE.Vector3): number {
    if (c.body < 0) {
      strandPoint(strand, frame.points, c.position, at);
      return c.position;
    }
    const pose = poseMatrix(frame.positions, 3 * c.body, frame.rotations, 4 * c.body, this.matrix);
    at.set(...c.local).applyMatrix4(pose);
    if (c.type === "fixed") return c.position;
    let best = c.position;
    let nearest = Infinity;
    for (let k = -8; k <= 8; k++) {
      const s = Math.min(Math.max(c.position + 0.0125 * k, 0), 1);
      const d = strandPoint(strand, frame.points, s, this.probe).distanceToSquared(at);
      if (d < nearest) [nearest, best] = [d, s];
    }
    // What slides on a surface is shown where the strand is now.
    if (c.type === "surface") strandPoint(strand, frame.points, best, at);
    return best;
  }

  update(frame: Frame, selected: number): void {
    if (!this.group.visible) return;
    const at = new THREE.Vector3();
    const before = new THREE.Vector3();
    const tangent = new THREE.Vector3();
    const q = new THREE.Quaternion();
    const scale = new THREE.Vector3();
    const m = new THREE.Matrix4();
    const z = new THREE.Vector3(0, 0, 1);
    for (const { items, mesh } of this.sets) {
      items.forEach((c, i) => {
        const strand = this.data.strands[c.strand];
        const s0 = this.place(c, strand, frame, at);
        strandPoint(strand, frame.points, Math.max(s0 - 0.01, 0), before);
        strandPoint(strand, frame.points, Math.min(s0 + 0.01, 1), tangent).sub(before).normalize();
        const dim = selected >= 0 && selected !== c.strand;
        const s = Math.max(this.size, 1.15 * thinRadius(strand)) * (dim ? 0.55 : 1);
        m.compose(at, q.setFromUnitVectors(z, tangent), scale.set(s, s, s));
        mesh.setMatrixAt(i, m);
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
