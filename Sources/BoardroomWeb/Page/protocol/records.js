// Runs and records, docs/PROTOCOL.md, sections 4 and 6:
//   run    = uv first revision | uv count | uv base time | uv byte length of the records | records
//   block  = uv first | uv count | uv base time | uv last time | uv raw length | LZ4 of the records
//   record = uv body length | u8 kind | uv ms since the record before | uv actor | body
//   body   = uv counter | payload of the kind
import { ByteReader, ByteWriter, text, utf8 } from "./bytes.js";
import { KIND_NUMBERS, KINDS } from "./kinds.js";
import { unpackBlock } from "./lz4.js";
import { BINARY } from "./strokes.js";

const longest = 4 << 20;
const unread = Symbol("not read yet");

/** One event as the log holds it. Nothing of its payload is read before somebody asks. */
export class Rec {
  /**
   * @param {number} rev
   * @param {number} t milliseconds since 1970
   * @param {number | null} by null: the server
   * @param {number | null} n the counter of its command, 0 if none led to it; null if it cannot be
   *   read
   * @param {number} kind
   * @param {Uint8Array} bytes
   * @param {number} start of payload
   * @param {number} end
   */
  constructor(rev, t, by, n, kind, bytes, start, end) {
    this.rev = rev;
    this.t = t;
    this.by = by;
    this.n = n;
    this.kind = kind;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.decoded = /** @type {any} */ (unread);
  }

  /**
   * @param {Uint8Array} command
   * @param {number} by
   * @param {number} t
   * @returns {Rec} that it will lead to
   */
  static ofCommand(command, by, t) {
    const reader = new ByteReader(command);
    reader.uv(); // the length of what follows
    const kind = reader.u8();
    reader.uv(); // the counter
    return new Rec(0, t, by, 0, kind, command, reader.at, command.length);
  }

  /** "" if this page does not know the kind. */
  get name() {
    return KINDS[this.kind] ?? "";
  }

  get payload() {
    return this.bytes.subarray(this.start, this.end);
  }

  get reader() {
    return new ByteReader(this.bytes, this.start, this.end);
  }
}

/**
 * A run, or a block of the log, without the type of its message.
 * @param {Uint8Array} message
 */
export function readRun(message, isBlock = false) {
  const head = new ByteReader(message);
  const first = head.uv();
  const count = head.uv();
  const base = head.uv();
  if (isBlock) head.uv();
  const size = head.uv();
  if (first === 0 || count === 0 || size > longest) {
    head.fail("a run is empty, too long, or too early");
  }
  const bytes = isBlock ? unpackBlock(head.rest(), size) : head.readBytes(size);
  head.finish();
  const reader = new ByteReader(bytes);
  /** @type {Rec[]} */
  const records = [];
  let time = base;
  for (let place = 0; place < count; place++) {
    const length = reader.uv();
    const kind = reader.u8();
    time += reader.uv();
    const actor = reader.uv();
    const by = actor === 0 ? null : actor - 1;
    const end = reader.at + length;
    if (end > bytes.length) reader.fail("a record is cut off");
    const [n, start] = readCounter(bytes, reader.at, end);
    records.push(new Rec(first + place, time, by, n, kind, bytes, start, end));
    reader.at = end;
  }
  reader.finish();
  return { first, count, base, records };
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {number} end
 * @returns {[number | null, number]}
 */
function readCounter(bytes, at, end) {
  if (at < end && bytes[at] < 128) return [bytes[at], at + 1];
  const reader = new ByteReader(bytes, at, end);
  try {
    return [reader.uv(), reader.at];
  } catch {
    return [null, at];
  }
}

/**
 * @param {Rec} rec
 * @returns {any} its mirror's `body`, not to be written to; undefined: it cannot be read
 */
export function body(rec) {
  if (rec.decoded === unread) rec.decoded = decoded(rec);
  return rec.decoded;
}

/**
 * @param {Rec} rec
 * @returns {any} the same, not kept: of a log's many records most are looked at once
 */
export function decoded(rec) {
  if (rec.n === null || rec.name === "") return undefined;
  try {
    const { reader } = rec;
    const value = BINARY[rec.kind]?.read(reader) ?? JSON.parse(text(reader.rest()));
    reader.finish();
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {Rec} rec
 * @returns {Record<string, any>} its JSON mirror, docs/PROTOCOL.md, section 6
 */
export function mirror(rec) {
  const { rev, t, by, n, kind, name, payload } = rec;
  const value = body(rec);
  const raw = () => btoa(Array.from(payload, (byte) => String.fromCharCode(byte)).join(""));
  return { rev, t, by, n, ...(value ? { kind: name, body: value } : { kind, raw: raw() }) };
}

/**
 * @param {number} n counter of the command
 * @param {string} name of its kind
 * @param {any} value its `body`
 */
export function writeCommand(n, name, value) {
  const kind = KIND_NUMBERS.get(name);
  if (kind === undefined) throw new RangeError(`There is no kind ${name}.`);
  const inner = new ByteWriter().uv(n);
  if (kind in BINARY) BINARY[kind].write(inner, value);
  else inner.append(utf8(JSON.stringify(value)));
  return new ByteWriter(inner.length + 8).uv(inner.length).u8(kind).append(inner.bytes()).bytes();
}
