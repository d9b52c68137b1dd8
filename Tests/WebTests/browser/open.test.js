// Files that are opened on the board: its own export, Excalidraw's drawings, images.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { board, drawn, hold, logged, menu, opened, openedForSaving } from "../kit/board.js";
import { USUAL_FIELDS } from "../kit/excalidraw.js";
import { removeFolder, temporaryFolder, until } from "../kit/places.js";
import { pixels } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/**
 * @param {import("../kit/test.js").Stage} stage
 * @returns {(name: string, content: string | Buffer) => string} writes a file, and gives its path
 */
function folderOf({ t }) {
  const folder = temporaryFolder("boardroom-open-");
  t.after(() => removeFolder(folder));
  return (name, content) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
}

/**
 * Drops files of the machine at a place.
 * @param {Page} page
 * @param {string[]} files
 * @param {{x: number, y: number}} at
 */
async function dropped(page, files, { x, y }) {
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await page.send("Input.dispatchDragEvent", { type, x, y, data });
  }
}

/** @param {Page} page @param {string} text of a note */
const untilTold = (page, text) =>
  page.until(
    (/** @type {string} */ wanted) =>
      [...document.querySelectorAll(".note")].some((note) => note.textContent?.includes(wanted)),
    [text],
  );

/**
 * Waits until the first page is so; elements may be drawn on another one first.
 * @param {import("../kit/test.js").Stage} stage
 * @param {(elements: any[]) => any} isSo
 * @param {string} what
 * @returns {Promise<any[]>}
 */
const untilLogged = (stage, isSo, what) =>
  until(
    async () => {
      const all = (await logged(stage)).filter(({ scene }) => scene === 1);
      return isSo(all) && all;
    },
    { what, pause: 250, within: 60_000 },
  );

/** @param {any} one of a log @param {string} name */
const styleOf = ({ shape, set = {} }, name) => set[`style.${name}`] ?? shape?.style?.[name];

/**
 * @param {import("../kit/test.js").Stage} stage
 * @returns {Promise<number>} pages of the room
 */
async function pageCount({ server, room }) {
  return (await server.call("GET", `/v5/rooms/${room}/state`)).snapshot.root.scenes.length;
}

/** @type {(colour: number[], data: Uint8Array, at: number) => boolean} */
const isNear = (colour, data, at) =>
  colour.every((level, part) => Math.abs(data[at + part] - level) < 8);

/** @param {Page} page @param {number[]} colour @returns {Promise<number>} pixels */
async function count(page, colour) {
  const { data } = await pixels(page);
  let found = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (isNear(colour, data, at)) found += 1;
  }
  return found;
}

