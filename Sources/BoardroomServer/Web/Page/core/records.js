import { ByteReader, ByteWriter, text, utf8 } from "./bytes.js";
import { KIND_NUMBERS, KINDS } from "./kinds.js";
import { unpackBlock } from "./lz4.js";
import { readCamera, readPointer, readStroke, writeCamera, writePointer, writeStroke } from "./strokes.js";

// Runs and records, docs/PROTOCOL.md, sections 4 and 6:
//
//   run    = uv first revision | uv count | uv base time | uv byte length of the records | records
//   block  = uv first | uv count | uv base time | uv last time | uv raw length | LZ4 of the records
//   record = uv body length | u8 kind | uv ms since the record before | uv actor | body
//   body   = uv counter | payload of the kind

const blockLimit = 4 << 20;

const unread = Symbol("not read yet");

/** One event as the log holds it. Nothing of its payload is read before somebody asks. */
export class Rec {
  /**
   * @param {number} rev @param {number} t milliseconds since 1970
   * @param {number | null} by the member that did it; null for the server
   * @param {number | null} n the counter of its command, 0 if none led to it; null if it cannot be read
   * @param {number} kind @param {Uint8Array} bytes @param {number} start of the payload @param {number} end
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
    /** @type {any} */
    this.decoded = unread;
  }

  /** The record that a command will lead to.
   * @param {Uint8Array} command @param {number} by @param {number} t */
  static ofCommand(command, by, t) {
    const reader = new ByteReader(command);
    reader.uv();
    const kind = reader.u8();
    const n = reader.uv();
    return new Rec(0, t, by, n, kind, command, reader.at, command.length);
  }

  /** "" for a kind that is not known here. */
  get name() { return KINDS[this.kind] ?? ""; }
  get payload() { return this.bytes.subarray(this.start, this.end); }
  /** The payload of a kind that is JSON, as it came. */
  get text() { return text(this.payload); }
  /** On the payload, for kinds that are binary. */
  get reader() { return new ByteReader(this.bytes, this.start, this.end); }
}

/**
 * @param {Uint8Array} bytes @param {number} first @param {number} count @param {number} base
 * @returns {{first: number, count: number, base: number, records: Rec[]}}
 */
function readRecords(bytes, first, count, base) {
  const reader = new ByteReader(bytes);
  if (first === 0 || count === 0) reader.fail("a run begins before revision 1, or holds nothing");
  if (count > bytes.length) reader.fail("a run says that it holds more records than it has bytes");
  /** @type {Rec[]} */
  const records = [];
  let time = base;
  for (let place = 0; place < count; place++) {
    const length = reader.uv();
    const kind = reader.u8();
    time += reader.uv();
    const actor = reader.uv();
    const end = reader.at + length;
    if (end > bytes.length) reader.fail("a record is cut off");
    const [counter, start] = readCounter(bytes, reader.at, end);
    const by = actor === 0 ? null : actor - 1;
    records.push(new Rec(first + place, time, by, counter, kind, bytes, start, end));
    reader.at = end;
  }
  reader.finish();
  return { first, count, base, records };
}

/** @param {Uint8Array} bytes @param {number} at @param {number} end @returns {[number | null, number]} */
function readCounter(bytes, at, end) {
  if (at < end && bytes[at] < 128) return [bytes[at], at + 1];
  const reader = new ByteReader(bytes, at, end);
  try {
    return [reader.uv(), reader.at];
  } catch {
    return [null, at];
  }
}

/** @param {Uint8Array} bytes a run, without the type of its message */
export function readRun(bytes) {
  const reader = new ByteReader(bytes);
  const [first, count, base] = [reader.uv(), reader.uv(), reader.uv()];
  const records = reader.take(reader.uv());
  reader.finish();
  return readRecords(records, first, count, base);
}

/** @param {Uint8Array} bytes a stored run as it lies in the log, without the type of its message */
export function readBlock(bytes) {
  const reader = new ByteReader(bytes);
  const [first, count, base] = [reader.uv(), reader.uv(), reader.uv()];
  reader.uv();
  const rawLength = reader.upTo("a block's length", blockLimit);
  return readRecords(unpackBlock(reader.rest(), rawLength), first, count, base);
}

/**
 * The payload of a record, decoded: what the mirror has as `body`. Undefined if the kind is not known, or the
 * payload is not of its form. Not to be written to.
 * @param {Rec} rec @returns {any}
 */
export function body(rec) {
  if (rec.decoded === unread) rec.decoded = rec.n === null ? undefined : decode(rec);
  return rec.decoded;
}

/** @param {Rec} rec */
function decode(rec) {
  try {
    if (rec.kind === 1) {
      const { number, begin, ends, segment } = readStroke(rec.reader);
      return { stroke: number, ...(begin ? { begin } : {}), end: ends, ...segment.read() };
    }
    if (rec.kind === 2) return readPointer(rec.reader);
    if (rec.kind === 3) return readCamera(rec.reader);
    const source = rec.name === "" ? "" : rec.text;
    return source.startsWith("{") && source.endsWith("}") ? JSON.parse(source) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {Uint8Array} bytes */
const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
/** @param {Rec} rec */
const frame = ({ rev, t, by, n }) => ({ rev, t, by, n });
/** @param {Rec} rec */
const rawMirror = (rec) => ({ ...frame(rec), kind: rec.kind, raw: base64(rec.payload) });

/** The JSON mirror of a record, docs/PROTOCOL.md, section 6.
 * @param {Rec} rec @returns {Record<string, any>} */
export const mirror = (rec) =>
  body(rec) === undefined ? rawMirror(rec) : { ...frame(rec), kind: rec.name, body: body(rec) };

/** @param {Rec} rec @returns {string} its line in an exported log: JSON of clients stays as it came */
export function mirrorText(rec) {
  const decoded = body(rec);
  const inner = decoded === undefined || rec.kind < 16 ? JSON.stringify(decoded) : rec.text;
  if (inner === undefined || /[\n\r]/.test(inner)) return JSON.stringify(rawMirror(rec));
  return `${JSON.stringify({ ...frame(rec), kind: rec.name }).slice(0, -1)},"body":${inner}}`;
}

/** @param {ByteWriter} writer @param {number} kind @param {any} decoded what the mirror has as `body` */
export function writePayload(writer, kind, decoded) {
  if (kind === 1) writeStroke(writer, decoded);
  else if (kind === 2) writePointer(writer, decoded);
  else if (kind === 3) writeCamera(writer, decoded);
  else writer.put(utf8(JSON.stringify(decoded)));
}

/**
 * A command as the message `commands` takes it: `uv body length | u8 kind | uv counter | payload`.
 * @param {number} n its counter @param {string} name its kind @param {any} decoded
 * @returns {Uint8Array}
 */
export function writeCommand(n, name, decoded) {
  const kind = KIND_NUMBERS.get(name);
  if (kind === undefined) throw new RangeError(`There is no kind ${name}.`);
  const inner = new ByteWriter().uv(n);
  writePayload(inner, kind, decoded);
  return new ByteWriter(inner.length + 8).uv(inner.length).u8(kind).put(inner.bytes()).bytes();
}
