// The way of an arrow around corners: at which sides it leaves its two shapes, and where it turns.
// Ways of up to four turns are made for all sides and compared. All functions are pure.
import { boxAround, clamp, distance, minus, rounded, spot } from "../render/geom.js";

/** @typedef {"x" | "y"} Axis */

/**
 * A side of a shape at which an arrow leaves it: the axis along which it does, -1 or 1 along that,
 * where it crosses the outline, and where the shape's box ends.
 * @typedef {{axis: Axis, way: number, exit: Spot, edge: number, inside: number}} Side
 */

/**
 * A line on which an arrow may turn: where it is if its part of the room is so; one that nobody can
 * drag has the same place for all.
 * @typedef {{zero: number, one: number, low: number, high: number}} Line
 */

/**
 * `lever`: which line its middle is on, if that can be dragged.
 * @typedef {{points(part: number): Spot[], lever?: Line & {axis: Axis}}} Way
 */

/**
 * An end of an arrow: its place, and the outline of its shape.
 * @typedef {{at: Spot, ring?: Spot[]}} End
 */

/** Pixels between a shape and a way around it. */
const MARGIN = 20;

/** Pixels that an arrow goes straight on from a shape, at least. */
const LEAST = 10;

/** Pixels by which the middle of a way around shapes can be dragged, in all. */
const REACH = 600;

/** Two ends that are nearer side by side, in pixels, are joined by one straight line. */
const IN_LINE = 1;

/** Pixels of detour that a turn is worth. */
const TURN = 60;

/** How many times longer a way through a shape counts. */
const THROUGH = 30;

/** Pixels of detour that going back on the same line is worth. */
const BACK = 5_000;

/** Nearer to the edge of its shape, in parts of the box, an end says by itself which side it has. */
const NEAR_EDGE = 0.2;

/** @type {Record<Axis, {low: "left" | "top", high: "right" | "bottom", other: Axis}>} */
const NAMES = {
  x: { low: "left", high: "right", other: "y" },
  y: { low: "top", high: "bottom", other: "x" },
};

const AXES = /** @type {Axis[]} */ (["x", "y"]);

/**
 * @param {Axis} axis
 * @param {number} along
 * @param {number} across
 */
const placed = (axis, along, across) => (axis === "x" ? spot(along, across) : spot(across, along));

/**
 * @param {Spot} from
 * @param {Spot} to
 * @param {Spot[]} ring
 * @returns {number | undefined} the part of the way at which it crosses the ring last
 */
export function lastCrossing(from, to, ring) {
  const way = minus(to, from);
  let last;
  for (let n = 1; n < ring.length; n += 1) {
    const side = minus(ring[n], ring[n - 1]);
    const apart = minus(ring[n - 1], from);
    const cross = way.x * side.y - way.y * side.x;
    if (cross === 0) continue;
    const along = (apart.x * side.y - apart.y * side.x) / cross;
    const on = (apart.x * way.y - apart.y * way.x) / cross;
    if (along < 0 || along > 1 || on < 0 || on > 1) continue;
    if (last === undefined || along > last) last = along;
  }
  return last;
}

/**
 * @param {End} end
 * @param {Box} box
 * @returns {Side[]}
 */
function sidesOf({ at, ring }, box) {
  const all = AXES.flatMap((axis) => {
    const { low, high } = NAMES[axis];
    return [-1, 1].map((way) => {
      const [far, edge] = way < 0 ? [box[high], box[low]] : [box[low], box[high]];
      const from = { ...at, [axis]: far - way };
      const part = ring && lastCrossing(from, { ...at, [axis]: edge + way }, ring);
      const exit = {
        ...at,
        [axis]: part === undefined ? edge : far - way + (edge + 2 * way - far) * part,
      };
      const isOwn = ring && Math.abs(edge - at[axis]) < NEAR_EDGE * (box[high] - box[low]);
      return { axis, way, exit, edge, inside: distance(at, exit), isOwn };
    });
  });
  const own = all.filter(({ isOwn }) => isOwn);
  return own.length > 0 ? own : all;
}

/**
 * The free room between two boxes along an axis, from the first to the second.
 * @param {Box} a
 * @param {Box} b
 * @param {Axis} axis
 */
function room(a, b, axis) {
  const { low, high } = NAMES[axis];
  const isBehind = a[low] + a[high] <= b[low] + b[high];
  const [zero, one] = isBehind ? [a[high], b[low]] : [a[low], b[high]];
  return { zero, one, way: isBehind ? 1 : -1, size: isBehind ? one - zero : zero - one };
}

/** @param {number} at @returns {Line} which nobody can drag */
const fixed = (at) => ({ zero: at, one: at, low: at, high: at });

/**
 * @param {Box} a
 * @param {Box} b
 * @param {Axis} axis
 * @returns {Line[]} first those that can be dragged: in the room between both, and around both
 */
