import { History } from "./history.js";
import { Fields, itemsOf, memberOf, patchOf } from "./json.js";
import { Element, sceneElements } from "./state.js";
import { readStroke, Stroke } from "./strokes.js";

// What events do to elements, and how their authors take it back: docs/PROTOCOL.md, section 8.

/**
 * @typedef {import("./folding.js").Rule} Rule
 * @typedef {import("./folding.js").Work} Work
 * @typedef {import("./folding.js").Folding} Folding
 */

/** @param {Folding} fold @param {string} key @returns {string[]} of the items of an array in a body */
const texts = (fold, key) => itemsOf(memberOf(fold.text, key) ?? "[]");

/** Does something to each element that is there; false if one was not.
 * @param {Folding} fold @param {string[]} ids @param {(element: Element, place: number) => void} act */
function each(fold, ids, act) {
  let fits = true;
  ids.forEach((id, place) => {
    const element = fold.state.element(id);
    if (element) act(element, place);
    else fits = false;
  });
  return fits;
}

/** @param {Folding} fold @param {Array<{id: string}>} changes @param {Work[]} work */
function layAll(fold, changes, work) {
  const items = texts(fold, "changes");
  return each(fold, changes.map(({ id }) => id), (element, place) =>
    fold.lay(element, patchOf(memberOf(items[place], "set")), work));
}

/** @param {Element} element */
const contentOf = ({ text = "", fields, copy }) => ({ text, fields, copy });
/** @param {Element} element */
const looks = ({ text, fields, copy }) => JSON.stringify([text, fields?.json(), copy]);

/** @param {"undo" | "redo"} from @param {"undo" | "redo"} to @returns {Rule} */
const compensate = (from, to) => (fold, { scene, erased, restored, puts, changes }) => {
  const { state, rec } = fold;
  const history = rec.by === null ? undefined : state.histories.get(rec.by);
  if (history === undefined || !history.move(scene, from, to)) return false;
  fold.change.field("history");
  const fits = [each(fold, erased ?? [], (element) => {
    fold.strike(element.id, rec);
    if (fold.isReferred(element.id)) fold.bury(element);
    else fold.remove(element);
  })];
  for (const id of restored ?? []) {
    fold.strike(id, rec);
    const grave = state.elements.get(id);
    fits.push(grave?.buried ?? false);
    if (grave?.buried) fold.set(grave.with({ buried: false }));
  }
  const shapes = texts(fold, "puts");
  const replaced = (puts ?? []).map((/** @type {any} */ put) => put.id);
  fits.push(each(fold, replaced, ({ id, place, scene: page }, at) => {
    fold.strike(id, rec);
    const copy = puts[at].shape.id !== id || puts[at].shape.scene !== page;
    fold.set(new Element(id, { place, scene: page, text: memberOf(shapes[at], "shape"), copy }));
  }));
  fits.push(layAll(fold, changes ?? [], []));
  return fits.every(Boolean);
};

/** @type {Record<string, Rule>} */
export const elementRules = {
  stroke(fold) {
    const { state, rec } = fold;
    const { number, begin, ends, segment } = readStroke(rec.reader);
    const id = `${rec.by}.${number}`;
    const element = state.element(id);
    if (begin) {
      if (!fold.actor || element || !state.scene(begin.scene)) return false;
      fold.putNext(id, { scene: begin.scene, stroke: new Stroke(begin, ends, segment.count, [segment]) });
      fold.record([{ scene: begin.scene, operation: { op: "put", id } }]);
      return true;
    }
    if (!element?.stroke || element.stroke.ended) return false;
    fold.set(element.with({ stroke: element.stroke.extended(segment, ends) }));
    return true;
  },

  elementPut(fold, { id, scene, set }) {
    const { state, rec } = fold;
    if (!state.scene(scene)) return false;
    const fields = set ? new Fields(patchOf(memberOf(fold.text, "set"))) : null;
    const old = state.element(id);
    if (!old) {
      fold.putNext(id, { scene, text: fold.text, fields });
      fold.record([{ scene, operation: { op: "put", id } }]);
      return true;
    }
    const element = new Element(id, { place: old.place, scene, text: fold.text, fields });
    // Put over a stroke or on another scene it cannot be taken back, nor what was done to it before.
    const isReplaced = !old.stroke && old.scene === scene;
    fold.strike(id, isReplaced ? rec : undefined);
    fold.change.scene(old.scene);
    fold.set(element);
    if (!isReplaced || !fold.buries || looks(old) === looks(element)) return true;
    const [before, after] = [contentOf(old), contentOf(element)];
    fold.record([{ scene, operation: { op: "replace", id, before, after } }]);
    return true;
  },

  erased(fold, { elements }) {
    /** @type {Work[]} */
    const work = [];
    const fits = each(fold, elements, (element) => {
      fold.strike(element.id, fold.rec);
      fold.takeOff(element);
      work.push({ scene: element.scene, operation: { op: "erase", id: element.id } });
    });
    fold.record(work);
    return fits;
  },

  elementsChanged(fold, { changes }) {
    /** @type {Work[]} */
    const work = [];
    const fits = layAll(fold, changes, work);
    fold.record(work);
    return fits;
  },

  elementsCopied(fold, { copies }) {
    const { state } = fold;
    const items = texts(fold, "copies");
    /** @type {Work[]} */
    const work = [];
    for (const [place, { from, id, scene }] of copies.entries()) {
      const source = state.element(from);
      if (!source || !state.scene(scene) || state.element(id)) continue;
      const fields = source.fields?.copy() ?? new Fields();
      fields.merge(patchOf(memberOf(items[place], "set")));
      const { stroke, text } = source;
      const copied = stroke?.lifted({ ...stroke.begin, scene });
      fold.putNext(id, { scene, fields, text, copy: !stroke, stroke: copied });
      work.push({ scene, operation: { op: "put", id } });
    }
    fold.record(work);
    return work.length === copies.length;
  },

  sceneCleaned(fold, { scene, retainPPT }) {
    const { state, rec } = fold;
    const page = state.scene(scene);
    if (!page) return false;
    const hasPPT = page.pptText !== undefined || page.pptStep !== 0;
    if (hasPPT && !retainPPT) fold.setScene(page, { ppt: undefined, step: 0 });
    const found = sceneElements(state, scene).sort((left, right) => left.place - right.place);
    fold.strikeAll(found.map(({ id }) => id), scene, rec);
    for (const element of found) fold.takeOff(element);
    fold.record(found.map(({ id }) => ({ scene, operation: { op: "erase", id } })));
    return true;
  },

  historySet(fold, { scenes, depth }) {
    const { actor, state } = fold;
    if (!actor) return false;
    fold.change.field("history");
    const history = state.histories.get(actor.id);
    /** @type {string[]} */
    const released = [];
    if (scenes === 0 || depth === 0) fold.endHistory(actor.id);
    else if (history) history.keep(scenes, depth, released);
    else state.histories.set(actor.id, new History(scenes, depth));
    fold.giveUp(released);
    return true;
  },

  undone: compensate("undo", "redo"),
  redone: compensate("redo", "undo"),
};
