// The way of an arrow: from a shape to another, cut at their outlines; straight, as a curve, or
// around corners. All functions are pure; the points that they give are what is stored and drawn.
import { ElementFields } from "../render/fields.js";
import {
  clamp,
  distance,
  flat,
  identity,
  inverse,
  minus,
  moved,
  plus,
  rounded,
  sizeOf,
  spot,
  times,
} from "../render/geom.js";
import { lineMiddle } from "../render/letters.js";
import { fromCorner, OUTLINED, outline } from "../render/shapes.js";
import { elbowWay, lastCrossing, leverAt, partAt } from "./elbow.js";

/**
 * The end of an arrow: bound to a place in the box of an element (`style.start` and `style.end` of
 * the arrow).
 * @typedef {{element: string, at: [number, number]}} Bound
 */

/** The ends of an arrow, as attributes of its style name them. */
export const BOUND_ENDS = /** @type {("start" | "end")[]} */ (["start", "end"]);

/** @typedef {"straight" | "curve" | "elbow"} Route */

/** @typedef {(id: string) => Thing | undefined} Find the elements as they will be */

/** Points of a curve: an odd number, so that one is in the middle. */
const CURVE_POINTS = 17;

/** Pieces in which a curve is looked at to cut it. */
const CURVE_PIECES = 96;

/** A curve that is flatter, in parts of its chord, is a straight line. */
const FLATTEST = 0.02;

/** @param {Thing | undefined} thing @returns whether arrows can be bound to it */
export const canBind = (thing) =>
  thing !== undefined &&
  !thing.buried &&
  [...OUTLINED, "note", "image", "text"].includes(thing.shape?.type);

/** @param {Thing} thing */
function frameOf(thing) {
  const fields = new ElementFields(thing);
  return { box: fields.box, transform: fields.transform ?? identity, fields };
}

/**
 * @param {Thing} thing
 * @returns {Spot[]} its outline, closed
 */
export function outlineOf(thing) {
  const { box, transform, fields } = frameOf(thing);
  const type = OUTLINED.includes(thing.shape?.type) ? thing.shape?.type : "rectangle";
  const [line] = flat(outline(type, box, fields.flag("rounded")));
  return line.map((at) => moved(transform, at));
}

/**
 * @param {Thing} thing
 * @param {[number, number]} place in parts of its box
 * @returns {Spot}
 */
function placeIn(thing, [u, v]) {
  const { box, transform } = frameOf(thing);
  const { x, y } = sizeOf(box);
  return moved(transform, spot(box.left + u * x, box.top + v * y));
}

/**
 * @param {Thing} thing
 * @param {Spot} at
 * @returns {[number, number]} the place in parts of its box
 */
export function partsOf(thing, at) {
  const { box, transform } = frameOf(thing);
  const { x, y } = sizeOf(box);
  const inside = moved(inverse(transform) ?? identity, at);
  return [
    rounded((inside.x - box.left) / Math.max(x, 1), 3),
    rounded((inside.y - box.top) / Math.max(y, 1), 3),
  ];
}

/**
 * @param {Spot[]} ring closed
 * @param {Spot} at
 */
export function isIn(ring, at) {
  let isInside = false;
  for (let n = 1; n < ring.length; n += 1) {
    const [a, b] = [ring[n - 1], ring[n]];
    const isBeside = a.y > at.y !== b.y > at.y;
    if (isBeside && at.x < a.x + ((at.y - a.y) / (b.y - a.y)) * (b.x - a.x)) isInside = !isInside;
  }
  return isInside;
}

/**
 * Cuts the beginning of lines where they leave a shape.
 * @param {Spot[]} points
 * @param {Spot[] | undefined} ring
 * @returns {Spot[]}
 */
function cutBegin(points, ring) {
  if (!ring) return points;
  for (let at = points.length - 1; at > 0; at -= 1) {
    const along = lastCrossing(points[at - 1], points[at], ring);
    if (along === undefined) continue;
    const out = plus(points[at - 1], times(minus(points[at], points[at - 1]), along));
    const rest = points.slice(at);
    return distance(out, rest[0]) > 0 || rest.length > 1 ? [out, ...rest] : points;
  }
  return points;
}

