// Geometry by docs/DRAWING.md; operations in the order of BoardroomDrawing's, because both must
// round alike.

/**
 * @param {number} x
 * @param {number} y
 */
export const spot = (x, y) => ({ x, y });

/**
 * @param {Spot} a
 * @param {Spot} b
 */
export const plus = (a, b) => spot(a.x + b.x, a.y + b.y);

/**
 * @param {Spot} a
 * @param {Spot} b
 */
export const minus = (a, b) => spot(a.x - b.x, a.y - b.y);

/**
 * @param {Spot} a
 * @param {number} by
 */
export const times = (a, by) => spot(a.x * by, a.y * by);

/** @param {Spot} spot */
export const length = ({ x, y }) => Math.sqrt(x * x + y * y);

/**
 * @param {Spot} a
 * @param {Spot} b
 */
export const distance = (a, b) => length(minus(b, a));

/**
 * @param {Spot} a
 * @param {Spot} b
 */
export const middle = (a, b) => times(plus(a, b), 0.5);

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

/**
 * So many decimals at most, halves away from zero; 0 for what is no number of a picture.
 * @param {number} value
 */
export function rounded(value, places = 2) {
  const one = 10 ** places;
  if (!Number.isFinite(value) || Math.abs(value) >= 1e17 / one) return 0;
  return (Math.sign(value) * Math.round(Math.abs(value * one))) / one || 0;
}

/**
 * @param {Box | undefined} a
 * @param {Box | undefined} b
 */
export const union = (a, b) => {
  if (!a || !b) return a ?? b;
  return {
    left: Math.min(a.left, b.left),
    top: Math.min(a.top, b.top),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
};

/**
 * @param {Box} box
 * @param {number} by
 */
export const grown = ({ left, top, right, bottom }, by) => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});

/**
 * @param {Box} a
 * @param {Box} b
 */
export const touches = (a, b) =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;

/**
 * @param {Box} box
 * @param {Spot} at
 */
export const contains = (box, at) => touches(box, boxOf(at, at));

/** @param {Box} box */
export const sizeOf = ({ left, top, right, bottom }) => spot(right - left, bottom - top);

/** @param {Box} box */
export const centre = ({ left, top, right, bottom }) =>
  spot((left + right) * 0.5, (top + bottom) * 0.5);

/**
 * Clockwise from the upper left one.
 * @param {Box} box
 */
export const corners = ({ left, top, right, bottom }) => [
  spot(left, top),
  spot(right, top),
  spot(right, bottom),
  spot(left, bottom),
];

/** @param {Iterable<Spot>} spots */
export function boxAround(spots) {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of spots) {
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return box.left <= box.right ? box : undefined;
}

/**
 * @param {Spot} a
 * @param {Spot} b
 */
export const boxOf = (a, b) => /** @type {Box} */ (boxAround([a, b]));

/**
 * @param {Spot} at
 * @param {Spot} a
 * @param {Spot} b
 */
export function distanceToStretch(at, a, b) {
  const x = b.x - a.x;
  const y = b.y - a.y;
  const square = x * x + y * y;
  const along = square > 0 ? clamp(((at.x - a.x) * x + (at.y - a.y) * y) / square, 0, 1) : 0;
  return length(spot(at.x - a.x - along * x, at.y - a.y - along * y));
}

/** @type {Transform} */
export const identity = [1, 0, 0, 1, 0, 0];

/**
 * @param {Transform} by
 * @param {Spot} at
 */
export const moved = (by, { x, y }) =>
  spot(by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5]);

/**
 * @param {Transform} outer
 * @param {Transform} inner
 * @returns {Transform} first the inner one
 */
export const compose = ([a, b, c, d, e, f], [g, h, i, j, k, l]) => [
  a * g + c * h,
  b * g + d * h,
  a * i + c * j,
  b * i + d * j,
  a * k + c * l + e,
  b * k + d * l + f,
];

/**
 * @param {Transform} transform
 * @returns {Transform | undefined} takes things back; none: all of it lies on one line
 */
export function inverse([a, b, c, d, e, f]) {
  const area = a * d - b * c;
  if (!(Math.abs(area) > 1e-12)) return undefined;
  const [g, h, i, j] = [d / area, -b / area, -c / area, a / area];
  return [g, h, i, j, -(g * e + i * f), -(h * e + j * f)];
}

/**
 * By how much lengths grow, as a mean of all directions.
 * @param {Transform} transform
 */
export const growth = ([a, b, c, d]) => Math.sqrt(Math.abs(a * d - b * c));

/**
 * @param {number} angle radians, clockwise as one sees it
 * @param {Spot} at
 * @returns {Transform}
 */
export function turn(angle, { x, y }) {
  const cosine = Math.cos(angle);
  const sine = Math.sin(angle);
  return [cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y];
}

/**
 * @param {Box} from
 * @param {Box} to
 * @returns {Transform}
 */
export function stretch(from, to) {
  const before = sizeOf(from);
  const after = sizeOf(to);
  const x = before.x > 0 ? after.x / before.x : 1;
  const y = before.y > 0 ? after.y / before.y : 1;
  return [x, 0, 0, y, to.left - x * from.left, to.top - y * from.top];
}

/**
 * @param {PathStep["op"]} op
 * @param {Spot[]} at
 * @returns {PathStep}
 */
export const step = (op, ...at) => ({ op, at });

/** @param {Spot[]} spots */
export const linesThrough = (spots) => spots.map((at, index) => step(index === 0 ? "M" : "L", at));

/** Pieces of lines and curves, by the number of places that their steps name. */
const PIECES = [0, 1, 3, 8];

/**
 * As lines, each a list of places; curves in pieces. A closed one ends where it began.
 * @param {Path} path
 */
export function flat(path) {
  /** @type {Spot[][]} */
  const lines = [];
  for (const { op, at } of path) {
    const line = lines[lines.length - 1];
    if (op === "M") {
      lines.push([at[0]]);
    } else if (op === "Z") {
      line.push(line[0]);
    } else {
      line.push(...piecesOf([line[line.length - 1], ...at]));
    }
  }
  return lines;
}

/**
 * @param {Spot[]} curve where it begins, and the places that its step names
 * @returns {Spot[]} places on it, but for where it begins
 */
function piecesOf(curve) {
  const count = PIECES[curve.length - 1];
  return Array.from({ length: count }, (_, piece) => onCurve(curve, (piece + 1) / count));
}

/**
 * De Casteljau's: between the places, until one is left.
 * @param {Spot[]} curve
 * @param {number} part of the way
 * @returns {Spot}
 */
function onCurve(curve, part) {
  if (curve.length < 2) return curve[0];
  const between = curve.slice(1).map((to, at) => plus(times(curve[at], 1 - part), times(to, part)));
  return onCurve(between, part);
}
