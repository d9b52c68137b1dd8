// Which callbacks a session calls, and when: those of the board first, then those of the page, and
// only for changes.
import { body, Rec } from "../protocol/records.js";
import { Refusal } from "../protocol/refusal.js";
import { Change } from "./model.js";
import { changedPartsOf, roomState } from "./roomstate.js";

/** Phases that are sent to the log, at most. */
const MOST_PHASES = 288;

/** The change after a snapshot or a catch-up. */
const everything = Object.assign(new Change(), { all: true });

const magixKind = 30;

export class SessionNotifier {
  /** @type {RoomCallbacks} of the page */
  callbacks = {};

  /** @type {Watcher | null} the board, which is notified before the page */
  watcher = null;

  /** @type {RoomPhase} by the last notification */
  phase = "disconnected";

  /**
   * Parts of the state that changed since the last notification: a whole catch-up is one
   * notification (TL-22).
   * @type {Set<string>}
   */
  changedParts = new Set();

  /** @type {Array<() => void>} callbacks to call once the phase is connected */
  deferred = [];

  /** @type {Array<{phase: string, since: number, revision: number}>} that only this client saw */
  localPhases = [];

  /** The numbers of steps that can be undone and redone, by the last notification. */
  steps = { undo: 0, redo: 0 };

  /** Whether this member can write, by the last notification. */
  isAble = false;

  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
  }

  /** Forgets notifications that are still due, because the session has ended. */
  discard() {
    this.localPhases = [];
    this.deferred = [];
  }

  /** @param {Iterable<string>} parts of the room's state that changed */
  addChangedParts(parts) {
    for (const part of parts) {
      this.changedParts.add(part);
    }
  }

  /** @param {RoomPhase} phase */
  setPhase(phase) {
    if (this.phase === phase) return;
    this.phase = phase;
    const { stay, clock, state, trying } = this.session;
    if (stay !== null && (phase === "reconnecting" || this.localPhases.length > 0)) {
      this.localPhases.push({ phase, since: clock.now(), revision: state.revision });
    }
    this.callbacks.firePhaseChanged?.(phase, trying);
    this.notifyWritable();
  }

  notifyAttempt() {
    this.callbacks.attempting?.(this.session.trying);
  }

  /** @returns phases that only this client saw, and how long ago each began, in ms */
  removeLocalPhases() {
    const now = this.session.clock.now();
    const seen = this.localPhases.splice(0).slice(-MOST_PHASES);
    return seen.map(({ phase, since, revision }) => {
      return { phase, ago: Math.round(now - since), revision };
    });
  }

  /**
   * A kick is notified before the phase, a timeout after it (PARITY rows P, PT).
   * @param {Refusal} refusal
   * @param {"left" | "refused" | "timeout"} why
   * @param {boolean} wasJoining whoever joins learns it from the join
   */
  end(refusal, why, wasJoining) {
    if (why === "left") this.setPhase("disconnecting");
    const isTold = why !== "left" && !wasJoining;
    if (isTold && refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isTold && why === "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    this.setPhase("disconnected");
    if (isTold && why === "timeout") this.callbacks.fireDisconnectWithError?.(refusal);
  }

  /** Notifies everything, when the phase becomes connected. */
  notifyAll() {
    this.watcher?.changed(everything, null);
    this.setPhase("connected");
    this.callbacks.changed?.(everything, null);
    this.notifyState();
    this.#callDeferred();
  }

  /**
   * @param {Rec} rec
   * @param {Change} change that it made
   */
  notifyEvent(rec, change) {
    const { isLive } = this.session.connection;
    if (isLive) {
      this.watcher?.changed(change, rec);
      this.callbacks.changed?.(change, rec);
    }
    if (!change.fits) {
      const refusal = new Refusal({ code: "misfit", actual: rec.rev });
      this.deferred.push(() => this.callbacks.fireCatchErrorWhenAppendFrame?.(rec.by, refusal));
    } else if (rec.kind === magixKind) {
      const { event, payload } = body(rec);
      const magix = { event, payload, by: rec.by, isLate: !isLive };
      this.deferred.push(() => this.callbacks.fireMagixEvent?.(magix));
    }
    if (isLive) this.#callDeferred();
  }

  /** This spectator follows, or does not any more. */
  notifyViewMode() {
    const { state, member } = this.session;
    const change = new Change();
    change.addField("viewModes");
    this.addChangedParts(changedPartsOf(change.fields, member, state, member ?? -1));
    this.watcher?.changed(change, null);
    this.callbacks.changed?.(change, null);
    this.notifyState();
  }

  /** This member has turned to another scene alone. */
  notifyScene() {
    const change = new Change();
    this.watcher?.changed(change, null);
    this.callbacks.changed?.(change, null);
    this.#notifySteps();
  }

  #callDeferred() {
    for (const callback of this.deferred.splice(0)) {
      callback();
    }
  }

  /**
   * CB-4, CB-5: the state is the new one before the callback, and only what changed is passed to
   * it.
   */
  notifyState() {
    const { state, member } = this.session;
    const told = roomState(state, member, this.changedParts);
    this.changedParts.clear();
    if (Object.keys(told).length > 0) this.callbacks.fireRoomStateChanged?.(told);
    this.notifyWritable();
    this.#notifySteps();
  }

  #notifySteps() {
    const { state, member, scene } = this.session;
    const track = state.histories.get(member ?? -1)?.track(scene);
    const before = this.steps;
    this.steps = { undo: track?.undo.length ?? 0, redo: track?.redo.length ?? 0 };
    const { undo, redo } = this.steps;
    if (undo !== before.undo) this.callbacks.fireCanUndoStepsUpdate?.(undo);
    if (redo !== before.redo) this.callbacks.fireCanRedoStepsUpdate?.(redo);
  }

  /** CB-13: notified only if it has changed. */
  notifyWritable() {
    const { writable } = this.session;
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }
}