/**
 * @param {Spot[]} points
 * @param {Spot[] | undefined} ring
 */
const cutEnd = (points, ring) => cutBegin(points.slice().reverse(), ring).reverse();

/**
 * @param {Spot[]} points
 * @param {(Spot[] | undefined)[]} rings around the beginning and the end
 */
function cut(points, [first, last]) {
  const done = cutEnd(cutBegin(points, first), last);
  return done.length > 1 ? done : points;
}

/**
 * The middle of a curve between two places.
 * @param {Spot} from
 * @param {Spot} to
 * @param {number} bend how far it is from the chord, in parts of that; above 0: to the left
 */
function bowed(from, to, bend) {
  const way = minus(to, from);
  return plus(plus(from, times(way, 0.5)), times(spot(way.y, -way.x), bend));
}

/**
 * Places on the arc of a circle.
 * @param {Spot} from
 * @param {Spot} to
 * @param {number} bend
 * @returns {(part: number) => Spot}
 */
function arc(from, to, bend) {
  const middle = bowed(from, to, bend);
  const chord = distance(from, to);
  const high = Math.abs(bend) * chord;
  const radius = (chord * chord) / (8 * high) + high / 2;
  const toMiddle = times(minus(bowed(from, to, 0), middle), 1 / high);
  const centre = plus(middle, times(toMiddle, radius));
  const angleOf = (/** @type {Spot} */ at) => Math.atan2(at.y - centre.y, at.x - centre.x);
  const first = angleOf(from);
  const turn = (/** @type {number} */ angle) => Math.atan2(Math.sin(angle), Math.cos(angle));
  const half = turn(angleOf(middle) - first);
  return (part) => {
    const angle = first + 2 * half * part;
    return plus(centre, times(spot(Math.cos(angle), Math.sin(angle)), radius));
  };
}

/**
 * @param {Spot} from
 * @param {Spot} to
 * @param {(Spot[] | undefined)[]} rings
 * @param {number} bend
 * @returns {Spot[]}
 */
function curve(from, to, rings, bend) {
  if (Math.abs(bend) < FLATTEST || distance(from, to) < 1) return cut([from, to], rings);
  const on = arc(from, to, bend);
  const pieces = Array.from({ length: CURVE_PIECES + 1 }, (_, n) => n / CURVE_PIECES);
  const inside = (/** @type {Spot[] | undefined} */ ring) => (/** @type {number} */ part) =>
    ring !== undefined && isIn(ring, on(part));
  const [first, last] = rings.map(inside);
  const begin = Math.max(0, ...pieces.filter((part) => part < 0.9 && first(part)));
  const end = Math.min(1, ...pieces.filter((part) => part > begin && last(part)));
  const exact = (/** @type {number} */ within, /** @type {number} */ out, is = first) => {
    let [low, high] = [within, out];
    for (let turns = 0; turns < 12; turns += 1) {
      const half = (low + high) / 2;
      if (is(half)) low = half;
      else high = half;
    }
    return high;
  };
  const step = 1 / CURVE_PIECES;
  const since = first(begin) ? exact(begin, begin + step) : begin;
  const until = last(end) ? exact(end, end - step, last) : end;
  const parts = Array.from({ length: CURVE_POINTS }, (_, n) => n / (CURVE_POINTS - 1));
  return parts.map((part) => on(since + (until - since) * part));
}

/**
 * @param {ReturnType<typeof endsOf>} ends
 * @returns the best way around corners
 */
const elbow = ({ from, to, rings }) =>
  elbowWay({ at: from, ring: rings[0] }, { at: to, ring: rings[1] });

/** @param {ElementFields} fields @returns {number} where in the free room an elbow turns */
const elbowPart = (fields) => {
  const bend = fields.style("bend");
  return Number.isFinite(bend) ? clamp(bend, 0, 1) : 0.5;
};

