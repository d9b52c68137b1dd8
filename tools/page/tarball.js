// A packed archive as npm takes it, with the same bytes for the same files.
import { gzipSync } from "node:zlib";

const BLOCK = 512;

/** Bytes of a name in a header of ustar. */
const LONGEST_NAME = 100;

/** The folder that npm expects. */
const TOP = "package";

/**
 * @param {{path: string, bytes: Buffer}[]} files
 * @returns {Buffer}
 */
export function tarball(files) {
  const parts = files.flatMap(({ path, bytes }) => {
    const rest = (BLOCK - (bytes.length % BLOCK)) % BLOCK;
    return [header(`${TOP}/${path}`, bytes.length), bytes, Buffer.alloc(rest)];
  });
  const packed = gzipSync(Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]), { level: 9 });
  // The byte that names the system on which it was packed.
  packed[9] = 255;
  return packed;
}

/**
 * @param {string} name
 * @param {number} size
 */
function header(name, size) {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw new RangeError(`${name} is too long a name.`);
  const block = Buffer.alloc(BLOCK);
  const octal = (/** @type {number} */ value, /** @type {number} */ digits) =>
    `${value.toString(8).padStart(digits, "0")}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  // npm gives all files this time: no tool takes 1970 for an error.
  block.write(octal(499162500, 11), 136);
  block.write("        ", 148);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${octal(sum, 6)} `, 148);
  return block;
}
