import { Change } from "./folding.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { newsOf, roomState } from "./roomstate.js";
import { stepsOf } from "./state.js";

// What a session tells its page, in what order, and when there is something to tell.

/**
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./state.js").RoomState} RoomState
 *
 * @typedef {object} Watcher sees what the page is told of the board, before it is told
 * @property {(command: Pending) => void} sent
 * @property {(change: Change, rec: Rec | null) => void} changed
 * @property {() => void} settled some commands of one's own have left `pending` without an event
 */

const magixKind = 30;
/** After a snapshot or a catch-up. */
export const everything = Object.assign(new Change(), { all: true });

export class Telling {
  /** @type {RoomCallbacks} */
  callbacks = {};
  /** @type {Set<Watcher>} */
  watchers = new Set();
  /** @type {Set<string>} parts of the room's state that changed, so that a whole catch-up is told at once (TL-22) */
  news = new Set();
  steps = { undo: 0, redo: 0 };
  isAble = false;
  /** @type {Array<() => void>} what is told once the phase is connected */
  late = [];

  /** @param {(watcher: Watcher) => void} what */
  watch(what) { for (const watcher of this.watchers) what(watcher); }

  /** @param {RoomPhase} phase @param {RoomTrying} trying @param {boolean} writable */
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

  /** @param {Change} change @param {Rec} rec @param {RoomState} state @param {number} me @param {boolean} isLive */
  event(change, rec, state, me, isLive) {
    for (const part of newsOf(change.fields, rec.by, state, me)) this.news.add(part);
    if (isLive) this.changed(change, rec);
    if (!change.fits) {
      const refusal = new Refusal({ code: "misfit", actual: rec.rev });
      this.late.push(() => this.callbacks.fireCatchErrorWhenAppendFrame?.(rec.by, refusal));
    } else if (rec.kind === magixKind) {
      const { event, payload } = body(rec);
      this.late.push(() => this.callbacks.fireMagixEvent?.({ event, payload, by: rec.by, isLate: !isLive }));
    }
    if (isLive) this.missed();
  }

  /** @param {Change} change @param {Rec | null} rec @param {() => void} [between] what watches and the page */
  changed(change, rec, between) {
    this.watch((watcher) => watcher.changed(change, rec));
    between?.();
    this.callbacks.changed?.(change, rec);
  }

  missed() { for (const callback of this.late.splice(0)) callback(); }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told.
   * @param {RoomState} state @param {number} me @param {boolean} writable */
  state(state, me, writable) {
    const told = roomState(state, me, this.news);
    this.news.clear();
    if (Object.keys(told).length > 0) this.callbacks.fireRoomStateChanged?.(told);
    this.able(writable);
    const before = this.steps;
    this.steps = stepsOf(state, me);
    if (before.undo !== this.steps.undo) this.callbacks.fireCanUndoStepsUpdate?.(this.steps.undo);
    if (before.redo !== this.steps.redo) this.callbacks.fireCanRedoStepsUpdate?.(this.steps.redo);
  }

  /** @param {Pending[]} commands that wait no longer @param {Refusal} refusal */
  refused(commands, refusal) {
    if (commands.length > 0) this.watch((watcher) => watcher.settled());
    for (const command of commands) {
      this.callbacks.refused?.(command, refusal);
      command.reject(refusal);
    }
  }

  /** The stay is over; a removal is told before the phase, giving up after it (spec 2.1).
   * @param {Refusal} refusal @param {boolean} isRefused @param {() => void} announce */
  ended(refusal, isRefused, announce) {
    if (refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isRefused) this.callbacks.fireDisconnectWithError?.(refusal);
    announce();
    if (!isRefused) this.callbacks.fireDisconnectWithError?.(refusal);
  }
}
