import { buries, recordWork, strike, strikeAll, forgetScenes } from "./fold-history.js";
import { Fields, itemsOf, memberOf, patchOf } from "./json.js";
import { Element } from "./state.js";
import { readStroke } from "./strokes.js";

// What events do to elements, and what of it their authors can take back.

/** @typedef {import("./fold.js").Rule} Rule */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./state.js").RoomState} RoomState */
/** @typedef {import("./records.js").Rec} Rec */
/** @typedef {{scene: number, operation: import("./history.js").Operation}} Work an operation, and whose track */

/** Replaces an element by another value of itself. @param {RoomState} state @param {Element} element */
export function setElement(state, element, /** @type {Change} */ change) {
  state.elements.set(element.id, element);
  if (element.isOpen && !element.buried) state.open.add(element.id);
  else state.open.delete(element.id);
  change.element(element.id, element.scene);
}

/** Gone for good, its place with it. @param {RoomState} state @param {Element} element */
export function removeElement(state, element, /** @type {Change} */ change) {
  state.elements.delete(element.id);
  state.open.delete(element.id);
  change.element(element.id, element.scene);
}

/** Off the board, but kept for a history to bring back. @param {RoomState} state @param {Element} element */
export function buryElement(state, element, /** @type {Change} */ change) {
  const stroke = element.isOpen && element.stroke ? { ...element.stroke, ended: true } : element.stroke;
  setElement(state, element.with({ buried: true, stroke }), change);
}

/** At the next place; what is buried under this id is given up. @param {RoomState} state @param {string} id */
function putNext(state, id, /** @type {import("./state.js").ElementParts} */ parts, /** @type {Change} */ change) {
  const grave = state.elements.get(id);
  if (grave) removeElement(state, grave, change);
  setElement(state, new Element(id, { ...parts, place: state.places++ }), change);
}

/** An element that is not on the board comes onto it. @param {RoomState} state @param {Rec} rec */
function putFresh(
  state, rec, /** @type {string} */ id, /** @type {import("./state.js").ElementParts} */ parts,
  /** @type {Change} */ change
) {
  strike(state, id, null, undefined, change);
  putNext(state, id, parts, change);
  recordWork(state, rec, [{ scene: parts.scene ?? 0, operation: { op: "put", id } }], change);
}

/** @param {RoomState} state @param {number} member @param {Change} change */
export function endStrokes(state, member, change) {
  for (const id of [...state.open]) {
    const element = state.elements.get(id);
    if (element?.stroke && element.member === member) {
      setElement(state, element.with({ stroke: { ...element.stroke, ended: true } }), change);
    }
  }
}

/** @param {RoomState} state @param {Rec} rec @param {Change} change */
export function foldStroke(state, rec, change) {
  if (rec.by === null || rec.n === null) return false;
  let read;
  try {
    read = readStroke(rec.reader);
  } catch {
    return false;
  }
  const { number, begin, ends, segment } = read;
  const id = `${rec.by}.${number}`;
  const element = state.element(id);
  if (begin) {
    if (!state.members.has(rec.by) || element || state.scene(begin.scene) === undefined) return false;
    const stroke = { begin, ended: ends, segments: [segment], points: segment.count };
    putFresh(state, rec, id, { scene: begin.scene, stroke }, change);
    return true;
  }
  const stroke = element?.stroke;
  if (element === undefined || stroke === undefined || stroke.ended) return false;
  const segments = [...stroke.segments, segment];
  const points = stroke.points + segment.count;
  setElement(state, element.with({ stroke: { begin: stroke.begin, ended: ends, segments, points } }), change);
  return true;
}

/** @param {RoomState} state @param {Rec} rec @param {string} id @param {Change} change @returns {Work | null} */
function takeOff(state, rec, id, change) {
  const element = state.element(id);
  if (element === undefined) return null;
  strike(state, id, null, rec, change);
  if (buries(state, rec)) buryElement(state, element, change);
  else removeElement(state, element, change);
  return { scene: element.scene, operation: { op: "erase", id } };
}

/** All that is on a scene goes, locked or not. @param {RoomState} state @param {number} scene */
export function cleanScene(state, scene, /** @type {Rec} */ rec, /** @type {Change} */ change) {
  const found = [...state.elements.values()].filter((element) => element.scene === scene && !element.buried);
  strikeAll(state, new Set(found.map((element) => element.id)), scene, rec, change);
  const remove = buries(state, rec) ? buryElement : removeElement;
  for (const element of found) remove(state, element, change);
  recordWork(state, rec, found.map(({ id }) => ({ scene, operation: { op: "erase", id } })), change);
}

