import { ConnectionMachine, standardPolicy } from "./connection.js";
import { apply, applyAll, Change, emptyState, redoSteps, stateFromSnapshot, undoSteps } from "./model.js";
import { readMessage, writeMessage } from "./messages.js";
import { Outbox } from "./outbox.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { roomState, StateDelta } from "./roomstate.js";

// A stay in a room over WebSockets, across reconnections: carries out what the connection machine decides, keeps
// the confirmed state, and sends what waits again. docs/PROTOCOL.md, section 2.

/**
 * @typedef {import("./clock.js").Clock} Clock
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./outbox.js").Pending} Pending
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./connection.js").Phase} Phase
 *
 * @typedef {{attempt: number, nextAttemptAt: number | null, silentSince: number, isLost: boolean}} Trying
 *   attempt: how many there were; isLost: nothing was heard for 10 s
 *
 * @typedef {object} Socket what is used of a WebSocket
 * @property {string} binaryType
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onclose
 * @property {(bytes: any) => void} send
 * @property {() => void} close
 *
 * @typedef {object} Callbacks all of them optional; the first ones have the names of the whiteboard SDK
 * @property {(phase: Phase, trying: Trying) => void} [firePhaseChanged]
 * @property {(modifyState: Record<string, any>) => void} [fireRoomStateChanged]
 * @property {(isAble: boolean) => void} [fireBeingAbleToCommitChange]
 * @property {(reason: string) => void} [fireKickedWithReason]
 * @property {(refusal: Refusal) => void} [fireDisconnectWithError]
 * @property {(member: number | null, refusal: Refusal) => void} [fireCatchErrorWhenAppendFrame]
 * @property {(event: {event: string, payload: any, by: number | null, isLate: boolean}) => void} [fireMagixEvent]
 * @property {(steps: number) => void} [fireCanUndoStepsUpdate]
 * @property {(steps: number) => void} [fireCanRedoStepsUpdate]
 * @property {(change: Change, rec: Rec | null) => void} [changed] after each event; rec null: all may be another
 * @property {(command: Pending, refusal: Refusal) => void} [refused] a command of one's own will not be carried out
 * @property {(trying: Trying) => void} [attempting] another attempt, or the connection now counts as lost
 *
 * @typedef {{room: string, token?: string, uid?: string, payload?: any, isWritable?: boolean,
 *   callbacks?: Callbacks, undoScenes?: number}} JoinOptions
 *   undoScenes: for how many pages one's own steps can be taken back; 0: none
 * @typedef {{session: string, generation: number, ticket: string, epoch: string, member: number}} Stay
 */

const client = "boardroom-page/1";
const standardUndoScenes = 20;

/** @param {string} url @param {string} protocol @returns {Socket} */
const browserSocket = (url, protocol) => new WebSocket(url, protocol);

export class RoomSession {
  /**
   * @param {{origin: string, clock: Clock, makeSocket?: (url: string, protocol: string) => Socket,
   *   giveUpAfter?: number, chance?: () => number}} options origin: of the server, `https://host:port`
   */
  constructor({ origin, clock, makeSocket = browserSocket, giveUpAfter, chance = Math.random }) {
    this.url = `${origin.replace(/^http/, "ws")}/v1/rooms`;
    this.clock = clock;
    this.makeSocket = makeSocket;
    this.chance = chance;
    this.machine = new ConnectionMachine(standardPolicy(giveUpAfter));
    this.outbox = new Outbox();
    /** What the log says, as far as it has come. */
    this.state = emptyState();
    /** @type {Callbacks} */
    this.callbacks = {};
    /** @type {JoinOptions} */
    this.options = { room: "" };
    /** @type {Stay | null} */
    this.stay = null;
    /** @type {Record<string, number>} */
    this.limits = {};
    this.disconnectedBySelf = false;
    /** @type {Socket | null} */
    this.socket = null;
    /** @type {Message | null} */
    this.welcome = null;
    /** @type {{root: Message, parts: Message[]} | null} */
    this.snapshot = null;
    /** Whether all events since the last connection came one by one. */
    this.sawEvents = true;
    this.lastSent = 0;
    this.lastElement = 0;
    /** @type {Phase} */
    this.announced = "disconnected";
    this.isAble = false;
    this.steps = { undo: 0, redo: 0 };
    this.delta = new StateDelta();
    /** @type {Array<() => void>} */
    this.late = [];
    /** Phases that only this side saw. @type {Array<{phase: string, since: number, revision: number}>} */
    this.seen = [];
    /** @type {{resolve: (joined: {member: number}) => void, reject: (refusal: Refusal) => void} | null} */
    this.joining = null;
    /** @type {Array<() => void>} */
    this.leaving = [];
    /** @type {Pending[]} */
    this.outgoing = [];
    /** @type {() => void} */
    this.stopTimer = () => {};
  }

