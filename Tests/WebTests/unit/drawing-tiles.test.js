import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeCanvas, element, fakeTiles, strokeAt } from "../kit/drawn.js";
import { FakeRoom } from "../kit/fake-room.js";
import { Feed } from "../../../Sources/BoardroomServer/Web/Page/board/feed.js";
import { marksOf } from "../../../Sources/BoardroomServer/Web/Page/core/display.js";
import { TilePainter } from "../../../Sources/BoardroomServer/Web/Page/core/tile-painter.js";
import { visible } from "../../../Sources/BoardroomServer/Web/Page/core/tiles.js";

Object.assign(globalThis, { OffscreenCanvas: FakeCanvas, Path2D: class { moveTo() {} lineTo() {} quadraticCurveTo() {} closePath() {} } });

function painter() {
  const answers = [];
  const made = new TilePainter({ now: () => 0, answer: (message) => answers.push(message) });
  const want = (tiles) => made.take({ do: "want", scale: 1, theme: "light", tiles });
  return { made, answers, want, drawn: () => FakeCanvas.drawn };
}

test("M 50,000 elements: what is seen already is not drawn again when the view moves on", () => {
  const { made, answers, want, drawn } = painter();
  made.take({ do: "put", version: 1, elements: [strokeAt("0.1", [[10, 10], [900, 10]]), strokeAt("0.2", [[20, 20], [30, 30]])], gone: [] });
  want([[0, 0, false], [1, 0, false]]);
  made.work(Infinity);
  assert.deepEqual(answers.map(({ tile }) => [tile.column, tile.version, Boolean(tile.bitmap)]), [[0, 1, true], [1, 1, true]]);
  const before = drawn();
  want([[0, 0, true], [1, 0, true], [2, 0, false]]);
  made.work(Infinity);
  assert.equal(drawn(), before);
  assert.equal(answers.length, 3);
  assert.equal(answers[2].tile.bitmap, undefined, "an empty tile has no pixels");
});

test("what comes on top of a tile is drawn onto it; what goes or changes means drawing it again", () => {
  const { made, answers, want, drawn } = painter();
  made.take({ do: "put", version: 1, elements: [1, 2, 3].map((n) => strokeAt(`0.${n}`, [[n, 1], [9, 9]])), gone: [] });
  want([[0, 0, false]]);
  made.work(Infinity);
  let before = drawn();
  made.take({ do: "put", version: 2, elements: [strokeAt("0.4", [[5, 5], [6, 9]])], gone: [] });
  made.work(Infinity);
  assert.equal(drawn() - before, 1);
  before = drawn();
  made.take({ do: "put", version: 3, elements: [], gone: ["0.2"] });
  made.work(Infinity);
  assert.equal(drawn() - before, 3);
  assert.deepEqual(answers.map(({ tile }) => tile.version), [1, 2, 3]);
});

test("a slice of time draws a part, and the rest comes with the next", () => {
  let time = 0;
  const answers = [];
  const made = new TilePainter({ now: () => (time += 1), answer: (message) => answers.push(message) });
  made.take({ do: "put", version: 1, elements: Array.from({ length: 100 }, (_, n) => strokeAt(`0.${n + 1}`, [[n, 1], [9, 9]])), gone: [] });
  made.take({ do: "want", scale: 1, theme: "light", tiles: [[0, 0, false]] });
  let slices = 0;
  for (; made.isBusy; slices += 1) made.work(2);
  assert.ok(slices > 2, `${slices}`);
  assert.equal(answers.length, 1);
});

test("a frame shows the tiles that it touches", () => {
  assert.deepEqual(visible({ scale: 1, x: 0, y: 0, width: 512, height: 512 }).map((at) => `${at.column},${at.row}`), ["0,0"]);
  assert.equal(visible({ scale: 1, x: -10, y: 10, width: 1024, height: 512 }).length, 6);
});

function feed() {
  const room = new FakeRoom();
  const tiles = fakeTiles();
  const made = new Feed({ source: room, tiles, clock: { now: () => 0 }, onChanged() {}, read: (one) => marksOf(one) });
  return { room, tiles, made };
}

test("M optimistic drawing: an open stroke lies above, and goes to the tiles when it ends", () => {
  const { room, tiles, made } = feed();
  const begin = { scene: 1, unit: 0, tool: "pencil", colour: [0, 0, 0], opacity: 255, width: 8 };
  room.send("stroke", { stroke: 1, begin, end: false, dx: [0, 5], dy: [0, 5], dt: [0, 8] });
  made.work(5);
  assert.deepEqual(made.above(() => false).map(({ key }) => key), ["V0000000"]);
  assert.equal(tiles.elements.size, 0);
  room.send("stroke", { stroke: 1, end: true, dx: [5], dy: [0], dt: [8] });
  made.work(5);
  assert.deepEqual([...tiles.elements.keys()], ["0.1"]);
  assert.equal(made.above(() => false).length, 1, "still above until tiles show it");
  assert.equal(made.above(() => true).length, 0);
});

test("M optimistic drawing: what the log answers and looks the same is not drawn again", () => {
  const { room, tiles, made } = feed();
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  made.work(5);
  const { version } = tiles;
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  room.tell(["0.1"]);
  made.work(5);
  assert.equal(tiles.version, version);
  assert.equal(made.shelf.entries.get("0.1")?.element, room.element("0.1"));
});

test("M pages: another scene begins anew; a refused element is gone", () => {
  const { room, tiles, made } = feed();
  room.put(element("0.1", { shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } }));
  made.work(5);
  room.all.delete("0.1");
  room.tell(new Set(["0.1"]));
  made.work(5);
  assert.equal(tiles.elements.size, 0);
  room.scene = 2;
  room.put({ id: "0.2", scene: 2, shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  room.tell("all");
  made.work(5);
  assert.equal(tiles.resets, 1);
  assert.deepEqual([...made.shelf.entries.keys()], ["0.2"]);
});

test("what hands lift leaves the tiles, and lies on them again where it was put", () => {
  const { room, tiles, made } = feed();
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  made.work(5);
  made.lift(["0.1"]);
  assert.equal(tiles.elements.size, 0);
  room.send("elementsChanged", { changes: [{ id: "0.1", set: { x: 100 } }] });
  made.takeIn();
  made.lower();
  assert.equal(tiles.elements.get("0.1").set.x, 100);
});
