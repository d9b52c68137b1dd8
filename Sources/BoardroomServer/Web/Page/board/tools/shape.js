// Shapes and lines: dragged from one corner or end to the other. Shift keeps sides equal or angles whole, Alt
// draws from the middle; a click alone gives a shape of a usual size.

import { marksOf } from "../../core/display.js";
import { boxOf, minus, plus, spot } from "../../core/geom.js";
import { fromCorner } from "../../core/shapes.js";
import { boxAt, isLine, placed, straightened } from "../edits.js";

/** In pixels of the screen: less is a click, which gives a shape of this size. */
const CLICK = 4;
const USUAL = { x: 120, y: 80 };

/** @type {ToolMaker} */
export function shape(board, type) {
  const made = (/** @type {Drag} */ { from, to, length }) => {
    const [start, style] = [{ type }, board.shapeStyle(isLine(type))];
    if (!isLine(type)) {
      const box = length < CLICK ? boxAt(from.at, USUAL, 1 / board.view.scale) : dragged(from.at, to);
      return { ...start, ...placed(box), style };
    }
    const end = to.shift ? straightened(from.at, to.at) : to.at;
    return length < CLICK ? undefined : { ...start, ...fromCorner([from.at, end]), style };
  };
  return {
    cursor: "crosshair",
    up(drag) {
      const body = made(drag);
      if (body) board.putShape(body);
    },
    draw(ctx, drag) {
      if (drag && drag.length >= CLICK) board.paint(ctx, marksOf(/** @type {any} */ ({ shape: made(drag) })));
    },
  };
}

/** @param {Spot} from @param {Point} to */
function dragged(from, { at, shift, alt }) {
  let { x, y } = minus(at, from);
  const side = Math.max(Math.abs(x), Math.abs(y));
  if (shift) [x, y] = [side * (x < 0 ? -1 : 1), side * (y < 0 ? -1 : 1)];
  return boxOf(alt ? minus(from, spot(x, y)) : from, plus(from, spot(x, y)));
}
