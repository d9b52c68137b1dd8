// Aligning, distributing and flipping of what is selected; a group is one thing. All functions are
// pure.
import { ElementFields } from "../render/fields.js";
import { centre, compose, identity, rounded, union } from "../render/geom.js";
import { isLine, moves, placedBy } from "./edits.js";
import { frameOf } from "./frame.js";

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

/**
 * @param {Thing[]} elements
 * @param {Axis} axis along which they change sides
 * @returns {Change[]}
 */
export function flipped(elements, axis) {
  if (elements.length === 0) return [];
  const middle = centre(boxAroundAll(elements));
  /** @type {Transform} */
  const by = axis === "x" ? [-1, 0, 0, 1, 2 * middle.x, 0] : [1, 0, 0, -1, 0, 2 * middle.y];
  return elements.flatMap((element) => flippedOne(element, axis, by, 2 * middle[axis]));
}

/**
 * @param {Thing} element
 * @param {Axis} axis
 * @param {Transform} by
 * @param {number} both the middle, twice
 * @returns {Change | Change[]}
 */
function flippedOne(element, axis, by, both) {
  const fields = new ElementFields(element);
  const { transform, points, box } = fields;
  const type = element.shape?.type;
  const { low, high } = ENDS[axis];
  if (!transform && isLine(type)) {
    const own = (/** @type {number} */ value, /** @type {Axis} */ one) =>
      rounded(one === axis ? both - value : value);
    const [first] = points;
    const x = own(first.x, "x");
    const y = own(first.y, "y");
    const places = points.map((at) => [rounded(own(at.x, "x") - x), rounded(own(at.y, "y") - y)]);
    return { id: element.id, set: { x, y, points: places } };
  }
  if (!transform && SAME.includes(type)) {
    return moved([element], axis, both - box[low] - box[high]);
  }
  return placedBy(element, compose(by, transform ?? identity));
}
