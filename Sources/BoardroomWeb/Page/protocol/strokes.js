// Strokes, pointers and cameras: the payloads that are binary (docs/PROTOCOL.md, section 6). The
// points of a segment are checked once and stay the bytes that they are until somebody draws them.
import { ByteReader, ByteWriter } from "./bytes.js";

/**
 * Reads a body from a payload, and writes it to one.
 * @typedef {{
 *   read(reader: import("./bytes.js").ByteReader): any;
 *   write(writer: import("./bytes.js").ByteWriter, body: any): any;
 * }} BinaryBody
 */

const TOOLS = ["pencil", "highlighter", "laser"];

/** Points that came in one piece, as differences to the point before in their stroke. */
export class Segment {
  /**
   * @param {ByteReader} reader at `uv n`
   * @param {boolean} hasPressure
   */
  constructor(reader, hasPressure) {
    this.bytes = reader.bytes;
    this.start = reader.at;
    this.count = reader.uv();
    reader.skip(this.count * (hasPressure ? 4 : 3));
    this.end = reader.at;
    this.hasPressure = hasPressure;
  }

  /** @returns {{dx: number[], dy: number[], dt: number[], dp?: number[]}} nothing of it is kept */
  read() {
    const reader = new ByteReader(this.bytes, this.start, this.end);
    const count = reader.uv();
    const signed = () => Array.from({ length: count }, () => reader.zz());
    const dx = signed();
    const dy = signed();
    const dt = Array.from({ length: count }, () => reader.uv());
    return this.hasPressure ? { dx, dy, dt, dp: signed() } : { dx, dy, dt };
  }
}

/** Pen down to pen up; a value. */
export class Stroke {
  /**
   * @param {Begin} begin
   * @param {boolean} ended
   * @param {number} points
   * @param {readonly Segment[] | ByteReader} source its segments, or the bytes of them in a
   *   snapshot
   */
  constructor(begin, ended, points, source) {
    this.begin = begin;
    this.ended = ended;
    this.points = points;
    this.source = source;
  }

  /** @returns {readonly Segment[]} */
  get segments() {
    if (!(this.source instanceof ByteReader)) return this.source;
    const { bytes, at, end } = this.source;
    const segments = [];
    for (const reader = new ByteReader(bytes, at, end); !reader.isAtEnd; ) {
      segments.push(new Segment(reader, reader.u8() === 0));
    }
    this.source = segments;
    return segments;
  }

  /**
   * @param {Segment} segment
   * @param {boolean} ended
   */
  extended(segment, ended) {
    return new Stroke(this.begin, ended, this.points + segment.count, [...this.segments, segment]);
  }

  lifted(begin = this.begin) {
    return new Stroke(begin, true, this.points, this.source);
  }
}

/**
 * @param {ByteReader} reader
 * @param {number} scene
 * @returns {Begin} what follows the scene
 */
export function readStyle(reader, scene) {
  const unit = reader.i8();
  const tool = TOOLS[reader.u8()];
  if (tool === undefined) reader.fail("there is no such tool");
  const colour = [reader.u8(), reader.u8(), reader.u8()];
  return { scene, unit, tool, colour, opacity: reader.u8(), width: reader.uv() };
}

/**
 * @param {ByteWriter} writer
 * @param {Begin} begin
 */
export const writeStyle = (writer, { unit, tool, colour, opacity, width }) =>
  writer.append([unit, TOOLS.indexOf(tool), ...colour, opacity]).uv(width);

/** @param {ByteReader} reader */
export function readStroke(reader) {
  const number = reader.uv();
  const flags = reader.u8();
  if (flags > 7) reader.fail("a stroke has unknown flags");
  const begin = flags & 1 ? readStyle(reader, reader.uv()) : null;
  const segment = new Segment(reader, (flags & 4) === 0);
  reader.finish();
  return { number, begin, ends: (flags & 2) !== 0, segment };
}

/** @type {Record<number, BinaryBody>} of the kinds that are binary, by number */
export const BINARY = {
  1: {
    read(reader) {
      const { number, begin, ends, segment } = readStroke(reader);
      return { stroke: number, ...(begin ? { begin } : {}), end: ends, ...segment.read() };
    },
    write(writer, { stroke, begin, end, dx, dy, dt, dp }) {
      writer.uv(stroke).u8((begin ? 1 : 0) | (end ? 2 : 0) | (dp ? 0 : 4));
      if (begin) writeStyle(writer.uv(begin.scene), begin);
      writer.uv(dx.length);
      for (const step of [...dx, ...dy]) {
        writer.zz(step);
      }
      for (const step of dt) {
        writer.uv(step);
      }
      for (const step of dp ?? []) {
        writer.zz(step);
      }
    },
  },
  2: {
    read: (reader) => ({ scene: reader.uv(), unit: reader.i8(), x: reader.zz(), y: reader.zz() }),
    write: (writer, { scene, unit, x, y }) => writer.uv(scene).u8(unit).zz(x).zz(y),
  },
  3: {
    read: (reader) => ({ unit: reader.i8(), x: reader.zz(), y: reader.zz(), scale: reader.uv() }),
    write: (writer, { unit, x, y, scale }) => writer.u8(unit).zz(x).zz(y).uv(scale),
  },
};
