// sinew in JavaScript: models with muscles and tendons, simulated and made to follow a motion, as typed arrays. Runs in
// browsers, workers and Node from one WebAssembly module; asks for no other file and no server.
//
//   import { load } from "./sinew.mjs";
//   const sinew = await load();
//   await sinew.add(await readFile("hand-clinical.tar.gz"));
//   const hand = sinew.model("hand-clinical");
//   const fist = hand.track("fist");
//   fist.get("activation/FDP2"); // over fist.times
//
// docs/browser.md is the guide, sinew.d.mts says what everything is.

import { Exit, Files } from "./wasi.mjs";

export const ITEMS = ["body", "joint", "coordinate", "strand", "point", "muscle", "constraint", "group", "line"];
const FIGURES = ["frames", "simulated", "seconds", "meanError", "worstError", "worstTime", "maxActivation"];
const VERDICTS = ["yes", "marginal", "no"];
const MODELS = "/models";

/** What the library says is wrong, with the place where it is. */
export class SinewError extends Error {
  name = "SinewError";

  constructor(message, details = {}) {
    super(message);
    Object.assign(this, { status: "SN_FAILED", file: "", line: 0, column: 0, element: "", remedy: "" }, details);
  }
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Expands what gzip has compressed; anything else stays as it is. */
export async function expand(bytes) {
  const all = bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes);
  if (all[0] !== 0x1f || all[1] !== 0x8b) return all;
  try {
    return await gunzip(all);
  } catch {
    throw new SinewError("the compressed data is damaged, or the file is truncated", {
      status: "SN_BAD_FILE",
      remedy: "copy or download the file again",
    });
  }
}

const field = (bytes, at, size) => new TextDecoder().decode(bytes.subarray(at, at + size)).replace(/\0.*$/s, "");

/** The files of a tar archive. */
export function* untar(bytes) {
  for (let at = 0; at + 512 <= bytes.length && bytes[at]; ) {
    const size = parseInt(field(bytes, at + 124, 12), 8);
    if (field(bytes, at + 257, 5) !== "ustar" || !(size >= 0) || at + 512 + size > bytes.length)
      throw new SinewError("this is not a packed model: it is no tar archive, or it is truncated", {
        status: "SN_BAD_FILE",
        remedy: "pack the folder of a model: tar czf NAME.tar.gz NAME",
      });
    const prefix = field(bytes, at + 345, 155);
    const name = (prefix ? prefix + "/" : "") + field(bytes, at, 100);
    const kind = String.fromCharCode(bytes[at + 156]);
    if (kind === "0" || kind === "\0") yield [name, bytes.slice(at + 512, at + 512 + size)];
    at += 512 + 512 * Math.ceil(size / 512);
  }
}

async function bytesOf(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return source;
  const url = new URL(source ?? "./sinew.wasm", import.meta.url);
  if (url.protocol === "file:" && typeof process !== "undefined")
    return (await import(/* @vite-ignore */ "node:fs/promises")).readFile(url);
  const response = await fetch(url);
  if (!response.ok) throw new SinewError(`cannot read ${url}: ${response.status}`, { status: "SN_NO_FILE" });
  return response.arrayBuffer();
}

/** The module, ready to take models. wasm: its bytes, also compressed by gzip, a compiled module, or where it is (sinew.wasm
 * beside this file). */
export async function load({ wasm } = {}) {
  const source = await bytesOf(wasm);
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(await expand(source));
  const files = new Files({ SINEW_MODELS: MODELS });
  const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: files.imports() });
  files.use(instance.exports.memory);
  instance.exports._initialize();
  return new Sinew(new Core(instance.exports, files));
}

/** Calls of the module: texts go in and out, failures become errors. */
class Core {
  constructor(exports, files) {
    this.exports = exports;
    this.files = files;
  }

  get memory() {
    return this.exports.memory.buffer;
  }

  bytes(at, count) {
    return new Uint8Array(this.memory, at, count);
  }

  /** A view, not a copy; it ends when the memory of the module grows. */
  doubles(at, count) {
    return new Float64Array(this.memory, at, count);
  }

  text(at) {
    const all = new Uint8Array(this.memory);
    return at ? new TextDecoder().decode(all.slice(at, all.indexOf(0, at))) : "";
  }

  error() {
    const part = (i) => this.text(this.exports.sinew_error(i));
    return new SinewError(part(0), {
      status: part(1), file: part(2), line: this.exports.sinew_error_line(), column: this.exports.sinew_error_column(),
      element: part(3), remedy: part(5),
    });
  }

