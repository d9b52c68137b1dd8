// What comes from elsewhere, by files and by the clipboard: it tells nobody of its room, asks no other
// host, has bounds, and leaves nothing empty behind.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { removeFolder, temporaryFolder, until } from "../kit/places.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

const DOT =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNgYPhfz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC";

/** @param {any} one @returns {any} what it is put with, and over it what it has become */
const now = (one) => ({ ...one.shape, ...one.set });

/**
 * @param {Stage} stage
 * @param {string} name
 * @param {string | Buffer} content
 */
function written({ t }, name, content) {
  const folder = temporaryFolder("boardroom-taken-in-");
  t.after(() => removeFolder(folder));
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

/**
 * Drops files of the machine at a place.
 * @param {Page} page
 * @param {string[]} files
 */
async function dropped(page, files, { x, y } = { x: 640, y: 400 }) {
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await page.send("Input.dispatchDragEvent", { type, x, y, data });
  }
}

/** @param {Page} page @param {RegExp} words */
const says = (page, words) =>
  page.until(
    (/** @type {string} */ source) =>
      new RegExp(source).test(document.querySelector(".notes")?.textContent ?? ""),
    [words.source],
  );

/** @param {Stage} stage @param {(all: any[]) => any} isSo @param {string} what @returns {Promise<any[]>} */
const untilShown = (stage, isSo, what) =>
  until(
    async () => {
      const all = (await logged(stage)).filter(({ scene }) => scene === 1);
      return isSo(all) && all;
    },
    { what },
  );

browserTest(
  "An image that is copied does not name its room, and is there in another one, also for another browser",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await dropped(page, [written(stage, "dot.png", Buffer.from(DOT, "base64"))]);
    await untilLogged(stage, ([one]) => one?.set?.src, "an image");
    await page.hands.press("ctrl+a");
    await page.evaluate(() => {
      const all = /** @type {any} */ (window);
      document.addEventListener("copy", ({ clipboardData }) => {
        all.copied = [...(clipboardData?.types ?? [])].map((type) => clipboardData?.getData(type));
      });
    });
    await page.hands.press("ctrl+c");
    const copied = (await page.evaluate("window.copied")).join("\n");
    assert.match(copied, /boardroom/);
    assert.ok(!copied.includes(stage.room), "the clipboard has no uuid of the room");
    await page.hands.move(800, 600);
    await page.hands.press("ctrl+v");
    const here = await untilLogged(stage, (all) => all.length === 2, "it is pasted in its room");
    assert.equal(now(here[1]).src, now(here[0]).src);
    const room = newRoom();
    const areShown = (/** @type {any[]} */ all) =>
      all.length === 2 && all.every((one) => now(one).src);
    const carrying = await opened(stage);
    await hold(carrying);
    await carrying.until("theBoard.sceneContent.index.entries.size === 2");
    await carrying.hands.press("ctrl+a");
    // The clipboard gets the images as the board shows them.
    await carrying.until(`theBoard.selected.elements.length === 2 && theBoard.selected.elements.every(
      (one) => theBoard.stage.images.get({ ...one.shape, ...one.set }.src))`);
    await carrying.hands.press("ctrl+c");
    const address = `${stage.server.url}/r/${room}`;
    await carrying.open(address);
    await carrying.see(".status[data-phase=connected]");
    await hold(carrying);
    await carrying.hands.press("ctrl+v");
    const there = await untilShown({ ...stage, room }, areShown, "both are there");
    for (const one of there) assert.match(now(one).src, new RegExp(`^/v5/rooms/${room}/images/`));
    // Another browser does not know where it was copied.
    await carrying.evaluate(() => localStorage.removeItem("boardroom.copiedImages"));
    const third = newRoom();
    await carrying.open(`${stage.server.url}/r/${third}`);
    await carrying.see(".status[data-phase=connected]");
    await hold(carrying);
    await carrying.hands.press("ctrl+v");
    const again = { ...stage, room: third };
    const anew = await untilShown(again, areShown, "from the clipboard itself");
    for (const one of anew) assert.match(now(one).src, new RegExp(`^/v5/rooms/${third}/images/`));
  },
);

