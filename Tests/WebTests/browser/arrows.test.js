// Arrows that are bound to shapes, and their ways: with real hands, and what the log has.
import assert from "node:assert/strict";
import { logged, opened, untilLogged } from "../kit/board.js";
import { alike, rested, still } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

/**
 * @param {Page} page
 * @param {...[number, number]} spots
 */
const drag = (page, ...spots) =>
  page.hands.drag(
    spots.map(([x, y]) => ({ x, y })),
    { steady: true },
  );

/**
 * @param {Page} page
 * @param {string} key
 * @param {...[number, number]} spots
 */
async function draw(page, key, ...spots) {
  await page.hands.press(key);
  await drag(page, ...spots);
  await page.until(
    () => document.querySelector("[data-tool=select]")?.getAttribute("aria-pressed") === "true",
  );
}

/** @param {any} one @param {string} name */
const fieldOf = ({ shape, set }, name) => {
  const style = /^style\.(.*)$/.exec(name)?.[1];
  return set?.[name] ?? (style ? shape.style?.[style] : shape[name]);
};

/** @param {any} arrow @returns {number[][]} its points on a screen of 1280 x 800 */
function placesOf(arrow) {
  const x = fieldOf(arrow, "x") + 640;
  const y = fieldOf(arrow, "y") + 400;
  return fieldOf(arrow, "points").map(([a, b]) => [Math.round(x + a), Math.round(y + b)]);
}

/**
 * Two squares, at 350 to 450 and 750 to 850 across and 350 to 450 down, and an arrow between them.
 * @param {Stage} stage
 */
async function bound(stage) {
  const page = await opened(stage, { name: "Ana" });
  await draw(page, "r", [350, 350], [400, 400], [450, 450]);
  await draw(page, "r", [750, 350], [800, 400], [850, 450]);
  await draw(page, "a", [405, 405], [600, 420], [798, 398]);
  await untilLogged(stage, (all) => all.length === 3, "two squares and an arrow");
  await page.hands.press("Escape");
  return page;
}

/** @param {Stage} stage @returns {Promise<any>} */
const arrowOf = async (stage) => (await logged(stage)).find(({ shape }) => shape?.type === "arrow");

browserTest(
  "WEB arrows: an arrow that is drawn from shape to shape is cut at both",
  async (stage) => {
    const page = await bound(stage);
    const arrow = await arrowOf(stage);
    assert.deepEqual(placesOf(arrow), [
      [450, 400],
      [750, 400],
    ]);
    assert.deepEqual(arrow.shape.style.start.at, [0.5, 0.5]);
    await page.hands.press("Escape");
  },
);

browserTest(
  "WEB arrows: an arrow moves with its shape, for everybody, and one undo takes back both",
  async (stage) => {
    const ana = await bound(stage);
    const wang = await opened(stage, { name: "Wang" });
    await drag(ana, [350, 380], [350, 500], [350, 580]);
    await untilLogged(
      stage,
      (all) => all.length === 3 && placesOf(all[2])[0][1] > 480,
      "the arrow has moved",
    );
    const arrow = await arrowOf(stage);
    const [first, last] = placesOf(arrow);
    assert.ok(first[0] > 400 && first[0] <= 450 && first[1] > 500, String(first));
    assert.equal(last[0], 750);
    await ana.hands.click(900, 700);
    await wang.hands.press("v");
    for (const page of [ana, wang]) await still(page);
    await rested(stage);
    await alike(ana, wang, "arrows");
    await ana.hands.press("ctrl+z");
    await untilLogged(stage, (all) => placesOf(all[2])[0][1] === 400, "as it was");
    const [square] = await logged(stage);
    assert.equal(fieldOf(square, "y") + 400, 350);
  },
);

browserTest("WEB arrows: while a shape is dragged its arrow is drawn with it", async (stage) => {
  const page = await bound(stage);
  const inkAt = async () => {
    const { ink } = await import("../kit/screen.js");
    return [
      await ink(page, { x: 560, y: 390, width: 80, height: 20 }),
      await ink(page, { x: 560, y: 480, width: 80, height: 40 }),
    ];
  };
  const [before] = await inkAt();
  assert.ok(before > 40);
  await page.hands.drag(
    [
      { x: 350, y: 380 },
      { x: 350, y: 500 },
      { x: 350, y: 580 },
    ],
    { steady: true, let: false },
  );
  let now = await inkAt();
  for (let turn = 0; turn < 50 && (now[0] > 0 || now[1] === 0); turn++) {
    await page.hands.move(350, 580);
    now = await inkAt();
  }
  assert.ok(now[0] < before / 4 && now[1] > 20, String(now));
  await page.hands.release();
});

