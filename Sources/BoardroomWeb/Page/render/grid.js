// Boxes by cells of 512 pixels, so that a look-up at a place does not visit all of them.
import { touches } from "./geom.js";

/** Pixels of a cell's side. */
const CELL = 512;

/** A box that covers more cells is visited by every look-up. */
const MANY = 64;

/** The cell of boxes that cover many: one of its own. */
const LARGE = [NaN];

export class Grid {
  /** @type {Map<number, Set<string>>} */
  cells = new Map();

  /** @type {Map<string, Box>} */
  boxes = new Map();

  /**
   * @param {string} id
   * @param {Box} box
   */
  set(id, box) {
    this.delete(id);
    this.boxes.set(id, box);
    for (const cell of cellsOf(box) ?? LARGE) {
      if (!this.cells.get(cell)?.add(id)) this.cells.set(cell, new Set([id]));
    }
  }

  /** @param {string} id */
  delete(id) {
    const box = this.boxes.get(id);
    if (box) {
      for (const cell of cellsOf(box) ?? LARGE) {
        this.cells.get(cell)?.delete(id);
      }
    }
    this.boxes.delete(id);
  }

  /** @param {Box} box */
  within(box) {
    const near = cellsOf(box)
      ?.concat(LARGE)
      .flatMap((cell) => [...(this.cells.get(cell) ?? [])]);
    const is = (/** @type {string} */ id) => touches(/** @type {Box} */ (this.boxes.get(id)), box);
    return [...new Set(near ?? this.boxes.keys())].filter(is);
  }
}

/**
 * The cells that a box touches; none if they are many.
 * @param {Box} box
 */
function cellsOf({ left, top, right, bottom }) {
  const first = Math.floor(left / CELL);
  const last = Math.floor(right / CELL);
  const above = Math.floor(top / CELL);
  const below = Math.floor(bottom / CELL);
  if (!((last - first + 1) * (below - above + 1) <= MANY)) return undefined;
  const cells = [];
  for (let x = first; x <= last; x += 1) {
    for (let y = above; y <= below; y += 1) {
      cells.push(x * 2 ** 26 + y);
    }
  }
  return cells;
}
