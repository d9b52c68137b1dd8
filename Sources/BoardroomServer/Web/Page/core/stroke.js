// How a stroke looks: with pressure an outline of varying width, without it a line of even width, both smoothed by
// quadratic curves from the middle of one stretch to the middle of the next.

import { Path, clamp, distance, length, middle, spot } from "./geom.js";

/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {{dx: ArrayLike<number>, dy: ArrayLike<number>, dt: ArrayLike<number>, dp?: ArrayLike<number>}} Steps */
/** @typedef {Steps & {read?: () => Steps}} Segment */
/** @typedef {{scene: number, unit: number, tool: string, colour: number[], opacity: number, width: number}} Begin */
/** @typedef {{begin: Begin, ended: boolean, segments: Segment[], points?: number}} Stroke */
/** In pixels; time in ms; pressure 0 to 1, missing where the pen told none.
 *  @typedef {{x: number, y: number, time: number, pressure?: number}} StrokePoint */
/** @typedef {import("./display.js").Mark} Mark */

/** A pen without pressure still leaves this part of its width, so that light strokes stay visible. */
const THINNEST = 0.3;
/** Points nearer than this to the one before add nothing to see. */
const CLOSEST = 0.05;

/** Cosine and sine at 36, 72, 108 and 144 degrees: four corners cut a half circle into five equal parts. */
const HALF_CIRCLE = [
  [0.8090169943749474, 0.5877852522924731], [0.3090169943749474, 0.9510565162951536],
  [-0.3090169943749474, 0.9510565162951536], [-0.8090169943749474, 0.5877852522924731],
];

/** Points of open strokes by their first segment: what came is not read again with everything that comes. */
/** @type {WeakMap<Segment, {points: StrokePoint[], at: number[], read: number, last: Segment}>} */
const growing = new WeakMap();

// The points of all segments; for whoever looks at them at once, the next call may add to them.
/** @param {Stroke} stroke @returns {StrokePoint[]} */
export function strokePoints({ begin, ended, segments }) {
  const scale = 2 ** begin.unit;
  const known = ended ? undefined : growing.get(segments[0]);
  const isMore = known && known.last === segments[known.read - 1];
  /** @type {{points: StrokePoint[], at: number[], read: number, last: Segment}} */
  const pen = isMore ? known : { points: [], at: [0, 0, 0, 0], read: 0, last: segments[0] };
  const { points } = pen;
  let [x, y, time, pressure] = pen.at;
  for (const segment of segments.slice(pen.read)) {
    // What is drawn once is read once, and not kept a second time beside its bytes.
    const { dx, dy, dt, dp } = ended && segment.read ? segment.read() : segment;
    for (let index = 0; index < dx.length; index += 1) {
      x += dx[index];
      y += dy[index];
      time += dt[index];
      pressure += dp ? dp[index] : 0;
      points.push({ x: x * scale, y: y * scale, time, pressure: dp ? pressure / 1023 : undefined });
    }
  }
  if (ended || segments.length === 0) return points;
  Object.assign(pen, { at: [x, y, time, pressure], read: segments.length, last: segments[segments.length - 1] });
  growing.set(segments[0], pen);
  return points;
}

/**
 * @param {StrokePoint[]} all
 * @param {{width: number, colour: string, opacity: number, closest?: number}} style `closest`: for pictures made
 *   smaller, how far apart points have to be to count
 * @returns {Mark[]}
 */
export function strokeMarks(all, { width, colour, opacity, closest = CLOSEST }) {
  const points = thinned(all, closest);
  const first = points[0];
  if (!first) return [];
  if (points.length === 1) {
    const dot = new Path().move(first).line(first);
    return [{ op: "line", path: dot, width: width * share(first.pressure), colour, opacity }];
  }
  if (points.some(({ pressure }) => pressure === undefined)) {
    return [{ op: "line", path: smoothLine(points), width, colour, opacity }];
  }
  const reaches = evened(points.map(({ pressure }) => (width / 2) * share(pressure)));
  return [{ op: "fill", path: smoothRing(ring(points, reaches)), colour, opacity }];
}

/** @param {number | undefined} pressure */
const share = (pressure) =>
  pressure === undefined ? 1 : THINNEST + (1 - THINNEST) * clamp(pressure, 0, 1);

/** @param {StrokePoint[]} points @param {number} closest */
function thinned(points, closest) {
  /** @type {StrokePoint[]} */
  const kept = [];
  for (const point of points) {
    const last = kept[kept.length - 1];
    if (!last || distance(last, point) >= closest) kept.push(point);
  }
  return kept;
}

// Each width as the mean of itself (twice) and its neighbours: pens tell pressure in coarse steps.
/** @param {number[]} reaches */
const evened = (reaches) =>
  reaches.map((reach, index) => {
    const before = reaches[Math.max(index - 1, 0)];
    const after = reaches[Math.min(index + 1, reaches.length - 1)];
    return (before + 2 * reach + after) / 4;
  });

/** @param {Spot[]} spots */
export function smoothLine(spots) {
  if (spots.length < 3) return new Path().lines(spots);
  const path = new Path().move(spots[0]);
  for (let index = 1; index < spots.length - 1; index += 1) {
    path.curve(spots[index], middle(spots[index], spots[index + 1]));
  }
  return path.line(spots[spots.length - 1]);
}

// Corners of the outline: along one side, around the end, back along the other, around the start.
/** @param {Spot[]} spots @param {number[]} reaches */
function ring(spots, reaches) {
  const normals = spots.map((_, index) => normal(spots, index));
  const last = spots.length - 1;
  /** @param {number} index @param {number} side */
  const offset = (index, side) =>
    spot(spots[index].x + normals[index].x * reaches[index] * side, spots[index].y + normals[index].y * reaches[index] * side);
  const left = spots.map((_, index) => offset(index, 1));
  const right = spots.map((_, index) => offset(last - index, -1));
  return [...left, ...cap(spots[last], normals[last], reaches[last]), ...right, ...cap(spots[0], normals[0], -reaches[0])];
}

// The unit vector to the left of the way from the point before to the point after.
/** @param {Spot[]} spots @param {number} index */
function normal(spots, index) {
  const [from, to] = [spots[Math.max(index - 1, 0)], spots[Math.min(index + 1, spots.length - 1)]];
  const [x, y] = [to.x - from.x, to.y - from.y];
  const reach = length(x, y);
  return reach > 0 ? spot(-y * (1 / reach), x * (1 / reach)) : spot(0, 1);
}

// A half circle around `at`, turning over the way's forward side.
/** @param {Spot} at @param {Spot} side @param {number} reach */
function cap(at, side, reach) {
  const from = spot(side.x * reach, side.y * reach);
  const forward = spot(from.y, -from.x);
  return HALF_CIRCLE.map(([cosine, sine]) =>
    spot(at.x + from.x * cosine + forward.x * sine, at.y + from.y * cosine + forward.y * sine));
}

/** @param {Spot[]} places */
function smoothRing(places) {
  const path = new Path().move(middle(places[places.length - 1], places[0]));
  places.forEach((corner, index) => path.curve(corner, middle(corner, places[(index + 1) % places.length])));
  return path.close();
}
