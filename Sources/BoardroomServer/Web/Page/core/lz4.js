import { WireError } from "./bytes.js";

// A block of LZ4, without a frame: sequences of `token | literals | offset (u16) | match`, the last one of
// literals only. Everything that comes from the block is checked before it is used.

/** @param {Uint8Array} block @param {number} rawLength of what it stands for @returns {Uint8Array} */
export function unpackBlock(block, rawLength) {
  const out = new Uint8Array(rawLength);
  const end = block.length;
  let from = 0;
  let to = 0;
  while (from < end) {
    const token = block[from++];
    let count = token >> 4;
    for (let more = count === 15 ? 255 : 0; more === 255; count += more) {
      if (from >= end) throw new WireError("a block is cut off in a length", from);
      more = block[from++];
    }
    if (count > Math.min(end - from, rawLength - to)) throw new WireError("a block says too much", from);
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
    for (let more = length === 19 ? 255 : 0; more === 255; length += more) {
      if (from >= end) throw new WireError("a block is cut off in a length", from);
      more = block[from++];
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
