import assert from "node:assert/strict";
import { test } from "node:test";
import { Fields, patched } from "../../../Sources/BoardroomWeb/Page/protocol/json.js";
import { keyBetween, keyOfPlace } from "../../../Sources/BoardroomWeb/Page/state/order.js";

test("keys that are canonically equivalent are one, as it was first written, and are removed by either", () => {
  const fields = new Fields({ "e\u0301": 1 });
  assert.deepEqual(fields.merge({ é: 2 }), [["é", 1, 2]]);
  assert.deepEqual(fields.plain(), { "e\u0301": 2 });
  assert.deepEqual(fields.merge({ é: 2 }), []);
  assert.deepEqual(fields.merge({ é: null }), [["é", 2, null]]);
  assert.deepEqual(fields.plain(), {});
});

test("values are what was parsed, under any key, and one object until something changes", () => {
  const fields = new Fields(JSON.parse('{"__proto__":1.0,"10":[ 1 ],"9":"\\u0041"}'));
  assert.deepEqual(Object.entries(fields.plain()).sort(), [
    ["10", [1]],
    ["9", "A"],
    ["__proto__", 1],
  ]);
  assert.equal(fields.plain(), fields.plain());
  const copy = fields.copy();
  assert.deepEqual(copy.merge({ 10: [1], 9: true }), [["9", "A", true]]);
  assert.equal(copy.plain()["9"], true);
  assert.equal(fields.plain()["9"], "A");
  assert.equal(fields.get("constructor"), undefined);
  assert.deepEqual(patched({ a: 1, b: 2 }, { a: null, c: 3 }).plain(), { b: 2, c: 3 });
});

test("a patch says which keys it changed, from what to what", () => {
  const fields = new Fields({ a: { x: 1 }, b: 2 });
  assert.deepEqual(fields.merge({ a: { x: 1 }, b: 3, c: 4 }), [
    ["b", 2, 3],
    ["c", null, 4],
  ]);
});

test("between any two order keys there is room for another, at both ends too", () => {
  let low = keyOfPlace(0);
  let high = keyOfPlace(1);
  assert.deepEqual([low, high], ["V0000000", "V0000001"]);
  for (let round = 0; round < 200; round++) {
    const middle = keyBetween(low, high);
    assert.ok(
      low < middle && middle < high && !middle.endsWith("0"),
      `${low} < ${middle} < ${high}`,
    );
    if (round % 2) low = middle;
    else high = middle;
  }
  assert.ok(keyBetween(undefined, low) < low);
  assert.ok(keyBetween(high, undefined) > high);
});

test("two that stand in one place, or too close, still give a key above the lower one", () => {
  assert.ok(keyBetween("V1", "V1") > "V1");
  assert.ok(keyBetween("V1", "V0") > "V1");
  assert.ok(keyBetween("V", "V0") > "V");
});
