// The elements of one scene, found by place and in the order of drawing.
import { byKey, keyBetween, keyOfPlace, orderKey } from "../state/order.js";
import { extentOf, isDrawn, marksOf } from "./display.js";
import { ElementFields, groupsOf } from "./fields.js";
import { boxAround, grown, identity, moved, sizeOf, union } from "./geom.js";
import { Grid } from "./grid.js";
import { hits, reaches, surrounds } from "./hit.js";
import { OUTLINED } from "./shapes.js";
import { strokePoints } from "./stroke.js";

export { byKey, keyBetween, keyOfPlace, orderKey };

/**
 * @param {Thing} element
 * @returns {Box} around all that it draws
 */
export function boxOfElement(element) {
  const { stroke, set } = element;
  const fields = new ElementFields(element);
  if (!stroke) return extentOf(marksOf(element)) ?? fields.box;
  const { transform } = fields;
  const points = strokePoints(stroke);
  const width = set?.["style.width"] ?? stroke.begin.width / 4;
  const drawn = transform ? points.map((at) => moved(transform, at)) : points;
  const [a, b, c, d] = transform ?? identity;
  const grow = Math.max(Math.hypot(a, b), Math.hypot(c, d));
  return grown(boxAround(drawn) ?? fields.box, (width / 2) * grow + 0.5);
}

export class ElementIndex {
  /** @type {Map<string, Entry>} */
  entries = new Map();

  /** @type {Map<string, Set<string>>} ids of the elements of each group */
  groups = new Map();

  grid = new Grid();

  /** Another number after each change. */
  version = 0;

  /** How often elements were removed. */
  removals = 0;

  /** @param {(element: Thing) => Mark[]} [read] gives display lists, if somebody keeps them */
  constructor(read = marksOf) {
    this.read = read;
  }

  /**
   * @param {Thing} element
   * @returns {Entry}
   */
  put(element, key = orderKey(element)) {
    const entry = { element, key, box: boxOfElement(element) };
    this.version += 1;
    this.#leaveGroups(element.id);
    for (const group of groupsOf(element)) {
      const ids = this.groups.get(group) ?? new Set();
      this.groups.set(group, ids.add(element.id));
    }
    this.entries.set(element.id, entry);
    this.grid.set(element.id, entry.box);
    return entry;
  }

  /** @param {string} id */
  #leaveGroups(id) {
    const entry = this.entries.get(id);
    for (const group of entry ? groupsOf(entry.element) : []) {
      const ids = this.groups.get(group);
      ids?.delete(id);
      if (ids?.size === 0) this.groups.delete(group);
    }
  }

  /** @param {Thing} element another value that looks the same */
  replace(element) {
    const entry = this.entries.get(element.id);
    if (entry) entry.element = element;
    this.version += 1;
  }

  /** @param {string} id */
  remove(id) {
    this.version += 1;
    this.removals += 1;
    this.#leaveGroups(id);
    this.entries.delete(id);
    this.grid.delete(id);
  }

  clear() {
    this.version += 1;
    this.removals += 1;
    this.entries.clear();
    this.groups.clear();
    this.grid = new Grid();
  }

  /** All entries, from the lowest to the topmost. */
  get all() {
    return [...this.entries.values()].sort(byKey);
  }

  /**
   * @param {Box} box
   * @returns {Entry[]} from the lowest to the topmost
   */
  within(box) {
    const entries = this.grid.within(box).flatMap((id) => this.entries.get(id) ?? []);
    return entries.sort(byKey);
  }

  /**
   * @param {Box} box
   * @param {(mark: Mark) => boolean} test
   * @returns {Entry[]} with a mark that passes it
   */
  matching(box, test) {
    const passes = (/** @type {Thing} */ element) =>
      isDrawn(element) && this.read(element).some(test);
    return this.within(box).filter(({ element }) => passes(element));
  }

  /**
   * The elements at a place, the topmost first.
   * @param {Spot} at
   * @param {number} reach
   */
  hitAll(at, reach) {
    const found = this.matching(around(at, reach), (mark) => hits(mark, at, reach));
    return found.reverse().map(({ element }) => element);
  }

  /**
   * The topmost element at a place; if there is none, the smallest hollow shape around it.
   * @param {Spot} at
   * @param {number} reach
   */
  hit(at, reach) {
    return this.hitAll(at, reach)[0] ?? this.#smallestOutline(at, reach);
  }

  /**
   * @param {Spot} at
   * @param {number} reach
   * @returns {Thing | undefined} the smallest outline around a place, of equal ones the topmost
   */
  #smallestOutline(at, reach) {
    const area = (/** @type {Entry} */ { box }) => sizeOf(box).x * sizeOf(box).y;
    const found = this.matching(around(at, reach), (mark) => surrounds(mark, at));
    const outlines = found.filter(({ element }) => OUTLINED.includes(element.shape?.type));
    const [smallest] = outlines.reverse().sort((a, b) => area(a) - area(b));
    return smallest?.element;
  }

  /**
   * @param {Box} box of a marquee, which selects all that it touches
   * @returns {Thing[]}
   */
  touchedBy(box) {
    return this.matching(box, (mark) => reaches(mark, box)).map(({ element }) => element);
  }

  /** @returns {Box | undefined} around all that is drawn */
  box() {
    const drawn = [...this.entries.values()].filter(({ element }) => isDrawn(element));
    return drawn.map(({ box }) => box).reduce(union, undefined);
  }
}

/**
 * @param {Spot} at
 * @param {number} reach
 */
const around = ({ x, y }, reach) => grown({ left: x, top: y, right: x, bottom: y }, reach);
