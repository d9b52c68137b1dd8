// What is done to selected elements, as the commands that do it. Values in, values out.

import { Fields, transformed } from "../core/display.js";
import { centre, growth, identity, moved, stretch, turn } from "../core/geom.js";
import { keyBetween, keyOfPlace } from "../core/shelf.js";

/** @typedef {import("../core/display.js").Element} Element */
/** @typedef {import("../core/geom.js").Box} Box */
/** @typedef {import("../core/geom.js").Transform} Transform */
/** @typedef {import("../core/shelf.js").Entry} Entry */
/** @typedef {{id: string, set: Record<string, any>}} Change */

/** Decimals of places and of what turns and scales, in the log. */
const round = (/** @type {number} */ value) => Math.round(value * 100) / 100;
const round6 = (/** @type {number} */ value) => Math.round(value * 1e6) / 1e6;
/** @param {Transform} by */
const written = (by) => by.map((value, index) => (index < 4 ? round6(value) : round(value)));

// Elements moved by so much. Shapes get other places; strokes, and shapes that are turned, another transform.
/** @param {Element[]} elements @param {number} x @param {number} y @returns {Change[]} */
export function moves(elements, x, y) {
  return elements.map((element) => {
    const fields = new Fields(element);
    if (element.stroke || fields.transform) {
      return { id: element.id, set: { transform: written(transformed(element, [1, 0, 0, 1, x, y])) } };
    }
    const { left, top } = fields.box;
    return { id: element.id, set: { x: round(left + x), y: round(top + y) } };
  });
}

// Elements turned around a place.
/** @param {Element[]} elements @param {number} angle @param {import("../core/geom.js").Spot} at */
export function turns(elements, angle, at) {
  const by = turn(angle, at);
  return elements.map((element) => ({ id: element.id, set: { transform: written(transformed(element, by)) } }));
}

/**
 * Elements stretched as one box becomes another. What has a box of its own and lies straight keeps its lines' width and
 * its letters; all else is stretched with all that is in it.
 * @param {Element[]} elements @param {Box} from @param {Box} to @returns {Change[]}
 */
export function stretches(elements, from, to) {
  const by = stretch(from, to);
  return elements.map((element) => {
    const { shape, id } = element;
    const fields = new Fields(element);
    if (!shape || fields.transform || by[0] < 0 || by[3] < 0) {
      return { id, set: { transform: written(transformed(element, by)) } };
    }
    const { left, top, right, bottom } = fields.box;
    const corner = moved(by, { x: left, y: top });
    const place = { x: round(corner.x), y: round(corner.y) };
    if (shape.type === "straight" || shape.type === "arrow") {
      const points = fields.value("points").map((/** @type {number[]} */ [x, y]) => [round(x * by[0]), round(y * by[3])]);
      return { id, set: { ...place, points } };
    }
    const size = { width: round((right - left) * by[0]), height: round((bottom - top) * by[3]) };
    if (shape.type !== "text") return { id, set: { ...place, ...size } };
    // Letters grow evenly, whichever way the box does.
    const grow = growth(by);
    return { id, set: { ...place, ...size, size: Math.max(round((fields.number("size") ?? 16) * grow), 1) } };
  });
}

// Names of style that an element takes on, and as what.
/** @param {Element} element @param {Record<string, any>} style */
export function restyle(element, style) {
  /** @type {Record<string, any>} */
  const set = {};
  const type = element.shape?.type;
  const isText = type === "text" || type === "note";
  const names = element.stroke ? ["colour", "width", "opacity"]
    : isText ? ["bold", "italic", "underline", "lineThrough", "align", "opacity"]
    : type === "image" ? ["opacity"] : ["colour", "fill", "fillOpacity", "width", "opacity", "strokeType", "rounded"];
  for (const name of names) if (name in style) set[`style.${name}`] = style[name];
  if (type === "note" && style.fill) set["style.fill"] = style.fill;
  if (isText && "size" in style) set.size = style.size;
  if (isText && ("textColor" in style || (type === "text" && "colour" in style))) {
    set["style.textColor"] = style.textColor ?? style.colour;
  }
  return set;
}

