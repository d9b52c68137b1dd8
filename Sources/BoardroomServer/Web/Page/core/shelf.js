// The elements of one scene, found by place and in the order of drawing.

import { Fields, extentOf, isDrawn, marksOf } from "./display.js";
import { boxAround, grown, identity, moved, sizeOf, union } from "./geom.js";
import { Grid } from "./grid.js";
import { hits, reaches, surrounds } from "./hit.js";
import { byKey, keyBetween, keyOfPlace, orderKey } from "./order.js";
import { OUTLINED } from "./shapes.js";
import { strokePoints } from "./stroke.js";

export { byKey, keyBetween, keyOfPlace, orderKey };

// A box that holds all that an element draws.
/** @param {Thing} element @returns {Box} */
export function boxOfElement(element) {
  const { stroke, set } = element;
  const fields = new Fields(element);
  if (!stroke) return extentOf(marksOf(element)) ?? fields.box;
  const { transform } = fields;
  const points = strokePoints(stroke);
  const width = set?.["style.width"] ?? stroke.begin.width / 4;
  const box = boxAround(transform ? points.map((at) => moved(transform, at)) : points) ?? fields.box;
  const [a, b, c, d] = transform ?? identity;
  const grow = Math.max(Math.hypot(a, b), Math.hypot(c, d));
  return grown(box, (width / 2) * grow + 0.5);
}

export class Shelf {
  /** @type {Map<string, Entry>} */
  entries = new Map();
  grid = new Grid();

  /** @param {(element: Thing) => Mark[]} [read] gives display lists, if somebody keeps them */
  constructor(read = marksOf) { this.read = read; }

  /** @param {Thing} element @param {string} [key] @returns {Entry} */
  put(element, key = orderKey(element)) {
    const entry = { element, key, box: boxOfElement(element) };
    this.entries.set(element.id, entry);
    this.grid.set(element.id, entry.box);
    return entry;
  }

  /** @param {string} id */
  remove(id) {
    this.entries.delete(id);
    this.grid.delete(id);
  }

  clear() {
    this.entries.clear();
    this.grid = new Grid();
  }

  /** @returns {Entry[]} from the lowest to the topmost */
  get all() { return [...this.entries.values()].sort(byKey); }

  /** @param {Box} box @returns {Entry[]} from the lowest to the topmost */
  within(box) {
    return this.grid.within(box).map((id) => /** @type {Entry} */ (this.entries.get(id))).sort(byKey);
  }

  /** @param {Spot} at @param {number} reach */
  #near({ x, y }, reach) {
    const box = grown({ left: x, top: y, right: x, bottom: y }, reach);
    return this.within(box).reverse().filter(({ element }) => isDrawn(element));
  }

  /** @param {Spot} at @param {number} reach @returns {Thing[]} the topmost first */
  hitAll(at, reach) {
    return this.#near(at, reach).map(({ element }) => element)
      .filter((element) => this.read(element).some((mark) => hits(mark, at, reach)));
  }

  // The topmost element at a place; a hollow shape around it if there is no other, the smallest of them.
  /** @param {Spot} at @param {number} reach @returns {Thing | undefined} */
  hit(at, reach) {
    const [first] = this.hitAll(at, reach);
    if (first) return first;
    const area = (/** @type {Entry} */ { box }) => sizeOf(box).x * sizeOf(box).y;
    const hollow = this.#near(at, reach).filter(({ element }) => OUTLINED.includes(element.shape?.type))
      .filter(({ element }) => this.read(element).some((mark) => surrounds(mark, at)));
    return hollow.sort((a, b) => area(a) - area(b))[0]?.element;
  }

  // What a marquee catches: all that it touches.
  /** @param {Box} box @returns {Thing[]} */
  caught(box) {
    return this.within(box).map(({ element }) => element)
      .filter((element) => isDrawn(element) && this.read(element).some((mark) => reaches(mark, box)));
  }

  /** @returns {Box | undefined} */
  box() {
    const drawn = [...this.entries.values()].filter(({ element }) => isDrawn(element));
    return drawn.reduce((/** @type {Box | undefined} */ all, { box }) => union(all, box), undefined);
  }
}
