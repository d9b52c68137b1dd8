// What a server says in `boardroom.v1`: for tests that speak for one.
import { ByteWriter, text, utf8 } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { KIND_NUMBERS } from "../../../Sources/BoardroomWeb/Page/protocol/kinds.js";
import { mirror } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import { BINARY, writeStyle } from "../../../Sources/BoardroomWeb/Page/protocol/strokes.js";

/**
 * The line of a record in an exported log: JSON of clients stays as it came.
 * @param {import("../../../Sources/BoardroomWeb/Page/protocol/records.js").Rec} rec
 */
export function mirrorText(rec) {
  const { body, ...frame } = mirror(rec);
  const inner = body && (rec.kind in BINARY ? JSON.stringify(body) : text(rec.payload));
  if (inner === undefined) return JSON.stringify(frame);
  if (!/[\n\r]/.test(inner)) return `${JSON.stringify(frame).slice(0, -1)},"body":${inner}}`;
  return JSON.stringify({
    ...frame,
    kind: rec.kind,
    raw: Buffer.from(rec.payload).toString("base64"),
  });
}

/**
 * @param {ByteWriter} writer
 * @param {number} kind
 * @param {any} body
 */
function writePayload(writer, kind, body) {
  if (kind in BINARY) BINARY[kind].write(writer, body);
  else writer.append(utf8(JSON.stringify(body)));
}

const jsonTypes = { welcome: 65, refused: 69, catchUp: 70, farewell: 75, replayed: 76, answer: 77 };

/**
 * A record of a run, from its mirror.
 * @param {any} mirror
 * @param {number} before the time of the record before
 */
function writeRecord({ t, by, n, kind, body, raw }, before) {
  const inner = new ByteWriter();
  if (n !== null) inner.uv(n);
  const number = typeof kind === "number" ? kind : (KIND_NUMBERS.get(kind) ?? 0);
  if (raw === undefined) writePayload(inner, number, body);
  else inner.append(new Uint8Array(Buffer.from(raw, "base64")));
  const record = new ByteWriter()
    .uv(inner.length)
    .u8(number)
    .uv(t - before)
    .uv(by === null ? 0 : by + 1);
  return record.append(inner.bytes()).bytes();
}

/**
 * The bytes of a message `run`, from its mirror.
 * @param {{first: number, base: number, records: any[]}} run
 */
function writeRun({ first, base, records }) {
  const inner = new ByteWriter();
  for (const [place, record] of records.entries()) {
    inner.append(writeRecord(record, place === 0 ? base : records[place - 1].t));
  }
  return new ByteWriter()
    .u8(66)
    .uv(first)
    .uv(records.length)
    .uv(base)
    .uv(inner.length)
    .append(inner.bytes())
    .bytes();
}

/**
 * A part, from its mirror.
 * @param {any} part
 */
function writePart({ first, elements }) {
  const writer = new ByteWriter().u8(72).uv(first);
  let before = first;
  for (const { place, stroke, shape, id, scene } of elements) {
    writer.uv(place - before).u8(stroke ? 1 : 2);
    before = place;
    for (const part of id.split(".")) {
      writer.uv(Number(part));
    }
    writer.uv(scene);
    if (shape) {
      const text = utf8(JSON.stringify(shape));
      writer.u8(["rectangle", "text"].indexOf(shape.type)).uv(text.length).append(text);
      continue;
    }
    const segments = new ByteWriter();
    let points = 0;
    for (const segment of stroke.segments) {
      const whole = new ByteWriter();
      writePayload(whole, 1, { stroke: 0, end: false, ...segment });
      points += segment.dx.length;
      segments.append(whole.bytes().subarray(1));
    }
    writeStyle(writer, stroke.begin);
    writer
      .u8(stroke.ended ? 1 : 0)
      .uv(points)
      .uv(segments.length)
      .append(segments.bytes());
  }
  return writer.bytes();
}

/**
 * @param {Record<string, any>} message the mirror of a message of the server
 * @returns {Uint8Array}
 */
export function serverMessage({ m, ...fields }) {
  if (m in jsonTypes) {
    const type = jsonTypes[/** @type {keyof typeof jsonTypes} */ (m)];
    return new ByteWriter()
      .u8(type)
      .append(utf8(JSON.stringify(fields)))
      .bytes();
  }
  if (m === "run") return writeRun(/** @type {any} */ (fields));
  if (m === "live") return new ByteWriter().u8(73).uv(fields.revision).bytes();
  if (m === "heartbeat") return new ByteWriter().u8(74).uv(fields.revision).uv(fields.time).bytes();
  if (m === "quiet") {
    return new ByteWriter().u8(78).uv(fields.revision).uv(fields.time).uv(fields.ms).bytes();
  }
  if (m === "snapshotPart") return writePart(fields);
  if (m === "snapshotRoot") {
    const { revision, time, stateHash, parts, root } = fields;
    const writer = new ByteWriter()
      .u8(71)
      .uv(revision)
      .uv(time)
      .append(new Uint8Array(Buffer.from(stateHash, "hex")));
    return writer
      .uv(parts)
      .append(utf8(JSON.stringify(root)))
      .bytes();
  }
  if (m !== "receipts") throw new RangeError(`no message ${m}`);
  const writer = new ByteWriter().u8(68);
  for (const [n, revision] of fields.receipts) {
    writer.uv(n).uv(revision);
  }
  return writer.bytes();
}
