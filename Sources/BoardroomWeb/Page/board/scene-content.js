// The elements of the scene that is shown: an index to find them, the tiles that show them, and
// those that tiles do not show yet. All follow the source.
import { background, isDrawn } from "../render/display.js";
import { byKey, ElementIndex, orderKey } from "../render/element-index.js";

/**
 * `onSceneChange`: another scene is about to be shown; `marksOf`: the display list of an element.
 * @typedef {{
 *   source: Source;
 *   tiles: import("../render/tiles.js").Tiles;
 *   clock: Pick<Clock, "now" | "after">;
 *   onChanged(): void;
 *   onSceneChange(): void;
 *   marksOf(element: Thing): Mark[];
 * }} ContentParts
 */

/**
 * Elements that hands carry as a picture. At first they are in a layer of their own; then they are
 * put, and the picture is there until the tiles show those that are `unread`: `onPut` is called with
 * the version of the tiles that will.
 * @typedef {{
 *   ids: Set<string>;
 *   layer?: import("../render/tiles.js").Tiles;
 *   unread?: Set<string>;
 *   onPut?(version: number): void;
 * }} Carrying
 */

/**
 * Elements in one message to the tiles. A large room is sent in several, so that the page can react
 * in between.
 */
const BATCH_SIZE = 1000;

/**
 * Ms between two messages to the tiles that only bring what is drawn above them meanwhile: each
 * message has whole tiles painted, copied and shown again.
 */
const TILES_PAUSE = 250;

/** So many elements are drawn above the tiles without a pause being over. */
const MOST_WAITING = 64;

/** Ms in which elements that changed are read: of each frame, and when another scene is shown. */
const READ_BUDGET = 6;

/** The id of the scene's background among the elements of the tiles. */
const PPT = "ppt";

export class SceneContent {
  /**
   * elements that tiles do not show yet, and the version of the tiles that will
   * @type {Map<string, number>}
   */
  notOnTiles = new Map();

  /** @type {Set<string>} elements that a tool has taken off the tiles and draws itself */
  offTiles = new Set();

  /** @type {Set<string>} */
  changedIds = new Set();

  /** @type {Thing[]} */
  notYetRead = [];

  mustCompare = true;

  /** What is under way on a scene is being ended, because another one is shown. */
  isTurning = false;

  /** @type {Carrying | undefined} */
  carried = undefined;

  /** @type {Map<string, any>} elements of the next message to the tiles */
  toPut = new Map();

  /** @type {Set<string>} */
  toRemove = new Set();

  /** The tiles wait for more. */
  isOwing = false;

  /** When the tiles got their last message, in ms. */
  lastUpdate = -Infinity;

  stopPausing = () => {};

  /** @type {any} */
  page = undefined;

  /** @param {ContentParts} parts */
  constructor(parts) {
    const { source, onChanged, marksOf } = parts;
    this.parts = parts;
    this.source = source;
    this.index = new ElementIndex(marksOf);
    this.scene = source.scene;
    // The source tells ids that changed; anything else means that everything may have changed.
    this.stopListening = source.onChanged((ids) => {
      if (typeof ids === "object" && ids) {
        for (const id of ids) {
          this.changedIds.add(id);
        }
      } else {
        this.mustCompare = true;
      }
      // What hands, keys and menus do before the next frame is about the scene that is shown from
      // here on; what is under way ends with its scene.
      if (source.scene !== this.scene && !this.isTurning) this.update();
      onChanged();
    });
  }

  close() {
    this.stopListening();
    this.stopPausing();
  }

  get isBusy() {
    return this.mustCompare || this.changedIds.size > 0 || this.notYetRead.length > 0;
  }

