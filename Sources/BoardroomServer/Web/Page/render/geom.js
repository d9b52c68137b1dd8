// Geometry by docs/DRAWING.md; operations in the order of BoardroomDrawing's, because both must round alike.
export const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });
export const plus = (/** @type {Spot} */ a, /** @type {Spot} */ b) => spot(a.x + b.x, a.y + b.y);
export const minus = (/** @type {Spot} */ a, /** @type {Spot} */ b) => spot(a.x - b.x, a.y - b.y);
export const times = (/** @type {Spot} */ a, /** @type {number} */ by) => spot(a.x * by, a.y * by);
export const length = (/** @type {Spot} */ { x, y }) => Math.sqrt(x * x + y * y);
export const distance = (/** @type {Spot} */ a, /** @type {Spot} */ b) => length(minus(b, a));
export const middle = (/** @type {Spot} */ a, /** @type {Spot} */ b) => times(plus(a, b), 0.5);
/** @param {number} value @param {number} low @param {number} high */
export const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
// So many decimals at most, halves away from zero; 0 for what is no number of a picture.
export function rounded(/** @type {number} */ value, places = 2) {
  const one = 10 ** places;
  if (!Number.isFinite(value) || Math.abs(value) >= 1e17 / one) return 0;
  return (Math.sign(value) * Math.round(Math.abs(value * one))) / one || 0;
}
/** @param {Box | undefined} a @param {Box | undefined} b */
export const union = (a, b) => a && b ? boxAround([a, b].flatMap(corners)) : a ?? b;
export const grown = (/** @type {Box} */ { left, top, right, bottom }, /** @type {number} */ by) =>
  ({ left: left - by, top: top - by, right: right + by, bottom: bottom + by });
export const touches = (/** @type {Box} */ a, /** @type {Box} */ b) =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom;
export const contains = (/** @type {Box} */ box, /** @type {Spot} */ at) => touches(box, boxOf(at, at));
export const sizeOf = (/** @type {Box} */ { left, top, right, bottom }) => spot(right - left, bottom - top);
export const centre = (/** @type {Box} */ { left, top, right, bottom }) =>
  spot((left + right) * 0.5, (top + bottom) * 0.5);
// Clockwise from the upper left one.
export const corners = (/** @type {Box} */ { left, top, right, bottom }) =>
  [spot(left, top), spot(right, top), spot(right, bottom), spot(left, bottom)];
export function boxAround(/** @type {Iterable<Spot>} */ spots) {
  const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
  for (const { x, y } of spots) {
    if (x < box.left) box.left = x;
    if (x > box.right) box.right = x;
    if (y < box.top) box.top = y;
    if (y > box.bottom) box.bottom = y;
  }
  return box.left <= box.right ? box : undefined;
}
export const boxOf = (/** @type {Spot} */ a, /** @type {Spot} */ b) => /** @type {Box} */ (boxAround([a, b]));
export function distanceToStretch(/** @type {Spot} */ at, /** @type {Spot} */ a, /** @type {Spot} */ b) {
  const [x, y] = [b.x - a.x, b.y - a.y];
  const square = x * x + y * y;
  const along = square > 0 ? clamp(((at.x - a.x) * x + (at.y - a.y) * y) / square, 0, 1) : 0;
  return length(spot(at.x - a.x - along * x, at.y - a.y - along * y));
}
/** @type {Transform} */ export const identity = [1, 0, 0, 1, 0, 0];
/** @param {Transform} by @param {Spot} at */
export const moved = (by, { x, y }) => spot(by[0] * x + by[2] * y + by[4], by[1] * x + by[3] * y + by[5]);
/** @param {Transform} outer @param {Transform} inner @returns {Transform} first the inner one */
export const compose = ([a, b, c, d, e, f], [g, h, i, j, k, l]) =>
  [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
// By how much lengths grow, as a mean of all directions.
export const growth = (/** @type {Transform} */ [a, b, c, d]) => Math.sqrt(Math.abs(a * d - b * c));
/** @param {number} angle radians, clockwise as one sees it @param {Spot} at @returns {Transform} */
export function turn(angle, { x, y }) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  return [cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y];
}
/** @param {Box} from @param {Box} to @returns {Transform} */
export function stretch(from, to) {
  const [before, after] = [sizeOf(from), sizeOf(to)];
  const [x, y] = [before.x > 0 ? after.x / before.x : 1, before.y > 0 ? after.y / before.y : 1];
  return [x, 0, 0, y, to.left - x * from.left, to.top - y * from.top];
}
/** @param {PathStep["op"]} op @param {Spot[]} at @returns {PathStep} */
export const step = (op, ...at) => ({ op, at });
export const linesThrough = (/** @type {Spot[]} */ spots) =>
  spots.map((at, index) => step(index === 0 ? "M" : "L", at));
// As lines, each a list of places; curves in pieces. A closed one ends where it began.
export function flat(/** @type {Path} */ path) {
  /** @type {Spot[][]} */ const lines = [];
  for (const { op, at } of path) {
    const line = lines[lines.length - 1];
    if (op === "M") lines.push([at[0]]);
    else if (op === "Z") line.push(line[0]);
    else {
      const [curve, count] = [[line[line.length - 1], ...at], [0, 1, 3, 8][at.length]];
      for (let piece = 1; piece <= count; piece += 1) line.push(onCurve(curve, piece / count));
    }
  }
  return lines;
}
/** @type {(curve: Spot[], part: number) => Spot} De Casteljau's: between the places, until one is left */
const onCurve = (curve, part) => curve.length < 2 ? curve[0]
  : onCurve(curve.slice(1).map((to, at) => plus(times(curve[at], 1 - part), times(to, part))), part);