browserTest(
  "Board JSON: what a page exports is opened on another board, with groups, bound arrows, locks and images; one undo takes all back",
  async (stage) => {
    const { page, folder } = await openedForSaving(stage);
    const write = folderOf(stage);
    await dropped(page, [write("dot.png", Buffer.from(DOT, "base64"))], { x: 900, y: 200 });
    await untilLogged(stage, ([one]) => one?.set?.src, "an image is put");
    await drawn(page, "r", [300, 200, 420, 300]);
    await drawn(page, "o", [600, 200, 720, 300]);
    await drawn(page, "a", [360, 250, 660, 250]);
    await drawn(page, "p", [300, 450, 500, 480]);
    await untilLogged(stage, (all) => all.length === 5, "five elements are drawn");
    await page.hands.press("v");
    await page.hands.press("ctrl+a");
    await page.hands.press("ctrl+g");
    await page.hands.press("Escape");
    await page.evaluate(
      `theBoard.select([[...theBoard.source.elements(1)].find((one) => one.shape?.type === "ellipse").id])`,
    );
    await page.evaluate(`theBoard.lock(true)`);
    const before = await untilLogged(
      stage,
      (all) => all.some(({ set }) => set?.locked),
      "one is locked",
    );
    await page.evaluate(`theBoard.select([])`);
    await menu(page, "Export…");
    await page.click(".choice:nth-child(3)");
    await until(() => readdirSync(folder).some((name) => name.endsWith(".json")), {
      what: "JSON is saved",
    });
    const file = join(folder, `boardroom-${stage.room.slice(0, 8)}.json`);
    await until(() => readFileSync(file, "utf8").endsWith("]}\n"), { what: "all of it is saved" });

    const server = await stage.ownServer();
    const there = { ...stage, server };
    const other = await opened(there, { name: "Wang", url: `${server.url}/r/${stage.room}` });
    await hold(other);
    await dropped(other, [file], { x: 640, y: 400 });
    const after = await untilLogged(
      there,
      (all) => all.length === 5 && all.some(({ set }) => set?.locked),
      "all five are there",
    );
    await untilTold(other, "5 elements are on the board.");
    await until(async () => (await pageCount(there)) === 1, {
      what: "the page on which they were drawn is gone",
    });
    const kinds = (/** @type {any[]} */ all) =>
      all.map(({ shape }) => shape?.type ?? "stroke").sort();
    assert.deepEqual(kinds(after), kinds(before));
    const ids = new Set(after.map(({ id }) => id));
    const groups = new Set(after.flatMap((one) => styleOf(one, "groups")));
    assert.equal(groups.size, 1);
    const arrow = after.find(({ shape }) => shape?.type === "arrow");
    for (const end of ["start", "end"])
      assert.ok(ids.has(styleOf(arrow, end).element), `${end} is bound`);
    const image = after.find(({ shape }) => shape?.type === "image");
    assert.match(image.set?.src ?? image.shape.src, new RegExp(`^/v5/rooms/${stage.room}/images/`));
    await other.until(
      async (/** @type {string} */ src) => (await fetch(src)).ok,
      [image.set?.src ?? image.shape.src],
    );
    await other.hands.press("ctrl+z");
    await untilLogged(there, (all) => all.length === 0, "one undo takes all back");
    await other.until(() => window.theBoard.content() === undefined);
    await other.hands.press("ctrl+shift+z");
    await untilLogged(
      there,
      (all) => all.length === 5 && all.some(({ set }) => set?.locked),
      "one redo brings all back",
    );
  },
);

browserTest("A room's state, as this page exported it before, is opened", async (stage) => {
  const page = await opened(stage, { name: "Ana" });
  await hold(page);
  await drawn(page, "r", [300, 200, 420, 300]);
  await drawn(page, "p", [300, 450, 500, 480]);
  await untilLogged(stage, (all) => all.length === 2, "two elements are drawn");
  const state = await stage.server.call("GET", `/v5/rooms/${stage.room}/state`);
  const file = folderOf(stage)("state.json", JSON.stringify(state));
  await dropped(page, [file], { x: 800, y: 500 });
  const all = await untilLogged(stage, (list) => list.length === 4, "they are there twice");
  assert.equal(all.filter(({ stroke }) => stroke).length, 2);
  // The middle of both is where the file was dropped.
  await page.until(() => window.theBoard.selection.length === 2);
  const box = await page.evaluate(`theBoard.selected.box`);
  const { x: left, y: top } = await page.box(".paper");
  const middle = await page.evaluate(
    (/** @type {number[]} */ [x, y]) => window.theBoard.view.toScene({ x, y }),
    [800 - left, 500 - top],
  );
  const away = [(box.left + box.right) / 2 - middle.x, (box.top + box.bottom) / 2 - middle.y];
  assert.ok(Math.hypot(...away) < 12, `it is away by ${away}`);
});

