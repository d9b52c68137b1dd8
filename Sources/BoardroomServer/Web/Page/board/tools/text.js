// Texts and notes: a click where they begin, then the keyboard. A note may be dragged to its size.

import { Fields } from "../../core/display.js";
import { boxOf, clamp, rounded } from "../../core/geom.js";
import { boxAt, isWords, placed } from "../edits.js";

const NOTE = { x: 200, y: 160 };
/** In pixels of the screen. */
const CLICK = 12;

/** @type {ToolMaker} */
export const text = (board, type) => ({
  cursor: type === "text" ? "text" : "crosshair",
  up({ from: { at }, to, length }) {
    const { scale } = board.view;
    const there = board.feed.shelf.hit(at, 2 / scale);
    if (there?.shape?.type === type) return board.edit(there.id);
    const letters = board.letters(type);
    // As large on the screen as at 100 %, within reason; a hand points at the middle of a text's first line.
    const note = length < CLICK ? boxAt(at, NOTE, clamp(1 / scale, 0.25, 4)) : boxOf(at, to.at);
    const first = { x: rounded(at.x), y: rounded(at.y - letters.size * 0.62) };
    const place = type === "note" ? placed(note) : first;
    const shape = { type, ...place, text: "", ...letters };
    board.write({ shape }, (changes) => {
      if (changes || type === "note") board.putShape({ ...shape, ...changes });
    });
  },
});

/** @param {Board} board @param {string} id */
export function editElement(board, id) {
  const element = board.feed.shelf.entries.get(id)?.element;
  const type = element?.shape?.type;
  if (!element || !isWords(type) || new Fields(element).isLocked) return;
  board.feed.lift([id]);
  board.write(element, (changes) => {
    if (type === "text" && changes?.text === "") board.sendParts("erased", "elements", [id]);
    else if (changes) board.change([{ id, set: changes }]);
    board.feed.lower([id]);
  });
}
