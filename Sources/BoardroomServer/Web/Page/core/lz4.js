import { WireError } from "./bytes.js";

// A block of LZ4, without a frame: sequences of `token | literals | offset (u16) | match`, the last one of
// literals only. Everything that comes from the block is checked before it is used.

/**
 * The bytes that a block stands for.
 * @param {Uint8Array} block
 * @param {number} rawLength how many they are
 * @returns {Uint8Array}
 */
export function unpackBlock(block, rawLength) {
  const out = new Uint8Array(rawLength);
  const end = block.length;
  let from = 0;
  let to = 0;
  while (from < end) {
    const token = block[from++];
    let count = token >> 4;
    if (count === 15) {
      let more = 255;
      while (more === 255) {
        if (from >= end) throw new WireError("a block is cut off in a length", from);
        more = block[from++];
        count += more;
      }
    }
    if (count > end - from || count > rawLength - to) throw new WireError("a block has too many literals", from);
    if (count > 32) {
      out.set(block.subarray(from, from + count), to);
      from += count;
      to += count;
    } else {
      for (const stop = from + count; from < stop; ) out[to++] = block[from++];
    }
    if (from === end) break;
    if (end - from < 2) throw new WireError("a block is cut off in an offset", from);
    const offset = block[from] | (block[from + 1] << 8);
    from += 2;
    if (offset === 0 || offset > to) throw new WireError("a block points before its begin", from);
    let length = (token & 15) + 4;
    if (length === 19) {
      let more = 255;
      while (more === 255) {
        if (from >= end) throw new WireError("a block is cut off in a length", from);
        more = block[from++];
        length += more;
      }
    }
    if (length > rawLength - to) throw new WireError("a block is longer than it says", from);
    if (length > 48 && offset >= length) {
      out.copyWithin(to, to - offset, to - offset + length);
      to += length;
    } else {
      for (const stop = to + length; to < stop; to++) out[to] = out[to - offset];
    }
  }
  if (to !== rawLength) throw new WireError("a block is shorter than it says", from);
  return out;
}
