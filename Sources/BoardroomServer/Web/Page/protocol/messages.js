// The messages of `boardroom.v1`, docs/PROTOCOL.md, sections 3 and 5: `u8 type` and what the type
// says.
import { ByteReader, ByteWriter, text, utf8, WireError } from "./bytes.js";
import { readRun } from "./records.js";

/** @type {Record<number, string>} */
const JSONS = {
  65: "welcome",
  69: "refused",
  70: "catchUp",
  75: "farewell",
  76: "replayed",
  77: "answer",
};

/** @type {Record<string, number>} */
const clientTypes = { hello: 1, commands: 2, heartbeat: 3, leave: 4, replay: 5 };

/**
 * The fields of a JSON message are those of section 5; `snapshotRoot` has its JSON as `root`.
 * @param {Uint8Array} bytes
 * @returns {Message}
 */
export function readMessage(bytes) {
  const reader = new ByteReader(bytes);
  const type = reader.u8();
  if (type === 66) return { m: "run", ...readRun(reader.rest()) };
  if (type === 67) return { m: "block", ...readRun(reader.rest(), true) };
  if (type === 68) {
    const receipts = [];
    while (!reader.isAtEnd) {
      receipts.push([reader.uv(), reader.uv()]);
    }
    return { m: "receipts", receipts };
  }
  if (type === 71) {
    const revision = reader.uv();
    const time = reader.uv();
    const stateHash = Array.from(reader.take(32), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    return {
      m: "snapshotRoot",
      revision,
      time,
      stateHash,
      parts: reader.uv(),
      root: readJSON(reader),
    };
  }
  if (type === 72) return { m: "snapshotPart", bytes: reader.rest() };
  if (type === 73) return { m: "live", revision: reader.uv() };
  if (type === 74) return { m: "heartbeat", revision: reader.uv(), time: reader.uv() };
  if (!(type in JSONS)) throw new WireError(`there is no message of type ${type}`, 0);
  return { m: JSONS[type], ...readJSON(reader) };
}

/**
 * @param {ByteReader} reader
 * @returns {any}
 */
function readJSON(reader) {
  const source = text(reader.rest());
  try {
    return JSON.parse(source);
  } catch {
    return reader.fail("what should be JSON is none");
  }
}

/**
 * A message of a client. `commands` takes what writeCommand gives.
 * @param {Message} message
 */
export function writeMessage({ m, ...fields }) {
  const writer = new ByteWriter(256).u8(clientTypes[m]);
  if (m === "commands") {
    for (const command of fields.commands) {
      writer.put(command);
    }
  } else if (m === "heartbeat") {
    writer.uv(fields.revision);
  } else if (m !== "leave") {
    writer.put(utf8(JSON.stringify(fields)));
  }
  return writer.bytes();
}

/**
 * The messages of an answer of `replay/runs` or `replay/snapshots`, each behind its length.
 * @param {Uint8Array} bytes
 */
export function readPieces(bytes) {
  const reader = new ByteReader(bytes);
  /** @type {Message[]} */
  const messages = [];
  while (!reader.isAtEnd) {
    messages.push(readMessage(reader.take(reader.uv())));
  }
  return messages;
}