/** A drawing of Excalidraw with all kinds of elements. */
const DRAWING = {
  type: "excalidraw",
  version: 2,
  source: "https://excalidraw.com",
  elements: [
    {
      ...USUAL_FIELDS,
      id: "box",
      type: "rectangle",
      x: 100,
      y: 100,
      width: 200,
      height: 100,
      backgroundColor: "#a5d8ff",
      groupIds: ["g"],
    },
    {
      ...USUAL_FIELDS,
      id: "word",
      type: "text",
      x: 150,
      y: 135,
      width: 100,
      height: 25,
      text: "Begin",
      fontSize: 20,
      textAlign: "center",
      containerId: "box",
      groupIds: ["g"],
    },
    {
      ...USUAL_FIELDS,
      id: "round",
      type: "ellipse",
      x: 500,
      y: 90,
      width: 160,
      height: 120,
      strokeStyle: "dashed",
      strokeColor: "#e03131",
    },
    {
      ...USUAL_FIELDS,
      id: "rhomb",
      type: "diamond",
      x: 300,
      y: 300,
      width: 160,
      height: 120,
      angle: 0.5,
      opacity: 60,
      backgroundColor: "#ffec99",
    },
    {
      ...USUAL_FIELDS,
      id: "way",
      type: "arrow",
      x: 305,
      y: 150,
      width: 190,
      height: 0,
      points: [
        [0, 0],
        [190, 0],
      ],
      endArrowhead: "arrow",
      startBinding: { elementId: "box", focus: 0, gap: 5 },
      endBinding: { elementId: "round", focus: 0, gap: 5 },
    },
    {
      ...USUAL_FIELDS,
      id: "line",
      type: "line",
      x: 100,
      y: 250,
      width: 100,
      height: 40,
      points: [
        [0, 0],
        [50, 40],
        [100, 0],
      ],
      strokeStyle: "dotted",
    },
    {
      ...USUAL_FIELDS,
      id: "free",
      type: "freedraw",
      x: 520,
      y: 300,
      width: 100,
      height: 60,
      points: Array.from({ length: 30 }, (_, n) => [n * 4, 30 + 30 * Math.sin(n / 3)]),
      pressures: [],
      simulatePressure: true,
    },
    {
      ...USUAL_FIELDS,
      id: "text",
      type: "text",
      x: 100,
      y: 420,
      width: 200,
      height: 25,
      text: "A text of its own",
      fontSize: 20,
    },
    {
      ...USUAL_FIELDS,
      id: "image",
      type: "image",
      x: 520,
      y: 400,
      width: 120,
      height: 80,
      fileId: "f",
    },
    { ...USUAL_FIELDS, id: "frame", type: "frame", x: 0, y: 0, width: 10, height: 10 },
  ],
  files: { f: { id: "f", mimeType: "image/png", dataURL: `data:image/png;base64,${DOT}` } },
};

browserTest(
  "Excalidraw: a drawing is dropped, and what cannot be taken over is named; its arrow follows its shape",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await hold(page);
    await drawn(page, "r", [100, 600, 140, 640]);
    await untilLogged(stage, (all) => all.length === 1, "a shape is there already");
    const file = folderOf(stage)("plan.excalidraw", JSON.stringify(DRAWING));
    await dropped(page, [file], { x: 640, y: 380 });
    const all = await untilLogged(
      stage,
      (list) => list.length === 9,
      "eight more elements are there",
    );
    await untilTold(page, "plan.excalidraw: 8 elements are on the board.");
    await untilTold(page, "Not taken over: 1 × frame.");
    const types = all.slice(1).map(({ shape }) => shape?.type ?? "stroke");
    assert.deepEqual(types, [
      "rectangle",
      "ellipse",
      "rhombus",
      "arrow",
      "straight",
      "stroke",
      "text",
      "image",
    ]);
    assert.equal(all[1].shape.text, "Begin");
    const arrow = all[4];
    assert.equal(styleOf(arrow, "start").element, all[1].id);
    assert.equal(styleOf(arrow, "end").element, all[2].id);
    const points = arrow.set.points ?? arrow.shape.points;
    await page.evaluate(`theBoard.select(["${all[2].id}"])`);
    await page.hands.press("shift+ArrowDown");
    await untilLogged(
      stage,
      (list) => {
        const moved = list.find(({ id }) => id === arrow.id);
        return JSON.stringify(moved.set.points ?? points) !== JSON.stringify(points);
      },
      "the arrow follows",
    );
    await page.hands.press("Escape");
    if (process.env.SHOTS)
      writeFileSync(`${process.env.SHOTS}/excalidraw.png`, await page.screenshot());
    await page.hands.press("ctrl+z");
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (list) => list.length === 1, "two undos take all back");
  },
);

browserTest(
  "A file that is refused says what is wrong and where, and puts nothing",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const write = folderOf(stage);
    const drop = (/** @type {string} */ name, /** @type {string} */ text) =>
      dropped(page, [write(name, text)], { x: 600, y: 400 });
    await drop("broken.excalidraw", '{"type":"excalidraw",\n"elements":[}');
    await untilTold(page, "broken.excalidraw is not a drawing: its JSON is broken in line 2");
    await drop("letter.txt", "Dear Ana");
    await untilTold(page, "letter.txt is not a drawing");
    await drop("other.json", '{"name":"package"}');
    await untilTold(page, "other.json is no drawing that this board knows");
    const shape = { type: "rectangle", x: 1e30, y: 0, width: 1, height: 1 };
    await drop(
      "far.json",
      JSON.stringify({ type: "boardroom", version: 1, elements: [{ id: "1.1", shape }] }),
    );
    await untilTold(page, "In far.json, element 1 is wrong: its “x” is missing or out of range.");
    await drop("none.png", "no image");
    await untilTold(page, "This is not an image that can be shown.");
    assert.equal(await pageCount(stage), 1);
    await page.until(board.elements, [0]);
  },
);

