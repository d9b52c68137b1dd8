// Arrows around corners: a table of places of two shapes, and what holds for any two.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bendAt,
  bentTo,
  outlineOf,
  routed,
} from "../../../Sources/BoardroomWeb/Page/board/routes.js";
import { chance } from "../kit/doings.js";
import { element } from "../kit/drawn.js";

/** @typedef {[number, number]} Pair */

/**
 * @param {string} id
 * @param {Pair} corner
 * @param {Pair} [size]
 * @param {object} [more]
 */
const box = (id, [x, y], [width, height] = [100, 100], more = {}) =>
  element(id, { shape: { type: "rectangle", x, y, width, height, ...more } });

/**
 * @param {any} first
 * @param {any} last
 * @param {{start?: Pair, end?: Pair, bend?: number}} [how]
 */
function way(first, last, { start = [0.5, 0.5], end = [0.5, 0.5], bend } = {}) {
  const style = {
    route: "elbow",
    start: { element: first.id, at: start },
    end: { element: last.id, at: end },
    ...(bend === undefined ? {} : { bend }),
  };
  const points = [
    [0, 0],
    [1, 1],
  ];
  const arrow = element("0.9", { shape: { type: "arrow", x: 0, y: 0, points, style } });
  const find = (/** @type {string} */ id) => [first, last].find((one) => one.id === id);
  const set = /** @type {any} */ (routed(arrow, find));
  const places = set.points.map((/** @type {Pair} */ [x, y]) => [
    Math.round((set.x + x) * 100) / 100,
    Math.round((set.y + y) * 100) / 100,
  ]);
  return { arrow: { ...arrow, set }, find, places };
}

/** Positions of the second box of 100 x 100; the first one is at 0, 0. */
const table = /** @type {[string, Pair, number[][]][]} */ ([
  [
    "right",
    [300, 0],
    [
      [100, 50],
      [300, 50],
    ],
  ],
  [
    "left",
    [-300, 0],
    [
      [0, 50],
      [-200, 50],
    ],
  ],
  [
    "below",
    [0, 300],
    [
      [50, 100],
      [50, 300],
    ],
  ],
  [
    "above",
    [0, -300],
    [
      [50, 0],
      [50, -200],
    ],
  ],
  [
    "right and a little below",
    [300, 80],
    [
      [100, 50],
      [200, 50],
      [200, 130],
      [300, 130],
    ],
  ],
  [
    "right and below",
    [400, 250],
    [
      [100, 50],
      [250, 50],
      [250, 300],
      [400, 300],
    ],
  ],
  [
    "left and below",
    [-400, 250],
    [
      [0, 50],
      [-150, 50],
      [-150, 300],
      [-300, 300],
    ],
  ],
  [
    "right and above",
    [400, -250],
    [
      [100, 50],
      [250, 50],
      [250, -200],
      [400, -200],
    ],
  ],
  [
    "left and above",
    [-400, -250],
    [
      [0, 50],
      [-150, 50],
      [-150, -200],
      [-300, -200],
    ],
  ],
  [
    "below and right",
    [250, 400],
    [
      [50, 100],
      [50, 250],
      [300, 250],
      [300, 400],
    ],
  ],
  [
    "above and left",
    [-250, -400],
    [
      [50, 0],
      [50, -150],
      [-200, -150],
      [-200, -300],
    ],
  ],
  [
    "near",
    [110, 0],
    [
      [50, 0],
      [50, -20],
      [160, -20],
      [160, 0],
    ],
  ],
  [
    "near, below",
    [0, 110],
    [
      [0, 50],
      [-20, 50],
      [-20, 160],
      [0, 160],
    ],
  ],
  [
    "near, with room for a short one",
    [120, 0],
    [
      [100, 50],
      [120, 50],
    ],
  ],
]);

test("WEB elbows: a table of places: sides, margins and turns", () => {
  for (const [name, corner, places] of table) {
    assert.deepEqual(way(box("0.1", [0, 0]), box("0.2", corner)).places, places, name);
  }
});

/**
 * @param {number[]} from
 * @param {number[]} to
 * @param {any} thing
 * @returns {number} pixels of a line that lie inside of a shape's box
 */
function inside([x1, y1], [x2, y2], { shape: { x, y, width, height } }) {
  const part = (/** @type {number[]} */ ...[a, b, low, high]) =>
    Math.min(Math.max(a, b), high - 1) - Math.max(Math.min(a, b), low + 1);
  const across = part(x1, x2, x, x + width);
  const down = part(y1, y2, y, y + height);
  return across >= 0 && down >= 0 ? Math.max(across, down) : 0;
}

/** @param {number[][]} places @param {any[]} things */
function assertOrdinary(places, things, what = "") {
  const said = `${what} ${JSON.stringify(places)}`;
  for (let at = 1; at < places.length; at += 1) {
    const [[x1, y1], [x2, y2]] = [places[at - 1], places[at]];
    assert.ok(x1 === x2 || y1 === y2, `upright or level: ${said}`);
    assert.ok(x1 !== x2 || y1 !== y2, `each has a length: ${said}`);
    if (at < 2) continue;
    const isTurn = (x1 === x2) !== (places[at - 2][0] === x1);
    assert.ok(isTurn, `it turns at each corner: ${said}`);
  }
  for (const thing of things) {
    for (let at = 1; at < places.length; at += 1) {
      assert.equal(inside(places[at - 1], places[at], thing), 0, `around ${thing.id}: ${said}`);
    }
  }
}

