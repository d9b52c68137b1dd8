// Files that are opened: what becomes of their elements, and what is said of broken ones.
import assert from "node:assert/strict";
import { test } from "node:test";
import { renamed } from "../../../Sources/BoardroomWeb/Page/board/insert.js";
import {
  FileProblem,
  MOST_ELEMENTS,
  readFile,
} from "../../../Sources/BoardroomWeb/Page/board/read-file.js";
import { fileText, itemOf, roomMark } from "../../../Sources/BoardroomWeb/Page/ui/board-file.js";
import { USUAL_FIELDS } from "../kit/excalidraw.js";

/** @param {string} colour */
const levels = (colour) => {
  if (colour === "transparent") return [0, 0, 0, 0];
  const parts = colour.slice(1).match(/../g);
  return parts ? [...parts.slice(0, 3).map((one) => parseInt(one, 16)), 255] : undefined;
};

/** @param {any[]} elements @param {any} [files] */
const drawing = (elements, files = {}) =>
  readFile(JSON.stringify({ type: "excalidraw", version: 2, elements, files }), levels);

const base = {
  ...USUAL_FIELDS,
  x: 100,
  y: 50,
  width: 200,
  height: 100,
};

/**
 * @param {string} text
 * @param {string} word
 * @param {any} [values]
 */
function refuses(text, word, values = {}) {
  try {
    readFile(text, levels);
  } catch (why) {
    assert.ok(why instanceof FileProblem);
    assert.equal(why.word, word);
    assert.deepEqual(why.values, values);
    return;
  }
  assert.fail(`${word} was expected`);
}

test("Excalidraw: boxes keep colours, dashes, fill, opacity, corners, groups, locks and angle", () => {
  const { items, lost } = drawing([
    {
      ...base,
      id: "a",
      type: "diamond",
      strokeColor: "#ff0000",
      backgroundColor: "#00ff00",
      strokeStyle: "dashed",
      opacity: 50,
      strokeWidth: 4,
      roundness: { type: 2 },
      groupIds: ["inner", "outer"],
      locked: true,
      angle: Math.PI / 2,
    },
  ]);
  const [{ shape, set }] = items;
  assert.deepEqual(shape, {
    type: "rhombus",
    x: 100,
    y: 50,
    width: 200,
    height: 100,
    style: {
      colour: [255, 0, 0],
      width: 4,
      opacity: 0.5,
      fill: [0, 255, 0],
      strokeType: "longDotted",
      rounded: true,
    },
  });
  assert.deepEqual(set?.["style.groups"], ["inner", "outer"]);
  assert.equal(set?.locked, true);
  assert.deepEqual(set?.transform, [0, 1, -1, 0, 300, -100]);
  assert.equal(lost.size, 0);
});

test("Excalidraw: a label becomes part of its shape, and arrows are bound where they point", () => {
  const { items } = drawing([
    { ...base, id: "box", type: "rectangle" },
    {
      ...base,
      id: "label",
      type: "text",
      text: "two\nlines",
      fontSize: 24,
      textAlign: "center",
      containerId: "box",
      strokeColor: "#0000ff",
    },
    {
      ...base,
      id: "arrow",
      type: "arrow",
      x: 0,
      y: 75,
      points: [
        [0, 0],
        [95, 0],
      ],
      endArrowhead: "arrow",
      startArrowhead: null,
      startBinding: null,
      endBinding: { elementId: "box", focus: 0, gap: 5 },
    },
  ]);
  const [box, arrow] = items.map(({ shape }) => shape);
  assert.equal(items.length, 2);
  assert.equal(box?.text, "two\nlines");
  assert.equal(box?.size, 24);
  assert.deepEqual(box?.style.textColor, [0, 0, 255]);
  assert.equal(box?.style.align, "center");
  // The arrow goes on at the same height, to the middle of the width.
  assert.deepEqual(arrow?.style.end, { element: "box", at: [0.5, 0.25] });
  assert.equal(arrow?.style.start, undefined);
});

test("Excalidraw: an arrow with a head at its beginning only is turned round", () => {
  const { items } = drawing([
    {
      ...base,
      id: "arrow",
      type: "arrow",
      points: [
        [0, 0],
        [50, 20],
      ],
      startArrowhead: "triangle",
      endArrowhead: null,
    },
  ]);
  assert.deepEqual(items[0].shape?.points, [
    [50, 20],
    [0, 0],
  ]);
});

test("Excalidraw: free-hand lines are strokes of steps of a 16th of a pixel, with their pressure", () => {
  const { items } = drawing([
    {
      ...base,
      id: "pen",
      type: "freedraw",
      points: [
        [0, 0],
        [10, 0.5],
      ],
      pressures: [0.5, 1],
      simulatePressure: false,
      strokeWidth: 1,
    },
  ]);
  const { begin, segments } = /** @type {any} */ (items[0].stroke);
  assert.deepEqual(begin, {
    unit: -4,
    tool: "pencil",
    colour: [30, 30, 30],
    opacity: 255,
    width: 17,
  });
  assert.deepEqual(segments, [{ dx: [1600, 160], dy: [800, 8], dt: [0, 8], dp: [512, 511] }]);
});

test("Excalidraw: what is not taken over is counted by what it is", () => {
  const { items, lost } = drawing([
    { ...base, id: "a", type: "frame" },
    { ...base, id: "b", type: "constructor" },
    { ...base, id: "c", type: "image", fileId: "gone" },
    {
      ...base,
      id: "d",
      type: "rectangle",
      link: "https://a.test",
      fillStyle: "hachure",
      backgroundColor: "#aaaaaa",
    },
    { ...base, id: "e", type: "rectangle", isDeleted: true },
  ]);
  assert.equal(items.length, 2);
  assert.deepEqual(Object.fromEntries(lost), {
    frame: 1,
    other: 1,
    image: 1,
    link: 1,
    hatching: 1,
  });
});

