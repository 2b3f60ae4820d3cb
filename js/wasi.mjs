// The few calls of WASI that the library makes, on files in memory. Nothing of the machine is reached: there is one
// folder, /, which holds what was put there, for reading only.

const OK = 0;
const BADF = 8;
const INVAL = 28;
const NOENT = 44;
const NOTDIR = 54;
const ROFS = 69;
const ROOT = 3; // descriptor of /
const FOLDER = 3; // kinds of file
const FILE = 4;
const CREATE = 1; // flag of path_open

/** Ends the library: it has called abort() or run out of its stack. */
export class Exit extends Error {}

/** Absolute path without ., .. and doubled slashes. */
function normal(path) {
  const parts = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part && part !== ".") parts.push(part);
  }
  return "/" + parts.join("/");
}

export class Files {
  #files = new Map();
  #open = new Map();
  #next = ROOT + 1;
  #memory = null;
  #environment;

  constructor(environment = {}) {
    this.#environment = Object.entries(environment).map(([name, value]) => new TextEncoder().encode(`${name}=${value}\0`));
  }

  set(path, bytes) {
    this.#files.set(normal(path), bytes);
  }

  get(path) {
    return this.#files.get(normal(path));
  }

  delete(path) {
    this.#files.delete(normal(path));
  }

  /** What is in a folder, in the order of the names. */
  list(folder) {
    const begin = normal(folder) === "/" ? "/" : normal(folder) + "/";
    const names = new Set();
    for (const path of this.#files.keys()) if (path.startsWith(begin)) names.add(path.slice(begin.length).split("/")[0]);
    return [...names].sort();
  }

  #kind(path) {
    if (this.#files.has(path)) return FILE;
    return path === "/" || this.list(path).length ? FOLDER : 0;
  }

  #view() {
    return new DataView(this.#memory.buffer);
  }

  #text(at, size) {
    return new TextDecoder().decode(new Uint8Array(this.#memory.buffer, at, size));
  }

  #path(descriptor, at, size) {
    const base = descriptor === ROOT ? "/" : (this.#open.get(descriptor)?.path ?? "/");
    return normal(`${base}/${this.#text(at, size)}`);
  }

  /** Where the pieces of a scattered read or write lie. */
  *#pieces(at, count) {
    for (let i = 0; i < count; i++) {
      const view = this.#view();
      yield new Uint8Array(this.#memory.buffer, view.getUint32(at + 8 * i, true), view.getUint32(at + 8 * i + 4, true));
    }
  }

  #writeStat(at, path) {
    const kind = this.#kind(path);
    if (!kind) return NOENT;
    new Uint8Array(this.#memory.buffer, at, 64).fill(0);
    this.#view().setUint8(at + 16, kind);
    this.#view().setBigUint64(at + 24, 1n, true);
    this.#view().setBigUint64(at + 32, BigInt(this.#files.get(path)?.length ?? 0), true);
    return OK;
  }

  #readFolder(descriptor, at, size, cookie, used) {
    const folder = descriptor === ROOT ? "/" : this.#open.get(descriptor)?.path;
    if (folder === undefined) return BADF;
    const names = [".", "..", ...this.list(folder)];
    let filled = 0;
    for (let i = Number(cookie); i < names.length && filled < size; i++) {
      const name = new TextEncoder().encode(names[i]);
      const entry = new Uint8Array(24 + name.length);
      const view = new DataView(entry.buffer);
      view.setBigUint64(0, BigInt(i + 1), true);
      view.setBigUint64(8, BigInt(i + 1), true);
      view.setUint32(16, name.length, true);
      view.setUint8(20, i < 2 ? FOLDER : this.#kind(normal(`${folder}/${names[i]}`)));
      entry.set(name, 24);
      const part = entry.subarray(0, Math.min(entry.length, size - filled));
      new Uint8Array(this.#memory.buffer).set(part, at + filled);
      filled += part.length;
    }
    this.#view().setUint32(used, filled, true);
    return OK;
  }

  #openPath(path, flags, result) {
    const kind = this.#kind(path);
    if (!kind) return flags & CREATE ? ROFS : NOENT;
    this.#open.set(this.#next, { path, bytes: this.#files.get(path), at: 0 });
    this.#view().setUint32(result, this.#next++, true);
    return OK;
  }

  #read(descriptor, at, count, result) {
    const file = this.#open.get(descriptor);
    if (!file?.bytes) return BADF;
    let read = 0;
    for (const piece of this.#pieces(at, count)) {
      const part = file.bytes.subarray(file.at, file.at + piece.length);
      piece.set(part);
      file.at += part.length;
      read += part.length;
    }
    this.#view().setUint32(result, read, true);
    return OK;
  }

  #seek(descriptor, offset, whence, result) {
    const file = this.#open.get(descriptor);
    if (!file?.bytes) return BADF;
    const to = Number(offset) + [0, file.at, file.bytes.length][whence];
    if (!(to >= 0)) return INVAL;
    file.at = to;
    this.#view().setBigUint64(result, BigInt(to), true);
    return OK;
  }

