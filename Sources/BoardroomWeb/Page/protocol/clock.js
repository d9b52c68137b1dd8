// The clock, as a parameter: tests use one that they set by hand.

/** @returns {Clock} the real time: milliseconds since 1970, never going back */
export function realClock() {
  const now = () => performance.timeOrigin + performance.now();
  return {
    now,
    after(ms, run) {
      const timer = setTimeout(run, Math.max(0, ms));
      return () => clearTimeout(timer);
    },
    frame(run) {
      const frame = requestAnimationFrame(() => run(now()));
      return () => cancelAnimationFrame(frame);
    },
  };
}
