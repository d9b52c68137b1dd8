// The messages of `boardroom.v1`, docs/PROTOCOL.md, sections 3 and 5: `u8 type` and what the type
// says.
import { ByteReader, ByteWriter, text, utf8, WireError } from "./bytes.js";
import { readRun } from "./records.js";

/** @type {Record<string, number>} types of the messages of a client */
const clientTypes = { hello: 1, commands: 2, heartbeat: 3, leave: 4, replay: 5, ask: 6, quiet: 7 };

/**
 * @param {string} m
 * @returns {(reader: ByteReader) => Message} reads a message that is JSON
 */
const json = (m) => (reader) => ({ m, ...readJSON(reader) });

/** What a server may announce as its next silence: ms. */
const MOST_QUIET = 600_000;

/** @type {Record<number, (reader: ByteReader) => Message>} by the types of the server's messages */
const readers = {
  65: json("welcome"),
  66: (reader) => ({ m: "run", ...readRun(reader.rest()) }),
  67: (reader) => ({ m: "block", ...readRun(reader.rest(), true) }),
  68: readReceipts,
  69: json("refused"),
  70: json("catchUp"),
  71: readSnapshotRoot,
  72: (reader) => ({ m: "snapshotPart", bytes: reader.rest() }),
  73: (reader) => ({ m: "live", revision: reader.uv() }),
  74: (reader) => ({ m: "heartbeat", revision: reader.uv(), time: reader.uv() }),
  75: readFarewell,
  76: json("replayed"),
  77: json("answer"),
  78: quiet,
};

/** Bytes of a host that a server names, at most. */
const LONGEST_HOST = 255;

/** @param {any} address */
function isAddress(address) {
  const { host, port, isSecure } = address ?? {};
  const isHost = typeof host === "string" && host !== "" && utf8(host).length <= LONGEST_HOST;
  return (
    isHost && Number.isInteger(port) && port >= 1 && port <= 65_535 && typeof isSecure === "boolean"
  );
}

/** @param {ByteReader} reader */
function readFarewell(reader) {
  const { address, ...farewell } = readJSON(reader);
  // Null is the same as none.
  if ((address ?? null) === null) return { m: "farewell", ...farewell };
  // It says where a token goes.
  if (!isAddress(address)) return reader.fail("the address of a farewell is none");
  return { m: "farewell", ...farewell, address };
}

/** @param {ByteReader} reader */
function quiet(reader) {
  const [revision, time, ms] = [reader.uv(), reader.uv(), reader.uv()];
  if (ms > MOST_QUIET) throw new WireError(`quiet for ${ms} ms; ${MOST_QUIET} at most`, reader.at);
  return { m: "quiet", revision, time, ms };
}

/**
 * The fields of a JSON message are those of section 5; `snapshotRoot` has its JSON as `root`.
 * @param {Uint8Array} bytes
 * @returns {Message}
 */
export function readMessage(bytes) {
  const reader = new ByteReader(bytes);
  const type = reader.u8();
  const read = readers[type];
  if (!read) throw new WireError(`there is no message of type ${type}`, 0);
  return read(reader);
}

/**
 * @param {ByteReader} reader
 * @returns {Message}
 */
function readReceipts(reader) {
  const receipts = [];
  while (!reader.isAtEnd) {
    receipts.push([reader.uv(), reader.uv()]);
  }
  return { m: "receipts", receipts };
}

/**
 * @param {ByteReader} reader
 * @returns {Message}
 */
function readSnapshotRoot(reader) {
  const revision = reader.uv();
  const time = reader.uv();
  const hash = Array.from(reader.readBytes(32), (byte) => byte.toString(16).padStart(2, "0"));
  const parts = reader.uv();
  const root = readJSON(reader);
  return { m: "snapshotRoot", revision, time, stateHash: hash.join(""), parts, root };
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
      writer.append(command);
    }
  } else if (m === "heartbeat") {
    writer.uv(fields.revision);
  } else if (m === "quiet") {
    writer.uv(fields.revision).uv(fields.ms);
  } else if (m !== "leave") {
    writer.append(utf8(JSON.stringify(fields)));
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
    messages.push(readMessage(reader.readBytes(reader.uv())));
  }
  return messages;
}
