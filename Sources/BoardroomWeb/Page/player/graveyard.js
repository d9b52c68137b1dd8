// What is no longer where it was: elements that were erased, and the places from which elements
// were moved away, with when and by whom. Pure: a walk shows it the events (walk.js).
import { body } from "../protocol/records.js";
import { isDrawn } from "../render/display.js";
import { sceneElements } from "../state/model.js";

/** Graves that are kept; if there are more, the oldest go. */
const MOST_GRAVES = 20_000;

/** Attributes whose change moves an element away. */
const MOVES = ["x", "y", "transform", "points"];

export class Graveyard {
  /** @type {Replay.Grave[]} by rising revision */
  graves = [];

  /** @type {Map<string, Replay.Grave>} of elements that are off the board */
  #open = new Map();

  /** @type {RoomElement[]} that the next event may take away */
  #doomed = [];

  /**
   * @param {Replay.Rec} rec
   * @param {Replay.State} state before it
   */
  before(rec, state) {
    this.#doomed = doomedBy(rec, state).filter(isDrawn);
  }

  /**
   * @param {Replay.Rec} rec
   * @param {FoldChange} change
   * @param {Replay.State} state after it
   */
  see(rec, change, state) {
    const by = rec.by ?? -1;
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
   *   at the end
   */
  at(revision, scene) {
    return this.graves.filter(
      (grave) =>
        grave.element.scene === scene && grave.revision <= revision && revision < grave.back,
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
