// A server that says what a test lets it say, over sockets that are no sockets; for sessions under
// a virtual clock.
import { ByteReader, text } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { KINDS } from "../../../Sources/BoardroomWeb/Page/protocol/kinds.js";
import { RoomSession } from "../../../Sources/BoardroomWeb/Page/state/session.js";
import { virtualClock } from "./clock.js";
import { serverMessage } from "./wire.js";

export const epoch = "1122334455667788";
export const limits = { message: 262144, stroke: 32768 };

class FakeSocket {
  /** @param {FakeServer} server */
  constructor(server) {
    this.server = server;
    this.isClosed = false;
    this.binaryType = "";
    /** @type {((event: any) => void) | null} */
    this.onopen = null;
    /** @type {((event: any) => void) | null} */
    this.onmessage = null;
    /** @type {((event: any) => void) | null} */
    this.onclose = null;
  }

  /** @param {Uint8Array} bytes */
  send(bytes) {
    const reader = new ByteReader(bytes);
    const type = reader.u8();
    if (type === 1) this.server.heard.push({ m: "hello", ...JSON.parse(text(reader.rest())) });
    else if (type === 3) this.server.heard.push({ m: "heartbeat", revision: reader.uv() });
    else if (type === 7) {
      this.server.heard.push({ m: "quiet", revision: reader.uv(), ms: reader.uv() });
    } else if (type === 4) this.server.heard.push({ m: "leave" });
    while (type === 2 && !reader.isAtEnd) {
      const length = reader.uv();
      const kind = KINDS[reader.u8()];
      const inner = new ByteReader(reader.readBytes(length));
      this.server.heard.push({ m: "command", n: inner.uv(), kind, payload: inner.rest() });
    }
  }

  close() {
    this.isClosed = true;
  }
}

export class FakeServer {
  constructor() {
    this.clock = virtualClock(1_000_000);
    /** @type {FakeSocket[]} */
    this.sockets = [];
    /** What clients said. @type {any[]} */
    this.heard = [];
    this.revision = 0;
    /** What the page was told, in its order. @type {any[][]} */
    this.told = [];
  }

  get socket() {
    return this.sockets[this.sockets.length - 1];
  }

  /** @param {object} [options] of the session */
  session(options = {}) {
    const makeSocket = () => {
      this.sockets.push(new FakeSocket(this));
      return this.socket;
    };
    return new RoomSession({
      origin: "http://room.test",
      clock: this.clock,
      makeSocket,
      chance: () => 0.5,
      ...options,
    });
  }

  /** Callbacks that are noted; all of the SDK's and `refused`. */
  callbacks() {
    const names = [
      "firePhaseChanged",
      "fireRoomStateChanged",
      "fireBeingAbleToCommitChange",
      "fireKickedWithReason",
      "fireDisconnectWithError",
      "fireCatchErrorWhenAppendFrame",
      "fireMagixEvent",
      "fireCanUndoStepsUpdate",
      "fireCanRedoStepsUpdate",
      "refused",
      "attempting",
    ];
    return Object.fromEntries(
      names.map((name) => [
        name,
        (/** @type {any[]} */ ...told) => this.told.push([name, ...told]),
      ]),
    );
  }

  /** The phases that were told. */
  get phases() {
    return this.told.filter(([name]) => name === "firePhaseChanged").map(([, phase]) => phase);
  }

  /** @param {any[]} messages mirrors */
  say(...messages) {
    for (const message of messages) {
      const bytes = serverMessage(message);
      this.socket.onmessage?.({ data: bytes.slice().buffer });
    }
  }

  open() {
    this.socket.onopen?.({});
  }

  cut() {
    this.socket.onclose?.({});
  }

  /**
   * Events that come as one run.
   * @param {any[]} mirrors
   */
  happens(...mirrors) {
    const base = this.clock.now();
    const records = mirrors.map((mirror) => ({ t: base, by: null, n: 0, ...mirror }));
    this.say({ m: "run", first: this.revision + 1, base, records });
    this.revision += records.length;
  }

  /** @param {object} [fields] of the welcome */
  welcome(fields = {}) {
    this.say({
      m: "welcome",
      member: 0,
      session: "a".repeat(32),
      generation: 1,
      ticket: "t1",
      resumed: false,
      epoch,
      revision: this.revision,
      time: 0,
      lastCounter: 0,
      writable: true,
      heartbeatMs: 1000,
      suspectMs: 4000,
      offlineMs: 30000,
      limits,
      ...fields,
    });
  }

  /** Lets somebody in, as member 0 of a new room. */
  admit() {
    this.open();
    this.welcome({ revision: 2 });
    this.happens(
      { kind: "roomCreated", body: { name: "", limit: 0, isRecord: true } },
      {
        by: 0,
        kind: "memberJoined",
        body: { session: "a".repeat(32), role: "writer", writable: true },
      },
    );
    this.say({ m: "live", revision: this.revision });
  }

  /**
   * Lets it in again.
   * @param {object} [fields] of the welcome
   */
  resume(fields = {}) {
    this.open();
    this.welcome({ resumed: true, generation: 2, ticket: "t2", ...fields });
    this.say({
      m: "catchUp",
      mode: "none",
      reason: "upToDate",
      from: this.revision,
      to: this.revision,
      bytes: 0,
    });
    this.say({ m: "live", revision: this.revision });
  }
}

/** What was promised is settled. */
export const turn = () => new Promise((done) => setImmediate(done));
