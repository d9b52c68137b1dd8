// Where things are: boxes by cells of 512 pixels, so that a place is looked up without looking at everything.

/** @typedef {import("./geom.js").Box} Box */

const CELL = 512;
/** What covers more cells than this is looked at every time, rather than noted in each. */
const MANY = 64;

export class Grid {
  constructor() {
    /** @type {Map<number, Set<string>>} */
    this.cells = new Map();
    /** @type {Map<string, Box>} */
    this.boxes = new Map();
    /** @type {Set<string>} */
    this.large = new Set();
  }

  /** @param {string} id @param {Box} box */
  set(id, box) {
    this.delete(id);
    this.boxes.set(id, box);
    const cells = cellsOf(box);
    if (!cells) this.large.add(id);
    for (const cell of cells ?? []) {
      const ids = this.cells.get(cell);
      if (ids) ids.add(id);
      else this.cells.set(cell, new Set([id]));
    }
  }

  /** @param {string} id */
  delete(id) {
    const box = this.boxes.get(id);
    if (!box) return;
    this.boxes.delete(id);
    this.large.delete(id);
    for (const cell of cellsOf(box) ?? []) {
      const ids = this.cells.get(cell);
      ids?.delete(id);
      if (ids?.size === 0) this.cells.delete(cell);
    }
  }

  // Everything whose box touches this one, in no order.
  /** @param {Box} box @returns {string[]} */
  within(box) {
    const cells = cellsOf(box);
    const near = new Set(cells ? this.large : this.boxes.keys());
    for (const cell of cells ?? []) for (const id of this.cells.get(cell) ?? []) near.add(id);
    return [...near].filter((id) => {
      const own = /** @type {Box} */ (this.boxes.get(id));
      return own.left <= box.right && box.left <= own.right && own.top <= box.bottom && box.top <= own.bottom;
    });
  }
}

// The cells that a box touches; undefined if they are many.
/** @param {Box} box */
function cellsOf(box) {
  const [left, right] = [Math.floor(box.left / CELL), Math.floor(box.right / CELL)];
  const [top, bottom] = [Math.floor(box.top / CELL), Math.floor(box.bottom / CELL)];
  if (!((right - left + 1) * (bottom - top + 1) <= MANY)) return undefined;
  const cells = [];
  for (let x = left; x <= right; x += 1) for (let y = top; y <= bottom; y += 1) cells.push(x * 2 ** 26 + y);
  return cells;
}