// The style that an element shows, for the style panel.
/** @param {Element} element */
export function styleOf(element) {
  const fields = new Fields(element);
  /** @type {Record<string, any>} */
  const style = {};
  const names = [
    "colour", "fill", "fillOpacity", "width", "opacity", "strokeType", "rounded", "textColor", "bold", "italic",
    "underline", "lineThrough", "align",
  ];
  for (const name of names) {
    const value = fields.style(name);
    if (value !== undefined && value !== null) style[name] = value;
  }
  const { stroke } = element;
  if (stroke) {
    style.colour ??= stroke.begin.colour;
    style.width ??= stroke.begin.width / 4;
    style.opacity ??= stroke.begin.opacity / 255;
  }
  if (element.shape?.type === "text" || element.shape?.type === "note") style.size = fields.number("size") ?? 16;
  return style;
}

/**
 * New order keys. `all` is the scene in its order.
 * @param {Entry[]} all @param {Set<string>} ids @param {"front" | "forward" | "backward" | "back"} where @returns {Change[]}
 */
export function orders(all, ids, where) {
  const chosen = all.filter(({ element }) => ids.has(element.id));
  const others = all.filter(({ element }) => !ids.has(element.id));
  if (!chosen.length || !others.length) return [];
  const at = placeAmong(all, others, chosen, where);
  if (at === undefined) return [];
  const newest = keyOfPlace(Math.max(...all.map(({ element }) => element.place)) + 1);
  const above = others[at]?.key ?? (newest > others[others.length - 1].key ? newest : undefined);
  let below = others[at - 1]?.key;
  return chosen.map(({ element }) => {
    below = keyBetween(below, above);
    return { id: element.id, set: { order: below } };
  });
}

// Before which of the others the chosen ones come; undefined if they are there already.
/** @param {Entry[]} all @param {Entry[]} others @param {Entry[]} chosen @param {string} where */
function placeAmong(all, others, chosen, where) {
  const last = all.indexOf(chosen[chosen.length - 1]) - (chosen.length - 1);
  const first = all.indexOf(chosen[0]);
  const isTogether = last === first;
  if (where === "front") return isTogether && first === others.length ? undefined : others.length;
  if (where === "back") return isTogether && first === 0 ? undefined : 0;
  if (where === "forward") return isTogether && first === others.length ? undefined : Math.min(last + 1, others.length);
  return isTogether && first === 0 ? undefined : Math.max(first - 1, 0);
}

// Copies with new ids, so much aside.
/** @param {Element[]} elements @param {() => string} newId @param {number} scene */
/** @param {Element[]} elements @param {{newId(): string, scene: number, x: number, y: number}} where */
export function copies(elements, { newId, scene, x, y }) {
  const changes = moves(elements, x, y);
  return elements.map(({ id }, index) => {
    // A copy stands on top, where it was put, not beside what it came from; and it is free.
    const set = { ...changes[index].set, order: null, locked: null };
    return { from: id, id: newId(), scene, set };
  });
}

// Parts of a list whose JSON is below so many bytes each: what one command may hold.
/** @template T @param {T[]} items @param {number} limit @returns {T[][]} */
export function portions(items, limit) {
  /** @type {T[][]} */
  const parts = [];
  let size = Infinity;
  for (const item of items) {
    // Three bytes are the most that one of JavaScript's letters takes in UTF-8.
    const text = JSON.stringify(item);
    const bytes = (/^[\x20-\x7e]*$/.test(text) ? 1 : 3) * text.length + 1;
    if (size + bytes > limit) [size] = [parts.push([]) && 0];
    parts[parts.length - 1].push(item);
    size += bytes;
  }
  return parts;
}

// Around what elements are turned.
/** @param {Box} box */
export const pivot = (box) => centre(box);

// Does a transform leave things upright?
/** @param {Transform} by */
export const isIdentity = (by) => by.every((value, index) => value === identity[index]);
