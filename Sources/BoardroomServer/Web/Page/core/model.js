import { elementRules } from "./fold-elements.js";
import { roomRules } from "./fold-room.js";
import { Change, Folding } from "./folding.js";
import { KIND_NUMBERS } from "./kinds.js";
import { decoded, Rec } from "./records.js";
import { RoomState } from "./state.js";
import { readStroke } from "./strokes.js";

// A room's state, its fold and its snapshots. The fold: what the events make of a state. One rule a kind;
// kinds without one change nothing but revision, time and counter (docs/PROTOCOL.md, section 8).

export { stateFromSnapshot } from "./snapshot.js";
export { copyState, emptyState, RoomState, sceneElements } from "./state.js";
export { Change };

const strokeKind = 1;
const rules = new Map(
  Object.entries({ ...roomRules, ...elementRules }).map(([name, rule]) => [KIND_NUMBERS.get(name), rule]));

/** What an event does to a state, in place, but for revision, time and counter.
 * @param {RoomState} state @param {Rec} rec @param {Change} change */
export function foldBody(state, rec, change) {
  const rule = rules.get(rec.kind);
  if (rule === undefined) return change;
  try {
    const fold = new Folding(state, rec, change);
    const value = rec.kind === strokeKind ? readStroke(rec.reader) : decoded(rec);
    change.fits = value !== undefined && rec.n !== null && rule(fold, value) !== false;
    fold.finish();
  } catch {
    // A body that is not what its kind describes: the server takes none, but a log may come from elsewhere.
    change.fits = false;
  }
  return change;
}

/** Folds an event into a state, in place.
 * @param {RoomState} state @param {Rec} rec @param {Change} [change] to note changes in */
export function apply(state, rec, change = new Change()) {
  [state.revision, state.time] = [rec.rev, rec.t];
  const actor = rec.by === null || !rec.n ? undefined : state.members.get(rec.by);
  if (actor && rec.n !== null && rec.n >= actor.lastCounter) {
    [actor.lastCounter, actor.lastRevision] = [rec.n, rec.rev];
  }
  return foldBody(state, rec, change);
}

/** @param {RoomState} state @param {Iterable<Rec>} records to fold @returns {Change} of them all */
export function applyAll(state, records) {
  const change = new Change();
  for (const rec of records) apply(state, rec, change);
  return change;
}
