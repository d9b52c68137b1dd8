// Aligning, distributing and flipping of what is selected; a group is one thing. All functions are
// pure.
import { ElementFields } from "../render/fields.js";
import { centre, compose, identity, rounded, union } from "../render/geom.js";
import { fromCorner } from "../render/shapes.js";
import { FREE, hasLabel, isLine, moves, placedBy } from "./edits.js";
import { frameOf } from "./frame.js";
import { BOUND_ENDS, boundOf } from "./routes.js";

/** @typedef {"left" | "centre" | "right" | "top" | "middle" | "bottom"} Side */
/** @typedef {"x" | "y"} Axis */

/** Sides of a box along an axis. */
const ENDS = {
  x: { low: /** @type {const} */ ("left"), high: /** @type {const} */ ("right") },
  y: { low: /** @type {const} */ ("top"), high: /** @type {const} */ ("bottom") },
};

/** @type {Record<Side, { axis: Axis; of(box: Box): number }>} where a box is, for each side */
const SIDES = {
  left: { axis: "x", of: ({ left }) => left },
  centre: { axis: "x", of: (box) => centre(box).x },
  right: { axis: "x", of: ({ right }) => right },
  top: { axis: "y", of: ({ top }) => top },
  middle: { axis: "y", of: (box) => centre(box).y },
  bottom: { axis: "y", of: ({ bottom }) => bottom },
};

/**
 * @param {Thing[]} elements
 * @returns {Box}
 */
export const boxAroundAll = (elements) =>
  /** @type {Box} */ (
    elements
      .map((element) => frameOf(element).around)
      .reduce(union, /** @type {Box | undefined} */ (undefined))
  );

/**
 * @param {Thing[]} unit
 * @param {Axis} axis
 * @param {number} by
 */
const moved = (unit, axis, by) =>
  Math.abs(by) < 0.005 ? [] : moves(unit, axis === "x" ? by : 0, axis === "y" ? by : 0);

/**
 * @param {Thing[][]} units
 * @param {Side} side
 * @returns {Change[]}
 */
export function aligned(units, side) {
  if (units.length < 2) return [];
  const { axis, of } = SIDES[side];
  const goal = of(boxAroundAll(units.flat()));
  return units.flatMap((unit) => moved(unit, axis, goal - of(boxAroundAll(unit))));
}

/**
 * The first and the last stay where they are; the gaps between all become the same.
 * @param {Thing[][]} units
 * @param {Axis} axis
 * @returns {Change[]}
 */
export function distributed(units, axis) {
  if (units.length < 3) return [];
  const { low, high } = ENDS[axis];
  const middle = (/** @type {Box} */ box) => box[low] + box[high];
  const all = units.map((unit) => ({ unit, box: boxAroundAll(unit) }));
  all.sort((a, b) => middle(a.box) - middle(b.box));
  const sizes = all.map(({ box }) => box[high] - box[low]);
  const last = all[all.length - 1].box;
  const space = last[high] - all[0].box[low] - sizes.reduce((sum, size) => sum + size, 0);
  let at = all[0].box[low];
  return all.flatMap(({ unit, box }, index) => {
    const changes = moved(unit, axis, at - box[low]);
    at += sizes[index] + space / (all.length - 1);
    return changes;
  });
}

/** Shapes that look the same from the other side, and words, which are not to be mirrored. */
const SAME = ["rectangle", "ellipse", "rhombus", "text", "note"];

/** Shapes whose left half is like the right one. */
const SAME_ACROSS = ["triangle", "pentagram"];

/**
 * A shape that is mirrored along one of its own axes as well looks like a mirror image, and its
 * letters can be read.
 * @param {Thing} element
 * @param {Axis} axis along which it changes sides
 * @returns {Axis | undefined} its own one
 */
function ownMirror(element, axis) {
  const type = element.shape?.type;
  if (SAME_ACROSS.includes(type)) return "x";
  return SAME.includes(type) || hasLabel(element) ? axis : undefined;
}

/**
 * @param {Axis} axis
 * @param {number} both the place of the mirror, twice
 * @returns {Transform}
 */
const mirror = (axis, both) => (axis === "x" ? [-1, 0, 0, 1, both, 0] : [1, 0, 0, -1, 0, both]);

/**
 * @param {Thing[]} elements
 * @param {Axis} axis along which they change sides
 * @returns {Change[]}
 */
export function flipped(elements, axis) {
  if (elements.length === 0) return [];
  const both = 2 * centre(boxAroundAll(elements))[axis];
  const all = new Map(elements.map((element) => [element.id, element]));
  return elements.flatMap((element) => {
    if (!isLine(element.shape?.type)) return flippedOne(element, axis, both);
    const { id, set } = flippedLine(element, axis, both);
    return { id, set: { ...set, ...flippedEnds(element, all, axis) } };
  });
}

/**
 * @param {Thing} element
 * @param {Axis} axis
 * @param {number} both the middle, twice
 * @returns {Change | Change[]}
 */
function flippedOne(element, axis, both) {
  const { transform, box } = new ElementFields(element);
  const { low, high } = ENDS[axis];
  const own = ownMirror(element, axis);
  if (!transform && own === axis) return moved([element], axis, both - box[low] - box[high]);
  const by = compose(mirror(axis, both), transform ?? identity);
  return placedBy(element, own ? compose(by, mirror(own, 2 * centre(box)[own])) : by);
}

/**
 * @param {Thing} element a line
 * @param {Axis} axis
 * @param {number} both
 * @returns {Change} its points are mirrored, so that its label is not
 */
function flippedLine(element, axis, both) {
  const { transform, points, box } = new ElementFields(element);
  // A line that is turned is mirrored where it was before that, then turned the other way.
  const own = transform ? 2 * box.left : both;
  const way = transform ? "x" : axis;
  const mirrored = fromCorner(points.map((at) => ({ ...at, [way]: own - at[way] })));
  const set = {
    x: rounded(mirrored.x),
    y: rounded(mirrored.y),
    points: mirrored.points.map((pair) => pair.map((part) => rounded(part))),
  };
  if (!transform) return { id: element.id, set };
  const by = compose(mirror(axis, both), compose(transform, mirror("x", own)));
  return { id: element.id, set: { ...set, ...placedBy(element, by).set } };
}

/**
 * @param {Thing} element a line
 * @param {Map<string, Thing>} all that are flipped
 * @param {Axis} axis
 * @returns {Style} to which sides of its shapes it goes, and how it is bent
 */
function flippedEnds(element, all, axis) {
  const fields = new ElementFields(element);
  const ends = BOUND_ENDS.flatMap((name) => {
    const bound = boundOf(fields, name);
    return bound ? [{ name, bound, shape: all.get(bound.element) }] : [];
  });
  // As where an arrow is moved without its shapes.
  const isFree = ends.every(({ shape }) => !shape);
  const places = ends.map(({ name, bound, shape }) => {
    const own = shape && ownMirror(shape, axis);
    const at = bound.at.map((part, index) => (own === "xy"[index] ? rounded(1 - part, 3) : part));
    return [`style.${name}`, isFree ? FREE : { ...bound, at }];
  });
  const bend = fields.style("bend");
  const isBent = fields.style("route") === "curve" && Number.isFinite(bend);
  return { ...Object.fromEntries(places), ...(isBent ? { "style.bend": -bend } : {}) };
}