  // What there is to read

  /** @returns {Phase} */
  get phase() {
    return this.announced;
  }

  /** Own number; null before the first join. */
  get member() {
    return this.stay?.member ?? null;
  }

  get epoch() {
    return this.stay?.epoch ?? "";
  }

  /** Whether this member may change the room now. */
  get writable() {
    return this.isLive && (this.ownMember?.writable ?? false);
  }

  get ownMember() {
    return this.member === null ? undefined : this.state.members.get(this.member);
  }

  get isLive() {
    return this.machine.phase === "connected";
  }

  /** Own commands that have no answer yet, in their order. @returns {Pending[]} */
  get pending() {
    return [...this.outbox.waiting.values()];
  }

  /** @returns {Trying} */
  get trying() {
    const { tries, nextAttemptAt, silentSince, isLostNoticeGiven } = this.machine;
    return { attempt: tries, nextAttemptAt, silentSince, isLost: isLostNoticeGiven };
  }

  /** The room's state as apps of the whiteboard SDK know it. */
  get roomState() {
    return roomState(this.state, this.member);
  }

  /** The id for another element of one's own. */
  nextElement() {
    return `${this.member ?? 0}.${++this.lastElement}`;
  }

  // What the page wants

  /**
   * Goes into a room. Without callbacks those of the join before stay.
   * @param {JoinOptions} options
   * @returns {Promise<{member: number}>}
   */
  join(options) {
    if (this.machine.phase !== "disconnected") return Promise.reject(new Refusal({ code: "pending" }));
    if (options.callbacks) this.callbacks = options.callbacks;
    if (options.room !== this.options.room) this.forget();
    this.options = options;
    this.disconnectedBySelf = false;
    return new Promise((resolve, reject) => {
      this.joining = { resolve, reject };
      this.carryOut(this.machine.join(this.clock.now()));
      this.announce("connecting");
      this.wake();
    });
  }

  /** Leaves the room; done when the server knows. @returns {Promise<void>} */
  disconnect() {
    if (this.machine.phase === "disconnected") return Promise.resolve();
    this.disconnectedBySelf = true;
    return new Promise((resolve) => {
      this.leaving.push(resolve);
      this.carryOut(this.machine.leave(this.clock.now()));
      this.wake();
    });
  }

  /**
   * Asks for something; done when the log has it. While the connection is being got back it waits.
   * @param {string} name a kind of docs/PROTOCOL.md, section 6 @param {any} payload what its mirror has as `body`
   * @returns {Promise<{revision: number}>}
   */
  send(name, payload) {
    const isOpen = this.stay !== null && (this.isLive || this.machine.phase === "reconnecting");
    if (!isOpen) return Promise.reject(new Refusal({ code: "notConnected" }));
    if (this.outbox.isFull) return Promise.reject(new Refusal({ code: "tooMany" }));
    return new Promise((resolve, reject) => {
      const command = this.outbox.add(name, payload, { resolve, reject });
      const allowed = this.limits.message - 16;
      if (command.bytes.length > allowed) {
        this.outbox.last--;
        this.reject(command, new Refusal({ code: "tooLarge", actual: command.bytes.length, allowed }));
        return;
      }
      if (!this.isLive) return;
      if (this.outgoing.length === 0) Promise.resolve().then(() => this.flush());
      this.outgoing.push(command);
    });
  }

  /** The system says that there is a network again. */
  networkBack() {
    this.carryOut(this.machine.networkBack(this.clock.now()));
    this.wake();
  }

  // The socket

