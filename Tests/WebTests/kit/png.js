// PNG pictures as pixels, and back: what screenshots need, and no more (8 bits, no interlace).
import { deflateSync, inflateSync } from "node:zlib";

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/**
 * Bytes a pixel by the type of colour: grey, RGB, grey with alpha, RGBA.
 * @type {Record<number, number>}
 */
const channels = { 0: 1, 2: 3, 4: 2, 6: 4 };

/** @typedef {{width: number, height: number, data: Uint8Array}} Pixels RGBA, row by row */

/**
 * @param {Uint8Array} file
 * @returns {Pixels}
 */
export function readPNG(file) {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (!bytes.subarray(0, 8).equals(signature)) throw new Error("not a PNG");
  /** @type {Buffer[]} */
  const packed = [];
  let head = Buffer.alloc(0);
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === "IHDR") head = body;
    if (type === "IDAT") packed.push(body);
    at += length + 12;
  }
  if (head.length < 13) throw new Error("a PNG without its beginning");
  const width = head.readUInt32BE(0);
  const height = head.readUInt32BE(4);
  const count = channels[head[9]];
  if (head[8] !== 8 || !count || head[12] !== 0) {
    throw new Error("a PNG of a form that is not read here");
  }
  const raw = unfilter(inflateSync(Buffer.concat(packed)), width, height, count);
  return { width, height, data: toRGBA(raw, count) };
}

/**
 * @param {Uint8Array} raw
 * @param {number} width
 * @param {number} height
 * @param {number} count of channels
 */
function unfilter(raw, width, height, count) {
  const row = width * count;
  if (raw.length < (row + 1) * height) throw new Error("a PNG that is cut off");
  const out = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const kind = raw[y * (row + 1)];
    const from = y * (row + 1) + 1;
    const to = y * row;
    for (let x = 0; x < row; x++) {
      const left = x >= count ? out[to + x - count] : 0;
      const above = y > 0 ? out[to + x - row] : 0;
      const corner = x >= count && y > 0 ? out[to + x - row - count] : 0;
      out[to + x] = raw[from + x] + predicted(kind, left, above, corner);
    }
  }
  return out;
}

/**
 * @param {number} kind
 * @param {number} left
 * @param {number} above
 * @param {number} corner
 */
function predicted(kind, left, above, corner) {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4: {
      const guess = left + above - corner;
      const a = Math.abs(guess - left);
      const b = Math.abs(guess - above);
      const c = Math.abs(guess - corner);
      if (a <= b && a <= c) return left;
      return b <= c ? above : corner;
    }
    default:
      throw new Error(`a PNG with the filter ${kind}`);
  }
}

/**
 * @param {Uint8Array} pixels
 * @param {number} count
 */
function toRGBA(pixels, count) {
  if (count === 4) return pixels;
  const size = pixels.length / count;
  const out = new Uint8Array(size * 4);
  for (let n = 0; n < size; n++) {
    const first = pixels[n * count];
    const alpha = count === 2 ? pixels[n * count + 1] : 255;
    out[n * 4] = first;
    out[n * 4 + 1] = count === 3 ? pixels[n * count + 1] : first;
    out[n * 4 + 2] = count === 3 ? pixels[n * count + 2] : first;
    out[n * 4 + 3] = alpha;
  }
  return out;
}

/**
 * @param {Pixels} pixels
 * @returns {Buffer}
 */
export function writePNG({ width, height, data }) {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 6, 0, 0, 0], 8);
  const raw = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 0; y < height; y++) {
    raw.set(data.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  }
  const body = chunk("IDAT", deflateSync(raw));
  const end = chunk("IEND", Buffer.alloc(0));
  return Buffer.concat([signature, chunk("IHDR", head), body, end]);
}

/**
 * @param {string} type
 * @param {Buffer} body
 */
function chunk(type, body) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc(named), named.length + 4);
  return out;
}

/** @param {Buffer} bytes */
function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
    }
  }
  return ~sum >>> 0;
}

/**
 * How much two pictures differ. A pixel counts if one of its channels is further away than
 * `tolerance` from every pixel of the other picture within `reach`, both ways: edges that two
 * renderers smooth a little differently do not count.
 * @param {Pixels} one
 * @param {Pixels} other
 * @param {{tolerance?: number, reach?: number}} [options]
 * @returns {{differing: number, share: number, ink: number, picture: Pixels}} pixels, their share
 *   of all, how many are not the background (the first pixel of `one`), and a picture with what
 *   differs in red
 */
export function compare(one, other, { tolerance = 24, reach = 0 } = {}) {
  const { width, height } = one;
  if (other.width !== width || other.height !== height) {
    const sizes = `${width} × ${height} and ${other.width} × ${other.height}`;
    throw new Error(`pictures of ${sizes} cannot be compared`);
  }
  const picture = { width, height, data: new Uint8Array(width * height * 4) };
  let differing = 0;
  let ink = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 4;
      const isSame =
        isNear(one, other, x, y, tolerance, reach) && isNear(other, one, x, y, tolerance, reach);
      const differs = !isSame;
      if (differs) differing += 1;
      if (distance(one.data, at, one.data, 0) > tolerance) ink += 1;
      const grey = 255 - (255 - one.data[at + 1]) / 4;
      picture.data.set(differs ? [220, 0, 0, 255] : [grey, grey, grey, 255], at);
    }
  }
  return { differing, share: differing / (width * height), ink, picture };
}

/**
 * @param {Pixels} one
 * @param {Pixels} other
 * @param {number} x
 * @param {number} y
 * @param {number} tolerance
 * @param {number} reach
 */
export function isNear(one, other, x, y, tolerance, reach) {
  const at = (y * one.width + x) * 4;
  if (distance(one.data, at, other.data, at) <= tolerance) return true;
  for (let b = Math.max(0, y - reach); b <= Math.min(one.height - 1, y + reach); b++) {
    for (let a = Math.max(0, x - reach); a <= Math.min(one.width - 1, x + reach); a++) {
      if (distance(one.data, at, other.data, (b * one.width + a) * 4) <= tolerance) return true;
    }
  }
  return false;
}

/**
 * @param {Uint8Array} one
 * @param {number} at
 * @param {Uint8Array} other
 * @param {number} there
 */
function distance(one, at, other, there) {
  let most = 0;
  for (let n = 0; n < 4; n++) {
    most = Math.max(most, Math.abs(one[at + n] - other[there + n]));
  }
  return most;
}
