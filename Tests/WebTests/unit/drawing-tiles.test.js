import assert from "node:assert/strict";
import { test } from "node:test";
import { SceneContent } from "../../../Sources/BoardroomWeb/Page/board/scene-content.js";
import { marksOf } from "../../../Sources/BoardroomWeb/Page/render/display.js";
import { PainterGroup } from "../../../Sources/BoardroomWeb/Page/render/painter-group.js";
import { TilePainter, visible } from "../../../Sources/BoardroomWeb/Page/render/tile-painter.js";
import { element, FakeCanvas, fakeTiles, strokeAt } from "../kit/drawn.js";
import { FakeRoom } from "../kit/fake-room.js";

Object.assign(globalThis, {
  OffscreenCanvas: FakeCanvas,
  Path2D: class {
    moveTo() {}
    lineTo() {}
    quadraticCurveTo() {}
    closePath() {}
  },
});

function painter(now = () => 0) {
  const tiles = [];
  const made = new TilePainter({ now, answer: ({ tile }) => tile && tiles.push(tile) });
  const see = (x, width) => {
    made.handleMessage({
      do: "see",
      age: 1,
      theme: "light",
      frame: { scale: 1, x, y: 0, width, height: 512 },
    });
  };
  const put = (version, elements, gone = []) =>
    made.handleMessage({ do: "put", version, elements, gone });
  return { made, tiles, see, put, drawn: () => FakeCanvas.drawn };
}

test("M 50,000 elements: what is seen already is not drawn again when the view moves on", () => {
  const { made, tiles, see, put, drawn } = painter();
  put(1, [
    strokeAt("0.1", [
      [10, 10],
      [900, 10],
    ]),
    strokeAt("0.2", [
      [20, 20],
      [30, 30],
    ]),
  ]);
  see(0, 1024);
  made.drawTiles(Infinity);
  const seen = tiles.slice(0, 2).sort((a, b) => a.column - b.column);
  assert.deepEqual(
    seen.map((tile) => [tile.column, tile.row, tile.version, Boolean(tile.bitmap)]),
    [
      [0, 0, 1, true],
      [1, 0, 1, true],
    ],
  );
  assert.equal(tiles.length, 12, "and the ring around them");
  assert.equal(
    tiles.filter(({ column }) => column === 2)[0].bitmap,
    undefined,
    "an empty tile has no pixels",
  );
  const before = drawn();
  see(-512, 1024);
  made.drawTiles(Infinity);
  assert.equal(drawn(), before);
  assert.deepEqual(
    tiles.slice(12).map(({ column }) => column),
    [3, 3, 3],
    "only what was not there",
  );
});

test("what comes on top of a tile is drawn onto it; what goes or changes means drawing it again", () => {
  const { made, tiles, see, put, drawn } = painter();
  put(
    1,
    [1, 2, 3].map((n) =>
      strokeAt(`0.${n}`, [
        [100 + n, 101],
        [109, 109],
      ]),
    ),
  );
  see(0, 512);
  made.drawTiles(Infinity);
  let before = drawn();
  put(2, [
    strokeAt("0.4", [
      [105, 105],
      [106, 109],
    ]),
  ]);
  made.drawTiles(Infinity);
  assert.equal(drawn() - before, 1);
  before = drawn();
  put(3, [], ["0.2"]);
  made.drawTiles(Infinity);
  assert.equal(drawn() - before, 3);
  assert.deepEqual(
    tiles.filter(({ bitmap }) => bitmap).map(({ version }) => version),
    [1, 2, 3],
  );
});

test("what changes out of sight is drawn when it comes into sight", () => {
  const { made, tiles, see, put, drawn } = painter();
  put(1, [
    strokeAt("0.1", [
      [100, 100],
      [109, 109],
    ]),
  ]);
  for (const x of [0, -5120]) {
    see(x, 512);
    made.drawTiles(Infinity);
  }
  const before = drawn();
  put(2, [
    strokeAt("0.2", [
      [100, 100],
      [109, 109],
    ]),
  ]);
  made.drawTiles(Infinity);
  assert.equal(drawn(), before);
  see(0, 512);
  made.drawTiles(Infinity);
  assert.equal(drawn() - before, 2);
  assert.deepEqual(
    tiles.filter(({ bitmap }) => bitmap).map(({ version }) => version),
    [1, 2],
  );
});

test("a slice of time draws a part, and the rest comes with the next", () => {
  let time = 0;
  const { made, tiles, see, put } = painter(() => {
    time += 1;
    return time;
  });
  put(
    1,
    Array.from({ length: 100 }, (_, n) =>
      strokeAt(`0.${n + 1}`, [
        [100 + n, 100],
        [209, 109],
      ]),
    ),
  );
  see(0, 512);
  let slices = 0;
  for (; made.isBusy; slices += 1) {
    made.drawTiles(2);
  }
  assert.ok(slices > 2, `${slices}`);
  assert.equal(tiles.filter(({ bitmap }) => bitmap).length, 1);
});

