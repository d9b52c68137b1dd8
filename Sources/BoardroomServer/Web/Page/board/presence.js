// The others: a cursor with a name for everybody who moves one, the light of those who point, a hand for
// those who raise it. Cursors are elements of the page over the canvases (base.css says how they look), so
// that names are sharp and nothing is drawn anew for them.

import { FADES, Trail } from "./trail.js";

/** @typedef {{root: HTMLElement, at: Spot, to: Spot, since: number, other: Other, trail: Trail}} Cursor */

/** Positions come twenty times a second; a cursor takes this long (ms) from one to the next. */
const GLIDE = 70;
/** Who has not moved for so long (ms) is not shown: an old place says nothing. */
const IDLE = 15_000;

export class Presence {
  /** @type {Map<number, Cursor>} */ cursors = new Map();
  layer = box("cursors");
  stop = () => {};

  constructor(/** @type {import("./board.js").Board} */ board) {
    this.board = board;
    this.layer.setAttribute("aria-hidden", "true");
    board.root.append(this.layer);
  }

  set(/** @type {Iterable<Other>} */ others) {
    const before = this.cursors;
    this.cursors = new Map([...others].map((other) => [other.number, this.#cursor(other)]));
    for (const [number, { root }] of before) if (!this.cursors.has(number)) root.remove();
    this.board.refresh();
  }

  #cursor(/** @type {Other} */ other) {
    const { x, y, unit, scene } = other.pointer ?? { x: 0, y: 0, unit: 0, scene: -1 };
    const to = { x: x * 2 ** unit, y: y * 2 ** unit };
    const [now, known] = [this.board.clock.now(), this.cursors.get(other.number)];
    // A place that was left before we came is no news.
    const cursor = known ?? { root: box("cursor"), at: to, to, since: -Infinity, other, trail: new Trail() };
    const { root, trail, other: before } = cursor;
    if (!known) this.layer.append(root);
    const hasMoved = to.x !== cursor.to.x || to.y !== cursor.to.y || scene !== (before.pointer?.scene ?? -1);
    if (hasMoved) Object.assign(cursor, { at: between(cursor, now), to, since: now });
    if (hasMoved && other.isPointing) trail.add(to, now);
    if (!other.isPointing && before.isPointing) trail.lift();
    root.style.setProperty("--tone", other.colour);
    root.classList.toggle("raised", other.hasRaised === true);
    if (root.textContent !== other.name) root.replaceChildren(box("cursor-name", other.name));
    return Object.assign(cursor, { other });
  }

  // Puts cursors where they are now; does any of them still move?
  draw(/** @type {Ink} */ ctx) {
    const { view, scene, clock } = this.board;
    const now = clock.now();
    let [isMoving, wakes] = [false, Infinity];
    for (const cursor of this.cursors.values()) {
      const { other, root, since, trail } = cursor;
      const idle = now - since;
      const isHere = other.pointer?.scene === scene && idle < IDLE && !other.isAway;
      root.hidden = !isHere || other.isPointing === true;
      isMoving = trail.draw(ctx, now, view.scale) || isMoving;
      if (!isHere) continue;
      isMoving ||= idle < GLIDE;
      wakes = Math.min(wakes, IDLE - idle);
      const at = between(cursor, now);
      if (other.isPointing) Trail.dot(ctx, at, view.scale);
      const { x, y } = view.toScreen(at);
      root.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    }
    // Once more when the next one has been idle for too long.
    this.stop();
    const soon = Math.max(wakes, FADES) + 20;
    if (wakes < Infinity) this.stop = clock.after(soon, () => this.board.refresh());
    return isMoving;
  }

  close() {
    this.stop();
    this.layer.remove();
  }
}

function between(/** @type {Cursor} */ { at, to, since }, /** @type {number} */ now) {
  const part = Math.min(Math.max((now - since) / GLIDE, 0), 1);
  return { x: at.x + (to.x - at.x) * part, y: at.y + (to.y - at.y) * part };
}

const box = (/** @type {string} */ className, textContent = "") =>
  Object.assign(document.createElement("div"), { className, textContent });