browserTest(
  "WEB arrows: an end is bound where it is dropped on a shape, not with Ctrl, and freed where there is none",
  async (stage) => {
    const page = await opened(stage);
    await draw(page, "o", [700, 300], [750, 350], [800, 400]);
    await draw(page, "a", [400, 600], [450, 590], [500, 580]);
    const start = (/** @type {any[]} */ all) => fieldOf(all[1], "style.end");
    await drag(page, [500, 580], [600, 500], [752, 352]);
    await untilLogged(stage, (all) => start(all)?.element !== undefined, "it is bound");
    const [x, y] = placesOf((await logged(stage))[1])[1];
    assert.ok(Math.abs(Math.hypot(x - 750, y - 350) - 50) < 2, `${x}, ${y} is on the circle`);
    await drag(page, [x, y], [600, 200], [500, 200]);
    await untilLogged(stage, (all) => !start(all), "it is free");
    await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "Control", modifiers: 2 });
    const mouse = (/** @type {string} */ type, /** @type {number[]} */ [left, top]) =>
      page.send("Input.dispatchMouseEvent", {
        type,
        x: left,
        y: top,
        button: "left",
        buttons: 1,
        modifiers: 2,
        clickCount: 1,
      });
    await mouse("mousePressed", [500, 200]);
    for (const spot of [
      [600, 300],
      [750, 350],
    ]) {
      await mouse("mouseMoved", spot);
    }
    await mouse("mouseReleased", [750, 350]);
    await untilLogged(stage, (all) => placesOf(all[1])[1][0] === 750, "it lies on the circle");
    assert.ok(!start(await logged(stage)));
  },
);

browserTest(
  "WEB arrows: who moves an arrow away frees it; copies are bound to copies; a shape that is erased frees it",
  async (stage) => {
    const page = await bound(stage);
    await page.hands.press("ctrl+a");
    await page.hands.press("ctrl+d");
    const all = await untilLogged(stage, (found) => found.length === 6, "copies");
    const copy = all[5];
    assert.deepEqual(
      [fieldOf(copy, "style.start").element, fieldOf(copy, "style.end").element],
      [all[3].id, all[4].id],
    );
    await page.hands.press("Delete");
    await untilLogged(stage, (found) => found.length === 3, "only the first ones");
    await page.hands.click(750, 440);
    await page.hands.press("Delete");
    await untilLogged(stage, (found) => found.length === 2, "a square is gone");
    await drag(page, [350, 380], [350, 340], [350, 300]);
    await untilLogged(stage, (found) => placesOf(found[1])[0][1] < 400, "the arrow follows");
    assert.deepEqual(placesOf(await arrowOf(stage))[1], [750, 400]);
    await page.hands.click(900, 700);
    await drag(page, [660, 379], [660, 500], [660, 560]);
    await untilLogged(stage, (found) => !fieldOf(found[1], "style.start"), "the arrow is free");
  },
);

browserTest(
  "WEB arrows: the middle handle bends an arrow; the way can be chosen, and stays with its shapes",
  async (stage) => {
    const page = await bound(stage);
    await page.hands.click(520, 400);
    await drag(page, [600, 400], [600, 450], [600, 500]);
    const curved = await untilLogged(
      stage,
      (all) => fieldOf(all[2], "points").length === 17,
      "a curve",
    );
    const [x, y] = placesOf(curved[2])[8];
    assert.ok(Math.abs(x - 600) < 3 && Math.abs(y - 500) < 3, `${x}, ${y}`);
    await page.see(".style");
    await page.click('.style [aria-label="Around corners"]');
    await untilLogged(stage, (all) => fieldOf(all[2], "style.route") === "elbow", "an elbow");
    await page.hands.click(900, 700);
    await drag(page, [350, 380], [350, 500], [350, 580]);
    const elbow = await untilLogged(
      stage,
      (all) => fieldOf(all[2], "points").length === 4,
      "corners",
    );
    assert.deepEqual(placesOf(elbow[2]), [
      [450, 600],
      [600, 600],
      [600, 400],
      [750, 400],
    ]);
    await page.hands.click(600, 550);
    await drag(page, [600, 500], [550, 500], [520, 500]);
    await untilLogged(stage, (all) => placesOf(all[2])[1][0] === 520, "another corner");
  },
);
