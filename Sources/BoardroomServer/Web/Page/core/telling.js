import { redoSteps, undoSteps } from "./fold.js";
import { Change } from "./folding.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { StateDelta } from "./roomstate.js";

// What a session tells its page, in what order, and when there is something to tell.

/**
 * @typedef {import("./connection.js").Phase} Phase
 * @typedef {import("./outbox.js").Pending} Pending
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./state.js").RoomState} RoomState
 *
 * @typedef {{attempt: number, nextAttemptAt: number | null, silentSince: number, isLost: boolean}} Trying
 *   attempt: how many there were in this outage; isLost: nothing was heard for 10 s
 * @typedef {{event: string, payload: any, by: number | null, isLate: boolean}} Magix
 *
 * @typedef {object} Callbacks all of them optional; the first ones have the names of the whiteboard SDK
 * @property {(phase: Phase, trying: Trying) => void} [firePhaseChanged]
 * @property {(modifyState: Record<string, any>) => void} [fireRoomStateChanged]
 * @property {(isAble: boolean) => void} [fireBeingAbleToCommitChange]
 * @property {(reason: string) => void} [fireKickedWithReason]
 * @property {(refusal: Refusal) => void} [fireDisconnectWithError]
 * @property {(member: number | null, refusal: Refusal) => void} [fireCatchErrorWhenAppendFrame]
 * @property {(magix: Magix) => void} [fireMagixEvent]
 * @property {(steps: number) => void} [fireCanUndoStepsUpdate]
 * @property {(steps: number) => void} [fireCanRedoStepsUpdate]
 * @property {(change: Change, rec: Rec | null) => void} [changed] after each event; null: all is another
 * @property {(command: Pending, refusal: Refusal) => void} [refused] will not be carried out
 * @property {(trying: Trying) => void} [attempting] another attempt, or the connection now counts as lost
 *
 * @typedef {object} Watcher sees what the page is told of the board, before it is told
 * @property {(command: Pending) => void} sent
 * @property {(change: Change, rec: Rec | null) => void} changed
 * @property {() => void} settled some commands of one's own have left `pending` without an event
 */

const [magixKind, everything] = [30, Object.assign(new Change(), { all: true })];

export class Telling {
  /** @type {Callbacks} */
  callbacks = {};
  /** @type {Set<Watcher>} */
  watchers = new Set();
  delta = new StateDelta();
  steps = { undo: 0, redo: 0 };
  isAble = false;
  /** @type {Array<() => void>} what is told once the phase is connected */
  late = [];

  /** @param {(watcher: Watcher) => void} what */
  watch(what) { for (const watcher of this.watchers) what(watcher); }

  /** @param {Phase} phase @param {Trying} trying @param {boolean} writable */
  phase(phase, trying, writable) {
    this.callbacks.firePhaseChanged?.(phase, trying);
    this.able(writable);
  }

  /** @param {boolean} writable told on change only (CB-13) */
  able(writable) {
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }

  /**
   * @param {Change} change @param {Rec} rec @param {RoomState} state
   * @param {number} me @param {boolean} isLive
   */
  event(change, rec, state, me, isLive) {
    this.delta.note(change, rec.by, state, me);
    if (isLive) {
      this.watch((watcher) => watcher.changed(change, rec));
      this.callbacks.changed?.(change, rec);
    }
    if (!change.fits) {
      const refusal = new Refusal({ code: "misfit", actual: rec.rev });
      this.late.push(() => this.callbacks.fireCatchErrorWhenAppendFrame?.(rec.by, refusal));
    } else if (rec.kind === magixKind) {
      const { event, payload } = body(rec);
      this.late.push(() => this.callbacks.fireMagixEvent?.({ event, payload, by: rec.by, isLate: !isLive }));
    }
    if (isLive) this.missed();
  }

  missed() { for (const callback of this.late.splice(0)) callback(); }

  /** @param {() => void} announce the phase, between what watches the board and the page */
  live(announce) {
    this.watch((watcher) => watcher.changed(everything, null));
    announce();
    this.callbacks.changed?.(everything, null);
  }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told.
   * @param {RoomState} state @param {number} me @param {boolean} writable */
  state(state, me, writable) {
    const told = this.delta.take(state, me);
    if (told !== null) this.callbacks.fireRoomStateChanged?.(told);
    this.able(writable);
    const before = this.steps;
    this.steps = { undo: undoSteps(state, me), redo: redoSteps(state, me) };
    if (before.undo !== this.steps.undo) this.callbacks.fireCanUndoStepsUpdate?.(this.steps.undo);
    if (before.redo !== this.steps.redo) this.callbacks.fireCanRedoStepsUpdate?.(this.steps.redo);
  }

  /** @param {Pending[]} commands @param {Refusal} refusal */
  refused(commands, refusal) {
    if (commands.length > 0) this.watch((watcher) => watcher.settled());
    for (const command of commands) {
      this.callbacks.refused?.(command, refusal);
      command.reject(refusal);
    }
  }

  /**
   * The stay is over; a removal is told before the phase, giving up after it (spec 2.1).
   * @param {Refusal} refusal @param {boolean} isRefused @param {boolean} isTold @param {() => void} announce
   */
  ended(refusal, isRefused, isTold, announce) {
    this.late = [];
    if (isTold && refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isTold && isRefused) this.callbacks.fireDisconnectWithError?.(refusal);
    announce();
    if (isTold && !isRefused) this.callbacks.fireDisconnectWithError?.(refusal);
  }
}
