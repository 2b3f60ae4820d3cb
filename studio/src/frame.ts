// What is shown at one moment: filled by the replay (interpolated between its frames) or by the live simulation.

import type { Replay, StudioData } from "./data";

export interface Frame {
  time: number;
  positions: Float32Array;
  rotations: Float32Array;
  points: Float32Array;
  activation: Float32Array; // per muscle
  force: Float32Array; // per strand
  length: Float32Array;
  hasTarget: boolean;
  targetPositions: Float32Array;
  targetRotations: Float32Array;
  /** joint coordinates; of a replay only where there are soft muscles */
  coordinates: Float32Array;
  /** place in the replay, frames; -1: not from the replay */
  place: number;
}

export function restFrame(data: StudioData): Frame {
  const nb = data.bodies.length;
  const frame: Frame = {
    time: 0,
    positions: new Float32Array(3 * nb),
    rotations: new Float32Array(4 * nb),
    points: data.restPoints.slice(),
    activation: new Float32Array(data.muscles.length),
    force: new Float32Array(data.strands.length),
    length: new Float32Array(data.strands.length),
    coordinates: new Float32Array(data.coordinates.length),
    hasTarget: false,
    targetPositions: new Float32Array(3 * nb),
    targetRotations: new Float32Array(4 * nb),
    place: -1,
  };
  data.bodies.forEach((b, i) => {
    frame.positions.set(b.rest.subarray(0, 3), 3 * i);
    frame.rotations.set(b.rest.subarray(3, 7), 4 * i);
  });
  return frame;
}

function mix(out: Float32Array, from: Float32Array, row: number, f: number): void {
  const n = out.length;
  const a = row * n;
  const b = a + n;
  if (f === 0) out.set(from.subarray(a, b));
  else for (let i = 0; i < n; i++) out[i] = from[a + i] * (1 - f) + from[b + i] * f;
}

/** Quaternions: the shorter way round, normalised. Between neighbouring frames this is as good as the great circle. */
function mixRotations(out: Float32Array, from: Float32Array, row: number, f: number): void {
  const n = out.length;
  for (let i = 0; i < n; i += 4) {
    const a = row * n + i;
    const b = f === 0 ? a : a + n;
    let dot = 0;
    for (let k = 0; k < 4; k++) dot += from[a + k] * from[b + k];
    const g = dot < 0 ? -f : f;
    let norm = 0;
    for (let k = 0; k < 4; k++) {
      out[i + k] = from[a + k] * (1 - f) + from[b + k] * g;
      norm += out[i + k] ** 2;
    }
    for (let k = 0; k < 4; k++) out[i + k] /= Math.sqrt(norm) || 1;
  }
}

/** Index of the frame at or before a time. */
export function frameAt(replay: Replay, time: number): number {
  let lo = 0;
  let hi = replay.count - 1;
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1;
    if (replay.times[mid] <= time) lo = mid;
    else hi = mid - 1;
  }
  return lo;
}

export function sampleReplay(replay: Replay, time: number, out: Frame): void {
  const last = replay.count - 1;
  const t = Math.min(Math.max(time, replay.times[0]), replay.times[last]);
  const i = frameAt(replay, t);
  const f = i === last ? 0 : (t - replay.times[i]) / (replay.times[i + 1] - replay.times[i]);
  out.time = t;
  out.place = i + f;
  mix(out.positions, replay.positions, i, f);
  mixRotations(out.rotations, replay.rotations, i, f);
  mix(out.points, replay.points, i, f);
  mix(out.activation, replay.activation, i, f);
  mix(out.force, replay.force, i, f);
  mix(out.length, replay.length, i, f);
  if (replay.coordinates) mix(out.coordinates, replay.coordinates, i, f);
  out.hasTarget = replay.targetPositions !== null;
  if (replay.targetPositions && replay.targetRotations) {
    mix(out.targetPositions, replay.targetPositions, i, f);
    mixRotations(out.targetRotations, replay.targetRotations, i, f);
  }
}
