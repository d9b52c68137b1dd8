// The laser points: its light is seen by everybody and stays nowhere. Others know of it by this member's position and
// by `isPointing` of its state; it is no stroke, so there is nothing to undo afterwards.

import { Trail } from "../trail.js";

/** @typedef {import("../input.js").Point} Point */

export class Laser {
  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.name = "laser";
    this.cursor = "none";
    this.trail = new Trail();
    this.isDown = false;
    /** @type {import("../../core/geom.js").Spot | undefined} */
    this.at = undefined;
  }

  /** @param {Point} point */
  down(point) {
    this.isDown = true;
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

  up() {
    if (this.isDown) this.board.remember({ isPointing: null });
    this.isDown = false;
    this.board.refresh();
  }

  cancel() { this.up(); }

  left() {
    this.at = undefined;
    this.board.refresh();
  }

  /** @param {CanvasRenderingContext2D} ctx @returns {boolean} whether it goes on fading */
  draw(ctx) {
    const { scale } = this.board.view;
    const goesOn = this.trail.draw(ctx, this.board.clock.now(), scale);
    if (this.at) Trail.dot(ctx, this.at, scale);
    return goesOn;
  }
}
