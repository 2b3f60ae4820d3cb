// The simulation in a thread of its own, without a server: the same library as a WebAssembly module. Takes the place of
// studio/server: messages go in, snapshots and answers come out, never more than two snapshots ahead of the page.

import { load, type Consult, type Live, type Model } from "../../js/sinew.mjs";
import type { Channel } from "./socket";

/** From the page: the module and the model, then channels and their messages. */
export type ToSolver = { wasm: ArrayBuffer; model: ArrayBuffer } | { open: Channel } | { close: Channel } | { to: Channel; message: ArrayBuffer };
export type FromSolver = { opened: Channel } | { from: Channel; data: ArrayBuffer | string } | { error: string };

const AHEAD = 2;
const SEEN = 0; // operation: so many snapshots have been shown

const post = self.postMessage.bind(self) as (message: FromSolver, transfer?: Transferable[]) => void;

let ready: Promise<Model> | null = null;
let live: Live | null = null;
let consult: Consult | null = null;
let watched = false;
let turning = false; // a turn of the simulation is planned
let answering = false;
let sent = 0;
let seen = 0;

async function prepare(wasm: ArrayBuffer, pack: ArrayBuffer): Promise<Model> {
  const sinew = await load({ wasm });
  return sinew.model(await sinew.add(pack));
}

function turnLive(): void {
  turning = false;
  if (!live || !watched) return;
  const due = guarded(() => live!.turn()) ?? 1;
  if (sent - seen < AHEAD) {
    const data = live.snapshot();
    if (data) {
      sent++;
      post({ from: "live", data }, [data]);
    }
  }
  turning = true;
  setTimeout(turnLive, 1000 * due);
}

/** One answer, then whatever has come in meanwhile. */
function turnConsult(): void {
  answering = false;
  if (!consult || !guarded(() => consult!.turn())) return;
  const data = consult.answer();
  if (data) post({ from: "clinic", data });
  answerSoon();
}

function answerSoon(): void {
  if (answering) return;
  answering = true;
  setTimeout(turnConsult, 0);
}

function guarded<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    live = consult = null;
    post({ error: error instanceof Error ? error.message : String(error) });
    return null;
  }
}

function open(model: Model, channel: Channel): void {
  if (channel === "live") {
    live ??= guarded(() => model.live());
    watched = true;
    sent = seen = 0;
    if (!turning) turnLive();
  } else consult ??= guarded(() => model.consult());
  if (channel === "live" ? live : consult) post({ opened: channel });
}

function take(channel: Channel, message: ArrayBuffer): void {
  const view = new DataView(message);
  if (channel === "clinic") {
    if (view.getUint32(0, true) === SEEN || !consult) return;
    consult.send(message);
    answerSoon();
  } else if (view.getUint32(0, true) === SEEN) seen = view.getUint32(4, true);
  else live?.send(message);
}

self.onmessage = async (e: MessageEvent<ToSolver>) => {
  const message = e.data;
  try {
    if ("wasm" in message) ready = prepare(message.wasm, message.model);
    const model = await ready!;
    if ("open" in message) open(model, message.open);
    else if ("close" in message) watched = message.close === "live" ? false : watched;
    else if ("to" in message) take(message.to, message.message);
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) });
  }
};
