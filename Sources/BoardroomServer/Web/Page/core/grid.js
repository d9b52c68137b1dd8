// Where things are: boxes by cells of 512 pixels, so that a place is looked up without looking at everything.

import { touches } from "./geom.js";

const CELL = 512;
/** What covers more cells than this is looked at every time, rather than noted in each. */
const MANY = 64;

export class Grid {
  /** @type {Map<number, Set<string>>} */
  cells = new Map();
  /** @type {Map<string, Box>} */
  boxes = new Map();
  /** @type {Set<string>} */
  large = new Set();

  /** @param {string} id @param {Box} box */
  set(id, box) {
    this.delete(id);
    this.boxes.set(id, box);
    const cells = cellsOf(box);
    if (!cells) this.large.add(id);
    for (const cell of cells ?? []) {
      if (!this.cells.get(cell)?.add(id)) this.cells.set(cell, new Set([id]));
    }
  }

  /** @param {string} id */
  delete(id) {
    const box = this.boxes.get(id);
    if (!box) return;
    this.boxes.delete(id);
    this.large.delete(id);
    for (const cell of cellsOf(box) ?? []) {
      this.cells.get(cell)?.delete(id);
      if (this.cells.get(cell)?.size === 0) this.cells.delete(cell);
    }
  }

  /** @param {Box} box */
  within(box) {
    const cells = cellsOf(box);
    const near = new Set(cells ? this.large : this.boxes.keys());
    for (const cell of cells ?? []) for (const id of this.cells.get(cell) ?? []) near.add(id);
    return [...near].filter((id) => touches(/** @type {Box} */ (this.boxes.get(id)), box));
  }
}

// The cells that a box touches; nothing if they are many.
/** @param {Box} box */
function cellsOf(box) {
  const [left, top, right, bottom] = [box.left, box.top, box.right, box.bottom]
    .map((at) => Math.floor(at / CELL));
  if (!((right - left + 1) * (bottom - top + 1) <= MANY)) return undefined;
  const cells = [];
  for (let x = left; x <= right; x += 1) for (let y = top; y <= bottom; y += 1) cells.push(x * 2 ** 26 + y);
  return cells;
}
