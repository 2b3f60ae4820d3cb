// All strands as tubes in one mesh. The parameters of the samples are fixed, so the four basis values of each are
// computed once; a frame only blends control points, carries a frame along the curve and writes rings of vertices.

import * as THREE from "three";
import type { Strand, StudioData } from "./data";
import type { Frame } from "./frame";
import { Bellies } from "./bellies";
import { rampColours, rampLinear, rampShare, tendon } from "./ramp";

const SIDES = 8;

export interface Rings {
  first: number; // sample
  count: number;
  span: Int32Array;
  basis: Float32Array; // count x 4
  swell: Float32Array; // 0 in the tendon, 1 in the middle of the belly
  drawnLength: number;
}

function basisAt(knots: Float32Array, n: number, s: number): { span: number; b: number[] } {
  let k = 3;
  while (k < n - 1 && knots[k + 1] <= s) k++;
  const b = [1, 0, 0, 0];
  for (let degree = 1; degree <= 3; degree++) {
    let saved = 0;
    for (let r = 0; r < degree; r++) {
      const right = knots[k + r + 1] - s;
      const left = s - knots[k + 1 - degree + r];
      const t = right + left > 0 ? b[r] / (right + left) : 0;
      b[r] = saved + right * t;
      saved = left * t;
    }
    b[degree] = saved;
  }
  return { span: k - 3, b };
}

/** Position on a strand at a fraction of its parameter range, for a set of control points. */
export function strandPoint(strand: Strand, points: Float32Array, fraction: number, out: THREE.Vector3): THREE.Vector3 {
  const n = strand.npoint;
  const s0 = strand.knots[3];
  const { span, b } = basisAt(strand.knots, n, s0 + fraction * (strand.knots[n] - s0));
  out.set(0, 0, 0);
  for (let k = 0; k < 4; k++) {
    const o = 3 * (strand.first + span + k);
    out.x += b[k] * points[o];
    out.y += b[k] * points[o + 1];
    out.z += b[k] * points[o + 2];
  }
  return out;
}

/** Radius that a tendon is drawn with, m. */
export function thinRadius(strand: Strand): number {
  return Math.min(Math.max(strand.radius * 0.55, 0.0006), 0.0025);
}

function smooth(x: number): number {
  const t = Math.min(Math.max(x, 0), 1);
  return t * t * (3 - 2 * t);
}

function bellyShape(strand: Strand, u: number): number {
  const [a, b] = strand.belly;
  if (!(b > a)) return 0;
  const edge = 0.35 * (b - a);
  return smooth((u - a) / edge) * smooth((b - u) / edge);
}

function makeRings(strand: Strand, first: number): Rings {
  const n = strand.npoint;
  const count = Math.min(5 * (n - 3) + 1, 96);
  const rings: Rings = {
    first,
    count,
    span: new Int32Array(count),
    basis: new Float32Array(4 * count),
    swell: new Float32Array(count),
    drawnLength: 0,
  };
  const s0 = strand.knots[3];
  const s1 = strand.knots[n];
  for (let i = 0; i < count; i++) {
    const u = i / (count - 1);
    const { span, b } = basisAt(strand.knots, n, s0 + u * (s1 - s0));
    rings.span[i] = span;
    rings.basis.set(b, 4 * i);
    rings.swell[i] = bellyShape(strand, u);
  }
  return rings;
}

export class Tubes {
  readonly mesh: THREE.Mesh;
  /** the selected strand once more, through everything before it */
  readonly halo: THREE.Mesh;
  /** centre line of every strand, samples x 3, for picking */
  readonly centres: Float32Array;
  /** strand of each sample */
  readonly owner: Int32Array;
  /** across each ring, samples x 6: two directions at right angles to the curve */
  readonly frames: Float32Array;
  private readonly bellies: Bellies;
  thickness = 1;
  /** strands that are not shown */
  readonly hidden: Uint8Array;
  /** what strands that are not selected fade towards, linear grey */
  fade = 0.16;
  private readonly rings: Rings[] = [];
  /** first entry of each strand in the index */
  private readonly indexOf: number[] = [];
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly color: THREE.BufferAttribute;
  private readonly scratch = new Float32Array(3);

