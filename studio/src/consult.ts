// Who answers clinical questions: the server behind the studio, or, in a page that was handed over, what was solved when
// it was written.

import type { Answer, Change, StudioData } from "./data";
import type { Trial } from "./explorer";
import { Seen } from "./seen";
import { comesBack, connect, whoAnswers, whyAway, type Socket } from "./socket";

const KINDS: Change["kind"][] = ["strength", "passive", "cost", "cut", "nerve", "fuse", "load", "transfer", "couple"];
enum Op {
  Pose = 1,
  Begin,
  Change,
  Apply,
  Endure,
  Explore,
}

export interface ConsultEvents {
  answer(answer: Answer): void;
  link(text: string, bad: boolean): void;
}

export class Consult {
  /** ms from a question to its first answer, newest last */
  readonly waits: number[] = [];
  private socket: Socket | null = null;
  private retry = 0;
  private id = 0;
  private readonly asked = new Map<number, number>();
  private pose: number[];
  private changes: Change[] = [];
  private posture = 0;
  private planned = false;
  private trial: Trial | null = null;
  private rhythm: { work: number; rest: number; repeat: number } | null = null;

  constructor(
    data: StudioData,
    private readonly events: ConsultEvents,
  ) {
    this.pose = data.coordinates.map(() => 0);
  }

  open(): void {
    window.clearTimeout(this.retry);
    this.events.link("connecting", false);
    const socket = connect("clinic");
    this.socket = socket;
    socket.onopen = () => {
      this.events.link(whoAnswers(), false);
      if (this.rhythm) this.setRhythm(this.rhythm);
      if (this.trial) this.setTrial(this.trial);
      this.setCase(this.changes, this.posture);
    };
    const seen = new Seen(socket);
    socket.onmessage = (e) => {
      seen.add();
      this.take(String(e.data));
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.events.link(whyAway(), true);
      if (comesBack()) this.retry = window.setTimeout(() => this.open(), 1500);
    };
  }

  close(): void {
    window.clearTimeout(this.retry);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  /** Asks about a pose; of several in one picture only the last is sent. */
  setPose(q: number[]): void {
    this.pose = q.slice();
    if (this.planned) return;
    this.planned = true;
    queueMicrotask(() => {
      this.planned = false;
      this.sendPose();
    });
  }

  setCase(changes: Change[], posture: number): void {
    this.changes = changes;
    this.posture = posture;
    this.send(Op.Begin, [], []);
    for (const c of changes) this.send(Op.Change, [KINDS.indexOf(c.kind)], [c.value, ...c.force], c.to ? `${c.name}>${c.to}` : c.name);
    this.sendPose();
    this.send(Op.Apply, [this.next(), posture], []);
  }

  /** Final answers tell how both hands tire in this rhythm; null: no longer. */
  setRhythm(rhythm: { work: number; rest: number; repeat: number } | null): void {
    this.rhythm = rhythm;
    this.send(Op.Endure, [this.next(), rhythm?.repeat ?? 0], [rhythm?.work ?? 1, rhythm?.rest ?? 0]);
  }

  /** Final answers rank what this tries; null: no longer. */
  setTrial(trial: Trial | null): void {
    this.trial = trial;
    const t = trial ?? { what: -1, count: 0, seed: 0, level: 0, strength: 0, to: "" };
    this.send(Op.Explore, [this.next(), t.what + 1, t.count, t.seed], [t.level, t.strength], t.to);
  }

  private next(): number {
    this.id++;
    this.asked.set(this.id, performance.now());
    return this.id;
  }

  private sendPose(): void {
    this.send(Op.Pose, [this.next()], this.pose);
  }

  private send(op: Op, whole: number[], floats: number[], text = ""): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const said = new TextEncoder().encode(text);
    const view = new DataView(new ArrayBuffer(4 + 4 * (whole.length + floats.length) + said.length));
    view.setUint32(0, op, true);
    whole.forEach((v, i) => view.setUint32(4 + 4 * i, v, true));
    floats.forEach((v, i) => view.setFloat32(4 + 4 * (whole.length + i), v, true));
    new Uint8Array(view.buffer).set(said, 4 + 4 * (whole.length + floats.length));
    this.socket.send(view.buffer);
  }

  private take(text: string): void {
    let answer: Answer;
    try {
      answer = JSON.parse(text);
    } catch {
      return;
    }
    if (answer.id < this.id) return; // a newer question is on its way
    const since = this.asked.get(answer.id);
    if (since !== undefined) {
      this.asked.clear();
      this.waits.push(performance.now() - since);
      if (this.waits.length > 500) this.waits.shift();
    }
    this.events.answer(answer);
  }
}
