// How wide a text is: as its words are, or as somebody has dragged its side.
import assert from "node:assert/strict";
import { opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const WORDS = "one two three four five six seven eight";

/** @param {any} element */
const now = ({ shape, set }) => ({ ...shape, ...set });

/**
 * Where a text is, in CSS pixels of a page of 1280 × 800 at 100 %.
 * @param {any} element
 */
function boxOf(element) {
  const { x, y, width, height } = now(element);
  return { left: x + 640, right: x + width + 640, middle: y + height / 2 + 400, width, height };
}

/**
 * @param {Page} page
 * @param {...number[]} spots
 */
const drag = (page, ...spots) =>
  page.hands.drag(
    spots.map(([x, y]) => ({ x, y })),
    { steady: true },
  );

/**
 * @param {import("../kit/test.js").Stage} stage
 * @param {Page} page
 */
async function written(stage, page) {
  await page.hands.press("t");
  await page.hands.click(500, 300);
  await page.see(".board-writing");
  await page.hands.type(WORDS);
  await page.hands.press("Escape");
  const [text] = await untilLogged(stage, (all) => all.length === 1, "a text");
  return text;
}

browserTest(
  "Width of text: a side that is dragged breaks the lines there, what is written later keeps to it, a double click makes it as wide as its words",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const text = await written(stage, page);
    assert.equal(now(text).text, WORDS, "it grows by itself");
    const { left, right, middle } = boxOf(text);
    await drag(page, [right + 6, middle], [right - 100, middle], [left + 126, middle]);
    const [narrow] = await untilLogged(stage, ([one]) => now(one).text.includes("\n"), "lines");
    assert.equal(now(narrow).text.replaceAll("\n", " "), WORDS);
    const lines = now(narrow).text.split("\n").length;
    assert.deepEqual([boxOf(narrow).width, now(narrow).height], [120, lines * 25]);
    // The other side keeps the right one where it is.
    const second = boxOf(narrow);
    await drag(
      page,
      [second.left - 6, second.middle],
      [second.left - 40, second.middle],
      [second.left - 86, second.middle],
    );
    const [wider] = await untilLogged(stage, ([one]) => now(one).width === 200, "it is wider");
    assert.equal(boxOf(wider).right, second.right);
    // What is written keeps to the width.
    await page.hands.press("Enter");
    await page.see(".board-writing");
    await page.hands.press("ctrl+a");
    await page.hands.type(`${WORDS} nine`);
    await page.hands.press("Escape");
    const [more] = await untilLogged(stage, ([one]) => now(one).text.endsWith("nine"), "one more");
    assert.equal(now(more).width, 200);
    assert.equal(now(more).text.replaceAll("\n", " "), `${WORDS} nine`);
    assert.ok(now(more).text.includes("\n"));
    const last = boxOf(more);
    await page.hands.click(last.right + 6, last.middle, 2);
    const [free] = await untilLogged(stage, ([one]) => !now(one).text.includes("\n"), "one line");
    assert.ok(now(free).width > 250);
    await page.hands.press("ctrl+z");
    await untilLogged(stage, ([one]) => now(one).width === 200, "one undo");
  },
);

browserTest(
  "Width of text: a text that is drawn with the tool is as wide as it was drawn",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await page.hands.press("t");
    await drag(page, [400, 300], [450, 310], [520, 320]);
    await page.see(".board-writing");
    await page.hands.type(WORDS);
    await page.hands.press("Escape");
    const [text] = await untilLogged(stage, (all) => all.length === 1, "a text");
    assert.deepEqual([now(text).width, now(text).x], [120, -240]);
    assert.ok(now(text).text.includes("\n"));
  },
);

browserTest(
  "Width of text: larger letters have a larger box, and lines of the same width",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const text = await written(stage, page);
    await page.click('.style [aria-label="32 pixels"]');
    const [large] = await untilLogged(stage, ([one]) => now(one).size === 32, "larger letters");
    assert.ok(Math.abs(now(large).width / now(text).width - 1.6) < 0.05);
    assert.equal(now(large).height, 40);
    const { left, right, middle } = boxOf(large);
    await drag(page, [right + 6, middle], [right - 100, middle], [left + 306, middle]);
    const [narrow] = await untilLogged(stage, ([one]) => now(one).width === 300, "lines");
    await page.click('.style [aria-label="Bold"]');
    const [bold] = await untilLogged(stage, ([one]) => one.set["style.bold"] === true, "bold");
    assert.equal(now(bold).width, 300);
    assert.equal(
      now(bold).text.replaceAll("\n", " "),
      now(narrow).text.replaceAll("\n", " "),
      "no word is lost",
    );
  },
);

browserTest(
  "Width of text: larger letters of a note and of a label break their lines anew, and the shape grows with them",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await page.hands.press("n");
    await page.hands.click(400, 400);
    await page.see(".board-writing");
    await page.hands.type(WORDS);
    await page.hands.press("Escape");
    await page.hands.press("r");
    await drag(page, [700, 350], [750, 400], [860, 430]);
    await page.hands.press("Enter");
    await page.see(".board-writing");
    await page.hands.type(WORDS);
    await page.hands.press("Escape");
    await untilLogged(stage, (all) => all.length === 2 && now(all[1]).text, "both");
    await page.hands.press("ctrl+a");
    await page.click('.style [aria-label="32 pixels"]');
    const all = await untilLogged(
      stage,
      (found) => found.every((one) => now(one).size === 32),
      "L",
    );
    for (const one of all) {
      const lines = now(one).text.split("\n").length;
      assert.equal(now(one).text.replace(/\n/g, " ").replace(/ +/g, " "), WORDS);
      assert.ok(lines > 2 && now(one).height >= lines * 40, `${lines} lines, ${now(one).height}`);
    }
  },
);
