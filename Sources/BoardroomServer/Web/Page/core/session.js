import { standardPolicy } from "./connection.js";
import { RoomLink } from "./link.js";
import { apply, applyAll, Change, emptyState, redoSteps, stateFromSnapshot, undoSteps } from "./model.js";
import { Outbox } from "./outbox.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { roomState, StateDelta } from "./roomstate.js";

// A stay in a room, across reconnections: keeps the confirmed state, sends what waits again, and tells the
// page. docs/PROTOCOL.md, section 2.

/**
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./outbox.js").Pending} Pending
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./connection.js").Phase} Phase
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
 *
 * @typedef {{room: string, token?: string, uid?: string, payload?: any, isWritable?: boolean,
 *   callbacks?: Callbacks, undoScenes?: number}} JoinOptions
 *   undoScenes: for how many pages one's own steps can be taken back; 0: none
 * @typedef {{session: string, generation: number, ticket: string, member: number}} Stay
 */

const client = "boardroom-page/1";
const standardUndoScenes = 20;
/** Of the server's limit on one message; what is around the commands needs some. */
const messageMargin = 16;

export class RoomSession {
  /**
   * @param {{origin: string, clock: import("./clock.js").Clock, giveUpAfter?: number, chance?: () => number,
   *   makeSocket?: (url: string, protocol: string) => import("./link.js").Socket}} options
   *   origin: of the server, `https://host:port`; giveUpAfter: how long one outage may take, ms
   */
  constructor({ origin, giveUpAfter, ...rest }) {
    const url = `${origin.replace(/^http/, "ws")}/v1/rooms`;
    this.clock = rest.clock;
    this.link = new RoomLink({ ...rest, url, policy: standardPolicy(giveUpAfter), owner: this });
    this.outbox = new Outbox();
    /** What the log says, as far as it has come. */
    this.state = emptyState();
    /** @type {Callbacks} */
    this.callbacks = {};
    /** @type {Set<Watcher>} */
    this.watchers = new Set();
    /** @type {JoinOptions} */
    this.options = { room: "" };
    /** @type {Stay | null} */
    this.stay = null;
    /** @type {Record<string, number>} sizes and counts that the server allows */
    this.limits = {};
    /** The life of the log that `state` is of; "" before the first join. */
    this.epoch = "";
    this.disconnectedBySelf = false;
    /** @type {Phase} */
    this.phase = "disconnected";
    /** @type {{root: Message, parts: Message[]} | null} */
    this.snapshot = null;
    /** Whether all events since the last connection came one by one. */
    this.sawEvents = true;
    this.lastElement = 0;
    this.isAble = false;
    this.steps = { undo: 0, redo: 0 };
    this.delta = new StateDelta();
    /** @type {Array<() => void>} what is told once the phase is connected */
    this.late = [];
    /** @type {Array<{phase: string, since: number, revision: number}>} phases that only this side saw */
    this.seen = [];
    /** @type {{resolve: (joined: {member: number}) => void, reject: (refusal: Refusal) => void} | null} */
    this.joining = null;
    /** @type {Array<() => void>} */
    this.leaving = [];
    /** @type {Pending[]} */
    this.outgoing = [];
  }

  /** Own number; null before the first join. */
  get member() { return this.stay?.member ?? null; }
  /** Whether this member may change the room now. */
  get writable() { return this.link.isLive && this.state.members.get(this.member ?? -1)?.writable === true; }
  /** @returns {Pending[]} own commands that have no answer yet, in their order */
  get pending() { return [...this.outbox.waiting.values()]; }
  /** The room's state as apps of the whiteboard SDK know it. */
  get roomState() { return roomState(this.state, this.member); }

  /** @returns {Trying} */
  get trying() {
    const { tries, nextAttemptAt, silentSince, isLostNoticeGiven } = this.link.machine;
    return { attempt: tries, nextAttemptAt, silentSince, isLost: isLostNoticeGiven };
  }

  /** The id for another element of one's own. */
  nextElement() { return `${this.member ?? 0}.${++this.lastElement}`; }

