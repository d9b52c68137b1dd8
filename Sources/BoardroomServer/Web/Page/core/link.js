import { WireError } from "./bytes.js";
import { ConnectionMachine } from "./connection.js";
import { readMessage, writeMessage } from "./messages.js";

// One room's sockets, one after the other: carries out what the connection machine decides, and hands on
// what comes.

/**
 * @typedef {import("./clock.js").Clock} Clock
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./connection.js").Answer} Answer
 *
 * @typedef {object} Socket what is used of a WebSocket
 * @property {string} binaryType
 * @property {((event: any) => void) | null} onopen
 * @property {((event: any) => void) | null} onmessage
 * @property {((event: any) => void) | null} onclose
 * @property {(bytes: any) => void} send
 * @property {() => void} close
 *
 * @typedef {object} LinkOwner
 * @property {() => Message} hello what to say on a new socket
 * @property {() => number} revision of the last event that came
 * @property {(message: Message) => void} take
 * @property {() => void} dropped the socket is gone
 * @property {() => void} outage
 * @property {() => void} attempting another attempt, or the connection now counts as lost
 * @property {(end: import("./connection.js").ConnectionEnd) => void} ended
 */

/** @param {string} url @param {string} protocol @returns {Socket} */
const browserSocket = (url, protocol) => new WebSocket(url, protocol);

export class RoomLink {
  /**
   * @param {{url: string, clock: Clock, policy: import("./connection.js").ConnectionPolicy, owner: LinkOwner,
   *   makeSocket?: (url: string, protocol: string) => Socket, chance?: () => number}} options
   */
  constructor({ url, clock, policy, owner, makeSocket = browserSocket, chance = Math.random }) {
    this.url = url;
    this.clock = clock;
    this.owner = owner;
    this.makeSocket = makeSocket;
    this.chance = chance;
    this.machine = new ConnectionMachine(policy);
    /** @type {Socket | null} */
    this.socket = null;
    /** @type {Message | null} of the present socket */
    this.welcome = null;
    this.lastSent = 0;
    this.stopTimer = () => {};
  }

  get isLive() { return this.machine.phase === "connected"; }

  join() {
    this.carryOut(this.machine.join(this.clock.now()));
    this.wake();
  }

  /** @returns {boolean} whether there is a farewell to wait for */
  leave() {
    const answer = this.machine.leave(this.clock.now());
    this.carryOut(answer);
    this.wake();
    return answer.do === "goodbye";
  }

  /** The system says that there is a network again. */
  networkBack() {
    this.carryOut(this.machine.networkBack(this.clock.now()));
    this.wake();
  }

  /** The server broke its word. What it has in its log is right: we come back for it. */
  distrust() { this.carryOut(this.machine.lost(this.machine.link, this.chance(), this.clock.now())); }

  /** @returns {boolean} whether all that was missed, which is here now, was waited for */
  live() { return this.machine.live(this.machine.link, this.clock.now()).do === "connected"; }

  /** @param {Message} message */
  write(message) {
    this.socket?.send(writeMessage(message));
    this.lastSent = this.clock.now();
  }

  /** @param {number} link */
  open(link) {
    this.drop();
    const socket = this.makeSocket(this.url, "boardroom.v1");
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.heard(link, null);
    socket.onmessage = (event) => this.heard(link, new Uint8Array(event.data));
    socket.onclose = () => {
      this.carryOut(this.machine.lost(link, this.chance(), this.clock.now()));
      this.wake();
    };
    this.socket = socket;
    if (this.machine.phase === "reconnecting") this.owner.attempting();
  }

  drop() {
    const { socket } = this;
    this.socket = null;
    this.welcome = null;
    this.owner.dropped();
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
      this.read(bytes, link);
    }
    // Timers of a page in the background come late; what comes in keeps its heartbeat up.
    this.tick();
  }

  /** @param {Uint8Array} bytes @param {number} link */
  read(bytes, link) {
    try {
      const message = readMessage(bytes);
      if (message.m === "welcome") this.welcome = message;
      if (message.m === "farewell") this.parted(message, link);
      else this.owner.take(message);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      // Asking again would bring the same bytes.
      this.parted({ m: "farewell", code: "malformed", cause: error.message, comeBack: false }, link);
    }
  }

  /** @param {Message} farewell @param {number} link */
  parted(farewell, link) {
    this.carryOut(this.machine.refused(farewell, link, this.chance(), this.clock.now()));
  }

  /** @param {Answer} answer */
  carryOut(answer) {
    switch (answer.do) {
      case "open":
        return this.open(answer.link);
      case "greet":
        return this.write(this.owner.hello());
      case "drop":
        this.drop();
        return this.machine.phase === "reconnecting" ? this.owner.attempting() : undefined;
      case "outage":
        this.drop();
        return this.owner.outage();
      case "lostNotice":
        return this.owner.attempting();
      case "goodbye":
        return this.write({ m: "leave" });
      case "end":
        this.drop();
        return this.owner.ended(answer.end);
      case "connected":
      case "nothing":
        return undefined;
    }
  }

  tick() {
    for (;;) {
      const answer = this.machine.tick(this.chance(), this.clock.now());
      if (answer.do === "nothing") break;
      this.carryOut(answer);
    }
    const isDue = this.heartbeatDue <= this.clock.now();
    if (isDue) this.write({ m: "heartbeat", revision: this.owner.revision() });
    this.wake();
  }

  get heartbeatDue() { return this.welcome === null ? Infinity : this.lastSent + this.welcome.heartbeatMs; }

  /** Sees to it that `tick` runs when something is due. */
  wake() {
    this.stopTimer();
    const due = Math.min(this.machine.deadline, this.heartbeatDue);
    this.stopTimer = due < Infinity ? this.clock.after(due - this.clock.now(), () => this.tick()) : () => {};
  }
}
