// The eraser removes whole elements: those under its way become pale at once, and are erased when
// the pointer goes up, in one step.
import { ElementFields } from "../../render/fields.js";
import { distance, minus, plus, times } from "../../render/geom.js";

/** Opacity of marked elements, as a part of their own. */
const MARKED_OPACITY = 0.25;

/** Places along one move at which elements are looked for, at most. */
const MOST_STOPS = 200;

const PICTURE = new URL("../../eraser.svg", import.meta.url);

/** @type {ToolMaker} */
export const eraser = (board) => new Eraser(board);

/** @implements {Tool} */
class Eraser {
  cursor = `url("${PICTURE}") 9 9, crosshair`;

  /** @type {Set<string>} */
  #marked = new Set();

  /** The last position of the pointer. */
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
      this.#markAlong(point);
    }
    this.board.sceneContent.takeOffTiles(this.#marked);
  }

  /**
   * Marks the elements on the way to a point.
   * @param {Point} point
   */
  #markAlong(point) {
    const { index } = this.board.sceneContent;
    const from = this.#from;
    const way = minus(point.at, from);
    const reach = this.board.hitRadius(point);
    const stops = Math.min(Math.ceil(distance(from, point.at) / reach), MOST_STOPS) || 1;
    for (let stop = 1; stop <= stops; stop += 1) {
      const found = index.hitAll(plus(from, times(way, stop / stops)), reach);
      const free = found.filter((element) => !new ElementFields(element).isLocked);
      for (const { id } of free) {
        this.#marked.add(id);
      }
    }
    this.#from = point.at;
  }

  up() {
    const { board } = this;
    const there = [...this.#marked].filter((id) => board.sceneContent.index.entries.has(id));
    if (board.canWrite) board.sendParts("erased", "elements", there);
  }

  /** Elements that are not erased in the end are shown again. */
  end() {
    this.board.sceneContent.putBackOnTiles(this.#marked);
    this.#marked.clear();
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { sceneContent, stage } = this.board;
    for (const id of this.#marked) {
      const entry = sceneContent.index.entries.get(id);
      const marks = entry ? stage.marksOf(entry.element) : [];
      const pale = marks.map((mark) => ({ ...mark, opacity: mark.opacity * MARKED_OPACITY }));
      this.board.paint(ctx, pale);
    }
  }
}
