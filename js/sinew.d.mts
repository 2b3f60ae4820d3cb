/** What the library says is wrong: message has all of it, the fields have its parts. */
export class SinewError extends Error {
  /** SN_BAD_FILE, SN_BAD_INPUT, SN_NO_FILE, SN_NO_MEMORY, SN_DIVERGED, ... */
  status: string;
  file: string;
  /** 0 where it does not apply */
  line: number;
  column: number;
  /** such as Strand "FDP2" */
  element: string;
  /** what to do about it; may be empty */
  remedy: string;
}

export type Bytes = ArrayBuffer | Uint8Array;
export type Item = "body" | "joint" | "coordinate" | "strand" | "point" | "muscle" | "constraint" | "group" | "line";
export const ITEMS: readonly Item[];

/** A change of a limb, as `*.case.xml` has them (docs/clinical.md). */
export interface Change {
  kind: "strength" | "passive" | "cost" | "cut" | "nerve" | "fuse" | "load" | "transfer" | "couple";
  name?: string;
  /** recipient of a transfer */
  to?: string;
  value?: number;
  /** N; loads only */
  force?: [number, number, number];
}

export interface LoadOptions {
  /** the module: its bytes (also compressed by gzip), compiled, or its address; sinew.wasm beside sinew.mjs */
  wasm?: Bytes | WebAssembly.Module | string | URL;
}

/** Loads the module. Asks for no other file than sinew.wasm, and for none where its bytes are given. */
export function load(options?: LoadOptions): Promise<Sinew>;
/** Expands what gzip has compressed; anything else stays as it is. */
export function expand(bytes: Bytes): Promise<Uint8Array>;
/** The files of a tar archive: name and content. */
export function untar(bytes: Uint8Array): Generator<[string, Uint8Array]>;

export class Sinew {
  readonly version: string;
  /** names of the models that were added */
  readonly models: string[];
  /** Adds a packed model, a tar archive of its folder, also compressed by gzip. Gives its name. */
  add(pack: Bytes): Promise<string>;
  /** Adds one file, such as "hand/motions/mine.pose.csv". */
  addFile(path: string, content: string | Bytes): Promise<void>;
  /** Compiles a model that was added. Throws a SinewError that names file, line and element of what is wrong. */
  model(name: string): Model;
}

export interface TrackOptions {
  /** frames a second of the replay; 0: 24, strand models as the motion or 50 */
  frameRate?: number;
  /** the case of a model on a tree */
  changes?: Change[];
}

export interface Report {
  frames: number;
  /** s that were simulated, and how long that took */
  simulated: number;
  seconds: number;
  /** strand models: m over the vertices of the bones; models on a tree: rad or m over the coordinates */
  meanError: number;
  worstError: number;
  worstTime: number;
  maxActivation: number;
}

export class Model {
  readonly name: string;
  /** names of the motions in the model's folder */
  readonly motions: string[];
  /** s */
  readonly stepSize: number;
  count(item: Item): number;
  names(item: Item): string[];
  index(item: Item, name: string): number;
  /** lowest and highest value of a coordinate, rad or m; infinite where it is not limited */
  range(coordinate: string | number): [number, number];
  /** Activations that make the model follow a motion: one of its own, or a file (*.pose.csv, *.bvh, *.glb, *.control.xml,
   * *.sto). Blocks until it is done: call it in a worker. */
  track(motion: string | { name: string; content: string | Bytes }, options?: TrackOptions): Replay;
  /** A state at rest, to be stepped by hand. */
  state(): State;
  /** Models on a tree: who must work to hold poses, healthy or with changes. */
  patient(changes?: Change[]): Patient;
  live(): Live;
  consult(): Consult;
  /** Gives the memory back; states and patients of the model first. */
  close(): void;
}

export class Replay {
  readonly frames: number;
  /** s */
  readonly times: Float64Array;
  readonly bodies: string[];
  readonly strands: string[];
  /** control points of each strand */
  readonly points: number[];
  /** scalars: activation/MUSCLE, tension/STRAND, length/STRAND, coordinate/JOINT.k, ... */
  readonly names: string[];
  /** frames x bodies x 7: position (m), rotation (w first) */
  readonly poses: Float64Array;
  /** frames x points x 3, m */
  readonly curves: Float64Array;
  readonly report: Report;
  /** a scalar over time */
  get(name: string): Float64Array;
}

export class State {
  /** s */
  readonly time: number;
  /** Throws a SinewError with status SN_DIVERGED or SN_BAD_INPUT that names the part or the field. */
  step(count?: number): void;
  reset(): void;
  /** puts all bodies at joint coordinates, rad or m */
  pose(coordinates: ArrayLike<number>): void;
  /** The state's own numbers (docs/api.md lists the fields), not a copy. Take it anew after making other things. */
  field(name: string): Float64Array;
  /** writes a field: one number for all, or all numbers */
  set(name: string, values: number | ArrayLike<number>): void;
  close(): void;
}

export interface Hold {
  /** largest missing torque over its tolerance: up to 1 the pose can be held */
  unmet: number;
  verdict: "yes" | "marginal" | "no";
  /** 1 - largest activation */
  reserve: number;
  effort: number;
  /** per muscle */
  activation: Float64Array;
  /** per line, N */
  force: Float64Array;
  /** per coordinate, N m or N */
  missing: Float64Array;
}

export class Patient {
  /** pose: every coordinate, rad or m; beyond its range it is clamped */
  hold(pose: ArrayLike<number>): Hold;
  close(): void;
}

/** The studio's live simulation (docs/studio.md describes messages and snapshots). */
export class Live {
  /** false: it is not a message */
  send(message: ArrayBuffer): boolean;
  /** makes up for the time that has passed; gives the seconds until it is due again */
  turn(): number;
  /** null: nothing new */
  snapshot(): ArrayBuffer | null;
  close(): void;
}

/** The studio's clinical questions (docs/studio.md describes messages and answers). */
export class Consult {
  send(message: ArrayBuffer): boolean;
  /** works on the next answer; false: nothing is left to answer */
  turn(): boolean;
  /** JSON; null: nothing new */
  answer(): string | null;
  close(): void;
}