  /** @param {number} link */
  open(link) {
    this.drop();
    if (this.machine.phase === "reconnecting") this.callbacks.attempting?.(this.trying);
    const socket = this.makeSocket(this.url, "boardroom.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.heard(link, null);
    socket.onmessage = (event) => this.heard(link, new Uint8Array(event.data));
    socket.onclose = () => {
      this.carryOut(this.machine.lost(link, this.chance(), this.clock.now()));
      this.wake();
    };
    this.socket = socket;
  }

  drop() {
    const socket = this.socket;
    this.socket = null;
    this.welcome = null;
    this.snapshot = null;
    this.outgoing = [];
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** @param {number} link @param {Uint8Array | null} bytes null: the socket is open */
  heard(link, bytes) {
    const now = this.clock.now();
    if (bytes === null) {
      this.carryOut(this.machine.opened(link, now));
    } else if (this.machine.heard(link, now)) {
      try {
        this.take(readMessage(bytes));
      } catch (error) {
        if (!(error instanceof Error) || error.name !== "WireError") throw error;
        // Asking again would bring the same bytes.
        const farewell = { code: "malformed", cause: error.message, comeBack: false };
        this.carryOut(this.machine.refused(farewell, link, 0, now));
      }
    }
    // Timers of a page in the background come late; what comes in keeps its heartbeat up.
    this.tick();
  }

  /** @param {Message} message */
  write(message) {
    this.socket?.send(writeMessage(message));
    this.lastSent = this.clock.now();
  }

  greet() {
    const { room, token = "", uid, payload, isWritable = true } = this.options;
    const { stay } = this;
    const resume = stay && {
      session: stay.session, generation: stay.generation, ticket: stay.ticket, epoch: stay.epoch,
      revision: this.state.revision,
    };
    this.write({ m: "hello", room, token, ...resume, uid, payload, isWritable, client, acceptsBlocks: true });
  }

  // What the machine decides

  /** @param {import("./connection.js").Answer} answer */
  carryOut(answer) {
    switch (answer.do) {
      case "open":
        return this.open(answer.link);
      case "greet":
        return this.greet();
      case "drop":
        this.drop();
        if (this.machine.phase === "reconnecting") this.callbacks.attempting?.(this.trying);
        return undefined;
      case "outage":
        this.drop();
        return this.announce("reconnecting");
      case "lostNotice":
        return this.callbacks.attempting?.(this.trying);
      case "goodbye":
        this.flush();
        this.write({ m: "leave" });
        return this.announce("disconnecting");
      case "end":
        return this.end(answer.end);
      case "connected":
      case "nothing":
        return undefined;
    }
  }

  /** @param {import("./connection.js").ConnectionEnd} end */
  end(end) {
    this.drop();
    const { joining, leaving } = this;
    this.joining = null;
    this.leaving = [];
    this.seen = [];
    const refusal = end.why === "refused"
      ? new Refusal(/** @type {any} */ (end.farewell))
      : new Refusal({ code: end.why === "left" ? "notConnected" : "timeout" });
    for (const command of this.outbox.abandon()) this.reject(command, refusal);
    this.stay = null;
    // A removal is told before the phase, giving up after it (spec 2.1).
    const isTold = end.why !== "left" && joining === null;
    if (isTold && refusal.kick) this.callbacks.fireKickedWithReason?.(refusal.kick);
    else if (isTold && end.why === "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    this.announce("disconnected");
    if (isTold && end.why !== "refused") this.callbacks.fireDisconnectWithError?.(refusal);
    joining?.reject(refusal);
    for (const resolve of leaving) resolve();
  }

  tick() {
    for (;;) {
      const answer = this.machine.tick(this.chance(), this.clock.now());
      if (answer.do === "nothing") break;
      this.carryOut(answer);
    }
    if (this.heartbeatDue <= this.clock.now()) this.write({ m: "heartbeat", revision: this.state.revision });
    this.wake();
  }

  get heartbeatDue() {
    return this.welcome === null ? Infinity : this.lastSent + this.welcome.heartbeatMs;
  }

  wake() {
    this.stopTimer();
    const due = Math.min(this.machine.deadline, this.heartbeatDue);
    if (due < Infinity) this.stopTimer = this.clock.after(due - this.clock.now(), () => this.tick());
  }

  // What the server says

  /** @param {Message} message */
  take(message) {
    switch (message.m) {
      case "welcome":
        this.welcome = message;
        this.limits = message.limits;
        return;
      case "catchUp":
        this.sawEvents = message.mode !== "snapshot";
        if (message.mode === "delta" && message.from === 0 && this.state.revision > 0) {
          this.sawEvents = false;
          this.replaceState(emptyState());
        }
        return;
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
        for (const [n, revision] of message.receipts) {
          const command = this.outbox.waiting.get(n);
          if (command) command.revision = revision;
        }
        return this.settleRipe();
      case "refused":
        return this.takeRefused(message);
      case "farewell":
        return this.carryOut(this.machine.refused(message, this.machine.link, this.chance(), this.clock.now()));
      default:
        return;
    }
  }

  /** The server broke its word. What it has in its log is right: we come back for it. */
  distrust() {
    this.carryOut(this.machine.lost(this.machine.link, this.chance(), this.clock.now()));
  }

  completeSnapshot() {
    const { snapshot } = this;
    if (snapshot === null || snapshot.parts.length < snapshot.root.parts) return;
    this.snapshot = null;
    this.replaceState(stateFromSnapshot(/** @type {any} */ (snapshot.root), /** @type {any[]} */ (snapshot.parts)));
  }

  /** @param {import("./model.js").RoomState} state */
  replaceState(state) {
    this.state = state;
  }

  /** Events come once each and in order; what is here already is cut off. @param {Message} run */
  takeRun(run) {
    const { revision } = this.state;
    if (run.first > revision + 1) return this.distrust();
    const records = /** @type {Rec[]} */ (run.records).slice(revision + 1 - run.first);
    if (!this.isLive && this.stay === null) return applyAll(this.state, records);
    for (const rec of records) this.takeEvent(rec);
    if (this.isLive) this.tellState();
    return this.settleRipe();
  }

  /** @param {Rec} rec */
  takeEvent(rec) {
    const change = apply(this.state, rec);
    this.delta.note(change, rec, this.state, this.member);
    if (rec.n && rec.by === this.member) this.sawOwn(rec);
    if (this.isLive) this.callbacks.changed?.(change, rec);
    if (!change.fits) {
      const told = new Refusal({ code: "misfit", actual: rec.rev });
      this.tell(() => this.callbacks.fireCatchErrorWhenAppendFrame?.(rec.by, told));
    }
    if (rec.kind !== 30 || !change.fits) return;
    const { event, payload } = body(rec) ?? {};
    const isLate = !this.isLive;
    this.tell(() => this.callbacks.fireMagixEvent?.({ event, payload, by: rec.by, isLate }));
  }

  /** What was missed is told when the phase has been. @param {() => void} callback */
  tell(callback) {
    if (this.isLive) callback();
    else this.late.push(callback);
  }

  /** An event of one's own: its command is done. @param {Rec} rec */
  sawOwn(rec) {
    const command = this.outbox.waiting.get(/** @type {number} */ (rec.n));
    if (command === undefined) return;
    if (rec.kind === 31) command.code = body(rec)?.code ?? "internal";
    else this.outbox.take(command.n)?.resolve({ revision: rec.rev });
  }

  settleRipe() {
    for (const command of this.outbox.ripe(this.state.revision)) {
      this.outbox.take(command.n);
      this.settleUnseen(command);
    }
  }

  /** Done, and it left no event: a position that another one took the place of. @param {Pending} command */
  settleUnseen(command) {
    command.resolve({ revision: command.revision ?? this.state.revision });
  }

  /** @param {Pending} command @param {Refusal} refusal */
  reject(command, refusal) {
    this.outbox.take(command.n);
    this.callbacks.refused?.(command, refusal);
    command.reject(refusal);
  }

  /** @param {Message} message */
  takeRefused(message) {
    if (message.code === "outOfOrder" && message.allowed) {
      this.outgoing = this.outbox.renumber(message.allowed);
      return this.flush();
    }
    const command = this.outbox.waiting.get(message.counter);
    if (command) this.reject(command, new Refusal(/** @type {any} */ (message)));
    return undefined;
  }

  // In

  goLive() {
    const { machine, welcome } = this;
    if (welcome === null || this.snapshot !== null || this.state.revision < welcome.revision) return this.distrust();
    const answer = machine.live(machine.link, this.clock.now());
    if (answer.do !== "connected") return undefined;
    const goesOn = welcome.resumed && this.stay?.session === welcome.session;
    const settle = goesOn ? this.resume(welcome) : this.begin(welcome);
    this.late.unshift(() => this.callbacks.changed?.(Object.assign(new Change(), { all: true }), null));
    this.announce("connected");
    const late = this.late.splice(0);
    for (const callback of late) callback();
    this.tellState();
    settle();
    this.flush();
    this.uploadPhases();
    if (!goesOn) this.keepHistory();
    const { joining } = this;
    this.joining = null;
    joining?.resolve({ member: welcome.member });
    return undefined;
  }

  /** @param {Message} welcome @returns {Stay} */
  static stayOf({ session, generation, ticket, epoch, member }) {
    return { session, generation, ticket, epoch, member };
  }

  /** The session goes on: what the server decided is settled, the rest is sent again. @param {Message} welcome */
  resume(welcome) {
    this.stay = RoomSession.stayOf(welcome);
    const decided = this.outbox.decided(welcome.lastCounter);
    for (const command of decided) this.outbox.take(command.n);
    this.outbox.last = Math.max(this.outbox.last, welcome.lastCounter);
    this.outgoing = this.pending;
    return () => {
      for (const command of decided) {
        if (command.code !== null) this.reject(command, new Refusal({ code: command.code }));
        else if (this.sawEvents) this.settleUnseen(command);
        else this.reject(command, new Refusal({ code: "outcomeUnknown" }));
      }
    };
  }

  /** A session begins; what waited in the one before will not be carried out. @param {Message} welcome */
  begin(welcome) {
    const abandoned = this.outbox.abandon();
    this.stay = RoomSession.stayOf(welcome);
    this.lastElement = 0;
    this.delta.parts.clear();
    const refusal = new Refusal({ code: this.sawEvents ? "notCarriedOut" : "outcomeUnknown" });
    return () => {
      for (const command of abandoned) this.reject(command, refusal);
    };
  }

  /** Another room: nothing of this one counts. */
  forget() {
    this.state = emptyState();
    this.stay = null;
  }

  keepHistory() {
    const { undoScenes = standardUndoScenes } = this.options;
    if (undoScenes > 0 && this.writable) this.send("historySet", { scenes: undoScenes }).catch(() => {});
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
    if (this.outgoing.length === 0 || this.welcome === null) return;
    const budget = this.limits.message / 2;
    /** @type {Uint8Array[]} */
    let batch = [];
    let size = 0;
    for (const { bytes } of this.outgoing.splice(0)) {
      if (size + bytes.length > budget && batch.length > 0) {
        this.write({ m: "commands", commands: batch });
        [batch, size] = [[], 0];
      }
      batch.push(bytes);
      size += bytes.length;
    }
    this.write({ m: "commands", commands: batch });
  }

  // What the page is told

  /** @param {Phase} phase */
  announce(phase) {
    if (this.announced === phase) return;
    this.announced = phase;
    if (this.stay !== null && (phase === "reconnecting" || this.seen.length > 0)) {
      this.seen.push({ phase, since: this.clock.now(), revision: this.state.revision });
    }
    this.callbacks.firePhaseChanged?.(phase, this.trying);
    this.tellAble();
  }

  /** CB-13: on change only. */
  tellAble() {
    const { writable } = this;
    if (writable === this.isAble) return;
    this.isAble = writable;
    this.callbacks.fireBeingAbleToCommitChange?.(writable);
  }

  /** CB-4, CB-5: the state is the new one before it is told, and only what changed is told. */
  tellState() {
    const told = this.delta.take(this.state, this.member);
    if (told !== null) this.callbacks.fireRoomStateChanged?.(told);
    this.tellAble();
    if (this.member === null) return;
    const undo = undoSteps(this.state, this.member);
    const redo = redoSteps(this.state, this.member);
    const before = this.steps;
    this.steps = { undo, redo };
    if (before.undo !== undo) this.callbacks.fireCanUndoStepsUpdate?.(undo);
    if (before.redo !== redo) this.callbacks.fireCanRedoStepsUpdate?.(redo);
  }
}
