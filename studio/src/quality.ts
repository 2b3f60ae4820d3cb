// How much work goes into a picture. While things move on a slow machine, pictures are drawn more cheaply, so that more of
// them come in a second; what rests is always drawn in full. Invariants:
// 1. When nothing has changed for REST_MS, the picture on the screen is a full one (LEVELS[0]).
// 2. "best" never draws anything else; "fast" draws the cheapest while things move, whatever the machine can do.
// 3. "auto" judges by the time that pictures took, never by the name of the graphics card.

export type Choice = "auto" | "best" | "fast";

export interface Level {
  /** of the pixels that the screen has, along a side */
  scale: number;
  /** smooth edges: several samples for each pixel */
  smooth: boolean;
  /** light computed for each vertex of coarser meshes, instead of for each pixel of the fine ones */
  plain: boolean;
}

/** From full to cheapest. */
export const LEVELS: readonly Level[] = [
  { scale: 1, smooth: true, plain: false },
  { scale: 1, smooth: false, plain: false },
  { scale: 1, smooth: false, plain: true },
  { scale: 0.7, smooth: false, plain: true },
  { scale: 0.5, smooth: false, plain: true },
];

/** After this long without a change, the picture is drawn in full. */
export const REST_MS = 200;
/** A picture that takes longer is too slow: 30 a second, and a refresh of the screen missed now and then. */
const SLOW_MS = 36;
/** Less than this leaves time for better ones. */
const QUICK_MS = 25;
/** Pictures that a judgement looks at. */
const ENOUGH = 4;
/** Something better is tried after this long; each time in vain doubles it. */
const RETRY_MS = 4000;
const LONGEST_RETRY_MS = 60000;

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1];

export class Quality {
  /** what "auto" has found to be quick enough, as an index into LEVELS */
  level = 0;
  private took: number[] = [];
  private asked = 0;
  private begun = -Infinity;
  private since = 0;
  private retry = RETRY_MS;
  /** the present level is one that was tried because there was time */
  private trial = false;
  private chosen: Choice = "auto";

  get choice(): Choice {
    return this.chosen;
  }

  set choice(choice: Choice) {
    this.chosen = choice;
    this.level = 0;
    this.took.length = 0;
    this.retry = RETRY_MS;
  }

  /** Level of a picture while things move. */
  get moving(): number {
    return this.chosen === "best" ? 0 : this.chosen === "fast" ? LEVELS.length - 1 : this.level;
  }

  /** Somebody wants a picture. */
  ask(now: number): void {
    this.asked = now;
  }

  /** A picture begins that somebody asked for. How long it took to get here is how long the one before kept the machine
   * busy: a browser asks for the next only when it is rid of the last. Time in which nobody wanted one does not count. */
  begin(now: number): void {
    const waited = now - Math.max(this.asked, this.begun);
    const idle = this.asked - this.begun;
    this.begun = now;
    // The first picture after a rest waited for nothing.
    if (idle > REST_MS || this.chosen !== "auto") return void (this.took.length = 0);
    this.took.push(waited);
    if (this.took.length >= ENOUGH || waited > 4 * SLOW_MS) this.judge(median(this.took), now);
    if (this.took.length >= ENOUGH) this.took.shift();
  }

  private judge(took: number, now: number): void {
    if (took > SLOW_MS && this.level < LEVELS.length - 1) {
      if (this.trial) this.retry = Math.min(2 * this.retry, LONGEST_RETRY_MS);
      this.trial = false;
      this.go(this.level + (took > 3 * SLOW_MS ? 2 : 1), now);
    } else if (took < QUICK_MS && this.level > 0 && now - this.since > this.retry) {
      if (this.trial) this.retry = RETRY_MS; // the last trial held
      this.trial = true;
      this.go(this.level - 1, now);
    }
  }

  private go(level: number, now: number): void {
    this.level = Math.min(level, LEVELS.length - 1);
    this.since = now;
    this.took.length = 0;
  }
}
