// Undo and redo: how long a member's history is, and what an event of it does to the board.
import { History } from "../history.js";
import { makeElement } from "../state.js";

/**
 * The rule of `undone` and `redone`: the event says what to erase, restore, put and change.
 * @param {Side} from the side of the track from which the step is moved
 * @param {Side} to
 * @returns {import("./event-fold.js").Rule}
 */
const compensate =
  (from, to) =>
  (fold, { scene, erased = [], restored = [], puts = [], changes = [] }) => {
    if (!fold.history) return false;
    fold.history.move(scene, from, to);
    const isErased = fold.eraseElements(erased, (id) => fold.isReferenced(id));
    const isRestored = restoreAll(fold, restored);
    const isPut = fold.forEachElement(puts, ({ id, place, scene: page }, { shape }) => {
      const copy = shape.id !== id || shape.scene !== page;
      fold.strike([id], page);
      fold.setElement(makeElement({ id, place, scene: page, shape, copy }));
    });
    const isChanged = fold.forEachElement(changes, (element, { set }) =>
      fold.setAttributes(element, set),
    );
    // The step is in the history already.
    fold.work = [];
    return isErased && isRestored && isPut && isChanged;
  };

/**
 * @param {import("./event-fold.js").EventFold} fold
 * @param {string[]} ids
 * @returns {boolean} false if one of them is not among the erased elements
 */
function restoreAll(fold, ids) {
  let fits = true;
  for (const id of ids) {
    const element = fold.state.elements.get(id);
    if (element) fold.strike([id], element.scene);
    if (element?.buried) fold.setElement({ ...element, buried: false });
    else fits = false;
  }
  return fits;
}

/** @type {import("./event-fold.js").Rules} */
export const historyRules = {
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
