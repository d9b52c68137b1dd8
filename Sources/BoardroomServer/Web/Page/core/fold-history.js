import { buryElement, changeElement, patchesOf, removeElement, setElement } from "./fold-elements.js";
import { History } from "./history.js";
import { itemsOf, memberOf } from "./json.js";
import { Element } from "./state.js";

// What members can take back: how it is kept, struck out, taken back and done again. Where nobody keeps a history,
// nothing of this costs more than the question whether there is one.

/** @typedef {import("./fold.js").Rule} Rule */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./state.js").RoomState} RoomState */
/** @typedef {import("./records.js").Rec} Rec */
/** @typedef {import("./fold-elements.js").Work} Work */

/** Whether what the actor erases is buried. @param {RoomState} state @param {Rec} rec */
export const buries = (state, rec) => rec.by !== null && state.histories.has(rec.by);

/** What an event did becomes a step of its author, one for each scene that it worked on. */
export function recordWork(
  /** @type {RoomState} */ state, /** @type {Rec} */ rec, /** @type {Work[]} */ work, /** @type {Change} */ change
) {
  const history = rec.by === null ? undefined : state.histories.get(rec.by);
  if (history === undefined || work.length === 0) return;
  /** @type {string[]} */
  const released = [];
  for (const scene of new Set(work.map((one) => one.scene))) {
    const operations = work.filter((one) => one.scene === scene).map((one) => one.operation);
    history.record({ revision: state.revision, operations }, scene, released);
  }
  change.field("history");
  giveUp(state, released, change);
}

/**
 * Somebody touched an element, or `keys` of it: what others did to it that conflicts is theirs no longer. Without
 * an author nobody is spared.
 * @param {RoomState} state @param {string} id @param {string[] | null} keys @param {Rec | undefined} author
 * @param {Change} change
 */
export function strike(state, id, keys, author, change) {
  if (state.histories.size === 0) return;
  const element = state.elements.get(id);
  if (element === undefined) return;
  const ids = new Set([id]);
  strikeOut(state, author, change, (history, released) =>
    history.uses.has(id) && history.strike(ids, keys, element.scene, released));
}

/** All these, of one scene, went off the board. @param {RoomState} state @param {Set<string>} ids */
export function strikeAll(
  state, ids, /** @type {number} */ scene, /** @type {Rec} */ author, /** @type {Change} */ change
) {
  strikeOut(state, author, change, (history, released) => history.strike(ids, null, scene, released));
}

/** Nothing can be taken back on scenes that are gone. @param {RoomState} state @param {Set<number>} removed */
export function forgetScenes(state, removed, /** @type {Change} */ change) {
  strikeOut(state, undefined, change, (history, released) => history.drop(removed, released));
}

/**
 * @param {RoomState} state @param {Rec | undefined} author @param {Change} change
 * @param {(history: History, released: string[]) => boolean} strikes
 */
function strikeOut(state, author, change, strikes) {
  /** @type {string[]} */
  const released = [];
  for (const [owner, history] of state.histories) {
    if (author !== undefined && owner === author.by) continue;
    if (!strikes(history, released)) continue;
    change.field("struck");
    if (author === undefined) change.field("history");
  }
  giveUp(state, released, change);
}

/** A buried element that no history refers to any more is gone. @param {RoomState} state */
function giveUp(state, /** @type {Iterable<string>} */ released, /** @type {Change} */ change) {
  for (const id of released) {
    const element = state.elements.get(id);
    if (element?.buried && !isReferred(state, id)) removeElement(state, element, change);
  }
}

/** @param {RoomState} state @param {string} id */
const isReferred = (state, id) => [...state.histories.values()].some((history) => history.uses.has(id));

/** @param {RoomState} state @param {number} member @param {Change} change */
export function endHistory(state, member, change) {
  const history = state.histories.get(member);
  if (history === undefined) return;
  state.histories.delete(member);
  giveUp(state, history.uses.keys(), change);
}

/** How many steps of its own a member can take back on a scene. @param {RoomState} state */
export const undoSteps = (state, /** @type {number} */ member, scene = state.currentScene) =>
  state.histories.get(member)?.track(scene)?.undo.length ?? 0;

/** How many steps of its own a member can do again on a scene. @param {RoomState} state */
export const redoSteps = (state, /** @type {number} */ member, scene = state.currentScene) =>
  state.histories.get(member)?.track(scene)?.redo.length ?? 0;

/** @param {RoomState} state @param {Rec} rec @param {string} id @param {Change} change */
function takeBack(state, rec, id, change) {
  const element = state.element(id);
  if (element === undefined) return false;
  strike(state, id, null, rec, change);
  if (isReferred(state, id)) buryElement(state, element, change);
  else removeElement(state, element, change);
  return true;
}

/** @param {RoomState} state @param {Rec} rec @param {string} id @param {Change} change */
function restore(state, rec, id, change) {
  strike(state, id, null, rec, change);
  const element = state.elements.get(id);
  if (!element?.buried) return false;
  setElement(state, element.with({ buried: false }), change);
  return true;
}

/** @param {RoomState} state @param {Rec} rec @param {{id: string, shape: any}} put @param {string} text */
function replace(state, rec, { id, shape }, text, /** @type {Change} */ change) {
  const old = state.element(id);
  if (old === undefined) return false;
  strike(state, id, null, rec, change);
  const copy = shape.id !== id || shape.scene !== old.scene;
  setElement(state, new Element(id, { place: old.place, scene: old.scene, text, copy }), change);
  return true;
}

/** @param {"undo" | "redo"} from @param {"undo" | "redo"} to @returns {Rule} */
const compensate = (from, to) => (state, done, change, rec) => {
  const history = rec.by === null ? undefined : state.histories.get(rec.by);
  if (history === undefined || !history.move(done.scene, from, to)) return false;
  change.field("history");
  const puts = itemsOf(memberOf(rec.text, "puts") ?? "[]");
  const fits = [
    ...(done.erased ?? []).map((/** @type {string} */ id) => takeBack(state, rec, id, change)),
    ...(done.restored ?? []).map((/** @type {string} */ id) => restore(state, rec, id, change)),
    ...(done.puts ?? []).map((/** @type {any} */ put, /** @type {number} */ place) =>
      replace(state, rec, put, memberOf(puts[place], "shape") ?? "", change)),
    ...patchesOf(done.changes ?? [], memberOf(rec.text, "changes")).map(([id, patch]) =>
      changeElement(state, rec, id, patch, [], change)),
  ];
  return fits.every(Boolean);
};

/** @type {Record<string, Rule>} */
export const compensationRules = {
  historySet(state, { scenes, depth }, change, rec) {
    if (rec.by === null || !state.members.has(rec.by)) return false;
    change.field("history");
    if (scenes === 0 || depth === 0) {
      endHistory(state, rec.by, change);
      return true;
    }
    const history = state.histories.get(rec.by);
    /** @type {string[]} */
    const released = [];
    if (history === undefined) state.histories.set(rec.by, new History(scenes, depth));
    else history.keep(scenes, depth, released);
    giveUp(state, released, change);
    return true;
  },

  undone: compensate("undo", "redo"),
  redone: compensate("redo", "undo"),
};