function linesOf(a, b, axis) {
  const { low, high } = NAMES[axis];
  const { zero, one, size } = room(a, b, axis);
  const first = Math.min(a[low], b[low]);
  const last = Math.max(a[high], b[high]);
  const half = REACH / 2;
  const between = {
    zero,
    one,
    low: Math.min(zero, one) + LEAST,
    high: Math.max(zero, one) - LEAST,
  };
  return [
    ...(size >= 2 * LEAST ? [between] : []),
    {
      zero: first - MARGIN + half,
      one: first - MARGIN - half,
      low: -Infinity,
      high: first - LEAST,
    },
    { zero: last + MARGIN - half, one: last + MARGIN + half, low: last + LEAST, high: Infinity },
    ...[a, b].flatMap((box) => [fixed(box[low] - MARGIN), fixed(box[high] + MARGIN)]),
  ];
}

/**
 * @param {Line} line
 * @param {number} part
 */
const placeOn = ({ zero, one, low, high }, part) => clamp(zero + (one - zero) * part, low, high);

/**
 * @param {Line} line
 * @param {Axis} axis
 */
const leverOf = (line, axis) => (line.zero === line.one ? undefined : { ...line, axis });

/**
 * Whether a line is far enough before a side.
 * @param {Side} side
 * @param {number} value
 */
const isBefore = ({ edge, way }, value) => (value - edge) * way >= LEAST - 0.01;

/** @typedef {Record<Axis, Line[]>} Lines */

/**
 * @param {Side} from
 * @param {Side} to along the same axis
 * @param {Lines} lines
 * @returns {Way[]}
 */
function parallelWays(from, to, lines) {
  const { axis } = from;
  const { other } = NAMES[axis];
  const [a, b] = [from.exit[other], to.exit[other]];
  const isFacing = from.way !== to.way && isBefore(from, to.edge - LEAST * from.way);
  if (Math.abs(a - b) < IN_LINE && isFacing) {
    return [{ points: () => [from.exit, placed(axis, to.exit[axis], a)] }];
  }
  const isOpen = (/** @type {Line} */ line) =>
    isBefore(from, placeOn(line, 0.5)) && isBefore(to, placeOn(line, 0.5));
  const once = lines[axis].filter(isOpen).map((line) => ({
    points: (/** @type {number} */ part) => {
      const at = placeOn(line, part);
      return [from.exit, placed(axis, at, a), placed(axis, at, b), to.exit];
    },
    lever: leverOf(line, axis),
  }));
  const [begin, end] = [from, to].map(({ edge, way }) => edge + way * MARGIN);
  const twice = lines[other].map((line) => ({
    points: (/** @type {number} */ part) => {
      const at = placeOn(line, part);
      const corners = [placed(axis, begin, a), placed(axis, begin, at)];
      return [from.exit, ...corners, placed(axis, end, at), placed(axis, end, b), to.exit];
    },
    lever: leverOf(line, other),
  }));
  return [...once, ...twice];
}

/**
 * @param {Side} from
 * @param {Side} to along the other axis
 * @param {Lines} lines
 * @returns {Way[]}
 */
function crossingWays(from, to, lines) {
  const { axis } = from;
  const { other } = NAMES[axis];
  const corner = placed(axis, to.exit[axis], from.exit[other]);
  const isOpen = isBefore(from, corner[axis]) && isBefore(to, corner[other]);
  const once = isOpen ? [{ points: () => [from.exit, corner, to.exit] }] : [];
  const before = (/** @type {Side} */ side) =>
    lines[side.axis].map((line) => placeOn(line, 0.5)).filter((value) => isBefore(side, value));
  const more = before(from).flatMap((along) =>
    before(to).map((across) => {
      const turns = [
        placed(axis, along, from.exit[other]),
        placed(axis, along, across),
        placed(axis, to.exit[axis], across),
      ];
      return { points: () => [from.exit, ...turns, to.exit] };
    }),
  );
  return [...once, ...more];
}

/**
 * @param {Spot} from
 * @param {Spot} to along one axis
 * @param {Box} box
 * @returns {number} how much of a line is inside of a box
 */
function lengthIn(from, to, box) {
  const inside = AXES.map((axis) => {
    const { low, high } = NAMES[axis];
    const [a, b] = [Math.min(from[axis], to[axis]), Math.max(from[axis], to[axis])];
    // What lies on an edge is not inside.
    if (a >= box[high] - 0.5 || b <= box[low] + 0.5) return undefined;
    return Math.min(b, box[high]) - Math.max(a, box[low]);
  });
  return inside.includes(undefined) ? 0 : Math.max(...inside.map((part) => part ?? 0));
}

