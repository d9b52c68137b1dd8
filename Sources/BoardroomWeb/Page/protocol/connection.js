// One room's sockets, one after the other: when one opens, is suspected, is tried again and is
// given up (SPEC.md; spec 10.3). Time, chance and sockets are handed in.
import { WireError } from "./bytes.js";
import { readMessage, writeMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

/**
 * Ms of silence after which a connection counts as lost, until a server says otherwise (`suspectMs`
 * of its welcome).
 */
const usualSuspicion = 4_000;

/** Ms of silence after which a person is told; trying goes on. */
const lostNotice = 10_000;

/** Ms of the waits before attempts; the last one repeats. */
const pace = [500, 1_000, 2_000, 4_000, 8_000];

/** By how much waits differ, lest all come back at once. */
const spread = 0.2;

export class Connection {
  /** @type {RoomPhase} */
  phase = "disconnected";

  /** @type {Socket | null} */
  socket = null;

  /** As the last welcome says. */
  suspectAfter = usualSuspicion;

  /** @type {Message | null} Of the present socket. */
  welcome = null;

  lastByte = 0;
  lastSent = 0;

  /**
   * When the present stretch of trying, or the leaving, began; the last byte before it; attempts in
   * it.
   */
  began = 0;

  silentSince = 0;
  tries = 0;

  /**
   * When the next attempt is due, while none is under way.
   * @type {number | null}
   */
  nextAttemptAt = null;

  isLost = false;
  stopTimer = () => {};

  /**
   * @param {ConnectionOptions} options
   * @param {ConnectionOwner} owner
   */
  constructor(options, owner) {
    /**
     * @param {string} url
     * @param {string} protocol
     * @returns {Socket}
     */
    const makeSocket = (url, protocol) => new WebSocket(url, protocol);
    this.options = { giveUpAfter: 45_000, chance: Math.random, makeSocket, ...options };
    this.owner = owner;
  }

  get now() {
    return this.options.clock.now();
  }

  get isLive() {
    return this.phase === "connected";
  }

  get isBack() {
    return this.phase === "reconnecting";
  }

  get isTrying() {
    return this.phase === "connecting" || this.isBack;
  }

  get trying() {
    const { tries: attempt, nextAttemptAt, silentSince, isLost } = this;
    return { attempt, nextAttemptAt, silentSince, isLost };
  }

  join() {
    this.begin("connecting");
    this.open();
  }

  /** @returns {boolean} whether there is a farewell to wait for */
  leave() {
    if (this.isTrying) this.finish("left");
    if (!this.isLive) return false;
    this.begin("disconnecting");
    this.write({ m: "leave" });
    this.wake();
    return true;
  }

  /** Takes leave without waiting for a farewell: the page goes. */
  part() {
    if (this.isLive) this.write({ m: "leave" });
    if (this.phase !== "disconnected") this.finish("left");
  }

  /**
   * There is a network again, or the machine is awake: what is due is done, trying begins at once.
   */
  networkBack() {
    this.tick();
    if (this.isTrying) this.open();
  }

  /** @returns {boolean} whether all that was missed, which is here now, was waited for */
  live() {
    if (!this.isTrying) return false;
    this.phase = "connected";
    this.tries = 0;
    return true;
  }

  /** @param {Message} message */
  write(message) {
    this.socket?.send(writeMessage(message));
    this.lastSent = this.now;
  }

  /** @param {RoomPhase} phase */
  begin(phase, silentSince = this.now) {
    Object.assign(this, { phase, silentSince, began: this.now, tries: 0, isLost: false });
  }

  open() {
    const { url, makeSocket } = this.options;
    this.drop();
    const socket = makeSocket(url, "boardroom.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.heard(() => this.write(this.owner.hello()));
    socket.onmessage = (/** @type {any} */ { data }) =>
      this.heard(() => this.read(new Uint8Array(data)));
    socket.onclose = () => this.lost();
    Object.assign(this, { socket, lastByte: this.now, tries: this.tries + 1, nextAttemptAt: null });
    if (this.isBack) this.owner.attempting();
    this.wake();
  }

  /** @param {() => void} act */
  heard(act) {
    this.lastByte = this.now;
    act();
    // Timers of a page in the background come late; what comes in keeps its heartbeat up.
    this.tick();
  }

  /** @param {Uint8Array} bytes */
  read(bytes) {
    try {
      const message = readMessage(bytes);
      if (message.m === "welcome") this.welcomed(message);
      if (message.m === "farewell") this.parted(/** @type {any} */ (message));
      else this.owner.take(message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Asking again would bring the same bytes.
      this.parted({ code: "malformed", cause: error.message });
    }
  }

  /** @param {Message} welcome */
  welcomed(welcome) {
    this.welcome = welcome;
    this.suspectAfter = welcome.suspectMs ?? usualSuspicion;
  }

  /**
   * The server's last word. One that does not ask us back is final (TL-26).
   * @param {RefusalFields} farewell
   */
  parted(farewell) {
    if (farewell.comeBack || this.phase === "disconnecting") this.lost();
    else this.finish("refused", farewell);
  }

  /**
   * The socket closed, is silent, or broke its word: the server's log is right, we come back for
   * it.
   */
  lost() {
    if (this.phase === "disconnecting") return this.finish("left");
    const isNew = this.isLive;
    if (isNew) this.begin("reconnecting", this.lastByte);
    // The first entry has tried at once; its waits begin after that.
    const wait = pace[this.isBack ? this.tries : this.tries - 1] ?? pace[pace.length - 1];
    this.nextAttemptAt =
      this.now + Math.round(wait * (1 + spread * (2 * this.options.chance() - 1)));
    this.drop();
    if (isNew) this.owner.outage();
    else if (this.isBack) this.owner.attempting();
    this.wake();
  }

  drop() {
    const { socket } = this;
    this.socket = null;
    this.welcome = null;
    this.owner.dropped();
    if (socket === null) return;
    socket.onopen = null;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  /**
   * @param {"left" | "refused" | "timeout"} why
   * @param {RefusalFields} [farewell]
   */
  finish(why, farewell = { code: why === "left" ? "notConnected" : "timeout" }) {
    this.phase = "disconnected";
    this.nextAttemptAt = null;
    this.drop();
    this.wake();
    this.owner.ended(new Refusal(farewell), why);
  }

  /** When something is due next; Infinity: never. */
  get deadline() {
    const silence = this.lastByte + this.suspectAfter;
    if (this.isLive) return silence;
    if (!this.isTrying) {
      return this.phase === "disconnecting" ? this.began + this.suspectAfter : Infinity;
    }
    const notice = this.isBack && !this.isLost ? this.silentSince + lostNotice : Infinity;
    return Math.min(this.nextAttemptAt ?? silence, notice, this.began + this.options.giveUpAfter);
  }

  get heartbeatDue() {
    return this.welcome === null ? Infinity : this.lastSent + this.welcome.heartbeatMs;
  }

  /** Sees to it that `tick` runs when something is due. */
  wake() {
    this.stopTimer();
    const wait = Math.min(this.deadline, this.heartbeatDue) - this.now;
    this.stopTimer = wait < Infinity ? this.options.clock.after(wait, () => this.tick()) : () => {};
  }

  tick() {
    while (this.now >= this.deadline) {
      this.pass();
    }
    if (this.now >= this.heartbeatDue) {
      this.write({ m: "heartbeat", revision: this.owner.revision() });
    }
    this.wake();
  }

  /** The deadline has come. */
  pass() {
    if (this.isTrying && this.now - this.began >= this.options.giveUpAfter) {
      return this.finish("timeout");
    }
    if (this.isBack && !this.isLost && this.now >= this.silentSince + lostNotice) {
      this.isLost = true;
      return this.owner.attempting();
    }
    return this.nextAttemptAt === null ? this.lost() : this.open();
  }
}
