// A stay in a room, across reconnections: keeps the confirmed state, sends what waits again, and
// tells the page. docs/PROTOCOL.md, section 2.
import { Connection } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { body, Rec } from "../protocol/records.js";
import { Refusal } from "../protocol/refusal.js";
import { apply, applyAll, emptyState, RoomState, stateFromSnapshot } from "./model.js";
import { newsOf, otherParts, roomState } from "./roomstate.js";
import { SessionNotifier } from "./session-notifier.js";

/** How this client names itself. */
const client = "boardroom-page/1";

/** For so many pages one's own steps can be taken back. */
const standardUndoScenes = 20;

/** Bytes that what is around commands in a message takes. */
const messageMargin = 16;

const refusedKind = 31;

export class RoomSession {
  outbox = new Outbox();

  /** What the page is told. */
  notifier = new SessionNotifier(this);

  /** What the log says, as far as it has come. */
  state = emptyState();

  /** @type {RoomJoin} */
  options = { room: "" };

  /** @type {{session: string, generation: number, ticket: string, member: number} | null} */
  stay = null;

  /** @type {Record<string, number>} Sizes and counts that the server allows. */
  limits = {};

  /** The life of the log that `state` is of; "" before the first join. */
  epoch = "";

  /**
   * Root and parts, as far as they have come.
   * @type {Message[]}
   */
  snapshot = [];

  /** Whether all events since the last connection came one by one. */
  sawEvents = true;

  lastElement = 0;

  /** @type {{resolve(joined: {member: number}): void, reject(why: any): void} | null} */
  joining = null;

  /** @type {Array<() => void>} */
  leaving = [];

  /** @type {Pending[]} */
  outgoing = [];

  /**
   * @param {Omit<ConnectionOptions, "url"> & {origin: string}} options of the server,
   *   `https://host:port`
   */
  constructor({ origin, ...rest }) {
    this.clock = rest.clock;
    this.connection = new Connection(
      { ...rest, url: `${origin.replace(/^http/, "ws")}/v1/rooms` },
      this,
    );
  }

  /** The phase as it was told. */
  get phase() {
    return this.notifier.phase;
  }

  /** @param {Watcher} watcher is told before the page is */
  set watcher(watcher) {
    this.notifier.watcher = watcher;
  }

  /** Own number; null before the first join. */
  get member() {
    return this.stay?.member ?? null;
  }

  get me() {
    return this.state.members.get(this.member ?? -1);
  }

  /** May this member change the room now? */
  get writable() {
    return this.connection.isLive && this.me?.writable === true;
  }

  /** Own commands that have no answer yet, in their order. */
  get pending() {
    return this.outbox.all;
  }

  get trying() {
    return this.connection.trying;
  }

  /** The room's state as apps of the whiteboard SDK know it. */
  get roomState() {
    return roomState(this.state, this.member);
  }

  nextElement() {
    this.lastElement += 1;
    return `${this.member ?? 0}.${this.lastElement}`;
  }

  networkBack() {
    this.connection.networkBack();
  }

  /**
   * @param {RoomJoin} options without callbacks the last ones stay
   * @returns {Promise<{member: number}>}
   */
  async join(options) {
    if (this.connection.phase !== "disconnected") throw new Refusal({ code: "pending" });
    if (options.callbacks) this.notifier.callbacks = options.callbacks;
    if (options.room !== this.options.room) {
      this.state = emptyState();
      this.epoch = "";
    }
    this.options = options;
    return new Promise((resolve, reject) => {
      this.joining = { resolve, reject };
      this.notifier.setPhase("connecting");
      this.connection.join();
    });
  }

  /** @returns {Promise<void>} leaves the room; done when the server knows */
  async disconnect() {
    if (this.connection.phase === "disconnected") return undefined;
    this.flush();
    return new Promise((resolve) => {
      this.leaving.push(resolve);
      if (this.connection.leave()) this.notifier.setPhase("disconnecting");
    });
  }

  /** Leaves the room at once: a page that goes has no time to hear that the server knows. */
  leaveAtOnce() {
    this.flush();
    this.connection.leaveAtOnce();
  }

