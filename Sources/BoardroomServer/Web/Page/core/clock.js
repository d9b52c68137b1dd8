// Time, handed in: whoever decides by it can be tested with a clock that is turned by hand.

const frameTime = 16;

/** @returns {Clock} the clock on the wall: milliseconds since 1970, never going back */
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

/** A clock that stands still until it is turned.
 * @returns {Clock & {advance: (ms: number) => void, pending: () => number}} */
export function virtualClock(start = 0) {
  let [time, count] = [start, 0];
  /** @type {Map<number, {at: number, run: () => void}>} */
  const due = new Map();
  const after = (/** @type {number} */ ms, /** @type {() => void} */ run) => {
    const number = ++count;
    due.set(number, { at: time + Math.max(0, ms), run });
    return () => void due.delete(number);
  };
  const next = () => [...due].sort(([a, left], [b, right]) => left.at - right.at || a - b)[0];
  return {
    now: () => time,
    after,
    frame: (run) => after(frameTime, () => run(time)),
    advance(ms) {
      const end = time + ms;
      for (let first = next(); first !== undefined && first[1].at <= end; first = next()) {
        due.delete(first[0]);
        time = Math.max(time, first[1].at);
        first[1].run();
      }
      time = end;
    },
    pending: () => due.size,
  };
}
