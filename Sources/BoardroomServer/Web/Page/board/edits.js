// What is done to selected elements, as the commands that do it. Values in, values out.

import { Fields } from "../core/display.js";
import { compose, growth, identity, moved, rounded, stretch, turn } from "../core/geom.js";
import { keyBetween, keyOfPlace } from "../core/shelf.js";

// The transform that an element has, with another one after it, as the log has it.
/** @param {Thing} element @param {Transform} by */
const transformed = (element, by) =>
  compose(by, new Fields(element).transform ?? identity).map((part, at) => rounded(part, at < 4 ? 6 : 2));

// Shapes get other places; strokes, and shapes that are turned, another transform.
/** @param {Thing[]} elements @param {number} x @param {number} y @returns {Change[]} */
export const moves = (elements, x, y) => elements.map((element) => {
  const { box, transform } = new Fields(element);
  const isStraight = element.shape && !transform;
  const set = isStraight ? { x: rounded(box.left + x), y: rounded(box.top + y) }
    : { transform: transformed(element, [1, 0, 0, 1, x, y]) };
  return { id: element.id, set };
});

/** @param {Thing[]} elements @param {number} angle radians @param {Spot} at @returns {Change[]} */
export const turns = (elements, angle, at) =>
  elements.map((element) => ({ id: element.id, set: { transform: transformed(element, turn(angle, at)) } }));

/**
 * Elements stretched as one box becomes another. What has a box of its own and lies straight keeps its lines'
 * width and its letters; all else is stretched with all that is in it.
 * @param {Thing[]} elements @param {Box} from @param {Box} to @returns {Change[]}
 */
export function stretches(elements, from, to) {
  const by = stretch(from, to);
  return elements.map((element) => {
    const fields = new Fields(element);
    const { type } = element.shape ?? {};
    if (!type || fields.transform) return { id: element.id, set: { transform: transformed(element, by) } };
    const { left, top, right, bottom } = fields.box;
    const corner = moved(by, { x: left, y: top });
    const place = { x: rounded(corner.x), y: rounded(corner.y) };
    if (type === "straight" || type === "arrow") {
      const points = fields.value("points")
        .map((/** @type {number[]} */ [x, y]) => [rounded(x * by[0]), rounded(y * by[3])]);
      return { id: element.id, set: { ...place, points } };
    }
    const size = { width: rounded((right - left) * by[0]), height: rounded((bottom - top) * by[3]) };
    // Letters grow evenly, whichever way the box does.
    const letters = Math.max(rounded((fields.number("size") ?? 16) * growth(by)), 1);
    return { id: element.id, set: { ...place, ...size, ...type === "text" ? { size: letters } : {} } };
  });
}

const OF_STROKES = ["colour", "width", "opacity"];
const OF_TEXTS = ["bold", "italic", "underline", "lineThrough", "align", "opacity"];
const OF_SHAPES = ["colour", "fill", "fillOpacity", "width", "opacity", "strokeType", "rounded"];

/** @param {Thing} element @param {Record<string, any>} style */
export function restyle(element, style) {
  const type = element.shape?.type;
  const isText = type === "text" || type === "note";
  const names = element.stroke ? OF_STROKES : isText ? OF_TEXTS : type === "image" ? ["opacity"] : OF_SHAPES;
  /** @type {Record<string, any>} */
  const set = Object.fromEntries(names.filter((name) => name in style)
    .map((name) => [`style.${name}`, style[name]]));
  if (type === "note" && style.fill) set["style.fill"] = style.fill;
  if (isText && "size" in style) set.size = style.size;
  const ink = style.textColor ?? (type === "text" ? style.colour : undefined);
  if (isText && ink) set["style.textColor"] = ink;
  return set;
}

/** @param {Thing} element @returns {Record<string, any>} */
export function styleOf(element) {
  const fields = new Fields(element);
  const shown = [...OF_SHAPES, ...OF_TEXTS, "textColor"].map((name) => [name, fields.style(name)]);
  const style = Object.fromEntries(shown.filter(([, value]) => value !== undefined && value !== null));
  const { begin } = element.stroke ?? {};
  const drawn = begin ? { colour: begin.colour, width: begin.width / 4, opacity: begin.opacity / 255 } : {};
  const size = ["text", "note"].includes(element.shape?.type) ? { size: fields.number("size") ?? 16 } : {};
  // What a text is written in is its colour.
  const ink = element.shape?.type === "text" && style.textColor ? { colour: style.textColor } : {};
  return { ...drawn, ...size, ...style, ...ink };
}

/**
 * New order keys.
 * @param {Entry[]} all of the scene in its order @param {Set<string>} ids
 * @param {"front" | "forward" | "backward" | "back"} where @returns {Change[]}
 */
export function orders(all, ids, where) {
  const chosen = all.filter(({ element }) => ids.has(element.id));
  const others = all.filter(({ element }) => !ids.has(element.id));
  if (!chosen.length || !others.length) return [];
  const first = all.indexOf(chosen[0]);
  const last = all.indexOf(chosen[chosen.length - 1]) - (chosen.length - 1);
  const [forward, backward] = [Math.min(last + 1, others.length), Math.max(first - 1, 0)];
  const at = { front: others.length, forward, backward, back: 0 }[where];
  if (first === last && at === first) return [];
  // What is drawn later comes above all that there is now.
  const newest = keyOfPlace(Math.max(...all.map(({ element }) => element.place)) + 1);
  const above = others[at]?.key ?? (newest > others[others.length - 1].key ? newest : undefined);
  let below = others[at - 1]?.key;
  return chosen.map(({ element }) => {
    below = keyBetween(below, above);
    return { id: element.id, set: { order: below } };
  });
}

// A copy stands on top, not beside what it came from; and it is free.
/** @param {Thing[]} elements @param {{newId(): string, scene: number, x: number, y: number}} where */
export const copies = (elements, { newId, scene, x, y }) => moves(elements, x, y).map(({ id, set }) =>
  ({ from: id, id: newId(), scene, set: { ...set, order: null, locked: null } }));

// Parts of a list whose JSON is below so many bytes each.
/** @template T @param {T[]} items @param {number} limit */
export function portions(items, limit) {
  /** @type {T[][]} */
  const parts = [];
  let size = Infinity;
  for (const item of items) {
    const bytes = new TextEncoder().encode(JSON.stringify(item)).length + 1;
    if (size + bytes > limit) size = parts.push([]) && 0;
    parts[parts.length - 1].push(item);
    size += bytes;
  }
  return parts;
}
