// The clock of the replay: where it is, whether it runs, how fast.

import type { Replay } from "./data";
import { frameAt } from "./frame";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  time: number;
  playing = false;
  speed = 1;
  loop = true;
  private last = 0;

  constructor(
    readonly replay: Replay,
    private readonly changed: () => void,
  ) {
    this.time = replay.times[0];
  }

  get start(): number {
    return this.replay.times[0];
  }

  get end(): number {
    return this.replay.times[this.replay.count - 1];
  }

  get frame(): number {
    return frameAt(this.replay, this.time + 1e-9);
  }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.changed();
  }

  /** Moves by whole frames, stopping the clock: stepping means looking closely. */
  step(frames: number): void {
    this.pause();
    const i = Math.min(Math.max(this.frame + frames, 0), this.replay.count - 1);
    this.seek(this.replay.times[i]);
  }

  play(): void {
    if (this.playing || this.replay.count < 2) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(this.tick);
    this.changed();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.changed();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.changed();
  }

  faster(direction: 1 | -1): void {
    const i = SPEEDS.indexOf(this.speed) + direction;
    this.setSpeed(SPEEDS[Math.min(Math.max(i, 0), SPEEDS.length - 1)]);
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    // A page that was hidden does not jump.
    this.time += (Math.min(Math.max(now - this.last, 0), 250) / 1000) * this.speed;
    this.last = now;
    if (this.time > this.end) {
      this.time = this.loop ? this.start : this.end;
      this.playing = this.loop;
    }
    this.changed();
    if (this.playing) requestAnimationFrame(this.tick);
  };
}
