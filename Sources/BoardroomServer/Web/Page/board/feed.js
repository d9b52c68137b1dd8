// Keeps what the board draws in step with its source: the shelf to find things on, the tiles for what is
// drawn for good, and which elements the tiles cannot show yet.

import { background, isDrawn } from "../core/display.js";
import { Shelf, byKey, orderKey } from "../core/shelf.js";

/** A large room comes in parts, so that the page stays awake: so many elements a message to the tiles. */
const BATCH = 1000;
const PPT = "ppt";
/** What a page of a ppt covers: all there is. */
const ALL = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };

export class Feed {
  // Strokes whose pen is down.
  /** @type {Set<string>} */
  open = new Set();
  // What tiles do not show yet, and the version that will.
  /** @type {Map<string, number>} */
  fresh = new Map();
  // What hands have taken off the tiles: they draw it themselves.
  /** @type {Set<string>} */
  lifted = new Set();
  /** @type {Set<string>} */
  waiting = new Set();
  /** @type {Thing[]} */
  backlog = [];
  isAll = true;
  isLoading = false;
  /** @type {{put: Map<string, any>, gone: Set<string>, boxes: Box[]}} */
  parcel = { put: new Map(), gone: new Set(), boxes: [] };
  /** @type {any} */
  page = undefined;

  /**
   * @param {{source: Source, tiles: import("../core/tiles.js").Tiles, clock: {now(): number},
   *   onChanged(): void, read(element: Thing): Mark[]}} parts
   */
  constructor({ source, tiles, clock, onChanged, read }) {
    this.source = source;
    this.tiles = tiles;
    this.clock = clock;
    this.onChanged = onChanged;
    this.shelf = new Shelf(read);
    this.scene = source.scene;
    this.close = source.onChanged((ids) => this.changed(ids));
  }

  // Ids that changed; what is no list of ids: everything may have.
  /** @param {any} ids */
  changed(ids) {
    if (typeof ids === "object" && ids) for (const id of ids) this.waiting.add(id);
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
    // What was there before is drawn once, with its tiles; only what comes later must be seen at once.
    this.isLoading = true;
    while (this.backlog.length && this.clock.now() < end) {
      for (const element of this.backlog.splice(-64).reverse()) {
        if (this.source.element(element.id) === element) this.#take(element.id, element);
      }
    }
    this.isLoading = false;
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
    const { put, gone } = this.parcel;
    const { shelf, open, fresh, lifted, waiting } = this;
    for (const part of [shelf, open, fresh, lifted, waiting, put, gone]) part.clear();
    this.backlog = [];
    this.isAll = true;
    this.page = undefined;
    this.tiles.reset();
  }

  /** Values are replaced, never changed: who is the same value looks the same. */
  #compare() {
    this.isAll = false;
    const { entries } = this.shelf;
    const there = new Map([...this.source.elements(this.scene)].map((element) => [element.id, element]));
    for (const id of [...entries.keys()]) if (!there.has(id)) this.#take(id, undefined);
    this.backlog = [...there.values()].filter((element) => entries.get(element.id)?.element !== element)
      .reverse();
    const page = this.source.ppt?.(this.scene);
    if (page !== this.page) this.#turnPage(page);
  }

  /** @param {any} page */
  #turnPage(page) {
    this.page = page;
    this.parcel.gone.add(PPT);
    this.parcel.boxes.push(ALL);
    const mark = background(page);
    if (mark) this.parcel.put.set(PPT, { id: PPT, place: -1, key: "", shape: { type: "image", ...mark } });
  }

  /** @param {string} id @param {Thing | undefined} element */
  #take(id, element) {
    const old = this.shelf.entries.get(id);
    if (element && old && looksSame(element, old.element)) {
      old.element = element;
      return;
    }
    if (old) this.#gone(old);
    if (!element || element.scene !== this.scene || element.buried) {
      this.shelf.remove(id);
      this.lifted.delete(id);
      return;
    }
    const entry = this.shelf.put(element, orderKey(element));
    if (element.stroke && !element.stroke.ended) this.open.add(id);
    else if (!this.lifted.has(id)) this.#lay(entry);
  }

  /** @param {Entry} entry */
  #gone({ element: { id }, box }) {
    this.fresh.delete(id);
    this.parcel.put.delete(id);
    if (this.open.delete(id)) return;
    this.parcel.gone.add(id);
    this.parcel.boxes.push(box);
  }

  /** @param {Entry} entry */
  #lay({ element, key, box }) {
    if (!isDrawn(element)) return;
    if (!this.isLoading) this.fresh.set(element.id, this.tiles.version + 1);
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
      if (!this.open.has(id)) this.#gone(entry);
    }
    this.#send();
    this.onChanged();
  }

  /** @param {Iterable<string>} [ids] */
  lower(ids = [...this.lifted]) {
    for (const id of ids) {
      const entry = this.shelf.entries.get(id);
      if (this.lifted.delete(id) && entry && !this.open.has(id)) this.#lay(entry);
    }
    this.#send();
    this.onChanged();
  }

  // What lies over the tiles, in drawing order; what they show by now is no longer among it.
  /** @param {(box: Box, version: number) => boolean} isShown @returns {Entry[]} */
  above(isShown) {
    const { entries } = this.shelf;
    for (const [id, version] of this.fresh) {
      const entry = entries.get(id);
      if (!entry || isShown(entry.box, version)) this.fresh.delete(id);
    }
    const ids = [...this.fresh.keys(), ...[...this.open].filter((id) => !this.lifted.has(id))];
    return /** @type {Entry[]} */ (ids.map((id) => entries.get(id)).filter((entry) => entry)).sort(byKey);
  }
}

// The log's answer to what was drawn ahead is another value that looks the same.
/** @param {Thing} a @param {Thing} b */
function looksSame(a, b) {
  if (a === b) return true;
  const [one, other] = [a, b].map(({ place, scene, buried, stroke, set, shape }) =>
    JSON.stringify([place, scene, buried, stroke && [stroke.points, stroke.ended], set, shape]));
  return one === other;
}

// What a worker can be given: no views into the bytes of whole blocks.
/** @param {Thing} element @param {string} key */
function plain({ id, place, stroke, shape, set }, key) {
  const segments = stroke?.segments.map((segment) => {
    const { dx, dy, dp } = segment.read?.() ?? segment;
    return { dx, dy, dt: [], ...dp ? { dp } : {} };
  });
  const drawn = stroke && { begin: { ...stroke.begin }, ended: true, segments };
  return { id, place, key, stroke: drawn, shape, set };
}
