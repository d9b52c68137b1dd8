// Draws tiles: squares of 512 device pixels of a scene at one scale. It has its own copy of the
// elements, takes messages and works in slices of time, so that it can live in a worker or between
// frames.
import { marksOf } from "./display.js";
import { ElementIndex } from "./element-index.js";
import { inkFor } from "./far.js";
import { sizeOf, touches } from "./geom.js";
import { colourOf, paint } from "./paint.js";

/**
 * What a painter needs: `later` lets other things happen before the next slice, of so many ms.
 * @typedef {{
 *   now(): number;
 *   answer(message: FromPainter, transfer?: Transferable[]): void;
 *   later?(turn: () => void): void;
 *   slice?: number;
 * }} PaintHost
 */

/**
 * How much of what lies in a tile is drawn.
 * @typedef {Place & { box: Box; ctx?: Ink; below: Entry[]; at: number; isDone: boolean }} TileWork
 */

/** Device pixels of a tile's side. */
const TILE = 512;

/** Tiles that are kept, at most: some 100 MB of pixels. */
const MOST_TILES = 96;

/** Display lists that are kept, at most: of 40 points 4 KB each, 30 MB of them. */
const MOST_DISPLAY_LISTS = 8192;

/** Below this scale points nearer than half a pixel are left out. */
const COARSE_SCALE = 0.5;

/** A distance farther than all tiles in sight: of the ring around them. */
const RING_DISTANCE = 1e3;

/** Below this scale the smallest dots have so many device pixels: else nobody would find them. */
const TINY_SCALE = 0.02;

const TINY_DOT = 4;

/** What has fewer device pixels is a dot. */
const DOT_SIZE = 1.5;

/** @param {Place} place */
export const keyOf = ({ scale, column, row }) => `${scale} ${column},${row}`;

/**
 * Where a tile lies on a canvas, or on the scene itself.
 * @param {Place} place
 */
export function boxOfTile({ scale, column, row }, frame = { x: 0, y: 0, scale: 1 }) {
  const size = (TILE * frame.scale) / scale;
  const left = frame.x + column * size;
  const top = frame.y + row * size;
  return { left, top, right: left + size, bottom: top + size };
}

/**
 * The places of the tiles that a frame shows, or that are so many tiles around it.
 * @param {Frame} frame
 */
export function visible({ scale, x, y, width, height }, around = 0) {
  const left = Math.floor(-x / TILE) - around;
  const top = Math.floor(-y / TILE) - around;
  const right = (width - x) / TILE + around;
  const bottom = (height - y) / TILE + around;
  const places = [];
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) {
      places.push({ scale, column, row });
    }
  }
  return places;
}

export class TilePainter {
  index = new ElementIndex();

  /** @type {Map<string, CanvasImageSource | undefined>} */
  images = new Map();

  /** @type {Map<string, Mark[]>} */
  marks = new Map();

  /** @type {Map<string, TileWork>} tiles that are shown, the last wanted first */
  works = new Map();

  /** @type {TileWork[]} the most wanted first */
  wanted = [];

  scale = 1;
  age = 0;
  version = 0;
  isScheduled = false;

  /** More elements are on their way: what would be drawn now would have to be drawn again. */
  isWaiting = false;

  /** @type {Look} */
  look = { theme: "light", image: (src) => this.#picture(src) };

  /** @param {PaintHost} host */
  constructor(host) {
    this.host = host;
  }

  /** @param {ToPainter} message */
  handleMessage(message) {
    if (message.do === "put") {
      this.#update(message);
    } else if (message.do === "see") {
      this.#setFrame(message);
    } else if (message.do === "image") {
      this.images.set(message.src, message.image);
      this.works.forEach(markForRedrawing);
    } else {
      this.#reset();
    }
    if (this.isBusy) this.#scheduleSlice();
    else this.#tellDrawn();
  }

  #tellDrawn() {
    if (!this.isWaiting) this.host.answer({ drawn: this.version });
  }