test("WEB elbows: shapes that do not overlap are never crossed; ways have four turns at most", () => {
  const random = chance(7);
  for (let turn = 0; turn < 4_000; turn += 1) {
    const size = () => /** @type {Pair} */ ([20 + random.int(200), 20 + random.int(200)]);
    const first = box("0.1", [0, 0], size());
    const last = box("0.2", [random.int(800) - 400, random.int(800) - 400], size());
    const gap = (/** @type {string} */ at, /** @type {string} */ long) =>
      Math.max(
        last.shape[at] - first.shape[at] - first.shape[long],
        first.shape[at] - last.shape[at] - last.shape[long],
      );
    if (Math.max(gap("x", "width"), gap("y", "height")) < 2) continue;
    const { places } = way(first, last);
    assertOrdinary(places, [first, last], JSON.stringify([first.shape, last.shape]));
    assert.ok(places.length <= 6, "four turns");
  }
});

test("WEB elbows: shapes far enough apart are left at right angles, with a margin, in two turns at most", () => {
  for (let angle = 0; angle < 360; angle += 5) {
    const at = (angle * Math.PI) / 180;
    const corner = /** @type {Pair} */ ([Math.cos(at) * 300, Math.sin(at) * 300]);
    const { places } = way(box("0.1", [0, 0]), box("0.2", corner));
    assertOrdinary(places, [], String(angle));
    assert.ok(places.length <= 4, `${angle}: ${JSON.stringify(places)}`);
    for (const [end, next] of [places.slice(0, 2), places.slice(-2).reverse()]) {
      const straight = Math.hypot(next[0] - end[0], next[1] - end[1]);
      assert.ok(straight >= 10, `${angle}: ${straight} px`);
    }
  }
});

test("WEB elbows: shapes that overlap, or lie in each other, have a way with right angles, too", () => {
  for (let x = -120; x <= 120; x += 15) {
    for (let y = -120; y <= 120; y += 15) {
      const { places } = way(box("0.1", [0, 0]), box("0.2", [x, y]));
      assertOrdinary(places, [], `${x}, ${y}`);
      assert.ok(places.length >= 2 && places.length <= 6, `${x}, ${y}: ${JSON.stringify(places)}`);
    }
  }
  const { places } = way(box("0.1", [0, 0], [400, 400]), box("0.2", [150, 150]));
  assertOrdinary(places, []);
});

test("WEB elbows: an end near an edge of its shape stays at that side, and the way goes round", () => {
  const [first, last] = [box("0.1", [0, 0]), box("0.2", [300, 0])];
  const left = way(first, last, { start: [0.02, 0.5], end: [0.98, 0.5] }).places;
  assertOrdinary(left, [first, last]);
  assert.deepEqual(
    [left[0], left[left.length - 1]],
    [
      [0, 50],
      [400, 50],
    ],
  );
  assert.ok(left[1][0] < 0 && left[left.length - 2][0] > 400, JSON.stringify(left));
  const above = way(first, last, { start: [0.5, 0.02], end: [0.5, 0.5] }).places;
  assert.deepEqual(above[0], [50, 0]);
  assertOrdinary(above, [first, last]);
});

test("WEB elbows: ends are at outlines that are round, turned or hollow", () => {
  for (const type of ["ellipse", "rhombus", "pentagram", "triangle"]) {
    for (const corner of /** @type {Pair[]} */ ([
      [300, 90],
      [-300, 60],
      [40, 300],
      [10, -300],
    ])) {
      const [first, last] = [
        box("0.1", [0, 0], [100, 80], { type }),
        box("0.2", corner, [90, 90], { type }),
      ];
      const { places } = way(first, last);
      for (const [shape, [x, y]] of /** @type {[any, Pair][]} */ ([
        [first, places[0]],
        [last, places[places.length - 1]],
      ])) {
        const ring = outlineOf(shape);
        const away = ring.slice(1).map((to, at) => {
          const from = ring[at];
          const way = { x: to.x - from.x, y: to.y - from.y };
          const square = way.x ** 2 + way.y ** 2 || 1;
          const part = Math.min(
            Math.max(((x - from.x) * way.x + (y - from.y) * way.y) / square, 0),
            1,
          );
          return Math.hypot(x - from.x - part * way.x, y - from.y - part * way.y);
        });
        assert.ok(Math.min(...away) < 0.1, `${type}: ${Math.min(...away)} px from its outline`);
      }
    }
  }
});

test("WEB elbows: the middle is dragged in the room between, and around", () => {
  const [first, last] = [box("0.1", [0, 0]), box("0.2", [300, 80])];
  const { arrow, find } = way(first, last);
  assert.deepEqual(bendAt(arrow, find), { at: { x: 200, y: 90 }, axis: "x" });
  const to = (/** @type {any} */ one, /** @type {Pair} */ [x, y]) =>
    /** @type {any} */ (bentTo(one, find, { x, y }))["style.bend"];
  const dragged = (/** @type {number} */ x) =>
    way(first, last, { bend: to(arrow, [x, 0]) }).places[1][0];
  assert.equal(dragged(150), 150);
  assert.equal(dragged(272.5), 272.5);
  assert.equal(dragged(40), 110, "it stays before the shape");
  assert.equal(dragged(999), 290);
  const [one, other] = [box("0.1", [0, 0]), box("0.2", [105, 0])];
  const around = way(one, other);
  assert.deepEqual(bendAt(around.arrow, around.find)?.axis, "y");
  const bend = /** @type {any} */ (bentTo(around.arrow, around.find, { x: 0, y: -90 }))[
    "style.bend"
  ];
  assert.deepEqual(way(one, other, { bend }).places, [
    [50, 0],
    [50, -90],
    [155, -90],
    [155, 0],
  ]);
  const straight = way(one, box("0.2", [300, 0]));
  assert.equal(bendAt(straight.arrow, straight.find), undefined, "a straight one has none");
});
