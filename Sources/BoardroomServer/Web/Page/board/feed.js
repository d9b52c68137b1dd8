// Keeps what the board draws in step with its source: the shelf to find things on, the tiles for what is drawn for good,
// and which elements the tiles cannot show yet.

import { background, isDrawn } from "../core/display.js";
import { Shelf, boxOfElement, orderKey } from "../core/shelf.js";

/** @typedef {import("../core/display.js").Element} Element */
/** @typedef {import("../core/geom.js").Box} Box */
/**
 * @typedef {{scene: number, elements(scene: number): Iterable<Element>, element(id: string): Element | undefined,
 *   onChanged(fn: (ids: any) => void): any, ppt?(scene: number): any}} Source
 */

/** A large room comes in parts, so that the page stays awake: so many elements a message to the tiles. */
const BATCH = 1000;
const PPT = "ppt";

export class Feed {
  /** @param {{source: Source, tiles: import("../core/tiles.js").Tiles, clock: {now(): number}, onChanged(): void,
   *   read(element: Element): import("../core/display.js").Mark[]}} parts */
  constructor({ source, tiles, clock, onChanged, read }) {
    this.source = source;
    this.tiles = tiles;
    this.clock = clock;
    this.onChanged = onChanged;
    this.shelf = new Shelf(read);
    this.scene = source.scene;
    // Strokes whose pen is down.
    /** @type {Set<string>} */
    this.open = new Set();
    // What tiles do not show yet, and the version that will.
    /** @type {Map<string, number>} */
    this.fresh = new Map();
    // What hands have taken off the tiles: they draw it themselves.
    /** @type {Set<string>} */
    this.lifted = new Set();
    /** @type {Set<string>} */
    this.waiting = new Set();
    /** @type {Element[]} */
    this.backlog = [];
    this.isAll = true;
    // What goes to the tiles next.
    /** @type {{put: Map<string, Element>, gone: Set<string>, boxes: Box[]}} */
    this.parcel = { put: new Map(), gone: new Set(), boxes: [] };
    /** @type {any} */
    this.page = undefined;
    const stop = source.onChanged((ids) => this.changed(ids));
    /** @type {() => void} */
    this.close = typeof stop === "function" ? stop : () => {};
  }

  // Ids that changed; anything that is no list of ids: everything may have.
  /** @param {any} ids */
  changed(ids) {
    if (typeof ids !== "string" && typeof ids?.[Symbol.iterator] === "function") for (const id of ids) this.waiting.add(id);
    else this.isAll = true;
    this.onChanged();
  }

  get isBusy() { return this.isAll || this.waiting.size > 0 || this.backlog.length > 0; }

  // Takes in what changed, for about so many milliseconds.
  /** @param {number} budget */
  work(budget) {
    const end = this.clock.now() + budget;
    if (this.source.scene !== this.scene) this.#turnTo(this.source.scene);
    if (this.isAll) this.#compare();
    this.takeIn();
    while (this.backlog.length && this.clock.now() < end) {
      for (const element of this.backlog.splice(-64).reverse()) {
        if (this.source.element(element.id) === element) this.#take(element.id, element);
      }
    }
    if (this.backlog.length === 0 || this.parcel.put.size >= BATCH) this.#send();
  }

  /** What is known to have changed, at once. */
  takeIn() {
    for (const id of this.waiting) this.#take(id, this.source.element(id));
    this.waiting.clear();
  }