browserTest(
  "A file does not make members ask another host: such images are left out, and it is said how many",
  async (stage) => {
    const asked = /** @type {string[]} */ ([]);
    const elsewhere = createServer(({ url }, answer) => {
      asked.push(url ?? "");
      answer.end();
    });
    await new Promise((done) => elsewhere.listen(0, "127.0.0.1", () => done(undefined)));
    stage.t.after(() => elsewhere.close());
    const { port } = /** @type {import("node:net").AddressInfo} */ (elsewhere.address());
    const page = await opened(stage);
    await hold(page);
    const imageAt = (/** @type {number} */ nth, /** @type {string} */ src) => ({
      id: `${nth}`,
      shape: { type: "image", x: nth * 60, y: 0, width: 50, height: 50, src },
    });
    const elements = [
      imageAt(1, `http://127.0.0.1:${port}/spy.png`),
      imageAt(2, `http://127.0.0.1:${port}/other.png`),
      imageAt(3, `data:image/png;base64,${DOT}`),
    ];
    const text = JSON.stringify({ type: "boardroom", version: 1, elements, images: {} });
    await dropped(page, [written(stage, "spy.json", text)]);
    await says(page, /Not taken over: 2 × image of another host/);
    const all = await untilShown(stage, (found) => found.length === 3, "all three");
    const sources = all.map((one) => now(one).src);
    assert.deepEqual(sources.slice(0, 2), [undefined, undefined]);
    assert.match(sources[2], new RegExp(`^/v5/rooms/${stage.room}/images/`));
    assert.deepEqual(asked, []);
  },
);

browserTest("Of very many files that are dropped 20 are opened, and it is said", async (stage) => {
  const page = await opened(stage);
  await hold(page);
  const file = written(stage, "dot.png", Buffer.from(DOT, "base64"));
  await dropped(
    page,
    Array.from({ length: 23 }, () => file),
  );
  await says(page, /20 of 23 files were opened/);
  const all = await untilLogged(
    stage,
    (found) => found.length >= 20 && found.every((one) => now(one).src),
    "images",
  );
  assert.equal(all.length, 20);
});

browserTest(
  "An image that is stored after the board became read-only is said to be missing, and its frame goes when one may write",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await hold(wang);
    await wang.evaluate(() => {
      const { fetch } = window;
      const released = new Promise((done) => Object.assign(window, { release: done }));
      window.fetch = async (...asked) => {
        if (/images$/.test(String(asked[0]))) await released;
        return fetch(...asked);
      };
    });
    await dropped(wang, [written(stage, "dot.png", Buffer.from(DOT, "base64"))]);
    await untilLogged(stage, (all) => all.length === 1, "a frame");
    const forbid = async (/** @type {boolean} */ isForbidden) => {
      await ana.click(".faces");
      await ana.click(".members [data-do=lockBoard]");
      await ana.hands.press("Escape");
      await wang.until(`theBoard.canWrite === ${!isForbidden}`);
    };
    await forbid(true);
    await wang.evaluate("window.release()");
    await says(wang, /became read-only/);
    await forbid(false);
    await untilLogged(stage, (all) => all.length === 0, "the frame is gone");
  },
);

browserTest(
  "Ctrl+Alt+C copies a style, and Ctrl+Alt+V gives it to what is selected, with one undo",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [300, 250, 400, 320]);
    await page.click('.style [aria-label="Red"]');
    await page.hands.press("ctrl+alt+c");
    await page.hands.press("Escape");
    await drawn(page, "o", [500, 250, 600, 320]);
    await page.click('.style [aria-label="Blue"]');
    await page.hands.press("Escape");
    await drawn(page, "d", [700, 250, 800, 320]);
    const before = await untilLogged(stage, (all) => all.length === 3, "three shapes");
    const colour = (/** @type {any} */ one) => one.set?.["style.colour"] ?? one.shape.style.colour;
    const red = colour(before[0]);
    assert.notDeepEqual(colour(before[1]), red);
    await page.evaluate("theBoard.select(['0.2', '0.3'])");
    await page.hands.press("ctrl+alt+v");
    await untilLogged(
      stage,
      (all) => all.every((one) => `${colour(one)}` === `${red}`),
      "all are red",
    );
    await page.hands.press("ctrl+z");
    const after = await untilLogged(
      stage,
      (all) => `${colour(all[1])}` !== `${red}`,
      "it is undone",
    );
    assert.deepEqual(after.map(colour), before.map(colour));
  },
);