  /**
   * Asks for something; done when the log has it. While a connection is being got back it waits.
   * @param {string} name
   * @param {any} payload its mirror's `body`
   * @returns {Promise<{revision: number}>}
   */
  async send(name, payload) {
    const { isReconnecting, isLive } = this.connection;
    if (this.stay === null || !(isLive || isReconnecting))
      throw new Refusal({ code: "notConnected" });
    return new Promise((resolve, reject) => {
      const allowed = this.limits.message - messageMargin;
      const command = this.outbox.add(name, payload, allowed, { resolve, reject });
      this.notifier.watcher?.sent(command);
      if (!isLive) return;
      if (this.outgoing.length === 0) Promise.resolve().then(() => this.flush());
      this.outgoing.push(command);
    });
  }

  flush() {
    if (!this.connection.isLive) return;
    for (const commands of this.outbox.batches(this.outgoing.splice(0), this.limits.message / 2)) {
      this.connection.write({ m: "commands", commands });
    }
  }

  /** @returns {Message} */
  hello() {
    const { room, token = "", uid, payload, isWritable = true } = this.options;
    const { session, generation, ticket } = this.stay ?? {};
    const cursor = this.epoch === "" ? {} : { epoch: this.epoch, revision: this.state.revision };
    const who = { session, generation, ticket, ...cursor, uid, payload };
    return { m: "hello", room, token, ...who, isWritable, client, acceptsBlocks: true };
  }

  revision() {
    return this.state.revision;
  }

  onOutage() {
    this.notifier.setPhase("reconnecting");
  }

  onAttempt() {
    this.notifier.notifyAttempt();
  }

  onSocketDropped() {
    this.snapshot = [];
    this.outgoing = [];
  }

  /**
   * @param {Refusal} refusal
   * @param {"left" | "refused" | "timeout"} why
   */
  onEnd(refusal, why) {
    const { joining, leaving } = this;
    this.joining = null;
    this.leaving = [];
    this.notifier.discard();
    this.rejectAll(this.outbox.clear(), refusal);
    this.stay = null;
    this.notifier.end(refusal, why, joining !== null);
    joining?.reject(refusal);
    for (const resolve of leaving) {
      resolve();
    }
  }

  /** @param {Message} message */
  handleMessage(message) {
    switch (message.m) {
      case "welcome":
        this.applyWelcome(message);
        break;
      case "catchUp":
        this.applyCatchUp(message);
        break;
      case "snapshotRoot":
      case "snapshotPart":
        this.applySnapshotPart(message);
        break;
      case "run":
      case "block":
        this.applyRun(message);
        break;
      case "live":
        this.becomeLive();
        break;
      case "receipts":
        this.applyReceipts(message);
        break;
      case "refused":
        this.handleRefused(message);
        break;
    }
  }

  /** @param {Message} message */
  applyWelcome({ limits, token }) {
    this.limits = limits;
    this.sawEvents = true;
    if (token) this.notifier.callbacks.hosting?.(token);
  }

  /** @param {Message} message; a log that begins anew is another life of the room */
  applyCatchUp({ mode, from }) {
    const isOtherLife = mode === "delta" && from === 0;
    if (isOtherLife && this.revision() > 0) this.replaceState(emptyState());
  }

  /** @param {Message} message the root of a snapshot, or one of its parts, which follow it */
  applySnapshotPart(message) {
    this.snapshot.push(message);
    if (this.snapshot.length <= this.snapshot[0].parts) return;
    const [root, ...parts] = this.snapshot.splice(0);
    this.replaceState(stateFromSnapshot(root, parts));
  }

  /** @param {Message} message */
  applyReceipts({ receipts }) {
    for (const [n, revision] of receipts) {
      const command = this.outbox.waiting.get(n);
      if (command) command.revision = revision;
    }
    this.resolveDone();
  }

  /** @param {RoomState} state */
  replaceState(state) {
    if (this.stay !== null) {
      this.sawEvents = false;
      this.notifier.addChangedParts(otherParts(this.roomState, roomState(state, this.member)));
    }
    this.state = state;
  }

