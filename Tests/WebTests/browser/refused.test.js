// Words that the server refuses are not lost; what is too much for one command is taken back as one.
import assert from "node:assert/strict";
import { hold, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** @param {Page} page */
const shown = async (page) => {
  await page.see("dialog .refused");
  return page.evaluate(() => ({
    words: /** @type {HTMLTextAreaElement} */ (document.querySelector(".refused")).value,
    why: document.querySelector("dialog p")?.textContent,
  }));
};

/**
 * @param {Page} page
 * @param {string} words of the button
 */
const choose = async (page, words) => {
  const place = await page.evaluate((/** @type {string} */ wanted) => {
    const all = [...document.querySelectorAll("dialog .dialog-actions button")];
    return all.findIndex((one) => one.textContent === wanted) + 1;
  }, words);
  await page.click(`dialog .dialog-actions button:nth-child(${place})`);
};

/**
 * @param {Page} page
 * @param {[number, number]} at
 * @param {string} text
 */
async function write(page, [x, y], text) {
  await page.hands.press("t");
  await page.hands.click(x, y);
  await page.see(".board-writing");
  await page.hands.type(text);
  await page.hands.press("Escape");
}

browserTest(
  "EL-2: a new text that is refused is shown with the reason; it can be copied, written on, or dropped",
  async (stage) => {
    const server = await stage.ownServer({ settings: { elements: "1" } });
    const page = await opened(stage, { url: `${server.url}/r/${stage.room}` });
    await hold(page);
    await write(page, [400, 300], "first");
    await page.until("theBoard.sceneContent.index.entries.size === 1");
    await write(page, [400, 500], "second words");
    const { words, why } = await shown(page);
    assert.equal(words, "second words");
    assert.match(why ?? "", /too many/i);
    await choose(page, "Copy");
    await page.until(() =>
      /copied/.test(document.querySelector("dialog [role=status]")?.textContent ?? ""),
    );
    await choose(page, "Write on");
    await page.see(".board-writing");
    const field = () => document.querySelector("textarea")?.value;
    assert.equal(await page.evaluate(field), "second words");
    await page.evaluate("theBoard.sendParts('erased', 'elements', ['0.1'])");
    await page.hands.press("End");
    await page.hands.type(" more");
    await page.hands.press("Escape");
    await page.until(
      "[...theBoard.sceneContent.index.entries.values()].some(({element}) => element.shape.text === 'second words more')",
    );
    await write(page, [700, 300], "third");
    await shown(page);
    await choose(page, "Discard");
    await page.until(() => !document.querySelector("dialog .refused"));
    await write(page, [700, 300], "");
    assert.equal(await page.evaluate("theBoard.drafts.size"), 0);
    assert.deepEqual(
      page.complaints.filter((one) => !/tooMany|409/.test(String(one))),
      [],
    );
  },
);

browserTest(
  "EL-2: words of who may not write any more are not lost: of a new text, of a label",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await hold(wang);
    await ana.hands.press("r");
    await ana.hands.drag([
      { x: 400, y: 200 },
      { x: 500, y: 300 },
      { x: 600, y: 400 },
    ]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    const forbid = async (/** @type {boolean} */ isForbidden) => {
      await ana.click(".faces");
      await ana.click(".members [data-do=lockBoard]");
      await ana.hands.press("Escape");
      await wang.until(`theBoard.canWrite === ${!isForbidden}`);
    };
    await wang.hands.press("t");
    await wang.hands.click(400, 600);
    await wang.see(".board-writing");
    await wang.hands.type("a new text");
    await forbid(true);
    await wang.evaluate(() => document.querySelector("textarea")?.blur());
    assert.equal((await shown(wang)).words, "a new text");
    await choose(wang, "Write on");
    await wang.until(() => document.querySelector("dialog [role=status]")?.textContent !== "");
    await choose(wang, "Discard");
    await forbid(false);
    await wang.hands.press("v");
    await wang.hands.click(500, 300, 2);
    await wang.see(".board-writing");
    await wang.hands.type("a label");
    await forbid(true);
    await wang.evaluate(() => document.querySelector("textarea")?.blur());
    assert.equal((await shown(wang)).words, "a label");
    await wang.hands.press("Escape");
    await forbid(false);
    await wang.hands.press("v");
    await wang.hands.click(500, 300, 2);
    await wang.see(".board-writing");
    assert.equal(await wang.evaluate(() => document.querySelector("textarea")?.value), "a label");
    await wang.hands.press("Escape");
    await untilLogged(stage, ([one]) => one.set?.text === "a label", "it is saved");
  },
);

browserTest(
  "EL-7: what is too much for one command goes in several, which one undo takes back and one redo does again",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "limits.element": "2KiB" } });
    const page = await opened(stage, { url: `${server.url}/r/${stage.room}` });
    const own = { ...stage, server };
    await hold(page);
    await page.evaluate(() => {
      const board = /** @type {any} */ (window).theBoard;
      const put = (/** @type {any} */ shape) => {
        const id = board.newId();
        board.send("elementPut", { id, scene: board.scene, ...shape });
        return id;
      };
      const note = put({
        type: "note",
        x: -60,
        y: -60,
        width: 120,
        height: 60,
        text: "short",
        size: 20,
      });
      for (let n = 0; n < 40; n += 1) {
        const style = { start: { element: note, at: [0.5, 0.5] } };
        put({
          type: "arrow",
          x: -300,
          y: n * 5,
          points: [
            [300, 0],
            [0, 0],
          ],
          style,
        });
      }
    });
    await untilLogged(own, (all) => all.length === 41, "a note and its arrows");
    const texts = () => page.evaluate("theBoard.source.element('0.1').set?.text ?? 'short'");
    await page.hands.click(640, 370, 2);
    await page.see(".board-writing");
    await page.hands.press("ctrl+a");
    await page.hands.type("one two three four five six seven eight nine ten eleven twelve");
    await page.hands.press("Escape");
    const isMoved = (/** @type {any[]} */ all) =>
      all.filter(({ set }) => set?.points).length === 40;
    await untilLogged(own, isMoved, "all arrows follow");
    await page.hands.press("Escape");
    await page.hands.press("ctrl+z");
    const isBack = (/** @type {any[]} */ all) =>
      all.every(({ set }) => set?.points === undefined && set?.text === undefined);
    await untilLogged(own, isBack, "one undo takes back text and arrows");
    assert.equal(await texts(), "short");
    await page.hands.press("ctrl+shift+Z");
    await untilLogged(own, isMoved, "one redo does it again");
    await page.hands.press("ctrl+z");
    // Two in a row: what is not answered yet is waited for.
    await page.hands.press("ctrl+shift+Z");
    await page.hands.press("ctrl+z");
    await untilLogged(own, isBack, "as it was");
    assert.equal((await untilLogged(own, (all) => all.length === 41, "all are there")).length, 41);
    assert.deepEqual(page.complaints, []);
  },
);
