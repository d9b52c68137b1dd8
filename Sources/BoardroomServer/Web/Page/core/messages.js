import { ByteReader, ByteWriter, hex, text, utf8, WireError } from "./bytes.js";
import { readBlock, readRun } from "./records.js";

// The messages of `boardroom.v1`, docs/PROTOCOL.md, sections 3 and 5: `u8 type` and what the type says.

/**
 * @typedef {{m: string, [field: string]: any}} Message
 *   What the server says: `m` names it; the fields of a JSON message are those of section 5. `run` and
 *   `block` have `first`, `count`, `base` and `records`; `snapshotRoot` has its JSON as `text`.
 */

/** @type {Record<number, string>} */
const serverJSON = {
  65: "welcome", 69: "refused", 70: "catchUp", 75: "farewell", 76: "replayed", 77: "answer",
};
/** @type {Record<string, number>} */
const clientJSON = { hello: 1, replay: 5, ask: 6 };

/** @param {Uint8Array} bytes @returns {Message} */
export function readMessage(bytes) {
  const reader = new ByteReader(bytes);
  const type = reader.u8();
  const name = serverJSON[type];
  if (name) return readJSON(name, reader.rest());
  if (type === 66) return { m: "run", ...readRun(reader.rest()) };
  if (type === 67) return { m: "block", ...readBlock(reader.rest()) };
  const message = readNumbers(type, reader);
  reader.finish();
  return message;
}

/** @param {string} name @param {Uint8Array} bytes @returns {Message} */
function readJSON(name, bytes) {
  try {
    return { m: name, ...JSON.parse(text(bytes)) };
  } catch {
    throw new WireError(`a ${name} is not JSON`, 1);
  }
}

/** @param {number} type @param {ByteReader} reader @returns {Message} */
function readNumbers(type, reader) {
  switch (type) {
    case 68: {
      /** @type {number[][]} */
      const receipts = [];
      while (!reader.isAtEnd) receipts.push([reader.uv(), reader.uv()]);
      return { m: "receipts", receipts };
    }
    case 71: {
      const [revision, time] = [reader.uv(), reader.uv()];
      const stateHash = hex(reader.take(32));
      return { m: "snapshotRoot", revision, time, stateHash, parts: reader.uv(), text: text(reader.rest()) };
    }
    case 72:
      return { m: "snapshotPart", bytes: reader.rest() };
    case 73:
      return { m: "live", revision: reader.uv() };
    case 74:
      return { m: "heartbeat", revision: reader.uv(), time: reader.uv() };
    default:
      throw new WireError(`there is no message of type ${type}`, 0);
  }
}

/** A message of a client. `commands` takes what writeCommand gives.
 * @param {Message} message @returns {Uint8Array} */
export function writeMessage(message) {
  const { m, ...fields } = message;
  if (m in clientJSON) return new ByteWriter().u8(clientJSON[m]).put(utf8(JSON.stringify(fields))).bytes();
  switch (m) {
    case "commands": {
      const writer = new ByteWriter(256).u8(2);
      for (const command of /** @type {Uint8Array[]} */ (fields.commands)) writer.put(command);
      return writer.bytes();
    }
    case "heartbeat":
      return new ByteWriter().u8(3).uv(fields.revision).bytes();
    case "leave":
      return new Uint8Array([4]);
    default:
      throw new RangeError(`A client has no message ${m}.`);
  }
}

/** The messages of an answer of `replay/runs` or `replay/snapshots`, each behind its length.
 * @param {Uint8Array} bytes */
export function readPieces(bytes) {
  const reader = new ByteReader(bytes);
  /** @type {Message[]} */
  const messages = [];
  while (!reader.isAtEnd) messages.push(readMessage(reader.take(reader.uv())));
  return messages;
}
