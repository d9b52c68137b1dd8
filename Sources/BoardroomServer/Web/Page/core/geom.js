// Places, boxes, transforms and outlines. docs/DRAWING.md is the rule; the order of operations follows
// BoardroomDrawing's, because both must round to the same decimals.

/** @param {number} x @param {number} y @returns {Spot} */
export const spot = (x, y) => ({ x, y });
/** @param {Spot} a @param {Spot} b */
export const plus = (a, b) => spot(a.x + b.x, a.y + b.y);
/** @param {Spot} a @param {Spot} b */
export const minus = (a, b) => spot(a.x - b.x, a.y - b.y);
/** @param {Spot} a @param {number} by */
export const times = (a, by) => spot(a.x * by, a.y * by);
/** @param {Spot} at */
export const length = ({ x, y }) => Math.sqrt(x * x + y * y);
/** @param {Spot} a @param {Spot} b */
export const distance = (a, b) => length(minus(b, a));
/** @param {Spot} a @param {Spot} b */
export const middle = (a, b) => times(plus(a, b), 0.5);
/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// So many decimals at most, halves away from zero; 0 for what is no number of a picture.
/** @param {number} value */
export function rounded(value, places = 2) {
  const one = 10 ** places;
  if (!Number.isFinite(value) || Math.abs(value) >= 1e17 / one) return 0;
  const parts = Math.round(Math.abs(value * one)) / one;
  return value < 0 ? -parts || 0 : parts;
}

/** @param {Spot} a @param {Spot} b @returns {Box} */
export const boxOf = (a, b) => ({
  left: Math.min(a.x, b.x), top: Math.min(a.y, b.y), right: Math.max(a.x, b.x), bottom: Math.max(a.y, b.y),
});
/** @param {Box | undefined} a @param {Box | undefined} b */
export const union = (a, b) => a && b ? {
  left: Math.min(a.left, b.left), top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right), bottom: Math.max(a.bottom, b.bottom),
} : a ?? b;
/** @param {Box} box @param {number} by @returns {Box} */
export const grown = ({ left, top, right, bottom }, by) =>
  ({ left: left - by, top: top - by, right: right + by, bottom: bottom + by });
/** @param {Box} a @param {Box} b */
export const touches = (a, b) =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
/** @param {Box} box @param {Spot} at */
export const contains = (box, { x, y }) => box.left <= x && x <= box.right && box.top <= y && y <= box.bottom;
/** @param {Box} box @returns {Spot} */
export const sizeOf = ({ left, top, right, bottom }) => spot(right - left, bottom - top);
/** @param {Box} box @returns {Spot} */
export const centre = ({ left, top, right, bottom }) => spot((left + right) * 0.5, (top + bottom) * 0.5);
// Clockwise from the upper left one.
/** @param {Box} box @returns {Spot[]} */
export const corners = ({ left, top, right, bottom }) =>
  [spot(left, top), spot(right, top), spot(right, bottom), spot(left, bottom)];

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

/** @param {Spot} at @param {Spot} a @param {Spot} b */
export function distanceToStretch(at, a, b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const square = x * x + y * y;
  const along = square > 0 ? clamp(((at.x - a.x) * x + (at.y - a.y) * y) / square, 0, 1) : 0;
  return length(spot(at.x - a.x - along * x, at.y - a.y - along * y));
}

/** @type {Transform} */
export const identity = [1, 0, 0, 1, 0, 0];
/** @param {Transform} by @param {Spot} at @returns {Spot} */
export const moved = (by, { x, y }) => spot(by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5]);
// First the inner one, then the outer one.
/** @param {Transform} outer @param {Transform} inner @returns {Transform} */
export const compose = ([a, b, c, d, e, f], [g, h, i, j, k, l]) =>
  [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];

// A transform that flattens everything has none.
/** @param {Transform} by @returns {Transform | undefined} */
export function inverse([a, b, c, d, e, f]) {
  const area = a * d - b * c;
  if (!(Math.abs(area) > 1e-12)) return undefined;
  return [d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area];
}

// By how much lengths grow, as a mean of all directions.
/** @param {Transform} by */
export const growth = ([a, b, c, d]) => Math.sqrt(Math.abs(a * d - b * c));

// Radians, clockwise as one sees it.
/** @param {number} angle @param {Spot} at @returns {Transform} */
export function turn(angle, { x, y }) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y];
}

/** @param {Box} from @param {Box} to @returns {Transform} */
export function stretch(from, to) {
  const [before, after] = [sizeOf(from), sizeOf(to)];
  const x = before.x > 0 ? after.x / before.x : 1;
  const y = before.y > 0 ? after.y / before.y : 1;
  return [x, 0, 0, y, to.left - x * from.left, to.top - y * from.top];
}

/** @param {PathStep["op"]} op @param {Spot[]} at @returns {PathStep} */
export const step = (op, ...at) => ({ op, at });
/** @param {Spot[]} spots @returns {Path} */
export const linesThrough = (spots) => spots.map((at, index) => step(index === 0 ? "M" : "L", at));
/** @param {Path} path @param {Transform} by @returns {Path} */
export const movedPath = (path, by) => path
  .map(({ op, at }) => ({ op, at: at.map((spot) => moved(by, spot)) }));
// Every place that is named; curves stay inside of them.
/** @param {Path} path */
export const spotsOf = (path) => path.flatMap(({ at }) => at);
/** @param {Path} path */
export const pathText = (path) =>
  path.map(({ op, at }) => op + at.map(({ x, y }) => `${rounded(x)},${rounded(y)}`).join(" ")).join("");

/** @param {Path} path @param {CanvasPath} on */
export function trace(path, on) {
  for (const { op, at: [a, b, c] } of path) {
    if (op === "Q") on.quadraticCurveTo(a.x, a.y, b.x, b.y);
    else if (op === "L") on.lineTo(a.x, a.y);
    else if (op === "M") on.moveTo(a.x, a.y);
    else if (op === "C") on.bezierCurveTo(a.x, a.y, b.x, b.y, c.x, c.y);
    else on.closePath();
  }
}

// As lines, each a list of places; curves in pieces. A closed one ends where it began.
/** @param {Path} path */
export function flat(path) {
  /** @type {Spot[][]} */
  const lines = [];
  for (const { op, at } of path) {
    const line = lines[lines.length - 1];
    if (op === "M") lines.push([at[0]]);
    else if (op === "Z") line.push(line[0]);
    else if (op === "L") line.push(at[0]);
    else line.push(...pieces([line[line.length - 1], ...at]));
  }
  return lines;
}

// De Casteljau's: between the places, between those, until one is left.
/** @param {Spot[]} curve */
function pieces(curve) {
  const count = curve.length === 4 ? 8 : 3;
  return Array.from({ length: count }, (_, index) => {
    const part = (index + 1) / count;
    let spots = curve;
    while (spots.length > 1) {
      spots = spots.slice(1).map((to, at) => plus(times(spots[at], 1 - part), times(to, part)));
    }
    return spots[0];
  });
}
