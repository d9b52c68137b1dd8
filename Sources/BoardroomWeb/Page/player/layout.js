// Positions on the timeline: numbers from a log and a window of its time, for timeline.js to draw.
import { FIRST_MARKED, MARKER_NAMES, MARKER_OF_KIND } from "./log.js";

/**
 * Of a member: its phases as the server saw them and as its client did, and what befell it.
 * @typedef {{
 *   person: Replay.Person;
 *   spans: Replay.Span[];
 *   seen: Replay.Span[];
 *   marks: Replay.Turn[];
 * }} Lane
 */

/**
 * A part of the shown time, and how many pixels it takes.
 * @typedef {{ from: number; to: number; width: number }} Window
 */

/** Families of kinds, and one for what is not read yet or not looked for. */
const ROW = MARKER_NAMES.length + 1;

/** Pixels in which one marker is shown. */
const SLOT = 12;

/** Happens to a member and ends no phase: the leave that follows does. */
const EVENTS = ["refused", "kicked", "replaced"];

/**
 * @param {Window} window
 * @param {Replay.Pacing} pacing
 * @param {number} time of the log
 * @returns {number} the pixel where it stands
 */
export const xOf = ({ from, to, width }, pacing, time) =>
  ((pacing.shown(time) - from) / (to - from)) * width;

/**
 * @param {Window} window
 * @param {Replay.Pacing} pacing
 * @param {number} x a pixel
 * @returns {number} the time of the log that stands there
 */
export const timeAt = ({ from, to, width }, pacing, x) =>
  pacing.time(from + (x / width) * (to - from));

/**
 * @param {Replay.Shown} shown
 * @param {Window} window
 * @returns {Replay.Heat}
 */
export function heat({ log, pacing, fits }, window) {
  const { times, kinds, count, low } = log;
  const counts = new Uint32Array(window.width * ROW);
  let at = log.revisionAt(timeAt(window, pacing, 0) - 1e-3) + 1 - low;
  let most = 1;
  for (let column = 0; column < window.width; column++) {
    const isLast = column + 1 === window.width;
    const edge = timeAt(window, pacing, column + 1) + (isLast ? 1 : 0);
    const first = at;
    for (; at < count && times[at] < edge; at++) {
      const marker = fits && !fits[at] ? ROW - 1 : MARKER_OF_KIND[kinds[at]];
      counts[column * ROW + marker]++;
    }
    most = Math.max(most, at - first);
  }
  return { counts, most };
}

/**
 * @param {Replay.Heat} heat
 * @param {number} column
 * @returns markers in a column, from below, as parts of its height
 */
export function stack({ counts, most }, column) {
  const own = [...counts.subarray(column * ROW, (column + 1) * ROW)];
  const sum = own.reduce((all, one) => all + one, 0);
  // A logarithm: few events stay visible beside many.
  const height = Math.max(Math.sqrt(sum / most), 0.08);
  let to = 0;
  const parts = own.map((one, marker) => {
    const from = to;
    to += one && (one / sum) * height;
    return { marker, from, to };
  });
  return parts.filter((part) => part.to > part.from);
}

/**
 * @param {Replay.Heat} heat
 * @param {number} width
 * @returns the gravest marker of each slot, and where it stands
 */
export function markers({ counts }, width) {
  /** @type {{x: number, marker: number}[]} */
  const found = [];
  let last = 8 - SLOT;
  let gravest = -1;
  let at = 0;
  for (let x = 0; x < width; x++) {
    for (let marker = FIRST_MARKED; marker < ROW - 1; marker++) {
      if (counts[x * ROW + marker] && marker > gravest) {
        gravest = marker;
        at = x;
      }
    }
    if (gravest < 0 || (x % SLOT !== SLOT - 1 && x < width - 1)) continue;
    // Slots have borders: of two markers that would touch, the later one is moved.
    last = Math.min(Math.max(at, last + SLOT - 2), width - 6);
    found.push({ x: last, marker: gravest });
    gravest = -1;
  }
  return found;
}

/**
 * @param {Replay.Log} log
 * @returns {Lane[]} one a member
 */
export const lanes = (log) =>
  [...log.people.values()].sort((a, b) => a.number - b.number).map((person) => laneOf(person, log));

/**
 * @param {Replay.Person} person
 * @param {Replay.Log} log
 * @returns {Lane}
 */
function laneOf(person, log) {
  const turns = [...person.turns].sort((a, b) => a.revision - b.revision);
  const phases = turns.filter(({ phase }) => !EVENTS.includes(phase));
  const seen = [...person.seen].sort((a, b) => a.time - b.time);
  return {
    person,
    marks: turns.filter(({ phase }) => phase === "left" || EVENTS.includes(phase)),
    spans: spansOf(phases, () => log.end).filter(({ phase }) => phase !== "left"),
    seen: spansOf(seen, ({ revision }) => log.time(revision)),
  };
}

/**
 * @param {Replay.Turn[]} turns each ends where the next one begins
 * @param {(turn: Replay.Turn) => number} endOf when the last one ends
 * @returns {Replay.Span[]}
 */
const spansOf = (turns, endOf) =>
  turns.map((turn, at) => ({
    from: turn.time,
    to: turns[at + 1]?.time ?? endOf(turn),
    phase: turn.phase,
  }));

/**
 * @param {number} ms
 * @returns it as 00:04:12.380; with fewer decimals as short as it goes: 4:12
 */
export function clockText(ms, decimals = 3) {
  const past = Math.max(ms, 0);
  const rest = new Date(past % 3_600_000).toISOString().slice(13, decimals ? 20 + decimals : 19);
  const text = String(Math.floor(past / 3_600_000)).padStart(2, "0") + rest;
  return decimals < 3 ? text.replace(/^(00:)?0?/, "") : text;
}