test("a frame shows the tiles that it touches", () => {
  assert.deepEqual(
    visible({ scale: 1, x: 0, y: 0, width: 512, height: 512 }).map(
      (at) => `${at.column},${at.row}`,
    ),
    ["0,0"],
  );
  assert.equal(visible({ scale: 1, x: -10, y: 10, width: 1024, height: 512 }).length, 6);
});

function content() {
  const room = new FakeRoom();
  const tiles = fakeTiles();
  const made = new SceneContent({
    source: room,
    tiles,
    clock: { now: () => 0 },
    onChanged() {},
    onSceneChange() {},
    marksOf: (one) => marksOf(one),
  });
  return { room, tiles, made };
}

test("M optimistic drawing: an open stroke lies above, and goes to the tiles when it ends", () => {
  const { room, tiles, made } = content();
  const begin = { scene: 1, unit: 0, tool: "pencil", colour: [0, 0, 0], opacity: 255, width: 8 };
  room.send("stroke", { stroke: 1, begin, end: false, dx: [0, 5], dy: [0, 5], dt: [0, 8] });
  made.update(5);
  assert.deepEqual(
    made.above(() => false).map(({ key }) => key),
    ["V0000000"],
  );
  assert.equal(tiles.elements.size, 0);
  room.send("stroke", { stroke: 1, end: true, dx: [5], dy: [0], dt: [8] });
  made.update(5);
  assert.deepEqual([...tiles.elements.keys()], ["0.1"]);
  assert.equal(made.above(() => false).length, 1, "still above until tiles show it");
  assert.equal(made.above(() => true).length, 0);
});

test("M optimistic drawing: what the log answers and looks the same is not drawn again", () => {
  const { room, tiles, made } = content();
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  made.update(5);
  const { version } = tiles;
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  room.tell(["0.1"]);
  made.update(5);
  assert.equal(tiles.version, version);
  assert.equal(made.index.entries.get("0.1")?.element, room.element("0.1"));
});

test("M pages: another scene begins anew; a refused element is gone", () => {
  const { room, tiles, made } = content();
  room.put(element("0.1", { shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } }));
  made.update(5);
  room.all.delete("0.1");
  room.tell(new Set(["0.1"]));
  made.update(5);
  assert.equal(tiles.elements.size, 0);
  room.scene = 2;
  room.put({ id: "0.2", scene: 2, shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  room.tell("all");
  made.update(5);
  assert.equal(tiles.resets, 1);
  assert.deepEqual([...made.index.entries.keys()], ["0.2"]);
});

test("what hands lift leaves the tiles, and lies on them again where it was put", () => {
  const { room, tiles, made } = content();
  room.put({ id: "0.1", shape: { type: "rectangle", x: 0, y: 0, width: 9, height: 9 } });
  made.update(5);
  made.takeOffTiles(["0.1"]);
  assert.equal(tiles.elements.size, 0);
  room.send("elementsChanged", { changes: [{ id: "0.1", set: { x: 100 } }] });
  made.applyChanges();
  made.putBackOnTiles();
  assert.equal(tiles.elements.get("0.1").set.x, 100);
});

test("what hands carry goes to a painter of its own, and back, without being sent again", () => {
  /** @type {any[]} */
  const told = [];
  const group = new PainterGroup({ now: () => 0, answer: (message) => told.push(message) });
  const lines = [1, 2, 3].map((n) => ({
    ...strokeAt(`0.${n}`, [
      [n, 1],
      [n, 9],
    ]),
    key: `V000000${n}`,
  }));
  const ids = (/** @type {number} */ painter) => [...group.painter(painter).index.entries.keys()];
  group.handleMessage({ painter: 1, do: "put", version: 1, elements: lines, gone: [] });
  group.handleMessage({ painter: 1, do: "move", to: 2, version: 2, ids: ["0.2"] });
  assert.deepEqual([ids(1), ids(2)], [["0.1", "0.3"], ["0.2"]]);
  group.handleMessage({ painter: 2, do: "move", to: 1, version: 3 });
  assert.deepEqual([ids(1).sort(), ids(2)], [["0.1", "0.2", "0.3"], []]);
  assert.equal(
    group
      .painter(1)
      .index.all.map(({ key }) => key)
      .join(),
    lines.map(({ key }) => key).join(),
  );
  group.handleMessage({ painter: 1, do: "move", to: 3, version: 4, except: ["0.3"] });
  assert.deepEqual([ids(1), ids(3)], [["0.3"], ["0.1", "0.2"]]);
  assert.deepEqual(told.at(-1), { drawn: 4, painter: 3 }, "nothing of it is in sight");
});

test("elements of which more come are not drawn before the last of them is there", () => {
  const { made, see, drawn } = painter();
  see(0, 512);
  made.drawTiles(Infinity);
  const line = (/** @type {number} */ n) =>
    strokeAt(`0.${n}`, [
      [100 + n, 101],
      [100 + n, 109],
    ]);
  const before = drawn();
  made.handleMessage({ do: "put", version: 2, elements: [line(1)], gone: [], more: true });
  assert.equal(made.isWaiting, true);
  made.handleMessage({ do: "put", version: 3, elements: [line(2)], gone: [] });
  assert.equal(made.isWaiting, false);
  made.drawTiles(Infinity);
  assert.equal(drawn() - before, 2, "each once");
});