  /** @param {Watcher} watcher @returns {() => void} ends it */
  watch(watcher) {
    this.watchers.add(watcher);
    return () => void this.watchers.delete(watcher);
  }

  // What the page wants

  /** Goes into a room. Without callbacks those of the join before stay.
   * @param {JoinOptions} options @returns {Promise<{member: number}>} */
  join(options) {
    if (this.link.machine.phase !== "disconnected") return Promise.reject(new Refusal({ code: "pending" }));
    if (options.callbacks) this.callbacks = options.callbacks;
    if (options.room !== this.options.room) [this.state, this.epoch] = [emptyState(), ""];
    this.options = options;
    this.disconnectedBySelf = false;
    return new Promise((resolve, reject) => {
      this.joining = { resolve, reject };
      this.announce("connecting");
      this.link.join();
    });
  }

  /** @returns {Promise<void>} leaves the room; done when the server knows */
  disconnect() {
    if (this.link.machine.phase === "disconnected") return Promise.resolve();
    this.disconnectedBySelf = true;
    this.flush();
    return new Promise((resolve) => {
      this.leaving.push(resolve);
      if (this.link.leave()) this.announce("disconnecting");
    });
  }

  /**
   * Asks for something; done when the log has it. While a connection is being got back it waits.
   * @param {string} name a kind of docs/PROTOCOL.md, section 6 @param {any} payload its mirror's `body`
   * @returns {Promise<{revision: number}>}
   */
  send(name, payload) {
    const { phase } = this.link.machine;
    const isOpen = this.stay !== null && (phase === "connected" || phase === "reconnecting");
    if (!isOpen) return Promise.reject(new Refusal({ code: "notConnected" }));
    if (this.outbox.isFull) return Promise.reject(new Refusal({ code: "tooMany" }));
    return new Promise((resolve, reject) => {
      const allowed = this.limits.message - messageMargin;
      const command = this.outbox.add(name, payload, allowed, { resolve, reject });
      if (command === null) return;
      for (const watcher of this.watchers) watcher.sent(command);
      if (phase !== "connected") return;
      if (this.outgoing.length === 0) Promise.resolve().then(() => this.flush());
      this.outgoing.push(command);
    });
  }

  /** The system says that there is a network again. */
  networkBack() { this.link.networkBack(); }

  // What the link asks and says

  /** @returns {Message} */
  hello() {
    const { room, token = "", uid, payload, isWritable = true } = this.options;
    const { session, generation, ticket } = this.stay ?? {};
    const cursor = this.epoch === "" ? {} : { epoch: this.epoch, revision: this.state.revision };
    const resume = { session, generation, ticket, ...cursor };
    return { m: "hello", room, token, ...resume, uid, payload, isWritable, client, acceptsBlocks: true };
  }

  revision() { return this.state.revision; }
  outage() { this.announce("reconnecting"); }
  attempting() { this.callbacks.attempting?.(this.trying); }

  dropped() {
    this.snapshot = null;
    this.outgoing = [];
  }

