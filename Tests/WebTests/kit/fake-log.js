// A log without a server: answers what the player asks over HTTP from recorded pieces, and keeps
// what was asked for.
import { readFileSync } from "node:fs";
import { ByteReader, ByteWriter } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { readMessage, readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { sha256 } from "./rooms.js";
import { partBytes, rootText } from "./snapshots.js";

/** @param {string} name of a fixture */
export const fixture = (name) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/${name}`, import.meta.url)));

/**
 * A run of JSON events, as a message behind its length.
 * @param {number} first
 * @param {{t: number, by?: number | null, kind: number, body?: any, n?: number}[]} events
 */
export function runOf(first, events) {
  const records = new ByteWriter();
  const base = events[0].t;
  let before = base;
  for (const { t, by = null, kind, body = {}, n = 0 } of events) {
    const text = new TextEncoder().encode(JSON.stringify(body));
    const inner = new ByteWriter().uv(n).append(text).bytes();
    records
      .uv(inner.length)
      .u8(kind)
      .uv(t - before)
      .uv(by === null ? 0 : by + 1)
      .append(inner);
    before = t;
  }
  const bytes = records.bytes();
  const message = new ByteWriter()
    .u8(66)
    .uv(first)
    .uv(events.length)
    .uv(base)
    .uv(bytes.length)
    .append(bytes)
    .bytes();
  return new ByteWriter().uv(message.length).append(message).bytes();
}

/**
 * A state as the server sends its snapshot.
 * @param {import("../../../Sources/BoardroomWeb/Page/state/state.js").RoomState} state
 */
export function snapshotOf(state) {
  const answer = new ByteWriter();
  const parts = partBytes(state);
  const root = new ByteWriter()
    .u8(71)
    .uv(state.revision)
    .uv(state.time)
    .append(new Uint8Array(32))
    .uv(parts.length)
    .append(
      new TextEncoder().encode(
        rootText(
          state,
          parts.map((part) => Buffer.from(sha256(part)).toString("hex").slice(0, 32)),
        ),
      ),
    )
    .bytes();
  for (const message of [
    root,
    ...parts.map((part) => new ByteWriter().u8(72).append(part).bytes()),
  ]) {
    answer.uv(message.length).append(message);
  }
  return answer.bytes();
}

/** @param {Uint8Array} bytes pieces, each behind its length */
function split(bytes) {
  const reader = new ByteReader(bytes);
  const pieces = [];
  while (!reader.isAtEnd) {
    const start = reader.at;
    const { records } = readMessage(reader.readBytes(reader.uv()));
    pieces.push({
      bytes: bytes.slice(start, reader.at),
      first: records[0].rev,
      last: records[records.length - 1].rev,
      begin: records[0].t,
      end: records[records.length - 1].t,
    });
  }
  return pieces;
}

export class FakeLog {
  /** @type {string[]} */
  asked = [];

  epoch = "0123456789abcdef";

  /** @type {Set<number>} */
  damaged = new Set();

  /**
   * @param {Uint8Array} bytes
   * @param {Uint8Array} [snapshot]
   */
  constructor(bytes, snapshot) {
    this.pieces = split(bytes);
    this.snapshot = snapshot;
  }

  get records() {
    return this.pieces.flatMap(({ bytes }) => readPieces(bytes).flatMap(({ records }) => records));
  }

  /** @param {Uint8Array} bytes */
  add(bytes) {
    this.pieces.push(...split(bytes));
  }

  /**
   * @param {string} path
   * @returns {Promise<any>}
   */
  ask = async (path) => {
    const url = new URL(path, "http://log");
    this.asked.push(url.pathname.replace(/.*\/replay/, "replay") + url.search);
    const number = (/** @type {string} */ name) => Number(url.searchParams.get(name) ?? 0);
    const epoch = url.searchParams.get("epoch");
    if (epoch && epoch !== this.epoch) {
      throw Object.assign(new Error("another life"), { code: "conflict" });
    }
    if (url.pathname.endsWith("/replay")) return this.#index();
    if (url.pathname.includes("/snapshots/")) return this.snapshot;
    const answer = new ByteWriter();
    let sent = 0;
    for (const { first, last, bytes } of this.pieces) {
      if (last <= number("after") || (sent > 0 && sent >= number("limit"))) continue;
      if (this.damaged.has(first)) throw Object.assign(new Error("damaged"), { code: "internal" });
      answer.append(bytes);
      sent += bytes.length;
    }
    return answer.bytes();
  };

  #index() {
    const blocks = this.pieces.map(({ bytes, ...block }) => ({ ...block, bytes: bytes.length }));
    const first = blocks[0];
    const last = blocks[blocks.length - 1];
    const snapshots = this.snapshot ? [{ revision: readPieces(this.snapshot)[0].revision }] : [];
    return {
      epoch: this.epoch,
      low: first.first,
      last: last.last,
      begin: first.begin,
      end: last.end,
      blocks,
      snapshots,
    };
  }
}
