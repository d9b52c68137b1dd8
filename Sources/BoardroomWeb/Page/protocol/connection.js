// The sockets of one room, one after the other: when one is opened, suspected, opened again and
// given up (docs/SPEC.md, SES-8 to SES-16). Time, random numbers and sockets come from outside.
import { WireError } from "./bytes.js";
import { readMessage, writeMessage } from "./messages.js";
import { Refusal } from "./refusal.js";
import { placeOf, ServerTurn } from "./servers.js";

/**
 * The owner of a connection. hello: the first message on a new socket; revision: of the last event
 * that arrived; isWaiting: whether answers of the server are to come; renews: whether a refused join goes on with another token, which is asked for now;
 * onSocketDropped: the socket was closed; onAttempt: another attempt begins, or the connection
 * counts as lost now.
 * @typedef {{
 *   hello(): Message;
 *   revision(): number;
 *   isWaiting?(): boolean;
 *   handleMessage(message: Message): void;
 *   renews?(farewell: RefusalFields): boolean;
 *   onSocketDropped(): void;
 *   onOutage(): void;
 *   onAttempt(): void;
 *   onEnd(refusal: RoomRefusal, why: "left" | "refused" | "timeout"): void;
 * }} ConnectionOwner
 */

/**
 * Ms without a byte after which a connection counts as lost, unless the server names another time
 * (`suspectMs` of its welcome).
 */
export const DEFAULT_SUSPECT_AFTER = 4_000;

/** Ms without a byte after which people are told that the connection is lost; attempts go on. */
const LOST_NOTICE_AFTER = 10_000;

/** Ms before each attempt; the last value repeats. */
const RETRY_WAITS = [500, 1_000, 2_000, 4_000, 8_000];

/**
 * Ms before the first attempt of who was in and was sent off, at most; chance says how many. What spreads
 * the members of a whole server is its drain, which sends off those of 64 rooms and then of the next 64;
 * whoever does not get in waits as after any lost connection.
 */
const SENT_OFF_WAIT = 100;

/** The part by which waits differ at random, so that clients do not all return at once. */
const WAIT_SPREAD = 0.2;

/**
 * Whether the server goes down or moves the room, and does not say where to: then it is at once wherever
 * its members come back.
 * @param {RefusalFields} farewell
 */
const sendsOff = ({ code, kick, address }) =>
  code === "goingAway" && kick === "GatewayAdjust" && address === undefined;

export class Connection {
  /** @type {RoomPhase} */
  phase = "disconnected";

  /** @type {Socket | null} */
  socket = null;

  /** From the last welcome. */
  suspectAfter = DEFAULT_SUSPECT_AFTER;

  /** @type {Message | null} of the present socket */
  welcome = null;

  lastByte = 0;

  /** When the next heartbeat is due, once there is a welcome. */
  heartbeatAt = 0;

  /**
   * Ms for which the server may say nothing, as its last message says (WIRE-20); null: it said
   * nothing of that.
   * @type {number | null}
   */
  quiet = null;

  /** Until when it said so; in the past: it did not. */
  quietUntil = 0;

  /**
   * When the phase began; when the last byte before it came; how many attempts there were in it.
   */
  phaseBegan = 0;

  silentSince = 0;
  attempts = 0;

  /**
   * When the next attempt is due; null while one is under way.
   * @type {number | null}
   */
  nextAttemptAt = null;

  isLost = false;

  /** Whether a server has named another one in this phase: that is followed once (ADDR-8). */
  wasSentOn = false;

