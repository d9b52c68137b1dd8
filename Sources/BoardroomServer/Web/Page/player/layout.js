import { FAMILY_OF, FIRST_MARKED, NAMES } from "./log.js";

// Where things stand on the timeline: numbers out of a log and a window of its time, for timeline.js to draw.

/** @typedef {Replay.Log} Log */
/** @typedef {Replay.Pacing} Pacing */
/** @typedef {Replay.Window} Window */

/** What nobody has read yet, or was not looked for, is one family more. */
const ROW = NAMES.length + 1;
/** A marker takes so many pixels: of several the gravest is shown. */
const SLOT = 12;
/** Between labels of the axis, in pixels; what they may be apart, in seconds. */
const LABEL = 72;
const STEPS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400, 604800];
/** Befalls a member and ends no phase: the leave that follows does. */
const EVENTS = ["refused", "kicked", "replaced"];

/** @param {Window} window @param {Pacing} pacing @param {number} time */
export const xOf = ({ from, to, width }, pacing, time) => ((pacing.shown(time) - from) / (to - from)) * width;
/** @param {Window} window @param {Pacing} pacing @param {number} x */
export const timeAt = ({ from, to, width }, pacing, x) => pacing.time(from + (x / width) * (to - from));

/** How many events of each family there are in each pixel column.
 * @param {Replay.Shown} shown @param {Window} window */
export function heat({ log, pacing, fits }, window) {
  const { times, kinds, count, low } = log;
  const counts = new Uint32Array(window.width * ROW);
  let at = log.revisionAt(timeAt(window, pacing, 0) - 1e-3) + 1 - low;
  let most = 1;
  for (let column = 0; column < window.width; column++) {
    const edge = timeAt(window, pacing, column + 1) + (column + 1 < window.width ? 0 : 1);
    const first = at;
    for (; at < count && times[at] < edge; at++) {
      counts[column * ROW + (fits && !fits[at] ? ROW - 1 : FAMILY_OF[kinds[at]])]++;
    }
    most = Math.max(most, at - first);
  }
  return { counts, most };
}

/** The parts of a column from the bottom up, as shares of the height: few are seen beside many.
 * @param {{counts: Uint32Array, most: number}} heat @param {number} column */
export function stack({ counts, most }, column) {
  const own = [...counts.subarray(column * ROW, (column + 1) * ROW)];
  const sum = own.reduce((all, one) => all + one, 0);
  let below = 0;
  return own.flatMap((one, family) => {
    const from = below;
    below += one && (one / sum) * Math.max(Math.sqrt(sum / most), 0.08);
    return one ? [{ family, from, to: below }] : [];
  });
}

/** One marker a slot: of the gravest family in it.
 * @param {{counts: Uint32Array}} heat @param {number} width */
export function markers({ counts }, width) {
  /** @type {{x: number, family: number}[]} */
  const found = [];
  for (let slot = 0; slot < width; slot += SLOT) {
    for (let family = ROW - 2; family >= FIRST_MARKED; family--) {
      let x = slot;
      while (x < Math.min(slot + SLOT, width) && !counts[x * ROW + family]) x++;
      if (x === Math.min(slot + SLOT, width)) continue;
      // Slots have borders, markers have none: of two that would touch the later one moves on.
      found.push({ x: Math.max(x, (found[found.length - 1]?.x ?? SLOT / 2 - 10) + 10), family });
      break;
    }
  }
  return found;
}

/** One lane a member: its phases as the server saw them and as its client did, and what befell it.
 * @param {Log} log @returns {Replay.Lane[]} */
export function lanes(log) {
  return [...log.people.values()].sort((a, b) => a.number - b.number).map((person) => {
    const turns = [...person.turns].sort((a, b) => a.revision - b.revision);
    const seen = [...person.seen].sort((a, b) => a.time - b.time);
    const phases = turns.filter(({ phase }) => !EVENTS.includes(phase));
    return {
      person,
      spans: phases.map(({ time, phase }, at) => ({ from: time, to: phases[at + 1]?.time ?? log.end, phase }))
        .filter(({ phase }) => phase !== "left"),
      seen: seen.map(({ time, phase, revision }, at) =>
        ({ from: time, to: seen[at + 1]?.time ?? log.time(revision), phase })),
      marks: turns.filter(({ phase }) => EVENTS.includes(phase) || phase === "left"),
    };
  });
}

/** Times of round numbers to stand at an axis.
 * @param {Window} window @param {Pacing} pacing */
export function ticks(window, pacing) {
  const wanted = ((window.to - window.from) / window.width) * LABEL / 1000;
  const step = STEPS.find((one) => one >= wanted) ?? STEPS[STEPS.length - 1];
  /** @type {{x: number, past: number, decimals: number}[]} */
  const found = [];
  for (let spot = 0; spot < window.width - LABEL / 2; spot += LABEL) {
    const past = Math.ceil((timeAt(window, pacing, spot) - pacing.begin) / 1000 / step) * step * 1000;
    const x = xOf(window, pacing, pacing.begin + past);
    if (x < window.width - LABEL / 2 && x - (found[found.length - 1]?.x ?? -LABEL) >= LABEL / 2) found.push({ x, past, decimals: step < 1 ? 1 : 0 });
  }
  return found;
}

/** A time from the beginning, as 00:04:12.380; with fewer decimals without what is nought in front, as 4:12.
 * @param {number} ms */
export function clockText(ms, decimals = 3) {
  const past = Math.max(ms, 0);
  const hours = String(Math.floor(past / 3_600_000)).padStart(2, "0");
  const text = hours + new Date(past % 3_600_000).toISOString().slice(13, decimals ? 20 + decimals : 19);
  return decimals < 3 ? text.replace(/^(00:)?0?/, "") : text;
}
