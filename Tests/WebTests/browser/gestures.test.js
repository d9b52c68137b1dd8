// Gestures and keys that users of other boards know, with real hands: the view, selecting, drawing,
// resizing. Each row of WEB's table that names one of these tests is a part of it.
import assert from "node:assert/strict";
import { drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const set = (/** @type {any} */ one) => one?.set ?? {};
const now = (/** @type {any} */ one) => ({ ...one.shape, ...set(one) });
const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/**
 * @param {Page} page
 * @param {[number, number]} from
 * @param {[number, number]} to
 * @param {object} [how]
 */
const drag = (page, [x, y], [right, down], how = {}) =>
  page.hands.drag([spot(x, y), spot((x + right) / 2, (y + down) / 2), spot(right, down)], {
    steady: true,
    ...how,
  });

/** @param {Page} page @returns {Promise<{x: number, y: number, scale: number}>} */
const camera = (page) => page.evaluate("({...theBoard.view.camera})");

/** @param {Page} page @param {string} type @param {string} key @param {number} code */
const key = (page, type, key, code) =>
  page.send("Input.dispatchKeyEvent", {
    type,
    key: key === "Space" ? " " : key,
    code: key,
    windowsVirtualKeyCode: code,
  });

browserTest(
  "Gestures of the view: Space, middle button, hand, wheel, Shift and Ctrl with it, + and -, the number",
  async (stage) => {
    const page = await opened(stage, { reducedMotion: true });
    await hold(page);
    const moves = async (
      /** @type {() => Promise<unknown>} */ act,
      /** @type {number[]} */ by,
      what = "",
    ) => {
      const before = await camera(page);
      await act();
      const isElsewhere = `theBoard.view.camera.x !== ${before.x} || theBoard.view.camera.y !== ${before.y}`;
      await page.until(isElsewhere).catch(async (error) => {
        const { tool, drawn } = await page.evaluate(
          "({ tool: theBoard.tool, drawn: theBoard.sceneContent.index.entries.size })",
        );
        throw new Error(`${what}: with the tool ${tool}, ${drawn} drawn: ${error.message}`);
      });
      const { x, y, scale } = await camera(page);
      assert.deepEqual([x - before.x, y - before.y, scale], [...by, before.scale], what);
    };
    await page.hands.press("p");
    await moves(
      async () => {
        await key(page, "rawKeyDown", "Space", 32);
        await drag(page, [500, 300], [600, 350]);
        await key(page, "keyUp", "Space", 32);
      },
      [-100, -50],
      "Space",
    );
    await page.hands.press("h");
    await page.until('theBoard.tool === "hand"');
    await moves(() => drag(page, [500, 300], [450, 300]), [50, 0], "hand");
    await moves(() => page.hands.wheel(640, 400, 0, 120), [0, 120], "wheel");
    await moves(() => page.hands.wheel(640, 400, 0, 120, "shift"), [120, 0], "Shift and wheel");
    assert.deepEqual(await logged(stage), [], "nothing is drawn");
    const under = () => page.evaluate("theBoard.view.toScene({ x: 300, y: 200 })");
    const place = await under();
    await page.hands.wheel(300, 200, 0, -120, "ctrl");
    await page.until("theBoard.view.scale > 1.1");
    const there = await under();
    assert.ok(Math.hypot(there.x - place.x, there.y - place.y) < 0.01, "zooms at the pointer");
    const { scale } = await camera(page);
    await page.hands.press("-");
    await page.until(`theBoard.view.scale < ${scale}`);
    const { scale: smaller } = await camera(page);
    await page.hands.press("+");
    await page.until(`theBoard.view.scale > ${smaller}`);
    await page.click(".zoom");
    await page.until("theBoard.view.scale === 1");
    await moves(
      () => drag(page, [500, 300], [560, 330], { button: "middle" }),
      [-60, -30],
      "middle",
    );
  },
  { timeout: 300_000 },
);

browserTest(
  "The middle button moves the view and pastes nothing of what is marked elsewhere",
  async (stage) => {
    const page = await opened(stage, { reducedMotion: true });
    await hold(page);
    // On Linux the words marked last, in any window, are what a middle button would paste.
    await page.hands.press("t");
    await page.hands.click(300, 300);
    await page.until("theBoard.editor !== undefined");
    await page.hands.type("marked");
    await page.hands.press("ctrl+a");
    await page.hands.press("Escape");
    const count = (await logged(stage)).length;
    await page.evaluate(`{
      globalThis.pastes = 0;
      document.addEventListener("paste", () => { globalThis.pastes += 1; }, { capture: true });
    }`);
    const { x } = await camera(page);
    await drag(page, [500, 300], [560, 330], { button: "middle" });
    await page.until(`theBoard.view.camera.x === ${x - 60}`);
    await page.hands.press("h");
    await page.until('theBoard.tool === "hand"');
    const { pastes, editor } = await page.evaluate(
      "({ pastes: globalThis.pastes, editor: theBoard.editor !== undefined })",
    );
    assert.deepEqual({ pastes, editor }, { pastes: 0, editor: false });
    assert.equal((await logged(stage)).length, count, "nothing is pasted");
  },
);

browserTest(
  "Gestures of selecting: marquee, Shift adds and takes away, Ctrl+A, Escape, click on the paper, what is locked",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    for (const left of [300, 500, 700]) await drawn(page, "r", [left, 250, left + 100, 350]);
    const chosen = (/** @type {string[]} */ ...ids) =>
      page.until(`theBoard.selection.join() === ${JSON.stringify(ids.join())}`);
    await page.hands.press("Escape");
    await drag(page, [280, 230], [420, 370]);
    await chosen("0.1");
    await drag(page, [480, 230], [620, 370], { keys: "shift" });
    await chosen("0.1", "0.2");
    await page.hands.drag([spot(700, 300), spot(700, 300)], { keys: "shift" });
    await chosen("0.1", "0.2", "0.3");
    await page.hands.drag([spot(500, 300), spot(500, 300)], { keys: "shift" });
    await chosen("0.1", "0.3");
    await page.hands.click(900, 600);
    await chosen();
    await page.hands.click(700, 300);
    await page.hands.press("ctrl+shift+L");
    await untilLogged(stage, (all) => set(all[2]).locked, "one is locked");
    await page.hands.press("Escape");
    await drag(page, [280, 230], [820, 370]);
    await chosen("0.1", "0.2");
    await page.hands.press("Escape");
    await page.hands.press("ctrl+a");
    await chosen("0.1", "0.2");
    await page.hands.press("e");
    await drag(page, [760, 200], [760, 400]);
    assert.equal((await logged(stage)).length, 3, "the eraser leaves what is locked");
    // Whatever is done to several of which one is locked: it stays.
    await page.hands.press("v");
    const before = (await logged(stage))[2];
    for (const keys of [
      "shift+h",
      "shift+v",
      "alt+a",
      "alt+s",
      "alt+shift+h",
      "ctrl+]",
      "ctrl+shift+[",
      "ArrowLeft",
      "ctrl+g",
      "Delete",
    ]) {
      await page.evaluate("theBoard.select(['0.1', '0.2', '0.3'])");
      await page.hands.press(keys);
    }
    await page.evaluate("theBoard.select(['0.3'])");
    await page.evaluate("theBoard.style = { colour: [200, 40, 32] }");
    await untilLogged(stage, (all) => all.length === 1, "the others are gone");
    assert.deepEqual(await logged(stage), [before]);
  },
  { timeout: 300_000 },
);