  /**
   * Whether the server has sent this client off: the first attempt comes before the first wait (PIPE-13).
   */
  wasSentOff = false;

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
    /** For which of the addresses the present or next attempt is. */
    this.turn = new ServerTurn(options.urls.length, this.options.chance);
  }

  get now() {
    return this.options.clock.now();
  }

  get isLive() {
    return this.phase === "connected";
  }

  get isReconnecting() {
    return this.phase === "reconnecting";
  }

  get isTrying() {
    return this.phase === "connecting" || this.isReconnecting;
  }

  /** Whether a server may name the address where this client is to go. */
  get followsAddress() {
    return this.turn.count > 1 && !(this.isTrying && this.wasSentOn);
  }

  get trying() {
    const { attempts: attempt, nextAttemptAt, silentSince, isLost } = this;
    return { attempt, nextAttemptAt, silentSince, isLost };
  }

  join() {
    this.beginPhase("connecting");
    this.openSocket();
  }

  /** @returns {boolean} whether a farewell of the server will follow */
  leave() {
    if (this.isTrying) this.end("left");
    if (!this.isLive) return false;
    this.beginPhase("disconnecting");
    this.write({ m: "leave" });
    this.scheduleTick();
    return true;
  }

  /** Leaves without waiting for a farewell, because the page goes. */
  leaveAtOnce() {
    if (this.isLive) this.write({ m: "leave" });
    if (this.phase !== "disconnected") this.end("left");
  }

  /**
   * The network is back, or the machine is awake: what is due is done, and an attempt begins at
   * once.
   */
  networkBack() {
    this.tick();
    if (this.isTrying) this.openSocket();
  }

  /** @returns {boolean} whether a join or a return was under way, which is complete now */
  becomeLive() {
    if (!this.isTrying) return false;
    this.phase = "connected";
    this.attempts = 0;
    return true;
  }

  /** @param {Message} message */
  write(message) {
    this.socket?.send(writeMessage(message));
    this.heartbeatAt = this.now + (this.welcome?.heartbeatMs ?? 0);
    // The server is going to answer; until it says again that the room is quiet, it is not.
    this.quiet = null;
    this.quietUntil = Math.min(this.quietUntil, this.now);
  }

  /** In a quiet room, and with nothing on its way, the next one may take as long as the server's. */
  writeHeartbeat() {
    const revision = this.owner.revision();
    if (this.quiet === null || this.owner.isWaiting?.()) {
      return this.write({ m: "heartbeat", revision });
    }
    this.socket?.send(writeMessage({ m: "quiet", revision, ms: this.quiet }));
    this.heartbeatAt = this.now + this.quiet;
  }

  /**
   * The room is quiet. A heartbeat that is due soon goes out at once: both sides wake up together,
   * and a page in the background, whose timers are late, needs none.
   * @param {number} interval ms
   */
  noteQuiet(interval) {
    this.quiet = interval;
    this.quietUntil = this.now + interval;
    if (this.heartbeatAt <= this.now + interval / 2) this.writeHeartbeat();
  }

  /** The server says something else: both sides speak as often as usual. */
  endQuiet() {
    if (this.quiet === null) return;
    this.quiet = null;
    this.quietUntil = Math.min(this.quietUntil, this.now);
    this.heartbeatAt = Math.min(this.heartbeatAt, this.now + (this.welcome?.heartbeatMs ?? 0));
  }

  /** @param {RoomPhase} phase */
  beginPhase(phase, silentSince = this.now) {
    Object.assign(this, { phase, silentSince, phaseBegan: this.now, attempts: 0, isLost: false });
    Object.assign(this, { wasSentOn: false, wasSentOff: false });
  }

  openSocket() {
    const { urls, makeSocket } = this.options;
    this.dropSocket();
    const socket = makeSocket(urls[this.turn.current], "boardroom.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.receive(() => this.write(this.owner.hello()));
    socket.onmessage = (/** @type {any} */ { data }) =>
      this.receive(() => this.readBytes(new Uint8Array(data)));
    socket.onclose = () => this.handleLoss();
    Object.assign(this, {
      socket,
      lastByte: this.now,
      attempts: this.attempts + 1,
      nextAttemptAt: null,
    });
    if (this.isReconnecting) this.owner.onAttempt();
    this.scheduleTick();
  }

  /** @param {() => void} act */
  receive(act) {
    this.lastByte = this.now;
    act();
    // Timers of a page in the background are late; messages that arrive keep its heartbeat going.
    this.tick();
  }

  /** @param {Uint8Array} bytes */
  readBytes(bytes) {
    try {
      const message = readMessage(bytes);
      if (message.m === "quiet") return this.noteQuiet(message.ms);
      this.endQuiet();
      if (message.m === "welcome") this.applyWelcome(message);
      if (message.m === "farewell") this.handleFarewell(/** @type {any} */ (message));
      else this.owner.handleMessage(message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Another connection would bring the same bytes.
      this.handleFarewell({ code: "malformed", cause: error.message });
    }
  }

  /** @param {Message} welcome */
  applyWelcome(welcome) {
    this.welcome = welcome;
    this.suspectAfter = welcome.suspectMs ?? DEFAULT_SUSPECT_AFTER;
    this.heartbeatAt = this.now + welcome.heartbeatMs;
  }

  /**
   * The last message of the server. A farewell without `comeBack` is final (TL-26).
   * @param {RefusalFields} farewell
   */
  handleFarewell(farewell) {
    if (farewell.comeBack || this.phase === "disconnecting") this.handleLoss(farewell);
    // `networkBack` follows with the token; until it comes, attempts go on as after any that failed.
    else if (this.isTrying && this.owner.renews?.(farewell)) this.handleLoss();
    else this.end("refused", farewell);
  }

  /**
   * The socket was closed, is silent, or sent what the protocol does not allow: the connection is
   * opened again, at the next address, and the server sends the log from where it stopped.
   * @param {RefusalFields} [farewell] the server's, if it has said one
   */
  handleLoss(farewell) {
    if (this.phase === "disconnecting") return this.end("left");
    const isNew = this.isLive;
    if (isNew) {
      this.beginPhase("reconnecting", this.lastByte);
      this.wasSentOff = farewell !== undefined && sendsOff(farewell);
    }
    this.nextAttemptAt = this.now + this.nextWait;
    const address = farewell?.address;
    const here = this.turn.current;
    const { followsAddress } = this;
    this.turn.advance();
    if (address && followsAddress) this.followAddress(address, here, isNew);
    this.dropSocket();
    if (isNew) this.owner.onOutage();
    else if (this.isReconnecting) this.owner.onAttempt();
    this.scheduleTick();
  }

  /** Ms before the next attempt. */
  get nextWait() {
    const { attempts, isReconnecting, wasSentOff } = this;
    const chance = this.options.chance();
    if (wasSentOff && attempts === 0) return Math.round(SENT_OFF_WAIT * chance);
    // The first join has made one attempt already, and who was sent off has, too; the waits begin after that.
    // They grow by rounds: each server is asked as seldom as one alone would be.
    const waits = isReconnecting && !wasSentOff ? attempts : attempts - 1;
    const wait =
      RETRY_WAITS[Math.floor(waits / this.turn.count)] ?? RETRY_WAITS[RETRY_WAITS.length - 1];
    return Math.round(wait * (1 + WAIT_SPREAD * (2 * chance - 1)));
  }

  /**
   * Once in a phase, and at once for who was not in yet. Who was in waits as ever, so that all who were
   * do not come all at once. Whoever has not that address goes on here, and says that it follows none.
   * @param {ServerAddress} address that the server has named
   * @param {number} here the place of this server
   * @param {boolean} wasIn
   */
  followAddress(address, here, wasIn) {
    const place = placeOf(this.options.urls, address);
    if (place >= 0) this.turn.go(place);
    if (wasIn) return;
    if (place < 0) this.turn.go(here);
    this.wasSentOn = true;
    this.nextAttemptAt = this.now;
  }

  dropSocket() {
    const { socket } = this;
    this.socket = null;
    this.welcome = null;
    this.quiet = null;
    this.quietUntil = 0;
    this.owner.onSocketDropped();
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
  end(why, farewell = { code: why === "left" ? "notConnected" : "timeout" }) {
    this.phase = "disconnected";
    this.nextAttemptAt = null;
    this.dropSocket();
    this.scheduleTick();
    this.owner.onEnd(new Refusal(farewell), why);
  }

  /** When something is due next; Infinity: never. */
  get deadline() {
    const silence = Math.max(this.lastByte, this.quietUntil) + this.suspectAfter;
    if (this.isLive) return silence;
    if (!this.isTrying) {
      return this.phase === "disconnecting" ? this.phaseBegan + this.suspectAfter : Infinity;
    }
    const notice =
      this.isReconnecting && !this.isLost ? this.silentSince + LOST_NOTICE_AFTER : Infinity;
    return Math.min(
      this.nextAttemptAt ?? silence,
      notice,
      this.phaseBegan + this.options.giveUpAfter,
    );
  }

  get heartbeatDue() {
    return this.welcome === null ? Infinity : this.heartbeatAt;
  }

  /** Schedules `tick` for when something is due next. */
  scheduleTick() {
    this.stopTimer();
    const wait = Math.min(this.deadline, this.heartbeatDue) - this.now;
    this.stopTimer = wait < Infinity ? this.options.clock.after(wait, () => this.tick()) : () => {};
  }

  tick() {
    while (this.now >= this.deadline) {
      this.handleDeadline();
    }
    if (this.now >= this.heartbeatDue) this.writeHeartbeat();
    this.scheduleTick();
  }

  /** Does what is due at the deadline. */
  handleDeadline() {
    if (this.isTrying && this.now - this.phaseBegan >= this.options.giveUpAfter) {
      return this.end("timeout");
    }
    if (this.isReconnecting && !this.isLost && this.now >= this.silentSince + LOST_NOTICE_AFTER) {
      this.isLost = true;
      return this.owner.onAttempt();
    }
    return this.nextAttemptAt === null ? this.handleLoss() : this.openSocket();
  }
}
