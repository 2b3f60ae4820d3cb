// The skin: a linear blend of the bones, plus what the replay recorded on top of it (the bulge of the tendons).

import * as THREE from "three";
import type { Body, Skin, SkinOffsets } from "./data";
import type { Frame } from "./frame";

export class SkinMesh {
  readonly group = new THREE.Group();
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly material: THREE.MeshPhongMaterial;
  private readonly depth: THREE.Mesh;
  private readonly restInverse: THREE.Matrix4[];
  private readonly matrices: Float32Array;

  constructor(
    private readonly skin: Skin,
    private readonly offsets: SkinOffsets | null,
    bodies: Body[],
  ) {
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(skin.vertices.slice(), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(skin.vertices.length), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setIndex(new THREE.BufferAttribute(skin.triangles, 1));
    this.material = new THREE.MeshPhongMaterial({
      color: new THREE.Color().setRGB(...skin.color, THREE.SRGBColorSpace),
      specular: "#1d1815",
      shininess: 22,
      transparent: true,
      depthWrite: false,
    });
    // Depth first, so that only the nearest layer of a see-through skin is drawn. It counts as transparent too, so that
    // what lies under it (also the wireframe of the target) is there already.
    this.depth = new THREE.Mesh(geometry, new THREE.MeshBasicMaterial({ colorWrite: false, transparent: true }));
    const colour = new THREE.Mesh(geometry, this.material);
    this.depth.renderOrder = 5;
    colour.renderOrder = 6;
    this.group.add(this.depth, colour);
    for (const m of this.group.children) m.frustumCulled = false;
    this.restInverse = bodies.map((b) => poseMatrix(b.rest, 0, b.rest, 3, new THREE.Matrix4()).invert());
    this.matrices = new Float32Array(12 * bodies.length);
  }

  /** Nothing below it can be seen. */
  get hides(): boolean {
    return this.group.visible && !this.material.transparent;
  }

  setOpacity(opacity: number): void {
    this.group.visible = opacity > 0.01;
    this.material.opacity = opacity;
    this.material.transparent = opacity < 0.995;
    this.material.depthWrite = opacity >= 0.995;
    this.depth.visible = opacity < 0.995;
    this.material.needsUpdate = true;
  }

  update(frame: Frame): void {
    if (!this.group.visible) return;
    this.blendBones(frame);
    if (this.offsets && frame.place >= 0) this.addOffsets(frame.place);
    vertexNormals(this.position.array as Float32Array, this.skin.triangles, this.normal.array as Float32Array);
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
  }

  private blendBones(frame: Frame): void {
    const m = new THREE.Matrix4();
    this.restInverse.forEach((inverse, i) => {
      const e = poseMatrix(frame.positions, 3 * i, frame.rotations, 4 * i, m).multiply(inverse).elements;
      this.matrices.set([e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]], 12 * i);
    });
    const { vertices, bones, weights } = this.skin;
    const out = this.position.array as Float32Array;
    const a = this.matrices;
    for (let v = 0, o = 0; o < vertices.length; v += 4, o += 3) {
      const x = vertices[o];
      const y = vertices[o + 1];
      const z = vertices[o + 2];
      let px = 0;
      let py = 0;
      let pz = 0;
      for (let k = v; k < v + 4; k++) {
        const w = weights[k];
        if (w === 0) continue;
        const e = 12 * bones[k];
        px += w * (a[e] * x + a[e + 1] * y + a[e + 2] * z + a[e + 3]);
        py += w * (a[e + 4] * x + a[e + 5] * y + a[e + 6] * z + a[e + 7]);
        pz += w * (a[e + 8] * x + a[e + 9] * y + a[e + 10] * z + a[e + 11]);
      }
      out[o] = px;
      out[o + 1] = py;
      out[o + 2] = pz;
    }
  }

  private addOffsets(place: number): void {
    const { vertices, values, stride, frames } = this.offsets!;
    const p = place / stride;
    const i = Math.min(Math.floor(p), frames - 1);
    const f = Math.min(p - i, 1);
    const n = 3 * vertices.length;
    const a = i * n;
    const b = Math.min(i + 1, frames - 1) * n;
    const out = this.position.array as Float32Array;
    for (let v = 0; v < vertices.length; v++)
      for (let k = 0; k < 3; k++)
        out[3 * vertices[v] + k] += values[a + 3 * v + k] * (1 - f) + values[b + 3 * v + k] * f;
  }
}

const P = new THREE.Vector3();
const Q = new THREE.Quaternion();
const ONE = new THREE.Vector3(1, 1, 1);

/** The matrix of a pose: position at p[i], rotation w first at q[j]. */
export function poseMatrix(p: Float32Array, i: number, q: Float32Array, j: number, out: THREE.Matrix4): THREE.Matrix4 {
  return out.compose(P.set(p[i], p[i + 1], p[i + 2]), Q.set(q[j + 1], q[j + 2], q[j + 3], q[j]), ONE);
}

/** Normals of vertices from the triangles around them, by area. */
export function vertexNormals(p: Float32Array, t: Uint32Array, n: Float32Array): void {
  n.fill(0);
  for (let i = 0; i < t.length; i += 3) {
    const a = 3 * t[i];
    const b = 3 * t[i + 1];
    const c = 3 * t[i + 2];
    const ux = p[b] - p[a];
    const uy = p[b + 1] - p[a + 1];
    const uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a];
    const vy = p[c + 1] - p[a + 1];
    const vz = p[c + 2] - p[a + 2];
    const x = uy * vz - uz * vy;
    const y = uz * vx - ux * vz;
    const z = ux * vy - uy * vx;
    n[a] += x;
    n[a + 1] += y;
    n[a + 2] += z;
    n[b] += x;
    n[b + 1] += y;
    n[b + 2] += z;
    n[c] += x;
    n[c + 1] += y;
    n[c + 2] += z;
  }
  for (let o = 0; o < n.length; o += 3) {
    const l = Math.sqrt(n[o] * n[o] + n[o + 1] * n[o + 1] + n[o + 2] * n[o + 2]) || 1;
    n[o] /= l;
    n[o + 1] /= l;
    n[o + 2] /= l;
  }
}
