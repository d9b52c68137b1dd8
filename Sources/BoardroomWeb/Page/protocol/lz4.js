// A block of LZ4, without a frame: sequences of `token | literals | offset (u16) | match`, the last
// one of literals only. Everything that comes from the block is checked before it is used.
import { WireError } from "./bytes.js";

/**
 * @param {Uint8Array} block
 * @param {number} rawLength of what it stands for
 * @returns {Uint8Array}
 */
export function unpackBlock(block, rawLength) {
  const out = new Uint8Array(rawLength);
  const end = block.length;
  let from = 0;
  let to = 0;
  const check = (/** @type {boolean} */ isSo) => {
    if (!isSo) throw new WireError("a block is cut off, or not as long as it says", from);
  };
  // Of four bits; 15: bytes follow that are added to it.
  const lengthOf = (/** @type {number} */ count) => {
    let length = count;
    for (let more = count === 15 ? 255 : 0; more === 255; length += more) {
      check(from < end);
      more = block[from++];
    }
    return length;
  };
  while (from < end) {
    const token = block[from++];
    const count = lengthOf(token >> 4);
    check(count <= Math.min(end - from, rawLength - to));
    if (count > 32) {
      out.set(block.subarray(from, from + count), to);
    } else {
      for (let at = 0; at < count; at++) {
        out[to + at] = block[from + at];
      }
    }
    from += count;
    to += count;
    if (from === end) break;
    check(end - from >= 2);
    const offset = block[from] | (block[from + 1] << 8);
    from += 2;
    check(offset > 0 && offset <= to);
    const length = lengthOf(token & 15) + 4;
    check(length <= rawLength - to);
    if (length > 48 && offset >= length) {
      out.copyWithin(to, to - offset, to - offset + length);
    } else {
      for (let at = to; at < to + length; at++) {
        out[at] = out[at - offset];
      }
    }
    to += length;
  }
  check(to === rawLength);
  return out;
}
