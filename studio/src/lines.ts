// Line muscles: where they run, from the poses of the bodies alone. Points ride on bodies; between two of them a line is
// straight or the shortest curve over a cylinder or a sphere (the geometry of src/path/wrap.c).

import type { LineCourse, StudioData, Wrap } from "./data";

type V = [number, number, number];

const dot = (a: V, b: V) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: V, b: V): V => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const mad = (a: V, s: number, b: V): V => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const sub = (a: V, b: V): V => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (a: V, s: number): V => [s * a[0], s * a[1], s * a[2]];
const size = (a: V) => Math.hypot(a[0], a[1], a[2]);

/** Points that an arc is drawn with, its two ends among them. */
const ARC = 7;

/** Vertices of every line of a pose, one after the other, with the length up to each. */
export class Lines {
  readonly xyz: Float64Array;
  /** length of the line up to a vertex, m */
  readonly along: Float64Array;
  /** vertices of the line traced last */
  count = 0;
  private readonly bodies: Float64Array; // 12 each: rotation by rows, then position

  constructor(private readonly data: StudioData) {
    const most = Math.max(2, ...data.strands.map((s) => (s.line ? (ARC + 1) * s.line.bodies.length : 0)));
    this.xyz = new Float64Array(3 * most);
    this.along = new Float64Array(most);
    this.bodies = new Float64Array(12 * data.bodies.length);
  }

  /** Takes in where the bodies are. */
  place(positions: Float32Array, rotations: Float32Array): void {
    const m = this.bodies;
    for (let b = 0; 12 * b < m.length; b++) {
      const [w, x, y, z] = rotations.subarray(4 * b, 4 * b + 4);
      m[12 * b] = 1 - 2 * (y * y + z * z);
      m[12 * b + 1] = 2 * (x * y - w * z);
      m[12 * b + 2] = 2 * (x * z + w * y);
      m[12 * b + 3] = 2 * (x * y + w * z);
      m[12 * b + 4] = 1 - 2 * (x * x + z * z);
      m[12 * b + 5] = 2 * (y * z - w * x);
      m[12 * b + 6] = 2 * (x * z - w * y);
      m[12 * b + 7] = 2 * (y * z + w * x);
      m[12 * b + 8] = 1 - 2 * (x * x + y * y);
      for (let k = 0; k < 3; k++) m[12 * b + 9 + k] = positions[3 * b + k];
    }
  }

  private world(body: number, at: ArrayLike<number>, o: number, point: boolean): V {
    const x = at[o];
    const y = at[o + 1];
    const z = at[o + 2];
    if (body < 0) return [x, y, z];
    const m = this.bodies;
    const i = 12 * body;
    const s = point ? 1 : 0;
    return [
      m[i] * x + m[i + 1] * y + m[i + 2] * z + s * m[i + 9],
      m[i + 3] * x + m[i + 4] * y + m[i + 5] * z + s * m[i + 10],
      m[i + 6] * x + m[i + 7] * y + m[i + 8] * z + s * m[i + 11],
    ];
  }

  private add(p: V): void {
    const i = this.count++;
    this.xyz.set(p, 3 * i);
    const o = 3 * (i - 1);
    this.along[i] = i ? this.along[i - 1] + Math.hypot(p[0] - this.xyz[o], p[1] - this.xyz[o + 1], p[2] - this.xyz[o + 2]) : 0;
  }

  /** Follows one line through the pose; returns its length. */
  trace(line: LineCourse): number {
    this.count = 0;
    let a = this.world(line.bodies[0], line.points, 0, true);
    this.add(a);
    for (let k = 1; k < line.bodies.length; k++) {
      const b = this.world(line.bodies[k], line.points, 3 * k, true);
      const wrap = line.over[k - 1] ?? -1;
      if (wrap >= 0) this.arc(a, b, this.data.wraps[wrap]);
      this.add(b);
      a = b;
    }
    return this.along[this.count - 1];
  }

  /** Adds the arc of the way from a to b over a wrap, where it touches. */
  private arc(a: V, b: V, wrap: Wrap): void {
    const r = wrap.radius;
    const centre = this.world(wrap.body, wrap.centre, 0, true);
    const axis = this.world(wrap.body, wrap.axis, 0, false);
    const cylinder = wrap.kind === "cylinder";
    const across = (x: V): V => (cylinder ? mad(x, -dot(x, axis), axis) : x);
    const pa = across(sub(a, centre));
    const pb = across(sub(b, centre));
    const ra = size(pa);
    const rb = size(pb);
    if (!(ra > r && rb > r)) return;
    const ea = scale(pa, 1 / ra);
    const eb = scale(pb, 1 / rb);
    const { theta, normal } = cylinder ? roundCylinder(ea, eb, axis, across(this.world(wrap.body, wrap.side, 0, false))) : roundSphere(ea, eb);
    const first = Math.acos(r / ra);
    const last = theta - Math.acos(r / rb);
    if (!(last > first)) return;
    const ta = cross(normal, ea);
    // Unrolled, the way over a cylinder is straight: it rises evenly.
    const za = dot(sub(a, centre), axis);
    const rise = dot(sub(b, a), axis);
    const before = Math.sqrt(ra * ra - r * r);
    const whole = before + r * (last - first) + Math.sqrt(rb * rb - r * r);
    for (let i = 0; i < ARC; i++) {
      const angle = first + ((last - first) * i) / (ARC - 1);
      let p = mad(mad(centre, r * Math.cos(angle), ea), r * Math.sin(angle), ta);
      if (cylinder) p = mad(p, za + (rise * (before + r * (angle - first))) / whole, axis);
      this.add(p);
    }
  }
}

/** Angle of the way round a cylinder from one direction to another, and what it turns about. */
function roundCylinder(ea: V, eb: V, axis: V, side: V): { theta: number; normal: V } {
  const turn = Math.atan2(dot(axis, cross(ea, eb)), dot(ea, eb));
  let sign = turn < 0 ? -1 : 1;
  let theta = Math.abs(turn);
  if (dot(side, side) > 0) {
    let middle = mad(ea, 1, eb);
    if (dot(middle, middle) < 1e-20) middle = scale(cross(axis, ea), sign);
    if (dot(middle, side) < 0) [sign, theta] = [-sign, 2 * Math.PI - theta];
  }
  return { theta, normal: scale(axis, sign) };
}

function roundSphere(ea: V, eb: V): { theta: number; normal: V } {
  const c = cross(ea, eb);
  const sine = size(c);
  const normal: V = sine > 1e-12 ? scale(c, 1 / sine) : Math.abs(ea[0]) < 0.7 ? [0, ea[2], -ea[1]] : [-ea[2], 0, ea[0]];
  return { theta: Math.atan2(sine, dot(ea, eb)), normal: scale(normal, 1 / (size(normal) || 1)) };
}
