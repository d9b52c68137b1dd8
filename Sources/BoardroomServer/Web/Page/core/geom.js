// Places, boxes, transforms and outlines, in pixels of the scene; y grows downwards. docs/DRAWING.md is the rule, and
// order of operations follows BoardroomDrawing's: both must round to the same decimals.

/** @typedef {{x: number, y: number}} Spot */
// An upright rectangle.
/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */
// Takes (x, y) to (a x + c y + e, b x + d y + f).
/** @typedef {[number, number, number, number, number, number]} Transform */

/** @param {number} x @param {number} y @returns {Spot} */
export const spot = (x, y) => ({ x, y });

/** @param {Spot} a @param {Spot} b */
export const distance = (a, b) => length(b.x - a.x, b.y - a.y);

/** @param {number} x @param {number} y */
export const length = (x, y) => Math.sqrt(x * x + y * y);

/** @param {Spot} a @param {Spot} b @returns {Spot} */
export const middle = (a, b) => ({ x: (a.x + b.x) * 0.5, y: (a.y + b.y) * 0.5 });

/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/**
 * So many decimals at most, halves away from zero; 0 for what is no number of a picture.
 * @param {number} value
 */
export function rounded(value, places = 2) {
  const one = 10 ** places;
  if (!Number.isFinite(value) || Math.abs(value) >= 1e17 / one) return 0;
  const parts = Math.round(Math.abs(value * one)) / one;
  return value < 0 ? -parts || 0 : parts;
}

// Boxes

/** @param {Spot} a @param {Spot} b @returns {Box} */
export const boxOf = (a, b) => ({
  left: Math.min(a.x, b.x), top: Math.min(a.y, b.y), right: Math.max(a.x, b.x), bottom: Math.max(a.y, b.y),
});

// The smallest box around both; either may be missing.
/** @param {Box | undefined} a @param {Box | undefined} b */
export function union(a, b) {
  if (!a || !b) return a ?? b;
  return {
    left: Math.min(a.left, b.left), top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom),
  };
}

/** @param {Box} box @param {number} reach @returns {Box} */
export const grown = (box, reach) => ({
  left: box.left - reach, top: box.top - reach, right: box.right + reach, bottom: box.bottom + reach,
});

/** @param {Box} a @param {Box} b */
export const touches = (a, b) =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

/** @param {Box} outer @param {Box} inner */
export const encloses = (outer, inner) =>
  outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom;

/** @param {Box} box @param {Spot} at */
export const contains = (box, at) =>
  box.left <= at.x && at.x <= box.right && box.top <= at.y && at.y <= box.bottom;

/** @param {Box} box @returns {Spot} */
export const centre = (box) => ({ x: (box.left + box.right) * 0.5, y: (box.top + box.bottom) * 0.5 });

// Clockwise from the upper left one.
/** @param {Box} box @returns {Spot[]} */
export const corners = (box) => [
  spot(box.left, box.top), spot(box.right, box.top), spot(box.right, box.bottom), spot(box.left, box.bottom),
];

/** @param {Iterable<Spot>} spots @returns {Box | undefined} */
export function boxAround(spots) {
  /** @type {Box | undefined} */
  let box;
  for (const { x, y } of spots) {
    box ??= { left: x, top: y, right: x, bottom: y };
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return box;
}

// How far a place is from a stretch.
/** @param {Spot} at @param {Spot} a @param {Spot} b */
export function distanceToStretch(at, a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const square = x * x + y * y;
  const along = square > 0 ? clamp(((at.x - a.x) * x + (at.y - a.y) * y) / square, 0, 1) : 0;
  return length(at.x - a.x - along * x, at.y - a.y - along * y);
}

// Transforms

/** @type {Transform} */
export const identity = [1, 0, 0, 1, 0, 0];

/** @param {Transform} by @param {Spot} at @returns {Spot} */
export const moved = (by, at) => ({
  x: by[0] * at.x + by[2] * at.y + by[4], y: by[1] * at.x + by[3] * at.y + by[5],
});

// First `inner`, then `outer`.
/** @param {Transform} outer @param {Transform} inner @returns {Transform} */
export const compose = (outer, inner) => [
  outer[0] * inner[0] + outer[2] * inner[1], outer[1] * inner[0] + outer[3] * inner[1],
  outer[0] * inner[2] + outer[2] * inner[3], outer[1] * inner[2] + outer[3] * inner[3],
  outer[0] * inner[4] + outer[2] * inner[5] + outer[4], outer[1] * inner[4] + outer[3] * inner[5] + outer[5],
];

// A transform that flattens everything has no inverse.
/** @param {Transform} by @returns {Transform | undefined} */
export function inverse([a, b, c, d, e, f]) {
  const area = a * d - b * c;
  if (!(Math.abs(area) > 1e-12)) return undefined;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

// By how much lengths grow, as a mean of all directions.
/** @param {Transform} by */
export const growth = (by) => Math.sqrt(Math.abs(by[0] * by[3] - by[1] * by[2]));

// A turn around a place; radians, clockwise as one sees it.
/** @param {number} angle @param {Spot} at @returns {Transform} */
export function turn(angle, at) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cosine, sine, -sine, cosine, at.x - cosine * at.x + sine * at.y, at.y - sine * at.x - cosine * at.y];
}

