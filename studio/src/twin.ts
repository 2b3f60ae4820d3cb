// A second limb beside the first, seen by the same camera: the healthy one beside the case. It shares meshes and
// materials with the first and has tubes of its own.

import * as THREE from "three";
import type { StudioData } from "./data";
import type { Frame } from "./frame";
import { poseMatrix } from "./skin";
import { Tubes } from "./tubes";

export class Twin {
  readonly group = new THREE.Group();
  readonly tubes: Tubes;
  readonly bodies: THREE.Object3D[];

  constructor(data: StudioData, bones: THREE.Group[]) {
    this.tubes = new Tubes(data);
    this.bodies = bones.map((b) => {
      const copy = b.clone(true);
      copy.matrixAutoUpdate = false;
      return copy;
    });
    this.group.add(...this.bodies, this.tubes.group);
    this.group.visible = false;
  }

  update(frame: Frame, selected: number, hovered: number): void {
    this.bodies.forEach((b, i) => {
      poseMatrix(frame.positions, 3 * i, frame.rotations, 4 * i, b.matrix);
      b.matrixWorldNeedsUpdate = true;
    });
    this.tubes.update(frame, selected, hovered);
  }
}
