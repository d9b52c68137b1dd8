// Elements that are put, changed, copied and erased.
import { patched } from "../../protocol/json.js";
import { makeElement } from "../state.js";

/** @param {RoomElement} element */
const contentOf = ({ shape, set, copy }) => ({ shape, set, copy });

/**
 * A text that is equal for elements with equal content.
 * @param {RoomElement} element
 */
const contentText = ({ shape, set = {}, copy }) =>
  JSON.stringify([shape, Object.entries(set).sort(), copy]);

/** @type {import("./event-fold.js").Rules} */
export const elementsRules = {
  elementPut(fold, shape) {
    const { id, scene, set = {} } = shape;
    if (!fold.state.scene(scene)) return false;
    const old = fold.state.element(id);
    const parts = { id, scene, shape, set: patched({}, set).plainUnlessEmpty() };
    if (!old) return fold.addElement(id, parts);
    const element = makeElement({ ...parts, place: old.place });
    // If it replaces a stroke, or an element of another scene, neither this event nor what was done
    // to the element before can be undone.
    const canUndo = !old.stroke && old.scene === scene;
    fold.strike([id], old.scene, null, canUndo ? undefined : -1);
    fold.change.addScene(old.scene);
    fold.setElement(element);
    if (canUndo && fold.history && contentText(old) !== contentText(element)) {
      const before = contentOf(old);
      fold.recordOperation(scene, { replace: id, before, after: contentOf(element) });
    }
  },
  erased: (fold, { elements }) => fold.eraseElements(elements),
  elementsChanged: (fold, { changes }) =>
    fold.forEachElement(changes, (element, { set }) => fold.setAttributes(element, set)),
  elementsCopied(fold, { copies }) {
    const { state } = fold;
    let fits = true;
    for (const { from, id, scene, set = {} } of copies) {
      const source = state.element(from);
      if (source && state.scene(scene) && !state.element(id)) {
        const stroke = source.stroke?.lifted({ ...source.stroke.begin, scene });
        const parts = {
          shape: source.shape,
          set: patched(source.set, set).plainUnlessEmpty(),
          copy: !stroke,
        };
        fold.addElement(id, { scene, stroke, ...parts });
      } else {
        fits = false;
      }
    }
    return fits;
  },
};
