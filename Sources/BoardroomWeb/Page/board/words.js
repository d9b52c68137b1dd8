// The words of elements, and words that become an element: what copy and paste need of texts.
import { ElementFields } from "../render/fields.js";
import { rounded, sizeOf } from "../render/geom.js";
import { writeNew } from "./commit.js";
import { NEW } from "./editor.js";
import { hasLetters } from "./edits.js";
import { textStyle } from "./style.js";
import { changesFor, sourceOf } from "./typesetting.js";
import { excess } from "./weight.js";

/** The part of the view's width that a text takes at most, if it is narrow. */
const WIDEST_PART = 0.8;

/** Pixels of the screen between the upper edge of the view and a text that is higher than it. */
const BELOW_EDGE = 80;

/**
 * @param {Thing} element
 * @returns {string} "": it has no words
 */
export const wordsOf = (element) =>
  hasLetters(element.shape?.type) ? sourceOf(new ElementFields(element)) : "";

/**
 * Puts a text on the page. One that is too large is not sent: its editor opens, and says how many
 * characters are too many.
 * @param {Board} board
 * @param {string} words
 * @param {Spot} at its middle
 */
export function putText(board, words, at) {
  const { size } = board.drawStyle;
  const empty = { type: "text", text: "", size, style: textStyle(board.drawStyle) };
  const { box, changes } = laidOut(board, { ...empty, x: 0, y: 0, width: 0, height: 0 }, words);
  const { x: width, y: height } = sizeOf(new ElementFields({ shape: box, set: changes }).box);
  const edge = board.view.toScene({ x: 0, y: BELOW_EDGE }).y;
  const isHigh = height * board.view.scale > board.view.height - BELOW_EDGE;
  const y = isHigh ? edge : at.y - height / 2;
  const shape = { ...box, x: rounded(at.x - width / 2), y: rounded(y) };
  if (excess({ shape }, changes, board.session?.limits?.element) === 0) {
    board.putShape({ ...shape, ...changes });
    return;
  }
  // An editor that is open has the same draft.
  board.editor?.finish();
  if (board.editor) return board.editor.focus();
  board.drafts.set(NEW, words);
  writeNew(board, shape, false);
}

/**
 * @param {Board} board
 * @param {Record<string, any>} empty a text without words
 * @param {string} words
 * @returns {{box: Record<string, any>, changes: Style}} with a width of its own where the view is
 *   too narrow for the usual one
 */
function laidOut({ view }, empty, words) {
  const most = rounded((view.width * WIDEST_PART) / view.scale);
  const changes = changesFor(new ElementFields({ shape: empty }), undefined, words) ?? {};
  if ((changes.width ?? 0) <= most) return { box: empty, changes };
  const box = { ...empty, width: most, style: { ...empty.style, wraps: true } };
  return { box, changes: changesFor(new ElementFields({ shape: box }), undefined, words) ?? {} };
}
