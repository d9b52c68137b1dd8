// From pointer positions to a stroke: a filter removes trembling, and points that change nothing
// are left out before they are sent.
import { clamp, distance, distanceToStretch, minus, plus, times } from "./geom.js";

/** Cut-off of the 1 € filter (Casiez, Roussel, Vogel, 2012) at rest, in hertz. */
const SLOWEST = 4;

/** How much its cut-off rises with speed. */
const BETA = 0.05;

/** Cut-off of the speed itself, in hertz. */
const SPEED_CUT = 6;

/** Pixels of the screen: points nearer to the line without them are left out. */
export const TOLERANCE = 0.25;

/** A coordinate has at most 40 bits (docs/PROTOCOL.md, ranges); one is for the way on. */
const MOST_BITS = 39;

/** Points whose pressure differs less from the line's are left out. */
const PRESSURE_TOLERANCE = 0.03;

/**
 * A low-pass whose cut-off rises with speed; one for both axes, because one for each bends fast
 * curves.
 */
export class Filter {
  speed = 0;

  /** @type {Sample | undefined} */
  last = undefined;

  /** @param {Sample} sample */
  filter(sample) {
    const { last } = this;
    if (!last) {
      this.last = sample;
      return sample;
    }
    const { time, pressure } = sample;
    // Browsers round times; two samples may have the same.
    const seconds = Math.max(time - last.time, 0.5) / 1000;
    this.speed +=
      (distance(last, sample) / seconds - this.speed) * smoothingFactor(SPEED_CUT, seconds);
    const part = smoothingFactor(SLOWEST + BETA * this.speed, seconds);
    const before = last.pressure ?? 0;
    const press =
      pressure === undefined ? undefined : before + (pressure - before) * Math.max(part, 0.3);
    const next = { ...plus(last, times(minus(sample, last), part)), time, pressure: press };
    this.last = next;
    return next;
  }
}

/**
 * @param {number} cut hertz
 * @param {number} seconds
 */
const smoothingFactor = (cut, seconds) => 1 - 1 / (1 + 2 * Math.PI * cut * seconds);

/**
 * The points that a line needs to look the same (Ramer, Douglas, Peucker); both ends stay.
 * @param {Sample[]} points
 * @param {number} tolerance
 */
export function simplified(points, tolerance) {
  const stretches = [[0, points.length - 1]];
  for (const [from, to] of stretches) {
    let worst = 1;
    let at = 0;
    for (let index = from + 1; index < to; index += 1) {
      const error = deviation(points[from], points[index], points[to], tolerance);
      if (error > worst) {
        worst = error;
        at = index;
      }
    }
    if (at > 0) stretches.push([from, at], [at, to]);
  }
  const kept = new Set(stretches.flat());
  return points.filter((_, index) => kept.has(index));
}

/**
 * The error of a line without the point `at`, in tolerances: above 1 the point is needed.
 * @type {(a: Sample, at: Sample, b: Sample, tolerance: number) => number}
 */
function deviation(a, at, b, tolerance) {
  const aside = distanceToStretch(at, a, b) / tolerance;
  if (at.pressure === undefined) return aside;
  const part = b.time > a.time ? (at.time - a.time) / (b.time - a.time) : 0;
  const straight = (a.pressure ?? 0) + ((b.pressure ?? 0) - (a.pressure ?? 0)) * part;
  return Math.max(aside, Math.abs(at.pressure - straight) / PRESSURE_TOLERANCE);
}

/**
 * The step of coordinates that is finer than anybody sees at a scale: an eighth of a pixel of the
 * screen. Far out it is as fine as the protocol's range allows.
 * @param {number} scale
 * @param {Spot} [at] where the stroke begins
 */
export function unitFor(scale, at = { x: 0, y: 0 }) {
  const farthest = Math.max(Math.abs(at.x), Math.abs(at.y), 1);
  const finest = Math.ceil(Math.log2(farthest)) - MOST_BITS;
  return clamp(Math.max(Math.floor(-Math.log2(scale)) - 3, finest), -16, 4);
}

/**
 * Points as segments contain them: differences of whole steps. The writer keeps the last position
 * from one segment to the next.
 */
export class StepWriter {
  at = [0, 0, 0, 0];

  /** @param {number} unit */
  constructor(unit) {
    this.step = 2 ** unit;
  }

  /** @param {Sample[]} points pressure in all of them or in none */
  write(points) {
    const steps = points.map(({ x, y, time, pressure = 0 }) => {
      const before = this.at;
      const later = Math.max(Math.round(time), before[2]);
      const press = Math.round(clamp(pressure, 0, 1) * 1023);
      this.at = [Math.round(x / this.step), Math.round(y / this.step), later, press];
      return this.at.map((value, index) => value - before[index]);
    });
    const dx = steps.map((step) => step[0]);
    const dy = steps.map((step) => step[1]);
    const dt = steps.map((step) => step[2]);
    const dp = steps.map((step) => step[3]);
    return points[0]?.pressure === undefined ? { dx, dy, dt } : { dx, dy, dt, dp };
  }
}
