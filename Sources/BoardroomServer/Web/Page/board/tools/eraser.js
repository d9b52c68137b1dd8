// The eraser takes whole elements: those under its way pale at once, and go when it is lifted, in one step to undo.

import { spot } from "../../core/geom.js";
import { Fields } from "../../core/display.js";

/** @typedef {import("../input.js").Point} Point */

/** Half of what the eraser covers, in pixels of the screen. */
const REACH = { mouse: 6, pen: 6, touch: 12 };
const PALE = 0.25;

export class Eraser {
  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.name = "eraser";
    this.cursor = "none";
    /** @type {Set<string>} */
    this.caught = new Set();
    /** @type {import("../../core/geom.js").Spot | undefined} */
    this.from = undefined;
    // Where to draw the eraser.
    /** @type {Point | undefined} */
    this.at = undefined;
  }

  /** @param {Point} point */
  #reach(point) { return (REACH[/** @type {"mouse"} */ (point.type)] ?? REACH.mouse) / this.board.view.scale; }

  /** @param {Point} point */
  down(point) {
    this.caught.clear();
    this.from = point.at;
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    if (!this.from) return;
    for (const point of points) {
      const reach = this.#reach(point);
      const [x, y] = [point.at.x - this.from.x, point.at.y - this.from.y];
      const stops = Math.min(Math.ceil(Math.hypot(x, y) / reach), 200);
      for (let stop = Math.min(1, stops); stop <= stops; stop += 1) {
        const part = stops ? stop / stops : 0;
        this.#catch(spot(this.from.x + x * part, this.from.y + y * part), reach);
      }
      this.from = point.at;
      this.at = point;
    }
    this.board.refresh();
  }

  /** @param {import("../../core/geom.js").Spot} at @param {number} reach */
  #catch(at, reach) {
    const ids = this.board.feed.shelf.hitAll(at, reach)
      .filter((element) => !new Fields(element).isLocked).map(({ id }) => id).filter((id) => !this.caught.has(id));
    if (!ids.length) return;
    for (const id of ids) this.caught.add(id);
    this.board.feed.lift(ids);
  }

  up() {
    this.from = undefined;
    const ids = [...this.caught].filter((id) => this.board.feed.shelf.entries.has(id));
    if (ids.length) this.board.sendIds("erased", ids);
    this.cancel();
  }

  cancel() {
    this.from = undefined;
    // What the log does not take away comes back.
    this.board.feed.lower(this.caught);
    this.caught.clear();
    this.board.refresh();
  }

  /** @param {Point} point */
  hover(point) {
    this.at = point;
    this.board.refresh();
  }

  left() {
    this.at = undefined;
    this.board.refresh();
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    for (const id of this.caught) {
      const entry = this.board.feed.shelf.entries.get(id);
      if (!entry) continue;
      const marks = this.board.stage.marksOf(entry.element);
      this.board.paint(ctx, marks.map((mark) => ({ ...mark, opacity: mark.opacity * PALE })));
    }
    if (!this.at) return;
    const { scale } = this.board.view;
    ctx.beginPath();
    ctx.arc(this.at.at.x, this.at.at.y, this.#reach(this.at), 0, 2 * Math.PI);
    [ctx.fillStyle, ctx.strokeStyle, ctx.lineWidth] = ["rgba(128, 140, 152, 0.25)", "#6b7a89", 1.5 / scale];
    ctx.setLineDash([]);
    ctx.fill();
    ctx.stroke();
  }
}
