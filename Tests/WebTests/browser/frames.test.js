// What a frame draws: of the lower canvas only the tiles that have changed, and nothing of it while
// somebody else's pen is down.
import assert from "node:assert/strict";
import { hold, opened } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** Counts what is drawn of the lower canvas, and what is sent to the painter of its tiles. */
const count = (/** @type {import("../kit/page.js").Page} */ page) =>
  page.evaluate(() => {
    const { stage } = /** @type {any} */ (window).theBoard;
    const counted = { areas: /** @type {any[]} */ ([]), messages: 0 };
    const { draw, update } = stage.tiles;
    stage.tiles.draw = (/** @type {any[]} */ ...parts) => {
      counted.areas.push(parts[4]);
      return draw.apply(stage.tiles, parts);
    };
    stage.tiles.update = (/** @type {any[]} */ ...parts) => {
      counted.messages += 1;
      return update.apply(stage.tiles, parts);
    };
    Object.assign(window, { counted });
  });

const points = (/** @type {number} */ length) =>
  Array.from({ length }, (_, at) => ({ x: 600 + at * 2, y: 380 + (at % 7) }));

browserTest(
  "While somebody else's pen is down the lower canvas is not drawn; at its end, only tiles that show the stroke",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    const other = await opened(stage, { name: "Wang" });
    await page.until("theBoard.presence.cursors.size === 1");
    await count(page);
    await other.hands.press("p");
    await other.hands.drag(points(60), { steady: true, let: false });
    const open = () => page.evaluate("[...theBoard.sceneContent.notOnTiles.values()]");
    await page.until("theBoard.sceneContent.notOnTiles.size === 1");
    assert.deepEqual(
      await open(),
      [Infinity].map(() => null),
      "it is drawn above the tiles",
    );
    assert.deepEqual(await page.evaluate("counted"), { areas: [], messages: 0 });
    await other.hands.release();
    await page.until("theBoard.sceneContent.notOnTiles.size === 0");
    const { areas, messages } = await page.evaluate("counted");
    assert.equal(messages, 1);
    assert.ok(areas.length >= 1 && areas.length <= 4, `${areas.length} areas`);
    const whole = await page.evaluate("theBoard.stage.below.canvas.width");
    for (const { left, right } of areas)
      assert.ok(right - left < whole, "all of it is drawn again");
  },
);

browserTest(
  "What others put in quick order goes to the tiles in few messages, and is seen at once",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    const other = await opened(stage, { name: "Wang" });
    await hold(other);
    await count(page);
    await other.hands.press("p");
    for (let line = 0; line < 8; line += 1) {
      const y = 200 + line * 40;
      await other.hands.drag([
        { x: 300, y },
        { x: 340, y: y + 5 },
        { x: 380, y },
      ]);
      await page.until(`theBoard.sceneContent.index.entries.size === ${line + 1}`);
    }
    await page.until("theBoard.sceneContent.notOnTiles.size === 0");
    const { messages } = await page.evaluate("counted");
    assert.ok(messages >= 1 && messages <= 8, `${messages} messages`);
    await page.until(() => {
      const { canvas } = /** @type {any} */ (window).theBoard.stage.below;
      const ratio = devicePixelRatio;
      const ink = (/** @type {number} */ y) => {
        const { data } = canvas
          .getContext("2d")
          .getImageData(300 * ratio, y * ratio, 80 * ratio, 9);
        return data.some(
          (/** @type {number} */ level, /** @type {number} */ at) => at % 4 === 0 && level < 128,
        );
      };
      return Array.from({ length: 8 }, (_, line) => 198 + line * 40).every(ink);
    });
  },
);
