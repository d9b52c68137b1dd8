// How a stroke looks: with pressure an outline of varying width, without it a line of even width,
// both smoothed by quadratic curves from the middle of one stretch to the middle of the next.
import {
  clamp,
  distance,
  length,
  linesThrough,
  middle,
  minus,
  plus,
  spot,
  step,
  times,
} from "./geom.js";

/** The part of its width that a pen draws without pressure. */
const THINNEST = 0.3;

/** Pixels: points nearer to each other cannot be told apart. */
const CLOSEST = 0.05;

/**
 * Cosine and sine at 36, 72, 108 and 144 degrees: four corners cut a half circle into five equal
 * parts.
 */
const HALF_CIRCLE = [
  [0.8090169943749475, 0.5877852522924731],
  [0.3090169943749474, 0.9510565162951536],
  [-0.3090169943749474, 0.9510565162951536],
  [-0.8090169943749475, 0.5877852522924731],
];

/** @param {Stroke} stroke */
export function strokePoints({ begin, segments }) {
  const scale = 2 ** begin.unit;
  /** @type {Sample[]} */
  const points = [];
  let x = 0;
  let y = 0;
  let time = 0;
  let pressure = 0;
  for (const segment of segments) {
    // A stroke that is drawn once is read once, and not kept a second time beside its bytes.
    const { dx, dy, dt, dp } = segment.read ? segment.read() : segment;
    for (let index = 0; index < dx.length; index += 1) {
      x += dx[index];
      y += dy[index];
      time += dt[index];
      pressure += dp ? dp[index] : 0;
      points.push({ x: x * scale, y: y * scale, time, pressure: dp ? pressure / 1023 : undefined });
    }
  }
  return points;
}

/**
 * @param {Sample[]} all
 * @param {StrokeLook} look
 * @returns {Mark[]}
 */
export function strokeMarks(all, { width, colour, opacity, closest = CLOSEST }) {
  /** @type {Sample[]} */
  const points = [];
  for (const point of all) {
    if (!points.length || distance(points[points.length - 1], point) >= closest) points.push(point);
  }
  const [first, second] = points;
  if (!first) return [];
  if (second && points.every(({ pressure }) => pressure !== undefined)) {
    const reaches = points.map(({ pressure }) => (width / 2) * share(pressure));
    return [{ op: "fill", path: smoothRing(ring(points, evened(reaches))), colour, opacity }];
  }
  if (second) return [{ op: "line", path: smoothLine(points), width, colour, opacity }];
  const path = linesThrough([first, first]);
  return [{ op: "line", path, width: width * share(first.pressure), colour, opacity }];
}

/** @param {number | undefined} pressure */
const share = (pressure) =>
  pressure === undefined ? 1 : THINNEST + (1 - THINNEST) * clamp(pressure, 0, 1);

/**
 * Each width as the mean of itself (twice) and its neighbours: pens tell pressure in coarse steps.
 * @param {number[]} reaches
 */
const evened = (reaches) =>
  reaches.map((reach, index) => {
    const before = reaches[Math.max(index - 1, 0)];
    const after = reaches[Math.min(index + 1, reaches.length - 1)];
    return (before + 2 * reach + after) / 4;
  });

/** @param {Spot[]} spots */
function smoothLine(spots) {
  if (spots.length < 3) return linesThrough(spots);
  const curves = spots.slice(1, -1).map((at, index) => step("Q", at, middle(at, spots[index + 2])));
  return [step("M", spots[0]), ...curves, step("L", spots[spots.length - 1])];
}

/**
 * @param {Spot[]} spots
 * @param {number[]} reaches
 */
function ring(spots, reaches) {
  const last = spots.length - 1;
  const sides = spots.map((_, index) => times(normal(spots, index), reaches[index]));
  const left = spots.map((at, index) => plus(at, sides[index]));
  const right = spots.map((at, index) => minus(at, sides[index])).reverse();
  return [
    ...left,
    ...cap(spots[last], sides[last]),
    ...right,
    ...cap(spots[0], times(sides[0], -1)),
  ];
}

/**
 * The unit vector to the left of the way from the point before to the point after.
 * @param {Spot[]} spots
 * @param {number} index
 */
function normal(spots, index) {
  const before = spots[Math.max(index - 1, 0)];
  const after = spots[Math.min(index + 1, spots.length - 1)];
  const way = minus(after, before);
  return length(way) > 0 ? times(spot(-way.y, way.x), 1 / length(way)) : spot(0, 1);
}

/**
 * A half circle, turning over the way's forward side.
 * @param {Spot} at
 * @param {Spot} from
 */
const cap = (at, from) =>
  HALF_CIRCLE.map(([cosine, sine]) =>
    plus(plus(at, times(from, cosine)), times(spot(from.y, -from.x), sine)),
  );

/** @param {Spot[]} places */
const smoothRing = (places) => [
  step("M", middle(places[places.length - 1], places[0])),
  ...places.map((corner, index) =>
    step("Q", corner, middle(corner, places[(index + 1) % places.length])),
  ),
  step("Z"),
];
