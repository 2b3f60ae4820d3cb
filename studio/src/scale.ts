// Where the scale of activation colours ends: at a round value above the largest activation, so that a gentle motion is
// not all of one colour, or at 1, so that motions can be compared. Live it grows with what has been seen.

import type { StudioData } from "./data";
import { announce } from "./dom";
import { rampColours, rampTop, setColours, setPalette, setRampTop, topFor } from "./ramp";

/** Live: the end before anything has happened. */
const LIVE_LEAST = 0.1;

export class Scale {
  private readonly replayMost: number;
  private liveMost = LIVE_LEAST;
  private liveTime = 0;
  private live = false;
  private full = false;

  constructor(
    data: StudioData,
    private readonly changed: () => void,
  ) {
    this.replayMost = data.replay ? data.replay.activation.reduce((most, a) => Math.max(most, a), 0) : 1;
    setPalette(data.palette);
    setRampTop(this.end());
  }

  /** Muscle red and tendon ivory, tinted by activation; or a scale of many colours. */
  toggleColours(): void {
    setColours(rampColours() === "anatomy" ? "activation" : "anatomy");
    this.changed();
    announce(rampColours() === "anatomy" ? "Colours of anatomy" : "Colours of activation");
  }

  private end(): number {
    return this.full ? 1 : topFor(this.live ? this.liveMost : this.replayMost);
  }

  private apply(): void {
    if (this.end() === rampTop()) return;
    setRampTop(this.end());
    this.changed();
  }

  setLive(live: boolean): void {
    this.live = live;
    this.liveMost = LIVE_LEAST;
    this.apply();
  }

  /** A snapshot: the scale grows with it, and begins anew when the time does. */
  see(activation: Float32Array, time: number): void {
    if (time < this.liveTime) this.liveMost = LIVE_LEAST;
    this.liveTime = time;
    for (const a of activation) this.liveMost = Math.max(this.liveMost, a);
    this.apply();
  }

  get whole(): boolean {
    return this.full;
  }

  toggle(): void {
    this.full = !this.full;
    setRampTop(this.end());
    this.changed();
    announce(`Colours from 0 to ${rampTop()}`);
  }
}