  /** @param {import("./connection.js").ConnectionEnd} end */
  ended(end) {
    const { joining, leaving } = this;
    this.joining = null;
    this.leaving = [];
    this.seen = [];
    this.late = [];
    const refusal = end.why === "refused"
      ? new Refusal(/** @type {any} */ (end.farewell))
      : new Refusal({ code: end.why === "left" ? "notConnected" : "timeout" });
    this.rejectAll(this.outbox.abandon(), refusal);
    this.stay = null;
    // A removal is told before the phase, giving up after it (spec 2.1).
    const isTold = end.why !== "left" && joining === null;
    if (isTold && refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isTold && end.why === "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    if (end.why === "left") this.announce("disconnecting");
    this.announce("disconnected");
    if (isTold && end.why !== "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    joining?.reject(refusal);
    for (const resolve of leaving) resolve();
  }

  /** @param {Message} message */
  take(message) {
    switch (message.m) {
      case "welcome":
        this.limits = message.limits;
        this.sawEvents = true;
        return;
      case "catchUp":
        if (message.mode !== "delta" || message.from > 0 || this.state.revision === 0) return;
        // The whole log of another life.
        return this.replaceState(emptyState());
      case "snapshotRoot":
        this.snapshot = { root: message, parts: [] };
        return this.completeSnapshot();
      case "snapshotPart":
        this.snapshot?.parts.push(message);
        return this.completeSnapshot();
      case "run":
      case "block":
        return this.takeRun(message);
      case "live":
        return this.goLive();
      case "receipts":
        this.outbox.receipts(message.receipts);
        return this.settleRipe();
      case "refused":
        return this.takeRefused(message);
    }
  }

  completeSnapshot() {
    const { snapshot } = this;
    if (snapshot === null || snapshot.parts.length < snapshot.root.parts) return;
    this.snapshot = null;
    this.replaceState(stateFromSnapshot(snapshot.root, snapshot.parts));
  }

  /** @param {import("./model.js").RoomState} state */
  replaceState(state) {
    if (this.stay !== null) {
      this.sawEvents = false;
      this.delta.compare(this.roomState, roomState(state, this.member));
    }
    this.state = state;
  }

  /** @param {Message} run events come once each and in order; what is here already is cut off */
  takeRun(run) {
    const { revision } = this.state;
    if (run.first > revision + 1) return this.link.distrust();
    const records = /** @type {Rec[]} */ (run.records).slice(revision + 1 - run.first);
    if (this.stay === null) return applyAll(this.state, records);
    for (const rec of records) this.takeEvent(rec, this.stay.member);
    if (this.link.isLive) this.tellState();
    return this.settleRipe();
  }

  /** @param {Rec} rec @param {number} me */
  takeEvent(rec, me) {
    const change = apply(this.state, rec);
    this.delta.note(change, rec.by, this.state, me);
    if (rec.n && rec.by === me) this.sawOwn(rec);
    if (this.link.isLive) this.tellChange(change, rec);
    const { isLive } = this.link;
    if (!change.fits) {
      const refusal = new Refusal({ code: "misfit", actual: rec.rev });
      this.late.push(() => this.callbacks.fireCatchErrorWhenAppendFrame?.(rec.by, refusal));
    } else if (rec.kind === 30) {
      const { event, payload } = body(rec) ?? {};
      this.late.push(() => this.callbacks.fireMagixEvent?.({ event, payload, by: rec.by, isLate: !isLive }));
    }
    if (isLive) this.tellLate();
  }

  /** @param {Rec} rec of one's own: its command is done */
  sawOwn(rec) {
    const command = this.outbox.waiting.get(/** @type {number} */ (rec.n));
    if (command === undefined) return;
    if (rec.kind === 31) command.code = body(rec)?.code ?? "internal";
    else this.outbox.take(command.n)?.resolve({ revision: rec.rev });
  }

  /** What has its receipt and left no event: a position that another one took the place of. */
  settleRipe() {
    const ripe = this.outbox.ripe(this.state.revision);
    for (const command of ripe) this.outbox.take(command.n);
    if (ripe.length > 0) for (const watcher of this.watchers) watcher.settled();
    for (const command of ripe) command.resolve({ revision: command.revision ?? this.state.revision });
  }

  /** @param {Pending[]} commands @param {Refusal} refusal */
  rejectAll(commands, refusal) {
    for (const command of commands) this.outbox.take(command.n);
    if (commands.length > 0) for (const watcher of this.watchers) watcher.settled();
    for (const command of commands) {
      this.callbacks.refused?.(command, refusal);
      command.reject(refusal);
    }
  }

  /** @param {Message} message */
  takeRefused(message) {
    if (message.code === "outOfOrder" && message.allowed) {
      this.outgoing = this.outbox.renumber(message.allowed);
      return this.flush();
    }
    const command = this.outbox.waiting.get(message.counter);
    return this.rejectAll(command ? [command] : [], new Refusal(/** @type {any} */ (message)));
  }

  // In

  goLive() {
    const { welcome } = this.link;
    if (welcome === null || this.snapshot !== null || this.state.revision < welcome.revision) {
      return this.link.distrust();
    }
    if (!this.link.live()) return undefined;
    const goesOn = welcome.resumed && this.stay?.session === welcome.session;
    const settle = goesOn ? this.resume(welcome.lastCounter) : this.begin();
    const { session, generation, ticket, epoch, member } = welcome;
    this.stay = { session, generation, ticket, member };
    this.epoch = epoch;
    for (const watcher of this.watchers) watcher.changed(everything, null);
    this.announce("connected");
    this.callbacks.changed?.(everything, null);
    this.tellState();
    this.tellLate();
    settle();
    this.flush();
    this.uploadPhases();
    if (!goesOn) this.keepHistory();
    const { joining } = this;
    this.joining = null;
    joining?.resolve({ member });
    return undefined;
  }

  /** The session goes on: what the server decided is settled, the rest is sent again.
   * @param {number} lastCounter */
  resume(lastCounter) {
    const decided = this.outbox.decided(lastCounter);
    for (const command of decided) this.outbox.take(command.n);
    this.outgoing = this.pending;
    return () => {
      for (const command of decided) {
        const code = command.code ?? (this.sawEvents ? null : "outcomeUnknown");
        if (code !== null) this.rejectAll([command], new Refusal({ code }));
        else command.resolve({ revision: command.revision ?? this.state.revision });
      }
    };
  }

  /** Another session begins; what waited in the one before will not be carried out. */
  begin() {
    const abandoned = this.outbox.abandon();
    this.lastElement = 0;
    if (this.stay === null) this.delta.parts.clear();
    const refusal = new Refusal({ code: this.sawEvents ? "notCarriedOut" : "outcomeUnknown" });
    return () => this.rejectAll(abandoned, refusal);
  }

  /** A history is the member's, so that a new member asks for its own (EL-6). */
  keepHistory() {
    const { undoScenes = standardUndoScenes } = this.options;
    if (undoScenes > 0) this.send("historySet", { scenes: undoScenes }).catch(() => {});
  }

  /** The log shows both ends of an outage (rule 5 of spec 10.3). */
  uploadPhases() {
    const now = this.clock.now();
    const phases = this.seen.splice(0).map(({ phase, since, revision }) => ({
      phase, ago: Math.round(now - since), revision,
    }));
    if (phases.length > 0) this.send("clientPhases", { phases: phases.slice(-288) }).catch(() => {});
  }

  flush() {
    if (this.outgoing.length === 0 || !this.link.isLive) return;
    const budget = this.limits.message / 2;
    /** @type {Uint8Array[]} */
    let batch = [];
    let size = 0;
    for (const { bytes } of this.outgoing.splice(0)) {
      if (size + bytes.length > budget && batch.length > 0) {
        this.link.write({ m: "commands", commands: batch });
        [batch, size] = [[], 0];
      }
      batch.push(bytes);
      size += bytes.length;
    }
    this.link.write({ m: "commands", commands: batch });
  }

  // What the page is told

  /** @param {Phase} phase */
  announce(phase) {
    if (this.phase === phase) return;
    this.phase = phase;
    if (this.stay !== null && (phase === "reconnecting" || this.seen.length > 0)) {
      this.seen.push({ phase, since: this.clock.now(), revision: this.state.revision });
    }
    this.callbacks.firePhaseChanged?.(phase, this.trying);
    this.tellAble();
  }

  /** @param {Change} change @param {Rec} rec */
  tellChange(change, rec) {
    for (const watcher of this.watchers) watcher.changed(change, rec);
    this.callbacks.changed?.(change, rec);
  }

  tellLate() { for (const callback of this.late.splice(0)) callback(); }

  /** CB-13: on change only. */
  tellAble() {
    const { writable } = this;
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told. */
  tellState() {
    if (this.member === null) return;
    const told = this.delta.take(this.state, this.member);
    if (told !== null) this.callbacks.fireRoomStateChanged?.(told);
    this.tellAble();
    const before = this.steps;
    this.steps = { undo: undoSteps(this.state, this.member), redo: redoSteps(this.state, this.member) };
    if (before.undo !== this.steps.undo) this.callbacks.fireCanUndoStepsUpdate?.(this.steps.undo);
    if (before.redo !== this.steps.redo) this.callbacks.fireCanRedoStepsUpdate?.(this.steps.redo);
  }
}

const everything = Object.assign(new Change(), { all: true });
