// An exported picture counts from its own corner where numbers of 32 bits would be too coarse.
import assert from "node:assert/strict";
import { test } from "node:test";
import { marksOf } from "../../../Sources/BoardroomWeb/Page/render/display.js";
import { ElementIndex } from "../../../Sources/BoardroomWeb/Page/render/element-index.js";
import { turn } from "../../../Sources/BoardroomWeb/Page/render/geom.js";
import { sceneSVG } from "../../../Sources/BoardroomWeb/Page/render/svg.js";
import { element, strokeAt } from "../kit/drawn.js";

/** @param {number} far pixels from the origin, to the right and down */
function sceneAt(far) {
  const at = { x: far + 10.25, y: far + 20.5, width: 60, height: 40 };
  const middle = { x: far + 40, y: far + 40 };
  const image = { type: "image", src: "https://a.test/b.png", ...at };
  return [
    strokeAt("0.1", [
      [far, far],
      [far + 30.25, far + 12.5],
      [far + 60, far],
    ]),
    element("0.2", { shape: { type: "ellipse", ...at } }),
    element("0.3", { shape: { type: "note", text: "words", ...at } }),
    element("0.4", { shape: { type: "text", text: "words", ...at, transform: turn(0.5, middle) } }),
    element("0.5", { shape: image }),
    element("0.6", { shape: { ...image, transform: turn(0.25, middle) } }),
  ];
}

/** @param {number} far */
function picture(far) {
  const index = new ElementIndex();
  const all = sceneAt(far);
  for (const one of all) index.put(one);
  return sceneSVG(all.flatMap(marksOf), index.box());
}

test("PAGE-2: a picture at a thousand million pixels from the origin is as one that is near", () => {
  const far = picture(1e9);
  const largest = [...far.matchAll(/-?\d+(\.\d+)?/g)].map(([number]) => Math.abs(Number(number)));
  assert.ok(Math.max(...largest) < 2 ** 15, String(Math.max(...largest)));
  const numbers = (/** @type {string} */ svg) =>
    [...svg.matchAll(/-?\d+\.?\d*/g)].map(([number]) => Number(number));
  const [a, b] = [far, picture(1e5)].map(numbers);
  assert.equal(a.length, b.length);
  for (const [at, number] of a.entries()) assert.ok(Math.abs(number - b[at]) < 0.02, `${at}`);
});

test("PAGE-2: a picture that is near counts as the scene does", () => {
  assert.match(picture(100), /viewBox="8\d\.?\d* 8\d/);
});
