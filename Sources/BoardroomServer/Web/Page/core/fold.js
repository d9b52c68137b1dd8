import { boardRules } from "./fold-board.js";
import { elementRules } from "./fold-elements.js";
import { compensationRules } from "./fold-history.js";
import { memberRules } from "./fold-members.js";
import { KINDS } from "./kinds.js";
import { body } from "./records.js";
import { foldStroke } from "./fold-elements.js";

// The fold: what the events make of a state (docs/PROTOCOL.md, section 8). One function an event kind; each says
// whether the event fitted, and notes what it changed.

/**
 * @typedef {import("./state.js").RoomState} RoomState
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {(state: RoomState, body: any, change: Change, rec: Rec) => boolean} Rule
 * Folds a body into a state in place; false: the event did not fit.
 */

/** @type {ReadonlySet<any>} */
const none = new Set();

/** What an event changed. The sets are not to be written to. */
export class Change {
  constructor() {
    this.fits = true;
    /** Everything may be another: a snapshot took the place of the state. */
    this.all = false;
    /** Ids of elements. @type {ReadonlySet<string>} */
    this.elements = none;
    /** Numbers of scenes whose elements or properties changed. @type {ReadonlySet<number>} */
    this.scenes = none;
    /**
     * Parts of the state that are another than before: created, globalState, roster (of writable members),
     * audience, memberState, phase, writable, viewModes, broadcaster, scenes, currentScene, camera, pointer,
     * elements, stores, history (the actor's), struck (others' histories), limits, closing, bans, space.
     * @type {ReadonlySet<string>}
     */
    this.fields = none;
  }

  /** @param {string} id @param {number} scene */
  element(id, scene) {
    if (this.elements === none) this.elements = new Set();
    /** @type {Set<string>} */ (this.elements).add(id);
    this.scene(scene);
    this.field("elements");
  }

  /** @param {number} id */
  scene(id) {
    if (this.scenes === none) this.scenes = new Set();
    /** @type {Set<number>} */ (this.scenes).add(id);
  }

  /** @param {string} name */
  field(name) {
    if (this.fields === none) this.fields = new Set();
    /** @type {Set<string>} */ (this.fields).add(name);
  }
}

/** For whoever folds a million events to get at the state behind them. */
class Unnoted extends Change {
  element() {}
  scene() {}
  field() {}
}

/** @type {Map<string, Rule>} */
const rules = new Map(
  Object.entries({ ...memberRules, ...boardRules, ...elementRules, ...compensationRules })
);
/** Changes nothing but revision, time and counter. */
const rule = (/** @type {number} */ kind) => rules.get(KINDS[kind]);
const byKind = Array.from({ length: 256 }, (_, kind) => rule(kind));

/**
 * Folds an event into a state, in place.
 * @param {RoomState} state @param {Rec} rec @param {Change} [change] what to note its changes in
 * @returns {Change}
 */
export function apply(state, rec, change = new Change()) {
  state.revision = rec.rev;
  state.time = rec.t;
  if (rec.by !== null && rec.n !== null && rec.n > 0) {
    const actor = state.members.get(rec.by);
    if (actor !== undefined && rec.n >= actor.lastCounter) {
      actor.lastCounter = rec.n;
      actor.lastRevision = rec.rev;
    }
  }
  change.fits = foldBody(state, rec, change);
  return change;
}

/** The same without revision, time and counter. @param {RoomState} state @param {Rec} rec @param {Change} change */
export function foldBody(state, rec, change) {
  if (rec.kind === 1) return foldStroke(state, rec, change);
  const fold = byKind[rec.kind];
  if (fold === undefined) return true;
  const decoded = body(rec);
  return decoded !== undefined && fold(state, decoded, change, rec);
}

/** Folds many events, and notes nothing of them. @param {RoomState} state @param {Iterable<Rec>} records */
export function applyAll(state, records) {
  const unnoted = new Unnoted();
  for (const rec of records) apply(state, rec, unnoted);
}