// Takes one box to another.
/** @param {Box} from @param {Box} to @returns {Transform} */
export function stretch(from, to) {
  const [width, height] = [from.right - from.left, from.bottom - from.top];
  const x = width > 0 ? (to.right - to.left) / width : 1;
  const y = height > 0 ? (to.bottom - to.top) / height : 1;
  return [x, 0, 0, y, to.left - x * from.left, to.top - y * from.top];
}

// Outlines

const MOVE = 0, LINE = 1, CURVE = 2, CUBIC = 3, CLOSE = 4;
const PLACES = [1, 1, 2, 3, 0];
const LETTERS = "MLQCZ";

/** An outline: steps one after the other, each its number and the places that it names. */
export class Path {
  /** @param {number[]} steps */
  constructor(steps = []) {
    this.steps = steps;
  }

  /** @param {Spot} to */
  move(to) { this.steps.push(MOVE, to.x, to.y); return this; }
  /** @param {Spot} to */
  line(to) { this.steps.push(LINE, to.x, to.y); return this; }
  /** @param {Spot} control @param {Spot} to */
  curve(control, to) { this.steps.push(CURVE, control.x, control.y, to.x, to.y); return this; }
  /** @param {Spot} first @param {Spot} second @param {Spot} to */
  cubic(first, second, to) {
    this.steps.push(CUBIC, first.x, first.y, second.x, second.y, to.x, to.y);
    return this;
  }
  close() { this.steps.push(CLOSE); return this; }

  // Moves to the first place and draws lines to the others.
  /** @param {Spot[]} spots */
  lines(spots) {
    spots.forEach((at, index) => (index === 0 ? this.move(at) : this.line(at)));
    return this;
  }

  // Calls with each step's number and where its places begin.
  /** @param {(step: number, at: number) => void} body */
  #each(body) {
    for (let at = 0; at < this.steps.length; at += 1 + 2 * PLACES[this.steps[at]]) body(this.steps[at], at + 1);
  }

  /** @param {Transform} by */
  movedBy(by) {
    const steps = this.steps.slice();
    this.#each((step, at) => {
      for (let place = at; place < at + 2 * PLACES[step]; place += 2) {
        const to = moved(by, spot(steps[place], steps[place + 1]));
        [steps[place], steps[place + 1]] = [to.x, to.y];
      }
    });
    return new Path(steps);
  }

  // Every place that a step names; curves stay inside of them.
  /** @returns {Spot[]} */
  spots() {
    /** @type {Spot[]} */
    const spots = [];
    this.#each((step, at) => {
      for (let place = at; place < at + 2 * PLACES[step]; place += 2) {
        spots.push(spot(this.steps[place], this.steps[place + 1]));
      }
    });
    return spots;
  }

  // As lines, each a list of places; curves in pieces. A closed one ends where it began.
  /** @returns {Spot[][]} */
  flat() {
    /** @type {Spot[][]} */
    const lines = [];
    /** @type {Spot[]} */
    let line = [];
    const s = this.steps;
    this.#each((step, at) => {
      if (step === MOVE) lines.push(line = [spot(s[at], s[at + 1])]);
      else if (step === LINE) line.push(spot(s[at], s[at + 1]));
      else if (step === CLOSE) line.push(line[0]);
      else line.push(...pieces(line[line.length - 1], s.slice(at, at + 2 * PLACES[step])));
    });
    return lines;
  }

  /** As SVG and Path2D read it. */
  text() {
    let text = "";
    this.#each((step, at) => {
      text += LETTERS[step];
      for (let place = at; place < at + 2 * PLACES[step]; place += 2) {
        if (place > at) text += " ";
        text += `${rounded(this.steps[place])},${rounded(this.steps[place + 1])}`;
      }
    });
    return text;
  }

  // Draws it with the methods of a canvas.
  /** @param {CanvasPath} on */
  trace(on) {
    const s = this.steps;
    this.#each((step, at) => {
      if (step === MOVE) on.moveTo(s[at], s[at + 1]);
      else if (step === LINE) on.lineTo(s[at], s[at + 1]);
      else if (step === CURVE) on.quadraticCurveTo(s[at], s[at + 1], s[at + 2], s[at + 3]);
      else if (step === CUBIC) on.bezierCurveTo(s[at], s[at + 1], s[at + 2], s[at + 3], s[at + 4], s[at + 5]);
      else on.closePath();
    });
  }
}

/** @param {Spot} from @param {number[]} places two or three more, of a quadratic or a cubic curve */
function pieces(from, places) {
  const isCubic = places.length === 6;
  const count = isCubic ? 8 : 3;
  return Array.from({ length: count }, (_, index) => {
    const [t, u] = [(index + 1) / count, 1 - (index + 1) / count];
    const parts = isCubic ? [u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t] : [u * u, 2 * u * t, t * t];
    const sum = (/** @type {number} */ axis, /** @type {number} */ first) =>
      parts.reduce((total, part, place) => total + part * (place === 0 ? first : places[2 * (place - 1) + axis]), 0);
    return spot(sum(0, from.x), sum(1, from.y));
  });
}
