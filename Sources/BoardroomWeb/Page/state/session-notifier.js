// What a session tells the page, and when: the board first, then the page, and only what is another
// than before.
import { body, Rec } from "../protocol/records.js";
import { Refusal } from "../protocol/refusal.js";
import { Change } from "./model.js";
import { roomState } from "./roomstate.js";

/** So many phases at most are told to the log. */
const MOST_PHASES = 288;

/** After a snapshot or a catch-up. */
const everything = Object.assign(new Change(), { all: true });

const magixKind = 30;

export class SessionNotifier {
  /** @type {RoomCallbacks} of the page */
  callbacks = {};

  /** @type {Watcher | null} is told before the page is: the board */
  watcher = null;

  /** @type {RoomPhase} as it was told */
  phase = "disconnected";

  /**
   * Parts of the room's state that changed, so that a whole catch-up is told at once (TL-22).
   * @type {Set<string>}
   */
  changedParts = new Set();

  /** @type {Array<() => void>} what is told once the phase is connected */
  deferred = [];

  /** @type {Array<{phase: string, since: number, revision: number}>} that only this side saw */
  localPhases = [];

  /** How many steps can be taken back and done again, as it was told. */
  steps = { undo: 0, redo: 0 };

  /** Whether this member can write, as it was told. */
  isAble = false;

  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
  }

  /** The stay is over: what was not told never is. */
  discard() {
    this.localPhases = [];
    this.deferred = [];
  }

  /** @param {Iterable<string>} parts of the room's state that are news */
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

  /** @returns phases that only this side saw, and how long ago each began, in ms */
  removeLocalPhases() {
    const now = this.session.clock.now();
    const seen = this.localPhases.splice(0).slice(-MOST_PHASES);
    return seen.map(({ phase, since, revision }) => {
      return { phase, ago: Math.round(now - since), revision };
    });
  }

  /**
   * A removal is told before the phase, giving up after it (spec 2.1).
   * @param {Refusal} refusal
   * @param {"left" | "refused" | "timeout"} why
   * @param {boolean} wasJoining who joins hears of it by that
   */
  end(refusal, why, wasJoining) {
    if (why === "left") this.setPhase("disconnecting");
    const isTold = why !== "left" && !wasJoining;
    if (isTold && refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isTold && why === "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    this.setPhase("disconnected");
    if (isTold && why === "timeout") this.callbacks.fireDisconnectWithError?.(refusal);
  }

  /** All that there is, when the phase becomes connected. */
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

  #callDeferred() {
    for (const callback of this.deferred.splice(0)) {
      callback();
    }
  }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told. */
  notifyState() {
    const { state, member } = this.session;
    const told = roomState(state, member, this.changedParts);
    this.changedParts.clear();
    if (Object.keys(told).length > 0) this.callbacks.fireRoomStateChanged?.(told);
    this.notifyWritable();
    this.#notifySteps();
  }

  #notifySteps() {
    const { state, member } = this.session;
    const track = state.histories.get(member ?? -1)?.track(state.currentScene);
    const before = this.steps;
    this.steps = { undo: track?.undo.length ?? 0, redo: track?.redo.length ?? 0 };
    const { undo, redo } = this.steps;
    if (undo !== before.undo) this.callbacks.fireCanUndoStepsUpdate?.(undo);
    if (redo !== before.redo) this.callbacks.fireCanRedoStepsUpdate?.(redo);
  }

  /** Being able to write is told on change only (CB-13). */
  notifyWritable() {
    const { writable } = this.session;
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }
}
