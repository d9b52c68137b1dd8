// Time that is turned by hand.

const frameTime = 16;

/**
 * A clock that stands still until it is turned.
 * @returns {Clock & {advance: (ms: number) => void, pending: () => number}}
 */
export function virtualClock(start = 0) {
  let time = start;
  let count = 0;
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
