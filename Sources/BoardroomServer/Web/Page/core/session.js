import { standardPolicy } from "./connection.js";
import { RoomLink } from "./link.js";
import { apply, applyAll, emptyState, stateFromSnapshot } from "./model.js";
import { inBatches, Outbox } from "./outbox.js";
import { body } from "./records.js";
import { Refusal } from "./refusal.js";
import { roomState } from "./roomstate.js";
import { Telling } from "./telling.js";

// A stay in a room, across reconnections: keeps the confirmed state, sends what waits again, and tells the
// page. docs/PROTOCOL.md, section 2.

/**
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./outbox.js").Pending} Pending
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./connection.js").Phase} Phase
 *
 * @typedef {import("./telling.js").Callbacks} Callbacks
 * @typedef {import("./telling.js").Trying} Trying
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
    this.telling = new Telling();
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

  /** @param {import("./telling.js").Watcher} watcher @returns {() => void} ends it */
  watch(watcher) {
    this.telling.watchers.add(watcher);
    return () => void this.telling.watchers.delete(watcher);
  }

  // What the page wants

  /** Goes into a room. Without callbacks those of the join before stay.
   * @param {JoinOptions} options @returns {Promise<{member: number}>} */
  join(options) {
    if (this.link.machine.phase !== "disconnected") return Promise.reject(new Refusal({ code: "pending" }));
    if (options.callbacks) this.telling.callbacks = options.callbacks;
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
      this.telling.watch((watcher) => watcher.sent(command));
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
  attempting() { this.telling.callbacks.attempting?.(this.trying); }

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
    const refusal = end.why === "refused"
      ? new Refusal(/** @type {any} */ (end.farewell))
      : new Refusal({ code: end.why === "left" ? "notConnected" : "timeout" });
    this.rejectAll(this.outbox.abandon(), refusal);
    this.stay = null;
    this.telling.ended(refusal, end.why === "refused", end.why !== "left" && joining === null, () => {
      if (end.why === "left") this.announce("disconnecting");
      this.announce("disconnected");
    });
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
      this.telling.delta.compare(this.roomState, roomState(state, this.member));
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
    if (rec.n && rec.by === me) this.sawOwn(rec);
    this.telling.event(change, rec, this.state, me, this.link.isLive);
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
    if (ripe.length > 0) this.telling.watch((watcher) => watcher.settled());
    for (const command of ripe) command.resolve({ revision: command.revision ?? this.state.revision });
  }

  /** @param {Pending[]} commands @param {Refusal} refusal */
  rejectAll(commands, refusal) {
    for (const command of commands) this.outbox.take(command.n);
    this.telling.refused(commands, refusal);
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
    this.telling.live(() => this.announce("connected"));
    this.tellState();
    this.telling.missed();
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
    if (this.stay === null) this.telling.delta.parts.clear();
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
    for (const commands of inBatches(this.outgoing.splice(0), this.limits.message / 2)) {
      this.link.write({ m: "commands", commands });
    }
  }

  // What the page is told

  /** @param {Phase} phase */
  announce(phase) {
    if (this.phase === phase) return;
    this.phase = phase;
    if (this.stay !== null && (phase === "reconnecting" || this.seen.length > 0)) {
      this.seen.push({ phase, since: this.clock.now(), revision: this.state.revision });
    }
    this.telling.phase(phase, this.trying, this.writable);
  }

  tellState() { if (this.member !== null) this.telling.state(this.state, this.member, this.writable); }
}
