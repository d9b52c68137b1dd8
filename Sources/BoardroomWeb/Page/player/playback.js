// How time passes in a replay: where idle times are cut short, how far a place moves in so many
// milliseconds, which event is next. All functions are pure: places are values, the time is a
// parameter (types.d.ts).
import { clamp } from "../render/geom.js";
import { lastAtMost } from "./log.js";

/** Ms without an event that are idle time. */
const IDLE_AFTER = 5_000;

/** Ms that idle time takes if it is skipped. */
const SHOWN_IDLE_TIME = 1_000;

/**
 * Ms by which a live replay is late, at most: events that arrive together are shown as they were
 * done.
 */
const LIVE_DELAY = 2_500;

/** Events a second, if all take the same time. */
const EVENT_PACE = 8;

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

/** @type {Replay.Place} */
export const START = {
  at: 0,
  revision: 0,
  isPlaying: false,
  isLive: false,
  speed: 1,
  byEvent: false,
  carry: 0,
};

/**
 * @param {{times: ArrayLike<number>, count: number}} log
 * @param {boolean} skipsIdle
 * @returns {Replay.Pacing}
 */
export function makePacing({ times, count }, skipsIdle) {
  const begin = times[0] ?? 0;
  const end = times[count - 1] ?? 0;
  const gaps = skipsIdle ? gapsOf(times, count) : [];
  const saved = gaps.reduce((sum, { from, to }) => sum + (to - from - SHOWN_IDLE_TIME), 0);
  const first = { from: begin, to: begin + SHOWN_IDLE_TIME, start: 0 };
  const froms = gaps.map(({ from }) => from);
  const starts = gaps.map(({ start }) => start);
  return {
    begin,
    gaps,
    length: end - begin - saved,
    shown(time) {
      const { from, to, start } = gaps[lastAtMost(froms, time)] ?? first;
      return (
        start +
        (time < to ? ((time - from) / (to - from)) * SHOWN_IDLE_TIME : SHOWN_IDLE_TIME + time - to)
      );
    },
    time(shown) {
      const { from, to, start } = gaps[lastAtMost(starts, shown)] ?? first;
      const past = shown - start;
      return past < SHOWN_IDLE_TIME
        ? from + (past / SHOWN_IDLE_TIME) * (to - from)
        : to + shown - start - SHOWN_IDLE_TIME;
    },
  };
}

/**
 * @param {ArrayLike<number>} times
 * @param {number} count
 * @returns {Replay.Pacing["gaps"]} idle times, and when the replay comes to them
 */
function gapsOf(times, count) {
  const gaps = [];
  let saved = 0;
  for (let at = 1; at < count; at++) {
    const from = times[at - 1];
    const to = times[at];
    if (to - from <= IDLE_AFTER) continue;
    gaps.push({ from, to, start: from - times[0] - saved });
    saved += to - from - SHOWN_IDLE_TIME;
  }
  return gaps;
}

/**
 * @param {Replay.Place} place
 * @param {number} time of the log
 * @param {Replay.Log} log
 * @returns {Replay.Place}
 */
export const placeAt = (place, time, log) => ({
  ...place,
  at: time,
  revision: log.revisionAt(time),
  carry: 0,
});

/**
 * @param {Replay.Place} place
 * @param {number} wanted a revision; the nearest that there is is taken
 * @param {Replay.Log} log
 * @returns {Replay.Place} after that event
 */
export function placeAfter(place, wanted, log) {
  const revision = clamp(wanted, log.low - 1, log.last);
  return { ...place, at: log.time(revision), revision, carry: 0 };
}

/**
 * @param {Replay.Place} place
 * @param {number} ms of the replay
 * @param {Replay.Log} log
 * @param {Replay.Pacing} pacing
 * @returns {Replay.Place} so far away
 */
export const leapt = (place, ms, log, pacing) =>
  placeAt(place, pacing.time(clamp(pacing.shown(place.at) + ms, 0, pacing.length)), log);

/**
 * @param {Replay.Place} place
 * @param {number} ms of playing
 * @param {Replay.Log} log
 * @param {Replay.Pacing} pacing
 * @returns {Replay.Place} after that
 */
export function played(place, ms, log, pacing) {
  if (place.isLive) return placeAt(place, clamp(place.at + ms, log.end - LIVE_DELAY, log.end), log);
  const next = place.byEvent
    ? playedByEvent(place, ms, log)
    : leapt(place, ms * place.speed, log, pacing);
  return next.revision < log.last ? next : { ...next, at: log.end, isPlaying: false };
}

/**
 * @param {Replay.Place} place
 * @param {number} ms of playing, where each event takes the same time
 * @param {Replay.Log} log
 * @returns {Replay.Place} after that
 */
function playedByEvent(place, ms, log) {
  const events = place.carry + (ms / 1000) * place.speed * EVENT_PACE;
  const next = placeAfter(place, place.revision + Math.floor(events), log);
  return { ...next, carry: events % 1 };
}

/**
 * @param {number} speed
 * @param {number} step up or down
 */
export const nextSpeed = (speed, step) =>
  SPEEDS[clamp(SPEEDS.indexOf(speed) + step, 0, SPEEDS.length - 1)];

/**
 * @param {number} revision
 * @param {number} step 1: to the next event; -1: to the one before
 * @param {Replay.Log} log
 * @param {(revision: number) => boolean} isWanted
 * @returns {number | undefined}
 */
export function nextEvent(revision, step, log, isWanted) {
  for (let next = revision + step; next >= log.low && next <= log.last; next += step) {
    if (isWanted(next)) return next;
  }
}