  #reset() {
    this.isWaiting = false;
    for (const part of [this.index, this.marks, this.works]) {
      part.clear();
    }
    this.wanted = [];
  }

  #scheduleSlice() {
    if (this.isScheduled || this.isWaiting) return;
    this.isScheduled = true;
    this.host.later?.(() => {
      this.isScheduled = false;
      if (!this.isWaiting) this.drawTiles(this.host.slice ?? Infinity);
      if (this.isBusy) this.#scheduleSlice();
      else this.#tellDrawn();
    });
  }

  /** @param {ToPainter & {do: "put"}} of */
  #update({ version, elements, gone, more = false }) {
    this.version = version;
    this.isWaiting = more;
    for (const id of gone) {
      this.#remove(id);
    }
    for (const element of elements) {
      this.#remove(element.id);
      const entry = this.index.put(element, element.key);
      // An element on top of a tile is drawn onto it; for any other change the tile is drawn again.
      for (const work of this.#around(entry)) {
        if (!work.ctx || work.below[work.below.length - 1].key >= entry.key) markForRedrawing(work);
        else work.below.push(entry);
        work.isDone = false;
      }
    }
  }

  /** @param {string} id */
  #remove(id) {
    const entry = this.index.entries.get(id);
    if (entry) this.#around(entry).forEach(markForRedrawing);
    this.marks.delete(id);
    this.index.remove(id);
  }

  /** @param {Entry} entry */
  #around({ box }) {
    return [...this.works.values()].filter((work) => touches(work.box, box));
  }

  /**
   * Sets what is in sight. Those tiles are drawn first, then the ring around them, so that moving
   * the view slowly shows no empty tile.
   * @param {ToPainter & {do: "see"}} of
   */
  #setFrame({ age, theme, frame }) {
    const { scale } = frame;
    if (age !== this.age) this.works.clear();
    // The distance of points that are drawn depends on the scale, where that is small.
    if (Math.min(scale, COARSE_SCALE) !== Math.min(this.scale, COARSE_SCALE)) this.marks.clear();
    this.age = age;
    this.scale = scale;
    this.look.theme = theme;
    const before = this.wanted;
    this.wanted = wantedPlaces(frame).map(
      (place) => this.works.get(keyOf(place)) ?? emptyWork(place),
    );
    const works = [...this.wanted, ...this.works.values()];
    this.works = new Map(works.map((work) => [keyOf(work), work]));
    for (const work of before) {
      if (!this.wanted.includes(work)) discardCanvas(work);
    }
    this.#evict();
  }

  /** Forgets the tiles that have not been wanted for longest. */
  #evict() {
    const gone = [...this.works.keys()].slice(Math.max(MOST_TILES, this.wanted.length));
    for (const key of gone) {
      this.works.delete(key);
    }
    this.host.answer({ gone });
  }

  get isBusy() {
    return this.wanted.some(({ isDone }) => !isDone);
  }

  /**
   * Draws for so many milliseconds, or until all is drawn.
   * @param {number} budget
   */
  drawTiles(budget) {
    const end = this.host.now() + budget;
    for (const work of this.wanted) {
      if (!work.isDone && (!this.#draw(work, end) || this.host.now() >= end)) return;
    }
  }

  /**
   * Returns false if time was up before the tile was done.
   * @param {TileWork} work
   * @param {number} end
   */
  #draw(work, end) {
    const { scale, column, row, box } = work;
    if (work.at === 0) work.below = this.index.within(box);
    if (work.below.length > 0) work.ctx ??= new OffscreenCanvas(TILE, TILE).getContext("2d");
    const ctx = work.below.length > 0 ? work.ctx : undefined;
    const ink = ctx && inkFor(ctx, { scale, x: -column * TILE, y: -row * TILE });
    while (ink && work.at < work.below.length) {
      this.#paint(ink, work.below[work.at]);
      work.at += 1;
      if (work.at % 16 === 0 && this.host.now() >= end) return false;
    }
    work.isDone = true;
    const bitmap = ctx && bitmapOf(ctx);
    const tile = { scale, column, row, age: this.age, version: this.version, bitmap };
    this.host.answer({ tile }, bitmap ? [bitmap] : []);
    return true;
  }

  /**
   * @param {Ink} ctx
   * @param {Entry} entry
   */
  #paint(ctx, { element, box }) {
    if (this.marks.size >= MOST_DISPLAY_LISTS) this.marks.clear();
    const closest = this.scale < COARSE_SCALE ? 0.5 / this.scale : undefined;
    const marks = this.marks.get(element.id) ?? marksOf(element, closest);
    this.marks.set(element.id, marks);
    const [mark] = marks;
    const { x, y } = sizeOf(box);
    const isDot = mark && mark.op !== "image" && Math.max(x, y) * this.scale < DOT_SIZE;
    if (!isDot) return paint(ctx, marks, this.look);
    ctx.globalAlpha = mark.opacity;
    ctx.fillStyle = colourOf(mark, this.look);
    const least = (this.scale < TINY_SCALE ? TINY_DOT : 1) / this.scale;
    ctx.fillRect(box.left, box.top, Math.max(x, least), Math.max(y, least));
  }

  /** @param {string} src */
  #picture(src) {
    if (!this.images.has(src)) this.host.answer({ missing: src });
    this.images.set(src, this.images.get(src));
    return this.images.get(src);
  }
}

/**
 * @param {Frame} frame
 * @returns {Place[]} what is seen, the nearest to the middle first; then the ring around it
 */
function wantedPlaces(frame) {
  const { x, y, width, height } = frame;
  const column = (width / 2 - x) / TILE;
  const row = (height / 2 - y) / TILE;
  const seen = new Set(visible(frame).map(keyOf));
  const far = (/** @type {Place} */ place) =>
    (seen.has(keyOf(place)) ? 0 : RING_DISTANCE) +
    Math.hypot(place.column + 0.5 - column, place.row + 0.5 - row);
  return visible(frame, 1).sort((a, b) => far(a) - far(b));
}

/**
 * Copies the canvas, which stays here so that later elements can be drawn on top.
 * @param {Ink} ctx
 */
function bitmapOf(ctx) {
  const copy = new OffscreenCanvas(TILE, TILE);
  copy.getContext("2d").drawImage(ctx.canvas, 0, 0);
  return copy.transferToImageBitmap();
}

/**
 * @param {Place} place
 * @returns {TileWork} of a tile that nothing is drawn on yet
 */
const emptyWork = (place) => ({ ...place, box: boxOfTile(place), below: [], at: 0, isDone: false });

/**
 * A tile that is not in sight needs no canvas; if it has to change, it is drawn when it comes into
 * sight.
 * @param {TileWork} work
 */
const discardCanvas = (work) => Object.assign(work, { at: 0, ctx: undefined });

/** @param {TileWork} work */
const markForRedrawing = (work) => Object.assign(discardCanvas(work), { isDone: false });
