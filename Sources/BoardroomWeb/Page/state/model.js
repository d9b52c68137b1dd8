// A room's state, its fold and its snapshots. The fold: what the events make of a state.
import { decoded, Rec } from "../protocol/records.js";
import { readStroke } from "../protocol/strokes.js";
import { Change } from "./fold/change.js";
import { EventFold } from "./fold/event-fold.js";
import { ruleOf } from "./fold/rules.js";
import { RoomState } from "./state.js";

export { stateFromSnapshot } from "./snapshot.js";
export { copyState, emptyState, RoomState, sceneElements } from "./state.js";

export { Change };

const strokeKind = 1;

/**
 * Folds what an event does beside its revision, time and counter.
 * @param {RoomState} state
 * @param {Rec} rec
 * @param {Change} change
 */
export function foldBody(state, rec, change) {
  const rule = ruleOf(rec.kind);
  if (rule === undefined) return change;
  try {
    const fold = new EventFold(state, rec, change);
    const value = rec.kind === strokeKind ? readStroke(rec.reader) : decoded(rec);
    change.fits = value !== undefined && rec.n !== null && rule(fold, value) !== false;
    fold.finish();
  } catch {
    // A body that does not fit its kind: the server accepts none, but a log may come from
    // elsewhere.
    change.fits = false;
  }
  return change;
}

/**
 * @param {RoomState} state changed in place
 * @param {Rec} rec
 * @param {Change} [change] to add changes to
 */
export function apply(state, rec, change = new Change()) {
  state.revision = rec.rev;
  state.time = rec.t;
  const actor = rec.n ? state.members.get(rec.by ?? -1) : undefined;
  const isNew = actor && rec.n && rec.n >= actor.lastCounter;
  if (isNew) Object.assign(actor, { lastCounter: rec.n, lastRevision: rec.rev });
  return foldBody(state, rec, change);
}

/**
 * @param {RoomState} state
 * @param {Iterable<Rec>} records to fold
 * @returns {Change} of them all
 */
export function applyAll(state, records) {
  const change = new Change();
  for (const rec of records) {
    apply(state, rec, change);
  }
  return change;
}
