import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { compare, readPNG, writePNG } from "../kit/png.js";

/**
 * @param {number} width
 * @param {number} height
 * @param {(x: number, y: number) => number[]} colour
 */
function pixels(width, height, colour) {
  const data = new Uint8Array(width * height * 4);
  for (let n = 0; n < width * height; n++) {
    data.set(colour(n % width, Math.floor(n / width)), n * 4);
  }
  return { width, height, data };
}

test("a picture is the same after writing and reading", () => {
  const one = pixels(7, 5, (x, y) => [x * 30, y * 50, x * y, 255 - x]);
  assert.deepEqual(readPNG(writePNG(one)), one);
});

test("all five filters of rows are undone, for RGB too", () => {
  // One pixel of 3 bytes a row after the filter's number; from the top: none, sub, up, average,
  // Paeth.
  const rows = [
    [0, 10, 20, 30, 1, 2, 3],
    [1, 10, 20, 30, 1, 1, 1],
    [2, 1, 1, 1, 2, 2, 2],
    [3, 5, 5, 5, 5, 5, 5],
    [4, 1, 2, 3, 4, 5, 6],
  ];
  const file = Buffer.from(writePNG(pixels(2, 5, () => [0, 0, 0, 0])));
  file[8 + 8 + 9] = 2; // the type of colour: RGB
  const at = file.indexOf("IDAT");
  const packed = deflateSync(Buffer.from(rows.flat()));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(packed.length);
  const body = Buffer.concat([length, Buffer.from("IDAT"), packed, Buffer.alloc(4)]);
  const made = Buffer.concat([file.subarray(0, at - 4), body]);
  const { data } = readPNG(made);
  assert.deepEqual([...data.subarray(0, 8)], [10, 20, 30, 255, 1, 2, 3, 255]);
  assert.deepEqual([...data.subarray(8, 16)], [10, 20, 30, 255, 11, 21, 31, 255]);
  assert.deepEqual([...data.subarray(16, 24)], [11, 21, 31, 255, 13, 23, 33, 255]);
  assert.deepEqual([...data.subarray(24, 32)], [10, 15, 20, 255, 16, 24, 31, 255]);
  assert.deepEqual([...data.subarray(32, 40)], [11, 17, 23, 255, 20, 29, 37, 255]);
});

test("what is no PNG, cut off or interlaced is refused with a sentence", () => {
  const file = writePNG(pixels(3, 3, () => [1, 2, 3, 4]));
  assert.throws(() => readPNG(Buffer.from("GIF89a")), /not a PNG/);
  const interlaced = Buffer.from(file);
  interlaced[8 + 8 + 12] = 1;
  assert.throws(() => readPNG(interlaced), /form/);
  assert.throws(() => readPNG(file.subarray(0, 40)));
});

test("pixels that differ are counted; a tolerance forgives shades, a reach an edge moved by a pixel", () => {
  const white = [255, 255, 255, 255];
  const line = (/** @type {number} */ at, /** @type {number} */ shade) =>
    pixels(20, 10, (x) => (x === at ? [shade, shade, shade, 255] : white));
  assert.equal(compare(line(5, 0), line(5, 0)).differing, 0);
  assert.equal(compare(line(5, 0), line(5, 20)).differing, 0, "within the tolerance");
  assert.equal(compare(line(5, 0), line(5, 60)).differing, 10);
  assert.equal(compare(line(5, 0), line(6, 0)).differing, 20);
  assert.equal(compare(line(5, 0), line(6, 0), { reach: 1 }).differing, 0);
  assert.equal(compare(line(5, 0), line(8, 0), { reach: 1 }).share, 0.1);
  const empty = pixels(20, 10, () => white);
  assert.equal(compare(line(5, 0), empty, { reach: 1 }).differing, 10, "what is missing counts");
  assert.equal(compare(line(5, 0), line(5, 0)).ink, 10);
  assert.throws(
    () =>
      compare(
        line(1, 0),
        pixels(2, 2, () => white),
      ),
    /cannot be compared/,
  );
});
