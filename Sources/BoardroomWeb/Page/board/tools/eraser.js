// The eraser takes whole elements: those under its way pale at once, and go when it is lifted, in
// one step.
import { ElementFields } from "../../render/fields.js";
import { distance, minus, plus, times } from "../../render/geom.js";

/** What an eraser has caught shows so much of itself. */
const PALE = 0.25;

/** An eraser looks at so many places along a way at most. */
const STOPS = 200;

const PICTURE = new URL("../../eraser.svg", import.meta.url);

/** @type {ToolMaker} */
export const eraser = (board) => new Eraser(board);

/** @implements {Tool} */
class Eraser {
  cursor = `url("${PICTURE}") 9 9, crosshair`;

  /** @type {Set<string>} */
  #caught = new Set();

  /** Where it was last. */
  #from = { x: 0, y: 0 };

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  down(point) {
    this.#from = point.at;
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    for (const point of points) {
      this.#rub(point);
    }
    this.board.feed.lift(this.#caught);
  }

  /**
   * Catches what lies on the way to a point.
   * @param {Point} point
   */
  #rub(point) {
    const { shelf } = this.board.feed;
    const from = this.#from;
    const way = minus(point.at, from);
    const reach = this.board.reach(point);
    const stops = Math.min(Math.ceil(distance(from, point.at) / reach), STOPS) || 1;
    for (let stop = 1; stop <= stops; stop += 1) {
      const found = shelf.hitAll(plus(from, times(way, stop / stops)), reach);
      const free = found.filter((element) => !new ElementFields(element).isLocked);
      for (const { id } of free) {
        this.#caught.add(id);
      }
    }
    this.#from = point.at;
  }

  up() {
    const { board } = this;
    const there = [...this.#caught].filter((id) => board.feed.shelf.entries.has(id));
    board.sendParts("erased", "elements", there);
  }

  /** What the log does not take away comes back. */
  end() {
    this.board.feed.lower(this.#caught);
    this.#caught.clear();
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { feed, stage } = this.board;
    for (const id of this.#caught) {
      const entry = feed.shelf.entries.get(id);
      const marks = entry ? stage.marksOf(entry.element) : [];
      const pale = marks.map((mark) => ({ ...mark, opacity: mark.opacity * PALE }));
      this.board.paint(ctx, pale);
    }
  }
}
