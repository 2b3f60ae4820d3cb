// A small arm that bends: three bones, nine strands, a skin, a target that runs ahead of it. Shapes are made up; they
// only have to exercise everything the page shows.
import { Packer } from "./container.mjs";

const BONES = [
  { name: "humerus", length: 0.3, radius: 0.013 },
  { name: "ulna", length: 0.25, radius: 0.011 },
  { name: "hand", length: 0.16, radius: 0.009 },
];
const SIDES = 20;
const RINGS = 24;

/** A shaft with a waist and two heads, along -y from the origin. */
function bone({ length, radius }) {
  const vertices = [];
  const triangles = [];
  for (let i = 0; i <= RINGS; i++) {
    const t = i / RINGS;
    const heads = Math.exp(-(((t - 0.04) / 0.09) ** 2)) + Math.exp(-(((t - 0.96) / 0.08) ** 2));
    const cap = Math.sqrt(Math.max(0, 1 - (2 * t - 1) ** 12));
    const r = radius * (0.75 + 0.95 * heads) * cap;
    for (let j = 0; j < SIDES; j++) {
      const a = (2 * Math.PI * j) / SIDES;
      vertices.push(r * Math.cos(a) * (1 + 0.25 * heads), -length * t, r * Math.sin(a));
    }
  }
  grid(triangles, RINGS, SIDES);
  return { vertices, triangles };
}

function grid(triangles, rings, sides) {
  for (let i = 0; i < rings; i++)
    for (let j = 0; j < sides; j++) {
      const a = i * sides + j;
      const b = i * sides + ((j + 1) % sides);
      triangles.push(a, b, a + sides, b, b + sides, a + sides);
    }
}

// name, radius, belly, muscle, offset (x forward, z sideways), start and end as a fraction of the whole arm
const STRANDS = [
  ["biceps_long", 0.015, [0.25, 0.8], 0, 0.032, 0.012, 0.02, 0.5],
  ["biceps_short", 0.014, [0.25, 0.8], 0, 0.032, -0.012, 0.05, 0.5],
  ["brachialis", 0.014, [0.05, 0.75], 1, 0.022, 0, 0.2, 0.48],
  ["triceps_long", 0.016, [0.1, 0.7], 2, -0.034, 0.011, 0.02, 0.45],
  ["triceps_lateral", 0.015, [0.1, 0.7], 2, -0.034, -0.011, 0.1, 0.45],
  ["flexor_1", 0.008, [0.05, 0.5], 3, 0.02, 0.012, 0.46, 0.98],
  ["flexor_2", 0.008, [0.05, 0.5], 4, 0.02, -0.012, 0.46, 0.98],
  ["extensor", 0.009, [0.05, 0.45], 5, -0.02, 0, 0.44, 0.97],
  ["retinaculum", 0.002, [0, 0], -1, 0.014, 0.004, 0.74, 0.82],
];
const MUSCLES = ["biceps", "brachialis", "triceps", "flexor_1", "flexor_2", "extensor"];
const NPOINT = 10;
const TOTAL = BONES.reduce((sum, b) => sum + b.length, 0);

/** Poses (position, rotation about z) of the chain for an elbow and a wrist angle. */
function chain(elbow, wrist) {
  const angles = [0, elbow, elbow + wrist];
  const poses = [];
  let x = 0;
  let y = 0.35;
  BONES.forEach((b, i) => {
    poses.push({ x, y, angle: angles[i] });
    x += b.length * Math.sin(angles[i]);
    y -= b.length * Math.cos(angles[i]);
  });
  return poses;
}

/** A place beside the arm: fraction along it, offset forward and sideways, bent with the chain and smooth at joints. */
function place(poses, fraction, forward, side) {
  let rest = fraction * TOTAL;
  let i = 0;
  while (i < 2 && rest > BONES[i].length) rest -= BONES[i++].length;
  const at = (k, along) => {
    const { x, y, angle } = poses[k];
    const c = Math.cos(angle);
    const s = Math.sin(angle);
    return [x + s * along + c * forward, y - c * along + s * forward, side];
  };
  const p = at(i, rest);
  const blend = 0.03;
  if (i < 2 && BONES[i].length - rest < blend) return mix(p, at(i + 1, rest - BONES[i].length), 0.5 - (BONES[i].length - rest) / (2 * blend));
  if (i > 0 && rest < blend) return mix(p, at(i - 1, BONES[i - 1].length + rest), 0.5 - rest / (2 * blend));
  return p;
}

