// All strands as tubes in one mesh. The parameters of the samples are fixed, so the four basis values of each are
// computed once; a frame only blends control points, carries a frame along the curve and writes rings of vertices.

import * as THREE from "three";
import type { Strand, StudioData } from "./data";
import { Bellies } from "./bellies";
import { restFrame, type Frame } from "./frame";
import { Lines } from "./lines";
import { rampColours, rampLinear, rampShare, tendon } from "./ramp";

const SIDES = 8;
/** the same where there are many lines */
const FEW_SIDES = 6;
/** More line muscles than this get fewer rings each, so that a whole body still moves smoothly. */
const MANY_LINES = 200;

export interface Rings {
  first: number; // sample
  count: number;
  span: Int32Array;
  basis: Float32Array; // count x 4
  swell: Float32Array; // 0 in the tendon, 1 in the middle of the belly
  drawnLength: number;
  /** now, m */
  length: number;
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

/** Shiny, coloured by vertex; leaves out what a test of `seen` says. */
function tissue(without: string): THREE.MeshPhongMaterial {
  const material = new THREE.MeshPhongMaterial({ vertexColors: true, shininess: 38, specular: "#2c2c2c" });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("void main() {", "attribute float seen;\nvarying float vSeen;\nvoid main() {\nvSeen = seen;");
    shader.fragmentShader = shader.fragmentShader
      .replace("void main() {", "varying float vSeen;\nvoid main() {")
      .replace("#include <color_fragment>", `#include <color_fragment>\nif (v${without[0].toUpperCase()}${without.slice(1)}) discard;\ndiffuseColor.a *= vSeen;`);
  };
  material.customProgramCacheKey = () => without;
  material.userData.without = without;
  return material;
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
    length: 0,
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

/** Rings of a line muscle: evenly along it, whatever its pose. */
function makeLineRings(strand: Strand, first: number, many: boolean): Rings {
  const n = strand.line!.bodies.length;
  const count = many ? Math.min(n + 8, 16) : Math.min(5 * n + 16, 72);
  const swell = Float32Array.from({ length: count }, (_, i) => bellyShape(strand, i / (count - 1)));
  return { first, count, span: new Int32Array(0), basis: new Float32Array(0), swell, drawnLength: 0, length: 0 };
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
  /** per strand: a soft muscle is drawn in its place; null: nowhere */
  covered: Uint8Array | null = null;
  /** what strands that are not selected fade towards, linear grey */
  fade = 0.16;
  /** see-through by activation: what rests is faint */
  byActivity = false;
  /** how far bellies are drawn apart, 0 to 1; their ends stay */
  spread = 0;
  /** strands that do nothing: grey */
  readonly idle: Uint8Array;
  /** everything that is drawn */
  readonly group = new THREE.Group();
  private readonly faint: THREE.Mesh;
  private readonly seen: THREE.BufferAttribute;
  private away: Float32Array | null = null; // where each belly goes when they are spread, m: found when first asked for
  private readonly atRest: Float32Array; // centres
  private readonly rings: Rings[] = [];
  /** first entry of each strand in the index */
  private readonly indexOf: number[] = [];
  private readonly position: THREE.BufferAttribute;
  private readonly normal: THREE.BufferAttribute;
  private readonly color: THREE.BufferAttribute;
  private readonly scratch = new Float32Array(3);
  private readonly lines: Lines;
  /** of a ring, and where its corners are */
  readonly sides: number;
  private readonly circle: number[][];

  constructor(private readonly data: StudioData) {
    this.hidden = new Uint8Array(data.strands.length);
    this.idle = new Uint8Array(data.strands.length);
    let samples = 0;
    const many = data.strands.filter((s) => s.line).length > MANY_LINES;
    this.sides = many ? FEW_SIDES : SIDES;
    this.circle = Array.from({ length: this.sides }, (_, j) => [Math.cos((2 * Math.PI * j) / this.sides), Math.sin((2 * Math.PI * j) / this.sides)]);
    this.lines = new Lines(data);
    for (const strand of data.strands) {
      const rings = strand.line ? makeLineRings(strand, samples, many) : makeRings(strand, samples);
      this.rings.push(rings);
      samples += rings.count;
    }
    this.centres = new Float32Array(3 * samples);
    this.owner = new Int32Array(samples);
    this.frames = new Float32Array(6 * samples);
    this.rings.forEach((r, i) => this.owner.fill(i, r.first, r.first + r.count));
    const geometry = new THREE.BufferGeometry();
    this.position = new THREE.BufferAttribute(new Float32Array(3 * this.sides * samples), 3);
    this.normal = new THREE.BufferAttribute(new Float32Array(3 * this.sides * samples), 3);
    this.color = new THREE.BufferAttribute(new Float32Array(3 * this.sides * samples), 3);
    for (const a of [this.position, this.normal, this.color]) a.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", this.position);
    geometry.setAttribute("normal", this.normal);
    geometry.setAttribute("color", this.color);
    geometry.setIndex(this.makeIndex());
    geometry.userData.coarse = this.coarseIndex();
    this.seen = new THREE.BufferAttribute(new Float32Array(this.sides * samples).fill(1), 1);
    this.seen.setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("seen", this.seen);
    this.mesh = new THREE.Mesh(geometry, tissue("seen < 0.6"));
    this.mesh.frustumCulled = false;
    // What is faint is drawn once more, after all else and without hiding what lies behind it.
    const glass = tissue("seen >= 0.6");
    glass.transparent = true;
    glass.depthWrite = false;
    this.faint = new THREE.Mesh(geometry, glass);
    this.faint.frustumCulled = false;
    this.faint.renderOrder = 5;
    this.faint.visible = false;
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
    this.trace(restFrame(data));
    this.rings.forEach((r) => (r.drawnLength = r.length));
    this.atRest = this.centres.slice();
    this.rings.forEach((r, s) => this.writeRings(r, data.strands[s], 0, 1));
    this.bellies = new Bellies(data, this, this.rings);
    this.mesh.add(this.bellies.mesh);
    this.group.add(this.mesh, this.faint, this.halo);
  }

  /** Away from the middle of the bellies around, so that layers part like the pages of a book. */
  private findAway(): Float32Array {
    const middles = this.rings.map((r) => {
      const i = r.first + r.swell.reduce((best, v, k) => (v > r.swell[best] ? k : best), 0);
      return new THREE.Vector3().fromArray(this.atRest, 3 * i);
    });
    const out = new Float32Array(3 * middles.length);
    const around = new THREE.Vector3();
    middles.forEach((m, s) => {
      let weight = 0;
      around.set(0, 0, 0);
      for (const other of middles) {
        const w = Math.exp(-other.distanceToSquared(m) / (2 * 0.045 ** 2));
        around.addScaledVector(other, w);
        weight += w;
      }
      around.multiplyScalar(-1 / weight).add(m);
      const far = around.length() || 1;
      const most = Math.min(0.006 + 0.9 * far, 0.2 * this.rings[s].length);
      around.multiplyScalar(most / far).toArray(out, 3 * s);
    });
    return out;
  }

  private makeIndex(): number[] {
    const index: number[] = [];
    for (const r of this.rings) {
      this.indexOf.push(index.length);
      for (let i = 0; i + 1 < r.count; i++)
        for (let j = 0; j < this.sides; j++) {
          const a = (r.first + i) * this.sides + j;
          const b = (r.first + i) * this.sides + ((j + 1) % this.sides);
          index.push(a, b, a + this.sides, b, b + this.sides, a + this.sides);
        }
    }
    return index;
  }

  /** Every second side of every second ring, and the last ring: for pictures that must be cheap. */
  private coarseIndex(): THREE.BufferAttribute {
    const index: number[] = [];
    const n = this.sides;
    for (const r of this.rings)
      for (let i = 0; i + 1 < r.count; i += 2)
        for (let j = 0; j < n; j += 2) {
          const near = (r.first + i) * n;
          const far = (r.first + Math.min(i + 2, r.count - 1)) * n;
          const next = (j + 2) % n;
          index.push(near + j, near + next, far + j, near + next, far + next, far + j);
        }
    return new THREE.BufferAttribute(Uint32Array.from(index), 1);
  }

  private trace(frame: Frame): void {
    const points = frame.points;
    this.lines.place(frame.positions, frame.rotations);
    this.rings.forEach((r, s) => {
      const { line } = this.data.strands[s];
      if (line) return this.traceLine(r, this.lines.trace(line));
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
      r.length = this.lineLength(r);
    });
  }

  /** Samples the line that was traced last, and takes the edge off its corners. */
  private traceLine(r: Rings, length: number): void {
    const { xyz, along, count } = this.lines;
    const c = this.centres;
    r.length = length;
    for (let i = 0, k = 1; i < r.count; i++) {
      const at = (length * i) / (r.count - 1);
      while (k + 1 < count && along[k] < at) k++;
      const f = Math.min(Math.max((at - along[k - 1]) / (along[k] - along[k - 1] || 1), 0), 1);
      for (let j = 0; j < 3; j++) c[3 * (r.first + i) + j] = xyz[3 * k - 3 + j] * (1 - f) + xyz[3 * k + j] * f;
    }
    for (let j = 0; j < 3; j++) {
      let before = c[3 * r.first + j];
      for (let i = 1; i + 1 < r.count; i++) {
        const o = 3 * (r.first + i) + j;
        const here = c[o];
        c[o] = 0.25 * before + 0.5 * here + 0.25 * c[o + 3];
        before = here;
      }
    }
  }

  /** Length of a strand in the pose drawn last, m. */
  lengthOf(strand: number): number {
    return this.rings[strand].length;
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
    this.trace(frame);
    if (this.spread > 0) this.rings.forEach((r, s) => this.part(r, s));
    this.faint.visible = this.byActivity && this.mesh.visible;
    this.halo.visible = selected >= 0 && this.mesh.visible;
    if (selected >= 0) {
      const r = this.rings[selected];
      this.halo.geometry.setDrawRange(this.indexOf[selected], 6 * this.sides * (r.count - 1));
    }
    this.rings.forEach((r, s) => {
      const strand = this.data.strands[s];
      const level = strand.muscle >= 0 ? frame.activation[strand.muscle] : 0;
      this.writeColors(r, level, strand.muscle >= 0, selected >= 0 && selected !== s, hovered === s || selected === s, this.idle[s] === 1);
      const seen = this.byActivity && hovered !== s && selected !== s ? 0.08 + 0.92 * Math.sqrt(rampShare(level)) : 1;
      (this.seen.array as Float32Array).fill(seen, this.sides * r.first, this.sides * (r.first + r.count));
      this.writeRings(r, strand, rampShare(level), this.hidden[s] || this.covered?.[s] ? 0 : hovered === s || selected === s ? 1.25 : 1);
    });
    this.position.needsUpdate = true;
    this.normal.needsUpdate = true;
    this.color.needsUpdate = true;
    this.seen.needsUpdate = true;
    this.bellies.update(frame, selected, hovered, this.fade);
  }

  /** How much thicker a strand is than as drawn: it keeps its volume. */
  squeeze(r: Rings): number {
    return Math.sqrt(Math.min(Math.max(r.drawnLength / (r.length || 1), 0.5), 2));
  }

  private part(r: Rings, s: number): void {
    const away = (this.away ??= this.findAway());
    for (let i = 0; i < r.count; i++) {
      const w = this.spread * Math.sin((Math.PI * i) / (r.count - 1)) ** 1.2;
      for (let k = 0; k < 3; k++) this.centres[3 * (r.first + i) + k] += w * away[3 * s + k];
    }
  }

  /** Sample in the thickest place of a strand's belly, else in its middle. */
  middleOf(strand: number): number {
    const r = this.rings[strand];
    let best = r.count >> 1;
    for (let i = 0; i < r.count; i++) if (r.swell[i] > r.swell[best] + 1e-6) best = i;
    return r.first + best;
  }

  private writeColors(r: Rings, level: number, muscle: boolean, faded: boolean, lit: boolean, idle: boolean): void {
    const c = this.scratch;
    rampLinear(level, c);
    const out = this.color.array as Float32Array;
    // Tendons are pale. On the scale of activations they show enough of it to be followed; in the colours of anatomy a hint.
    const n = this.sides;
    const paleness = !muscle ? 0.85 : rampColours() === "anatomy" ? 1 - 0.3 * rampShare(level) : 0.28;
    for (let i = 0; i < r.count; i++) {
      const pale = muscle ? paleness * (1 - smooth(3 * r.swell[i])) : paleness;
      for (let k = 0; k < 3; k++) {
        let v = c[k] * (1 - pale) + tendon[k] * pale;
        if (idle) v = 0.25 * v + 0.75 * [0.2, 0.23, 0.27][k];
        if (faded) v = 0.35 * v + 0.65 * this.fade;
        else if (lit) v = Math.min(1, 1.15 * v + 0.03);
        for (let j = 0; j < n; j++) out[3 * ((r.first + i) * n + j) + k] = v;
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
    const n = this.sides;
    for (let j = 0; j < n; j++) {
      const [ca, sa] = this.circle[j];
      const o = 3 * (i * n + j);
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
