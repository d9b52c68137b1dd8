// Rooms on a real server, their logs and what it says of their states.
import { createHash } from "node:crypto";
import { realClock } from "../../../Sources/BoardroomWeb/Page/protocol/clock.js";
import { readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { RoomSession } from "../../../Sources/BoardroomWeb/Page/state/session.js";
import { chance, doing } from "./doings.js";
import { until } from "./places.js";
import { socketMaker } from "./socket.js";

/** @param {Uint8Array} bytes */
export const sha256 = (bytes) => new Uint8Array(createHash("sha256").update(bytes).digest());

/** @typedef {{url: string, token(role: "admin"): Promise<string>}} Served */

/**
 * @param {Served} server
 * @param {string} path
 */
export async function fetched(server, path) {
  const answer = await fetch(server.url + path, {
    headers: { token: await server.token("admin") },
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${new TextDecoder().decode(bytes)}`);
  return bytes;
}

/**
 * A room's whole log, as stored.
 * @param {Served} server
 * @param {string} room
 */
export async function logOf(server, room) {
  /** @type {Uint8Array[]} */
  const answers = [];
  /** @type {import("../../../Sources/BoardroomWeb/Page/protocol/records.js").Rec[]} */
  const records = [];
  for (;;) {
    const bytes = await fetched(server, `/v5/rooms/${room}/replay/runs?after=${records.length}`);
    if (bytes.length === 0) return { bytes: Buffer.concat(answers), records };
    answers.push(bytes);
    for (const piece of readPieces(bytes)) {
      records.push(...piece.records.slice(records.length + 1 - piece.first));
    }
  }
}

/**
 * What the server's state hash was.
 * @param {Served} server
 * @param {string} room
 * @param {number} revision
 */
export async function hashOf(server, room, revision) {
  const bytes = await fetched(server, `/v5/rooms/${room}/state?at=r${revision}`);
  return /"stateHash":"([0-9a-f]{64})"/.exec(new TextDecoder().decode(bytes))?.[1] ?? "";
}

/** Members of one room on a server. */
export class Company {
  /**
   * @param {{url: string}} server
   * @param {string} room
   * @param {number} seed
   */
  constructor(server, room, seed) {
    this.server = server;
    this.room = room;
    this.random = chance(seed);
    /** @type {RoomSession[]} */
    this.members = [];
    /** Codes of what was refused. @type {Map<string, number>} */
    this.refused = new Map();
  }

  /**
   * @param
   *   {Partial<import("../../../Sources/BoardroomWeb/Page/state/session.js").JoinOptions>}
   *   [options]
   */
  async join(options = {}) {
    const { sockets, make } = socketMaker();
    const session = new RoomSession({
      origin: this.server.url,
      clock: realClock(),
      makeSocket: make,
    });
    await session.join({ room: this.room, uid: `u${this.members.length}`, ...options });
    this.members.push(session);
    return Object.assign(session, { sockets });
  }

  /**
   * @param {number} count how many things somebody does
   * @param {number} [cuts] share of them that cut a line
   */
  async act(count, cuts = 0) {
    for (let done = 0; done < count; done++) {
      await until(() => this.here.length > 0, { what: "somebody is connected" });
      const member = this.random.pick(this.here);
      const answer = member.send(...doing(member, this.random)).catch((refusal) => {
        this.refused.set(refusal.code, (this.refused.get(refusal.code) ?? 0) + 1);
      });
      const isCut = this.random.is(cuts) || (cuts > 0 && done === 10);
      if (isCut) /** @type {any} */ (member).sockets.at(-1).cut();
      if (this.random.is(0.4)) await answer;
    }
    await this.settled();
  }

  get here() {
    return this.members.filter((member) => member.phase === "connected");
  }

  /** All that was asked for is answered, and everybody has seen it. */
  async settled() {
    const staying = this.members.filter((member) => member.phase !== "disconnected");
    await until(() => this.here.length === staying.length, { what: "everybody is back" });
    await Promise.all(
      staying.map((member) => member.send("magix", { event: "settled" }).catch(() => {})),
    );
    const last = Math.max(...staying.map((member) => member.state.revision));
    await until(() => staying.every((member) => member.state.revision >= last), {
      what: "everybody has all events",
    });
  }

  async part() {
    await Promise.all(this.members.map((member) => member.disconnect()));
  }
}
