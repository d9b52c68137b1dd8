// What the style panel offers is what elements obey; and it is never in the way.
import assert from "node:assert/strict";
import { line, opened, untilLogged } from "../kit/board.js";
import { until } from "../kit/places.js";
import { pixels } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** @param {any} one @param {string} name */
const styleOf = ({ shape, set }, name) => set?.[`style.${name}`] ?? shape.style?.[name];

/**
 * @param {Page} page
 * @param {string} key
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
async function write(page, key, x, y, text) {
  await page.hands.press(key);
  await page.hands.click(x, y);
  await page.see(".board-writing");
  await page.hands.type(text);
  await page.hands.press("Escape");
  await page.until(() => !document.querySelector(".board-writing"));
}

/** @param {Page} page @returns {Promise<string[]>} the groups of the style panel */
const groups = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".style :is([role=group], [role=radiogroup])")].map(
      (one) => one.ariaLabel ?? "",
    ),
  );

/** @param {Page} page @param {number} x @param {number} y */
async function colourAt(page, x, y) {
  const { data, width } = await pixels(page);
  return [...data.subarray((y * width + x) * 4, (y * width + x) * 4 + 3)];
}

browserTest(
  "PAGE-2: a note obeys Colour and Fill, as the one that is made next does",
  async (stage) => {
    const page = await opened(stage);
    await write(page, "n", 700, 300, "note");
    await page.click('.style [aria-label="Red"]');
    await untilLogged(stage, ([one]) => String(styleOf(one, "textColor")) === "200,40,32", "red");
    await page.click('.style [aria-label="Mint"]');
    await untilLogged(stage, ([one]) => String(styleOf(one, "fill")) === "190,235,205", "mint");
    await until(async () => String(await colourAt(page, 780, 360)) === "190,235,205", {
      what: "the paper is mint",
    });
    await write(page, "n", 700, 560, "next");
    const [, next] = await untilLogged(stage, (all) => all.length === 2, "another note");
    assert.deepEqual(
      [styleOf(next, "textColor"), styleOf(next, "fill")],
      [
        [200, 40, 32],
        [190, 235, 205],
      ],
    );
  },
);

browserTest("PAGE-2: what an element does not obey is not offered for it", async (stage) => {
  const page = await opened(stage);
  await write(page, "t", 700, 200, "text");
  await page.see(".style");
  assert.deepEqual(await groups(page), ["Colour", "Size", "Letters", "Opacity"]);
  await write(page, "n", 700, 400, "note");
  assert.deepEqual(await groups(page), ["Colour", "Fill", "Size", "Letters", "Opacity"]);
  const paper = () =>
    [...document.querySelectorAll(".style [data-set=fill]")].map(
      (one) => `${one.ariaLabel} ${one.ariaChecked}`,
    );
  assert.deepEqual((await page.evaluate(paper)).slice(0, 2), ["Yellow true", "Mint false"]);
  await page.hands.press("Escape");
  await line(page, [
    [800, 600],
    [900, 650],
  ]);
  await page.hands.press("v");
  await page.hands.click(850, 625);
  await page.see(".style");
  assert.deepEqual(await groups(page), ["Colour", "Width", "Opacity"]);
});

browserTest(
  "PAGE-2: a note in the dark is the paper that it is in the light, and its letters stay dark",
  async (stage) => {
    const page = await opened(stage, { scheme: "dark" });
    await write(page, "n", 700, 300, "note");
    await page.hands.press("Escape");
    await until(async () => String(await colourAt(page, 780, 360)) === "255,236,153", {
      what: "the paper is light",
    });
    const { data, width } = await pixels(page);
    let darkest = 255;
    for (let y = 232; y < 260; y++) {
      for (let x = 612; x < 680; x++) darkest = Math.min(darkest, data[(y * width + x) * 4]);
    }
    assert.ok(darkest < 80, `the darkest of the letters: ${darkest}`);
  },
);

