// The others: a cursor with a name for everybody who moves one, the light of those who point, a hand for those who raise it.
// Cursors are elements of the page over the canvases, so that names are sharp and nothing is drawn anew for them.

import { FADES, Trail } from "./trail.js";

/** @typedef {import("../core/geom.js").Spot} Spot */
/**
 * Somebody else in the room. `colour` is a CSS colour that white letters can be read on.
 * @typedef {{number: number, name: string, colour: string, pointer?: {scene: number, unit: number, x: number, y: number},
 *   isPointing?: boolean, hasRaised?: boolean, isAway?: boolean}} Other
 */
/** @typedef {{root: HTMLElement, at: Spot, to: Spot, since: number, other: Other, trail: Trail}} Cursor */

/** Positions come twenty times a second; a cursor takes this long (ms) from one to the next. */
const GLIDE = 70;
/** Who has not moved for so long (ms) is not shown: an old place says nothing. */
const IDLE = 15_000;

const ARROW = "M1 1 L1 15 L5 11.2 L7.6 17 L10 15.9 L7.4 10.2 L13 10 Z";
const HAND = "M5 11V6a1 1 0 0 1 2 0v4V3.5a1 1 0 0 1 2 0V10V4.5a1 1 0 0 1 2 0V11V7a1 1 0 0 1 2 0v6a5 5 0 0 1-9 3"
  + "l-2.6-4.2a1 1 0 0 1 1.7-1.1L5 13z";

export class Presence {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.layer = document.createElement("div");
    Object.assign(this.layer.style, { position: "absolute", inset: "0", overflow: "hidden", pointerEvents: "none", zIndex: "2" });
    this.layer.setAttribute("aria-hidden", "true");
    board.root.append(this.layer);
    /** @type {Map<number, Cursor>} */
    this.cursors = new Map();
  }

  // Everybody else who is here now.
  /** @param {Iterable<Other>} others */
  set(others) {
    const here = new Set();
    for (const other of others) {
      here.add(other.number);
      this.#put(other);
    }
    for (const [number, cursor] of this.cursors) if (!here.has(number)) this.#remove(number, cursor);
    this.board.refresh();
  }

  /** @param {Other} other */
  #put(other) {
    const { pointer } = other;
    const scale = 2 ** (pointer?.unit ?? 0);
    const to = { x: (pointer?.x ?? 0) * scale, y: (pointer?.y ?? 0) * scale };
    const old = this.cursors.get(other.number);
    const now = this.board.clock.now();
    if (!old) {
      const root = label(other);
      this.layer.append(root);
      // A place that was left before we came is no news.
      this.cursors.set(other.number, { root, at: to, to, since: -Infinity, other, trail: new Trail() });
      return;
    }
    if (old.other.name !== other.name || old.other.colour !== other.colour || old.other.hasRaised !== other.hasRaised) {
      const root = label(other);
      old.root.replaceWith(root);
      old.root = root;
    }
    const hasMoved = pointer && (to.x !== old.to.x || to.y !== old.to.y || pointer.scene !== old.other.pointer?.scene);
    if (hasMoved) [old.at, old.to, old.since] = [this.#between(old, now), to, now];
    if (other.isPointing && hasMoved) old.trail.add(to, now);
    if (!other.isPointing && old.other.isPointing) old.trail.lift();
    old.other = other;
  }

  /** @param {number} number @param {Cursor} cursor */
  #remove(number, cursor) {
    cursor.root.remove();
    this.cursors.delete(number);
  }

  /** @param {Cursor} cursor @param {number} now @returns {Spot} */
  #between({ at, to, since }, now) {
    const part = Math.min(Math.max((now - since) / GLIDE, 0), 1);
    return { x: at.x + (to.x - at.x) * part, y: at.y + (to.y - at.y) * part };
  }

  // Puts cursors where they are now; does any of them still move?
  /** @param {CanvasRenderingContext2D} ctx */
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
      const at = this.#between(cursor, now);
      if (other.isPointing) Trail.dot(ctx, at, view.scale);
      const { x, y } = view.toScreen(at);
      root.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    }
    this.#wake(wakes);
    return isMoving;
  }

  // Once more when the next one has been idle for too long.
  /** @param {number} ms */
  #wake(ms) {
    this.stop?.();
    this.stop = Number.isFinite(ms) ? this.board.clock.after(Math.max(ms, FADES) + 20, () => this.board.refresh()) : undefined;
  }

  close() {
    this.stop?.();
    this.layer.remove();
  }
}

/** @param {Other} other */
function label({ name, colour, hasRaised }) {
  const root = document.createElement("div");
  Object.assign(root.style, { position: "absolute", left: "0", top: "0", willChange: "transform" });
  root.append(icon(ARROW, 14, 19, colour, "#ffffff"));
  const tag = document.createElement("div");
  Object.assign(tag.style, {
    position: "absolute", left: "12px", top: "15px", padding: "2px 7px", borderRadius: "3px 9px 9px 9px",
    font: "12px/16px system-ui, 'PingFang SC', 'Noto Sans CJK SC', 'WenQuanYi Micro Hei', sans-serif", whiteSpace: "nowrap",
    maxWidth: "160px", overflow: "hidden", textOverflow: "ellipsis", color: "#ffffff", background: colour,
    display: "flex", alignItems: "center", gap: "4px",
  });
  if (hasRaised) tag.append(icon(HAND, 14, 18, "#ffffff", "none"));
  tag.append(name);
  root.append(tag);
  return root;
}

/** @param {string} path @param {number} width @param {number} height @param {string} fill @param {string} stroke */
function icon(path, width, height, fill, stroke) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  const shape = document.createElementNS(space, "path");
  const attributes = { width, height, viewBox: `0 0 ${width} ${height}` };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, String(value));
  Object.assign(svg.style, { display: "block", overflow: "visible", flex: "none" });
  for (const [key, value] of Object.entries({ d: path, fill, stroke, "stroke-width": "1.2" })) shape.setAttribute(key, value);
  svg.append(shape);
  return svg;
}