/**
 * @param {ElementFields} fields of an arrow
 * @returns {Route}
 */
export function routeOf(fields) {
  const route = fields.style("route");
  return route === "curve" || route === "elbow" ? route : "straight";
}

/**
 * @param {ElementFields} fields
 * @param {"start" | "end"} name
 * @returns {Bound | undefined}
 */
export function boundOf(fields, name) {
  const bound = fields.style(name);
  const isBound = typeof bound?.element === "string" && Array.isArray(bound.at);
  return isBound && bound.at.length === 2 && bound.at.every(Number.isFinite) ? bound : undefined;
}

/**
 * The ends of an arrow before they are cut, and the outlines at which they are.
 * @param {Thing} arrow
 * @param {Find} find
 */
export function endsOf(arrow, find) {
  const fields = new ElementFields(arrow);
  const { transform = identity } = fields;
  const points = fields.points.map((at) => moved(transform, at));
  const bound = BOUND_ENDS.map((name) => {
    const to = boundOf(fields, name);
    const shape = to && find(to.element);
    return to && shape && canBind(shape) ? { shape, at: placeIn(shape, to.at) } : undefined;
  });
  return {
    points,
    from: bound[0]?.at ?? points[0],
    to: bound[1]?.at ?? points[points.length - 1],
    rings: bound.map((one) => one && outlineOf(one.shape)),
  };
}

/**
 * @param {Thing} arrow
 * @param {Find} find
 * @returns {Style} its points, and what goes with them
 */
export function routed(arrow, find) {
  const fields = new ElementFields(arrow);
  const ends = endsOf(arrow, find);
  const { points, from, to, rings } = ends;
  if (points.length < 2) return {};
  const route = routeOf(fields);
  const bend = fields.style("bend");
  let way;
  if (route === "curve") way = curve(from, to, rings, Number.isFinite(bend) ? bend : 0.2);
  else if (route === "elbow") way = elbow(ends).points(elbowPart(fields));
  else way = cut([from, ...(fields.style("route") ? [] : points.slice(1, -1)), to], rings);
  const { x, y, points: pairs } = fromCorner(way);
  const set = {
    x: rounded(x),
    y: rounded(y),
    points: pairs.map((pair) => pair.map((part) => rounded(part))),
  };
  const isPlain = fields.style("route") === undefined;
  const isRounded = route === "curve" && way.length > 2;
  return {
    ...set,
    ...(fields.transform ? { transform: null } : {}),
    ...(isPlain ? {} : { "style.rounded": isRounded }),
  };
}

/**
 * How an arrow has to be bent to go through a place.
 * @param {Thing} arrow
 * @param {Find} find
 * @param {Spot} at
 * @returns {Style}
 */
export function bentTo(arrow, find, at) {
  const ends = endsOf(arrow, find);
  if (routeOf(new ElementFields(arrow)) === "elbow") {
    return { "style.bend": partAt(elbow(ends), at) };
  }
  const { from, to } = ends;
  const chord = minus(to, from);
  const long = Math.max(distance(from, to), 1);
  const apart = minus(at, plus(from, times(chord, 0.5)));
  const bend = rounded((apart.x * chord.y - apart.y * chord.x) / (long * long), 3);
  const isFlat = Math.abs(bend) < FLATTEST;
  return isFlat
    ? { "style.route": "straight", "style.bend": null }
    : { "style.route": "curve", "style.bend": bend };
}

/**
 * Where an arrow is taken to bend it.
 * @param {Thing} arrow
 * @param {Find} find
 * @returns {{at: Spot, axis?: "x" | "y"} | undefined} along which axis it can be dragged, if along one
 *   only; none: nothing of it can be bent
 */
export function bendAt(arrow, find) {
  const fields = new ElementFields(arrow);
  if (routeOf(fields) === "elbow") return leverAt(elbow(endsOf(arrow, find)), elbowPart(fields));
  const at = lineMiddle(fields.points, fields.flag("rounded"));
  return at && { at };
}
