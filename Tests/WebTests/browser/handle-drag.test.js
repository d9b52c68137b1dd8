// What a drag does besides moving: copies, axes, guides, the edge of the screen; and the view.
import assert from "node:assert/strict";
import { drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

const set = (/** @type {any} */ one) => one?.set ?? {};
const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/** @param {any} one @returns {any} what it is now */
const now = (one) => ({ ...one.shape, ...set(one) });

/**
 * @param {number} x
 * @param {number} y
 * @param {number} right
 * @param {number} down
 */
const way = (x, y, right, down) => [
  spot(x, y),
  spot(x + right / 3, y + down / 3),
  spot(x + right, y + down),
];

browserTest(
  "Alt-drag copies: the original stays, the copy is selected, one undo takes it away; Alt may come later",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 350]);
    await page.hands.drag(way(400, 272, 200, 100), { steady: true, keys: "alt", let: false });
    const state = () => page.evaluate("theBoard.source.element('0.1').set ?? null");
    assert.equal(await state(), null);
    await page.hands.release({ keys: "alt" });
    const [first, copy] = await untilLogged(stage, (all) => all.length === 2, "a copy");
    assert.equal(first.set, undefined, "the original stays");
    assert.deepEqual([now(copy).x, now(copy).y], [first.shape.x + 200, first.shape.y + 100]);
    assert.deepEqual(await page.evaluate("theBoard.selection"), [copy.id]);
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.length === 1, "one undo");
    await page.hands.drag(way(400, 272, 150, 0), { steady: true, let: false });
    await page.hands.drag([spot(550, 272), spot(560, 272)], {
      steady: true,
      goesOn: true,
      keys: "alt",
    });
    const again = await untilLogged(stage, (all) => all.length === 2, "Alt at the end");
    assert.equal(again[0].set, undefined);
    assert.equal(now(again[1]).x, first.shape.x + 160);
    assert.equal(await page.evaluate("theBoard.sceneContent.offTiles.size"), 0);
  },
);

browserTest("Shift while dragging moves along one axis only", async (stage) => {
  const page = await opened(stage);
  await hold(page);
  await drawn(page, "r", [400, 250, 500, 350]);
  await page.hands.drag(way(400, 272, 200, 30), { steady: true, keys: "shift" });
  const [one] = await untilLogged(stage, ([first]) => set(first).x !== undefined, "it moved");
  assert.deepEqual([now(one).x, now(one).y], [one.shape.x + 200, one.shape.y]);
});

browserTest(
  "Snapping: with Ctrl what is moved stops in line with others, and guides show why; without it does not",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 200, 500, 300]);
    await drawn(page, "r", [700, 450, 760, 510]);
    await page.hands.drag(way(700, 462, -104, -247), { steady: true, let: false });
    assert.deepEqual(await page.evaluate("theBoard.snapping.guides"), [], "not without Ctrl");
    await page.hands.drag([spot(597, 216), spot(596, 215)], {
      steady: true,
      goesOn: true,
      let: false,
      keys: "ctrl",
    });
    const guides = await page.evaluate("theBoard.snapping.guides");
    assert.equal(guides[0].axis, "x");
    assert.equal(guides[0].at, -200, "along the upper edge of the other");
    assert.deepEqual([guides[0].from, guides[0].to], [-240, 16]);
    await page.hands.release({ keys: "ctrl" });
    const [first, moved] = await untilLogged(stage, ([, one]) => set(one).x, "it moved");
    assert.deepEqual([now(moved).x, now(moved).y], [moved.shape.x - 104, first.shape.y]);
    assert.deepEqual(await page.evaluate("theBoard.snapping.guides"), [], "and are gone then");
  },
);

