// Bytes as docs/PROTOCOL.md, section 1, describes them. Numbers of members, revisions and times are
// below 2^53 in every real log; larger ones are refused here.

/** Bytes that the protocol does not allow: of what, and at which byte. */
export class WireError extends Error {
  name = "WireError";

  /**
   * @param {string} what
   * @param {number} at
   */
  constructor(what, at) {
    super(`${what} (byte ${at}). Ask the server's operator whether its version fits this page.`);
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The factor of the eighth byte of a number, the last byte that fits. */
const lastScale = 2 ** 49;

/** The bytes that the numbers of a point need, at most. */
const longestSkipped = 7;

/** @param {string} text */
export const utf8 = (text) => encoder.encode(text);

/** @param {Uint8Array} bytes */
export function text(bytes) {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new WireError("text is not UTF-8", 0);
  }
}

/** Reads forward through bytes that it does not copy. */
export class ByteReader {
  /** @param {Uint8Array} bytes */
  constructor(bytes, start = 0, end = bytes.length) {
    this.bytes = bytes;
    this.at = start;
    this.end = end;
  }

  get isAtEnd() {
    return this.at >= this.end;
  }

  /**
   * @param {string} what
   * @returns {never}
   */
  fail(what) {
    throw new WireError(what, this.at);
  }

  /** @returns {number} an unsigned integer below 2^53 */
  uv() {
    const { bytes, end } = this;
    let at = this.at;
    if (at >= end) this.fail("a number is cut off");
    let byte = bytes[at++];
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      if (at >= end) this.fail("a number is cut off");
      byte = bytes[at++];
      if (byte === 0) this.fail("a number is longer than it needs to be");
      value += (byte & 127) * scale;
      if (scale > lastScale || value > Number.MAX_SAFE_INTEGER) this.fail("a number is too large");
    }
    this.at = at;
    return value;
  }

  /** @returns {number} a signed integer */
  zz() {
    const value = this.uv();
    if (value < 0x80000000) return (value >>> 1) ^ -(value & 1);
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /**
   * Skips a count of numbers, each of which uv() could read.
   * @param {number} count
   */
  skip(count) {
    const { bytes, end } = this;
    let at = this.at;
    for (let length = 1, left = count; left > 0; length++, at++) {
      if (at >= end || length > longestSkipped) this.fail("a number is cut off or too large");
      if (bytes[at] > 127) continue;
      if (length > 1 && bytes[at] === 0) this.fail("a number is longer than it needs to be");
      length = 0;
      left--;
    }
    this.at = at;
  }

  u8() {
    return this.at < this.end ? this.bytes[this.at++] : this.fail("a byte is missing");
  }

  i8() {
    return (this.u8() << 24) >> 24;
  }

  /**
   * A view of a count of bytes.
   * @param {number} count
   */
  readBytes(count) {
    if (count > this.end - this.at) this.fail("bytes are missing");
    const start = this.at;
    this.at += count;
    return this.bytes.subarray(start, this.at);
  }

  rest() {
    return this.readBytes(this.end - this.at);
  }

  finish() {
    if (!this.isAtEnd) this.fail("there are bytes behind the end");
  }
}

/** Writes bytes one after another into a buffer that grows. */
export class ByteWriter {
  length = 0;

  constructor(capacity = 64) {
    this.buffer = new Uint8Array(capacity);
  }

  /**
   * Numbers are bytes, signed or not.
   * @param {Uint8Array | number[]} bytes
   */
  append(bytes) {
    const length = this.length + bytes.length;
    if (length > this.buffer.length) {
      const grown = new Uint8Array(Math.max(this.buffer.length * 2, length));
      grown.set(this.buffer);
      this.buffer = grown;
    }
    this.buffer.set(bytes, this.length);
    this.length = length;
    return this;
  }

  /** @param {number} value */
  u8(value) {
    return this.append([value]);
  }

  /** @param {number} value */
  uv(value) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(`${value} is no unsigned integer`);
    }
    const bytes = [];
    let rest = value;
    for (; rest > 127; rest = Math.floor(rest / 128)) {
      bytes.push((rest % 128) | 128);
    }
    return this.append([...bytes, rest]);
  }

  /** @param {number} value */
  zz(value) {
    return this.uv(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** What was written, as a view. */
  bytes() {
    return this.buffer.subarray(0, this.length);
  }
}
