// Frames and handles of what is turned.
import assert from "node:assert/strict";
import { drawn, hold, line, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

const set = (/** @type {any} */ one) => one?.set ?? {};

/** @param {number} x @param {number} y */
const at = (x, y) => ({ x, y });

/**
 * @param {{x: number, y: number}} from
 * @param {{x: number, y: number}} to
 */
const way = (from, to) => [from, at((from.x + to.x) / 2, (from.y + to.y) / 2), to];

/** So far to the right and down lies what is so far away at 45 degrees. */
const slanting = (/** @type {number} */ length) => length * Math.SQRT1_2;

browserTest(
  "Rotated things: the frame turns with the shape, and its handles stretch along its own axes",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 600, 370]);
    const middle = at(500, 310);
    await page.hands.drag(way(at(500, 218), at(580, 230)), { steady: true, keys: "shift" });
    const [turned] = await untilLogged(stage, ([one]) => set(one).transform, "it is turned");
    const [a, b] = turned.set.transform;
    assert.deepEqual([a, b], [Number(Math.SQRT1_2.toFixed(6)), Number(Math.SQRT1_2.toFixed(6))]);
    const corners = await page.evaluate("theBoard.selected.frame.corners");
    const [corner] = corners;
    const half = { wide: 100, high: 60 };
    assert.ok(Math.abs(corner.x + 640 - (middle.x + slanting(half.high - half.wide))) < 0.1);
    assert.ok(Math.abs(corner.y + 400 - (middle.y - slanting(half.wide + half.high))) < 0.1);
    const east = at(middle.x + slanting(106), middle.y + slanting(106));
    await page.hands.move(east.x, east.y);
    const cursor = await page.evaluate("document.querySelector('.paper').style.cursor");
    assert.equal(cursor, "se-resize");
    const pulled = at(east.x + slanting(50), east.y + slanting(50));
    await page.hands.drag(way(east, pulled), { steady: true });
    const [wide] = await untilLogged(stage, ([one]) => set(one).width, "it is stretched");
    assert.ok(Math.abs(wide.set.width - 250) < 0.1, `${wide.set.width} wide`);
    assert.deepEqual(
      [wide.set.x, wide.set.y, wide.set.height],
      [turned.shape.x, turned.shape.y, turned.shape.height],
    );
    assert.deepEqual(wide.set.transform, turned.set.transform);
  },
);

browserTest(
  "Rotated things: a turned stroke is stretched along its own axes and gets no slant",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await line(page, [
      [400, 300],
      [500, 400],
      [600, 300],
    ]);
    await page.hands.press("v");
    await page.hands.click(440, 339);
    await page.until("theBoard.selection.length === 1");
    const handle = await page.evaluate("theBoard.selected.handles.find(({side}) => !side).at");
    const top = at(handle.x + 640, handle.y + 400);
    await page.hands.drag(way(top, at(top.x + 150, top.y + 30)), { steady: true, keys: "shift" });
    await untilLogged(stage, ([one]) => set(one).transform, "it is turned");
    const east = await page.evaluate(
      "theBoard.selected.handles.find(({side}) => side?.x === 1 && side.y === 0).at",
    );
    const from = at(east.x + 640, east.y + 400);
    await page.hands.drag(way(from, at(from.x + 40, from.y + 40)), { steady: true });
    const isLonger = (/** @type {any} */ [one]) =>
      Math.hypot(...set(one).transform.slice(0, 2)) > 1.1;
    const [stretched] = await untilLogged(stage, isLonger, "it is longer");
    const [a, b, c, d] = stretched.set.transform;
    assert.ok(Math.abs(a * c + b * d) < 1e-4, `its axes stay square: ${stretched.set.transform}`);
    assert.ok(Math.abs(Math.hypot(c, d) - 1) < 1e-4, "it is as thick as before");
  },
);

browserTest("Rotated things: the ends of a turned arrow are where they are seen", async (stage) => {
  const page = await opened(stage);
  await hold(page);
  await drawn(page, "a", [400, 300, 500, 300]);
  await drawn(page, "r", [520, 250, 600, 350]);
  await page.hands.press("ctrl+a");
  const turn = await page.evaluate("theBoard.selected.handles.find(({side}) => !side).at");
  const top = at(turn.x + 640, turn.y + 400);
  await page.hands.drag(way(top, at(top.x + 140, top.y + 83)), { steady: true, keys: "shift" });
  await untilLogged(stage, ([one]) => set(one).transform, "both are turned");
  await page.hands.press("Escape");
  const [first, second] = await page.evaluate(
    "theBoard.select(['0.1']), theBoard.selected.handles.map(({at}) => at)",
  );
  assert.ok(Math.abs(Math.hypot(first.x - second.x, first.y - second.y) - 100) < 0.5);
  const end = at(second.x + 640, second.y + 400);
  await page.hands.drag(way(end, at(end.x + 50, end.y + 20)), { steady: true });
  await untilLogged(stage, ([one]) => set(one).points, "its end is moved");
  const [, now] = await page.evaluate("theBoard.selected.handles.map(({at}) => at)");
  assert.ok(Math.hypot(now.x - second.x - 50, now.y - second.y - 20) < 0.5, JSON.stringify(now));
});
