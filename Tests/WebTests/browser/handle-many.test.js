// What hands carry when it is very much. These tests know no times: they count what is drawn.
import assert from "node:assert/strict";
import { hold, logged, opened, untilLogged } from "../kit/board.js";
import { alike, ink, rested, still } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** Squares in rows, which are more than a picture is made of. */
const COLUMNS = 30;
const ROWS = 10;
const COUNT = COLUMNS * ROWS;

/** @param {Page} page; squares from (200, 200) to (800, 400) of the screen */
async function squares(page) {
  await page.evaluate(
    (/** @type {number} */ columns, /** @type {number} */ count) => {
      const board = /** @type {any} */ (window).theBoard;
      for (let at = 0; at < count; at += 1) {
        const x = -440 + 20 * (at % columns);
        const y = -200 + 20 * Math.floor(at / columns);
        const style = { colour: [200, 40, 32], width: 2 };
        const shape = { type: "rectangle", x, y, width: 14, height: 14, style };
        board.send("elementPut", { id: board.newId(), scene: board.scene, ...shape });
      }
    },
    COLUMNS,
    COUNT,
  );
}

/**
 * Counts how many elements a page draws itself, and how many display lists it makes.
 * @param {Page} page
 */
const count = (page) =>
  page.evaluate(() => {
    const board = /** @type {any} */ (window).theBoard;
    const { stage } = board;
    const counted = { painted: 0, lists: 0 };
    const { marksOf } = stage;
    stage.marksOf = (/** @type {any} */ element) => {
      if (!stage.marks.has(element)) counted.lists += 1;
      return marksOf.call(stage, element);
    };
    const { paint } = board;
    board.paint = (/** @type {any[]} */ ...given) => {
      counted.painted += 1;
      return paint.apply(board, given);
    };
    Object.assign(window, { counted });
  });

/** @param {Page} page; what is under the pointer may have to be found */
async function drawsNone(page) {
  const { painted, lists } = await page.evaluate("counted");
  assert.equal(painted, 0);
  assert.ok(lists < 5, `${lists} display lists are made anew`);
}

const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/** A part of the screen where squares were, and one where they are carried. */
const before = { x: 600, y: 200, width: 150, height: 140 };
const after = { x: 300, y: 520, width: 400, height: 60 };

const way = [spot(500, 300), spot(520, 340), spot(560, 400), spot(580, 460)];

/**
 * @param {import("../kit/test.js").Stage} stage
 */
async function ready(stage) {
  const page = await opened(stage, { reducedMotion: true });
  await hold(page);
  await squares(page);
  await untilLogged(stage, (all) => all.length === COUNT, "all squares");
  await page.until("theBoard.sceneContent.notOnTiles.size === 0");
  return page;
}

/** A page that is loaded now shows the same. */
async function sameAnew(
  /** @type {import("../kit/test.js").Stage} */ stage,
  /** @type {Page} */ page,
) {
  await page.hands.press("Escape");
  await page.hands.move(640, 20);
  await rested(stage);
  const fresh = await opened(stage, { reducedMotion: true });
  await hold(fresh);
  await fresh.hands.move(640, 20);
  await still(page);
  await still(fresh);
  await alike(page, fresh, "carried");
}

browserTest(
  "Dragging 50,000 elements: a picture of the selection moves; no display list is made anew, and nothing is drawn again",
  async (stage) => {
    const page = await ready(stage);
    await page.hands.press("ctrl+a");
    await count(page);
    await page.hands.drag(way, { steady: true, let: false });
    await page.until("theBoard.sceneContent.carried?.layer !== undefined");
    await drawsNone(page);
    assert.equal(await ink(page, before), 0, "nothing where they were");
    assert.ok((await ink(page, after)) > 1_000, "they are where the hand is");
    assert.ok(
      (await logged(stage)).every(({ set }) => set === undefined),
      "nothing is sent yet",
    );
    await page.hands.release();
    const isMoved = (/** @type {any} */ { shape, set }) =>
      set?.x === shape.x + 80 && set.y === shape.y + 160;
    await untilLogged(stage, (all) => all.every(isMoved), "all moved");
    await page.until("theBoard.sceneContent.carried === undefined");
    assert.equal(await page.evaluate("counted.painted"), 0, "no element was drawn by the page");
    await sameAnew(stage, page);
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.every(({ set }) => !set?.x), "one undo takes it back");
  },
);

