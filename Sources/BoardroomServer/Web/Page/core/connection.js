import { WireError } from "./bytes.js";
import { readMessage, writeMessage } from "./messages.js";
import { Refusal } from "./refusal.js";

// One room's sockets, one after the other: when one opens, is suspected, is tried again and is given up
// (SPEC.md; spec 10.3). Time, chance and sockets are handed in.

/** @typedef {RoomPhase} Phase */
/**
 * @typedef {object} ConnectionOwner
 * @property {() => Message} hello what to say on a new socket
 * @property {() => number} revision of the last event that came
 * @property {(message: Message) => void} take
 * @property {() => void} dropped the socket is gone
 * @property {() => void} outage
 * @property {() => void} attempting another attempt, or the connection now counts as lost
 * @property {(refusal: Refusal, why: "left" | "refused" | "timeout") => void} ended
 */

/** Silence after which a connection counts as lost, in ms. */
const suspectAfter = 4_000;
/** Silence after which a person is told of it; trying goes on. */
const lostNotice = 10_000;
/** Waits before the attempts of one outage; the last one repeats. */
const pace = [500, 1_000, 2_000, 4_000, 8_000];
/** By how much a wait may differ, so that members do not come back all at once. */
const spread = 0.2;

/** @param {string} url @param {string} protocol @returns {Socket} */
const browserSocket = (url, protocol) => new WebSocket(url, protocol);

export class Connection {
  /** @type {Phase} */
  phase = "disconnected";
  /** @type {Socket | null} */
  socket = null;
  /** @type {Message | null} of the present socket */
  welcome = null;
  lastByte = 0;
  lastSent = 0;
  /** When the present stretch of trying, or the leaving, began. */
  began = 0;
  /** The last byte before the outage. */
  silentSince = 0;
  /** Attempts in the present stretch of trying. */
  tries = 0;
  /** @type {number | null} when the next attempt is due, while none is under way */
  nextAttemptAt = null;
  isLost = false;
  stopTimer = () => {};

  /** @param {{url: string, clock: Clock, owner: ConnectionOwner, giveUpAfter?: number, chance?: () => number,
   *   makeSocket?: (url: string, protocol: string) => Socket}} options
   *   giveUpAfter: how long one outage, or the first entry, may take */
  constructor({ url, clock, owner, giveUpAfter = 45_000, makeSocket = browserSocket, chance = Math.random }) {
    this.url = url;
    this.clock = clock;
    this.owner = owner;
    this.giveUpAfter = giveUpAfter;
    this.makeSocket = makeSocket;
    this.chance = chance;
  }

  get isLive() { return this.phase === "connected"; }
  get isTrying() { return this.phase === "connecting" || this.phase === "reconnecting"; }

  /** @returns {RoomTrying} */
  get trying() {
    const { tries, nextAttemptAt, silentSince, isLost } = this;
    return { attempt: tries, nextAttemptAt, silentSince, isLost };
  }

  /** When something is due next; Infinity: never. */
  get deadline() {
    if (this.phase === "disconnected") return Infinity;
    if (this.phase === "disconnecting") return this.began + suspectAfter;
    if (this.phase === "connected") return this.lastByte + suspectAfter;
    const attempt = this.nextAttemptAt ?? this.lastByte + suspectAfter;
    const notice = this.isLost || this.phase === "connecting" ? Infinity : this.silentSince + lostNotice;
    return Math.min(attempt, notice, this.began + this.giveUpAfter);
  }

  get heartbeatDue() { return this.welcome === null ? Infinity : this.lastSent + this.welcome.heartbeatMs; }

  // What its owner wants

  join() {
    this.begin("connecting", this.clock.now());
    this.open();
  }

  /** @returns {boolean} whether there is a farewell to wait for */
  leave() {
    if (this.phase !== "connected") {
      if (this.isTrying) this.finish("left");
      return false;
    }
    this.phase = "disconnecting";
    this.began = this.clock.now();
    this.write({ m: "leave" });
    this.wake();
    return true;
  }

