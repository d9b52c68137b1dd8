// What of a scene a screen shows: the scene's place at the middle of the screen, and how many pixels of the screen (CSS
// pixels) one of the scene takes. A value that its owner changes; who draws listens.

import { centre, clamp } from "./geom.js";

/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {import("./geom.js").Box} Box */
/** @typedef {{x: number, y: number, scale: number}} Camera */

export const SMALLEST = 0.1;
export const LARGEST = 30;
/** Zooming by buttons and keys goes from one of these to the next. */
const STEPS = [0.1, 0.15, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 30];
/** Farther out than this no coordinate goes on the wire (docs/PROTOCOL.md, ranges). */
const FARTHEST = 2 ** 36;

export class View {
  constructor() {
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.width = 1;
    this.height = 1;
    /** @type {Set<(view: View) => void>} */
    this.listeners = new Set();
  }

  /** @returns {Camera} */
  get camera() { return { x: this.x, y: this.y, scale: this.scale }; }

  /** @param {Partial<Camera>} camera */
  set({ x = this.x, y = this.y, scale = this.scale }) {
    const next = {
      x: clamp(x, -FARTHEST, FARTHEST), y: clamp(y, -FARTHEST, FARTHEST), scale: clamp(scale, SMALLEST, LARGEST),
    };
    if (![x, y, scale].every(Number.isFinite)) return;
    if (next.x === this.x && next.y === this.y && next.scale === this.scale) return;
    Object.assign(this, next);
    this.#tell();
  }

  // The screen's size in CSS pixels.
  /** @param {number} width @param {number} height */
  resize(width, height) {
    if (width === this.width && height === this.height) return;
    [this.width, this.height] = [Math.max(width, 1), Math.max(height, 1)];
    this.#tell();
  }

  #tell() {
    for (const listener of this.listeners) listener(this);
  }

  /** @param {Spot} at @returns {Spot} */
  toScene({ x, y }) {
    return { x: this.x + (x - this.width / 2) / this.scale, y: this.y + (y - this.height / 2) / this.scale };
  }

  /** @param {Spot} at @returns {Spot} */
  toScreen({ x, y }) {
    return { x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2 };
  }

  // What the screen shows.
  /** @returns {Box} */
  get seen() {
    const [x, y] = [this.width / 2 / this.scale, this.height / 2 / this.scale];
    return { left: this.x - x, top: this.y - y, right: this.x + x, bottom: this.y + y };
  }

  // By so many pixels of the screen, as a hand moves paper.
  /** @param {number} x @param {number} y */
  panBy(x, y) {
    this.set({ x: this.x - x / this.scale, y: this.y - y / this.scale });
  }

  // What is at this place of the screen stays there.
  /** @param {Spot} at @param {number} scale */
  zoomTo(at, scale) {
    const fixed = this.toScene(at);
    const next = clamp(scale, SMALLEST, LARGEST);
    this.set({
      x: fixed.x - (at.x - this.width / 2) / next, y: fixed.y - (at.y - this.height / 2) / next, scale: next,
    });
  }

  // The next step in (1) or out (-1), around the middle.
  /** @param {number} direction */
  zoomStep(direction) {
    const inside = STEPS.filter((step) => (direction > 0 ? step > this.scale * 1.01 : step < this.scale * 0.99));
    const next = direction > 0 ? inside[0] : inside[inside.length - 1];
    if (next) this.zoomTo({ x: this.width / 2, y: this.height / 2 }, next);
  }

  // Two fingers went from one pair of places to another: what was under them stays there.
  /** @param {[Spot, Spot]} before @param {[Spot, Spot]} after */
  pinch(before, after) {
    const [from, to] = [gap(before), gap(after)];
    const [was, is] = [between(before), between(after)];
    this.panBy(is.x - was.x, is.y - was.y);
    if (from > 1) this.zoomTo(is, this.scale * (to / from));
  }

  // The camera that shows a box as large as fits, with free space around it.
  /** @param {Box} box @param {number} [largest] @returns {Camera} */
  cameraFor(box, margin = 48, largest = 1) {
    const [width, height] = [Math.max(box.right - box.left, 1e-3), Math.max(box.bottom - box.top, 1e-3)];
    const room = { x: Math.max(this.width - 2 * margin, 32), y: Math.max(this.height - 2 * margin, 32) };
    const scale = clamp(Math.min(room.x / width, room.y / height, largest), SMALLEST, LARGEST);
    return { ...centre(box), scale };
  }

  /** The camera as the protocol has it: quarters of a pixel, 65,536ths. */
  get body() {
    return {
      unit: -2, x: Math.round(this.x * 4), y: Math.round(this.y * 4), scale: Math.max(Math.round(this.scale * 65536), 1),
    };
  }
}

// What a member's camera says.
/** @param {{unit: number, x: number, y: number, scale: number}} body @returns {Camera} */
export const cameraOf = ({ unit, x, y, scale }) => ({ x: x * 2 ** unit, y: y * 2 ** unit, scale: scale / 65536 });

// The camera a part of the way from one to another; zooming is felt in factors.
/** @param {Camera} from @param {Camera} to @param {number} part 0 to 1 @returns {Camera} */
export const cameraBetween = (from, to, part) => ({
  x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part,
  scale: from.scale * (to.scale / from.scale) ** part,
});

/** @param {[Spot, Spot]} pair */
const gap = ([a, b]) => Math.hypot(b.x - a.x, b.y - a.y);
/** @param {[Spot, Spot]} pair @returns {Spot} */
const between = ([a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
