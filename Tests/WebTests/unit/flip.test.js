// What is flipped is the mirror image of what was there, but for its letters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { boxAroundAll, flipped } from "../../../Sources/BoardroomWeb/Page/board/align.js";
import { Bindings } from "../../../Sources/BoardroomWeb/Page/board/bindings.js";
import { changed } from "../../../Sources/BoardroomWeb/Page/board/edits.js";
import { outlineOf, routed } from "../../../Sources/BoardroomWeb/Page/board/routes.js";
import { marksOf } from "../../../Sources/BoardroomWeb/Page/render/display.js";
import { ElementFields } from "../../../Sources/BoardroomWeb/Page/render/fields.js";
import { identity, moved, turn } from "../../../Sources/BoardroomWeb/Page/render/geom.js";
import { element } from "../kit/drawn.js";

/** @typedef {"x" | "y"} Axis */

/**
 * @param {string} id
 * @param {string} type
 * @param {number} x
 * @param {number} y
 * @param {object} [more]
 */
const shape = (id, type, x, y, more = {}) =>
  element(id, { shape: { type, x, y, width: 120, height: 80, ...more } });

/**
 * @param {any[]} things
 * @param {string} id
 * @param {object} style
 */
function arrow(things, id, style) {
  const points = [
    [0, 0],
    [60, 25],
  ];
  const made = element(id, { shape: { type: "arrow", x: 10, y: 20, points, style } });
  return changed(
    made,
    routed(made, (wanted) => things.find((one) => one.id === wanted)),
  );
}

/**
 * @param {any[]} things all that there is
 * @param {any[]} chosen
 * @param {Axis} axis
 * @returns {any[]} all things as they are then
 */
function flip(things, chosen, axis) {
  const entries = new Map(things.map((one) => [one.id, { element: one }]));
  const board = { layers: new Set(), sceneContent: { index: { entries } } };
  const bindings = new Bindings(/** @type {any} */ (board));
  const changes = bindings.withArrows(flipped(chosen, axis));
  return things.map((one) => {
    const sets = changes.filter(({ id }) => id === one.id).map(({ set }) => set);
    return changed(one, Object.assign({}, ...sets));
  });
}

/** @param {any} one */
function placesOf(one) {
  const fields = new ElementFields(one);
  if (!["arrow", "straight"].includes(one.shape?.type)) return outlineOf(one);
  return fields.points.map((at) => moved(fields.transform ?? identity, at));
}

/**
 * @param {any[]} before
 * @param {any[]} after
 * @param {Axis} axis
 * @param {any[]} [around] what lies around the mirror
 */
function assertMirrored(before, after, axis, around = before) {
  const box = boxAroundAll(around);
  const both = axis === "x" ? box.left + box.right : box.top + box.bottom;
  for (const [at, one] of before.entries()) {
    const wanted = placesOf(one).map((place) => ({ ...place, [axis]: both - place[axis] }));
    const there = placesOf(after[at]);
    for (const place of wanted) {
      const nearest = Math.min(...there.map(({ x, y }) => Math.hypot(x - place.x, y - place.y)));
      assert.ok(nearest < 0.6, `${one.shape.type} ${one.id}, ${axis}: ${nearest} px from a corner`);
    }
  }
}

const bound = (/** @type {string} */ to, /** @type {[number, number]} */ at) => ({
  element: to,
  at,
});

const types = ["rectangle", "ellipse", "rhombus", "triangle", "pentagram", "speechBalloon", "note"];

