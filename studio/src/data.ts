// The studio's data: one binary container with a JSON head, made by sn_studio_pack (src/io/studio_pack.c), by the
// server, or by the generator of the tests. docs/studio.md describes it. Everything is checked here, so that the rest
// of the page can trust it: a container that does not fit gives one DataError with what was found.

export class DataError extends Error {}

/** A run of numbers in the container's binary part: value = bias[i mod bias.length] + scale * raw. */
interface Blob_ {
  type: "f32" | "i16" | "u16" | "u32" | "u8";
  offset: number;
  count: number;
  scale?: number;
  bias?: number[];
  /** numbers in a frame, where each frame is stored as the difference to the one before */
  delta?: number;
}

export interface Mesh {
  name: string;
  /** a surface that strands wrap on */
  wrap: boolean;
  color: [number, number, number];
  vertices: Float32Array;
  triangles: Uint32Array;
}

export interface Body {
  name: string;
  pinned: boolean;
  /** position, then rotation w first */
  rest: Float32Array;
  meshes: Mesh[];
}

/** Something that line muscles run over. Places and directions are in the body's axes. */
export interface Wrap {
  kind: "cylinder" | "sphere";
  body: number;
  centre: number[];
  axis: number[];
  side: number[];
  radius: number;
}

/** Where a line muscle runs: points on bodies (-1: fixed), and the wrap between each and the next (-1: none). */
export interface LineCourse {
  bodies: number[];
  points: number[];
  over: number[];
  /** lesions that paralyse it */
  nerves: string[];
  part: string;
  /** coordinates that it turns, with its moment arms in the pose as drawn, m; largest first */
  acts: { coordinate: number; arm: number }[];
}

export interface Strand {
  name: string;
  /** what people call it; may be empty */
  label: string;
  radius: number;
  belly: [number, number];
  maxForce: number;
  /** m, as drawn */
  bellyRadius: number;
  knots: Float32Array;
  /** first control point in the points of a frame, and how many */
  first: number;
  npoint: number;
  /** index into the muscles, -1: passive */
  muscle: number;
  /** a line muscle, which has no control points; null: a spline */
  line: LineCourse | null;
  /** the belly as drawn, in the world; null: a tube */
  shape: Mesh | null;
}

export interface Group {
  name: string;
  strands: number[];
}

export type ConstraintType = "fixed" | "sliding" | "surface" | "strut";
export interface Constraint {
  name: string;
  type: ConstraintType;
  strand: number;
  /** parameter of the strand, 0 to 1 over its range */
  position: number;
  attachment: string;
  /** where it sits in a body, which it follows; else it sits on the strand */
  body: number;
  local: [number, number, number];
}

export interface Coordinate {
  name: string;
  joint: string;
  /** what people call the joint; may be empty */
  jointLabel: string;
  /** what a positive change of it is called, as flexion; empty: the model does not say */
  motion: string;
  lower: number;
  upper: number;
  unit: "rad" | "m";
  /** body that it moves */
  body: number;
  /** muscles are asked for it; false: it gives way by itself */
  driven: boolean;
}

export interface Skin {
  vertices: Float32Array;
  triangles: Uint32Array;
  /** four bodies and four weights per vertex */
  bones: Uint8Array;
  weights: Float32Array;
  color: [number, number, number];
}

/** An axis of a soft muscle's samples. */
export interface SoftAxis {
  /** joint coordinate, -1: the mean activation of its muscles */
  coordinate: number;
  values: number[];
}

/** A muscle of a deformation library: shapes over joint coordinates and activation. */
export interface SoftMuscle extends Mesh {
  bodies: number[];
  /** bodies after each other: one weight per vertex */
  weights: Float32Array;
  /** whose activations count */
  muscles: number[];
  axes: SoftAxis[];
  /** the vertices as drawn, all x, all y, all z */
  planes: Float32Array;
  /** what each sample adds, the last axis fastest, planes like those; in units of `unit` m */
  deltas: Int16Array;
  unit: number;
}

/** What the skin adds to the plain blend of the bones, at every stride-th frame, for the vertices listed. */
export interface SkinOffsets {
  stride: number;
  frames: number;
  vertices: Uint32Array;
  values: Float32Array;
}

