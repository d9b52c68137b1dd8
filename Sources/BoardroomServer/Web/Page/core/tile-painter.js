// Draws tiles: squares of 512 device pixels of a scene at one scale. It has its own copy of the elements, takes messages
// and works in slices of time, so that it can live in a worker (tile-worker.js) or, where there is none, between frames.
//
//   put     {version, elements, gone: ids}     elements that are drawn for good, as plain values
//   want    {scale, theme, tiles: [[column, row, isThere]]}   all that is seen now, most wanted first; what is there
//                                                     already is drawn again when something on it changes
//   image   {src, image}                       a picture that was missing
//   reset   {}                                 another scene: forget everything
// and answers {tile: {scale, theme, column, row, version, bitmap}} (no bitmap: there is nothing) and {missing: src}.

import { isDrawn, marksOf } from "./display.js";
import { touches } from "./geom.js";
import { paint, paintDot } from "./paint.js";
import { Shelf } from "./shelf.js";

/** @typedef {import("./display.js").Mark} Mark */
/** @typedef {import("./shelf.js").Entry} Entry */
/** A tile in the making: how much of what lies in it is drawn. Done without a canvas: drawn at another time, or empty.
 *  @typedef {{column: number, row: number, canvas?: OffscreenCanvas, below: Entry[], at: number, version: number,
 *   isDone: boolean}} Work */

export const TILE = 512;
/** Display lists that are kept: 40 points take some 4 KB, so that this many take 30 MB. */
const KEPT = 8192;
/** Below this scale points nearer than half a pixel are left out. */
const COARSE = 0.5;
/** What is smaller than this many pixels is a dot. */
const DOT = 1.5;

// The part of the scene that a tile shows.
/** @param {number} column @param {number} row @param {number} scale */
export const tileBox = (column, row, scale) => ({
  left: (column * TILE) / scale, top: (row * TILE) / scale,
  right: ((column + 1) * TILE) / scale, bottom: ((row + 1) * TILE) / scale,
});

export class TilePainter {
  /** @param {{now(): number, answer(message: any, transfer?: Transferable[]): void}} host */
  constructor({ now, answer }) {
    this.now = now;
    this.answer = answer;
    this.shelf = new Shelf();
    /** @type {Map<string, CanvasImageSource | undefined>} */
    this.images = new Map();
    /** @type {Map<string, Mark[]>} */
    this.marks = new Map();
    // Wanted tiles, most wanted first.
    /** @type {Map<string, Work>} */
    this.works = new Map();
    this.scale = 1;
    this.version = 0;
    /** @type {import("./colours.js").Theme} */
    this.theme = "light";
  }

  /** @param {any} message */
  take(message) {
    if (message.do === "put") this.#put(message);
    else if (message.do === "want") this.#want(message);
    else if (message.do === "image") this.#image(message.src, message.image);
    else this.#reset();
  }

