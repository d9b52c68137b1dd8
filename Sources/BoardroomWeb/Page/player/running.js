// Runs time, frame by frame.

/** Ms of a frame, at most: a page in the background does not jump. */
const LONGEST_FRAME = 250;

export class Running {
  isRunning = false;

  /**
   * @param {Clock} clock
   * @param {(ms: number) => boolean} step is called each frame; false: time stands still again
   */
  constructor(clock, step) {
    this.clock = clock;
    this.step = step;
  }

  start() {
    if (this.isRunning) return;
    this.isRunning = true;
    let last = this.clock.now();
    const frame = () => {
      const now = this.clock.now();
      const ms = Math.min(now - last, LONGEST_FRAME);
      last = now;
      this.isRunning = this.step(ms);
      if (this.isRunning) this.clock.frame(frame);
    };
    this.clock.frame(frame);
  }
}