  /**
   * Reads elements that changed, for about so many milliseconds.
   * @param {number} [budget]
   */
  update(budget = READ_BUDGET) {
    const end = this.parts.clock.now() + budget;
    if (this.source.scene !== this.scene) this.#changeScene();
    if (this.mustCompare) this.#compare();
    this.#readChanges(this.changedIds, end);
    while (this.notYetRead.length && this.parts.clock.now() < end) {
      for (const element of this.notYetRead.splice(-64).reverse()) {
        // Elements that were there before are drawn with their tiles; only new ones must be seen at
        // once.
        if (this.source.element(element.id) === element)
          this.#applyElement(element.id, element, false);
      }
    }
    const isAll = this.notYetRead.length === 0 && this.changedIds.size === 0;
    if (this.toPut.size >= BATCH_SIZE || (isAll && !this.#waits())) this.#updateTiles();
    if (isAll) this.#tellPut();
  }

  /** Whether the next message to the tiles can wait: all that it brings is seen above them. */
  #waits() {
    const { toPut, toRemove, notOnTiles, parts } = this;
    const rest = this.lastUpdate + TILES_PAUSE - parts.clock.now();
    if (rest <= 0 || toPut.size === 0 || toPut.size > MOST_WAITING) return false;
    if (toRemove.size > 0 || this.isOwing || this.carried) return false;
    if (![...toPut.keys()].every((id) => notOnTiles.has(id))) return false;
    this.stopPausing();
    this.stopPausing = parts.clock.after(rest, parts.onChanged);
    return true;
  }

  /** Another scene is shown: nothing of the scene before is needed. */
  #changeScene() {
    this.isTurning = true;
    this.parts.onSceneChange();
    this.isTurning = false;
    const { index, notOnTiles, offTiles, changedIds, toPut, toRemove } = this;
    for (const part of [index, notOnTiles, offTiles, changedIds, toPut, toRemove]) {
      part.clear();
    }
    this.scene = this.source.scene;
    this.mustCompare = true;
    this.page = undefined;
    this.carried = undefined;
    this.parts.tiles.reset();
  }

  /** Reads the elements that are known to have changed, but for those that are carried. */
  applyChanges() {
    const { carried, changedIds } = this;
    this.#readChanges(carried ? [...changedIds].filter((id) => !carried.ids.has(id)) : changedIds);
  }

  /** Reads all elements that are known to have changed. */
  flush() {
    this.#readChanges(this.changedIds);
  }