export interface Replay {
  count: number;
  times: Float32Array;
  positions: Float32Array; // count x nbody x 3
  rotations: Float32Array; // count x nbody x 4, w first
  points: Float32Array; // count x npoint x 3
  activation: Float32Array; // count x nmuscle
  force: Float32Array; // count x nstrand, N
  length: Float32Array; // count x nstrand, m
  targetPositions: Float32Array | null;
  targetRotations: Float32Array | null;
  skinOffsets: SkinOffsets | null;
  /** count x ncoordinate, where there are soft muscles */
  coordinates: Float32Array | null;
}

/** A mesh that can be filled with strands, in world coordinates, and the strands that run through it. */
export interface Fillable extends Mesh {
  /** of the scene, as the server counts */
  node: number;
  inputs: { index: number; name: string }[];
}

export type Rgb = [number, number, number];

/** Colours of tissues, sRGB; the data bring the same. */
export interface Palette {
  muscle: Rgb;
  active: Rgb;
  tendon: Rgb;
  bone: Rgb;
}

const PALETTE: Palette = { muscle: [0.56, 0.18, 0.16], active: [1, 0.72, 0.28], tendon: [0.93, 0.9, 0.84], bone: [0.89, 0.82, 0.68] };

/** A side that the model has a name for, with the direction of the eye in the model's axes. */
export interface NamedView {
  name: string;
  from: Rgb;
}

/** What a case changes; kinds and units as in docs/clinical.md. */
export interface Change {
  kind: "strength" | "passive" | "cost" | "cut" | "nerve" | "fuse" | "load" | "transfer" | "couple";
  name: string;
  to: string;
  value: number;
  force: [number, number, number];
}

/** What one limb says to a pose. */
export interface Held {
  verdict: "yes" | "marginal" | "no";
  /** largest missing torque, mN m, and the coordinate that misses most (-1: none) */
  unmet: number;
  worst: number;
  effort: number;
  reserve: number;
  missing: number[];
  pose: number[];
  activation: number[];
  force: number[];
  /** where a limb ends up that cannot hold the pose; angles of error in degrees */
  nearest?: { error: number; rms: number; worst: number; starts: number; agree: number; pose: number[]; bodies: number[] };
  /** tendons that were moved, and the lines that are no longer there */
  grafts?: { name: string; unit: string; points: number[] }[];
  lost?: number[];
}

export interface Compensator {
  unit: string;
  muscle: number;
  healthy: number;
  case: number;
  force: number;
  low: number;
  high: number;
  must: boolean;
}

/** A pose held again and again by one hand: curves over the moments in time, those of the muscles that tire most. */
export interface Endurance {
  /** s; -1: it never gives way */
  fails: number;
  repetition: number;
  /** coordinate, -1: none */
  worst: number;
  time: number[];
  unmet: number[];
  units: { unit: string; activation: number[]; fatigued: number[] }[];
}

export interface OverTime {
  work: number;
  rest: number;
  repeat: number;
  healthy: Endurance;
  case?: Endurance;
}

/** One thing taken away or given back after the other, ranked; torques over the tolerances of the joints, summed. */
export interface Explored {
  /** what the pose lacks before anything is tried */
  base: number;
  /** why nothing could be tried; empty: all is well */
  error: string;
  findings: { name: string; missing: number; change: number; torque: number; worst: number }[];
}

export interface Answer {
  id: number;
  final: boolean;
  error?: string;
  q: number[];
  bodies: number[];
  healthy: Held;
  case?: Held;
  compensators?: Compensator[];
  over?: OverTime;
  explore?: Explored;
}

export interface ClinicData {
  posture: string;
  nerves: string[];
  groups: string[];
  donors: string[];
  /** poses of one name are frames of a motion */
  poses: { name: string; time: number; q: number[] }[];
  /** without a server: cases with their answers, by pose */
  cases: { name: string; changes: Change[]; answers: Answer[] }[];
}