browserTest("A vector image that is dropped becomes a PNG, and so runs nothing", async (stage) => {
  const page = await opened(stage, { name: "Ana" });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><script>document.title = "run"</script><rect width="200" height="100" fill="#1f5fd6"/></svg>`;
  await dropped(page, [folderOf(stage)("a.svg", svg)], { x: 640, y: 400 });
  const [image] = await untilLogged(stage, ([one]) => one?.set?.src, "the image is put");
  assert.match(image.set.src, /^\/v5\/rooms\/[0-9a-f]{32}\/images\/[0-9a-f]{64}\.png$/);
  await until(async () => (await count(page, [31, 95, 214])) > 15_000, { what: "it is seen" });
  assert.notEqual(await page.evaluate("document.title"), "run");
});

browserTest(
  "The menu opens a file on an empty page: at its own places, all of it in sight",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await hold(page);
    const shape = { type: "rectangle", width: 400, height: 300, style: { colour: [200, 0, 0] } };
    const elements = [
      { id: "a", shape: { ...shape, x: 5_000, y: 5_000 } },
      { id: "b", shape: { ...shape, x: 9_000, y: 8_000 } },
    ];
    const file = folderOf(stage)(
      "far.json",
      JSON.stringify({ type: "boardroom", version: 1, elements }),
    );
    await page.send("Page.setInterceptFileChooserDialog", { enabled: true });
    await menu(page, "Open a file…");
    await page.choose("input.unseen[type=file]", [file]);
    const all = await untilLogged(stage, (list) => list.length === 2, "both are there");
    assert.deepEqual(
      all.map(({ shape: { x } }) => x),
      [5_000, 9_000],
    );
    await page.until(() => {
      const { view, selected } = window.theBoard;
      const { left, right, top, bottom } = selected.box ?? {
        left: -1e9,
        top: -1e9,
        right: 1e9,
        bottom: 1e9,
      };
      const first = view.toScreen({ x: left, y: top });
      const last = view.toScreen({ x: right, y: bottom });
      return first.x >= 0 && first.y >= 0 && last.x <= view.width && last.y <= view.height;
    });
  },
);

browserTest(
  "A file of 800 elements is opened with a progress, and one undo takes it back",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await hold(page);
    const elements = Array.from({ length: 800 }, (_, at) => ({
      id: String(at),
      shape: {
        type: "rectangle",
        x: (at % 60) * 20,
        y: Math.floor(at / 60) * 20,
        width: 15,
        height: 15,
      },
    }));
    const file = folderOf(stage)(
      "many.json",
      JSON.stringify({ type: "boardroom", version: 1, elements }),
    );
    const begun = Date.now();
    await dropped(page, [file], { x: 640, y: 400 });
    await page.see("dialog progress");
    const [done, seen] = await page.evaluate(async () => {
      const bar = /** @type {HTMLProgressElement} */ (document.querySelector("dialog progress"));
      while (bar.value < 100) await new Promise((next) => requestAnimationFrame(next));
      return [bar.value, window.theBoard.content() ?? null];
    });
    assert.ok(done >= 100);
    assert.equal(seen, null, "nothing is seen before all is there");
    await untilLogged(stage, (list) => list.length === 800, "all are there");
    stage.report(`800 elements: ${Date.now() - begun} ms`);
    await page.until(() => document.querySelector("dialog") === null);
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (list) => list.length === 0, "one undo takes all back");
    assert.equal(await pageCount(stage), 1);
  },
);

browserTest(
  "Closing the progress ends the opening of a file, and nothing is left",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const elements = Array.from({ length: 2_000 }, (_, at) => ({
      id: String(at),
      shape: { type: "rectangle", x: at, y: 0, width: 15, height: 15 },
    }));
    const file = folderOf(stage)(
      "many.json",
      JSON.stringify({ type: "boardroom", version: 1, elements }),
    );
    await dropped(page, [file], { x: 640, y: 400 });
    await page.see("dialog progress");
    await page.hands.press("Escape");
    await until(async () => (await pageCount(stage)) === 1, { what: "the page is gone" });
    await page.until(board.elements, [0]);
  },
);