  #status(descriptor, at) {
    const file = this.#open.get(descriptor);
    if (descriptor >= ROOT && descriptor !== ROOT && !file) return BADF;
    new Uint8Array(this.#memory.buffer, at, 24).fill(0);
    this.#view().setUint8(at, descriptor < ROOT ? 2 : file?.bytes ? FILE : FOLDER);
    this.#view().setBigUint64(at + 8, 0xffffffffn, true); // rights: the answers themselves say what cannot be done
    this.#view().setBigUint64(at + 16, 0xffffffffn, true);
    return OK;
  }

  #writeEnvironment(pointers, at) {
    for (const entry of this.#environment) {
      this.#view().setUint32(pointers, at, true);
      new Uint8Array(this.#memory.buffer).set(entry, at);
      pointers += 4;
      at += entry.length;
    }
    return OK;
  }

  #put32(...pairs) {
    for (const [at, value] of pairs) this.#view().setUint32(at, value, true);
    return OK;
  }

  use(memory) {
    this.#memory = memory;
  }

  /** What the module imports. */
  imports() {
    const size = () => this.#environment.reduce((sum, entry) => sum + entry.length, 0);
    return {
      environ_sizes_get: (count, bytes) => this.#put32([count, this.#environment.length], [bytes, size()]),
      environ_get: (pointers, at) => this.#writeEnvironment(pointers, at),
      clock_time_get: (id, _precision, at) => {
        const ms = id === 0 ? Date.now() : performance.now();
        this.#view().setBigUint64(at, BigInt(Math.round(ms * 1e6)), true);
        return OK;
      },
      fd_prestat_get: (descriptor, at) => (descriptor === ROOT ? this.#put32([at, 0], [at + 4, 1]) : BADF),
      fd_prestat_dir_name: (_descriptor, at) => {
        this.#view().setUint8(at, 47);
        return OK;
      },
      fd_fdstat_get: (descriptor, at) => this.#status(descriptor, at),
      fd_fdstat_set_flags: () => OK,
      fd_filestat_get: (descriptor, at) => {
        const path = descriptor === ROOT ? "/" : this.#open.get(descriptor)?.path;
        return path === undefined ? BADF : this.#writeStat(at, path);
      },
      fd_close: (descriptor) => (this.#open.delete(descriptor) ? OK : BADF),
      fd_read: (descriptor, at, count, result) => this.#read(descriptor, at, count, result),
      fd_readdir: (descriptor, at, size, cookie, used) => this.#readFolder(descriptor, at, size, cookie, used),
      fd_seek: (descriptor, offset, whence, result) => this.#seek(descriptor, offset, whence, result),
      fd_write: () => ROFS,
      path_filestat_get: (descriptor, _flags, at, size, result) => this.#writeStat(result, this.#path(descriptor, at, size)),
      path_open: (descriptor, _dirflags, at, size, flags, _rights, _inherit, _fdflags, result) => {
        const path = this.#path(descriptor, at, size);
        return flags & 2 && this.#kind(path) === FILE ? NOTDIR : this.#openPath(path, flags, result);
      },
      path_readlink: () => INVAL,
      proc_exit: (code) => {
        throw new Exit(`the library ended itself (${code})`);
      },
    };
  }
}
