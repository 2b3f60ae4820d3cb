// The connection to the simulation: snapshots come in, short messages go out (docs/studio.md). It comes back by itself
// when the server was away.

import type { StudioData } from "./data";
import type { Frame } from "./frame";
import { Seen } from "./seen";
import { comesBack, connect, whoAnswers, whyAway, type Socket } from "./socket";

const MAGIC = 0x564c4e53; // SNLV
const HEADER = 24;
const MOST_WAITING = 200;

export enum Op {
  Drive = 1,
  Pause,
  Reset,
  Gravity,
  Follow,
  Aim,
  Drag,
  Relax,
  Strength,
  Function,
  Grip,
  Load,
  Dial,
  Weight,
}

export interface LiveState {
  paused: boolean;
  following: boolean;
  diverged: boolean;
  canFollow: boolean;
  canGrip: boolean;
  /** coactivation, breathing and weights can be set */
  canDial: boolean;
  sequence: number;
  factor: number;
  coordinates: Float32Array;
  goals: Float32Array;
  /** levels of the functions */
  functions: Float32Array;
}

export class Link {
  readonly state: LiveState;
  /** snapshots taken in so far */
  received = 0;
  private socket: Socket | null = null;
  private wanted = false;
  private retry = 0;
  private newest: ArrayBuffer | null = null;
  /** said before the connection stood */
  private waiting: ArrayBuffer[] = [];

  constructor(
    private readonly data: StudioData,
    readonly frame: Frame,
    private readonly events: { snapshot(): void; link(text: string, bad: boolean): void },
  ) {
    const n = data.coordinates.length;
    this.state = {
      paused: false, following: false, diverged: false, canFollow: false, canGrip: false, canDial: false, sequence: 0, factor: 1,
      coordinates: new Float32Array(n), goals: new Float32Array(n), functions: new Float32Array(data.functions.length),
    };
  }

  open(): void {
    this.wanted = true;
    window.clearTimeout(this.retry);
    this.events.link("connecting", false);
    const socket = connect("live");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.events.link(whoAnswers(), false);
      for (const message of this.waiting.splice(0)) socket.send(message);
    };
    const seen = new Seen(socket);
    socket.onmessage = (e) => {
      this.keep(e.data);
      seen.add();
    };
    socket.onclose = () => {
      if (this.socket !== socket || !this.wanted) return;
      this.events.link(whyAway(), true);
      if (comesBack()) this.retry = window.setTimeout(() => this.wanted && this.open(), 1500);
    };
    this.socket = socket;
  }

  close(): void {
    this.wanted = false;
    window.clearTimeout(this.retry);
    this.waiting.length = 0;
    this.socket?.close();
    this.socket = null;
  }

  /** An operation with an index (or -1 for none) and numbers. What is said while connecting is not lost. */
  send(op: Op, index = -1, ...numbers: number[]): void {
    const view = new DataView(new ArrayBuffer(4 + (index < 0 ? 0 : 4) + 4 * numbers.length));
    view.setUint32(0, op, true);
    if (index >= 0) view.setUint32(4, index, true);
    const at = index < 0 ? 4 : 8;
    numbers.forEach((v, i) => view.setFloat32(at + 4 * i, v, true));
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(view.buffer);
    else if (this.wanted && this.waiting.length < MOST_WAITING) this.waiting.push(view.buffer);
  }

  /** Counts a snapshot and shows the newest one with the next picture: the server may be faster than the screen. */
  private keep(message: unknown): void {
    if (!(message instanceof ArrayBuffer) || message.byteLength < HEADER) return;
    this.received++;
    if (!this.newest) requestAnimationFrame(() => this.newest && this.take(this.newest));
    this.newest = message;
  }

  private take(message: ArrayBuffer): void {
    this.newest = null;
    const view = new DataView(message);
    const { bodies, npoint, muscles, strands } = this.data;
    const nb = bodies.length;
    const ns = strands.length;
    const nc = this.state.goals.length;
    const floats = 14 * nb + 3 * npoint + muscles.length + 2 * ns + 2 * nc + this.state.functions.length;
    if (view.getUint32(0, true) !== MAGIC || message.byteLength !== HEADER + 4 * floats) return;
    const flags = view.getUint32(4, true);
    this.state.paused = (flags & 1) !== 0;
    this.state.following = (flags & 2) !== 0;
    this.state.diverged = (flags & 4) !== 0;
    this.state.canFollow = (flags & 8) !== 0;
    this.state.canGrip = (flags & 16) !== 0;
    this.state.canDial = (flags & 32) !== 0;
    this.state.sequence = view.getUint32(8, true);
    this.state.factor = view.getFloat32(12, true);
    const f = this.frame;
    f.time = view.getFloat64(16, true);
    f.place = -1;
    f.hasTarget = this.state.following;
    const all = new Float32Array(message, HEADER);
    let at = 0;
    for (const part of [f.positions, f.rotations, f.points, f.activation, f.force, f.length, this.state.coordinates, this.state.goals]) {
      part.set(all.subarray(at, at + part.length));
      at += part.length;
    }
    f.coordinates.set(this.state.coordinates);
    for (let b = 0; b < nb; b++, at += 7) {
      f.targetPositions.set(all.subarray(at, at + 3), 3 * b);
      f.targetRotations.set(all.subarray(at + 3, at + 7), 4 * b);
    }
    this.state.functions.set(all.subarray(at, at + this.state.functions.length));
    this.events.snapshot();
  }
}