  /** The system says that there is a network again: tries at once. */
  networkBack() { if (this.isTrying) this.open(); }

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
    this.lastSent = this.clock.now();
  }

  // What happens to the socket

  /** @param {Phase} phase @param {number} silentSince */
  begin(phase, silentSince) {
    this.phase = phase;
    this.began = this.clock.now();
    this.silentSince = silentSince;
    this.tries = 0;
    this.isLost = false;
  }

  open() {
    this.drop();
    const socket = this.makeSocket(this.url, "boardroom.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.heard(() => this.write(this.owner.hello()));
    socket.onmessage = ({ data }) => this.heard(() => this.read(new Uint8Array(data)));
    socket.onclose = () => this.lost();
    this.socket = socket;
    this.lastByte = this.clock.now();
    this.tries++;
    this.nextAttemptAt = null;
    if (this.phase === "reconnecting") this.owner.attempting();
    this.wake();
  }

  /** @param {() => void} act */
  heard(act) {
    this.lastByte = this.clock.now();
    act();
    // Timers of a page in the background come late; what comes in keeps its heartbeat up.
    this.tick();
  }

  /** @param {Uint8Array} bytes */
  read(bytes) {
    try {
      const message = readMessage(bytes);
      if (message.m === "welcome") this.welcome = message;
      if (message.m === "farewell") this.parted(/** @type {any} */ (message));
      else this.owner.take(message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Asking again would bring the same bytes.
      this.parted({ code: "malformed", cause: error.message });
    }
  }

  /** The server's last word. One that does not ask us back is final (TL-26).
   * @param {RefusalFields} farewell */
  parted(farewell) {
    if (farewell.comeBack || this.phase === "disconnecting") this.lost();
    else this.finish("refused", farewell);
  }

  /** The socket closed, is silent, or broke its word: what the server has in its log is right, we come back for it. */
  lost() {
    if (this.phase === "disconnecting") return this.finish("left");
    const isNew = this.phase === "connected";
    if (isNew) this.begin("reconnecting", this.lastByte);
    // The first entry has tried at once; its waits begin after that.
    const waits = Math.max(this.phase === "connecting" ? this.tries - 1 : this.tries, 0);
    const wait = pace[Math.min(waits, pace.length - 1)] * (1 + spread * (2 * this.chance() - 1));
    this.nextAttemptAt = this.clock.now() + Math.round(wait);
    this.drop();
    if (isNew) this.owner.outage();
    else if (this.phase === "reconnecting") this.owner.attempting();
    this.wake();
  }

  drop() {
    const { socket } = this;
    this.socket = this.welcome = null;
    this.owner.dropped();
    if (socket === null) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close();
  }

  /** @param {"left" | "refused" | "timeout"} why @param {RefusalFields} [farewell] */
  finish(why, farewell = { code: why === "left" ? "notConnected" : "timeout" }) {
    this.phase = "disconnected";
    this.nextAttemptAt = null;
    this.drop();
    this.wake();
    this.owner.ended(new Refusal(farewell), why);
  }

  // Time

  /** Sees to it that `tick` runs when something is due. */
  wake() {
    this.stopTimer();
    const due = Math.min(this.deadline, this.heartbeatDue);
    this.stopTimer = due < Infinity ? this.clock.after(due - this.clock.now(), () => this.tick()) : () => {};
  }

  tick() {
    while (this.clock.now() >= this.deadline) this.pass();
    if (this.clock.now() >= this.heartbeatDue) this.write({ m: "heartbeat", revision: this.owner.revision() });
    this.wake();
  }

  /** The deadline has come. */
  pass() {
    const now = this.clock.now();
    if (this.isTrying && now - this.began >= this.giveUpAfter) return this.finish("timeout");
    if (this.phase === "reconnecting" && !this.isLost && now >= this.silentSince + lostNotice) {
      this.isLost = true;
      return this.owner.attempting();
    }
    return this.nextAttemptAt === null ? this.lost() : this.open();
  }
}
