// The frame around an element or several: a box in the coordinates of the element before its
// transform, so that it turns with the element, and its sides are the element's own axes.
import { boxOfElement } from "../render/element-index.js";
import { ElementFields } from "../render/fields.js";
import {
  boxAround,
  centre,
  corners,
  distance,
  identity,
  inverse,
  moved,
  plus,
  sizeOf,
  spot,
  times,
} from "../render/geom.js";

/** Cursors of handles by their direction from the middle, in steps of 45 degrees from the east. */
const CURSORS = ["e", "se", "s", "sw", "w", "nw", "n", "ne"];

export class ElementFrame {
  /**
   * @param {Box} box before the transform
   * @param {Transform} [transform]
   */
  constructor(box, transform = identity) {
    this.back = inverse(transform);
    // What was pressed flat has no axes of its own any more.
    this.transform = this.back ? transform : identity;
    this.box = this.back
      ? box
      : /** @type {Box} */ (boxAround(corners(box).map((at) => moved(transform, at))));
    this.back ??= identity;
  }

  /** Clockwise, from the upper left one of the element. */
  get corners() {
    return corners(this.box).map((at) => moved(this.transform, at));
  }

  /** Whether its sides go along the axes of the scene. */
  get isUpright() {
    const [, b, c] = this.transform;
    return b === 0 && c === 0;
  }

  /** The upright box around it. */
  get around() {
    return /** @type {Box} */ (boxAround(this.corners));
  }

  get middle() {
    return moved(this.transform, centre(this.box));
  }

  /** The lengths of its sides. */
  get size() {
    const [first, second, third] = this.corners;
    return spot(distance(first, second), distance(second, third));
  }

  /**
   * @param {Spot} side -1, 0 or 1 from the middle
   * @returns {Spot}
   */
  at({ x, y }) {
    const { x: wide, y: high } = sizeOf(this.box);
    return moved(this.transform, plus(centre(this.box), spot((x * wide) / 2, (y * high) / 2)));
  }

  /**
   * @param {Spot} side
   * @returns {Spot} the direction in which it lies, one pixel long
   */
  direction(side) {
    const [a, b, c, d] = this.transform;
    const x = a * side.x + c * side.y;
    const y = b * side.x + d * side.y;
    const long = Math.hypot(x, y) || 1;
    return times(spot(x, y), 1 / long);
  }

  /**
   * @param {Spot} side
   * @returns {string} of a handle there
   */
  cursor(side) {
    const { x, y } = this.direction(side);
    const step = Math.round(Math.atan2(y, x) / (Math.PI / 4));
    return `${CURSORS[(step + 8) % 8]}-resize`;
  }

  /** @param {number} by so many pixels of the scene on each side */
  grown(by) {
    const [a, b, c, d] = this.transform;
    const x = by / Math.hypot(a, b);
    const y = by / Math.hypot(c, d);
    const { left, top, right, bottom } = this.box;
    const box = { left: left - x, top: top - y, right: right + x, bottom: bottom + y };
    return new ElementFrame(box, this.transform);
  }

  /**
   * @param {Spot} shift
   * @returns {ElementFrame} the same, elsewhere
   */
  shifted({ x, y }) {
    if (x === 0 && y === 0) return this;
    const [a, b, c, d, e, f] = this.transform;
    return new ElementFrame(this.box, [a, b, c, d, e + x, f + y]);
  }

  /**
   * @param {Spot} at of the scene
   * @returns {Spot} in the coordinates of the box
   */
  inside(at) {
    return moved(/** @type {Transform} */ (this.back), at);
  }
}

/**
 * @param {Thing} element
 * @param {Box} [drawn] the box of what it draws, if that is known
 * @returns {ElementFrame} the own box of a shape, else the box of what the element draws
 */
export function frameOf(element, drawn) {
  const { transform, box } = new ElementFields(element);
  if (element.shape && sizeOf(box).x > 0) return new ElementFrame(box, transform);
  if (!transform) return new ElementFrame(drawn ?? boxOfElement(element));
  const { transform: _, ...set } = element.set ?? {};
  const { transform: __, ...shape } = element.shape ?? {};
  const upright = { ...element, set, ...(element.shape ? { shape } : {}) };
  return new ElementFrame(boxOfElement(upright), transform);
}