  #reset() {
    this.shelf.clear();
    this.marks.clear();
    this.works.clear();
  }

  /** @param {{version: number, elements: any[], gone: string[]}} message */
  #put({ version, elements, gone }) {
    this.version = version;
    for (const id of gone) this.#remove(id);
    for (const element of elements) {
      const isNew = !this.shelf.entries.has(element.id);
      if (!isNew) this.#remove(element.id);
      if (isDrawn(element)) this.#add(this.shelf.put(element, element.key), isNew);
    }
    for (const work of this.works.values()) if (!work.isDone) work.version = version;
  }

  /** @param {string} id */
  #remove(id) {
    const entry = this.shelf.entries.get(id);
    this.marks.delete(id);
    this.shelf.remove(id);
    if (entry) this.#around(entry).forEach((work) => this.#again(work));
  }

  // What comes on top of a finished tile is drawn onto it; anything else means drawing the tile again.
  /** @param {Entry} entry @param {boolean} isNew */
  #add(entry, isNew) {
    for (const work of this.#around(entry)) {
      const last = work.below[work.below.length - 1];
      const isOnTop = isNew && work.canvas && last && last.key < entry.key;
      if (!isOnTop) this.#again(work);
      else {
        work.below.push(entry);
        work.isDone = false;
      }
    }
  }

  /** @param {Entry} entry */
  #around({ box }) {
    return [...this.works.values()].filter(({ column, row }) => touches(tileBox(column, row, this.scale), box));
  }

  /** @param {Work} work */
  #again(work) {
    Object.assign(work, { at: 0, below: [], isDone: false, canvas: undefined, version: this.version });
  }

  /** @param {{scale: number, theme: import("./colours.js").Theme, tiles: [number, number, boolean][]}} message */
  #want({ scale, theme, tiles }) {
    const isSame = scale === this.scale && theme === this.theme;
    // How far apart points have to be depends on the scale where it is small.
    if (Math.min(scale, COARSE) !== Math.min(this.scale, COARSE)) this.marks.clear();
    const old = isSame ? this.works : new Map();
    [this.scale, this.theme] = [scale, theme];
    this.works = new Map(tiles.map(([column, row, isThere]) => {
      const key = `${column},${row}`;
      const work = old.get(key) ?? { column, row, below: [], at: 0, version: this.version, isDone: isThere };
      if (work.isDone && !isThere) this.#again(work);
      return [key, work];
    }));
  }

  /** @param {string} src @param {CanvasImageSource} image */
  #image(src, image) {
    this.images.set(src, image);
    for (const entry of this.shelf.entries.values()) {
      if (entry.element.shape?.type !== "image") continue;
      if (this.#marks(entry).some((mark) => mark.op === "image" && mark.src === src)) {
        this.#around(entry).forEach((work) => this.#again(work));
      }
    }
  }

  /** Is anything left to draw? */
  get isBusy() {
    for (const work of this.works.values()) if (!work.isDone) return true;
    return false;
  }

  // Draws for so many milliseconds, or until all is drawn.
  /** @param {number} budget */
  work(budget) {
    const end = this.now() + budget;
    for (const work of this.works.values()) {
      if (work.isDone) continue;
      if (!this.#draw(work, end)) return;
      if (this.now() >= end) return;
    }
  }

  // False if time was up before the tile was done.
  /** @param {Work} work @param {number} end */
  #draw(work, end) {
    const { column, row } = work;
    if (work.at === 0) work.below = this.shelf.within(tileBox(column, row, this.scale));
    if (work.below.length) {
      work.canvas ??= new OffscreenCanvas(TILE, TILE);
      const ctx = /** @type {OffscreenCanvasRenderingContext2D} */ (work.canvas.getContext("2d"));
      ctx.setTransform(this.scale, 0, 0, this.scale, -column * TILE, -row * TILE);
      const look = { theme: this.theme, image: (/** @type {string} */ src) => this.#picture(src) };
      while (work.at < work.below.length) {
        this.#paint(ctx, work.below[work.at], look);
        work.at += 1;
        if (work.at % 16 === 0 && this.now() >= end && work.at < work.below.length) return false;
      }
    }
    this.#finish(work);
    return true;
  }

  /** @param {OffscreenCanvasRenderingContext2D} ctx @param {Entry} entry @param {import("./paint.js").Look} look */
  #paint(ctx, entry, look) {
    const { box } = entry;
    const marks = this.#marks(entry);
    const size = Math.max(box.right - box.left, box.bottom - box.top) * this.scale;
    if (size < DOT) paintDot(ctx, marks, box, 1 / this.scale, look);
    else paint(ctx, marks, look);
  }

  /** @param {Work} work */
  #finish(work) {
    work.isDone = true;
    const { column, row, version, canvas } = work;
    const tile = { scale: this.scale, theme: this.theme, column, row, version };
    if (!canvas) return this.answer({ tile });
    // The canvas stays here, so that what is drawn later goes on top of it.
    const copy = new OffscreenCanvas(TILE, TILE);
    /** @type {OffscreenCanvasRenderingContext2D} */ (copy.getContext("2d")).drawImage(/** @type {any} */ (canvas), 0, 0);
    const bitmap = copy.transferToImageBitmap();
    this.answer({ tile: { ...tile, bitmap } }, [bitmap]);
  }

  /** @param {Entry} entry */
  #marks({ element }) {
    let marks = this.marks.get(element.id);
    if (!marks) {
      marks = marksOf(element, this.scale < COARSE ? 0.5 / this.scale : undefined);
      if (this.marks.size >= KEPT) this.marks.clear();
      this.marks.set(element.id, marks);
    }
    return marks;
  }

  /** @param {string} src */
  #picture(src) {
    if (!this.images.has(src)) {
      this.images.set(src, undefined);
      this.answer({ missing: src });
    }
    return this.images.get(src);
  }
}
