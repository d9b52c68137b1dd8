// What is put on the board: shapes and lines, dragged from corner to corner (Shift: equal sides,
// even angles, Alt: from the middle, a click: a usual size); texts and notes, by a click (or a
// note's drag) and the keys.
import { marksOf } from "../../render/display.js";
import { boxOf, clamp, minus, plus, rounded, spot } from "../../render/geom.js";
import { fromCorner } from "../../render/shapes.js";
import { write } from "../editor.js";
import { boxAt, isLine, placed, straightened } from "../edits.js";

/** Less pixels of the screen are a click. */
const CLICK = 4;

/** Pixels of the screen that a click gives a shape. */
const SHAPE = spot(120, 80);

/** Pixels of the screen that a click gives a note. */
const NOTE = spot(200, 160);

/** @type {ToolMaker} */
export function shape(board, type) {
  const made = (/** @type {Drag} */ { from, to, length }) => {
    const end = to.shift ? straightened(from.at, to.at) : to.at;
    const box = length < CLICK ? boxAt(from.at, SHAPE, 1 / board.view.scale) : dragged(from.at, to);
    const place = isLine(type) ? fromCorner([from.at, end]) : placed(box);
    return { type, ...place, style: board.shapeStyle(isLine(type)) };
  };
  return {
    cursor: "crosshair",
    up(drag) {
      if (drag.length >= CLICK || !isLine(type)) board.putShape(made(drag));
    },
    draw(ctx, drag) {
      if (drag && drag.length >= CLICK) {
        board.paint(ctx, marksOf(/** @type {any} */ ({ shape: made(drag) })));
      }
    },
  };
}

/**
 * @param {Spot} from
 * @param {Point} to
 */
function dragged(from, { at, shift, alt }) {
  let { x, y } = minus(at, from);
  const side = Math.max(Math.abs(x), Math.abs(y));
  if (shift) {
    x = side * (x < 0 ? -1 : 1);
    y = side * (y < 0 ? -1 : 1);
  }
  return boxOf(alt ? minus(from, spot(x, y)) : from, plus(from, spot(x, y)));
}

/** @type {ToolMaker} */
export const text = (board, type) => ({
  cursor: type === "text" ? "text" : "crosshair",
  up({ from: { at }, to, length }) {
    const { scene } = board;
    const { scale } = board.view;
    const { size, colour: textColor } = board.drawStyle;
    const there = board.feed.shelf.hit(at, 2 / scale);
    if (there?.shape?.type === type) return board.edit(there.id);
    const unusual = board.unusual("bold", "italic", "opacity", "align");
    // As large on the screen as at 100 %, within reason; a hand points at the middle of a text's
    // first line.
    const note = length < 3 * CLICK ? boxAt(at, NOTE, clamp(1 / scale, 0.25, 4)) : boxOf(at, to.at);
    const place =
      type === "note"
        ? { ...placed(note), style: unusual }
        : { x: rounded(at.x), y: rounded(at.y - size * 0.62), style: { textColor, ...unusual } };
    const empty = { type, ...place, text: "", size };
    write(board, { shape: empty }, (changes) => {
      if (changes || type === "note") board.putShape({ ...empty, ...changes, scene });
    });
  },
});