export interface StudioData {
  name: string;
  title: string;
  up: "y" | "z";
  live: boolean;
  palette: Palette;
  /** the opening one first; none: front, back, left, right, top */
  views: NamedView[];
  bodies: Body[];
  scenery: Mesh[];
  /** splines, then line muscles */
  strands: Strand[];
  wraps: Wrap[];
  muscles: string[];
  npoint: number;
  restPoints: Float32Array;
  groups: Group[];
  constraints: Constraint[];
  coordinates: Coordinate[];
  /** postures that the live mode offers: a value for each coordinate */
  postures: { name: string; values: number[] }[];
  /** names of the model's anatomical functions */
  functions: string[];
  fillable: Fillable[];
  skin: Skin | null;
  soft: SoftMuscle[];
  replay: Replay | null;
  clinic: ClinicData | null;
}

const MAGIC = 0x534e5753; // "SWNS", little-endian
const SIZES = { f32: 4, i16: 2, u16: 2, u32: 4, u8: 1 } as const;

/** bias + scale * raw; biases take turns. */
function unpacked(raw: ArrayLike<number>, scale: number, bias: number[], out: Float32Array): Float32Array {
  const turns = bias.length;
  for (let k = 0; k < turns; k++) {
    const add = bias[k];
    for (let i = k; i < out.length; i += turns) out[i] = add + scale * raw[i];
  }
  return out;
}

/** Reads typed runs out of the binary part, with every count checked. */
class Reader {
  constructor(
    private readonly buffer: ArrayBuffer,
    private readonly base: number,
  ) {}

  private raw(what: string, blob: Blob_ | undefined, count: number) {
    if (!blob || !(blob.type in SIZES)) throw new DataError(`${what} is missing`);
    if (blob.count !== count) throw new DataError(`${what} has ${blob.count} numbers, expected ${count}`);
    const at = this.base + blob.offset;
    const size = SIZES[blob.type] * count;
    if (!Number.isInteger(blob.offset) || blob.offset < 0 || at % 4 !== 0 || at + size > this.buffer.byteLength)
      throw new DataError(`${what} lies outside the file`);
    switch (blob.type) {
      case "f32":
        return new Float32Array(this.buffer, at, count);
      case "i16":
        return new Int16Array(this.buffer, at, count);
      case "u16":
        return new Uint16Array(this.buffer, at, count);
      case "u32":
        return new Uint32Array(this.buffer, at, count);
      default:
        return new Uint8Array(this.buffer, at, count);
    }
  }

  floats(what: string, blob: Blob_ | undefined, count: number): Float32Array {
    const raw = this.raw(what, blob, count);
    if (raw instanceof Float32Array && blob!.scale === undefined) return raw;
    const scale = blob!.scale ?? 1;
    const bias = blob!.bias ?? [0];
    const out = new Float32Array(count);
    const frame = blob!.delta ?? 0;
    if (frame > 0) {
      // Frames are stored as differences to the one before, modulo 16 bits.
      const whole = new Int16Array(count);
      for (let i = 0; i < count; i++) whole[i] = raw[i] + (i >= frame ? whole[i - frame] : 0);
      return unpacked(whole, scale, bias, out);
    }
    return unpacked(raw, scale, bias, out);
  }

  /** Whole numbers below a bound. */
  indices(what: string, blob: Blob_ | undefined, count: number, bound: number): Uint32Array {
    const out = new Uint32Array(this.raw(what, blob, count));
    for (let i = 0; i < count; i++) if (out[i] >= bound) throw new DataError(`${what} refers to ${out[i]} of ${bound}`);
    return out;
  }

  shorts(what: string, blob: Blob_ | undefined, count: number): Int16Array {
    const raw = this.raw(what, blob, count);
    if (!(raw instanceof Int16Array)) throw new DataError(`${what}: expected numbers of 16 bits`);
    return raw;
  }

  mesh(what: string, m: any): Mesh {
    const nv = whole(`${what}: vertices`, m?.nvertex);
    const nt = whole(`${what}: triangles`, m?.ntriangle);
    return {
      name: String(m.name ?? what),
      wrap: !!m.wrap,
      color: m.color ?? [0.87, 0.83, 0.74],
      vertices: this.floats(`${what}: vertices`, m.vertices, 3 * nv),
      triangles: this.indices(`${what}: triangles`, m.triangles, 3 * nt, nv),
    };
  }
}

function whole(what: string, v: unknown): number {
  if (typeof v !== "number" || !Number.isInteger(v) || v < 0 || v > 1e8) throw new DataError(`${what}: bad count ${v}`);
  return v;
}

