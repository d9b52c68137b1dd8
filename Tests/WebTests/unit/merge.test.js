import assert from "node:assert/strict";
import { test } from "node:test";
import { both, merged } from "../../../Sources/BoardroomWeb/Page/board/merge.js";
import { excess } from "../../../Sources/BoardroomWeb/Page/board/weight.js";
import { seeded } from "../kit/fake-room.js";

/** @type {[string, string, string, string, string | undefined][]} */
const cases = [
  ["only one has changed it", "a b", "a c", "a b", "a c"],
  ["both have changed it alike", "a b", "a c", "a c", "a c"],
  ["words far apart", "one two three", "1 two three", "one two 3", "1 two 3"],
  ["words side by side", "red car", "blue car", "red bus", "blue bus"],
  ["lines", "a\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\n", "0\na\nb\nc\nd\n"],
  ["both add at one place", "Hello", "Hello Ana", "Hello Wang", "Hello Wang Ana"],
  ["both write into an empty one", "", "mine", "theirs", "theirs mine"],
  ["signs of Chinese", "白板很好", "白板很大", "黑板很好", "黑板很大"],
  ["one removes, the other adds elsewhere", "a b c", "b c", "a b c d", "b c d"],
  ["the same words", "red", "blue", "green", undefined],
  ["one removes what the other changes", "a b c", "a c", "a x c", undefined],
];

for (const [name, base, mine, theirs, text] of cases) {
  test(`EL-2: two texts become one with what each has changed: ${name}`, () => {
    assert.equal(merged(base, mine, theirs), text);
  });
}

test("EL-2: every word that somebody has added is in what becomes of both, or a person is asked", () => {
  const random = seeded(7);
  const below = (/** @type {number} */ count) => Math.floor(random() * count);
  for (let round = 0; round < 400; round += 1) {
    const base = Array.from({ length: below(8) }, () => "abcd"[below(4)]);
    const changed = (/** @type {string} */ own) => {
      const words = [...base];
      for (let times = below(4); times > 0; times -= 1) {
        words.splice(below(words.length + 1), below(2), `${own}${times}`);
      }
      return words.join(" ");
    };
    const [mine, theirs] = [changed("m"), changed("t")];
    const text = merged(base.join(" "), mine, theirs);
    const own = `${mine} ${theirs}`.match(/[mt]\d/g) ?? [];
    for (const word of text === undefined ? [] : own) {
      assert.ok(text?.includes(word), `${base.join(" ")} | ${mine} | ${theirs} | ${text}`);
    }
    assert.ok(own.every((word) => both(mine, theirs).includes(word)));
  }
});

test("EL-2: a text of ten thousand words is put together in less than ten seconds, not in minutes", () => {
  const base = Array.from({ length: 10_000 }, (_, n) => `w${n}`);
  const mine = base.with(1, "mine").join(" ");
  const theirs = base.with(9_998, "theirs").join(" ");
  const begin = performance.now();
  const text = merged(base.join(" "), mine, theirs);
  assert.ok(performance.now() - begin < 10_000);
  assert.ok(text === undefined || (text.includes("mine") && text.includes("theirs")));
  assert.ok(text);
});

test("EL-2: of a text that is too long it is told how many characters are too many", () => {
  const element = { id: "0.1", shape: {}, set: {} };
  assert.equal(excess(element, { text: "a".repeat(400) }, 1_024), 0);
  const over = excess(element, { text: "a".repeat(2_000) }, 1_024);
  assert.equal(excess(element, { text: "a".repeat(2_000 - over) }, 1_024), 0);
  assert.ok(excess(element, { text: "a".repeat(2_001 - over) }, 1_024) > 0);
  const double = { text: "白".repeat(500), meta: { text: "白".repeat(500) } };
  const less = 500 - excess(element, double, 1_024);
  const short = "白".repeat(less);
  assert.equal(excess(element, { text: short, meta: { text: short } }, 1_024), 0);
});
