// Tells the server how many snapshots of a connection have been shown, with each picture: it sends no more than two
// ahead of that (docs/studio.md), so that what is seen is not old, however slow the screen is.

import type { Socket } from "./socket";

const SEEN = 0;

export class Seen {
  private count = 0;
  private planned = false;

  constructor(private readonly socket: Pick<Socket, "readyState" | "send">) {}

  /** A snapshot has come in; it counts as shown after the next picture. */
  add(): void {
    this.count++;
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      const view = new DataView(new ArrayBuffer(8));
      view.setUint32(0, SEEN, true);
      view.setUint32(4, this.count, true);
      if (this.socket.readyState === WebSocket.OPEN) this.socket.send(view.buffer);
    });
  }
}