browserTest(
  "Snapping: an edge that is pulled, a corner that is drawn, and gaps that become the same",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 200, 500, 300]);
    await drawn(page, "r", [400, 400, 480, 460]);
    const east = await page.evaluate(
      "theBoard.selected.handles.find(({side}) => side?.x === 1 && side.y === 0).at",
    );
    const x = east.x + 640;
    const y = east.y + 400;
    await page.hands.drag(way(x, y, 15, 3), { steady: true, keys: "ctrl" });
    const [, wide] = await untilLogged(stage, ([, one]) => set(one).width, "it is wider");
    assert.equal(now(wide).width, 100, "as wide as the one above");
    await page.hands.press("r");
    await page.hands.drag([spot(560, 420), spot(600, 440), spot(640, 463)], {
      steady: true,
      keys: "ctrl",
    });
    const [, , third] = await untilLogged(stage, (all) => all.length === 3, "a third one");
    assert.equal(now(third).y + now(third).height, now(wide).y + now(wide).height);
    await drawn(page, "r", [700, 600, 750, 630]);
    await page.hands.drag(way(700, 615, -2, -187), { steady: true, keys: "ctrl", let: false });
    const [gap] = await page.evaluate("theBoard.snapping.guides.filter(({isGap}) => isGap)");
    assert.deepEqual([gap.to - gap.from], [60]);
    await page.hands.release({ keys: "ctrl" });
    const all = await untilLogged(stage, ([, , , one]) => set(one).x, "it is beside them");
    assert.equal(now(all[3]).x, now(third).x + now(third).width + 60, "the gaps are the same");
  },
);

browserTest("Snapping always: the menu turns it on, the browser keeps it", async (stage) => {
  const page = await opened(stage);
  await hold(page);
  await drawn(page, "r", [400, 200, 500, 300]);
  await page.hands.press("Escape");
  await page.hands.drag([spot(900, 600), spot(900, 600)], { button: "right" });
  await page.see(".context-menu");
  await page.hands.press("a");
  await page.hands.press("Enter");
  await page.until("theBoard.snapping.isAlways === true");
  await page.reload();
  await page.see("[data-phase=connected]");
  await page.evaluate("delete window.theBoard");
  await hold(page);
  assert.equal(await page.evaluate("theBoard.snapping.isAlways"), true);
  await drawn(page, "r", [700, 450, 760, 510]);
  await page.hands.drag(way(700, 462, 30, -247), { steady: true });
  const [first, moved] = await untilLogged(stage, ([, one]) => set(one).y, "it moved");
  assert.equal(now(moved).y, first.shape.y);
});

browserTest(
  "Scrolling at the edges: a drag that stays at the edge takes the view and what it holds along",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [900, 300, 1000, 400]);
    await page.hands.drag([spot(900, 325), spot(1100, 325), spot(1276, 325)], {
      steady: true,
      let: false,
    });
    await page.until("theBoard.view.x > 400");
    await page.hands.release();
    const at = await page.evaluate("theBoard.view.x");
    const [one] = await untilLogged(stage, ([first]) => set(first).x !== undefined, "it moved");
    assert.ok(now(one).x - one.shape.x > 376 + 390, `${now(one).x}`);
    const { x } = await page.evaluate("theBoard.view");
    assert.equal(x, at, "and it stands still when the hand lets go");
    await page.hands.press("Escape");
    await page.hands.drag([spot(600, 500), spot(500, 700), spot(300, 798)], {
      steady: true,
      let: false,
    });
    await page.until("theBoard.view.y > 100");
    await page.hands.press("Escape");
    await page.hands.release();
    await page.hands.press("p");
    const before = await page.evaluate("theBoard.view.y");
    await page.hands.drag([spot(600, 500), spot(620, 700), spot(640, 797)], { steady: true });
    assert.equal(await page.evaluate("theBoard.view.y"), before, "a pen writes to the edge");
  },
);

browserTest(
  "The view: Shift+1 everything, Shift+2 the selection, Shift+0 100 %; arrows move by one, with Shift by ten",
  async (stage) => {
    const page = await opened(stage, { reducedMotion: true });
    await hold(page);
    await drawn(page, "r", [200, 200, 1100, 600]);
    await drawn(page, "o", [300, 650, 360, 700]);
    const view = () => page.evaluate("theBoard.view.camera");
    await page.evaluate(
      "theBoard.moveView(() => theBoard.view.set({ x: 900, y: 900, scale: 0.5 }))",
    );
    await page.hands.press("shift+2");
    assert.deepEqual(await view(), { x: -310, y: 275, scale: 1 });
    await page.hands.press("shift+1");
    assert.ok((await view()).scale <= 1 && Math.abs((await view()).x - 10) < 5);
    await page.evaluate("theBoard.moveView(() => theBoard.view.set({ scale: 3 }))");
    await page.hands.press("shift+0");
    assert.equal((await view()).scale, 1);
    await page.hands.press("ArrowRight");
    await page.hands.press("shift+ArrowDown");
    const all = await untilLogged(stage, ([, one]) => set(one).y === 260, "it is moved");
    assert.equal(now(all[1]).x, -339);
    assert.deepEqual((await logged(stage))[0].set, undefined);
  },
);
