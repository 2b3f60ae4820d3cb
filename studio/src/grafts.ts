// Tendons that a surgeon has moved: lines that the model does not have, as tubes where the answer says they run.

import * as THREE from "three";
import type { Held } from "./data";
import type { View } from "./view";

export class Grafts {
  private readonly group = new THREE.Group();
  private readonly material = new THREE.MeshPhongMaterial({ color: "#d8a13a", shininess: 40, specular: "#333333" });

  constructor(private readonly view: View) {
    view.extra = this.group;
    view.add(this.group);
  }

  show(grafts: NonNullable<Held["grafts"]>): void {
    for (const o of this.group.children) (o as THREE.Mesh).geometry.dispose();
    this.group.clear();
    for (const g of grafts) {
      const points = Array.from({ length: g.points.length / 3 }, (_, i) => new THREE.Vector3().fromArray(g.points, 3 * i));
      const apart = points.filter((p, i) => i === 0 || p.distanceTo(points[i - 1]) > 1e-6);
      if (apart.length < 2) continue;
      const curve = new THREE.CurvePath<THREE.Vector3>();
      for (let i = 1; i < apart.length; i++) curve.add(new THREE.LineCurve3(apart[i - 1], apart[i]));
      this.group.add(new THREE.Mesh(new THREE.TubeGeometry(curve, 8 * apart.length, 0.0017, 8), this.material));
    }
    this.view.request();
  }
}
