// Taps of several fingers, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FingerTaps } from "../../../Sources/BoardroomWeb/Page/board/finger-taps.js";

const HERE = { x: 100, y: 100 };

/**
 * @param {[what: "down" | "up" | "lost" | "move", id: number, time: number, aside?: number][]} acts
 * @returns how many fingers have tapped
 */
function tapped(acts) {
  const taps = new FingerTaps();
  let count = 0;
  for (const [what, id, time, aside = 0] of acts) {
    const at = { x: HERE.x + 50 * id + aside, y: HERE.y };
    if (what === "down") taps.down(id, at, time);
    if (what === "move") taps.move(id, at);
    if (what === "up" || what === "lost") count += taps.up(id, time, what === "up");
  }
  return count;
}

test("two fingers that go down together and up soon have tapped; so have three", () => {
  const two = tapped([
    ["down", 1, 0],
    ["down", 2, 60],
    ["move", 1, 100, 5],
    ["up", 2, 200],
    ["up", 1, 230],
  ]);
  assert.equal(two, 2);
  const three = tapped([
    ["down", 1, 0],
    ["down", 2, 20],
    ["down", 3, 90],
    ["up", 1, 200],
    ["up", 2, 210],
    ["up", 3, 220],
  ]);
  assert.equal(three, 3);
});

test("fingers that move, come late, stay long, or are taken away have not", () => {
  /** @type {[string, Parameters<typeof tapped>[0]][]} */
  const cases = [
    [
      "moves",
      [
        ["down", 1, 0],
        ["down", 2, 10],
        ["move", 2, 50, 20],
        ["up", 1, 90],
        ["up", 2, 90],
      ],
    ],
    [
      "late",
      [
        ["down", 1, 0],
        ["down", 2, 150],
        ["up", 1, 200],
        ["up", 2, 210],
      ],
    ],
    [
      "long",
      [
        ["down", 1, 0],
        ["down", 2, 10],
        ["up", 1, 100],
        ["up", 2, 600],
      ],
    ],
    [
      "lost",
      [
        ["down", 1, 0],
        ["down", 2, 10],
        ["lost", 1, 50],
        ["up", 2, 60],
      ],
    ],
  ];
  for (const [name, acts] of cases) assert.equal(tapped(acts), 0, name);
});

test("a tap after a pinch counts anew", () => {
  const count = tapped([
    ["down", 1, 0],
    ["down", 2, 10],
    ["move", 2, 50, 80],
    ["up", 1, 300],
    ["up", 2, 310],
    ["down", 1, 400],
    ["down", 2, 420],
    ["up", 1, 500],
    ["up", 2, 510],
  ]);
  assert.equal(count, 2);
});