  /** @param {number} scene */
  #turnTo(scene) {
    this.scene = scene;
    this.shelf.clear();
    for (const set of [this.open, this.fresh, this.lifted, this.waiting]) set.clear();
    [this.backlog, this.isAll, this.page] = [[], true, undefined];
    this.parcel = { put: new Map(), gone: new Set(), boxes: [] };
    this.tiles.reset();
  }

  /** Values are replaced, never changed: who is the same value looks the same. */
  #compare() {
    this.isAll = false;
    const there = new Map([...this.source.elements(this.scene)].map((element) => [element.id, element]));
    for (const id of [...this.shelf.entries.keys()]) if (!there.has(id)) this.#take(id, undefined);
    this.backlog = [...there.values()].filter((element) => this.shelf.entries.get(element.id)?.element !== element).reverse();
    const page = this.source.ppt?.(this.scene);
    if (page !== this.page) this.#turnPage(page);
  }

  /** @param {any} page */
  #turnPage(page) {
    this.page = page;
    const mark = background(page);
    this.parcel.gone.add(PPT);
    this.parcel.boxes.push({ left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 });
    if (!mark) return;
    const shape = { type: "image", src: mark.src, x: mark.x, y: mark.y, width: mark.width, height: mark.height };
    this.parcel.put.set(PPT, /** @type {any} */ ({ id: PPT, place: -1, key: "", shape }));
  }

  /** @param {string} id @param {Element | undefined} element */
  #take(id, element) {
    const old = this.shelf.entries.get(id);
    if (element && old?.element === element) return;
    if (element && old && looksSame(element, old.element)) {
      old.element = element;
      return;
    }
    if (old) this.#gone(id, old.box);
    if (!element || element.scene !== this.scene || element.buried) {
      this.shelf.remove(id);
      this.lifted.delete(id);
      return;
    }
    const { key, box } = this.shelf.put(element, orderKey(element), boxOfElement(element));
    if (element.stroke && !element.stroke.ended) this.open.add(id);
    else if (isDrawn(element) && !this.lifted.has(id)) this.#lay(element, key, box);
  }

  /** @param {string} id @param {Box} box */
  #gone(id, box) {
    this.fresh.delete(id);
    this.parcel.put.delete(id);
    if (this.open.delete(id)) return;
    this.parcel.gone.add(id);
    this.parcel.boxes.push(box);
  }

  /** @param {Element} element @param {string} key @param {Box} box */
  #lay(element, key, box) {
    this.fresh.set(element.id, this.tiles.version + 1);
    this.parcel.put.set(element.id, plain(element, key));
    this.parcel.boxes.push(box);
  }

  #send() {
    const { put, gone, boxes } = this.parcel;
    if (put.size === 0 && gone.size === 0) return;
    const version = this.tiles.put([...put.values()], [...gone], boxes);
    for (const id of put.keys()) if (this.fresh.has(id)) this.fresh.set(id, version);
    this.parcel = { put: new Map(), gone: new Set(), boxes: [] };
  }

  // These leave the tiles until they are laid down again.
  /** @param {Iterable<string>} ids */
  lift(ids) {
    for (const id of ids) {
      const entry = this.shelf.entries.get(id);
      if (!entry || this.lifted.has(id)) continue;
      this.lifted.add(id);
      if (!this.open.has(id)) this.#gone(id, entry.box);
    }
    this.#send();
    this.onChanged();
  }

  /** @param {Iterable<string>} [ids] */
  lower(ids = [...this.lifted]) {
    for (const id of ids) {
      const entry = this.shelf.entries.get(id);
      if (!this.lifted.delete(id) || !entry || this.open.has(id)) continue;
      if (isDrawn(entry.element)) this.#lay(entry.element, entry.key, entry.box);
    }
    this.#send();
    this.onChanged();
  }

  // What lies over the tiles, in drawing order; what they show by now is no longer among it.
  /** @param {(box: Box, version: number) => boolean} isShown @returns {Element[]} */
  above(isShown) {
    const entries = [];
    for (const [id, version] of this.fresh) {
      const entry = this.shelf.entries.get(id);
      if (!entry || isShown(entry.box, version)) this.fresh.delete(id);
      else entries.push(entry);
    }
    for (const id of this.open) {
      const entry = this.shelf.entries.get(id);
      if (entry && !this.lifted.has(id)) entries.push(entry);
    }
    return entries.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ element }) => element);
  }
}

// The log's answer to what was drawn ahead is another value that looks the same.
/** @param {Element} a @param {Element} b */
function looksSame(a, b) {
  if (a.place !== b.place || a.scene !== b.scene || a.buried !== b.buried) return false;
  if (a.stroke?.points !== b.stroke?.points || a.stroke?.ended !== b.stroke?.ended) return false;
  if (a.stroke && a.stroke.points === undefined) return false;
  return JSON.stringify(a.set) === JSON.stringify(b.set) && (a.shape === b.shape || JSON.stringify(a.shape) === JSON.stringify(b.shape));
}

// What a worker can be given: no views into the bytes of whole blocks.
/** @param {Element} element @param {string} key */
function plain({ id, place, stroke, shape, set }, key) {
  const segments = stroke?.segments.map((segment) => {
    const { dx, dy, dp } = segment.read?.() ?? segment;
    return { dx, dy, dt: [], ...(dp ? { dp } : {}) };
  });
  const kept = stroke && { begin: { ...stroke.begin }, ended: true, segments };
  return /** @type {any} */ ({ id, place, key, stroke: kept, shape, set });
}
