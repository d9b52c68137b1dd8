// What events do to elements, and how their authors take it back: docs/PROTOCOL.md, section 8.
import { patched } from "../protocol/json.js";
import { Stroke } from "../protocol/strokes.js";
import { History } from "./history.js";
import { makeElement, sceneElements, withStroke } from "./state.js";

/** @param {RoomElement} element */
const contentOf = ({ shape, set, copy }) => ({ shape, set, copy });

/** @param {RoomElement} element */
const looks = ({ shape, set = {}, copy }) =>
  JSON.stringify([shape, Object.entries(set).sort(), copy]);

/**
 * Does something to each element that is there; false if one was not.
 * @param {Folding} fold
 * @param {any[]} items
 * @param {(element: RoomElement, item: any) => void} act
 */
function each(fold, items, act) {
  let fits = true;
  for (const item of items) {
    const element = fold.state.element(item.id);
    if (element) act(element, item);
    else fits = false;
  }
  return fits;
}

/**
 * @param {Folding} fold
 * @param {string[]} ids
 * @param {(id: string) => boolean | undefined} [isKept]
 */
function takeOffAll(fold, ids, isKept) {
  const items = ids.map((id) => ({ id }));
  return each(fold, items, (element) => {
    fold.strike([element.id], element.scene);
    fold.takeOff(element, isKept?.(element.id));
  });
}

/**
 * @param {Side} from
 * @param {Side} to
 * @returns {Rule}
 */
const compensate =
  (from, to) =>
  (fold, { scene, erased = [], restored = [], puts = [], changes = [] }) => {
    if (!fold.history) return false;
    fold.history.move(scene, from, to);
    let fits = takeOffAll(fold, erased, (id) => fold.isReferred(id));
    for (const id of restored) {
      const grave = fold.state.elements.get(id);
      if (grave) fold.strike([id], grave.scene);
      if (grave?.buried) fold.set({ ...grave, buried: false });
      else fits = false;
    }
    const isPut = each(fold, puts, ({ id, place, scene: page }, { shape }) => {
      const copy = shape.id !== id || shape.scene !== page;
      fold.strike([id], page);
      fold.set(makeElement({ id, place, scene: page, shape, copy }));
    });
    const isChanged = each(fold, changes, (element, { set }) => fold.lay(element, set));
    fold.work = [];
    return fits && isPut && isChanged;
  };

/** @type {Record<string, Rule>} */
export const elementRules = {
  stroke(fold, { number, begin, ends, segment }) {
    const { state, rec } = fold;
    const id = `${rec.by}.${number}`;
    const element = state.element(id);
    if (begin) {
      if (!fold.actor || element || !state.scene(begin.scene)) return false;
      const stroke = new Stroke(begin, ends, segment.count, [segment]);
      return fold.putNext(id, { scene: begin.scene, stroke });
    }
    if (element?.stroke?.ended !== false) return false;
    return fold.set(withStroke(element, element.stroke.extended(segment, ends)));
  },
  elementPut(fold, shape) {
    const { id, scene, set = {} } = shape;
    if (!fold.state.scene(scene)) return false;
    const old = fold.state.element(id);
    const parts = { id, scene, shape, set: patched({}, set).any() };
    if (!old) return fold.putNext(id, parts);
    const element = makeElement({ ...parts, place: old.place });
    // Put over a stroke or on another scene it cannot be taken back, nor what was done to it
    // before.
    const isReplaced = !old.stroke && old.scene === scene;
    fold.strike([id], old.scene, null, isReplaced ? undefined : -1);
    fold.change.scene(old.scene);
    fold.set(element);
    const isOther = isReplaced && fold.history && looks(old) !== looks(element);
    if (isOther) {
      fold.did(scene, { replace: id, before: contentOf(old), after: contentOf(element) });
    }
  },
  erased: (fold, { elements }) => takeOffAll(fold, elements),
  elementsChanged: (fold, { changes }) =>
    each(fold, changes, (element, { set }) => fold.lay(element, set)),
  elementsCopied(fold, { copies }) {
    const { state } = fold;
    let fits = true;
    for (const { from, id, scene, set = {} } of copies) {
      const source = state.element(from);
      if (source && state.scene(scene) && !state.element(id)) {
        const stroke = source.stroke?.lifted({ ...source.stroke.begin, scene });
        const parts = { shape: source.shape, set: patched(source.set, set).any(), copy: !stroke };
        fold.putNext(id, { scene, stroke, ...parts });
      } else {
        fits = false;
      }
    }
    return fits;
  },
  sceneCleaned(fold, { scene, retainPPT }) {
    const page = fold.state.scene(scene);
    if (!page) return false;
    const hasPPT = page.ppt !== undefined || page.pptStep !== 0;
    if (hasPPT && !retainPPT) fold.setScene(page, { ppt: undefined, pptStep: 0 });
    const found = sceneElements(fold.state, scene).sort((left, right) => left.place - right.place);
    const ids = found.map(({ id }) => id);
    fold.strike(ids, scene);
    for (const element of found) {
      fold.takeOff(element);
    }
  },
  historySet(fold, { scenes, depth }) {
    const { actor, history, state, released } = fold;
    if (!actor) return false;
    if (scenes === 0 || depth === 0) fold.endHistory(actor.id);
    else if (history) history.keep(scenes, depth, released);
    else state.histories.set(actor.id, new History(scenes, depth));
  },
  undone: compensate("undo", "redo"),
  redone: compensate("redo", "undo"),
};