function within(what: string, v: unknown, from: number, below: number): number {
  if (typeof v !== "number" || !Number.isInteger(v) || v < from || v >= below)
    throw new DataError(`${what}: ${v} is not one of ${below}`);
  return v;
}

function readStrands(head: any, nmuscle: number, reader: Reader): { strands: Strand[]; npoint: number } {
  let first = 0;
  const strands: Strand[] = (head.strands ?? []).map((s: any, i: number) => {
    const n = whole(`strand ${i}`, s.npoint);
    if (n < 4) throw new DataError(`strand ${s.name}: ${n} control points, expected at least 4`);
    const knots = Float32Array.from(s.knots ?? clampedKnots(n));
    if (knots.length !== n + 4) throw new DataError(`strand ${s.name}: ${knots.length} knots, expected ${n + 4}`);
    const strand: Strand = {
      name: String(s.name ?? `strand ${i}`),
      label: String(s.label ?? ""),
      radius: s.radius ?? 0.002,
      belly: s.belly ?? [0, 0],
      maxForce: s.maxForce ?? 0,
      bellyRadius: s.bellyRadius ?? s.radius ?? 0.002,
      knots,
      first,
      npoint: n,
      muscle: within(`strand ${s.name}: muscle`, s.muscle ?? -1, -1, nmuscle),
      line: null,
      shape: s.shape ? reader.mesh(`belly of ${s.name}`, s.shape) : null,
    };
    first += n;
    return strand;
  });
  return { strands, npoint: first };
}

function numbers(what: string, v: unknown, count: number): number[] {
  if (!Array.isArray(v) || v.length !== count || !v.every(Number.isFinite)) throw new DataError(`${what}: expected ${count} numbers`);
  return v;
}

function readWrap(w: any, i: number, nbody: number): Wrap {
  if (w.kind !== "cylinder" && w.kind !== "sphere") throw new DataError(`wrap ${i}: kind ${w.kind}`);
  if (!(w.radius > 0)) throw new DataError(`wrap ${i}: radius ${w.radius}`);
  return {
    kind: w.kind,
    body: within(`wrap ${i}: body`, w.body, -1, nbody),
    centre: numbers(`wrap ${i}: centre`, w.centre, 3),
    axis: numbers(`wrap ${i}: axis`, w.axis, 3),
    side: numbers(`wrap ${i}: side`, w.side, 3),
    radius: w.radius,
  };
}

function readLine(l: any, head: any, nmuscle: number): Strand {
  const n = (l.bodies ?? []).length;
  const what = `line muscle ${l.name}`;
  if (n < 2) throw new DataError(`${what}: ${n} points, expected at least 2`);
  const nbody = (head.bodies ?? []).length;
  const ncoordinate = (head.coordinates ?? []).length;
  return {
    name: String(l.name),
    label: String(l.label ?? ""),
    radius: l.radius ?? 0.002,
    belly: numbers(`${what}: belly`, l.belly, 2) as [number, number],
    maxForce: l.maxForce ?? 0,
    bellyRadius: l.bellyRadius ?? l.radius ?? 0.002,
    knots: new Float32Array(0),
    first: 0,
    npoint: 0,
    muscle: within(`${what}: muscle`, l.muscle, -1, nmuscle),
    shape: null,
    line: {
      bodies: l.bodies.map((b: unknown) => within(`${what}: body`, b, -1, nbody)),
      points: numbers(`${what}: points`, l.points, 3 * n),
      over: numbers(`${what}: wraps`, l.over, n - 1).map((w) => within(`${what}: wrap`, w, -1, (head.wraps ?? []).length)),
      nerves: String(l.nerve ?? "").split(/\s+/).filter(Boolean),
      part: String(l.part ?? ""),
      acts: (l.acts ?? []).map((a: any) => ({ coordinate: within(`${what}: acts on`, a[0], 0, ncoordinate), arm: Number(a[1]) || 0 })),
    },
  };
}

export function clampedKnots(n: number): number[] {
  const knots: number[] = [];
  for (let i = 0; i < n + 4; i++) knots.push(Math.min(Math.max((i - 3) / (n - 3), 0), 1));
  return knots;
}

