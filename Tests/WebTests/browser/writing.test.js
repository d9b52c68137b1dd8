// Texts that two people write at once, and texts that are too long: nobody's words are lost.
import assert from "node:assert/strict";
import { opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

const textOf = (/** @type {any} */ { shape, set }) => set?.text ?? shape.text;

/** @param {any} one @returns its words, wherever its lines are broken */
const wordsOf = (one) => textOf(one).replaceAll("\n", " ");

/**
 * @param {Stage} stage
 * @param {string} text of a note at 500, 400
 * @returns {Promise<[Page, Page]>} Ana and Wang, who see it
 */
async function withNote(stage, text) {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  await ana.hands.press("n");
  await ana.hands.click(500, 400);
  await ana.see(".board-writing");
  await ana.hands.type(text);
  await ana.hands.press("Escape");
  await untilLogged(stage, ([one]) => one && textOf(one) === text, "a note");
  for (const page of [ana, wang]) await page.hands.press("v");
  return [ana, wang];
}

/** @param {Page} page opens the note, with all of its text selected */
async function open(page) {
  await page.hands.click(500, 400, 2);
  await page.see(".board-writing");
}

/** @param {Page} page */
const writing = (page) =>
  page.until(() => {
    const writer = document.querySelector(".writer");
    return writer && !(/** @type {HTMLElement} */ (writer).hidden) && writer.textContent;
  });

browserTest(
  "EL-2: who opens a text that somebody writes sees who; the words of both are in it in the end",
  async (stage) => {
    const [ana, wang] = await withNote(stage, "buy milk and bread");
    await open(ana);
    assert.equal(await writing(wang), "Ana is writing");
    await open(wang);
    assert.equal(await writing(ana), "Wang is writing");
    await ana.hands.press("ArrowLeft");
    await ana.hands.type("please ");
    await wang.hands.press("ArrowRight");
    await wang.hands.type(" and eggs");
    await ana.hands.press("Escape");
    await untilLogged(stage, ([one]) => textOf(one).startsWith("please"), "Ana's words");
    await wang.until(() => !document.querySelector(".writer"));
    await wang.hands.press("Escape");
    await untilLogged(
      stage,
      ([one]) => wordsOf(one) === "please buy milk and bread and eggs",
      "both",
    );
  },
);

for (const [choice, text] of [
  ["both", "buy tea\nbuy coffee"],
  ["mine", "buy coffee"],
  ["theirs", "buy tea"],
]) {
  browserTest(
    `EL-2: who ends second is asked where both changed the same words: ${choice}`,
    async (stage) => {
      const [ana, wang] = await withNote(stage, "buy milk");
      await open(ana);
      await open(wang);
      await ana.hands.type("buy tea");
      await wang.hands.type("buy coffee");
      await ana.hands.press("Escape");
      await untilLogged(stage, ([one]) => textOf(one) === "buy tea", "Ana's words");
      await wang.hands.press("Escape");
      await wang.see(".dialog .versions");
      assert.deepEqual(
        await wang.evaluate(() =>
          [...document.querySelectorAll(".version")].map((one) => one.textContent),
        ),
        ["buy coffee", "buy tea"],
      );
      await wang.click(`[data-choice=${choice}]`);
      await untilLogged(stage, ([one]) => textOf(one) === text, text);
    },
  );
}

browserTest(
  "EL-2: words that were overtaken on their way are put together with those that came first",
  async (stage) => {
    const net = await stage.proxy();
    const [ana] = await withNote(stage, "buy milk");
    const far = await opened(stage, { name: "Far", url: `${net.url}/r/${stage.room}` });
    await far.hands.press("v");
    await open(far);
    await far.hands.press("ArrowRight");
    await far.hands.type(" soon");
    await net.refuse();
    net.cut();
    await far.hands.press("Escape");
    await open(ana);
    await ana.hands.press("ArrowLeft");
    await ana.hands.type("please ");
    await ana.hands.press("Escape");
    await untilLogged(stage, ([one]) => textOf(one) === "please buy milk", "Ana's words");
    await net.heal();
    await untilLogged(stage, ([one]) => wordsOf(one) === "please buy milk soon", "both");
  },
);

browserTest("EL-2: a text whose note is erased while it is written is put again", async (stage) => {
  const [ana, wang] = await withNote(stage, "buy milk");
  await open(wang);
  await wang.hands.press("ArrowRight");
  await wang.hands.type(" now");
  await ana.hands.click(500, 400);
  await ana.hands.press("Delete");
  await untilLogged(stage, (all) => all.length === 0, "it is gone");
  await wang.hands.press("Escape");
  const [note] = await untilLogged(stage, (all) => all.length === 1, "it is back");
  assert.equal(textOf(note), "buy milk now");
});

browserTest(
  "EL-2: a text that is too long stays open, with the number of characters too many",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "limits.element": "2KiB" } });
    const url = `${server.url}/r/${stage.room}`;
    const page = await opened(stage, { name: "Ana", url });
    await page.hands.press("t");
    await page.hands.click(300, 200);
    await page.see(".board-writing");
    await page.send("Input.insertText", { text: "word ".repeat(500) });
    await page.see(".board-too-long");
    const count = () =>
      Number.parseInt(document.querySelector(".board-too-long")?.textContent ?? "", 10);
    const first = await page.evaluate(count);
    assert.ok(first > 1000, `${first} too many`);
    await page.hands.click(900, 650);
    await page.hands.press("Escape");
    assert.equal(await page.evaluate(() => document.querySelector("textarea")?.value.length), 2500);
    for (let n = 0; n < 3; n++) await page.hands.press("Backspace");
    assert.equal(await page.evaluate(count), first - 3);
    await page.hands.press("ctrl+a");
    await page.hands.type("short");
    await page.until(() => !document.querySelector(".board-too-long"));
    await page.hands.click(900, 650);
    await page.until(() => !document.querySelector(".board-writing"));
  },
);