  /** @param {Message} run events come once each and in order; what is here already is cut off */
  applyRun(run) {
    const { revision } = this.state;
    if (run.first > revision + 1) return this.connection.handleLoss();
    const records = /** @type {Rec[]} */ (run.records.slice(revision + 1 - run.first));
    if (this.stay === null) return applyAll(this.state, records);
    for (const rec of records) {
      this.applyEvent(rec, this.stay.member);
    }
    if (this.connection.isLive) this.notifier.notifyState();
    return this.resolveDone();
  }

  /**
   * @param {Rec} rec
   * @param {number} me
   */
  applyEvent(rec, me) {
    const change = apply(this.state, rec);
    if (rec.by === me) this.answerCommand(rec);
    this.notifier.addChangedParts(newsOf(change.fields, rec.by, this.state, me));
    this.notifier.notifyEvent(rec, change);
  }

  /** @param {Rec} rec what the log says of an own command */
  answerCommand(rec) {
    const command = this.outbox.waiting.get(rec.n ?? 0);
    if (!command) return;
    if (rec.kind === refusedKind) {
      command.code = body(rec)?.code ?? "internal";
    } else {
      this.outbox.waiting.delete(command.n);
      command.resolve({ revision: rec.rev });
    }
  }

  /**
   * What has its receipt and left no event is done: a position that another one took the place of.
   */
  resolveDone() {
    const isDone = (/** @type {Pending} */ { revision }) =>
      revision !== null && revision <= this.state.revision;
    const done = this.outbox.removeWhere(isDone);
    if (done.length > 0) this.notifier.watcher?.pendingRemoved();
    for (const { resolve, revision } of done) {
      resolve({ revision: revision ?? 0 });
    }
  }

  /** @param {any} message */
  handleRefused(message) {
    if (message.code === "outOfOrder" && message.allowed) {
      this.outgoing = this.outbox.renumber(message.allowed);
      return this.flush();
    }
    const refused = this.outbox.removeWhere(({ n }) => n === message.counter);
    return this.rejectAll(refused, new Refusal(message));
  }

  becomeLive() {
    const { welcome } = this.connection;
    const isWhole = this.snapshot.length === 0;
    const isHere = welcome !== null && isWhole && this.state.revision >= welcome.revision;
    if (!isHere) return this.connection.handleLoss();
    if (!this.connection.becomeLive()) return;
    const { session, generation, ticket, epoch, member, lastCounter } = welcome;
    const goesOn = welcome.resumed && this.stay?.session === session;
    // What the server decided is settled, the rest is sent again; or a session begins without what
    // waited.
    const decided = goesOn
      ? this.outbox.removeWhere(({ n }) => n <= lastCounter)
      : this.outbox.clear();
    this.outbox.renumbered = 0;
    this.outgoing = this.pending;
    if (!goesOn) this.lastElement = 0;
    if (this.stay === null) this.notifier.changedParts.clear();
    this.stay = { session, generation, ticket, member };
    this.epoch = epoch;
    this.notifier.notifyAll();
    for (const command of decided) {
      this.answerDecided(command, goesOn);
    }
    this.flush();
    this.uploadPhases();
    // A history is the member's, so that a new member asks for its own (EL-6).
    const { undoScenes = standardUndoScenes } = this.options;
    if (!goesOn && undoScenes > 0) this.send("historySet", { scenes: undoScenes }).catch(() => {});
    this.joining?.resolve({ member });
    this.joining = null;
  }

  /**
   * @param {Pending} command decided while we were away
   * @param {boolean} goesOn whether in this session
   */
  answerDecided(command, goesOn) {
    const known = goesOn ? command.code : "notCarriedOut";
    const code = this.sawEvents || command.code ? known : "outcomeUnknown";
    if (code) this.rejectAll([command], new Refusal({ code }));
    else command.resolve({ revision: command.revision ?? this.state.revision });
  }

  /** The log shows both ends of an outage (rule 5 of spec 10.3). */
  uploadPhases() {
    const phases = this.notifier.removeLocalPhases();
    if (phases.length > 0) this.send("clientPhases", { phases }).catch(() => {});
  }

  /**
   * @param {Pending[]} commands that wait no longer
   * @param {Refusal} refusal
   */
  rejectAll(commands, refusal) {
    if (commands.length > 0) this.notifier.watcher?.pendingRemoved();
    for (const command of commands) {
      this.notifier.callbacks.refused?.(command, refusal);
      command.reject(refusal);
    }
  }
}