/** Scenes are gone: so is what is on them, and what could be taken back there. @param {RoomState} state */
export function removeScenes(state, /** @type {Set<number>} */ removed, /** @type {Change} */ change) {
  for (const element of [...state.elements.values()]) {
    if (removed.has(element.scene)) removeElement(state, element, change);
  }
  for (const scene of removed) change.scene(scene);
  forgetScenes(state, removed, change);
}

/**
 * Lays attributes over an element; false if it is not there. What really changed is added to `work`.
 * @param {RoomState} state @param {Rec} rec @param {string} id @param {Array<[string, string | null]>} patch
 * @param {Work[]} work @param {Change} change
 */
export function changeElement(state, rec, id, patch, work, change) {
  const element = state.element(id);
  if (element === undefined) return false;
  strike(state, id, patch.map(([key]) => key), rec, change);
  const fields = element.fields?.copy() ?? new Fields();
  let isChanged = false;
  for (const [key, after] of patch) {
    const before = fields.text(key) ?? null;
    if (!fields.merge([[key, after]])) continue;
    work.push({ scene: element.scene, operation: { op: "set", id, key, before, after } });
    isChanged = true;
  }
  if (isChanged) setElement(state, element.with({ fields }), change);
  return true;
}

/** @param {Element} element */
const shapeOf = ({ text = "", fields, copy }) => ({ text, fields, copy });

/** @type {Record<string, Rule>} */
export const elementRules = {
  elementPut(state, { id, scene, set }, change, rec) {
    if (state.scene(scene) === undefined) return false;
    const patch = set ? patchOf(/** @type {string} */ (memberOf(rec.text, "set"))) : [];
    const parts = { scene, text: rec.text, fields: new Fields(patch) };
    const old = state.element(id);
    if (old === undefined) {
      putFresh(state, rec, id, parts, change);
      return true;
    }
    const element = new Element(id, { ...parts, place: old.place });
    if (old.stroke || old.scene !== scene) {
      strike(state, id, null, undefined, change);
      if (old.scene !== scene) change.scene(old.scene);
      setElement(state, element, change);
      return true;
    }
    strike(state, id, null, rec, change);
    setElement(state, element, change);
    const isSame =
      old.text === element.text && old.copy === element.copy &&
      (old.fields?.json() ?? "") === (element.fields?.json() ?? "");
    if (isSame) return true;
    const operation = /** @type {const} */ ({ op: "replace", id, before: shapeOf(old), after: shapeOf(element) });
    recordWork(state, rec, [{ scene, operation }], change);
    return true;
  },

  erased(state, { elements }, change, rec) {
    const work = /** @type {string[]} */ (elements).map((id) => takeOff(state, rec, id, change));
    recordWork(state, rec, /** @type {Work[]} */ (work.filter((one) => one !== null)), change);
    return !work.includes(null);
  },

  elementsChanged(state, { changes }, change, rec) {
    /** @type {Work[]} */
    const work = [];
    let fits = true;
    for (const [id, patch] of patchesOf(changes, memberOf(rec.text, "changes"))) {
      if (!changeElement(state, rec, id, patch, work, change)) fits = false;
    }
    recordWork(state, rec, work, change);
    return fits;
  },

  elementsCopied(state, { copies }, change, rec) {
    const texts = itemsOf(/** @type {string} */ (memberOf(rec.text, "copies")));
    /** @type {Work[]} */
    const work = [];
    let fits = true;
    for (const [place, { from, id, scene, set }] of copies.entries()) {
      const source = state.element(from);
      if (source === undefined || state.scene(scene) === undefined || state.element(id) !== undefined) {
        fits = false;
        continue;
      }
      strike(state, id, null, undefined, change);
      const fields = source.fields?.copy() ?? new Fields();
      if (set) fields.merge(patchOf(/** @type {string} */ (memberOf(texts[place], "set"))));
      const { stroke, text } = source;
      const begin = stroke && { ...stroke.begin, scene };
      putNext(state, id, {
        scene, fields, text, copy: !stroke, stroke: stroke && begin && { ...stroke, begin, ended: true },
      }, change);
      work.push({ scene, operation: { op: "put", id } });
    }
    recordWork(state, rec, work, change);
    return fits;
  },
};

/**
 * The patches of `changes`, with their texts as they came.
 * @param {Array<{id: string}>} changes @param {string | undefined} text
 * @returns {Array<[string, Array<[string, string | null]>]>}
 */
export function patchesOf(changes, text) {
  const items = itemsOf(text ?? "[]");
  return changes.map(({ id }, place) => [id, patchOf(memberOf(items[place], "set") ?? "{}")]);
}
