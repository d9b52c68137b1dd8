// The hand moves the paper.

/** @typedef {import("../input.js").Point} Point */

export class Hand {
  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.name = "hand";
    this.cursor = "grab";
    /** @type {import("../../core/geom.js").Spot | undefined} */
    this.last = undefined;
  }

  /** @param {Point} point */
  down(point) {
    this.last = point.screen;
    this.board.setCursor("grabbing");
  }

  /** @param {Point[]} points */
  move(points) {
    const { screen } = points[points.length - 1];
    if (this.last) this.board.moveView(() => this.board.view.panBy(screen.x - (this.last?.x ?? 0), screen.y - (this.last?.y ?? 0)));
    this.last = screen;
  }

  up() { this.cancel(); }

  cancel() {
    this.last = undefined;
    this.board.setCursor(this.cursor);
  }
}