  /** Gives scratch memory to a function: one block for each argument, a text, an array or a number of bytes. */
  with(blocks, work) {
    const at = [];
    try {
      for (const block of blocks) {
        const bytes = typeof block === "string" ? new TextEncoder().encode(block + "\0") : block;
        const size = typeof bytes === "number" ? bytes : bytes.byteLength;
        const place = this.exports.sinew_alloc(size);
        if (!place) throw new SinewError("out of memory", { status: "SN_NO_MEMORY" });
        at.push(place);
        if (typeof bytes === "number") this.bytes(place, size).fill(0);
        else this.bytes(place, size).set(new Uint8Array(bytes.buffer, bytes.byteOffset, size));
      }
      return work(...at);
    } catch (error) {
      if (error instanceof Exit || error instanceof WebAssembly.RuntimeError)
        throw new SinewError(`the library stopped: ${error.message}`, { remedy: "load the module again" });
      throw error;
    } finally {
      for (const place of at) this.exports.sinew_free(place);
    }
  }

  /** What is not 0; an error otherwise. */
  made(pointer) {
    if (!pointer) throw this.error();
    return pointer;
  }
}

export class Sinew {
  #core;

  constructor(core) {
    this.#core = core;
  }

  get version() {
    return this.#core.text(this.#core.exports.sinew_version());
  }

  /** Puts a packed model, a tar archive of its folder, also compressed by gzip, among the models. Gives its name. */
  async add(pack) {
    let name = "";
    for (const [path, bytes] of untar(await expand(pack))) {
      name ||= path.replace(/^\.\//, "").split("/")[0];
      this.#core.files.set(`${MODELS}/${path}`, await expand(bytes));
    }
    if (!name) throw new SinewError("this pack holds no files", { status: "SN_BAD_FILE" });
    return name;
  }

  /** Puts one file among the models: "hand/motions/mine.pose.csv". */
  async addFile(path, content) {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : await expand(content);
    this.#core.files.set(`${MODELS}/${path}`, bytes);
  }

  /** Names of the models that were added. */
  get models() {
    return this.#core.files.list(MODELS).filter((name) => this.#core.files.get(`${MODELS}/${name}/${name}.muscle.xml`));
  }

  model(name) {
    return new Model(this.#core, name);
  }
}

/** Something in the module's memory that must be given back. */
class Held {
  constructor(core, pointer, release) {
    this.core = core;
    this.pointer = pointer;
    this.release = release;
  }

  get at() {
    if (!this.pointer) throw new SinewError("it is closed already", { status: "SN_BAD_ARGUMENT" });
    return this.pointer;
  }

  close() {
    if (this.pointer) this.core.exports[this.release](this.pointer);
    this.pointer = 0;
  }
}

export class Model {
  #core;
  #held;

  constructor(core, name) {
    this.#core = core;
    this.name = name;
    this.#held = new Held(core, core.with([name], (at) => core.made(core.exports.sinew_model_open(at))), "sinew_model_close");
  }

  count(item) {
    return this.#core.exports.sinew_count(this.#held.at, this.#item(item));
  }

  names(item) {
    const kind = this.#item(item);
    const name = (_, i) => this.#core.text(this.#core.exports.sinew_name(this.#held.at, kind, i));
    return Array.from({ length: this.count(item) }, name);
  }

  index(item, name) {
    const found = this.#core.with([name], (at) => this.#core.exports.sinew_find(this.#held.at, this.#item(item), at));
    if (found < 0) throw new SinewError(`the model ${this.name} has no ${item} "${name}"`, { status: "SN_BAD_INPUT" });
    return found;
  }

  #item(item) {
    const kind = ITEMS.indexOf(item);
    if (kind < 0) throw new SinewError(`"${item}" is none of ${ITEMS.join(", ")}`, { status: "SN_USAGE" });
    return kind;
  }

  /** Lowest and highest value of a coordinate, rad or m. */
  range(coordinate) {
    const index = typeof coordinate === "string" ? this.index("coordinate", coordinate) : coordinate;
    return this.#core.with([16], (at) => {
      this.#core.exports.sinew_range(this.#held.at, index, at);
      return [...this.#core.doubles(at, 2)];
    });
  }

  /** Seconds. */
  get stepSize() {
    return this.#core.exports.sinew_step_size(this.#held.at);
  }

  /** Names of the motions in the model's folder. */
  get motions() {
    return this.#core.files.list(`${MODELS}/${this.name}/motions`).map((file) => file.split(".")[0]);
  }