  /**
   * @param {Iterable<string>} ids
   * @param {number} [end] when to stop
   */
  #readChanges(ids, end = Infinity) {
    let count = 0;
    for (const id of ids) {
      this.changedIds.delete(id);
      const element = this.source.element(id);
      // Elements of another page change, too.
      this.#applyElement(id, element?.scene === this.scene ? element : undefined);
      count += 1;
      if (count % 64 === 0 && this.parts.clock.now() >= end) return;
    }
  }

  /**
   * A picture of elements is carried.
   * @param {string[]} ids
   * @param {boolean} isMost of the elements
   * @returns the layer that shows them
   */
  lift(ids, isMost) {
    this.flush();
    this.#updateTiles();
    for (const id of ids) {
      this.notOnTiles.delete(id);
    }
    const layer = this.parts.tiles.split(ids, isMost);
    this.carried = { ids: new Set(ids), layer };
    return layer;
  }

  /**
   * What was carried is put: it is read again bit by bit.
   * @param {(version: number) => void} onPut is called with the version of the tiles that show it
   */
  settle(onPut) {
    if (!this.carried) return;
    const { ids } = this.carried;
    this.carried = { ids, unread: new Set(ids), onPut };
    for (const id of ids) {
      this.changedIds.add(id);
    }
    this.parts.onChanged();
  }

  #tellPut() {
    this.carried?.onPut?.(this.parts.tiles.version);
    if (this.carried) this.carried.onPut = undefined;
  }

  /** The picture of what was carried is not shown any more. */
  drop() {
    if (this.carried?.unread?.size) this.flush();
    this.carried = undefined;
    this.#updateTiles();
  }

  /** Compares all elements. They are values that are replaced: the same value looks the same. */
  #compare() {
    this.mustCompare = false;
    const { entries } = this.index;
    const elements = [...this.source.elements(this.scene)];
    const there = new Map(elements.map((element) => [element.id, element]));
    for (const id of [...entries.keys()]) {
      if (!there.has(id)) this.#applyElement(id, undefined);
    }
    const isOther = (/** @type {Thing} */ one) => entries.get(one.id)?.element !== one;
    this.notYetRead = [...there.values()].reverse().filter(isOther);
    this.#compareBackground();
  }

  #compareBackground() {
    const page = this.source.ppt?.(this.scene);
    if (page === this.page) return;
    this.page = page;
    this.toRemove.add(PPT);
    const mark = background(page);
    if (!mark) return;
    const shape = { type: "image", ...mark };
    this.toPut.set(PPT, { id: PPT, place: -1, key: "", shape });
  }

  /**
   * @param {string} id
   * @param {Thing | undefined} element
   */
  #applyElement(id, element, isNews = true) {
    const old = this.index.entries.get(id);
    const isUnread = this.carried?.unread?.delete(id) === true;
    if (element && old && !isUnread && looks(element) === looks(old.element)) {
      return this.index.replace(element);
    }
    if (old) this.#removeFromTiles(id);
    if (!element || element.scene !== this.scene || element.buried) {
      this.offTiles.delete(id);
      return this.index.remove(id);
    }
    const entry = this.index.put(element, orderKey(element));
    if (!this.offTiles.has(id)) this.#draw(entry, isNews);
  }

  /** @param {string} id */
  #removeFromTiles(id) {
    // What is only above the tiles, as a stroke that is being drawn, need not be removed from them.
    const isOnTiles = this.notOnTiles.get(id) !== Infinity;
    for (const part of [this.notOnTiles, this.toPut]) {
      part.delete(id);
    }
    if (isOnTiles) this.toRemove.add(id);
  }

  /** @param {Entry} entry */
  #draw({ element, key }, isNews = true) {
    if (!isDrawn(element)) return;
    // Strokes that are still being drawn stay above the tiles until they end.
    const isOpen = element.stroke?.ended === false;
    const isNew = isNews && !this.carried?.ids.has(element.id);
    if (isOpen || isNew) this.notOnTiles.set(element.id, Infinity);
    if (!isOpen) this.toPut.set(element.id, plain(element, key));
  }

  #updateTiles() {
    if (this.toPut.size + this.toRemove.size === 0 && !this.isOwing) return;
    this.lastUpdate = this.parts.clock.now();
    const { layer, ids } = this.carried ?? {};
    const removed = [...this.toRemove];
    const isCarried = (/** @type {any} */ { id }) => layer !== undefined && ids?.has(id) === true;
    const put = [...this.toPut.values()];
    const above = put.filter(isCarried);
    if (above.length > 0 || removed.some((id) => isCarried({ id }))) layer?.update(above, removed);
    const below = above.length > 0 ? put.filter((one) => !isCarried(one)) : put;
    this.isOwing = this.changedIds.size > 0;
    const version = this.parts.tiles.update(below, removed, this.isOwing);
    for (const id of this.toPut.keys()) {
      if (this.notOnTiles.has(id)) this.notOnTiles.set(id, version);
    }
    for (const part of [this.toPut, this.toRemove]) {
      part.clear();
    }
  }

  /**
   * Takes elements off the tiles, because a tool draws them, until `putBackOnTiles`.
   * @param {Iterable<string>} ids
   */
  takeOffTiles(ids) {
    const news = [...ids].filter((id) => this.index.entries.has(id) && !this.offTiles.has(id));
    for (const id of news) {
      this.#removeFromTiles(id);
    }
    for (const id of news) {
      this.offTiles.add(id);
    }
    this.#updateTiles();
    this.parts.onChanged();
  }

  /** @param {Iterable<string>} [ids] */
  putBackOnTiles(ids = [...this.offTiles]) {
    for (const id of ids) {
      const entry = this.index.entries.get(id);
      if (this.offTiles.delete(id) && entry) this.#draw(entry);
    }
    this.#updateTiles();
    this.parts.onChanged();
  }

  /**
   * The elements above the tiles, in drawing order. Those that tiles show by now are left out from
   * here on.
   * @param {(box: Box, version: number) => boolean} isShown
   */
  above(isShown) {
    const above = [];
    for (const [id, version] of this.notOnTiles) {
      const entry = this.index.entries.get(id);
      if (entry && !(version < Infinity && isShown(entry.box, version))) above.push(entry);
      else this.notOnTiles.delete(id);
    }
    return above.sort(byKey);
  }
}

/**
 * A text that is equal for elements that look the same: the log's answer to an element that was
 * drawn ahead is another value that looks the same.
 * @param {Thing} thing
 */
const looks = ({ place, scene, buried, stroke, set, shape }) =>
  JSON.stringify([place, scene, buried, stroke?.points, stroke?.ended, set, shape]);

/**
 * An element as a worker can get it: without views into the bytes of whole blocks.
 * @param {Thing} thing
 * @param {string} key
 */
function plain({ id, place, stroke, shape, set }, key) {
  const segments = stroke?.segments.map((segment) => segment.read?.() ?? segment);
  const drawn = stroke && { begin: { ...stroke.begin }, ended: true, segments };
  return { id, place, key, stroke: drawn, shape, set };
}
