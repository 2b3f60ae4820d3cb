// Bellies as closed meshes that go with their strands: each vertex is bound to the ring of the strand that is nearest as
// drawn, by its place in the frame across that ring, and keeps it; the place is stretched as the strand shortens.

import * as THREE from "three";
import type { StudioData } from "./data";
import type { Frame } from "./frame";
import { rampLinear } from "./ramp";
import type { Rings, Tubes } from "./tubes";

interface Bound {
  strand: number;
  first: number; // vertex
  count: number;
}

export class Bellies {
  readonly mesh: THREE.Mesh;
  private readonly bound: Bound[] = [];
  /** per vertex: its ring, and place and normal along the frame across it and along the curve */
  private readonly ring: Int32Array;
  private readonly place: Float32Array;
  private readonly outward: Float32Array;
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly color: THREE.BufferAttribute;

  constructor(
    data: StudioData,
    private readonly tubes: Tubes,
    private readonly rings: Rings[],
  ) {
    this.data = data;
    let n = 0;
    data.strands.forEach((s, strand) => {
      const count = s.shape ? s.shape.vertices.length / 3 : 0;
      if (count) this.bound.push({ strand, first: n, count });
      n += count;
    });
    this.ring = new Int32Array(n);
    this.place = new Float32Array(3 * n);
    this.outward = new Float32Array(3 * n);
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(3 * n), 3);
    for (const a of [this.position, this.normal, this.color]) a.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.color);
    const index: number[] = [];
    for (const b of this.bound) for (const v of data.strands[b.strand].shape!.triangles) index.push(v + b.first);
    geometry.setIndex(index);
    this.mesh = new THREE.Mesh(geometry, new THREE.MeshPhongMaterial({ vertexColors: true, shininess: 22, specular: "#241c1a" }));
    this.mesh.frustumCulled = false;
    this.mesh.visible = n > 0;
    for (const b of this.bound) this.bind(b);
  }

  private readonly data: StudioData;

  /** The direction of the curve at a ring. */
  private along(ring: number, out: THREE.Vector3): THREE.Vector3 {
    const f = this.tubes.frames;
    const o = 6 * ring;
    return out.set(
      f[o + 1] * f[o + 5] - f[o + 2] * f[o + 4],
      f[o + 2] * f[o + 3] - f[o] * f[o + 5],
      f[o] * f[o + 4] - f[o + 1] * f[o + 3],
    );
  }

  /** Places and normals of one belly in the frames of the strand as drawn. */
  private bind(b: Bound): void {
    const shape = this.data.strands[b.strand].shape!;
    const own = new THREE.BufferGeometry();
    own.setAttribute("position", new THREE.BufferAttribute(shape.vertices, 3));
    own.setIndex(new THREE.BufferAttribute(shape.triangles, 1));
    own.computeVertexNormals();
    const normals = own.getAttribute("normal").array;
    const rings = this.rings[b.strand];
    const { centres, frames } = this.tubes;
    const t = new THREE.Vector3();
    for (let i = 0; i < b.count; i++) {
      const [x, y, z] = [0, 1, 2].map((k) => shape.vertices[3 * i + k]);
      let nearest = rings.first;
      let least = Infinity;
      for (let r = rings.first; r < rings.first + rings.count; r++) {
        const d = (centres[3 * r] - x) ** 2 + (centres[3 * r + 1] - y) ** 2 + (centres[3 * r + 2] - z) ** 2;
        if (d < least) [least, nearest] = [d, r];
      }
      const v = b.first + i;
      const o = 6 * nearest;
      this.ring[v] = nearest;
      this.along(nearest, t);
      const axes = [frames.subarray(o, o + 3), frames.subarray(o + 3, o + 6), [t.x, t.y, t.z]];
      axes.forEach((a, k) => {
        this.place[3 * v + k] =
          (x - centres[3 * nearest]) * a[0] + (y - centres[3 * nearest + 1]) * a[1] + (z - centres[3 * nearest + 2]) * a[2];
        this.outward[3 * v + k] = normals[3 * i] * a[0] + normals[3 * i + 1] * a[1] + normals[3 * i + 2] * a[2];
      });
    }
    own.dispose();
  }

  update(frame: Frame, selected: number, hovered: number, fade: number): void {
    const c = new Float32Array(3);
    for (const b of this.bound) {
      const strand = this.data.strands[b.strand];
      const level = strand.muscle >= 0 ? frame.activation[strand.muscle] : 0;
      const lit = hovered === b.strand || selected === b.strand;
      rampLinear(level, c);
      for (let k = 0; k < 3; k++) {
        if (selected >= 0 && selected !== b.strand) c[k] = 0.35 * c[k] + 0.65 * fade;
        else if (lit) c[k] = Math.min(1, 1.2 * c[k] + 0.04);
        // neighbours differ a little, so that the borders of bellies show
        else c[k] *= 0.88 + 0.06 * ((b.strand * 7) % 5);
      }
      this.write(b, this.tubes.hidden[b.strand] ? 0 : this.tubes.squeeze(this.rings[b.strand]), c);
    }
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.color.needsUpdate = true;
  }

  private write(b: Bound, squeeze: number, colour: Float32Array): void {
    const { centres, frames } = this.tubes;
    const pos = this.position.array as Float32Array;
    const nor = this.normal.array as Float32Array;
    const col = this.color.array as Float32Array;
    const t = new THREE.Vector3();
    for (let v = b.first; v < b.first + b.count; v++) {
      const r = this.ring[v];
      const o = 6 * r;
      this.along(r, t);
      const [x, y] = [squeeze * this.place[3 * v], squeeze * this.place[3 * v + 1]];
      const z = squeeze ? this.place[3 * v + 2] : 0;
      const [nx, ny, nz] = [this.outward[3 * v], this.outward[3 * v + 1], this.outward[3 * v + 2]];
      for (let k = 0; k < 3; k++) {
        const tk = t.getComponent(k);
        pos[3 * v + k] = centres[3 * r + k] + x * frames[o + k] + y * frames[o + 3 + k] + z * tk;
        nor[3 * v + k] = nx * frames[o + k] + ny * frames[o + 3 + k] + nz * tk;
        col[3 * v + k] = colour[k];
      }
    }
  }
}