const mix = (a, b, f) => a.map((v, k) => v * (1 - f) + b[k] * f);

function strandPoints(poses) {
  return STRANDS.flatMap(([, , , , forward, side, from, to]) =>
    Array.from({ length: NPOINT }, (_, i) => {
      const t = i / (NPOINT - 1);
      const bow = 0.55 + 0.45 * Math.sin(Math.PI * t);
      return place(poses, from + t * (to - from), forward * bow, side * bow);
    }).flat(),
  );
}

function skin() {
  const vertices = [];
  const triangles = [];
  const bones = [];
  const weights = [];
  const rings = 60;
  const sides = 28;
  const rest = chain(0, 0);
  for (let i = 0; i <= rings; i++) {
    const t = i / rings;
    const radius = (0.052 - 0.026 * t + 0.006 * Math.sin(9 * t)) * Math.sqrt(Math.max(0, 1 - (2 * t - 1) ** 18));
    for (let j = 0; j < sides; j++) {
      const a = (2 * Math.PI * j) / sides;
      vertices.push(...place(rest, t * 1.0, radius * Math.cos(a), radius * Math.sin(a)));
      const u = t * TOTAL;
      const e = smooth((u - BONES[0].length + 0.03) / 0.06);
      const w = smooth((u - BONES[0].length - BONES[1].length + 0.02) / 0.04);
      bones.push(0, 1, 2, 0);
      weights.push(1 - e, e * (1 - w), e * w, 0);
    }
  }
  grid(triangles, rings, sides);
  return { vertices, triangles, bones, weights };
}

const smooth = (x) => {
  const t = Math.min(Math.max(x, 0), 1);
  return t * t * (3 - 2 * t);
};

const lengthOf = (points, first) => {
  let sum = 0;
  for (let i = first + 1; i < first + NPOINT; i++)
    sum += Math.hypot(points[3 * i] - points[3 * i - 3], points[3 * i + 1] - points[3 * i - 2], points[3 * i + 2] - points[3 * i - 1]);
  return sum;
};

function frames(count) {
  const out = { times: [], positions: [], rotations: [], points: [], activation: [], force: [], length: [], tp: [], tr: [] };
  for (let f = 0; f < count; f++) {
    const t = f / 24;
    const phase = (2 * Math.PI * f) / (count - 1);
    const elbow = 0.9 - 0.85 * Math.cos(phase);
    const wrist = 0.4 * Math.sin(2 * phase);
    const poses = chain(elbow, wrist);
    const ahead = chain(elbow + 0.06 * Math.sin(phase), wrist + 0.05);
    const points = strandPoints(poses);
    const flex = Math.max(0, Math.sin(phase));
    const a = [flex, 0.8 * flex, Math.max(0, -Math.sin(phase)), 0.5 + 0.5 * Math.sin(2 * phase), 0.4 + 0.3 * Math.sin(2 * phase + 1), 0.5 - 0.5 * Math.sin(2 * phase)];
    out.times.push(t);
    for (const p of poses) out.positions.push(p.x, p.y, 0), out.rotations.push(Math.cos(p.angle / 2), 0, 0, Math.sin(p.angle / 2));
    for (const p of ahead) out.tp.push(p.x, p.y, 0), out.tr.push(Math.cos(p.angle / 2), 0, 0, Math.sin(p.angle / 2));
    out.points.push(...points);
    out.activation.push(...a);
    STRANDS.forEach((s, i) => {
      out.force.push(s[3] < 0 ? 2 : 3 + 400 * s[1] * 20 * a[s[3]]);
      out.length.push(lengthOf(points, i * NPOINT));
    });
  }
  return out;
}

