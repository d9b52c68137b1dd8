// Texts and notes: a click where they begin, then the keyboard. A note may be dragged to its size.

import { boxOf, clamp, rounded } from "../../core/geom.js";
import { boxAt, placed } from "../edits.js";
import { write } from "../editor.js";

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
    const shape = { type, ...type === "note" ? placed(note) : first, text: "", ...letters };
    write(board, { shape }, (changes) => {
      if (changes || type === "note") board.putShape({ ...shape, ...changes });
    });
  },
});
