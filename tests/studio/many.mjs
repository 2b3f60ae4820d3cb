// A page for tests of speed: 23 soft muscles that move.
import { Packer } from "./container.mjs";

/** Two bodies, 23 muscles of 3,000 vertices between them, 15 samples each. */
export function many() {
  const pack = new Packer();
  const rings = 50;
  const sides = 60;
  const nvertex = rings * sides;
  const muscles = Array.from({ length: 23 }, (_, i) => `muscle_${i}`);
  const triangles = [];
  for (let i = 0; i + 1 < rings; i++)
    for (let j = 0; j < sides; j++) {
      const a = i * sides + j;
      const b = i * sides + ((j + 1) % sides);
      triangles.push(a, b, a + sides, b, b + sides, a + sides);
    }
  const soft = muscles.map((name, m) => {
    const x0 = 0.05 * (m % 6) - 0.125;
    const z0 = 0.05 * Math.floor(m / 6) - 0.075;
    const vertices = [];
    const weights = [[], []];
    for (let i = 0; i < rings; i++)
      for (let j = 0; j < sides; j++) {
        const t = i / (rings - 1);
        const r = 0.02 * Math.sin(Math.PI * (0.05 + 0.9 * t));
        const a = (2 * Math.PI * j) / sides;
        vertices.push(x0 + r * Math.cos(a), -0.3 * t, z0 + r * Math.sin(a));
        weights[0].push(1 - t), weights[1].push(t);
      }
    const deltas = new Int16Array(15 * 3 * nvertex);
    for (let s = 0; s < 15; s++)
      for (let v = 0; v < nvertex; v++) {
        deltas[(3 * s + 0) * nvertex + v] = Math.round((vertices[3 * v] - x0) * 1e5 * ((s % 3) * 0.2));
        deltas[(3 * s + 2) * nvertex + v] = Math.round((vertices[3 * v + 2] - z0) * 1e5 * ((s % 3) * 0.2));
      }
    return {
      name, nvertex, ntriangle: triangles.length / 3, vertices: pack.f32(vertices), triangles: pack.u16(triangles), bodies: [0, 1], muscles: [m],
      axes: [{ coordinate: 0, values: [-0.02, -0.01, 0, 0.01, 0.02] }, { coordinate: -1, values: [0.1, 0.55, 1] }],
      weights: pack.f32(weights.flat()), samples: 15, unit: 1e-5, deltas: pack.add(deltas, "i16"),
    };
  });
  const count = 91;
  const frames = Array.from({ length: count }, (_, f) => 0.02 * Math.sin((2 * Math.PI * f) / 90));
  const head = {
    format: "sinew-studio", version: 1, name: "many", title: "23 muscles", up: "y", live: false, muscles,
    bodies: ["above", "below"].map((name, i) => ({ name, pinned: i === 0, rest: [0, -0.3 * i, 0, 1, 0, 0, 0], meshes: [] })),
    strands: muscles.map((name, i) => ({ name, radius: 0.004, muscle: i, npoint: 4 })),
    points: pack.f32(muscles.flatMap((_, m) => [0, 1, 2, 3].flatMap((k) => [0.05 * (m % 6) - 0.125, -0.1 * k, 0.05 * Math.floor(m / 6) - 0.075]))),
    coordinates: [{ name: "slide", lower: -0.02, upper: 0.02, unit: "m", body: 1 }],
    soft,
    replay: {
      count,
      times: pack.f32(frames.map((_, f) => f / 30)),
      positions: pack.f32(frames.flatMap((q) => [0, 0, 0, 0, q - 0.3, 0])),
      rotations: pack.f32(frames.flatMap(() => [1, 0, 0, 0, 1, 0, 0, 0])),
      points: pack.f32(frames.flatMap((q) => muscles.flatMap((_, m) => [0, 1, 2, 3].flatMap((k) => [0.05 * (m % 6) - 0.125, (-0.1 + q / 3) * k, 0.05 * Math.floor(m / 6) - 0.075])))),
      activation: pack.f32(frames.flatMap((_, f) => muscles.map((__, m) => 0.5 + 0.5 * Math.sin(0.2 * f + m)))),
      force: pack.f32(frames.flatMap(() => muscles.map(() => 1))),
      length: pack.f32(frames.flatMap((q) => muscles.map(() => 0.3 - q))),
      coordinates: pack.f32(frames),
    },
  };
  return pack.finish(head);
}