browserTest(
  "Gestures of drawing: Shift for even ones, Alt from the middle, a click, the tool afterwards, and one that is kept",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    const boxes = async (/** @type {number} */ count) =>
      (await untilLogged(stage, (all) => all.length === count, `${count}`)).map(now);
    await page.hands.press("r");
    await drag(page, [300, 200], [400, 230], { keys: "shift" });
    const [square] = await boxes(1);
    assert.deepEqual([square.width, square.height], [100, 100]);
    assert.equal(await page.evaluate("theBoard.tool"), "select");
    await page.hands.press("o");
    await drag(page, [600, 300], [650, 330], { keys: "alt" });
    const [, round] = await boxes(2);
    assert.deepEqual([round.x, round.y, round.width, round.height], [-90, -130, 100, 60]);
    await page.hands.press("l");
    await drag(page, [300, 500], [400, 503], { keys: "shift" });
    const [, , line] = await boxes(3);
    assert.equal(line.points[0][1], line.points[1][1], "level");
    await page.hands.press("r");
    await page.hands.click(800, 500);
    const [, , , standard] = await boxes(4);
    assert.deepEqual([standard.width, standard.height], [120, 80]);
    await page.hands.press("Escape");
    await page.hands.drag([spot(900, 700), spot(900, 700)], { button: "right" });
    await page.see(".context-menu");
    await page.hands.press("k");
    await page.hands.press("Enter");
    await page.until("theBoard.keepsTool");
    await page.hands.press("r");
    await drag(page, [200, 600], [250, 650]);
    await drag(page, [300, 600], [350, 650]);
    await boxes(6);
    assert.equal(await page.evaluate("theBoard.tool"), "rectangle");
  },
  { timeout: 300_000 },
);

browserTest(
  "Gestures of resizing: Shift keeps proportions, Alt from the middle, turning by 15°; keys copy, paste, erase",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 200, 600, 300]);
    const one = async (/** @type {(one: any) => boolean} */ isSo) =>
      now((await untilLogged(stage, ([first]) => first && isSo(now(first)), "it is so"))[0]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    await drag(page, [606, 306], [706, 316], { keys: "shift" });
    const larger = await one(({ width }) => width > 250);
    assert.ok(Math.abs(larger.width / larger.height - 2) < 0.01, "twice as wide as high");
    await page.hands.press("ctrl+z");
    await one(({ width }) => width === 200);
    await drag(page, [606, 250], [656, 250], { keys: "alt" });
    const both = await one(({ width }) => width === 300);
    assert.equal(both.x, -290);
    await page.hands.press("ctrl+z");
    await one(({ width }) => width === 200);
    await drag(page, [500, 168], [545, 175], { keys: "shift" });
    const { transform } = await one((first) => first.transform !== undefined);
    const angle = (Math.atan2(transform[1], transform[0]) * 180) / Math.PI;
    assert.ok(Math.abs(angle - 30) < 0.01, `${angle}°`);
    await page.hands.press("ctrl+c");
    await page.hands.press("ctrl+v");
    await untilLogged(stage, (all) => all.length === 2, "pasted");
    await page.hands.press("Delete");
    await untilLogged(stage, (all) => all.length === 1, "erased");
    await page.hands.press("ctrl+a");
    await page.hands.press("Backspace");
    await untilLogged(stage, (all) => all.length === 0, "erased");
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.length > 0, "undone");
    await page.hands.press("ctrl+y");
    await untilLogged(stage, (all) => all.length === 0, "done again");
  },
  { timeout: 300_000 },
);
