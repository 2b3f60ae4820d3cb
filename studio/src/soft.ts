// Soft muscles: shapes of a deformation library, blended by the joint coordinates and activations of a frame. The same
// formula as src/meshfree/library.c: x = sum over bodies of weight * motion * (rest + sum over samples of w * delta).

import * as THREE from "three";
import type { Body, SoftAxis, SoftMuscle, StudioData } from "./data";
import type { Frame } from "./frame";
import { rampLinear } from "./ramp";
import { poseMatrix, vertexNormals } from "./skin";

/** Samples of an axis and their weights at a value: a cubic through the samples, or linear; clamped at the ends. */
function along(axis: SoftAxis, value: number, index: number[], weight: number[]): number {
  const v = axis.values;
  const n = v.length;
  if (n === 1) {
    index[0] = 0;
    weight[0] = 1;
    return 1;
  }
  const at = Math.min(Math.max(value, v[0]), v[n - 1]);
  let k = 0;
  while (k + 2 < n && at >= v[k + 1]) k++;
  const h = v[k + 1] - v[k];
  const t = (at - v[k]) / h;
  if (axis.coordinate < 0 || n < 3) {
    index[0] = k;
    index[1] = k + 1;
    weight[0] = 1 - t;
    weight[1] = t;
    return 2;
  }
  const w = [0, (1 + 2 * t) * (1 - t) ** 2, t * t * (3 - 2 * t), 0];
  for (let end = 0; end < 2; end++) {
    const i = k + end;
    const f = h * (end ? t * t * (t - 1) : t * (1 - t) ** 2);
    const c = 1 + end;
    if (i === 0 || i === n - 1) {
      const s = i === 0 ? f : -f;
      w[c + (i === 0 ? 1 : -1)] += s / h;
      w[c] -= s / h;
      continue;
    }
    const before = v[i] - v[i - 1];
    const after = v[i + 1] - v[i];
    const p = after / (before + after);
    const q = before / (before + after);
    w[c - 1] -= (f * p) / before;
    w[c] += f * (p / before - q / after);
    w[c + 1] += (f * q) / after;
  }
  let count = 0;
  for (let j = 0; j < 4; j++)
    if (w[j] !== 0) {
      index[count] = k - 1 + j;
      weight[count++] = w[j];
    }
  return count;
}

interface Mix {
  sample: number[];
  weight: number[];
}

/** Which samples of a muscle count how much. */
export function mixOf(muscle: SoftMuscle, frame: Frame): Mix {
  let mix: Mix = { sample: [0], weight: [1] };
  const level = muscle.muscles.reduce((sum, m) => sum + frame.activation[m], 0) / Math.max(muscle.muscles.length, 1);
  const index = [0, 0, 0, 0];
  const weight = [0, 0, 0, 0];
  for (const axis of muscle.axes) {
    const count = along(axis, axis.coordinate < 0 ? level : frame.coordinates[axis.coordinate], index, weight);
    const next: Mix = { sample: [], weight: [] };
    mix.sample.forEach((s, i) => {
      for (let j = 0; j < count; j++) {
        next.sample.push(s * axis.values.length + index[j]);
        next.weight.push(mix.weight[i] * weight[j]);
      }
    });
    mix = next;
  }
  return mix;
}

class Surface {
  readonly mesh: THREE.Mesh;
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly material = new THREE.MeshPhongMaterial({ shininess: 30, specular: "#2c2c2c" });
  private readonly shape: Float32Array;
  private readonly motion: Float32Array;
  private readonly back: THREE.Matrix4[];
  private readonly now = new THREE.Matrix4();
  private readonly colour = [0, 0, 0];

