// Outlines of shapes from their boxes.

import { Path, boxAround, centre, corners, distance, length, spot } from "./geom.js";

/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {import("./geom.js").Box} Box */

/** A rounded corner takes a quarter of the shorter side, at most so many pixels. */
const LARGEST_CORNER = 32;
/** Where the control points of a quarter of an ellipse lie, in half axes: the usual fit, off by less than 0.03 %. */
const QUARTER = 0.5522847498307934;

// Corners of shapes, clockwise, in parts of the box.
/** @type {Record<string, number[][]>} */
const PLACES = {
  rectangle: [[0, 0], [1, 0], [1, 1], [0, 1]],
  triangle: [[0.5, 0], [1, 1], [0, 1]],
  rhombus: [[0.5, 0], [1, 0.5], [0.5, 1], [0, 0.5]],
  pentagram: [
    [0.5, 0], [0.618034, 0.381966], [1, 0.381966], [0.690983, 0.618034], [0.809017, 1],
    [0.5, 0.763932], [0.190983, 1], [0.309017, 0.618034], [0, 0.381966], [0.381966, 0.381966],
  ],
  speechBalloon: [[0, 0], [1, 0], [1, 0.8], [0.45, 0.8], [0.15, 1], [0.25, 0.8], [0, 0.8]],
};

/** Shapes that are an outline in a box. */
export const OUTLINED = [...Object.keys(PLACES), "ellipse"];

/** @param {string} type @param {Box} box @param {boolean} isRounded */
export function outline(type, box, isRounded) {
  if (type === "ellipse") return ellipse(box);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const places = PLACES[type].map(([x, y]) => spot(box.left + x * width, box.top + y * height));
  return polygon(places, isRounded, box);
}

/** @param {Box} box */
function ellipse(box) {
  const middle = centre(box);
  const [halfX, halfY] = [(box.right - box.left) * 0.5, (box.bottom - box.top) * 0.5];
  /** @param {number} x @param {number} y */
  const at = (x, y) => spot(middle.x + x * halfX, middle.y + y * halfY);
  return new Path().move(at(1, 0))
    .cubic(at(1, QUARTER), at(QUARTER, 1), at(0, 1))
    .cubic(at(-QUARTER, 1), at(-1, QUARTER), at(-1, 0))
    .cubic(at(-1, -QUARTER), at(-QUARTER, -1), at(0, -1))
    .cubic(at(QUARTER, -1), at(1, -QUARTER), at(1, 0))
    .close();
}

/** @param {Spot[]} places @param {boolean} isRounded @param {Box} box */
function polygon(places, isRounded, box) {
  if (!isRounded) return new Path().lines(places).close();
  const reach = Math.min(Math.min(box.right - box.left, box.bottom - box.top) / 4, LARGEST_CORNER);
  const path = new Path();
  places.forEach((corner, index) => {
    const begin = way(corner, places[(index + places.length - 1) % places.length], reach);
    if (index === 0) path.move(begin);
    else path.line(begin);
    path.curve(corner, way(corner, places[(index + 1) % places.length], reach));
  });
  return path.close();
}

// So far along, at most to the middle.
/** @param {Spot} from @param {Spot} to @param {number} reach */
function way(from, to, reach) {
  const whole = distance(from, to);
  const part = Math.min(reach / whole, 0.5);
  return whole > 0 ? spot(from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part) : from;
}

// A line through points; a rounded one is a curve through each of them (Catmull and Rom's).
/** @param {Spot[]} points @param {boolean} isRounded */
export function polyline(points, isRounded) {
  if (!isRounded || points.length < 3) return new Path().lines(points);
  const path = new Path().move(points[0]);
  for (let index = 1; index < points.length; index += 1) {
    const [from, to] = [points[index - 1], points[index]];
    const before = points[Math.max(index - 2, 0)];
    const after = points[Math.min(index + 1, points.length - 1)];
    const first = spot(from.x + (to.x - before.x) * (1 / 6), from.y + (to.y - before.y) * (1 / 6));
    path.cubic(first, spot(to.x - (after.x - from.x) * (1 / 6), to.y - (after.y - from.y) * (1 / 6)), to);
  }
  return path;
}

// The two sides of an arrow's head, at the end of a line through these points.
/** @param {Spot[]} points @param {number} width */
export function arrowHead(points, width) {
  const tip = points[points.length - 1];
  const from = points.slice().reverse().find((point) => distance(tip, point) > 0);
  if (!from) return undefined;
  const stretch = length(tip.x - from.x, tip.y - from.y);
  const reach = Math.min(8 + 3 * width, Math.max(stretch / 2, 2 * width));
  const back = spot((from.x - tip.x) * (reach / stretch), (from.y - tip.y) * (reach / stretch));
  // Half as wide as long on each side: an angle of 53 degrees, which reads as an arrow at any width.
  const side = spot(-back.y * 0.5, back.x * 0.5);
  return new Path().move(spot(tip.x + back.x + side.x, tip.y + back.y + side.y)).line(tip)
    .line(spot(tip.x + back.x - side.x, tip.y + back.y - side.y));
}

// The frame with a cross that stands where an image will be.
/** @param {Box} box */
export function placeholder(box) {
  const [a, b, c, d] = corners(box);
  return new Path().lines([a, b, c, d]).close().move(a).line(c).move(b).line(d);
}

// The box that points take, as an element's `x`, `y` and `points` say it.
/** @param {Spot[]} points */
export function fromCorner(points) {
  const box = boxAround(points) ?? { left: 0, top: 0, right: 0, bottom: 0 };
  return { x: box.left, y: box.top, points: points.map(({ x, y }) => [x - box.left, y - box.top]) };
}
