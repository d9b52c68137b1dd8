// Tools that leave nothing: the hand moves the paper, the laser points at it.

import { Trail } from "../trail.js";

/** @typedef {import("../board.js").Board} Board */

export class Hand {
  name = "hand";
  cursor = "grab";
  /** @type {Spot | undefined} */
  last = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  down({ screen }) {
    this.last = screen;
    this.board.setCursor("grabbing");
  }

  /** @param {Point[]} points */
  move(points) {
    const { last, board } = this;
    const { screen } = points[points.length - 1];
    if (last) board.moveView(() => board.view.panBy(screen.x - last.x, screen.y - last.y));
    this.last = screen;
  }

  up() { this.cancel(); }

  cancel() {
    this.last = undefined;
    this.board.setCursor(this.cursor);
  }
}

/** Others know of it by this member's position and by `isPointing` of its state: no stroke, so nothing to
 *  undo. */
export class Laser {
  name = "laser";
  cursor = "none";
  trail = new Trail();
  /** @type {Spot | undefined} */
  at = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  down(point) {
    this.board.remember({ isPointing: true });
    this.trail.lift();
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    for (const { at } of points) this.trail.add(at, this.board.clock.now());
    this.hover(points[points.length - 1]);
  }

  /** @param {Point} point */
  hover({ at }) {
    this.at = at;
    this.board.refresh();
  }

  up() { this.board.remember({ isPointing: null }); }
  cancel() { this.up(); }

  left() {
    this.at = undefined;
    this.board.refresh();
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { scale } = this.board.view;
    const goesOn = this.trail.draw(ctx, this.board.clock.now(), scale);
    if (this.at) Trail.dot(ctx, this.at, scale);
    return goesOn;
  }
}
