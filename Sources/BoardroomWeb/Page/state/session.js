// The session of a member in a room, across reconnections: keeps the confirmed state, sends
// commands again that have no answer, and notifies the page (docs/PROTOCOL.md, section 2).
import { Connection } from "../protocol/connection.js";
import { Outbox } from "../protocol/outbox.js";
import { Rec } from "../protocol/records.js";
import { Refusal } from "../protocol/refusal.js";
import { originsOf } from "../protocol/servers.js";
import { CommandAnswers } from "./command-answers.js";
import { apply, applyAll, emptyState, RoomState, stateFromSnapshot } from "./model.js";
import { OwnScene } from "./own-scene.js";
import { changedPartsOf, differingParts, memberOf, roomState } from "./roomstate.js";
import { SessionNotifier } from "./session-notifier.js";

/**
 * undoScenes: the number of pages for which own steps can be undone; 0: none. client: the name of
 * the program.
 * @typedef {{
 *   room: string;
 *   token?: string;
 *   uid?: string;
 *   payload?: any;
 *   isWritable?: boolean;
 *   callbacks?: RoomCallbacks;
 *   undoScenes?: number;
 *   client?: string;
 * }} RoomJoin
 */

/** The name of the page as a client. */
const standardClient = "boardroom-page/1";

/** The number of pages for which own steps can be undone. */
const standardUndoScenes = 20;

/** Bytes of a message beside its commands, at most. */
const messageMargin = 16;

export class RoomSession {
  outbox = new Outbox();

  /** Answers own commands. */
  answers = new CommandAnswers(this);

  /** Calls the callbacks of the page. */
  notifier = new SessionNotifier(this);

  /** The state by the log, as far as it has arrived. */
  state = emptyState();

  /** @type {RoomJoin} */
  options = { room: "" };

  /** @type {{session: string, generation: number, ticket: string, member: number} | null} */
  stay = null;

  /** @type {Record<string, number>} Sizes and counts that the server allows. */
  limits = {};

  /** The epoch of the log to which `state` belongs; "" before the first join. */
  epoch = "";

  /**
   * The root and the parts of a snapshot that have arrived.
   * @type {Message[]}
   */
  snapshot = [];

  /** Whether all events since the last connection arrived as events, and not in a snapshot. */
  sawEvents = true;

  lastElement = 0;

  #ownScene = new OwnScene(this);

  /** @type {{resolve(joined: {member: number}): void, reject(why: any): void} | null} */
  joining = null;

  /** @type {Array<() => void>} */
  leaving = [];

  /** @type {Pending[]} */
  outgoing = [];

  /**
   * Is asked when the server refuses a join or a return: whether another token is on its way, which
   * comes by `setToken`.
   * @type {((farewell: RefusalFields) => boolean) | null}
   */
  renewer = null;

  /**
   * @param {Omit<ConnectionOptions, "urls"> & {origin: string | readonly string[]}} options of the
   *   server, `https://host:port`; or of several with the same rooms
   * @throws {Refusal} for a list that cannot be used
   */
  constructor({ origin, ...rest }) {
    this.clock = rest.clock;
    const origins = typeof origin === "string" ? [origin] : originsOf(origin);
    const urls = origins.map((one) => `${one.replace(/^http/, "ws")}/v1/rooms`);
    this.connection = new Connection({ ...rest, urls }, this);
  }

  /** The phase of which the page was notified last. */
  get phase() {
    return this.notifier.phase;
  }

  /** @param {Watcher} watcher is notified before the page */
  set watcher(watcher) {
    this.notifier.watcher = watcher;
  }

  /** The own member number; null before the first join. */
  get member() {
    return this.stay?.member ?? null;
  }

  /** The own member; for a spectator what stands for one. */
  get me() {
    return memberOf(this.state, this.member);
  }

  /** Whether it sees the room without being a member of it. */
  get isSpectator() {
    return this.me !== undefined && !this.state.members.has(this.me.id);
  }

  /** Whether this member can change the room now. */
  get writable() {
    return this.connection.isLive && this.me?.writable === true;
  }

  /** Own commands that have no answer yet, in their order. */
  get pending() {
    return this.outbox.all;
  }

