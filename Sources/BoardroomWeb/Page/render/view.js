// The camera: the place of the scene in the middle of the screen, and how many CSS pixels one of
// the scene takes there.
import {
  boxOf,
  centre,
  clamp,
  distance,
  middle,
  minus,
  plus,
  sizeOf,
  spot,
  times,
} from "./geom.js";

/** The smallest scale of zooming by hand. */
export const SMALLEST = 0.1;

/** The smallest scale at all, at which everything is shown: 2^37 pixels on a screen of 300. */
const LEAST = 2 ** -30;

/** The largest scale. */
export const LARGEST = 30;

/** Scales of zooming by buttons and keys. */
const STEPS = [0.1, 0.15, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 30];

/** Coordinates farther out are not sent (docs/PROTOCOL.md, ranges). */
const FARTHEST = 2 ** 36;

/** Pixels of the screen around what fits. */
const MARGIN = 48;

export class View {
  x = 0;
  y = 0;
  scale = 1;
  width = 1;
  height = 1;

  /** @type {Set<(view: View) => void>} */
  listeners = new Set();

  get camera() {
    return { x: this.x, y: this.y, scale: this.scale };
  }

  /** @param {Partial<Camera>} camera what is missing stays as it is */
  set({ x = this.x, y = this.y, scale = this.scale }) {
    if (![x, y, scale].every(Number.isFinite)) return;
    this.#change({
      x: clamp(x, -FARTHEST, FARTHEST),
      y: clamp(y, -FARTHEST, FARTHEST),
      scale: clamp(scale, LEAST, LARGEST),
    });
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    this.#change({ width: Math.max(width, 1), height: Math.max(height, 1) });
  }

  /** @param {Partial<View>} next */
  #change(next) {
    if (Object.entries(next).every(([key, value]) => /** @type {any} */ (this)[key] === value)) {
      return;
    }
    Object.assign(this, next);
    for (const listener of this.listeners) {
      listener(this);
    }
  }

  /** @param {Spot} spot */
  toScene({ x, y }) {
    return spot(
      this.x + (x - this.width / 2) / this.scale,
      this.y + (y - this.height / 2) / this.scale,
    );
  }

  /** @param {Spot} spot */
  toScreen({ x, y }) {
    return spot(
      (x - this.x) * this.scale + this.width / 2,
      (y - this.y) * this.scale + this.height / 2,
    );
  }

  get seen() {
    return boxOf(this.toScene(spot(0, 0)), this.toScene(spot(this.width, this.height)));
  }

  /**
   * @param {number} x
   * @param {number} y by so many pixels of the screen, as a hand moves paper
   */
  panBy(x, y) {
    this.set({ x: this.x - x / this.scale, y: this.y - y / this.scale });
  }

  /**
   * Zooms; the place under a point of the screen stays there.
   * @param {Spot} at
   * @param {number} to
   */
  zoomTo(at, to) {
    const scale = clamp(to, Math.min(SMALLEST, this.scale), LARGEST);
    const fixed = this.toScene(at);
    this.set({ ...plus(fixed, times(minus(this, fixed), this.scale / scale)), scale });
  }

  /** @param {number} direction */
  zoomStep(direction) {
    // Where everything is shown, a step is a large one.
    const isTiny = this.scale < SMALLEST / 8;
    const [nearer] = STEPS.filter((step) => step > this.scale * 1.01);
    const further = isTiny ? this.scale * 8 : nearer;
    this.set({
      scale: direction > 0 ? further : STEPS.filter((step) => step < this.scale * 0.99).pop(),
    });
  }

  /**
   * Moves and zooms the view so that the places under two fingers stay under them.
   * @param {[Spot, Spot]} before
   * @param {[Spot, Spot]} after
   */
  pinch([a, b], [c, d]) {
    const { x, y } = minus(middle(c, d), middle(a, b));
    this.panBy(x, y);
    if (distance(a, b) > 1) {
      this.zoomTo(middle(c, d), this.scale * (distance(c, d) / distance(a, b)));
    }
  }

  /**
   * The camera that shows a box as large as possible, at its own size at most.
   * @param {Box} box
   * @param {number} [most] or at this scale
   */
  cameraFor(box, most = 1) {
    const { x, y } = sizeOf(box);
    const wide = Math.max(this.width - 2 * MARGIN, 32);
    const high = Math.max(this.height - 2 * MARGIN, 32);
    const fit = Math.min(wide / Math.max(x, 1e-3), high / Math.max(y, 1e-3));
    return { ...centre(box), scale: clamp(fit, LEAST, most) };
  }

  /**
   * The camera that shows all that somebody else sees, as large as possible.
   * @param {Camera} camera
   * @param {{width: number, height: number}} [screen] on which they see it; not known: their middle
   *   and scale are taken
   */
  cameraLike({ x, y, scale }, screen = this) {
    const fit = Math.min(this.width / screen.width, this.height / screen.height);
    return { x, y, scale: clamp(scale * fit, LEAST, LARGEST) };
  }

  /** The camera as the protocol has it: quarters of a pixel, 65,536ths. */
  get body() {
    const x = Math.round(this.x * 4);
    const y = Math.round(this.y * 4);
    const scale = Math.max(Math.round(this.scale * 65536), 1);
    return { unit: -2, x, y, scale };
  }
}

/** @param {Camera & {unit: number}} of */
export const cameraOf = ({ unit, x, y, scale }) => ({
  x: x * 2 ** unit,
  y: y * 2 ** unit,
  scale: scale / 65536,
});

/**
 * @type {(from: Camera, to: Camera, part: number) => Camera} part of the way; zoom is felt in
 *   factors
 */
export const cameraBetween = (from, to, part) => ({
  x: from.x + (to.x - from.x) * part,
  y: from.y + (to.y - from.y) * part,
  scale: from.scale * (to.scale / from.scale) ** part,
});
