import assert from "node:assert/strict";
import { test } from "node:test";
import { copies } from "../../../Sources/BoardroomWeb/Page/board/edits.js";
import { bentTo, outlineOf, routed } from "../../../Sources/BoardroomWeb/Page/board/routes.js";
import { element } from "../kit/drawn.js";

const box = (/** @type {string} */ id, /** @type {number} */ x, y = 0, more = {}) =>
  element(id, { shape: { type: "rectangle", x, y, width: 100, height: 100, ...more } });

const arrow = (
  /** @type {Record<string, any>} */ style,
  points = [
    [0, 0],
    [10, 10],
  ],
) => element("0.9", { shape: { type: "arrow", x: 0, y: 0, points, style } });

/** @param {any[]} things */
const among = (things) => (/** @type {string} */ id) => things.find((one) => one.id === id);

/** @param {any} set @returns {number[][]} */
const placesOf = ({ x, y, points }) =>
  points.map(([a, b]) => [Math.round((x + a) * 100) / 100, Math.round((y + b) * 100) / 100]);

const middles = {
  start: { element: "0.1", at: [0.5, 0.5] },
  end: { element: "0.2", at: [0.5, 0.5] },
};

test("WEB arrows: an arrow goes from outline to outline, whatever the shapes are", () => {
  const find = among([box("0.1", 0), box("0.2", 300)]);
  assert.deepEqual(placesOf(routed(arrow(middles), find)), [
    [100, 50],
    [300, 50],
  ]);
  const round = among([box("0.1", 0, 0, { type: "ellipse" }), box("0.2", 300, 300)]);
  const [[x, y]] = placesOf(routed(arrow(middles), round));
  assert.ok(Math.abs(Math.hypot(x - 50, y - 50) - 50) < 0.3, `${x}, ${y}`);
});

test("WEB arrows: an end whose shape is gone stays where it is", () => {
  const bound = arrow(middles, [
    [0, 0],
    [400, 80],
  ]);
  assert.deepEqual(placesOf(routed(bound, among([box("0.1", -50, -50)]))), [
    [50, 10],
    [400, 80],
  ]);
  assert.deepEqual(placesOf(routed(bound, among([]))), [
    [0, 0],
    [400, 80],
  ]);
});

test("WEB arrows: a shape that is turned is left at its turned outline", () => {
  const turned = box("0.1", 0);
  turned.set = { transform: [Math.SQRT1_2, Math.SQRT1_2, -Math.SQRT1_2, Math.SQRT1_2, 50, -20.71] };
  const [[x, y]] = placesOf(routed(arrow(middles), among([turned, box("0.2", 300)])));
  const right = Math.max(...outlineOf(turned).map((at) => at.x));
  assert.ok(Math.abs(x - right) < 1 && Math.abs(y - 50) < 1, `${x}, ${y}, ${right}`);
});

test("WEB arrows: an elbow turns in the room between its shapes, across or down", () => {
  const across = arrow({ ...middles, route: "elbow" });
  const find = among([box("0.1", 0), box("0.2", 300, 80)]);
  assert.deepEqual(placesOf(routed(across, find)), [
    [100, 50],
    [200, 50],
    [200, 130],
    [300, 130],
  ]);
  const bent = { ...across, set: bentTo(across, find, { x: 150, y: 90 }) };
  assert.equal(placesOf(routed(bent, find))[1][0], 150);
  const below = among([box("0.1", 0), box("0.2", 20, 300)]);
  assert.deepEqual(placesOf(routed(across, below)), [
    [50, 100],
    [50, 200],
    [70, 200],
    [70, 300],
  ]);
});

test("WEB arrows: a curve goes through the place to which it is bent, and ends at outlines", () => {
  const find = among([box("0.1", 0), box("0.2", 300)]);
  const bent = { ...arrow(middles), set: bentTo(arrow(middles), find, { x: 200, y: 120 }) };
  const set = routed(bent, find);
  const places = placesOf(set);
  assert.equal(set["style.rounded"], true);
  assert.equal(places.length, 17);
  assert.ok(Math.hypot(places[8][0] - 200, places[8][1] - 120) < 1, String(places[8]));
  assert.ok(Math.abs(places[0][0] - 100) < 0.5, String(places[0]));
  assert.ok(Math.abs(places[16][0] - 300) < 0.5, String(places[8]));
  assert.equal(bentTo(bent, find, { x: 200, y: 51 })["style.route"], "straight");
});

test("WEB arrows: copies of an arrow and its shapes are bound to each other, a copy alone to nothing", () => {
  let next = 20;
  const how = { newId: () => `0.${next++}`, scene: 1, x: 10, y: 10 };
  const [one, two, bound] = copies([box("0.1", 0), box("0.2", 300), arrow(middles)], how);
  assert.equal(bound.set["style.start"].element, one.id);
  assert.equal(bound.set["style.end"].element, two.id);
  assert.equal(copies([arrow(middles)], how)[0].set["style.end"], false);
});
