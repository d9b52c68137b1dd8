// What of a scene a screen shows: the scene's place in the middle of the screen, and how many pixels of the
// screen (CSS pixels) one of the scene takes. Its owner changes it; who draws listens.

import { centre, clamp, distance, middle, sizeOf } from "./geom.js";

export const SMALLEST = 0.1;
export const LARGEST = 30;
/** Zooming by buttons and keys goes from one of these to the next. */
const STEPS = [0.1, 0.15, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 30];
/** Farther out than this no coordinate goes on the wire (docs/PROTOCOL.md, ranges). */
const FARTHEST = 2 ** 36;

export class View {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;
  /** @type {Set<(view: View) => void>} */
  listeners = new Set();

  get camera() { return { x: this.x, y: this.y, scale: this.scale }; }

  set(/** @type {Partial<Camera>} */ { x = this.x, y = this.y, scale = this.scale }) {
    if (![x, y, scale].every(Number.isFinite)) return;
    const [right, down] = [x, y].map((at) => clamp(at, -FARTHEST, FARTHEST));
    this.#change({ x: right, y: down, scale: clamp(scale, SMALLEST, LARGEST) });
  }

  /** @param {number} width @param {number} height */
  resize(width, height) { this.#change({ width: Math.max(width, 1), height: Math.max(height, 1) }); }

  #change(/** @type {Partial<View>} */ next) {
    if (Object.entries(next).every(([key, value]) => /** @type {any} */ (this)[key] === value)) return;
    Object.assign(this, next);
    for (const listener of this.listeners) listener(this);
  }

  toScene(/** @type {Spot} */ { x, y }) {
    return { x: this.x + (x - this.width / 2) / this.scale, y: this.y + (y - this.height / 2) / this.scale };
  }

  toScreen(/** @type {Spot} */ { x, y }) {
    return { x: (x - this.x) * this.scale + this.width / 2, y: (y - this.y) * this.scale + this.height / 2 };
  }

  get seen() {
    const [x, y] = [this.width / 2 / this.scale, this.height / 2 / this.scale];
    return { left: this.x - x, top: this.y - y, right: this.x + x, bottom: this.y + y };
  }

  // By so many pixels of the screen, as a hand moves paper.
  /** @param {number} x @param {number} y */
  panBy(x, y) { this.set({ x: this.x - x / this.scale, y: this.y - y / this.scale }); }

  // What is at this place of the screen stays there.
  /** @param {Spot} at @param {number} to */
  zoomTo(at, to) {
    const { x, y } = this.toScene(at);
    const scale = clamp(to, SMALLEST, LARGEST);
    this.set({ x: x - (at.x - this.width / 2) / scale, y: y - (at.y - this.height / 2) / scale, scale });
  }

  zoomStep(/** @type {number} */ direction) {
    const next = direction > 0 ? STEPS.find((step) => step > this.scale * 1.01)
      : STEPS.filter((step) => step < this.scale * 0.99).pop();
    if (next) this.set({ scale: next });
  }

  // Two fingers went from one pair of places to another: what was under them stays there.
  /** @param {[Spot, Spot]} before @param {[Spot, Spot]} after */
  pinch([a, b], [c, d]) {
    const [was, is] = [middle(a, b), middle(c, d)];
    this.panBy(is.x - was.x, is.y - was.y);
    if (distance(a, b) > 1) this.zoomTo(is, this.scale * (distance(c, d) / distance(a, b)));
  }

  // The camera that shows a box as large as fits, with free space around it.
  cameraFor(/** @type {Box} */ box, margin = 48, largest = 1) {
    const size = sizeOf(box);
    const [wide, high] = [Math.max(this.width - 2 * margin, 32), Math.max(this.height - 2 * margin, 32)];
    const fit = Math.min(wide / Math.max(size.x, 1e-3), high / Math.max(size.y, 1e-3), largest);
    return { ...centre(box), scale: clamp(fit, SMALLEST, LARGEST) };
  }

  /** The camera as the protocol has it: quarters of a pixel, 65,536ths. */
  get body() {
    const [x, y, scale] = [this.x * 4, this.y * 4, this.scale * 65536].map(Math.round);
    return { unit: -2, x, y, scale };
  }
}

// What a member's camera says.
/** @param {{unit: number, x: number, y: number, scale: number}} body @returns {Camera} */
export const cameraOf = ({ unit, x, y, scale }) =>
  ({ x: x * 2 ** unit, y: y * 2 ** unit, scale: scale / 65536 });

// The camera a part of the way from one to another; zooming is felt in factors.
/** @param {Camera} from @param {Camera} to @param {number} part 0 to 1 @returns {Camera} */
export const cameraBetween = (from, to, part) => ({
  x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part,
  scale: from.scale * (to.scale / from.scale) ** part,
});
