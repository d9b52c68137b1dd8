// The width of a text: without one it grows with what is written; who drags its side gives it one,
// and its lines are broken there.
import { ElementFields } from "../render/fields.js";
import { centre, rounded, sizeOf, spot } from "../render/geom.js";
import { changed } from "./edits.js";
import { changesFor, sourceOf, Typesetting } from "./typesetting.js";

/** Attributes that make other lines of the same words. */
const OF_LINES = ["size", "style.bold", "style.italic"];

/**
 * @param {Thing} element a text that is selected alone
 * @param {Box} frame around it, with free space
 * @returns {Handle[]} at its sides
 */
export function widthHandles(element, frame) {
  const fields = new ElementFields(element);
  if (fields.transform || fields.isLocked) return [];
  const { y } = centre(frame);
  return [-1, 1].map((side) => ({
    at: spot(side < 0 ? frame.left : frame.right, y),
    cursor: "ew-resize",
    isRound: false,
    change: ({ from, to }) => [
      { id: element.id, set: atWidth(element, side, to.at.x - from.at.x) },
    ],
    twice: () => [{ id: element.id, set: relaid(element, { "style.wraps": false }) }],
  }));
}

/**
 * @param {Thing} element
 * @param {number} side -1: the left one is moved
 * @param {number} way so far to the right
 * @returns {Style}
 */
function atWidth(element, side, way) {
  const fields = new ElementFields(element);
  const { x: before } = sizeOf(fields.box);
  const least = fields.number("size") ?? 16;
  const width = rounded(Math.max(before + side * way, least));
  const moved = side < 0 ? { x: rounded(fields.box.right - width) } : {};
  return relaid(element, { ...moved, width, "style.wraps": true });
}

/**
 * @param {Thing} element that has letters
 * @param {Style} set what of it is another
 * @returns {Style} and what its lines and its box are then
 */
function relaid(element, set) {
  const later = changed(element, set);
  const setting = new Typesetting(new ElementFields(later));
  // As if it was written now, also if its lines stay as they are.
  const empty = new ElementFields(changed(later, { text: "" }));
  return { ...set, ...changesFor(empty, setting, sourceOf(new ElementFields(element))) };
}

/**
 * @param {Thing} element
 * @param {Style} set of a style
 * @returns {Style} and what it does to the lines of a text, a note or a label
 */
export function relaidBy(element, set) {
  const isLaid = OF_LINES.some((key) => key in set);
  return isLaid && new ElementFields(element).text("text") ? relaid(element, set) : set;
}
