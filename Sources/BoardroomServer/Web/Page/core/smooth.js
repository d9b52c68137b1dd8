// From a hand to a stroke: trembling is filtered while the pen moves, and points that add nothing are left out before they
// are sent, so that the log holds what everybody draws.

import { distanceToStretch, length } from "./geom.js";

/** @typedef {{x: number, y: number, time: number, pressure?: number}} Sample */

/** Of the 1 € filter (Casiez, Roussel, Vogel, 2012), in pixels of the screen: hertz at rest, and more with speed. */
const SLOWEST = 4;
const BETA = 0.05;
/** Speed itself is smoothed with this cut-off, as its authors do. */
const SPEED_CUT = 6;
/** Points nearer than this to the line without them are left out, in pixels of the screen. */
export const TOLERANCE = 0.25;
/** Of pressure, from 0 to 1: what of it nobody sees. */
const PRESSURE_TOLERANCE = 0.03;

/** A low-pass whose cut-off rises with speed; one for both axes, because one for each bends fast curves. */
export class Filter {
  constructor() {
    /** @type {Sample | undefined} */
    this.last = undefined;
    this.speed = 0;
  }

  /** @param {Sample} sample @returns {Sample} */
  take(sample) {
    const { last } = this;
    if (!last) return (this.last = sample);
    // Browsers round times; two samples may have the same.
    const seconds = Math.max(sample.time - last.time, 0.5) / 1000;
    const moved = length(sample.x - last.x, sample.y - last.y) / seconds;
    this.speed += (moved - this.speed) * share(SPEED_CUT, seconds);
    const part = share(SLOWEST + BETA * this.speed, seconds);
    const pressure = sample.pressure === undefined ? undefined
      : (last.pressure ?? sample.pressure) + (sample.pressure - (last.pressure ?? sample.pressure)) * Math.max(part, 0.3);
    this.last = { x: last.x + (sample.x - last.x) * part, y: last.y + (sample.y - last.y) * part, time: sample.time, pressure };
    return this.last;
  }
}

/** @param {number} cut hertz @param {number} seconds */
function share(cut, seconds) {
  const rate = 2 * Math.PI * cut * seconds;
  return rate / (rate + 1);
}

// The points that a line needs to look the same (Ramer, Douglas, Peucker); both ends stay.
/** @param {Sample[]} points @param {number} tolerance @returns {Sample[]} */
export function simplified(points, tolerance) {
  if (points.length < 3) return points;
  const keeps = new Uint8Array(points.length);
  keeps[0] = keeps[points.length - 1] = 1;
  const stretches = [[0, points.length - 1]];
  for (let stretch = stretches.pop(); stretch; stretch = stretches.pop()) {
    const [from, to] = stretch;
    let [worst, at] = [1, 0];
    for (let index = from + 1; index < to; index += 1) {
      const error = deviation(points, from, index, to, tolerance);
      if (error > worst) [worst, at] = [error, index];
    }
    if (at === 0) continue;
    keeps[at] = 1;
    stretches.push([from, at], [at, to]);
  }
  return points.filter((_, index) => keeps[index]);
}

// How wrong the line would be without a point; above 1 is too much.
/** @param {Sample[]} points @param {number} from @param {number} index @param {number} to @param {number} tolerance */
function deviation(points, from, index, to, tolerance) {
  const [a, at, b] = [points[from], points[index], points[to]];
  const aside = distanceToStretch(at, a, b) / tolerance;
  if (at.pressure === undefined) return aside;
  const whole = b.time - a.time;
  const part = whole > 0 ? (at.time - a.time) / whole : 0;
  const straight = (a.pressure ?? 0) + ((b.pressure ?? 0) - (a.pressure ?? 0)) * part;
  return Math.max(aside, Math.abs(at.pressure - straight) / PRESSURE_TOLERANCE);
}

// The step of coordinates that is finer than anybody sees at a scale: an eighth of a pixel of the screen.
/** @param {number} scale */
export const unitFor = (scale) => Math.min(Math.max(Math.floor(-Math.log2(scale)) - 3, -16), 4);

/** Points as a stroke's segments have them: differences of whole steps. Keeps where it is from one to the next. */
export class Steps {
  /** @param {number} unit */
  constructor(unit) {
    this.step = 2 ** unit;
    this.x = 0;
    this.y = 0;
    this.time = 0;
    this.pressure = 0;
  }

  /** @param {Sample[]} points pressure in all of them or in none */
  take(points) {
    /** @type {{dx: number[], dy: number[], dt: number[], dp?: number[]}} */
    const segment = { dx: [], dy: [], dt: [] };
    for (const point of points) {
      const [x, y] = [Math.round(point.x / this.step), Math.round(point.y / this.step)];
      const time = Math.max(Math.round(point.time), this.time);
      segment.dx.push(x - this.x);
      segment.dy.push(y - this.y);
      segment.dt.push(time - this.time);
      [this.x, this.y, this.time] = [x, y, time];
      if (point.pressure === undefined) continue;
      const pressure = Math.round(Math.min(Math.max(point.pressure, 0), 1) * 1023);
      (segment.dp ??= []).push(pressure - this.pressure);
      this.pressure = pressure;
    }
    return segment;
  }
}
