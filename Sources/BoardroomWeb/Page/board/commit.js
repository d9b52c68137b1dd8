// What becomes of a text that was written, where others may have changed it meanwhile: what both
// wrote stays, or whoever ends second chooses. Nobody's words are lost without a word.
import { ElementFields } from "../render/fields.js";
import { chooseText } from "./conflict.js";
import { both, merged } from "./merge.js";
import { changesFor, sourceOf } from "./typesetting.js";

/**
 * @param {Board} board
 * @param {Thing} element as it was when the editing began
 * @param {string} source what is written now
 * @param {boolean} isForced nobody can be asked: both texts stay
 */
export function commit(board, element, source, isForced) {
  const base = sourceOf(new ElementFields(element));
  if (source === base) return;
  const now = board.source.element(element.id);
  if (!now || now.buried) return putAgain(board, element, source);
  const theirs = sourceOf(new ElementFields(now));
  together(board, { base, mine: source, theirs }, isForced, (text) => {
    const latest = board.source.element(element.id);
    if (!latest || latest.buried) putAgain(board, element, text);
    else send(board, latest, text);
  });
}

/**
 * @param {Board} board
 * @param {{base: string, mine: string, theirs: string}} texts
 * @param {boolean} isForced
 * @param {(text: string) => void} done at once, if nobody has to be asked
 */
function together(board, { base, mine, theirs }, isForced, done) {
  const text = merged(base, mine, theirs);
  if (text !== undefined) done(text);
  else if (isForced) done(both(mine, theirs));
  else chooseText(board, mine, theirs).then(done);
}

/**
 * The element was erased while its text was written: the text is put again.
 * @param {Board} board
 * @param {Thing} element
 * @param {string} source
 */
function putAgain(board, { shape, set, scene }, source) {
  if (source === "" || !board.canWrite) return;
  const { id: _, ...rest } = /** @type {Record<string, any>} */ (shape);
  const changes = changesFor(new ElementFields({ shape, set }), undefined, source);
  board.putShape({ ...rest, scene, set: { ...set, ...changes } });
}

/**
 * Sends a text. Until the log has it, somebody else's text may come before it: then it is put
 * together with that.
 * @param {Board} board
 * @param {Thing} element as it is
 * @param {string} source
 */
async function send(board, element, source) {
  const { id } = element;
  const base = sourceOf(new ElementFields(element));
  const changes = changesFor(new ElementFields(element), undefined, source);
  if (!changes) return;
  const isEmptied = element.shape?.type === "text" && changes.text === "";
  if (isEmptied) return void board.send("erased", { elements: [id] });
  let theirs = base;
  const stop = board.source.onChanged(() => {
    const logged = board.session?.state?.element?.(id);
    const text = logged && !logged.buried ? sourceOf(new ElementFields(logged)) : base;
    if (text !== source) theirs = text;
  });
  const isDone = await board.send("elementsChanged", {
    changes: board.bindings.withArrows([{ id, set: changes }]),
  });
  stop();
  if (!isDone) return keep(board, element, source);
  if (theirs === base) return;
  together(board, { base, mine: source, theirs }, false, (text) => {
    const latest = board.source.element(id);
    if (latest && text !== sourceOf(new ElementFields(latest))) send(board, latest, text);
  });
}

/**
 * A text that was refused is there again when somebody opens its element; without its element it is
 * put anew.
 * @param {Board} board
 * @param {Thing} element
 * @param {string} source
 */
function keep(board, element, source) {
  const now = board.source.element(element.id);
  if (now && !now.buried) board.drafts.set(element.id, source);
  else putAgain(board, element, source);
}
