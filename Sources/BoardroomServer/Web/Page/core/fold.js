import { elementRules } from "./fold-elements.js";
import { roomRules } from "./fold-room.js";
import { Change, Folding } from "./folding.js";
import { KIND_NUMBERS } from "./kinds.js";
import { body } from "./records.js";

// The fold: what the events make of a state. One rule a kind; kinds without one change nothing but
// revision, time and counter (docs/PROTOCOL.md, section 8).

/**
 * @typedef {import("./state.js").RoomState} RoomState
 * @typedef {import("./records.js").Rec} Rec
 */

const [strokeKind, firstJSON] = [1, 16];
/** @type {Map<number | undefined, import("./folding.js").Rule>} */
const rules = new Map(
  Object.entries({ ...roomRules, ...elementRules }).map(([name, rule]) => [KIND_NUMBERS.get(name), rule]));

export { Change };

/** For whoever folds a million events to get at the state behind them. */
class Unnoted extends Change {
  element() {}
  scene() {}
  field() {}
}

/** What an event does to a state, in place, but for revision, time and counter.
 * @param {RoomState} state @param {Rec} rec @param {Change} change */
export function foldBody(state, rec, change) {
  const rule = rules.get(rec.kind);
  if (rule === undefined) return change;
  try {
    const fold = new Folding(state, rec, change);
    // What is decoded here is not kept: a log has many records, and most are looked at once.
    const decoded = rec.kind === strokeKind ? rec : rec.kind < firstJSON ? body(rec) : JSON.parse(fold.text);
    change.fits = decoded !== undefined && rec.n !== null && rule(fold, decoded);
  } catch {
    // A body that is not what its kind describes: the server takes none, but a log may come from elsewhere.
    change.fits = false;
  }
  return change;
}

/**
 * Folds an event into a state, in place.
 * @param {RoomState} state @param {Rec} rec @param {Change} [change] what to note its changes in
 * @returns {Change}
 */
export function apply(state, rec, change = new Change()) {
  state.revision = rec.rev;
  state.time = rec.t;
  const actor = rec.by === null || !rec.n ? undefined : state.members.get(rec.by);
  if (actor && rec.n !== null && rec.n >= actor.lastCounter) {
    actor.lastCounter = rec.n;
    actor.lastRevision = rec.rev;
  }
  return foldBody(state, rec, change);
}

/** @param {RoomState} state @param {Iterable<Rec>} records to fold, noting nothing of what they change */
export function applyAll(state, records) {
  const unnoted = new Unnoted();
  for (const rec of records) apply(state, rec, unnoted);
}

/** How many steps of its own a member can take back on a scene.
 * @param {RoomState} state @param {number} member */
export const undoSteps = (state, member, scene = state.currentScene) =>
  state.histories.get(member)?.track(scene)?.undo.length ?? 0;

/** How many steps of its own a member can do again on a scene.
 * @param {RoomState} state @param {number} member */
export const redoSteps = (state, member, scene = state.currentScene) =>
  state.histories.get(member)?.track(scene)?.redo.length ?? 0;