test("A file that is refused says what is wrong, and where", () => {
  const broken = (
    /** @type {string} */ text,
    /** @type {number} */ line,
    /** @type {number} */ column,
  ) => refuses(text, "file.notJSON", { line, column });
  broken("hello", 1, 1);
  broken("", 1, 1);
  broken('{"type":\n "boardroom",, }', 2, 14);
  broken('{"a": [1, 2,]}', 1, 13);
  broken('{"a": tru}', 1, 7);
  broken('{"a": {"b": "c}}', 1, 13);
  broken('{"a": 1} 2', 1, 10);
  broken('{"a" 1}', 1, 6);
  broken('{"a": [1', 1, 9);
  broken('{"a": "x\ny"}', 1, 7);
  refuses('{"type":"drawing"}', "file.unknown");
  refuses("[]", "file.unknown");
  refuses('{"type":"boardroom","version":1,"elements":[]}', "file.empty");
  refuses('{"type":"boardroom","version":2,"elements":[]}', "file.version");
  const shape = { type: "rectangle", x: 0, y: 0, width: 1, height: 1 };
  const file = (/** @type {any[]} */ elements) =>
    JSON.stringify({ type: "boardroom", version: 1, elements });
  const wrong = (/** @type {any} */ one, /** @type {string} */ what) =>
    refuses(
      file([
        { id: "a", shape },
        { id: "b", ...one },
      ]),
      "file.element",
      { number: 2, what },
    );
  wrong({ shape: { ...shape, x: "1" } }, "x");
  wrong({ shape: { ...shape, type: "__proto__" } }, "type");
  wrong({ shape: { type: "arrow", x: 0, y: 0, points: [[0, 0]] } }, "points");
  wrong({ shape, set: { colour: 1 } }, "colour");
  wrong({ stroke: { begin: { unit: 99 } } }, "colour");
  wrong({}, "type");
  refuses(file([null]), "file.element", { number: 1, what: "id" });
  refuses(
    file([
      { id: "a", shape },
      { id: "a", shape },
    ]),
    "file.twice",
  );
  const many = Array.from({ length: MOST_ELEMENTS + 1 }, (_, at) => ({ id: String(at), shape }));
  refuses(file(many), "file.tooMany", { count: MOST_ELEMENTS + 1, most: MOST_ELEMENTS });
});

test("What is exported is read again, with new ids in groups and at the ends of arrows", () => {
  const element = (
    /** @type {string} */ id,
    /** @type {any} */ shape,
    /** @type {any} */ set = {},
  ) =>
    /** @type {any} */ ({
      id,
      member: 1,
      number: 1,
      place: 1,
      scene: 1,
      shape: { id, scene: 1, ...shape },
      set,
    });
  const box = { type: "rectangle", x: 0, y: 0, width: 9, height: 9 };
  const things = [
    element("1.1", box, { "style.groups": ["1.9"], order: "Z", locked: true }),
    element("1.2", box, { "style.groups": ["1.9"] }),
    element("1.3", {
      type: "arrow",
      x: 0,
      y: 0,
      points: [
        [0, 0],
        [5, 5],
      ],
      style: { start: { element: "1.1", at: [0.5, 0.5] }, end: { element: "7.7", at: [0, 0] } },
    }),
  ];
  const text = fileText(things.map(itemOf), new Map([["a", "data:,"]]), "room");
  const { items, images } = readFile(text, levels);
  assert.deepEqual(
    items.map(({ id }) => id),
    ["1.1", "1.2", "1.3"],
  );
  assert.equal(images.get("a"), "data:,");
  let last = 100;
  const [first, second, arrow] = renamed(items, () => `5.${++last}`);
  assert.deepEqual([first.id, second.id, arrow.id], ["5.101", "5.102", "5.103"]);
  assert.deepEqual(first.set, { "style.groups": ["5.104"] });
  assert.deepEqual(second.set, { "style.groups": ["5.104"] });
  assert.deepEqual(arrow.set, {
    "style.start": { element: "5.101", at: [0.5, 0.5] },
    "style.end": false,
  });
});

test("A stroke whose points are no lists, or are missing, is named as wrong", () => {
  const begin = { unit: -4, tool: "pencil", colour: [0, 0, 0], opacity: 255, width: 8 };
  const whole = { dx: [1], dy: [1], dt: [0] };
  for (const other of [null, 7, { dx: [] }, { ...whole, dt: undefined }, { ...whole, dp: "1" }]) {
    const elements = [{ id: "a", stroke: { begin, ended: true, segments: [whole, other] } }];
    const text = JSON.stringify({ type: "boardroom", version: 1, elements });
    assert.throws(
      () => readFile(text, levels),
      (/** @type {any} */ why) => why instanceof FileProblem && why.values.what === "segments",
    );
  }
});

test("A mark knows a room again, and says less than its uuid", () => {
  const room = "0123456789abcdef0123456789abcdef";
  assert.equal(roomMark(room), roomMark(room));
  assert.match(roomMark(room), /^[0-9a-f]{12}$/);
  assert.notEqual(roomMark(room), roomMark(`${room.slice(1)}0`));
  assert.ok(!room.includes(roomMark(room)));
});
