// Who simulates and answers: the server that the page came from, or, where the page holds the solver itself, a worker.
// Both take the same messages (docs/studio.md), so nobody else needs to know which it is.

import type { FromSolver, ToSolver } from "./worker";

declare const WORKER_SOURCE: string; // worker.ts, bundled: build.mjs puts it here

/** What of a WebSocket is used. */
export interface Socket {
  binaryType: BinaryType;
  readonly readyState: number;
  onopen: ((e: Event) => unknown) | null;
  onmessage: ((e: MessageEvent) => unknown) | null;
  onclose: ((e: CloseEvent) => unknown) | null;
  send(message: ArrayBuffer): void;
  close(): void;
}

export type Channel = "live" | "clinic";

const slot = (id: string) => document.getElementById(id)?.textContent?.trim() ?? "";

/** The page holds the simulation: nothing is asked of a server. */
export const hasSolver = () => slot("sinew-core") !== "";

function bytesOf(id: string): ArrayBuffer {
  const text = atob(slot(id));
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

/** The worker with the module and the model, and who listens to it. One for the page. */
class Solver {
  readonly listeners = new Map<Channel, SolverSocket>();
  private readonly worker: Worker;
  private failed = "";

  constructor() {
    const address = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = (e: MessageEvent<FromSolver>) => this.take(e.data);
    this.worker.onerror = (e) => this.fail(e.message || "the worker could not be started");
    const wasm = bytesOf("sinew-core");
    const model = bytesOf("sinew-model");
    this.worker.postMessage({ wasm, model } satisfies ToSolver, [wasm, model]);
  }

  send(message: ToSolver): void {
    this.worker.postMessage(message);
  }

  private take(message: FromSolver): void {
    if ("error" in message) this.fail(message.error);
    else if ("opened" in message) this.listeners.get(message.opened)?.opened();
    else this.listeners.get(message.from)?.onmessage?.(new MessageEvent("message", { data: message.data }));
  }

  /** Said where the state of the connection is shown, and kept there. */
  private fail(text: string): void {
    this.failed = text;
    document.documentElement.dataset.solver = text;
    for (const socket of this.listeners.values()) socket.ended();
  }

  get error(): string {
    return this.failed;
  }
}

let solver: Solver | null = null;

class SolverSocket implements Socket {
  binaryType: BinaryType = "arraybuffer";
  readyState: number = WebSocket.CONNECTING;
  onopen: ((e: Event) => unknown) | null = null;
  onmessage: ((e: MessageEvent) => unknown) | null = null;
  onclose: ((e: CloseEvent) => unknown) | null = null;

  constructor(private readonly channel: Channel) {
    solver ??= new Solver();
    solver.listeners.set(channel, this);
    solver.send({ open: channel });
  }

  opened(): void {
    this.readyState = WebSocket.OPEN;
    this.onopen?.(new Event("open"));
  }

  ended(): void {
    this.readyState = WebSocket.CLOSED;
    this.onclose?.(new CloseEvent("close"));
  }

  send(message: ArrayBuffer): void {
    solver!.send({ to: this.channel, message });
  }

  close(): void {
    if (this.readyState === WebSocket.CLOSED) return;
    this.readyState = WebSocket.CLOSED;
    if (solver?.listeners.get(this.channel) === this) solver.listeners.delete(this.channel);
    solver?.send({ close: this.channel });
  }
}

/** What is shown while all is well. */
export const whoAnswers = () => (hasSolver() ? "simulated in this page" : "connected");
/** Why it does not go on, for whoever shows the state of a connection that has ended. */
export const whyAway = () => (hasSolver() ? `the simulation stopped: ${solver?.error ?? ""}` : "server away");
/** Whether it is worth trying again. */
export const comesBack = () => !solver?.error;

export function connect(channel: Channel): Socket {
  if (hasSolver()) return new SolverSocket(channel);
  return new WebSocket(`ws://${location.host}${location.pathname}${channel}`);
}
