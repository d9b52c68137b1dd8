// Draws tiles: squares of 512 device pixels of a scene at one scale. It has its own copy of the elements,
// takes messages and works in slices of time, so that it can live in a worker or between frames.
//
//   put     {version, elements, gone: ids}     elements that are drawn for good, as plain values
//   want    {scale, theme, tiles: [[column, row, isThere]]}     all that is seen now, most wanted first; what
//                                              is there already is drawn again when something on it changes
//   image   {src, image}                       a picture that was missing
//   reset   {}                                 another scene: forget everything
// It answers {tile: {scale, theme, column, row, version, bitmap}}, without a bitmap if there is nothing, and
// {missing: src}.

import { shown } from "./colours.js";
import { isDrawn, marksOf } from "./display.js";
import { sizeOf, touches } from "./geom.js";
import { paint } from "./paint.js";
import { Shelf } from "./shelf.js";

/** How much of what lies in a tile is drawn. Done without a canvas: drawn at another time, or empty.
 *  @typedef {{column: number, row: number, canvas?: OffscreenCanvas, below: Entry[], at: number,
 *   version: number, isDone: boolean}} Work */

export const TILE = 512;
/** Display lists that are kept: 40 points take some 4 KB, so that this many take 30 MB. */
const KEPT = 8192;
/** Below this scale points nearer than half a pixel are left out. */
const COARSE = 0.5;
/** What is smaller than this many pixels is a dot. */
const DOT = 1.5;

/** @param {{column: number, row: number}} tile @param {number} scale @returns {Box} */
export const tileBox = ({ column, row }, scale) => ({
  left: (column * TILE) / scale, top: (row * TILE) / scale,
  right: ((column + 1) * TILE) / scale, bottom: ((row + 1) * TILE) / scale,
});

/** @param {OffscreenCanvas} canvas */
const inkOf = (canvas) => /** @type {Ink} */ (/** @type {any} */ (canvas.getContext("2d")));

export class TilePainter {
  shelf = new Shelf();
  /** @type {Map<string, CanvasImageSource | undefined>} */
  images = new Map();
  /** @type {Map<string, Mark[]>} */
  marks = new Map();
  // Wanted tiles, most wanted first.
  /** @type {Map<string, Work>} */
  works = new Map();
  scale = 1;
  version = 0;
  /** @type {Look} */
  look = { theme: "light", image: (src) => this.#picture(src) };

  /** @param {{now(): number, answer(message: any, transfer?: Transferable[]): void}} host */
  constructor({ now, answer }) {
    this.now = now;
    this.answer = answer;
  }

  /** @param {any} message */
  take(message) {
    if (message.do === "put") this.#put(message);
    else if (message.do === "want") this.#want(message);
    else if (message.do === "image") this.#image(message);
    else for (const part of [this.shelf, this.marks, this.works]) part.clear();
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

  // What comes on top of a tile is drawn onto it; anything else means drawing the tile again.
  /** @param {Entry} entry @param {boolean} isNew */
  #add(entry, isNew) {
    for (const work of this.#around(entry)) {
      const last = work.below[work.below.length - 1];
      if (!isNew || !work.canvas || !last || last.key >= entry.key) this.#again(work);
      else {
        work.below.push(entry);
        work.isDone = false;
      }
    }
  }

  /** @param {Entry} entry */
  #around({ box }) {
    return [...this.works.values()].filter((work) => touches(tileBox(work, this.scale), box));
  }

  /** @param {Work} work */
  #again(work) {
    Object.assign(work, { at: 0, below: [], isDone: false, canvas: undefined, version: this.version });
  }

  /** @param {{scale: number, theme: Theme, tiles: [number, number, boolean][]}} message */
  #want({ scale, theme, tiles }) {
    // How far apart points have to be depends on the scale where it is small.
    if (Math.min(scale, COARSE) !== Math.min(this.scale, COARSE)) this.marks.clear();
    const old = scale === this.scale && theme === this.look.theme ? this.works : new Map();
    this.scale = scale;
    this.look.theme = theme;
    this.works = new Map(tiles.map(([column, row, isThere]) => {
      const key = `${column},${row}`;
      const work = old.get(key) ?? { column, row, below: [], at: 0, version: this.version, isDone: isThere };
      if (work.isDone && !isThere) this.#again(work);
      return [key, work];
    }));
  }

  /** @param {{src: string, image: CanvasImageSource}} message */
  #image({ src, image }) {
    this.images.set(src, image);
    for (const entry of this.shelf.entries.values()) {
      if (entry.element.shape?.type !== "image") continue;
      const shows = this.#marksOf(entry.element).some((mark) => mark.op === "image" && mark.src === src);
      if (shows) this.#around(entry).forEach((work) => this.#again(work));
    }
  }

  /** Is anything left to draw? */
  get isBusy() { return [...this.works.values()].some(({ isDone }) => !isDone); }

  // Draws for so many milliseconds, or until all is drawn.
  /** @param {number} budget */
  work(budget) {
    const end = this.now() + budget;
    for (const work of this.works.values()) {
      if (!work.isDone && (!this.#draw(work, end) || this.now() >= end)) return;
    }
  }

  // False if time was up before the tile was done.
  /** @param {Work} work @param {number} end */
  #draw(work, end) {
    const box = tileBox(work, this.scale);
    if (work.at === 0) work.below = this.shelf.within(box);
    const { below } = work;
    if (below.length) {
      work.canvas ??= new OffscreenCanvas(TILE, TILE);
      const ctx = inkOf(work.canvas);
      ctx.setTransform(this.scale, 0, 0, this.scale, -box.left * this.scale, -box.top * this.scale);
      while (work.at < below.length) {
        this.#paint(ctx, below[work.at]);
        work.at += 1;
        if (work.at % 16 === 0 && this.now() >= end && work.at < below.length) return false;
      }
    }
    this.#finish(work);
    return true;
  }

  /** @param {Ink} ctx @param {Entry} entry */
  #paint(ctx, { element, box }) {
    const marks = this.#marksOf(element);
    const [mark] = marks;
    const { x, y } = sizeOf(box);
    const isDot = Math.max(x, y) * this.scale < DOT;
    if (!isDot || !mark || mark.op === "image") return paint(ctx, marks, this.look);
    ctx.globalAlpha = mark.opacity;
    ctx.fillStyle = shown(mark.colour, this.look.theme);
    ctx.fillRect(box.left, box.top, Math.max(x, 1 / this.scale), Math.max(y, 1 / this.scale));
  }

  /** @param {Work} work */
  #finish(work) {
    work.isDone = true;
    const { column, row, version, canvas } = work;
    const tile = { scale: this.scale, theme: this.look.theme, column, row, version };
    if (!canvas) return this.answer({ tile });
    // The canvas stays here, so that what is drawn later goes on top of it.
    const copy = new OffscreenCanvas(TILE, TILE);
    inkOf(copy).drawImage(/** @type {any} */ (canvas), 0, 0);
    const bitmap = copy.transferToImageBitmap();
    this.answer({ tile: { ...tile, bitmap } }, [bitmap]);
  }

  /** @param {Thing} element */
  #marksOf(element) {
    const known = this.marks.get(element.id);
    if (known) return known;
    if (this.marks.size >= KEPT) this.marks.clear();
    const marks = marksOf(element, this.scale < COARSE ? 0.5 / this.scale : undefined);
    this.marks.set(element.id, marks);
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
