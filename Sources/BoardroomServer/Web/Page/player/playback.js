// How time passes in a replay: where idle gaps are cut short, how far a place gets in so many
// milliseconds, which event is next. Pure: places are values, time is handed in
// (tools/page/player.d.ts).
import { clamp } from "../render/geom.js";
import { lastAtMost } from "./log.js";

/** Nothing for longer than so many ms is idle time. */
const IDLE = 5_000;

/** Ms that idle time takes where it is skipped. */
const CUT = 1_000;

/**
 * A live replay is not more than so many ms behind: what came in one piece is shown as it was done.
 */
const BEHIND = 2_500;

/** Events a second, if each takes the same time. */
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

/** @type {Replay.MakePacing} */
export function makePacing({ times, count }, skipsIdle) {
  const [begin = 0, end = 0, gaps] = [
    times[0],
    times[count - 1],
    /** @type {Replay.Pacing["gaps"]} */ ([]),
  ];
  let saved = 0;
  for (let at = 1; skipsIdle && at < count; at++) {
    if (times[at] - times[at - 1] <= IDLE) continue;
    gaps.push({ from: times[at - 1], to: times[at], start: times[at - 1] - begin - saved });
    saved += times[at] - times[at - 1] - CUT;
  }
  const first = { from: begin, to: begin + CUT, start: 0 };
  const froms = gaps.map(({ from }) => from);
  const starts = gaps.map(({ start }) => start);
  return {
    begin,
    gaps,
    length: end - begin - saved,
    shown(time) {
      const { from, to, start } = gaps[lastAtMost(froms, time)] ?? first;
      return start + (time < to ? ((time - from) / (to - from)) * CUT : CUT + time - to);
    },
    time(shown) {
      const { from, to, start } = gaps[lastAtMost(starts, shown)] ?? first;
      return shown - start < CUT
        ? from + ((shown - start) / CUT) * (to - from)
        : to + shown - start - CUT;
    },
  };
}

/** @type {Replay.AtTime} */
export const placeAt = (place, time, log) => ({
  ...place,
  at: time,
  revision: log.revisionAt(time),
  carry: 0,
});

/** @type {Replay.AtRevision} */
export function placeAfter(place, wanted, log) {
  const revision = clamp(wanted, log.low - 1, log.last);
  return { ...place, at: log.time(revision), revision, carry: 0 };
}

/** @type {Replay.Move} so many ms of the replay away */
export const leapt = (place, ms, log, pacing) =>
  placeAt(place, pacing.time(clamp(pacing.shown(place.at) + ms, 0, pacing.length)), log);

/** @type {Replay.Move} after so many ms of playing */
export function played(place, ms, log, pacing) {
  if (place.isLive) return placeAt(place, clamp(place.at + ms, log.end - BEHIND, log.end), log);
  const events = place.carry + (ms / 1000) * place.speed * EVENT_PACE;
  const next = !place.byEvent
    ? leapt(place, ms * place.speed, log, pacing)
    : { ...placeAfter(place, place.revision + Math.floor(events), log), carry: events % 1 };
  return next.revision < log.last ? next : { ...next, at: log.end, isPlaying: false };
}

/**
 * @param {number} speed
 * @param {number} step up or down
 */
export const nextSpeed = (speed, step) =>
  SPEEDS[clamp(SPEEDS.indexOf(speed) + step, 0, SPEEDS.length - 1)];

/** @type {Replay.NextEvent} */
export function nextEvent(revision, step, log, isWanted) {
  for (let next = revision + step; next >= log.low && next <= log.last; next += step) {
    if (isWanted(next)) return next;
  }
}