  constructor(
    readonly muscle: SoftMuscle,
    bodies: Body[],
  ) {
    const n = muscle.vertices.length;
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(muscle.vertices.slice(), 3).setUsage(THREE.DynamicDrawUsage);
    this.normal = new THREE.BufferAttribute(new Float32Array(n), 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setIndex(new THREE.BufferAttribute(muscle.triangles, 1));
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.shape = new Float32Array(n);
    this.motion = new Float32Array(12 * muscle.bodies.length);
    this.back = muscle.bodies.map((b) => poseMatrix(bodies[b].rest, 0, bodies[b].rest, 3, new THREE.Matrix4()).invert());
  }

  update(frame: Frame, faded: boolean): void {
    this.mix(mixOf(this.muscle, frame));
    this.place(frame);
    vertexNormals(this.position.array as Float32Array, this.muscle.triangles, this.normal.array as Float32Array);
    this.position.needsUpdate = this.normal.needsUpdate = true;
    const { muscles } = this.muscle;
    const level = muscles.reduce((sum, m) => sum + frame.activation[m], 0) / Math.max(muscles.length, 1);
    rampLinear(level, this.colour);
    const f = faded ? 0.35 : 1;
    this.material.color.setRGB(f * this.colour[0], f * this.colour[1], f * this.colour[2]);
  }

  /** The blended shape before the bones move it, one coordinate after the other. */
  private mix(mix: Mix): void {
    const { deltas, unit, planes } = this.muscle;
    const shape = this.shape;
    const n = shape.length;
    shape.set(planes);
    mix.sample.forEach((s, i) => {
      const w = unit * mix.weight[i];
      const from = s * n;
      for (let k = 0; k < n; k++) shape[k] += w * deltas[from + k];
    });
  }

  private place(frame: Frame): void {
    const { bodies, weights } = this.muscle;
    const out = this.position.array as Float32Array;
    const shape = this.shape;
    const n = shape.length / 3;
    const a = this.motion;
    bodies.forEach((b, i) => {
      const e = poseMatrix(frame.positions, 3 * b, frame.rotations, 4 * b, this.now).multiply(this.back[i]).elements;
      a.set([e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]], 12 * i);
    });
    for (let v = 0; v < n; v++) {
      const x = shape[v];
      const y = shape[n + v];
      const z = shape[2 * n + v];
      let px = 0;
      let py = 0;
      let pz = 0;
      for (let b = 0; b < bodies.length; b++) {
        const w = weights[b * n + v];
        if (w === 0) continue;
        const e = 12 * b;
        px += w * (a[e] * x + a[e + 1] * y + a[e + 2] * z + a[e + 3]);
        py += w * (a[e + 4] * x + a[e + 5] * y + a[e + 6] * z + a[e + 7]);
        pz += w * (a[e + 8] * x + a[e + 9] * y + a[e + 10] * z + a[e + 11]);
      }
      out[3 * v] = px;
      out[3 * v + 1] = py;
      out[3 * v + 2] = pz;
    }
  }
}

export class SoftMuscles {
  readonly group = new THREE.Group();
  /** ms that the last update took */
  spent = 0;
  private readonly surfaces: Surface[];
  /** per strand: whether a soft muscle is shown in its place */
  readonly covers: Uint8Array;

  constructor(private readonly data: StudioData) {
    this.surfaces = data.soft.map((m) => new Surface(m, data.bodies));
    this.covers = new Uint8Array(data.strands.length);
    this.group.add(...this.surfaces.map((s) => s.mesh));
    this.cover(null);
  }

  /** Muscles of which a strand is shown; null: all. */
  cover(strands: Set<number> | null): void {
    this.covers.fill(0);
    for (const s of this.surfaces) {
      const own = this.strandsOf(s.muscle);
      s.mesh.visible = !strands || own.some((i) => strands.has(i));
      if (s.mesh.visible) for (const i of own) this.covers[i] = 1;
    }
  }

  private strandsOf(muscle: SoftMuscle): number[] {
    const own = new Set(muscle.muscles);
    return this.data.strands.flatMap((s, i) => (s.muscle >= 0 && own.has(s.muscle) ? [i] : []));
  }

  update(frame: Frame, selected: number): void {
    if (!this.group.visible) return;
    const start = performance.now();
    const muscle = selected >= 0 ? this.data.strands[selected].muscle : -1;
    for (const s of this.surfaces)
      if (s.mesh.visible) s.update(frame, selected >= 0 && !s.muscle.muscles.includes(muscle));
    this.spent = performance.now() - start;
  }
}
