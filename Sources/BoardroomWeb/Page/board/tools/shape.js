// Tools that put elements: shapes and lines, dragged from corner to corner (Shift: equal sides or
// even angles; Alt: from the middle; a click: a standard size); texts and notes, by a click or by
// dragging a note, and then typing.
import { marksOf } from "../../render/display.js";
import { boxOf, clamp, minus, plus, rounded, spot } from "../../render/geom.js";
import { fromCorner } from "../../render/shapes.js";
import { writeNew } from "../commit.js";
import { boxAt, isLine, placed, straightened } from "../edits.js";
import { STYLE, textStyle, unusual } from "../style.js";

/** A drag of fewer pixels of the screen is a click. */
const CLICK = 4;

/** Pixels of the screen that a click gives a shape. */
const SHAPE = spot(120, 80);

/** Pixels of the screen that a click gives a note. */
const NOTE = spot(200, 160);

/** A note has the same size on the screen at every scale, within these factors. */
const NOTE_GROWTH = { least: 0.25, most: 4 };

/** The pointer is at the middle of the first line: this part of the letter size is above it. */
const ABOVE = 0.62;

/** @type {ToolMaker} */
export const shape = (board, type) => new ShapeTool(board, type);

/** @type {ToolMaker} */
export const text = (board, type) => new TextTool(board, type);

/** @implements {Tool} */
class ShapeTool {
  cursor = "crosshair";
  scrolls = true;

  /**
   * @param {Board} board
   * @param {string} type
   */
  constructor(board, type) {
    this.board = board;
    this.type = type;
  }

  /** @param {Drag} drag */
  up(drag) {
    // A click makes no line: it has no direction.
    if (drag.length >= CLICK || !isLine(this.type)) this.board.putShape(this.#shapeOf(drag));
  }

  end() {
    this.board.snapping.end();
    this.board.bindings.release();
  }

  /**
   * @param {Ink} ctx
   * @param {Drag | undefined} drag
   */
  draw(ctx, drag) {
    if (!drag || drag.length < CLICK) return;
    const shape = /** @type {any} */ ({ shape: this.#shapeOf(drag) });
    this.board.paint(ctx, marksOf(shape));
  }

  /** @param {Drag} drag */
  #shapeOf(drag) {
    const { board, type } = this;
    const place = isLine(type) ? this.#line(drag) : placed(this.#box(drag));
    const shape = { type, ...place, style: board.shapeStyle(isLine(type)) };
    return type === "arrow" ? board.bindings.made(shape, drag) : shape;
  }

  /** @param {Drag} drag */
  #line({ from, to }) {
    const end = to.shift ? straightened(from.at, to.at) : to.at;
    return fromCorner([from.at, end]);
  }

  /** @param {Drag} drag */
  #box({ from, to, length }) {
    if (length < CLICK) return boxAt(from.at, SHAPE, 1 / this.board.view.scale);
    const { snapping } = this.board;
    snapping.clear();
    if (to.shift || to.alt || !snapping.isOn(to)) return dragged(from.at, to);
    return dragged(from.at, { ...to, at: plus(to.at, snapping.corner(to.at)) });
  }
}

/**
 * @param {Spot} from
 * @param {Point} to
 */
function dragged(from, { at, shift, alt }) {
  let way = minus(at, from);
  if (shift) {
    const side = Math.max(Math.abs(way.x), Math.abs(way.y));
    way = spot(side * (way.x < 0 ? -1 : 1), side * (way.y < 0 ? -1 : 1));
  }
  return boxOf(alt ? minus(from, way) : from, plus(from, way));
}

/** @implements {Tool} */
class TextTool {
  /**
   * @param {Board} board
   * @param {string} type text or note
   */
  constructor(board, type) {
    this.board = board;
    this.type = type;
    this.isNote = type === "note";
    this.cursor = this.isNote ? "crosshair" : "text";
  }

  /** @param {Drag} drag */
  up(drag) {
    const { board, type } = this;
    const { at } = drag.from;
    const there = board.sceneContent.index.hit(at, 2 / board.view.scale);
    if (there?.shape?.type === type) return board.edit(there.id);
    const place = this.isNote ? this.#notePlace(drag) : this.#textPlace(drag);
    const empty = { type, ...place, text: "", size: board.drawStyle.size };
    writeNew(board, empty, this.isNote);
  }

  /** @param {Drag} drag */
  #notePlace({ from, to, length }) {
    const { least, most } = NOTE_GROWTH;
    const grow = clamp(1 / this.board.view.scale, least, most);
    const box = length < 3 * CLICK ? boxAt(from.at, NOTE, grow) : boxOf(from.at, to.at);
    const paper = unusual(this.board.drawStyle, ["fill"]);
    const { textColor, ...letters } = textStyle(this.board.drawStyle);
    const ink = String(textColor) === String(STYLE.colour) ? {} : { textColor };
    return { ...placed(box), style: { ...letters, ...paper, ...ink } };
  }

  /** @param {Drag} drag which gives it a width, if it is one */
  #textPlace({ from: { at }, to, length }) {
    const { size } = this.board.drawStyle;
    const y = rounded(at.y - size * ABOVE);
    const style = textStyle(this.board.drawStyle);
    if (length < 3 * CLICK) return { x: rounded(at.x), y, style };
    const { left, right } = boxOf(at, to.at);
    const width = rounded(Math.max(right - left, size));
    return { x: rounded(left), y, width, height: 0, style: { ...style, wraps: true } };
  }
}
