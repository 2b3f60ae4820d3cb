// Constraint markers: fixed cyan cubes, sliding green rings around the strand, surface maroon discs, struts amber
// diamonds. Each kind has its own shape as well as its own colour.

import * as THREE from "three";
import type { Constraint, ConstraintType, StudioData } from "./data";
import type { Frame } from "./frame";
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
  private readonly sets: { items: Constraint[]; mesh: THREE.InstancedMesh }[] = [];

  constructor(
    private readonly data: StudioData,
    private readonly size: number,
  ) {
    for (const type of Object.keys(SHAPES) as ConstraintType[]) {
      const items = data.constraints.filter((c) => c.type === type);
      if (!items.length) continue;
      const material = new THREE.MeshStandardMaterial({ color: MARKER_COLORS[type], roughness: 0.45 });
      const mesh = new THREE.InstancedMesh(SHAPES[type](), material, items.length);
      mesh.frustumCulled = false;
      this.sets.push({ items, mesh });
      this.group.add(mesh);
    }
  }

  counts(): [ConstraintType, number][] {
    return this.sets.map((s) => [s.items[0].type, s.items.length]);
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
        strandPoint(strand, frame.points, Math.max(c.position - 0.01, 0), before);
        strandPoint(strand, frame.points, Math.min(c.position + 0.01, 1), tangent).sub(before).normalize();
        strandPoint(strand, frame.points, c.position, at);
        const dim = selected >= 0 && selected !== c.strand;
        const s = Math.max(this.size, 1.15 * thinRadius(strand)) * (dim ? 0.55 : 1);
        m.compose(at, q.setFromUnitVectors(z, tangent), scale.set(s, s, s));
        mesh.setMatrixAt(i, m);
      });
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
}
