// The other members: cursors with names, laser trails, raised hands. Cursors are elements of the
// page (base.css): names are sharp, and moving a cursor draws nothing on a canvas.
import { clamp, minus, plus, times } from "../render/geom.js";
import { FADE_TIME, Trail } from "./trail.js";
import { Writers } from "./writers.js";

/**
 * The cursor of another member: it moves from `at` to `to`, and began at `since`.
 * @typedef {{
 *   root: HTMLElement;
 *   at: Spot;
 *   to: Spot;
 *   since: number;
 *   other: Other;
 *   trail: import("./trail.js").Trail;
 * }} Cursor
 */

/** Ms in which a cursor moves to its next position: twenty a second are sent. */
const MOVE_TIME = 70;

/** Ms after which a cursor that did not move is hidden. */
const IDLE_TIME = 15_000;

export class Presence {
  /** @type {Map<number, Cursor>} */
  cursors = new Map();

  layer = box("cursors");
  stop = () => {};

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.layer.setAttribute("aria-hidden", "true");
    board.root.append(this.layer);
    this.writers = new Writers(board);
  }

  /** @param {Iterable<Other>} others */
  update(others) {
    const before = this.cursors;
    this.cursors = new Map([...others].map((other) => [other.number, this.#cursor(other)]));
    for (const [number, { root }] of before) {
      if (!this.cursors.has(number)) root.remove();
    }
    this.writers.update([...this.cursors.values()].map(({ other }) => other));
    this.board.stage.requestFrameLater();
  }

  /** @param {Other} other */
  #cursor(other) {
    const { x, y, unit, scene } = other.pointer ?? { x: 0, y: 0, unit: 0, scene: -1 };
    const to = times({ x, y }, 2 ** unit);
    const now = this.board.clock.now();
    const known = this.cursors.get(other.number);
    // A position from before this member joined is not shown as a movement.
    const cursor = known ?? {
      root: box("cursor"),
      at: to,
      to,
      since: -Infinity,
      other,
      trail: new Trail(),
    };
    const { root, trail, other: before } = cursor;
    if (!known) this.layer.append(root);
    const isElsewhere = to.x !== cursor.to.x || to.y !== cursor.to.y;
    const hasMoved = isElsewhere || scene !== (before.pointer?.scene ?? -1);
    if (hasMoved) Object.assign(cursor, { at: between(cursor, now), to, since: now });
    if (hasMoved && other.isPointing) trail.add(to, now);
    if (!other.isPointing && before.isPointing) trail.endLine();
    root.style.setProperty("--tone", other.colour);
    root.classList.toggle("raised", other.hasRaised === true);
    if (root.textContent !== other.name) root.replaceChildren(box("cursor-name", other.name));
    return Object.assign(cursor, { other });
  }

  /**
   * Moves the cursors. Returns whether one of them is still moving.
   * @param {Ink} ctx
   */
  draw(ctx) {
    const { view, scene, clock } = this.board;
    this.writers.draw();
    const now = clock.now();
    let isMoving = false;
    let wakes = Infinity;
    for (const cursor of this.cursors.values()) {
      const { other, root, trail } = cursor;
      const idle = now - cursor.since;
      const isHere = other.pointer?.scene === scene && idle < IDLE_TIME && !other.isAway;
      root.hidden = !isHere || other.isPointing === true;
      isMoving = trail.draw(ctx, now, view.scale) || isMoving;
      if (!isHere) continue;
      isMoving ||= idle < MOVE_TIME;
      wakes = Math.min(wakes, IDLE_TIME - idle);
      const at = between(cursor, now);
      if (other.isPointing) Trail.dot(ctx, at, view.scale);
      const { x, y } = view.toScreen(at);
      root.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    }
    // Updates once more when the next cursor has been idle for too long.
    this.stop();
    if (wakes < Infinity) {
      this.stop = clock.after(Math.max(wakes, FADE_TIME) + 20, () => this.board.refresh());
    }
    return isMoving;
  }

  close() {
    this.stop();
    this.writers.close();
    this.layer.remove();
  }
}

/**
 * @param {Cursor} cursor
 * @param {number} now
 */
const between = ({ at, to, since }, now) =>
  plus(at, times(minus(to, at), clamp((now - since) / MOVE_TIME, 0, 1)));

/** @param {string} className */
const box = (className, textContent = "") =>
  Object.assign(document.createElement("div"), { className, textContent });
