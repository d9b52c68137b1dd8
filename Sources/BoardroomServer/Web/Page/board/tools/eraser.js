// The eraser takes whole elements: those under its way pale at once, and go when it is lifted, in one step to
// undo.

import { Fields } from "../../core/display.js";
import { distance, minus, plus, times } from "../../core/geom.js";

// Half of what the eraser covers, in pixels of the screen.
/** @type {Record<string, number>} */
const REACH = { mouse: 6, pen: 6, touch: 12 };
const PALE = 0.25;
/** Looks along a way at most so often. */
const STOPS = 200;

export class Eraser {
  name = "eraser";
  cursor = "none";
  /** @type {Set<string>} */
  caught = new Set();
  /** @type {Spot | undefined} */
  from = undefined;
  /** @type {Point | undefined} */
  at = undefined;

  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  #reach({ type }) { return (REACH[type] ?? REACH.mouse) / this.board.view.scale; }

  /** @param {Point} point */
  down(point) {
    this.from = point.at;
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    const { shelf } = this.board.feed;
    for (const point of points) {
      const { from = point.at } = this;
      const reach = this.#reach(point);
      const stops = Math.min(Math.ceil(distance(from, point.at) / reach), STOPS) || 1;
      for (let stop = 1; stop <= stops; stop += 1) {
        const found = shelf.hitAll(plus(from, times(minus(point.at, from), stop / stops)), reach);
        for (const element of found) if (!new Fields(element).isLocked) this.caught.add(element.id);
      }
      this.from = point.at;
      this.at = point;
    }
    this.board.feed.lift(this.caught);
    this.board.refresh();
  }

  up() {
    const ids = [...this.caught].filter((id) => this.board.feed.shelf.entries.has(id));
    if (ids.length) this.board.sendParts("erased", "elements", ids);
    this.cancel();
  }

  /** What the log does not take away comes back. */
  cancel() {
    this.from = undefined;
    this.board.feed.lower(this.caught);
    this.caught.clear();
    this.board.refresh();
  }

  /** @param {Point} [point] */
  hover(point) {
    this.at = point;
    this.board.refresh();
  }

  left() { this.hover(); }

  /** @param {Ink} ctx */
  draw(ctx) {
    for (const id of this.caught) {
      const entry = this.board.feed.shelf.entries.get(id);
      const marks = entry ? this.board.stage.marksOf(entry.element) : [];
      this.board.paint(ctx, marks.map((mark) => ({ ...mark, opacity: mark.opacity * PALE })));
    }
    if (!this.at) return;
    const look = { fillStyle: "rgba(128, 140, 152, 0.25)", strokeStyle: "#6b7a89",
      lineWidth: 1.5 / this.board.view.scale };
    Object.assign(ctx, look);
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.arc(this.at.at.x, this.at.at.y, this.#reach(this.at), 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }
}
