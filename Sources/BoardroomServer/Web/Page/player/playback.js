import { lastAtMost } from "./log.js";

// How time passes in a replay: where idle gaps are cut short, how far a place gets in so many milliseconds, which
// event is next. Pure: places are values, time is handed in.

/** @typedef {Replay.Place} Place */
/** @typedef {Replay.Log} Log */

/** Nothing for longer than this, in ms, is idle; where that is skipped it takes so long. */
const [IDLE, CUT] = [5_000, 1_000];
const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];
/** Events a second at speed 1, where each takes its time. */
const EVENT_PACE = 8;
/** A live replay is never farther behind, in ms: what came in one piece is shown as it was done. */
const BEHIND = 2_500;

/** @type {Place} */
export const START = { at: 0, revision: 0, isPlaying: false, isLive: false, speed: 1, byEvent: false, carry: 0 };

/** The time of a log, and the time that its replay takes ("shown"). */
export class Pacing {
  /** @type {{from: number, to: number, start: number}[]} start: in the replay's time */
  gaps = [];

  /** @param {{times: ArrayLike<number>, count: number}} log @param {boolean} skipsIdle */
  constructor({ times, count }, skipsIdle) {
    this.begin = times[0] ?? 0;
    this.end = times[count - 1] ?? 0;
    let saved = 0;
    for (let at = 1; skipsIdle && at < count; at++) {
      if (times[at] - times[at - 1] <= IDLE) continue;
      const [from, to] = [times[at - 1], times[at]];
      this.gaps.push({ from, to, start: from - this.begin - saved });
      saved += to - from - CUT;
    }
    this.length = this.end - this.begin - saved;
    this.froms = this.gaps.map(({ from }) => from);
    this.starts = this.gaps.map(({ start }) => start);
  }

  /** When in the replay a time of the log comes.
   * @param {number} time */
  shown(time) {
    const gap = this.gaps[lastAtMost(this.froms, time)];
    if (!gap) return time - this.begin;
    const { from, to, start } = gap;
    return start + (time < to ? ((time - from) / (to - from)) * CUT : CUT + time - to);
  }

  /** @param {number} shown @returns {number} a time of the log */
  time(shown) {
    const gap = this.gaps[lastAtMost(this.starts, shown)];
    if (!gap) return this.begin + shown;
    const { from, to, start } = gap;
    return shown - start < CUT ? from + ((shown - start) / CUT) * (to - from) : to + shown - start - CUT;
  }
}

/** A place at a time of the log.
 * @param {Place} place @param {number} time @param {Log} log @returns {Place} */
export const at = (place, time, log) => ({ ...place, at: time, revision: log.revisionAt(time), carry: 0 });

/** A place right after an event.
 * @param {Place} place @param {number} revision @param {Log} log @returns {Place} */
export function to(place, revision, log) {
  const inside = Math.min(Math.max(revision, log.low - 1), log.last);
  return { ...place, at: log.time(inside), revision: inside, carry: 0 };
}

/** A place so many ms of the replay away.
 * @param {Place} place @param {number} ms @param {Log} log @param {Replay.Pacing} pacing */
export const leapt = (place, ms, log, pacing) =>
  at(place, pacing.time(Math.min(Math.max(pacing.shown(place.at) + ms, 0), pacing.length)), log);

/** A place after so many milliseconds of playing.
 * @param {Place} place @param {number} ms @param {Log} log @param {Replay.Pacing} pacing @returns {Place} */
export function played(place, ms, log, pacing) {
  const { speed, isLive, byEvent, revision } = place;
  if (isLive) return at(place, Math.min(Math.max(place.at + ms, log.end - BEHIND), log.end), log);
  const events = place.carry + (ms / 1000) * speed * EVENT_PACE;
  const next = byEvent ? { ...to(place, revision + Math.floor(events), log), carry: events % 1 }
    : at(place, pacing.time(pacing.shown(place.at) + ms * speed), log);
  return next.revision < log.last ? next : { ...next, at: log.end, isPlaying: false };
}

/** The next speed, up or down.
 * @param {number} speed @param {number} step */
export const nextSpeed = (speed, step) =>
  SPEEDS[Math.min(Math.max(SPEEDS.indexOf(speed) + step, 0), SPEEDS.length - 1)];

/** The next event, or the one before (-1), that is wanted; undefined: there is none.
 * @param {number} revision @param {number} step @param {Log} log @param {(revision: number) => boolean} isWanted */
export function nextEvent(revision, step, log, isWanted) {
  for (let next = revision + step; next >= log.low && next <= log.last; next += step) if (isWanted(next)) return next;
  return undefined;
}