/** The bulge of the biceps on the skin, at every fourth frame. */
function offsets(pack, mesh, count, stride) {
  const listed = [];
  for (let v = 0; v < mesh.vertices.length / 3; v++) {
    const y = 0.35 - mesh.vertices[3 * v + 1];
    if (y > 0.05 && y < 0.28 && mesh.vertices[3 * v] > 0.02) listed.push(v);
  }
  const n = Math.ceil((count - 1) / stride) + 1;
  const values = [];
  for (let k = 0; k < n; k++) {
    const f = Math.min(k * stride, count - 1);
    const flex = Math.max(0, Math.sin((2 * Math.PI * f) / (count - 1)));
    for (const v of listed) {
      const y = 0.35 - mesh.vertices[3 * v + 1];
      values.push(0.014 * flex * Math.sin((Math.PI * (y - 0.05)) / 0.23), 0, 0);
    }
  }
  return { stride, frames: n, nvertex: listed.length, vertices: pack.u16(listed), values: pack.i16(values) };
}

const CONSTRAINTS = STRANDS.flatMap(([name], i) => [
  { name: `${name}_origin`, type: "fixed", strand: i, position: 0, attachment: i < 5 ? "humerus" : "ulna" },
  { name: `${name}_insertion`, type: "fixed", strand: i, position: 1, attachment: i < 5 ? "ulna" : "hand" },
  ...(i >= 5 && i < 8 ? [{ name: `${name}_pulley`, type: "sliding", strand: i, position: 0.62, attachment: "ulna" }] : []),
  ...(i === 3 || i === 7 ? [{ name: `${name}_wrap`, type: "surface", strand: i, position: 0.85, attachment: "olecranon" }] : []),
]);

function makeReplay(pack, mesh, count, effort) {
  const f = frames(count);
  return {
    count,
    times: pack.f32(f.times),
    positions: pack.i16(f.positions),
    rotations: pack.i16(f.rotations),
    points: pack.i16(f.points),
    activation: pack.f32(f.activation.map((a) => effort * a)),
    force: pack.f32(f.force),
    length: pack.f32(f.length),
    targetPositions: pack.i16(f.tp),
    targetRotations: pack.i16(f.tr),
    skinOffsets: offsets(pack, mesh, count, 4),
  };
}

/** The whole container. replay: frames, 0 for none. effort: what all activations are scaled by. label: of every strand. */
export function makeArm({ replay = 97, live = false, effort = 1, label = () => undefined } = {}) {
  const pack = new Packer();
  const rest = chain(0.05, 0);
  const mesh = skin();
  const meshOf = (m) => ({
    nvertex: m.vertices.length / 3,
    ntriangle: m.triangles.length / 3,
    vertices: pack.i16(m.vertices),
    triangles: pack.u16(m.triangles),
  });
  const head = {
    format: "sinew-studio", version: 1, name: "arm", title: "bend and stretch", up: "y", live, muscles: MUSCLES,
    bodies: BONES.map((b, i) => ({
      name: b.name, pinned: i === 0, rest: [rest[0].x, 0.35 - (i > 0 ? BONES[0].length : 0) - (i > 1 ? BONES[1].length : 0), 0, 1, 0, 0, 0],
      meshes: [{ name: b.name, color: [0.9, 0.86, 0.77], ...meshOf(bone(b)) }],
    })),
    strands: STRANDS.map(([name, radius, belly, muscle]) => ({ name, label: label(name), radius, belly, muscle, npoint: NPOINT, maxForce: muscle < 0 ? 0 : 600, bellyRadius: Math.max(radius, muscle < 0 ? 0 : 0.0126) })),
    points: pack.f32(strandPoints(rest)),
    groups: [
      { name: "biceps", strands: [0, 1] },
      { name: "triceps", strands: [3, 4] },
    ],
    constraints: CONSTRAINTS,
    skin: { ...meshOf(mesh), bones: pack.u16(mesh.bones), weights: pack.f32(mesh.weights) },
  };
  if (replay) head.replay = makeReplay(pack, mesh, replay, effort);
  return pack.finish(head);
}
