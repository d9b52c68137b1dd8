import { ByteReader, ByteWriter } from "./bytes.js";

// Strokes, pointers and cameras: the payloads that are binary (docs/PROTOCOL.md, section 6). The points of a
// segment are checked once and stay the bytes that they are until somebody draws them.

export const TOOLS = Object.freeze(["pencil", "highlighter", "laser"]);
const coordinateLimit = 2 ** 40;
const pointLimit = 4096;
export const sceneLimit = 2 ** 32 - 1;

/**
 * @typedef {{scene: number, unit: number, tool: string, colour: number[], opacity: number,
 *   width: number}} Begin
 * @typedef {{dx: number[], dy: number[], dt: number[], dp?: number[]}} Steps
 * @typedef {{stroke: number, begin?: Begin, end: boolean} & Steps} StrokeBody
 * @typedef {{scene: number, unit: number, x: number, y: number}} PointerBody
 * @typedef {{unit: number, x: number, y: number, scale: number}} CameraBody
 */

/** Points that came in one piece, as differences to the point before in their stroke. */
export class Segment {
  /**
   * @param {Uint8Array} bytes @param {number} start at `uv n` @param {number} end
   * @param {number} count @param {boolean} hasPressure
   */
  constructor(bytes, start, end, count, hasPressure) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.count = count;
    this.hasPressure = hasPressure;
    /** @type {Steps | null} */
    this.decoded = null;
  }

  get steps() { return (this.decoded ??= this.read()); }
  get dx() { return this.steps.dx; }
  get dy() { return this.steps.dy; }
  get dt() { return this.steps.dt; }
  /** Undefined where the device has no pressure. */
  get dp() { return this.steps.dp; }

  /** The same, not kept: for whoever looks once. */
  read() {
    const reader = new ByteReader(this.bytes, this.start, this.end);
    const count = reader.uv();
    const signed = () => Array.from({ length: count }, () => reader.zz());
    const [dx, dy] = [signed(), signed()];
    const dt = Array.from({ length: count }, () => reader.uv());
    return this.hasPressure ? { dx, dy, dt, dp: signed() } : { dx, dy, dt };
  }
}

/** @param {ByteReader} reader on points: they can be decoded, and the server has checked the rest */
export function readSegment(reader, hasPressure = true) {
  const start = reader.at;
  const count = reader.upTo("the number of points", pointLimit);
  reader.skip(count * (hasPressure ? 4 : 3));
  return new Segment(reader.bytes, start, reader.at, count, hasPressure);
}

/** Pen down to pen up; a value. */
export class Stroke {
  /**
   * @param {Begin} begin @param {boolean} ended @param {number} points
   * @param {readonly Segment[] | null} known its segments @param {ByteReader} [stored] or the bytes of them
   */
  constructor(begin, ended, points, known, stored) {
    this.begin = begin;
    this.ended = ended;
    this.points = points;
    this.known = known;
    this.stored = stored;
  }

  /** @returns {readonly Segment[]} */
  get segments() { return (this.known ??= this.stored ? [...segmentsIn(this.stored)] : []); }

  /** @param {Segment} segment @param {boolean} ended @returns {Stroke} with another segment */
  extended(segment, ended) {
    return new Stroke(this.begin, ended, this.points + segment.count, [...this.segments, segment]);
  }

  /** @param {Begin} [begin] @returns {Stroke} whose pen is up */
  lifted(begin = this.begin) { return new Stroke(begin, true, this.points, this.known, this.stored); }
}

/** @param {ByteReader} stored on segments as a snapshot has them: `u8 flags`, then the points */
function* segmentsIn({ bytes, at, end }) {
  const reader = new ByteReader(bytes, at, end);
  while (!reader.isAtEnd) yield readSegment(reader, reader.u8() === 0);
}

/** @param {ByteReader} reader */
export function readUnit(reader) {
  const unit = reader.i8();
  if (unit < -16 || unit > 15) reader.fail("a unit is out of range");
  return unit;
}

/** @param {ByteReader} reader @param {number} scene @returns {Begin} what follows the scene */
export function readStyle(reader, scene) {
  const unit = readUnit(reader);
  const tool = reader.u8();
  if (tool >= TOOLS.length) reader.fail("there is no such tool");
  const colour = [reader.u8(), reader.u8(), reader.u8()];
  const [opacity, width] = [reader.u8(), reader.upTo("a width", 65535)];
  return { scene, unit, tool: TOOLS[tool], colour, opacity, width };
}

/** @param {ByteWriter} writer @param {Begin} begin */
export function writeStyle(writer, begin) {
  writer.u8(begin.unit).u8(TOOLS.indexOf(begin.tool));
  for (const part of begin.colour) writer.u8(part);
  writer.u8(begin.opacity).uv(begin.width);
}

/** @param {ByteReader} reader */
export function readStroke(reader) {
  const number = reader.uv();
  const flags = reader.u8();
  if (flags > 7) reader.fail("a stroke has unknown flags");
  const begin = flags & 1 ? readStyle(reader, reader.upTo("a scene", sceneLimit)) : null;
  const segment = readSegment(reader, (flags & 4) === 0);
  reader.finish();
  return { number, begin, ends: (flags & 2) !== 0, segment };
}

/** @param {ByteReader} reader @returns {PointerBody} */
export function readPointer(reader) {
  const scene = reader.upTo("a scene", sceneLimit);
  const unit = readUnit(reader);
  const x = reader.within("x", coordinateLimit);
  const y = reader.within("y", coordinateLimit);
  reader.finish();
  return { scene, unit, x, y };
}

/** @param {ByteReader} reader @returns {CameraBody} */
export function readCamera(reader) {
  const unit = readUnit(reader);
  const x = reader.within("x", coordinateLimit);
  const y = reader.within("y", coordinateLimit);
  const scale = reader.upTo("a scale", coordinateLimit);
  if (scale === 0) reader.fail("a scale is zero");
  reader.finish();
  return { unit, x, y, scale };
}

/** @param {ByteWriter} writer @param {StrokeBody} body */
export function writeStroke(writer, body) {
  const { begin, dx, dy, dt, dp } = body;
  writer.uv(body.stroke).u8((begin ? 1 : 0) | (body.end ? 2 : 0) | (dp ? 0 : 4));
  if (begin) writeStyle(writer.uv(begin.scene), begin);
  writer.uv(dx.length);
  for (const step of dx) writer.zz(step);
  for (const step of dy) writer.zz(step);
  for (const step of dt) writer.uv(step);
  for (const step of dp ?? []) writer.zz(step);
}

/** @param {ByteWriter} writer @param {PointerBody} body */
export function writePointer(writer, body) { writer.uv(body.scene).u8(body.unit).zz(body.x).zz(body.y); }

/** @param {ByteWriter} writer @param {CameraBody} body */
export function writeCamera(writer, body) { writer.u8(body.unit).zz(body.x).zz(body.y).uv(body.scale); }
