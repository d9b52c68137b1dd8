// Texts and notes: a click where they begin, then the keyboard. A note may be dragged to its size.

import { Fields } from "../../core/display.js";
import { boxOf, distance, minus, plus, rounded, sizeOf, spot } from "../../core/geom.js";

const NOTE = { x: 200, y: 160 };
/** In pixels of the screen. */
const CLICK = 12;

export class Text {
  /** @type {Point | undefined} */
  from = undefined;

  /** @param {import("../board.js").Board} board @param {string} name "text" or "note" */
  constructor(board, name) {
    this.board = board;
    this.name = name;
    this.cursor = name === "text" ? "text" : "crosshair";
  }

  /** @param {Point} point */
  down(point) { this.from = point; }
  move() {}
  cancel() { this.from = undefined; }

  /** @param {Point} point */
  up(point) {
    const { from, board } = this;
    this.from = undefined;
    if (!from) return;
    const there = board.feed.shelf.hit(from.at, 2 / board.view.scale);
    if (there?.shape?.type === this.name) return board.edit(there.id);
    const { size, style } = board.letters(this.name);
    // The hand points at the middle of the first line.
    const first = { x: rounded(from.at.x), y: rounded(from.at.y - size * 0.62) };
    const place = this.name === "text" ? first : this.#box(from, point);
    const shape = { type: this.name, ...place, text: "", size, style };
    board.write({ shape }, (changes) => {
      if (changes || this.name === "note") board.putShape({ ...shape, ...changes });
    });
  }

  /** @param {Point} from @param {Point} to */
  #box(from, to) {
    // As large on the screen as it is at 100 %, within reason.
    const grow = Math.min(Math.max(1 / this.board.view.scale, 0.25), 4) / 2;
    const half = spot(NOTE.x * grow, NOTE.y * grow);
    const isClick = distance(from.screen, to.screen) < CLICK;
    const box = isClick ? boxOf(minus(from.at, half), plus(from.at, half)) : boxOf(from.at, to.at);
    const { x, y } = sizeOf(box);
    return { x: rounded(box.left), y: rounded(box.top), width: rounded(x), height: rounded(y) };
  }
}

/** @param {import("../board.js").Board} board @param {string} id */
export function editElement(board, id) {
  const element = board.feed.shelf.entries.get(id)?.element;
  const type = element?.shape?.type;
  if (!element || (type !== "text" && type !== "note") || new Fields(element).isLocked) return;
  board.feed.lift([id]);
  board.write(/** @type {any} */ (element), (changes) => {
    if (type === "text" && changes?.text === "") board.sendParts("erased", "elements", [id]);
    else if (changes) board.change([{ id, set: changes }]);
    board.feed.lower([id]);
  });
}