function readReplay(r: any, reader: Reader, d: StudioData): Replay {
  const count = whole("replay: frames", r.count);
  if (count < 1) throw new DataError("the replay has no frames");
  const nb = d.bodies.length;
  const has = r.targetPositions !== undefined;
  const times = reader.floats("replay: times", r.times, count);
  for (let i = 1; i < count; i++)
    if (!(times[i] > times[i - 1])) throw new DataError(`replay: time of frame ${i} does not increase`);
  return {
    count,
    times,
    positions: reader.floats("replay: positions", r.positions, count * nb * 3),
    rotations: reader.floats("replay: rotations", r.rotations, count * nb * 4),
    points: reader.floats("replay: points", r.points, count * d.npoint * 3),
    activation: reader.floats("replay: activation", r.activation, count * d.muscles.length),
    force: reader.floats("replay: force", r.force, count * d.strands.length),
    length: reader.floats("replay: length", r.length, count * d.strands.length),
    targetPositions: has ? reader.floats("replay: target positions", r.targetPositions, count * nb * 3) : null,
    targetRotations: has ? reader.floats("replay: target rotations", r.targetRotations, count * nb * 4) : null,
    coordinates: r.coordinates ? reader.floats("replay: coordinates", r.coordinates, count * d.coordinates.length) : null,
    skinOffsets: d.skin && r.skinOffsets ? readSkinOffsets(r.skinOffsets, reader, d.skin, count) : null,
  };
}

function readSkinOffsets(o: any, reader: Reader, skin: Skin, count: number): SkinOffsets {
  const stride = whole("skin offsets: stride", o.stride);
  const frames = whole("skin offsets: frames", o.frames);
  const n = whole("skin offsets: vertices", o.nvertex);
  if (stride < 1 || (frames - 1) * stride < count - 1) throw new DataError("skin offsets do not cover the replay");
  return {
    stride,
    frames,
    vertices: reader.indices("skin offsets: vertices", o.vertices, n, skin.vertices.length / 3),
    values: reader.floats("skin offsets: values", o.values, frames * n * 3),
  };
}

function readSoft(s: any, reader: Reader, nbody: number, nmuscle: number, ncoordinate: number): SoftMuscle {
  const what = `soft muscle ${s.name}`;
  const mesh = reader.mesh(what, s);
  const n = mesh.vertices.length / 3;
  const bodies: number[] = (s.bodies ?? []).map((b: unknown) => within(`${what}: body`, b, 0, nbody));
  const axes: SoftAxis[] = (s.axes ?? []).map((a: any) => ({
    coordinate: within(`${what}: axis`, a.coordinate, -1, ncoordinate),
    values: numbers(`${what}: axis`, a.values, (a.values ?? []).length),
  }));
  const samples = axes.reduce((product, a) => product * a.values.length, 1);
  if (!bodies.length || samples < 1 || samples !== s.samples) throw new DataError(`${what}: ${s.samples} samples, expected ${samples}`);
  for (const a of axes) if (a.values.some((v, i) => i > 0 && v <= a.values[i - 1])) throw new DataError(`${what}: values of an axis do not increase`);
  const planes = new Float32Array(3 * n);
  for (let v = 0; v < n; v++) for (let e = 0; e < 3; e++) planes[e * n + v] = mesh.vertices[3 * v + e];
  return {
    ...mesh, bodies, axes, planes,
    muscles: (s.muscles ?? []).map((m: unknown) => within(`${what}: muscle`, m, 0, nmuscle)),
    weights: reader.floats(`${what}: weights`, s.weights, bodies.length * n),
    deltas: reader.shorts(`${what}: shapes`, s.deltas, 3 * n * samples),
    unit: Number(s.unit) || 0,
  };
}

function readSkin(s: any, reader: Reader, nbody: number): Skin {
  const mesh = reader.mesh("skin", s);
  const n = mesh.vertices.length / 3;
  return {
    vertices: mesh.vertices,
    triangles: mesh.triangles,
    color: s.color ?? [0.86, 0.66, 0.56],
    bones: Uint8Array.from(reader.indices("skin: bones", s.bones, 4 * n, nbody)),
    weights: reader.floats("skin: weights", s.weights, 4 * n),
  };
}

