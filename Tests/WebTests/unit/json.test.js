import assert from "node:assert/strict";
import { test } from "node:test";
import { byBytes, Fields, itemsOf, KeyMap, memberOf, membersOf, patchOf } from "../../../Sources/BoardroomServer/Web/Page/core/json.js";
import { orderKeyBetween, standardOrderKey } from "../../../Sources/BoardroomServer/Web/Page/core/model.js";

test("the texts of members and items come as they stand, with their spaces and escapes", () => {
  const text = ' 1.0 , "b\\u0062" : [1, {"x":"]}"}] ,"c":"\\"," }';
  assert.deepEqual(membersOf(`{"a":${text}`), [["a", "1.0"], ["bb", '[1, {"x":"]}"}]'], ["c", '"\\","']]);
  assert.deepEqual(itemsOf('[ 1e3 ,[],{} , "a,b" ]'), ["1e3", "[]", "{}", '"a,b"']);
  for (const nothing of ["{}", "{ }", "null", "7"]) assert.deepEqual(membersOf(nothing), []);
  for (const nothing of ["[]", "[ ]", "null", "{}"]) assert.deepEqual(itemsOf(nothing), []);
  assert.equal(memberOf('{"a":1,"b":2}', "b"), "2");
  assert.deepEqual(patchOf('{"a":null,"b":"null"}'), [["a", null], ["b", '"null"']]);
});

test("keys are ordered by their UTF-8, also where UTF-16 orders otherwise", () => {
  const keys = ["a", "", "ab", "\uffee", "😀", "é", "\ud7ff", "\ue000", "😁", "z"];
  const expected = [...keys].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  assert.deepEqual([...keys].sort(byBytes), expected);
});

test("keys that are canonically equivalent are one, as it was first written, and are removed by either", () => {
  const fields = new Fields([["e\u0301", "1"]]);
  assert.equal(fields.merge([["é", "2"]]), true);
  assert.equal(fields.json(), '{"e\u0301":2}');
  assert.equal(fields.merge([["é", "2"]]), false);
  assert.equal(fields.merge([["é", null]]), true);
  assert.equal(fields.size, 0);
});

test("values stay the texts that they were, and are decoded once until something changes", () => {
  const fields = new Fields([["__proto__", "1.0"], ["10", "[ 1 ]"], ["9", '"\\u0041"']]);
  assert.equal(fields.json(), '{"10":[ 1 ],"9":"\\u0041","__proto__":1.0}');
  assert.deepEqual(Object.entries(fields.plain()).sort(), [["10", [1]], ["9", "A"], ["__proto__", 1]]);
  assert.equal(fields.plain(), fields.plain());
  const copy = fields.copy();
  copy.merge([["9", "true"]]);
  assert.equal(copy.plain()["9"], true);
  assert.equal(fields.plain()["9"], "A");
  assert.equal(new KeyMap().text("constructor"), undefined);
});

test("between any two order keys there is room for another, at both ends too", () => {
  let [low, high] = [standardOrderKey(0), standardOrderKey(1)];
  assert.deepEqual([low, high], ["V0000000", "V0000001"]);
  for (let round = 0; round < 200; round++) {
    const middle = orderKeyBetween(low, high) ?? "";
    assert.ok(low < middle && middle < high && !middle.endsWith("0"), `${low} < ${middle} < ${high}`);
    if (round % 2) low = middle;
    else high = middle;
  }
  assert.ok((orderKeyBetween(undefined, low) ?? "~") < low);
  assert.ok((orderKeyBetween(high, undefined) ?? "") > high);
  assert.equal(orderKeyBetween(high, low), undefined);
});
