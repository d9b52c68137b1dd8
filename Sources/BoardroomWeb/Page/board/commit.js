// What becomes of a text that was written, where others may have changed it meanwhile: what both
// wrote stays, or whoever ends second chooses. Nobody's words are lost without a word.
import { ElementFields } from "../render/fields.js";
import { chooseText, showRefused } from "./conflict.js";
import { NEW, write } from "./editor.js";
import { hasLetters } from "./edits.js";
import { both, merged } from "./merge.js";
import { changesFor, sourceOf } from "./typesetting.js";

/**
 * @param {Board} board
 * @param {string} id of a text or note, or of a shape or line, whose label it is
 */
export function edit(board, id) {
  const element = board.sceneContent.index.entries.get(id)?.element;
  if (!element || !hasLetters(element.shape?.type) || new ElementFields(element).isLocked) return;
  if (!write(board, element, (source, isForced) => commit(board, element, source, isForced)))
    return;
  board.sceneContent.takeOffTiles([id]);
  board.send("memberState", { writing: id });
}

/**
 * @param {Board} board
 * @param {Thing} element as it was when the editing began
 * @param {string} source what is written now
 * @param {boolean} isForced nobody can be asked: both texts stay
 */
function commit(board, element, source, isForced) {
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
  if (source === "") return;
  const { id: _, ...rest } = /** @type {Record<string, any>} */ (shape);
  const changes = changesFor(new ElementFields({ shape, set }), undefined, source);
  const again = () => {
    board.drafts.delete(NEW);
    putAgain(board, /** @type {any} */ ({ shape, set, scene }), source);
  };
  board.putShape({ ...rest, scene, set: { ...set, ...changes } }, (refusal) =>
    showRefused(board, NEW, source, { refusal, again }),
  );
}

/**
 * Begins a text that is no element yet.
 * @param {Board} board
 * @param {Record<string, any>} empty as it is without words
 * @param {boolean} isKept also without words
 */
export function writeNew(board, empty, isKept) {
  const { scene } = board;
  write(board, { shape: empty }, (source) => {
    const changes = changesFor(new ElementFields({ shape: empty }), undefined, source);
    if (!changes && !isKept) return;
    board.putShape({ ...empty, ...changes, scene }, (refusal) => {
      if (!changes) return board.onRefused(refusal);
      const again = () => writeNew(board, empty, isKept);
      showRefused(board, NEW, source, { refusal, again });
    });
  });
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
  // Its arrows may be more than one command holds; the text is in the first.
  const all = board.bindings.withArrows([{ id, set: changes }]);
  /** @type {any} */
  let refusal;
  const [isDone] = await board.sendParts("elementsChanged", "changes", all, (why) => {
    refusal ??= why;
  });
  stop();
  if (!isDone) return keep(board, element, source, refusal);
  if (refusal) board.onRefused(refusal);
  if (theirs === base) return;
  together(board, { base, mine: source, theirs }, false, (text) => {
    const latest = board.source.element(id);
    if (latest && text !== sourceOf(new ElementFields(latest))) send(board, latest, text);
  });
}

/**
 * A text that was refused is there again when somebody opens its element, and is shown.
 * @param {Board} board
 * @param {Thing} element
 * @param {string} source
 * @param {any} refusal
 */
function keep(board, element, source, refusal) {
  const { id } = element;
  const now = board.source.element(id);
  if (!now || now.buried) return putAgain(board, element, source);
  showRefused(board, id, source, { refusal, again: () => board.edit(id) });
}
