import { Change } from "./folding.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { newsOf, roomState } from "./roomstate.js";

// What a session tells its page, in what order, and when there is something to tell.

/** @typedef {import("./records.js").Rec} Rec */

const magixKind = 30;
/** After a snapshot or a catch-up. */
export const everything = Object.assign(new Change(), { all: true });

export class Telling {
  callbacks = /** @type {RoomCallbacks} */ ({});
  watcher = /** @type {Watcher | null} */ (null);
  /** Parts of the room's state that changed, so that a whole catch-up is told at once (TL-22). */
  news = /** @type {Set<string>} */ (new Set());
  steps = { undo: 0, redo: 0 };
  isAble = false;
  /** What is told once the phase is connected. */
  late = /** @type {Array<() => void>} */ ([]);

  /** @param {import("./session.js").RoomSession} session */
  constructor(session) { this.session = session; }

  phase() {
    const { phase, trying } = this.session;
    this.callbacks.firePhaseChanged?.(phase, trying);
    this.able();
  }

  /** Told on change only (CB-13). */
  able() {
    const { writable } = this.session;
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }

  /** @param {Change} change @param {Rec} rec @param {number} me @param {boolean} isLive */
  event(change, rec, me, isLive) {
    for (const part of newsOf(change.fields, rec.by, this.session.state, me)) this.news.add(part);
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

  /** @param {Change} change @param {Rec | null} rec @param {() => void} [between] the board and the page */
  changed(change, rec, between) {
    this.watcher?.changed(change, rec);
    between?.();
    this.callbacks.changed?.(change, rec);
  }

  missed() { for (const callback of this.late.splice(0)) callback(); }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told. */
  state() {
    const { state, member } = this.session;
    if (member === null) return;
    const told = roomState(state, member, this.news);
    this.news.clear();
    if (Object.keys(told).length > 0) this.callbacks.fireRoomStateChanged?.(told);
    this.able();
    const track = state.histories.get(member)?.track(state.currentScene);
    const before = this.steps;
    this.steps = { undo: track?.undo.length ?? 0, redo: track?.redo.length ?? 0 };
    if (before.undo !== this.steps.undo) this.callbacks.fireCanUndoStepsUpdate?.(this.steps.undo);
    if (before.redo !== this.steps.redo) this.callbacks.fireCanRedoStepsUpdate?.(this.steps.redo);
  }

  /** @param {Pending[]} commands that wait no longer @param {Refusal} refusal */
  refused(commands, refusal) {
    if (commands.length > 0) this.watcher?.settled();
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
