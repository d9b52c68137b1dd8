// What is no longer where it was: elements that were erased, and the places from which elements
// were moved away, with when and by whom. Pure: a walk shows it the events (walk.js).

import { canonical } from "../protocol/json.js";
import { body } from "../protocol/records.js";
import { isDrawn } from "../render/display.js";
import { sceneElements } from "../state/model.js";

/** Graves that are kept; if there are more, the oldest go. */
const MOST_GRAVES = 20_000;

/** Removals of pages that are kept; if there are more, the oldest go. */
const MOST_REMOVALS = 1_000;

/** Attributes whose change moves an element away. */
const MOVES = ["x", "y", "transform", "points"];

export class Graveyard {
  /** @type {Replay.Grave[]} by rising revision */
  graves = [];

  /** @type {Map<string, Replay.Grave>} of elements that are off the board */
  #open = new Map();

  /** @type {RoomElement[]} that the next event may take away */
  #doomed = [];

  /** @type {Map<number, number>} pages that the next event removes, and the page after each */
  #doomedPages = new Map();

  /** @type {{revision: number, pages: Map<number, number>}[]} by rising revision */
  #removals = [];

  /**
   * @param {Replay.Rec} rec
   * @param {Replay.State} state before it
   */
  before(rec, state) {
    this.#doomedPages = pagesRemovedBy(rec, state);
    const onPages = [...this.#doomedPages.keys()].flatMap((page) => sceneElements(state, page));
    this.#doomed = [...doomedBy(rec, state), ...onPages].filter(isDrawn);
  }

  /**
   * @param {Replay.Rec} rec
   * @param {FoldChange} change
   * @param {Replay.State} state after it
   */
  see(rec, change, state) {
    const by = rec.by ?? -1;
    this.#noteRemoval(rec.rev, state);
    for (const element of this.#doomed) {
      const is = state.element(element.id);
      if (is === element) continue;
      const grave = { element, revision: rec.rev, time: rec.t, by, back: Infinity, isMoved: !!is };
      this.graves.push(grave);
      if (!is) this.#open.set(element.id, grave);
    }
    this.#doomed = [];
    for (const id of this.#open.size > 0 ? change.elements : []) {
      const grave = this.#open.get(id);
      if (!grave || !state.element(id)) continue;
      grave.back = rec.rev;
      this.#open.delete(id);
    }
    if (this.graves.length > 1.1 * MOST_GRAVES) this.#forgetOldest();
  }

  /**
   * @param {number} revision
   * @param {Replay.State} state after it
   */
  #noteRemoval(revision, state) {
    const gone = [...this.#doomedPages].filter(([page]) => !state.scene(page));
    if (gone.length === 0) return;
    this.#removals.push({ revision, pages: new Map(gone) });
    if (this.#removals.length > MOST_REMOVALS) this.#removals.shift();
  }

  /**
   * @param {number} revision
   * @returns {(page: number) => number} the page on which it shows what was on a page: another one,
   *   if that one was removed
   */
  pagesAt(revision) {
    /** @type {Map<number, number>} */
    const after = new Map();
    for (const { pages } of this.#removals.filter((one) => one.revision <= revision).reverse()) {
      for (const [page, next] of pages) {
        after.set(page, after.get(next) ?? next);
      }
    }
    return (page) => after.get(page) ?? page;
  }

  /** The oldest go, those of what was only moved first: nothing is lost with them. */
  #forgetOldest() {
    let excess = this.graves.length - MOST_GRAVES;
    const keeps = (/** @type {Replay.Grave} */ { isMoved }) => !isMoved || excess-- <= 0;
    const kept = this.graves.filter(keeps);
    const forgotten = kept.splice(0, Math.max(0, kept.length - MOST_GRAVES));
    for (const grave of forgotten) {
      if (this.#open.get(grave.element.id) === grave) this.#open.delete(grave.element.id);
    }
    this.graves = kept;
  }

  /**
   * @param {number} revision
   * @param {number} scene
   * @returns {Replay.Grave[]} of what was on this page before and is not any more, the last ones
   *   at the end; also of what was on pages that were removed, where this page was shown then
   */
  at(revision, scene) {
    const pageOf = this.pagesAt(revision);
    return this.graves.filter(
      (grave) =>
        grave.revision <= revision &&
        revision < grave.back &&
        pageOf(grave.element.scene) === scene,
    );
  }

  /**
   * @param {number} revision of an event
   * @returns {RoomElement[]} what it erased and nobody took back
   */
  erasedBy(revision) {
    const own = this.graves.filter((grave) => grave.revision === revision && !grave.isMoved);
    return own.filter(({ back }) => back === Infinity).map(({ element }) => element);
  }
}

/**
 * @param {Replay.Rec} rec
 * @param {Replay.State} state before it
 * @returns {Map<number, number>} the pages that it removes, and the page that is shown after each:
 *   the one that takes its name, or else the one that is turned to
 */
function pagesRemovedBy(rec, state) {
  if (rec.name === "scenesRemoved") {
    /** @type {{scenes?: number[], current?: number}} */
    const { scenes = [], current = -1 } = body(rec) ?? {};
    return new Map(scenes.map((page) => [page, current]));
  }
  if (rec.name !== "scenesPut") return new Map();
  /** @type {{directory?: string, scenes?: {id: number, name: string}[]}} */
  const { directory = "", scenes = [] } = body(rec) ?? {};
  const replaced = state.scenes.flatMap((page) => {
    if (canonical(page.directory) !== canonical(directory)) return [];
    const next = scenes.find(({ name }) => canonical(name) === canonical(page.name));
    return next ? [/** @type {[number, number]} */ ([page.id, next.id])] : [];
  });
  return new Map(replaced);
}

/**
 * @param {Replay.Rec} rec
 * @param {Replay.State} state before it
 * @returns {RoomElement[]} what it may take off its place
 */
function doomedBy(rec, state) {
  const found = (/** @type {string[]} */ ids) => ids.flatMap((id) => state.element(id) ?? []);
  switch (rec.name) {
    case "erased":
      return found(body(rec)?.elements ?? []);
    case "undone":
    case "redone":
      return found(body(rec)?.erased ?? []);
    case "sceneCleaned":
      return sceneElements(state, body(rec)?.scene);
    case "elementsChanged": {
      /** @type {any[]} */
      const changes = body(rec)?.changes ?? [];
      return found(
        changes.filter(({ set }) => MOVES.some((key) => key in set)).map(({ id }) => id),
      );
    }
    default:
      return [];
  }
}
