// Labels in shapes and on lines, and the width of texts.
import assert from "node:assert/strict";
import { opened, untilLogged } from "../kit/board.js";
import { alike, ink, pixels, rested, still } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const textOf = (/** @type {any} */ { shape, set }) => set?.text ?? shape.text;

const fieldOf = (/** @type {any} */ { shape, set }, /** @type {string} */ name) =>
  set?.[name] ?? shape[name];

/**
 * @param {Page} page
 * @param {string} key
 * @param {[number, number][]} spots
 */
async function drawn(page, key, spots) {
  await page.hands.press(key);
  await page.hands.drag(
    spots.map(([x, y]) => ({ x, y })),
    { steady: true },
  );
  await page.until(
    () => document.querySelector("[data-tool=select]")?.getAttribute("aria-pressed") === "true",
  );
}

/** @param {Page} page @param {string} text */
async function write(page, text) {
  await page.see(".board-writing");
  await page.hands.type(text);
  await page.hands.press("Escape");
  await page.until(() => !document.querySelector(".board-writing"));
}

browserTest(
  "DRAWING: a double click in a shape writes a text into it, centred, and Enter writes on",
  async (stage) => {
    const page = await opened(stage);
    const wang = await opened(stage, { name: "Wang" });
    await drawn(page, "r", [
      [500, 200],
      [640, 260],
      [700, 320],
    ]);
    await page.hands.click(600, 262, 2);
    await write(page, "Start");
    const [one] = await untilLogged(
      stage,
      ([shape]) => shape && textOf(shape) === "Start",
      "a label",
    );
    assert.equal(fieldOf(one, "size"), 20);
    const left = { x: 505, y: 245, width: 60, height: 30 };
    const middle = { x: 570, y: 245, width: 60, height: 30 };
    const right = { x: 635, y: 245, width: 60, height: 30 };
    for (const part of [left, right]) assert.equal(await ink(page, part), 0);
    assert.ok((await ink(page, middle)) > 40, "it stands in the middle");
    await page.hands.press("Enter");
    await page.see(".board-writing");
    await page.hands.press("ArrowRight");
    await page.hands.type(" of it all, and a line more");
    await page.hands.press("Escape");
    await untilLogged(stage, ([shape]) => textOf(shape).includes("more"), "a longer label");
    await page.click('.style [aria-label="Red"]');
    await wang.hands.press("v");
    for (const each of [page, wang]) await each.hands.click(900, 600);
    for (const each of [page, wang]) await still(each);
    await rested(stage);
    await alike(page, wang, "labels");
  },
);

browserTest("DRAWING: a shape grows with its label", async (stage) => {
  const page = await opened(stage);
  await drawn(page, "o", [
    [500, 200],
    [560, 230],
    [620, 260],
  ]);
  await page.hands.press("Enter");
  await write(page, "words and words and words and words");
  const [one] = await untilLogged(stage, ([shape]) => shape && textOf(shape), "a label");
  assert.ok(fieldOf(one, "height") > 100, `${fieldOf(one, "height")} high`);
});

browserTest(
  "DRAWING: the label of an arrow stands in its middle, on a ground of the paper's colour",
  async (stage) => {
    for (const scheme of /** @type {("light" | "dark")[]} */ (["light", "dark"])) {
      const page = await opened(stage, { scheme });
      if (scheme === "light") {
        await drawn(page, "a", [
          [400, 300],
          [600, 300],
          [800, 300],
        ]);
        await page.hands.click(600, 300, 2);
        await write(page, "i i");
        await untilLogged(stage, ([shape]) => shape && textOf(shape) === "i i", "a label");
        await page.hands.press("Escape");
      }
      await page.hands.press("v");
      await page.hands.move(600, 500);
      const colourAt = async (/** @type {number} */ x, /** @type {number} */ y) => {
        const { data, width } = await pixels(page);
        return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)].join();
      };
      await page.until(() => document.querySelector(".status[data-phase=connected]"));
      const paper = scheme === "light" ? "255,255,255" : "23,28,34";
      for (let turn = 0; turn < 50 && (await colourAt(500, 300)) === paper; turn++) {
        await page.hands.move(600, 500 + turn);
      }
      assert.notEqual(await colourAt(500, 300), paper, "the line");
      assert.equal(await colourAt(600, 300), paper, `the ground between the letters, ${scheme}`);
    }
  },
);

browserTest("PAGE-4: a double click on the paper begins a text there", async (stage) => {
  const page = await opened(stage);
  await page.hands.press("v");
  await page.hands.click(600, 400, 2);
  await write(page, "here");
  const [one] = await untilLogged(stage, (all) => all.length === 1, "a text");
  assert.deepEqual([one.shape.type, textOf(one)], ["text", "here"]);
});

browserTest(
  "PAGE-2: a text grows with what is written; its side gives it a width, at which its lines are broken",
  async (stage) => {
    const page = await opened(stage);
    await page.hands.press("t");
    await page.hands.click(500, 300);
    await write(page, "one two three four five");
    const [one] = await untilLogged(stage, (all) => all.length === 1, "a text");
    const width = fieldOf(one, "width");
    assert.ok(width > 150, `${width}`);
    const right = 500 + width + 6;
    const middle = 300 + fieldOf(one, "height") / 2 - 12.4;
    await page.hands.drag(
      [
        { x: right, y: middle },
        { x: right - 50, y: middle },
        { x: right - 110, y: middle },
      ],
      { steady: true },
    );
    const [wrapped] = await untilLogged(
      stage,
      ([text]) => textOf(text).includes("\n"),
      "lines are broken",
    );
    assert.ok(Math.abs(fieldOf(wrapped, "width") - (width - 110)) < 3);
    assert.ok(fieldOf(wrapped, "height") > 40);
    await page.hands.press("Enter");
    await page.see(".board-writing");
    await page.hands.press("ArrowRight");
    await page.hands.type(" six seven");
    await page.hands.press("Escape");
    const [longer] = await untilLogged(stage, ([text]) => /seven/.test(textOf(text)), "more");
    assert.equal(fieldOf(longer, "width"), fieldOf(wrapped, "width"));
    await page.hands.press("t");
    await page.hands.drag(
      [
        { x: 500, y: 550 },
        { x: 550, y: 560 },
        { x: 600, y: 570 },
      ],
      { steady: true },
    );
    await write(page, "wide as the drag was");
    const [, drawnWide] = await untilLogged(stage, (all) => all.length === 2, "another text");
    assert.equal(fieldOf(drawnWide, "width"), 100);
    assert.ok(textOf(drawnWide).includes("\n"));
  },
);
