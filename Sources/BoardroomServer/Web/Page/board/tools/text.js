// Texts and notes: a click where they begin, then the keyboard. A note may be dragged to its size.

import { Fields } from "../../core/display.js";

/** @typedef {import("../input.js").Point} Point */

const NOTE = { width: 200, height: 160 };
/** In pixels of the screen. */
const CLICK = 12;

export class Text {
  /** @param {import("../board.js").Board} board @param {"text" | "note"} name */
  constructor(board, name) {
    this.board = board;
    this.name = name;
    this.cursor = name === "text" ? "text" : "crosshair";
    /** @type {Point | undefined} */
    this.from = undefined;
  }

  /** @param {Point} point */
  down(point) { this.from = point; }

  move() {}

  /** @param {Point} point */
  up(point) {
    const { from } = this;
    this.from = undefined;
    if (!from) return;
    const there = this.board.feed.shelf.hit(from.at, 2 / this.board.view.scale);
    if (there?.shape?.type === this.name && !new Fields(there).isLocked) return this.board.edit(there.id);
    this.#write(this.name === "text" ? this.#text(from) : this.#note(from, point));
  }

  cancel() { this.from = undefined; }

  /** @param {Point} from */
  #text({ at }) {
    const { size, style } = this.board.letters("text");
    return { type: "text", x: round(at.x), y: round(at.y - size * 0.62), text: "", size, style };
  }

  /** @param {Point} from @param {Point} to */
  #note(from, to) {
    const { scale } = this.board.view;
    const { size, style } = this.board.letters("note");
    const isClick = Math.hypot(to.screen.x - from.screen.x, to.screen.y - from.screen.y) < CLICK;
    const grow = Math.min(Math.max(1 / scale, 0.25), 4);
    const [width, height] = isClick ? [NOTE.width * grow, NOTE.height * grow]
      : [Math.abs(to.at.x - from.at.x), Math.abs(to.at.y - from.at.y)];
    const [x, y] = isClick ? [from.at.x - width / 2, from.at.y - height / 2]
      : [Math.min(from.at.x, to.at.x), Math.min(from.at.y, to.at.y)];
    return { type: "note", x: round(x), y: round(y), width: round(width), height: round(height), text: "", size, style };
  }

  /** @param {Record<string, any>} shape */
  #write(shape) {
    this.board.write({ shape }, (changes) => {
      if (shape.type === "text" && !changes) return;
      this.board.putShape({ ...shape, ...changes });
    });
  }
}

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

// Writes on in an element that is there.
/** @param {import("../board.js").Board} board @param {string} id */
export function editElement(board, id) {
  const element = board.feed.shelf.entries.get(id)?.element;
  const type = element?.shape?.type;
  if (!element || (type !== "text" && type !== "note") || new Fields(element).isLocked) return;
  if (type === "text") board.feed.lift([id]);
  board.write(/** @type {any} */ (element), (changes) => {
    board.feed.lower([id]);
    if (!changes) return;
    if (type === "text" && changes.text === "") board.sendIds("erased", [id]);
    else board.send("elementsChanged", { changes: [{ id, set: changes }] });
  });
}