  /** The scene that this member looks at: the room's, unless it has turned to another one alone. */
  get scene() {
    return this.#ownScene.now;
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

  /**
   * Turns to another scene alone: the others stay where they are.
   * @param {number} scene
   */
  lookAt(scene) {
    this.#ownScene.choose(scene);
    this.notifier.notifyScene();
  }

  networkBack() {
    this.connection.networkBack();
  }

  /**
   * @param {RoomJoin} options without callbacks, those of the join before stay
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
    // Whoever joins looks at the room's scene, and follows.
    this.#ownScene.reset();
    this.state.unfollowed = undefined;
    return new Promise((resolve, reject) => {
      this.joining = { resolve, reject };
      this.notifier.setPhase("connecting");
      this.connection.join();
    });
  }

  /** @returns {Promise<void>} leaves the room; done when the server has confirmed it */
  async disconnect() {
    if (this.connection.phase === "disconnected") return undefined;
    this.flush();
    return new Promise((resolve) => {
      this.leaving.push(resolve);
      if (this.connection.leave()) this.notifier.setPhase("disconnecting");
    });
  }

  /** Leaves the room without waiting for an answer, because the page goes. */
  leaveAtOnce() {
    this.flush();
    this.connection.leaveAtOnce();
  }

  /**
   * Sends a command; done when its event is in the log. During a reconnection it waits.
   * @param {string} name
   * @param {any} payload its mirror's `body`
   * @returns {Promise<{revision: number}>}
   */
  async send(name, payload) {
    if (name === "viewMode" && this.isSpectator && payload.mode !== "broadcaster") {
      this.#ownScene.followAlone(payload.mode);
      return { revision: this.revision() };
    }
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

  /**
   * Takes back a command that was never sent, because there was no connection.
   * @param {Pending} command
   * @returns {boolean} whether it will not be sent
   */
  withdraw(command) {
    if (!this.outbox.withdraw(command)) return false;
    this.outgoing = this.outgoing.filter((other) => other !== command);
    this.notifier.watcher?.pendingRemoved();
    return true;
  }

  /** @param {string} token for joins and returns from here on; an attempt under way begins anew */
  setToken(token) {
    this.options = { ...this.options, token };
    this.networkBack();
  }

  flush() {
    if (!this.connection.isLive) return;
    const sent = this.outgoing.splice(0);
    this.outbox.written = sent[sent.length - 1]?.n ?? this.outbox.written;
    for (const commands of this.outbox.batches(sent, this.limits.message / 2)) {
      this.connection.write({ m: "commands", commands });
    }
  }

  /** @returns {Message} */
  hello() {
    const { room, token = "", uid, payload, isWritable = true } = this.options;
    const { client = standardClient } = this.options;
    const { session, generation, ticket } = this.stay ?? {};
    const cursor = this.epoch === "" ? {} : { epoch: this.epoch, revision: this.state.revision };
    const who = { session, generation, ticket, ...cursor, uid, payload };
    // What is undefined is not sent.
    const acceptsAddress = this.connection.followsAddress || undefined;
    const accepts = {
      acceptsBlocks: true,
      acceptsQuiet: true,
      acceptsSpectating: true,
      acceptsAddress,
    };
    return { m: "hello", room, token, ...who, isWritable, client, ...accepts };
  }

  isWaiting() {
    return this.pending.length > 0;
  }

  revision() {
    return this.state.revision;
  }

  /** @param {RefusalFields} farewell */
  renews(farewell) {
    return this.renewer?.(farewell) ?? false;
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
    this.answers.rejectAll(this.outbox.clear(), refusal);
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
        this.answers.applyReceipts(message);
        break;
      case "refused":
        this.answers.handleRefused(message);
        break;
    }
  }

  /** @param {Message} message */
  applyWelcome({ limits, token }) {
    this.limits = limits;
    this.sawEvents = true;
    if (token) this.notifier.callbacks.hosting?.(token);
  }

  /** @param {Message} message; a log that begins at its beginning has another epoch */
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

  /** @param {RoomState} state */
  replaceState(state) {
    if (state.currentScene !== this.state.currentScene) this.#ownScene.reset();
    state.unfollowed = this.state.unfollowed;
    if (this.stay !== null) {
      this.sawEvents = false;
      this.notifier.addChangedParts(differingParts(this.roomState, roomState(state, this.member)));
    }
    this.state = state;
  }

  /** @param {Message} run events arrive in order; those that are here already are skipped */
  applyRun(run) {
    const { revision } = this.state;
    if (run.first > revision + 1) return this.connection.handleLoss();
    const records = /** @type {Rec[]} */ (run.records.slice(revision + 1 - run.first));
    if (this.stay === null) return applyAll(this.state, records);
    for (const rec of records) {
      this.applyEvent(rec, this.stay.member);
    }
    if (this.connection.isLive) this.notifier.notifyState();
    return this.answers.resolveDone();
  }

  /**
   * @param {Rec} rec
   * @param {number} me
   */
  applyEvent(rec, me) {
    const { currentScene } = this.state;
    const change = apply(this.state, rec);
    if (change.fits) this.#ownScene.goAlong(rec, currentScene);
    if (rec.by === me) this.answers.applyEvent(rec);
    this.notifier.addChangedParts(changedPartsOf(change.fields, rec.by, this.state, me));
    this.notifier.notifyEvent(rec, change);
  }

  becomeLive() {
    const { welcome } = this.connection;
    const isWhole = this.snapshot.length === 0;
    const isHere = welcome !== null && isWhole && this.state.revision >= welcome.revision;
    if (!isHere) return this.connection.handleLoss();
    if (!this.connection.becomeLive()) return;
    const { session, generation, ticket, epoch, member, lastCounter } = welcome;
    const isResumed = welcome.resumed && this.stay?.session === session;
    // Commands that the server has decided are answered, the others are sent again; or a new
    // session begins without them.
    const decided = isResumed
      ? this.outbox.removeWhere(({ n }) => n <= lastCounter)
      : this.outbox.clear();
    this.outbox.renumbered = 0;
    this.outgoing = this.pending;
    if (!isResumed) this.lastElement = 0;
    if (this.stay === null) this.notifier.changedParts.clear();
    this.stay = { session, generation, ticket, member };
    this.epoch = epoch;
    this.notifier.notifyAll();
    for (const command of decided) {
      this.answers.answerDecided(command, isResumed);
    }
    this.flush();
    this.uploadPhases();
    // The history belongs to the member: a new member requests its own (EL-6).
    const { undoScenes = standardUndoScenes } = this.options;
    if (!isResumed && undoScenes > 0 && !this.isSpectator)
      this.send("historySet", { scenes: undoScenes }).catch(() => {});
    this.joining?.resolve({ member });
    this.joining = null;
  }

  /**
   * Sends the phases that only this client saw, so that the log shows both ends of an outage (`clientPhases`).
   */
  uploadPhases() {
    const phases = this.notifier.removeLocalPhases();
    if (phases.length > 0 && !this.isSpectator)
      this.send("clientPhases", { phases }).catch(() => {});
  }
}
