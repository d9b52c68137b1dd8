import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ByteReader,
  ByteWriter,
  text,
  utf8,
} from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { unpackBlock } from "../../../Sources/BoardroomWeb/Page/protocol/lz4.js";

/** @param {number[]} bytes */
const reading = (...bytes) => new ByteReader(new Uint8Array(bytes));

const bad = { name: "WireError" };

test("whole numbers come back as they were, up to 2^53 - 1", () => {
  for (const value of [
    0,
    1,
    127,
    128,
    300,
    16383,
    16384,
    2 ** 31,
    2 ** 32 + 5,
    2 ** 49,
    Number.MAX_SAFE_INTEGER,
  ]) {
    const reader = new ByteReader(new ByteWriter(1).uv(value).bytes());
    assert.equal(reader.uv(), value);
    assert.ok(reader.isAtEnd);
  }
});

test("signed numbers are 0, -1, 1, -2 … in zig-zag", () => {
  assert.deepEqual([...new ByteWriter().zz(0).zz(-1).zz(1).zz(-2).bytes()], [0, 1, 2, 3]);
  for (const value of [
    0,
    -1,
    1,
    -64,
    64,
    -(2 ** 31),
    2 ** 31,
    -(2 ** 40),
    2 ** 40,
    2 ** 52 - 1,
    -(2 ** 52),
  ]) {
    assert.equal(new ByteReader(new ByteWriter().zz(value).bytes()).zz(), value);
  }
});

test("only the shortest form of a number is accepted, and none beyond 2^53 - 1", () => {
  assert.throws(() => reading(0x80, 0x00).uv(), bad);
  assert.throws(() => reading(0x80).uv(), bad);
  assert.throws(() => reading().uv(), bad);
  assert.throws(() => reading(255, 255, 255, 255, 255, 255, 255, 16).uv(), bad);
  assert.throws(() => reading(128, 128, 128, 128, 128, 128, 128, 128, 1).uv(), bad);
  assert.equal(reading(255, 255, 255, 255, 255, 255, 255, 15).uv(), Number.MAX_SAFE_INTEGER);
  for (const value of [-1, 1.5, 2 ** 53, NaN]) {
    assert.throws(() => new ByteWriter().uv(value), RangeError);
  }
});

test("bytes, views and text are read to their end and not beyond", () => {
  const reader = reading(255, 255, 1, 2, 3);
  assert.equal(reader.u8(), 255);
  assert.equal(reader.i8(), -1);
  assert.deepEqual([...reader.readBytes(1)], [1]);
  assert.throws(() => reader.readBytes(3), bad);
  assert.throws(() => reader.finish(), bad);
  assert.deepEqual([...reader.rest()], [2, 3]);
  reader.finish();
  assert.throws(() => reader.u8(), bad);
  assert.equal(text(utf8("白板 é 😀")), "白板 é 😀");
  assert.throws(() => text(new Uint8Array([0xff])), bad);
});

test("a block of LZ4 unpacks literals, far and overlapping matches, and long lengths", () => {
  // "ab", then 30 more by a match that overlaps itself, then "!".
  const block = new Uint8Array([0x2f, 97, 98, 2, 0, 11, 0x10, 33]);
  assert.equal(text(unpackBlock(block, 33)), `${"ab".repeat(16)}!`);
  const literals = new Uint8Array([0xf0, 255, 30, ...new Array(300).fill(7)]);
  assert.deepEqual(unpackBlock(literals, 300), new Uint8Array(300).fill(7));
});

test("a block of LZ4 that lies about its lengths or offsets is refused, wherever it is cut", () => {
  const block = new Uint8Array([0x2f, 97, 98, 2, 0, 11, 0x10, 33]);
  for (let length = 0; length < block.length; length++) {
    assert.throws(() => unpackBlock(block.subarray(0, length), 33), bad, `cut at ${length}`);
  }
  assert.throws(() => unpackBlock(block, 32), bad);
  assert.throws(() => unpackBlock(block, 34), bad);
  assert.throws(() => unpackBlock(new Uint8Array([0x10, 97, 2, 0]), 9), bad);
  assert.throws(() => unpackBlock(new Uint8Array([0x10, 97, 0, 0]), 9), bad);
});
