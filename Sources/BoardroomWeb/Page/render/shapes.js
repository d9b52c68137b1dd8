// Outlines of shapes from their boxes.
import {
  boxAround,
  centre,
  corners,
  distance,
  linesThrough,
  minus,
  plus,
  sizeOf,
  spot,
  step,
  times,
} from "./geom.js";

/** At most so many pixels of a side are round. */
const LARGEST_CORNER = 32;

/** Control points of a quarter of an ellipse, in half axes. */
const QUARTER = 0.5522847498307935;

/** Where quarters of an ellipse begin, in half axes from its middle. */
const QUARTERS = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
];

/** @type {Record<string, number[][]>} corners of shapes, in parts of their boxes */
const PLACES = {
  rectangle: [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ],
  triangle: [
    [0.5, 0],
    [1, 1],
    [0, 1],
  ],
  rhombus: [
    [0.5, 0],
    [1, 0.5],
    [0.5, 1],
    [0, 0.5],
  ],
  pentagram: [
    [0.5, 0],
    [0.618034, 0.381966],
    [1, 0.381966],
    [0.690983, 0.618034],
    [0.809017, 1],
    [0.5, 0.763932],
    [0.190983, 1],
    [0.309017, 0.618034],
    [0, 0.381966],
    [0.381966, 0.381966],
  ],
  speechBalloon: [
    [0, 0],
    [1, 0],
    [1, 0.8],
    [0.45, 0.8],
    [0.15, 1],
    [0.25, 0.8],
    [0, 0.8],
  ],
};

/** Shapes that are an outline in a box. */
export const OUTLINED = [...Object.keys(PLACES), "ellipse"];

/**
 * @param {string} type
 * @param {Box} box
 * @param {boolean} isRounded
 */
export function outline(type, box, isRounded) {
  const size = sizeOf(box);
  if (type === "ellipse") return ellipse(centre(box), times(size, 0.5));
  const places = PLACES[type].map(([x, y]) => spot(box.left + x * size.x, box.top + y * size.y));
  if (!isRounded) return [...linesThrough(places), step("Z")];
  return roundedPolygon(places, Math.min(size.x / 4, size.y / 4, LARGEST_CORNER));
}

/**
 * @param {Spot} middle
 * @param {Spot} half
 */
function ellipse(middle, half) {
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    plus(middle, spot(x * half.x, y * half.y));
  const quarters = QUARTERS.map(([x, y]) => {
    const from = at(x - y * QUARTER, y + x * QUARTER);
    const to = at(x * QUARTER - y, y * QUARTER + x);
    return step("C", from, to, at(-y, x));
  });
  return [step("M", at(1, 0)), ...quarters, step("Z")];
}

/**
 * @param {Spot[]} places
 * @param {number} reach
 */
function roundedPolygon(places, reach) {
  // So far along, at most to the middle.
  const way = (/** @type {Spot} */ from, /** @type {Spot} */ to) => {
    const whole = distance(from, to);
    return whole > 0 ? plus(from, times(minus(to, from), Math.min(reach / whole, 0.5))) : from;
  };
  const steps = places.flatMap((corner, index) => {
    const before = places[(index || places.length) - 1];
    const after = places[(index + 1) % places.length];
    return [
      step(index === 0 ? "M" : "L", way(corner, before)),
      step("Q", corner, way(corner, after)),
    ];
  });
  return [...steps, step("Z")];
}

/**
 * A line through points; a rounded one is a curve through each of them (Catmull and Rom's).
 * @param {Spot[]} points
 * @param {boolean} isRounded
 */
export function polyline(points, isRounded) {
  if (!isRounded || points.length < 3) return linesThrough(points);
  const curves = points.slice(1).map((to, index) => {
    const from = points[index];
    const before = points[Math.max(index - 1, 0)];
    const after = points[Math.min(index + 2, points.length - 1)];
    const out = times(minus(to, before), 1 / 6);
    const into = times(minus(after, from), 1 / 6);
    return step("C", plus(from, out), minus(to, into), to);
  });
  return [step("M", points[0]), ...curves];
}

/**
 * @param {Spot[]} points
 * @param {number} width
 */
export function arrowHead(points, width) {
  const tip = points[points.length - 1];
  const from = points
    .slice()
    .reverse()
    .find((point) => distance(tip, point) > 0);
  if (!from) return undefined;
  const stretch = distance(from, tip);
  const reach = Math.min(8 + 3 * width, Math.max(stretch / 2, 2 * width));
  const back = times(minus(from, tip), reach / stretch);
  // Half as wide as long on each side: an angle of 53 degrees, which reads as an arrow at any
  // width.
  const side = times(spot(-back.y, back.x), 0.5);
  return linesThrough([plus(plus(tip, back), side), tip, minus(plus(tip, back), side)]);
}

/**
 * @param {Box} box
 * @param {number} opacity
 * @returns {LineMark} with a cross, where an image will be
 */
export function placeholder(box, opacity) {
  const [a, b, c, d] = corners(box);
  const path = [
    ...linesThrough([a, b, c, d]),
    step("Z"),
    ...linesThrough([a, c]),
    ...linesThrough([b, d]),
  ];
  return { op: "line", path, width: 1, colour: "#a0a0a0", opacity };
}

/**
 * Points as an element has them: from the corner of their box.
 * @param {Spot[]} points
 */
export function fromCorner(points) {
  const { left: x, top: y } = boxAround(points) ?? { left: 0, top: 0 };
  return { x, y, points: points.map((at) => [at.x - x, at.y - y]) };
}