browserTest("PAGE-2: the highlighter is yellow, and the pen keeps its colour", async (stage) => {
  const page = await opened(stage);
  await line(page, [
    [400, 300],
    [700, 300],
  ]);
  await page.hands.press("m");
  await page.hands.drag([
    { x: 400, y: 400 },
    { x: 700, y: 400 },
  ]);
  const [pen, high] = await untilLogged(
    stage,
    (all) => all.filter(({ stroke }) => stroke?.ended).length === 2,
    "two strokes",
  );
  assert.deepEqual(pen.stroke.begin.colour, [30, 30, 30]);
  assert.deepEqual(high.stroke.begin.colour, [255, 214, 0]);
  await page.click(".style-open");
  await page.click('.style [aria-label="Pink"]');
  await page.hands.press("p");
  await page.until(
    () => document.querySelector('.style [aria-label="Black"]')?.ariaChecked === "true",
  );
  await page.hands.press("m");
  await page.until(
    () => document.querySelector('.style [aria-label="Pink"]')?.ariaChecked === "true",
  );
});

browserTest("PAGE-2: the style panel covers nothing that was just made", async (stage) => {
  const page = await opened(stage);
  const overlap = (/** @type {number[]} */ [left, top, right, bottom]) => {
    const panel = document.querySelector(".popover.style");
    const box = panel?.getBoundingClientRect();
    if (!box || box.width === 0) return "closed";
    const is = box.left < right && left < box.right && box.top < bottom && top < box.bottom;
    return is ? "covers" : "beside";
  };
  for (const [place, is] of /** @type {[number[], string][]} */ ([
    [[90, 250, 260, 400], "beside"],
    [[1000, 250, 1200, 400], "beside"],
    [[90, 120, 1240, 690], "closed"],
  ])) {
    const [left, top, right, bottom] = place;
    await page.hands.press("r");
    await page.hands.drag([
      { x: left, y: top },
      { x: right, y: bottom },
    ]);
    await page.until(
      (/** @type {string} */ tool) =>
        document.querySelector(`[data-tool=${tool}]`)?.ariaPressed === "true",
      ["select"],
    );
    assert.equal(await page.evaluate(overlap, place), is);
    await page.hands.press("Escape");
  }
});

browserTest("PAGE-2: a colour of one's own is chosen and kept", async (stage) => {
  const page = await opened(stage);
  await page.hands.press("r");
  await page.hands.drag([
    { x: 500, y: 250 },
    { x: 700, y: 400 },
  ]);
  await page.see(".style [data-own=colour]");
  await page.evaluate(() => {
    const input = /** @type {HTMLInputElement} */ (
      document.querySelector("[data-own=colour] input")
    );
    input.value = "#12ab34";
    input.dispatchEvent(new Event("change"));
  });
  await untilLogged(stage, ([one]) => String(styleOf(one, "colour")) === "18,171,52", "its colour");
  await page.until(() => document.querySelector("[data-own=colour].is-own") !== null);
});

browserTest(
  "PAGE-2: the style panel lies below the bars, whatever it offers; what has no room is scrolled to",
  async (stage) => {
    for (const [width, height] of [
      [1280, 800],
      [1024, 600],
      [1000, 420],
    ]) {
      const page = await opened(stage, { width, height });
      await page.hands.press("r");
      await page.hands.drag([
        { x: 500, y: 150 },
        { x: 700, y: 330 },
      ]);
      await page.hands.press("Enter");
      await page.see(".board-writing");
      await page.hands.type("a label");
      await page.hands.press("Escape");
      await page.see('.style [data-set="size"]');
      const [bars, panel] = await Promise.all([page.box(".bar.room"), page.box(".style")]);
      const where = `${width} × ${height}: ${JSON.stringify([bars, panel])}`;
      assert.ok(panel.y >= bars.y + bars.height, where);
      assert.ok(panel.y + panel.height <= height, where);
      // The last of it can be reached, too.
      await page.click('.style [data-do="remove"]');
      await untilLogged(stage, (all) => all.length === 0, "it is gone");
    }
  },
);