  state() {
    return new State(this.#core, this.#held);
  }

  /** Activations that make the model follow a motion: the name of one of its own, or { name, content } of a file. */
  track(motion, { frameRate = 0, changes = [] } = {}) {
    const path = typeof motion === "string" ? motion : `/given/${motion.name}`;
    if (typeof motion !== "string") {
      const { content } = motion;
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
      this.#core.files.set(path, bytes);
    }
    const made = new Case(this.#core, changes);
    try {
      return this.#core.with([path, 8 * FIGURES.length], (name, figures) => {
        const replay = this.#core.exports.sinew_track(this.#held.at, name, frameRate, made.pointer, figures);
        const numbers = [...this.#core.doubles(figures, FIGURES.length)];
        return new Replay(this.#core, this.#core.made(replay), Object.fromEntries(FIGURES.map((f, i) => [f, numbers[i]])));
      });
    } finally {
      made.close();
      if (typeof motion !== "string") this.#core.files.delete(path);
    }
  }

  /** Who must work to hold poses, in a healthy limb or with changes. Models on a tree only. */
  patient(changes = []) {
    return new Patient(this.#core, this.#held, changes, this);
  }

  /** The studio's live simulation: messages in, snapshots out (docs/studio.md). */
  live() {
    return new Live(this.#core, this.#held);
  }

  /** The studio's clinical questions: messages in, answers out. */
  consult() {
    return new Consult(this.#core, this.#held);
  }

  close() {
    this.#held.close();
  }
}

/** A list of changes in the module's memory; 0 for none. */
class Case extends Held {
  constructor(core, changes) {
    super(core, changes.length ? core.made(core.exports.sinew_case_open()) : 0, "sinew_case_close");
    for (const { kind, name = "", to = "", value = 0, force = [0, 0, 0] } of changes) {
      const add = (...at) => core.exports.sinew_case_add(this.pointer, at[0], at[1], at[2], value, at[3]);
      if (core.with([kind, name, to, Float64Array.from(force)], add)) continue;
      this.close();
      throw new SinewError(`"${kind}" is not a change that a case can have`, { status: "SN_BAD_INPUT" });
    }
  }
}

export class Replay {
  #scalars;

  constructor(core, pointer, report) {
    const { exports } = core;
    const names = (channel) =>
      Array.from({ length: exports.sinew_replay_count(pointer, channel) }, (_, i) => core.text(exports.sinew_replay_name(pointer, channel, i)));
    [this.bodies, this.strands, this.names] = [0, 1, 2].map(names);
    this.points = this.strands.map((_, i) => exports.sinew_replay_points(pointer, i));
    this.report = report;
    const frames = exports.sinew_replay_frames(pointer);
    const all = (channel, width) => {
      const values = new Float64Array(frames * width);
      for (let f = 0; f < frames && width; f++) values.set(core.doubles(exports.sinew_replay_values(pointer, f, channel), width), f * width);
      return values;
    };
    this.times = Float64Array.from({ length: frames }, (_, f) => exports.sinew_replay_time(pointer, f));
    this.poses = all(0, 7 * this.bodies.length);
    this.curves = all(1, 3 * this.points.reduce((sum, n) => sum + n, 0));
    this.#scalars = all(2, this.names.length);
    exports.sinew_replay_close(pointer);
  }

  get frames() {
    return this.times.length;
  }

  /** A scalar over time, such as activation/FDP2. */
  get(name) {
    const at = this.names.indexOf(name);
    if (at < 0) throw new SinewError(`the replay has no "${name}"`, { status: "SN_BAD_INPUT", remedy: "its names are in .names" });
    return this.times.map((_, f) => this.#scalars[f * this.names.length + at]);
  }
}

export class State extends Held {
  #model;

  constructor(core, model) {
    super(core, core.made(core.exports.sinew_state_open(model.at)), "sinew_state_close");
    this.#model = model;
  }

  get time() {
    return this.core.exports.sinew_time(this.at);
  }

  step(count = 1) {
    if (this.core.exports.sinew_step(this.#model.at, this.at, count)) throw this.core.error();
  }

  reset() {
    if (this.core.exports.sinew_reset(this.#model.at, this.at)) throw this.core.error();
  }

  pose(coordinates) {
    const count = this.field("joint.coordinate").length;
    const values = poseOf(coordinates, count);
    if (this.core.with([values], (at) => this.core.exports.sinew_pose(this.#model.at, this.at, at))) throw this.core.error();
  }

  /** The state's own numbers. Take it anew after something was made: the memory may have moved. */
  field(name) {
    return this.core.with([name, 12], (text, shape) => {
      const at = this.core.made(this.core.exports.sinew_field(this.#model.at, this.at, text, shape));
      const [rows, columns] = new Int32Array(this.core.memory, shape, 2);
      return this.core.doubles(at, rows * columns);
    });
  }

  set(name, values) {
    const field = this.field(name);
    if (typeof values === "number") field.fill(values);
    else if (values.length === field.length) field.set(values);
    else throw new SinewError(`${name} has ${field.length} numbers, not ${values.length}`, { status: "SN_BAD_INPUT" });
  }
}

function poseOf(values, count) {
  const pose = Float64Array.from(values);
  if (pose.length !== count || !pose.every(Number.isFinite))
    throw new SinewError(`a pose of this model is ${count} finite numbers, one for each coordinate`, { status: "SN_BAD_INPUT" });
  return pose;
}

export class Patient extends Held {
  #counts;

  constructor(core, model, changes, of) {
    const made = new Case(core, changes);
    try {
      super(core, core.made(core.exports.sinew_patient_open(model.at, made.pointer)), "sinew_patient_close");
    } finally {
      made.close();
    }
    this.#counts = ["muscle", "line", "coordinate"].map((item) => of.count(item));
  }

  /** What it takes to hold a pose (rad or m, all coordinates). */
  hold(pose) {
    const [muscles, lines, coordinates] = this.#counts;
    return this.core.with([poseOf(pose, coordinates), 32, 12], (at, figures, arrays) => {
      this.core.made(this.core.exports.sinew_hold(this.at, at, figures, arrays));
      const [unmet, reserve, effort, verdict] = this.core.doubles(figures, 4);
      const [activation, force, missing] = new Int32Array(this.core.memory, arrays, 3);
      return {
        unmet, reserve, effort, verdict: VERDICTS[verdict],
        activation: this.core.doubles(activation, muscles).slice(),
        force: this.core.doubles(force, lines).slice(),
        missing: this.core.doubles(missing, coordinates).slice(),
      };
    });
  }
}

export class Live extends Held {
  #sequence;
  #bytes;

  constructor(core, model) {
    super(core, core.made(core.exports.sinew_live_open(model.at)), "sinew_live_close");
    this.#sequence = core.exports.sinew_alloc(4);
    this.#bytes = core.exports.sinew_alloc(core.exports.sinew_live_size(this.at));
    core.bytes(this.#sequence, 4).fill(0);
  }

  /** False: it is not a message. */
  send(message) {
    return !!this.core.with([new Uint8Array(message)], (at) => this.core.exports.sinew_live_message(this.at, at, message.byteLength));
  }

  /** Makes up for the time that has passed. Gives the seconds until it is due again. */
  turn() {
    return this.core.exports.sinew_live_turn(this.at);
  }

  /** The newest snapshot; null where it was given before. */
  snapshot() {
    const size = this.core.exports.sinew_live_snapshot(this.at, this.#sequence, this.#bytes);
    return size ? this.core.bytes(this.#bytes, size).slice().buffer : null;
  }

  close() {
    super.close();
    for (const at of [this.#sequence, this.#bytes]) this.core.exports.sinew_free(at);
    this.#sequence = this.#bytes = 0;
  }
}

export class Consult extends Held {
  #sequence;

  constructor(core, model) {
    super(core, core.made(core.exports.sinew_consult_open(model.at)), "sinew_consult_close");
    this.#sequence = core.exports.sinew_alloc(8); // and a size
    core.bytes(this.#sequence, 8).fill(0);
  }

  send(message) {
    return !!this.core.with([new Uint8Array(message)], (at) => this.core.exports.sinew_consult_message(this.at, at, message.byteLength));
  }

  /** Works on the next answer. False: nothing is left to answer. */
  turn() {
    return !!this.core.exports.sinew_consult_turn(this.at);
  }

  /** The newest answer as JSON text; null where it was given before. */
  answer() {
    const at = this.core.exports.sinew_consult_answer(this.at, this.#sequence, this.#sequence + 4);
    if (!at) return null;
    const size = new Int32Array(this.core.memory, this.#sequence + 4, 1)[0];
    const text = new TextDecoder().decode(this.core.bytes(at, size).slice());
    this.core.exports.sinew_free(at);
    return text;
  }

  close() {
    super.close();
    this.core.exports.sinew_free(this.#sequence);
    this.#sequence = 0;
  }
}
