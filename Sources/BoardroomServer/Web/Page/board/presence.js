// The others: a cursor with a name for everybody who moves one, the light of those who point, a hand for
// those who raise it. Cursors are elements of the page over the canvases, so that names are sharp and nothing
// is drawn anew for them.

import { FADES, Trail } from "./trail.js";

/** @typedef {{root: HTMLElement, at: Spot, to: Spot, since: number, other: Other, trail: Trail}} Cursor */

/** Positions come twenty times a second; a cursor takes this long (ms) from one to the next. */
const GLIDE = 70;
/** Who has not moved for so long (ms) is not shown: an old place says nothing. */
const IDLE = 15_000;
const FONT = "12px/16px system-ui, 'PingFang SC', 'Noto Sans CJK SC', 'WenQuanYi Micro Hei', sans-serif";
const ARROW = "M1 1 L1 15 L5 11.2 L7.6 17 L10 15.9 L7.4 10.2 L13 10 Z";
const HAND = "M5 11V6a1 1 0 0 1 2 0v4V3.5a1 1 0 0 1 2 0V10V4.5a1 1 0 0 1 2 0V11V7a1 1 0 0 1 2 0v6"
  + "a5 5 0 0 1-9 3l-2.6-4.2a1 1 0 0 1 1.7-1.1L5 13z";

export class Presence {
  /** @type {Map<number, Cursor>} */
  cursors = new Map();
  stop = () => {};

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.layer = document.createElement("div");
    const over = { position: "absolute", inset: "0", overflow: "hidden", pointerEvents: "none", zIndex: "2" };
    Object.assign(this.layer.style, over);
    this.layer.setAttribute("aria-hidden", "true");
    board.root.append(this.layer);
  }

  /** @param {Iterable<Other>} others */
  set(others) {
    const gone = new Set(this.cursors.keys());
    for (const other of others) {
      gone.delete(other.number);
      this.#put(other);
    }
    for (const number of gone) {
      this.cursors.get(number)?.root.remove();
      this.cursors.delete(number);
    }
    this.board.refresh();
  }

  /** @param {Other} other */
  #put(other) {
    const { x, y, unit, scene } = other.pointer ?? { x: 0, y: 0, unit: 0, scene: -1 };
    const to = { x: x * 2 ** unit, y: y * 2 ** unit };
    const now = this.board.clock.now();
    const old = this.cursors.get(other.number);
    if (!old) {
      // A place that was left before we came is no news.
      const cursor = { root: label(other), at: to, to, since: -Infinity, other, trail: new Trail() };
      this.layer.append(cursor.root);
      this.cursors.set(other.number, cursor);
      return;
    }
    const before = old.other;
    if (before.name !== other.name || before.colour !== other.colour
      || before.hasRaised !== other.hasRaised) {
      const root = label(other);
      old.root.replaceWith(root);
      old.root = root;
    }
    const hasMoved = to.x !== old.to.x || to.y !== old.to.y || scene !== (before.pointer?.scene ?? -1);
    if (hasMoved) Object.assign(old, { at: between(old, now), to, since: now });
    if (hasMoved && other.isPointing) old.trail.add(to, now);
    if (!other.isPointing && before.isPointing) old.trail.lift();
    old.other = other;
  }

  // Puts cursors where they are now; does any of them still move?
  /** @param {Ink} ctx */
  draw(ctx) {
    const now = this.board.clock.now();
    const { view, scene } = this.board;
    let isMoving = false;
    let wakes = Infinity;
    for (const cursor of this.cursors.values()) {
      const { other, root, since, trail } = cursor;
      const idle = now - since;
      const isHere = other.pointer?.scene === scene && idle < IDLE && !other.isAway;
      root.style.display = isHere && !other.isPointing ? "" : "none";
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
    if (wakes < Infinity) this.stop = this.board.clock.after(soon, () => this.board.refresh());
    return isMoving;
  }

  close() {
    this.stop();
    this.layer.remove();
  }
}

/** @param {Cursor} cursor @param {number} now @returns {Spot} */
function between({ at, to, since }, now) {
  const part = Math.min(Math.max((now - since) / GLIDE, 0), 1);
  return { x: at.x + (to.x - at.x) * part, y: at.y + (to.y - at.y) * part };
}

/** @param {Other} other */
function label({ name, colour, hasRaised }) {
  const root = document.createElement("div");
  Object.assign(root.style, { position: "absolute", left: "0", top: "0", willChange: "transform" });
  const tag = document.createElement("div");
  Object.assign(tag.style, {
    position: "absolute", left: "12px", top: "15px", padding: "2px 7px", borderRadius: "3px 9px 9px 9px",
    font: FONT,
    whiteSpace: "nowrap", maxWidth: "160px", overflow: "hidden", textOverflow: "ellipsis", color: "#ffffff",
    background: colour, display: "flex", alignItems: "center", gap: "4px",
  });
  tag.append(...hasRaised ? [icon(HAND, 14, 18, "#ffffff", "none")] : [], name);
  root.append(icon(ARROW, 14, 19, colour, "#ffffff"), tag);
  return root;
}

/** @param {string} d @param {number} width @param {number} height @param {string} fill
 *  @param {string} stroke */
function icon(d, width, height, fill, stroke) {
  const make = (/** @type {string} */ name, /** @type {Record<string, any>} */ attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return /** @type {SVGElement} */ (made);
  };
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  Object.assign(svg.style, { display: "block", overflow: "visible", flex: "none" });
  svg.append(make("path", { d, fill, stroke, "stroke-width": 1.2 }));
  return svg;
}