function readConstraint(c: any, i: number, nstrand: number, nbody: number): Constraint {
  if (!["fixed", "sliding", "surface", "strut"].includes(c.type)) throw new DataError(`constraint ${i}: type ${c.type}`);
  return {
    name: String(c.name ?? ""),
    type: c.type,
    strand: within(`constraint ${i}: strand`, c.strand, 0, nstrand),
    position: Math.min(Math.max(Number(c.position) || 0, 0), 1),
    attachment: String(c.attachment ?? ""),
    body: within(`constraint ${i}: body`, c.body ?? -1, -1, nbody),
    local: [0, 1, 2].map((k) => Number(c.local?.[k]) || 0) as [number, number, number],
  };
}

function readClinic(c: any, ncoordinate: number): ClinicData {
  const poses = (c.poses ?? []).map((p: any) => ({ name: String(p.name), time: Number(p.time) || 0, q: numbers(`pose ${p.name}`, p.q, ncoordinate) }));
  const cases = (c.cases ?? []).map((k: any) => {
    if ((k.answers ?? []).length !== poses.length) throw new DataError(`case ${k.name}: ${(k.answers ?? []).length} answers, expected ${poses.length}`);
    return { name: String(k.name), changes: k.changes ?? [], answers: k.answers };
  });
  const names = (v: unknown) => (Array.isArray(v) ? v.map(String) : []);
  return { posture: String(c.posture ?? ""), nerves: names(c.nerves), groups: names(c.groups), donors: names(c.donors), poses, cases };
}

/** Parses a container. */
export function parse(buffer: ArrayBuffer): StudioData {
  const view = new DataView(buffer);
  if (buffer.byteLength < 16 || view.getUint32(0, true) !== MAGIC) throw new DataError("this is not studio data");
  const version = view.getUint32(4, true);
  if (version !== 1) throw new DataError(`studio data of version ${version}; this page reads version 1`);
  const headLength = view.getUint32(8, true);
  if (headLength > buffer.byteLength - 16 || headLength % 8 !== 0) throw new DataError("the head lies outside the file");
  let head: any;
  try {
    head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 16, headLength)));
  } catch {
    throw new DataError("the head is not JSON");
  }
  const reader = new Reader(buffer, 16 + headLength);
  const muscles: string[] = (head.muscles ?? []).map(String);
  const bodies: Body[] = (head.bodies ?? []).map((b: any, i: number) => ({
    name: String(b.name ?? `body ${i}`),
    pinned: !!b.pinned,
    rest: Float32Array.from(b.rest ?? [0, 0, 0, 1, 0, 0, 0]),
    meshes: (b.meshes ?? []).map((m: any) => reader.mesh(`mesh of ${b.name}`, m)),
  }));
  const { strands, npoint } = readStrands(head, muscles.length, reader);
  strands.push(...(head.lines ?? []).map((l: any) => readLine(l, head, muscles.length)));
  const data: StudioData = {
    name: String(head.name ?? "model"),
    title: String(head.title ?? ""),
    up: head.up === "z" ? "z" : "y",
    live: !!head.live,
    palette: { ...PALETTE, ...(head.palette ?? {}) },
    views: (head.views ?? []).map((v: any) => ({ name: String(v.name), from: [0, 1, 2].map((k) => Number(v.from?.[k]) || 0) as Rgb })),
    bodies,
    scenery: (head.scenery ?? []).map((m: any, i: number) => reader.mesh(`scenery ${i}`, m)),
    strands,
    wraps: (head.wraps ?? []).map((w: any, i: number) => readWrap(w, i, bodies.length)),
    muscles,
    npoint,
    restPoints: reader.floats("control points", head.points, 3 * npoint),
    groups: (head.groups ?? []).map((g: any) => ({
      name: String(g.name),
      strands: (g.strands ?? []).map((s: unknown) => within(`group ${g.name}`, s, 0, strands.length)),
    })),
    constraints: (head.constraints ?? []).map((c: any, i: number) => readConstraint(c, i, strands.length, bodies.length)),
    coordinates: (head.coordinates ?? []).map((c: any) => ({
      name: String(c.name),
      joint: String(c.joint ?? c.name),
      jointLabel: String(c.jointLabel ?? ""),
      motion: String(c.motion ?? ""),
      lower: Number.isFinite(c.lower) ? c.lower : c.unit === "m" ? -0.1 : -Math.PI,
      upper: Number.isFinite(c.upper) ? c.upper : c.unit === "m" ? 0.1 : Math.PI,
      unit: c.unit === "m" ? "m" : "rad",
      driven: c.driven !== false,
      body: within(`coordinate ${c.name}`, c.body, 0, bodies.length),
    })),
    postures: (head.postures ?? []).map((p: any) => ({ name: String(p.name), values: (p.values ?? []).map(Number) })),
    functions: (head.functions ?? []).map(String),
    fillable: (head.fillable ?? []).map((m: any, i: number) => ({
      ...reader.mesh(`mesh ${i}`, m),
      node: whole(`mesh ${i}`, m.node),
      inputs: (m.inputs ?? []).map((s: any) => ({ index: whole(`mesh ${i}: input`, s.index), name: String(s.name) })),
    })),
    skin: head.skin ? readSkin(head.skin, reader, bodies.length) : null,
    soft: (head.soft ?? []).map((s: any) => readSoft(s, reader, bodies.length, muscles.length, (head.coordinates ?? []).length)),
    replay: null,
    clinic: head.clinic ? readClinic(head.clinic, (head.coordinates ?? []).length) : null,
  };
  if (head.replay) data.replay = readReplay(head.replay, reader, data);
  return data;
}

