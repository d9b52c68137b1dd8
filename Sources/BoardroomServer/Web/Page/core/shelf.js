// The elements of one scene, found by place and in the order of drawing.

import { extentOf, Fields, isDrawn, marksOf } from "./display.js";
import { boxAround, encloses, grown, moved, union } from "./geom.js";
import { Grid } from "./grid.js";
import { hits, reaches, surrounds } from "./hit.js";
import { OUTLINED } from "./shapes.js";
import { strokePoints } from "./stroke.js";

/** @typedef {import("./display.js").Element} Element */
/** @typedef {import("./display.js").Mark} Mark */
/** @typedef {import("./geom.js").Box} Box */
/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {{element: Element, key: string, box: Box}} Entry */

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// Where an element stands in the order of drawing (docs/PROTOCOL.md, order keys).
/** @param {Element} element */
export function orderKey(element) {
  const { order } = element.set ?? {};
  return typeof order === "string" ? order : keyOfPlace(element.place);
}

/** @param {number} place */
export function keyOfPlace(place) {
  let [key, rest] = ["", place];
  for (let digit = 0; digit < 7; digit += 1) {
    key = DIGITS[rest % 62] + key;
    rest = Math.floor(rest / 62);
  }
  return `V${key}`;
}

// A key between two, which may be missing: the shortest that is above the one and below the other.
/** @param {string | undefined} below @param {string | undefined} above */
export function keyBetween(below = "", above = undefined) {
  let key = "";
  let isBelow = above !== undefined;
  for (let at = 0; ; at += 1) {
    const low = at < below.length ? DIGITS.indexOf(below[at]) : 0;
    const high = isBelow && above !== undefined ? (at < above.length ? DIGITS.indexOf(above[at]) : 0) : 62;
    if (high - low > 1) return key + DIGITS[Math.floor((low + high) / 2)];
    key += DIGITS[low];
    if (high > low) isBelow = false;
  }
}

/** @param {Entry} a @param {Entry} b */
export const byKey = (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.element.place - b.element.place);

// A box that holds all that an element draws.
/** @param {Element} element @returns {Box} */
export function boxOfElement(element) {
  const { stroke, set } = element;
  const nothing = { left: 0, top: 0, right: 0, bottom: 0 };
  if (!stroke) return extentOf(marksOf(element)) ?? new Fields(element).box;
  const { transform } = new Fields(element);
  const points = strokePoints(stroke);
  const width = set?.["style.width"] ?? stroke.begin.width / 4;
  const box = boxAround(transform ? points.map((at) => moved(transform, at)) : points) ?? nothing;
  const grow = transform ? Math.max(Math.hypot(transform[0], transform[1]), Math.hypot(transform[2], transform[3])) : 1;
  return grown(box, (width / 2) * grow + 0.5);
}

export class Shelf {
  /** @param {(element: Element) => Mark[]} [read] gives display lists, if somebody keeps them */
  constructor(read = marksOf) {
    this.read = read;
    /** @type {Map<string, Entry>} */
    this.entries = new Map();
    this.grid = new Grid();
  }

  /** @param {Element} element @param {string} [key] @param {Box} [box] @returns {Entry} */
  put(element, key = orderKey(element), box = boxOfElement(element)) {
    const entry = { element, key, box };
    this.entries.set(element.id, entry);
    this.grid.set(element.id, box);
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

  // What is in a box, from the lowest to the topmost.
  /** @param {Box} box @returns {Entry[]} */
  within(box) {
    return this.grid.within(box).map((id) => /** @type {Entry} */ (this.entries.get(id))).sort(byKey);
  }

  // What is drawn at a place, the topmost first.
  /** @param {Spot} at @param {number} reach @returns {Element[]} */
  hitAll(at, reach) {
    return this.#near(at, reach).filter((element) => this.read(element).some((mark) => hits(mark, at, reach)));
  }

  // The topmost element at a place; a hollow shape around it if there is no other, the smallest of them.
  /** @param {Spot} at @param {number} reach @returns {Element | undefined} */
  hit(at, reach) {
    const near = this.#near(at, reach);
    const hollow = near.filter(({ shape }) => OUTLINED.includes(shape?.type))
      .filter((element) => this.read(element).some((mark) => surrounds(mark, at)));
    const size = (/** @type {Element} */ { id }) => {
      const { left, top, right, bottom } = /** @type {Entry} */ (this.entries.get(id)).box;
      return (right - left) * (bottom - top);
    };
    return near.find((element) => this.read(element).some((mark) => hits(mark, at, reach)))
      ?? hollow.sort((a, b) => size(a) - size(b))[0];
  }

  /** @param {Spot} at @param {number} reach */
  #near(at, reach) {
    const box = grown({ left: at.x, top: at.y, right: at.x, bottom: at.y }, reach);
    return this.within(box).reverse().map(({ element }) => element).filter(isDrawn);
  }

  // What a marquee catches: all that it touches.
  /** @param {Box} box @returns {Element[]} */
  caught(box) {
    return this.within(box).filter(({ element }) => isDrawn(element))
      .filter((entry) => encloses(box, entry.box) || this.read(entry.element).some((mark) => reaches(mark, box)))
      .map(({ element }) => element);
  }

  // The box around these, or around everything.
  /** @param {Iterable<string>} [ids] @returns {Box | undefined} */
  box(ids = this.entries.keys()) {
    /** @type {Box | undefined} */
    let box;
    for (const id of ids) {
      const entry = this.entries.get(id);
      if (entry && isDrawn(entry.element)) box = union(box, entry.box);
    }
    return box;
  }
}
