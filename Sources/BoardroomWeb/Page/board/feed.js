// Keeps in step with the source: the shelf to find things on, the tiles, and what they cannot show
// yet.
import { background, isDrawn } from "../render/display.js";
import { byKey, orderKey, Shelf } from "../render/shelf.js";

/**
 * A large room comes in parts, so that the page stays awake: so many elements a message to the
 * tiles.
 */
const BATCH = 1000;

/** The id that the page's background has among the tiles' elements. */
const PPT = "ppt";

export class Feed {
  /** @type {Map<string, number>} what tiles do not show yet, and the version that will */
  fresh = new Map();

  /** @type {Set<string>} what hands have taken off the tiles: they draw it themselves */
  lifted = new Set();

  /** @type {Set<string>} */
  waiting = new Set();

  /** @type {Thing[]} */
  backlog = [];

  isAll = true;

  /** @type {Map<string, any>} what tiles are told next */
  put = new Map();

  /** @type {Set<string>} */
  gone = new Set();

  /** @type {any} */
  page = undefined;

  /** @param {FeedParts} parts */
  constructor(parts) {
    const { source, onChanged, read } = parts;
    this.parts = parts;
    this.source = source;
    this.shelf = new Shelf(read);
    this.scene = source.scene;
    // Ids that changed; what is no list of ids: everything may have.
    this.close = source.onChanged((ids) => {
      if (typeof ids === "object" && ids) {
        for (const id of ids) {
          this.waiting.add(id);
        }
      } else {
        this.isAll = true;
      }
      onChanged();
    });
  }

  get isBusy() {
    return this.isAll || this.waiting.size > 0 || this.backlog.length > 0;
  }

  /**
   * Takes in what changed, for about so many milliseconds.
   * @param {number} budget
   */
  work(budget) {
    const end = this.parts.clock.now() + budget;
    if (this.source.scene !== this.scene) this.#turn();
    if (this.isAll) this.#compare();
    this.takeIn();
    while (this.backlog.length && this.parts.clock.now() < end) {
      for (const element of this.backlog.splice(-64).reverse()) {
        // What was there before is drawn once, with its tiles; only what comes later must be seen
        // at once.
        if (this.source.element(element.id) === element) this.#take(element.id, element, false);
      }
    }
    if (this.backlog.length === 0 || this.put.size >= BATCH) this.#send();
  }

  /** Another page is shown: nothing of the one before is of use. */
  #turn() {
    this.parts.onTurned();
    const { shelf, fresh, lifted, waiting, put, gone } = this;
    for (const part of [shelf, fresh, lifted, waiting, put, gone]) {
      part.clear();
    }
    this.scene = this.source.scene;
    this.isAll = true;
    this.page = undefined;
    this.parts.tiles.reset();
  }

  /** Takes in what is known to have changed. */
  takeIn() {
    for (const id of this.waiting) {
      this.#take(id, this.source.element(id));
    }
    this.waiting.clear();
  }

  /** Values are replaced, never changed: who is the same value looks the same. */
  #compare() {
    this.isAll = false;
    const { entries } = this.shelf;
    const elements = [...this.source.elements(this.scene)];
    const there = new Map(elements.map((element) => [element.id, element]));
    for (const id of [...entries.keys()]) {
      if (!there.has(id)) this.#take(id, undefined);
    }
    const isOther = (/** @type {Thing} */ one) => entries.get(one.id)?.element !== one;
    this.backlog = [...there.values()].reverse().filter(isOther);
    this.#compareBackground();
  }

  #compareBackground() {
    const page = this.source.ppt?.(this.scene);
    if (page === this.page) return;
    this.page = page;
    this.gone.add(PPT);
    const mark = background(page);
    if (!mark) return;
    const shape = { type: "image", ...mark };
    this.put.set(PPT, { id: PPT, place: -1, key: "", shape });
  }

  /**
   * @param {string} id
   * @param {Thing | undefined} element
   */
  #take(id, element, isNews = true) {
    const old = this.shelf.entries.get(id);
    if (element && old && looks(element) === looks(old.element)) {
      old.element = element;
      return;
    }
    if (old) this.#gone(id);
    if (!element || element.scene !== this.scene || element.buried) {
      this.lifted.delete(id);
      return this.shelf.remove(id);
    }
    const entry = this.shelf.put(element, orderKey(element));
    if (!this.lifted.has(id)) this.#lay(entry, isNews);
  }

  /** @param {string} id */
  #gone(id) {
    for (const part of [this.fresh, this.put]) {
      part.delete(id);
    }
    this.gone.add(id);
  }

  /** @param {Entry} entry */
  #lay({ element, key }, isNews = true) {
    if (!isDrawn(element)) return;
    // Strokes whose pen is down stay above until they end.
    const isOpen = element.stroke?.ended === false;
    if (isOpen || isNews) this.fresh.set(element.id, Infinity);
    if (!isOpen) this.put.set(element.id, plain(element, key));
  }

  #send() {
    if (this.put.size + this.gone.size === 0) return;
    const version = this.parts.tiles.put([...this.put.values()], [...this.gone]);
    for (const id of this.put.keys()) {
      if (this.fresh.has(id)) this.fresh.set(id, version);
    }
    for (const part of [this.put, this.gone]) {
      part.clear();
    }
  }

  /**
   * These leave the tiles until they are laid down again.
   * @param {Iterable<string>} ids
   */
  lift(ids) {
    const news = [...ids].filter((id) => this.shelf.entries.has(id) && !this.lifted.has(id));
    for (const id of news) {
      this.#gone(id);
    }
    for (const id of news) {
      this.lifted.add(id);
    }
    this.#send();
    this.parts.onChanged();
  }

  /** @param {Iterable<string>} [ids] */
  lower(ids = [...this.lifted]) {
    for (const id of ids) {
      const entry = this.shelf.entries.get(id);
      if (this.lifted.delete(id) && entry) this.#lay(entry);
    }
    this.#send();
    this.parts.onChanged();
  }

  /**
   * What lies over the tiles, in drawing order; what they show by now is no longer among it.
   * @param {(box: Box, version: number) => boolean} isShown
   */
  above(isShown) {
    const above = [];
    for (const [id, version] of this.fresh) {
      const entry = this.shelf.entries.get(id);
      if (entry && !(version < Infinity && isShown(entry.box, version))) above.push(entry);
      else this.fresh.delete(id);
    }
    return above.sort(byKey);
  }
}

/**
 * What is seen of an element: the log's answer to what was drawn ahead is another value that looks
 * the same.
 * @param {Thing} thing
 */
const looks = ({ place, scene, buried, stroke, set, shape }) =>
  JSON.stringify([place, scene, buried, stroke?.points, stroke?.ended, set, shape]);

/**
 * What a worker can be given: no views into the bytes of whole blocks.
 * @param {Thing} thing
 * @param {string} key
 */
function plain({ id, place, stroke, shape, set }, key) {
  const segments = stroke?.segments.map((segment) => segment.read?.() ?? segment);
  const drawn = stroke && { begin: { ...stroke.begin }, ended: true, segments };
  return { id, place, key, stroke: drawn, shape, set };
}