/** What may be gzipped, as a container. */
async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes.buffer;
  if (typeof DecompressionStream === "undefined")
    throw new DataError("this browser cannot decompress the data; use a version from 2023 or later");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** The body of an answer, saying how much of it is there. */
async function receive(answer: Response, progress: (share: number) => void): Promise<ArrayBuffer> {
  const total = Number(answer.headers.get("content-length"));
  if (!answer.body || !(total > 0)) return answer.arrayBuffer();
  const all = new Uint8Array(total);
  const reader = answer.body.getReader();
  let at = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (at + part.value.length > total) throw new DataError("the server sent more than it said");
    all.set(part.value, at);
    at += part.value.length;
    progress(at / total);
  }
  if (at < total) throw new DataError("the connection ended early");
  return all.buffer;
}

/** What the page was handed over with; empty: it has a server. */
const inlinedData = () => document.getElementById("sinew-data")?.textContent?.trim() ?? "";

/** Asks the server for the container, so that it is on its way while the page is painted; null: nothing to ask for. */
export function requestData(): Promise<Response> | null {
  if (inlinedData()) return null;
  const answer = fetch("scene.bin");
  answer.catch(() => undefined); // said when it is awaited
  return answer;
}

/** The container inlined in the page, or the answer of the server that served the page. */
export async function loadData(asked: Promise<Response> | null, progress: (share: number) => void): Promise<StudioData> {
  const inlined = inlinedData();
  if (inlined) {
    const text = atob(inlined);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return parse(await unpack(bytes));
  }
  const answer = await (asked ?? fetch("scene.bin"));
  if (!answer.ok) throw new DataError(`the server answered ${answer.status} for the scene`);
  return parse(await receive(answer, progress));
}

/** Groups to show in the list: the model's own, then strands whose names differ only in what follows the letters. */
/** What all of them are called before the comma: flexor digitorum profundus, of the index and of the ring finger. */
export function commonLabel(data: StudioData, strands: number[]): string {
  const stems = new Set(strands.map((s) => data.strands[s].label.split(",")[0].trim()));
  return stems.size === 1 && strands.length > 1 ? [...stems][0] : "";
}

export function listGroups(data: StudioData): Group[] {
  const groups: Group[] = data.groups.map((g) => ({ name: g.name, strands: [...g.strands] }));
  const taken = new Set(groups.flatMap((g) => g.strands));
  const byStem = new Map<string, number[]>();
  data.strands.forEach((s, i) => {
    if (taken.has(i)) return;
    const stem = s.name.replace(/[^\p{L}].*$/u, "") || s.name;
    byStem.set(stem, [...(byStem.get(stem) ?? []), i]);
  });
  const single: number[] = [];
  for (const [name, strands] of byStem) {
    if (strands.length > 1) groups.push({ name, strands });
    else single.push(...strands);
  }
  if (single.length) groups.push({ name: groups.length ? "Others" : "Strands", strands: single });
  return groups;
}