  constructor(private readonly data: StudioData) {
    this.hidden = new Uint8Array(data.strands.length);
    let samples = 0;
    for (const strand of data.strands) {
      const rings = makeRings(strand, samples);
      this.rings.push(rings);
      samples += rings.count;
    }
    this.centres = new Float32Array(3 * samples);
    this.owner = new Int32Array(samples);
    this.frames = new Float32Array(6 * samples);
    this.rings.forEach((r, i) => this.owner.fill(i, r.first, r.first + r.count));
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * SIDES * samples), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * SIDES * samples), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(3 * SIDES * samples), 3);
    for (const a of [this.position, this.normal, this.color]) a.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.color);
    geometry.setIndex(this.makeIndex());
    const material = new THREE.MeshPhongMaterial({ vertexColors: true, shininess: 38, specular: "#2c2c2c" });
    this.mesh = new THREE.Mesh(geometry, material);
    this.mesh.frustumCulled = false;
    const again = new THREE.BufferGeometry();
    again.setAttribute("position", this.position);
    again.setIndex(geometry.index);
    this.halo = new THREE.Mesh(
      again,
      new THREE.MeshBasicMaterial({ color: "#ffb020", transparent: true, opacity: 0.55, depthTest: false, depthWrite: false }),
    );
    this.halo.frustumCulled = false;
    this.halo.renderOrder = 20;
    this.halo.visible = false;
    this.rings.forEach((r) => (r.drawnLength = 0));
    this.trace(data.restPoints);
    this.rings.forEach((r) => (r.drawnLength = this.lineLength(r)));
    this.rings.forEach((r, s) => this.writeRings(r, data.strands[s], 0, 1));
    this.bellies = new Bellies(data, this, this.rings);
    this.mesh.add(this.bellies.mesh);
  }

  private makeIndex(): number[] {
    const index: number[] = [];
    for (const r of this.rings) {
      this.indexOf.push(index.length);
      for (let i = 0; i + 1 < r.count; i++)
        for (let j = 0; j < SIDES; j++) {
          const a = (r.first + i) * SIDES + j;
          const b = (r.first + i) * SIDES + ((j + 1) % SIDES);
          index.push(a, b, a + SIDES, b, b + SIDES, a + SIDES);
        }
    }
    return index;
  }

  private trace(points: Float32Array): void {
    this.rings.forEach((r, s) => {
      const first = this.data.strands[s].first;
      for (let i = 0; i < r.count; i++) {
        let x = 0;
        let y = 0;
        let z = 0;
        for (let k = 0; k < 4; k++) {
          const w = r.basis[4 * i + k];
          const o = 3 * (first + r.span[i] + k);
          x += w * points[o];
          y += w * points[o + 1];
          z += w * points[o + 2];
        }
        const c = 3 * (r.first + i);
        this.centres[c] = x;
        this.centres[c + 1] = y;
        this.centres[c + 2] = z;
      }
    });
  }

  private lineLength(r: Rings): number {
    let sum = 0;
    for (let i = r.first + 1; i < r.first + r.count; i++) {
      const c = this.centres;
      sum += Math.hypot(c[3 * i] - c[3 * i - 3], c[3 * i + 1] - c[3 * i - 2], c[3 * i + 2] - c[3 * i - 1]);
    }
    return sum;
  }

  /** Rewrites the mesh. selected and hovered are strands or -1; others fade when one is selected. */
  update(frame: Frame, selected: number, hovered: number): void {
    this.trace(frame.points);
    this.halo.visible = selected >= 0 && this.mesh.visible;
    if (selected >= 0) {
      const r = this.rings[selected];
      this.halo.geometry.setDrawRange(this.indexOf[selected], 6 * SIDES * (r.count - 1));
    }
    this.rings.forEach((r, s) => {
      const strand = this.data.strands[s];
      const level = strand.muscle >= 0 ? frame.activation[strand.muscle] : 0;
      this.writeColors(r, level, strand.muscle >= 0, selected >= 0 && selected !== s, hovered === s || selected === s);
      this.writeRings(r, strand, rampShare(level), this.hidden[s] ? 0 : hovered === s || selected === s ? 1.25 : 1);
    });
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.color.needsUpdate = true;
    this.bellies.update(frame, selected, hovered, this.fade);
  }

  /** How much thicker a strand is than as drawn: it keeps its volume. */
  squeeze(r: Rings): number {
    return Math.sqrt(Math.min(Math.max(r.drawnLength / (this.lineLength(r) || 1), 0.5), 2));
  }

  private writeColors(r: Rings, level: number, muscle: boolean, faded: boolean, lit: boolean): void {
    const c = this.scratch;
    rampLinear(level, c);
    const out = this.color.array as Float32Array;
    // Tendons are pale. On the scale of activations they show enough of it to be followed; in the colours of anatomy a hint.
    const paleness = !muscle ? 0.85 : rampColours() === "anatomy" ? 1 - 0.3 * rampShare(level) : 0.28;
    for (let i = 0; i < r.count; i++) {
      const pale = muscle ? paleness * (1 - smooth(3 * r.swell[i])) : paleness;
      for (let k = 0; k < 3; k++) {
        let v = c[k] * (1 - pale) + tendon[k] * pale;
        if (faded) v = 0.35 * v + 0.65 * this.fade;
        else if (lit) v = Math.min(1, 1.15 * v + 0.03);
        for (let j = 0; j < SIDES; j++) out[3 * ((r.first + i) * SIDES + j) + k] = v;
      }
    }
  }

  /** share: of the scale that colours have, so that what can be told by colour can be told by thickness. */
  private writeRings(r: Rings, strand: Strand, share: number, factor: number): void {
    const c = this.centres;
    // Constant volume: a shorter strand is a thicker one.
    const squeeze = this.squeeze(r);
    const thin = thinRadius(strand);
    const full = strand.shape ? thin : strand.bellyRadius;
    let nx = 0;
    let ny = 0;
    let nz = 0;
    for (let i = 0; i < r.count; i++) {
      const a = 3 * (r.first + Math.max(i - 1, 0));
      const b = 3 * (r.first + Math.min(i + 1, r.count - 1));
      let tx = c[b] - c[a];
      let ty = c[b + 1] - c[a + 1];
      let tz = c[b + 2] - c[a + 2];
      const tl = Math.hypot(tx, ty, tz) || 1;
      tx /= tl;
      ty /= tl;
      tz /= tl;
      if (i === 0) [nx, ny, nz] = Math.abs(tx) < 0.7 ? [0, tz, -ty] : [-tz, 0, tx];
      const along = nx * tx + ny * ty + nz * tz;
      nx -= along * tx;
      ny -= along * ty;
      nz -= along * tz;
      const nl = Math.hypot(nx, ny, nz) || 1;
      nx /= nl;
      ny /= nl;
      nz /= nl;
      this.frames.set([nx, ny, nz, ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx], 6 * (r.first + i));
      const swell = r.swell[i];
      const radius =
        this.thickness * factor * (thin * (1 + 0.35 * share) + (full - thin) * swell * squeeze * (0.7 + 0.6 * share));
      this.writeRing(r.first + i, radius, nx, ny, nz, ty * nz - tz * ny, tz * nx - tx * nz, tx * ny - ty * nx);
    }
  }

  private writeRing(i: number, rad: number, nx: number, ny: number, nz: number, bx: number, by: number, bz: number): void {
    const pos = this.position.array as Float32Array;
    const nor = this.normal.array as Float32Array;
    const c = this.centres;
    for (let j = 0; j < SIDES; j++) {
      const angle = (2 * Math.PI * j) / SIDES;
      const ca = Math.cos(angle);
      const sa = Math.sin(angle);
      const o = 3 * (i * SIDES + j);
      const x = ca * nx + sa * bx;
      const y = ca * ny + sa * by;
      const z = ca * nz + sa * bz;
      nor[o] = x;
      nor[o + 1] = y;
      nor[o + 2] = z;
      pos[o] = c[3 * i] + rad * x;
      pos[o + 1] = c[3 * i + 1] + rad * y;
      pos[o + 2] = c[3 * i + 2] + rad * z;
    }
  }
}