browserTest(
  "Dragging very many of more elements: the others stay, and are what a page shows that is loaded then",
  async (stage) => {
    const page = await ready(stage);
    for (const [from, to] of [
      [spot(180, 180), spot(795, 355)],
      [spot(420, 340), spot(900, 560)],
    ]) {
      await page.hands.press("Escape");
      await page.hands.drag([from, spot(600, 260), to], { steady: true });
      const chosen = await page.evaluate("theBoard.selection.length");
      assert.ok(chosen >= 200 && chosen < COUNT, `${chosen} are selected`);
      await page.hands.drag(way, { steady: true });
      await page.until("theBoard.sceneContent.carried === undefined");
    }
    await sameAnew(stage, page);
  },
);

browserTest(
  "Alt-drag of very many elements: the picture shows the originals, which stay, and the copies",
  async (stage) => {
    const page = await ready(stage);
    const there = await ink(page, before);
    await page.hands.press("ctrl+a");
    await page.hands.drag(way, { steady: true, let: false, keys: "alt" });
    await page.until("theBoard.sceneContent.carried?.layer !== undefined");
    assert.ok((await ink(page, before)) > 0.9 * there, "the originals are where they were");
    assert.ok((await ink(page, after)) > 1_000, "the copies are where the hand is");
    await page.hands.drag([way[3], spot(584, 464)], { steady: true, let: false, goesOn: true });
    await page.until("theBoard.selected.carriedFrame !== undefined");
    assert.equal(await ink(page, before), 0, "without Alt it is a move");
    await page.hands.drag([way[3], way[3]], {
      steady: true,
      let: false,
      goesOn: true,
      keys: "alt",
    });
    await page.hands.release({ keys: "alt" });
    await untilLogged(stage, (all) => all.length === 2 * COUNT, "copies");
    assert.ok((await logged(stage)).slice(0, COUNT).every(({ set }) => set === undefined));
    await page.until("theBoard.sceneContent.carried === undefined");
    await sameAnew(stage, page);
    assert.ok((await ink(page, before)) > 0.9 * there, "and they stay");
  },
);

browserTest(
  "Dragging very many elements: Escape puts the picture back; what somebody else draws meanwhile is seen",
  async (stage) => {
    const page = await ready(stage);
    const other = await opened(stage, { name: "Wang" });
    await page.hands.press("ctrl+a");
    await page.hands.drag(way, { steady: true, let: false });
    await other.hands.press("r");
    await other.hands.drag([spot(900, 200), spot(950, 220), spot(1000, 260)]);
    await untilLogged(stage, (all) => all.length === COUNT + 1, "Wang's rectangle");
    const drawn = { x: 890, y: 190, width: 120, height: 80 };
    await page.until(
      "[...theBoard.sceneContent.index.entries.values()].length === 301 && theBoard.sceneContent.notOnTiles.size === 0",
    );
    assert.ok((await ink(page, drawn)) > 100);
    await page.hands.press("Escape");
    await page.hands.release();
    assert.ok((await logged(stage)).every(({ set }) => set === undefined));
    await page.hands.press("ctrl+a");
    await page.hands.drag(way, { steady: true });
    const frameOfNothing = `{
      theBoard.select([]);
      theBoard.selected.frame === undefined;
    }`;
    assert.ok(await page.evaluate(frameOfNothing), "the picture's frame is of what was selected");
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.every(({ set }) => set?.x === undefined), "moved back");
    await sameAnew(stage, page);
  },
);

browserTest(
  "Very many elements are stretched and turned as a picture, and are then as a page shows them that is loaded",
  async (stage) => {
    const page = await ready(stage);
    await page.hands.press("ctrl+a");
    for (const handle of ["side?.x === 1 && side.y === 1", "!side"]) {
      const at = await page.evaluate(`theBoard.selected.handles.find(({side}) => ${handle}).at`);
      const from = spot(at.x + 640, at.y + 400);
      await count(page);
      const to = [spot(from.x + 30, from.y + 30), spot(from.x + 90, from.y + 40)];
      await page.hands.drag([from, ...to], { steady: true, let: false });
      await drawsNone(page);
      await page.hands.release();
      await page.until("theBoard.sceneContent.carried === undefined");
    }
    const isTurned = (/** @type {any} */ { set }) => set?.transform !== undefined;
    await untilLogged(stage, (all) => all.every(isTurned), "all are turned");
    await sameAnew(stage, page);
  },
);