for (const axis of /** @type {Axis[]} */ (["x", "y"])) {
  test(`WEB flip along ${axis}: shapes with the arrows that are bound to them are their mirror image`, () => {
    for (const type of types) {
      for (const route of ["straight", "curve", "elbow"]) {
        const shapes = [
          shape("0.1", type, 0, 0),
          shape("0.2", type, 420, 190, { transform: turn(0.4, { x: 480, y: 230 }) }),
        ];
        const ends = { start: bound("0.1", [0.8, 0.3]), end: bound("0.2", [0.2, 0.6]) };
        const style = { route, ...ends, ...(route === "curve" ? { bend: 0.3 } : {}) };
        const before = [...shapes, arrow(shapes, "0.3", style)];
        assertMirrored(before, flip(before, before, axis), axis);
      }
    }
  });

  test(`WEB flip along ${axis}: what is free is mirrored, and twice flipped is as it was`, () => {
    const curve = { route: "curve", bend: -0.4 };
    const turned = { transform: turn(0.7, { x: 200, y: 100 }) };
    const before = [
      arrow([], "0.1", curve),
      element("0.2", {
        shape: {
          type: "straight",
          x: 100,
          y: 60,
          points: [
            [0, 0],
            [90, 30],
            [40, 80],
          ],
          ...turned,
        },
      }),
      shape("0.3", "image", 300, 20, turned),
      shape("0.4", "speechBalloon", -200, 20),
    ];
    const after = flip(before, before, axis);
    assertMirrored(before, after, axis);
    assert.equal(new ElementFields(after[0]).style("bend"), 0.4);
    // Where the arrow is laid anew, it is where it was.
    const anew = changed(
      after[0],
      routed(after[0], () => undefined),
    );
    assertMirrored([before[0]], [anew], axis, before);
    const again = flip(after, after, axis);
    for (const [at, one] of before.entries()) {
      for (const [n, place] of placesOf(one).entries()) {
        const there = placesOf(again[at])[n];
        assert.ok(Math.hypot(there.x - place.x, there.y - place.y) < 0.6, `${one.id}`);
      }
    }
  });

  test(`WEB flip along ${axis}: letters are not mirrored`, () => {
    const words = [
      shape("0.1", "text", 0, 0, { text: "words", transform: turn(0.5, { x: 60, y: 40 }) }),
      shape("0.2", "rectangle", 300, 0, { text: "label", transform: turn(1, { x: 360, y: 40 }) }),
      shape("0.3", "triangle", 600, 0, { text: "label" }),
      shape("0.4", "speechBalloon", 900, 0, { text: "label" }),
      element("0.5", {
        shape: {
          type: "arrow",
          x: 0,
          y: 300,
          text: "label",
          points: [
            [0, 0],
            [90, 40],
          ],
          transform: turn(0.3, { x: 0, y: 300 }),
        },
      }),
    ];
    for (const one of flip(words, words, axis)) {
      for (const mark of marksOf(one)) {
        if (mark.op !== "text") continue;
        const [a, b, c, d] = mark.place ?? identity;
        assert.ok(a * d - b * c > 0, `${one.id} is not mirrored`);
      }
    }
  });

  test(`WEB flip along ${axis}: an arrow stays bound to a shape that is not flipped, or is free without its shapes`, () => {
    const shapes = [shape("0.1", "rectangle", 0, 0), shape("0.2", "rectangle", 400, 200)];
    const ends = { start: bound("0.1", [0.8, 0.3]), end: bound("0.2", [0.5, 0.5]) };
    const before = [...shapes, arrow(shapes, "0.3", { route: "curve", bend: 0.3, ...ends })];
    const [, , one] = flip(before, [before[0], before[2]], axis);
    const fields = new ElementFields(one);
    assert.deepEqual(fields.style("end"), ends.end);
    assert.notDeepEqual(fields.style("start").at, ends.start.at);
    const last = placesOf(one)[placesOf(one).length - 1];
    assert.ok(last.x > 399 && last.x < 521 && last.y > 199 && last.y < 281, JSON.stringify(last));
    const alone = flip(before, [before[2]], axis);
    assertMirrored([before[2]], [alone[2]], axis);
    assert.equal(new ElementFields(alone[2]).style("start"), false);
    assert.deepEqual(
      alone.slice(0, 2),
      before.slice(0, 2).map((it) => changed(it, {})),
    );
  });
}