/**
 * @param {Spot[]} points
 * @param {Box[]} boxes at the beginning and at the end
 * @returns {number} how bad a way is
 */
function costOf(points, [first, last]) {
  const end = points.length - 1;
  if (end < 1) return Infinity;
  let cost = (end - 1) * TURN;
  for (let n = 1; n <= end; n += 1) {
    const [from, to] = [points[n - 1], points[n]];
    cost += distance(from, to);
    if (n > 1 && goesBack(points[n - 2], from, to)) cost += BACK;
    if (n > 1) cost += THROUGH * lengthIn(from, to, first);
    if (n < end) cost += THROUGH * lengthIn(from, to, last);
  }
  return cost;
}

/**
 * @param {Spot} a
 * @param {Spot} b
 * @param {Spot} c
 * @returns whether the way from the second one is that to it
 */
const goesOn = (a, b, c) =>
  AXES.some((axis) => a[axis] === b[axis] && b[axis] === c[axis]) && !goesBack(a, b, c);

/**
 * @param {Spot} a
 * @param {Spot} b
 * @param {Spot} c
 */
const goesBack = (a, b, c) => (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0;

/**
 * @param {Spot[]} points
 * @returns {Spot[]} without those at which nothing turns
 */
function simplified(points) {
  /** @type {Spot[]} */
  const kept = [];
  for (const at of points) {
    const [before, last] = kept.slice(-2);
    if (last && goesOn(before, last, at)) kept.pop();
    const end = kept[kept.length - 1];
    if (!end || distance(end, at) > 0.001) kept.push(at);
  }
  return kept;
}

/**
 * @param {End} from
 * @param {End} to
 * @param {Box[]} boxes of both
 * @returns the pairs of sides, and what a way between them costs at least: the cheapest first
 */
function pairsOf(from, to, [a, b]) {
  const rooms = { x: room(a, b, "x"), y: room(a, b, "y") };
  // Through the room between both, along the axis along which it is larger.
  const axis = rooms.x.size >= rooms.y.size ? "x" : "y";
  const { way, size } = rooms[axis];
  const isMain = (/** @type {Side} */ side, /** @type {number} */ sign) =>
    side.axis === axis && side.way === sign && size >= 2 * LEAST;
  const ends = sidesOf(to, b);
  const pairs = sidesOf(from, a).flatMap((one) =>
    ends.map((other) => {
      const isThrough = isMain(one, way) && isMain(other, -way);
      const extra = one.inside + other.inside - (isThrough ? 2 * TURN : 0);
      const { x, y } = minus(one.exit, other.exit);
      const turns = one.axis === other.axis ? 0 : TURN;
      return { one, other, extra, least: extra + turns + Math.abs(x) + Math.abs(y) };
    }),
  );
  return pairs.sort((p, q) => p.least - q.least);
}

/**
 * The best way between two ends.
 * @param {End} from
 * @param {End} to
 * @returns {Way}
 */
export function elbowWay(from, to) {
  const [a, b] = [from, to].map(({ at, ring = [at] }) => /** @type {Box} */ (boxAround(ring)));
  const lines = { x: linesOf(a, b, "x"), y: linesOf(a, b, "y") };
  /** @type {Way} */
  let best = { points: () => [from.at, to.at] };
  let least = Infinity;
  for (const { one, other, extra, least: bound } of pairsOf(from, to, [a, b])) {
    if (bound >= least) break;
    const make = one.axis === other.axis ? parallelWays : crossingWays;
    for (const way of make(one, other, lines)) {
      // What somebody has dragged changes no sides.
      const cost = rounded(costOf(simplified(way.points(0.5)), [a, b]) + extra, 1);
      if (cost < least) [best, least] = [way, cost];
    }
  }
  const { points, lever } = best;
  return { points: (part) => simplified(points(part)), lever };
}

/**
 * @param {Way} way
 * @param {number} part
 * @returns {{at: Spot, axis: Axis} | undefined} the middle of what can be dragged, and along which
 *   axis
 */
export function leverAt({ points, lever }, part) {
  if (!lever) return undefined;
  const value = placeOn(lever, part);
  const all = points(part);
  for (let n = 1; n < all.length; n += 1) {
    const [from, to] = [all[n - 1], all[n]];
    const isOn = [from, to].every((one) => Math.abs(one[lever.axis] - value) < 0.01);
    const at = spot((from.x + to.x) / 2, (from.y + to.y) / 2);
    if (isOn) return { at, axis: lever.axis };
  }
  return undefined;
}

/**
 * @param {Way} way
 * @param {Spot} at to which its middle is dragged
 * @returns {number} the part
 */
export function partAt({ lever }, at) {
  if (!lever) return 0.5;
  const { zero, one, axis } = lever;
  return rounded(clamp((at[axis] - zero) / (one - zero), 0, 1), 5);
}
