// Copy, cut and paste, through the browser's own clipboard.
import assert from "node:assert/strict";
import { roomMark } from "../../../Sources/BoardroomWeb/Page/ui/board-file.js";
import { drawn, hold, logged, menu, opened, untilLogged } from "../kit/board.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/** @param {any} one @returns {any} what it is put with, and over it what it has become */
const now = (one) => ({ ...one.shape, ...one.set });

/**
 * @param {any} one
 * @returns {[number, number]} its middle on the screen, where the view is as at first
 */
function middle(one) {
  const { x, y, width, height } = now(one);
  return [Math.round(x + width / 2 + 640), Math.round(y + height / 2 + 400)];
}

/**
 * Another program has copied something.
 * @param {Page} page
 * @param {Record<string, string>} forms by types
 */
const copyElsewhere = (page, forms) =>
  page.evaluate((/** @type {Record<string, string>} */ given) => {
    const filled = (/** @type {ClipboardEvent} */ event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      for (const [type, form] of Object.entries(given)) {
        event.clipboardData?.setData(type, form);
      }
    };
    addEventListener("copy", filled, { capture: true, once: true });
    document.execCommand("copy");
  }, forms);

/**
 * Another program has copied a picture.
 * @param {Stage} stage
 * @param {Page} page
 */
async function copyPicture(stage, page, width = 60, height = 40) {
  await mayUse(stage);
  await page.evaluate(
    async (/** @type {number} */ wide, /** @type {number} */ high) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: wide, height: high });
      const ink = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      ink.fillStyle = "#c00";
      ink.fillRect(0, 0, wide, high);
      const file = await new Promise((done) => canvas.toBlob(done));
      await navigator.clipboard.write([new ClipboardItem({ "image/png": file })]);
    },
    width,
    height,
  );
}

/** @param {Stage} stage: pages may use the clipboard without an event */
const mayUse = (stage) =>
  Promise.all(
    stage.people.map((one) =>
      one.grant(["clipboardReadWrite", "clipboardSanitizedWrite"], stage.server.url),
    ),
  );

/**
 * @param {Stage} stage
 * @param {Page} page
 * @returns {Promise<Record<string, string>>} what is on the clipboard
 */
async function onClipboard(stage, page) {
  await mayUse(stage);
  return page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const forms = item.types.map(async (type) => [
      type,
      type.startsWith("text/") ? await (await item.getType(type)).text() : "",
    ]);
    return Object.fromEntries(await Promise.all(forms));
  });
}

/**
 * @param {Page} page
 * @param {RegExp} words
 */
const says = (page, words) =>
  page.until(
    (/** @type {string} */ source) =>
      new RegExp(source).test(document.querySelector(".notes")?.textContent ?? ""),
    [words.source],
  );

/**
 * @param {Page} page
 * @param {number} x
 * @param {number} y
 */
async function rightClick(page, x, y) {
  await page.hands.drag([spot(x, y), spot(x, y)], { button: "right" });
  await page.see(".context-menu");
}

/**
 * Chooses in the menu at the pointer, one menu after the other.
 * @param {Page} page
 * @param {...string} words
 */
async function choose(page, ...words) {
  for (const one of words) {
    const { x, y } = await page.evaluate((/** @type {string} */ wanted) => {
      const all = [...document.querySelectorAll(".context-menu .menu-item")];
      const found = all.find((item) => item.querySelector(".words")?.textContent === wanted);
      const box = /** @type {Element} */ (found).getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    }, one);
    await page.hands.click(x, y);
  }
}

browserTest(
  "Clipboard: what was copied last wins: an image that was copied elsewhere after an element, and the element after it",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await page.hands.press("ctrl+c");
    await copyPicture(stage, page);
    await page.hands.press("ctrl+v");
    const [, image] = await untilLogged(stage, (all) => now(all[1] ?? {}).src, "an image");
    assert.equal(image.shape.type, "image");
    await page.evaluate("theBoard.select(['0.1'])");
    await page.hands.press("ctrl+c");
    await page.hands.press("ctrl+v");
    const all = await untilLogged(stage, (found) => found.length === 3, "a copy");
    assert.equal(now(all[2]).type ?? all[2].shape.type, "rectangle");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Clipboard: pasted at the pointer, aside when it is pasted there again, in the middle without a pointer; one undo each",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await drawn(page, "o", [520, 250, 620, 310]);
    await page.hands.press("ctrl+a");
    await page.hands.press("ctrl+c");
    await page.hands.move(800, 600);
    await page.hands.press("ctrl+v");
    await untilLogged(stage, (all) => all.length === 4, "two copies");
    await page.hands.press("ctrl+v");
    const twice = await untilLogged(stage, (all) => all.length === 6, "two more");
    assert.deepEqual(twice.slice(2).map(middle), [
      [740, 600],
      [860, 600],
      [764, 624],
      [884, 624],
    ]);
    await page.hands.move(900, 200);
    await page.hands.press("ctrl+v");
    const third = await untilLogged(stage, (all) => all.length === 8, "elsewhere");
    assert.deepEqual(third.slice(6).map(middle), [
      [840, 200],
      [960, 200],
    ]);
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.length === 6, "one undo");
    const share = await page.box(".share-open");
    await page.hands.move(share.x + 5, share.y + 5);
    await page.hands.press("ctrl+v");
    const fourth = await untilLogged(stage, (all) => all.length === 8, "in the middle");
    assert.deepEqual(fourth.slice(6).map(middle), [
      [580, 400],
      [700, 400],
    ]);
    assert.deepEqual(await page.evaluate("theBoard.selection.length"), 2, "it is selected");
  },
);

browserTest(
  "Clipboard: in place by Ctrl+Shift+V and by the menu, also on another page; the menu pastes where it was opened",
  async (stage) => {
    const page = await opened(stage);
    await mayUse(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await page.hands.press("ctrl+c");
    await page.hands.move(900, 600);
    await page.hands.press("ctrl+shift+V");
    const [first, second] = await untilLogged(stage, (all) => all.length === 2, "in place");
    assert.deepEqual(middle(second), middle(first));
    await page.hands.press("Delete");
    await untilLogged(stage, (all) => all.length === 1, "it is gone");
    await rightClick(page, 800, 500);
    await choose(page, "Paste");
    const pasted = await untilLogged(stage, (all) => all.length === 2, "at the menu");
    assert.deepEqual(middle(pasted[1]), [800, 500]);
    await page.click(".page-add");
    await page.until("theBoard.source.elements(theBoard.scene).length === 0");
    await rightClick(page, 800, 500);
    await choose(page, "Paste in place");
    const there = await untilLogged(stage, (all) => all.length === 3, "on the new page");
    assert.deepEqual(middle(there[2]), middle(first));
    assert.notEqual(there[2].scene, first.scene);
  },
);

browserTest(
  "Clipboard: cut takes away and can be pasted; Ctrl+D duplicates; in a text that is written the browser's own clipboard works",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await page.hands.press("t");
    await page.hands.click(500, 300);
    await page.hands.type("alpha");
    await page.hands.press("ctrl+a");
    await page.hands.press("ctrl+c");
    await page.hands.press("ctrl+v");
    await page.hands.press("ctrl+v");
    await page.hands.press("Escape");
    const [text] = await untilLogged(stage, (all) => all.length === 1, "a text");
    assert.equal(now(text).text, "alphaalpha");
    await page.hands.press("ctrl+x");
    await untilLogged(stage, (all) => all.length === 0, "it is cut");
    assert.equal((await onClipboard(stage, page))["text/plain"], "alphaalpha");
    await page.hands.press("ctrl+v");
    await untilLogged(stage, (all) => all.length === 1, "it is there again");
    await page.hands.press("ctrl+d");
    await untilLogged(stage, (all) => all.length === 2, "a duplicate");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Clipboard: words become a text at the pointer, HTML its words in lines, and one that is too long stays open",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await copyElsewhere(page, { "text/plain": "https://example.org/a?b=1\r\nand more" });
    await page.hands.move(600, 300);
    await page.hands.press("ctrl+v");
    const [words] = await untilLogged(stage, (all) => all.length === 1, "a text");
    assert.equal(now(words).text, "https://example.org/a?b=1\nand more");
    assert.deepEqual(middle(words), [600, 300]);
    const html =
      "<p>One <b>bold</b>\n word</p><ul><li>two</li><li>three<script>boom()</script></li></ul>" +
      "<table><tr><td>a</td><td>b</td></tr></table><img src=x onerror='window.boom=1'>a<br>b";
    await copyElsewhere(page, { "text/html": html });
    await page.hands.press("ctrl+v");
    const found = await untilLogged(stage, (all) => all.length === 2, "its words");
    assert.equal(now(found[1]).text, "One bold word\ntwo\nthree\na\tb\na\nb");
    assert.equal(await page.evaluate("window.boom"), undefined);
    await copyElsewhere(page, { "text/plain": "many words ".repeat(60) });
    await page.hands.press("ctrl+v");
    const long = await untilLogged(stage, (all) => all.length === 3, "a long one");
    assert.ok(now(long[2]).width <= 640, "its lines are broken");
    assert.ok(now(long[2]).text.split("\n").length > 5);
    await copyElsewhere(page, { "text/plain": "x".repeat(70_000) });
    await page.hands.press("ctrl+v");
    await page.see(".board-too-long");
    assert.match(
      await page.evaluate("document.querySelector('.board-too-long').textContent"),
      /^\d+ characters too many$/,
    );
    assert.equal((await logged(stage)).length, 3, "nothing is sent");
  },
);

browserTest(
  "Clipboard: who may only look copies, and is told why nothing is pasted or cut",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const eve = await opened(stage, { name: "Eve" });
    await hold(eve);
    await drawn(ana, "r", [400, 250, 500, 310]);
    await untilLogged(stage, (all) => all.length === 1, "a shape");
    await ana.click(".faces");
    await ana.click('[aria-label^="Lock"], [data-do=lockBoard]');
    await eve.see(".read-only");
    await eve.hands.press("ctrl+a");
    await eve.hands.press("ctrl+x");
    await says(eve, /It was copied, and stays\. Ana has locked the board/);
    await eve.hands.press("ctrl+v");
    await says(eve, /Nothing was pasted\. Ana has locked the board/);
    assert.match((await onClipboard(stage, eve))["text/html"], /data-boardroom/);
    assert.equal((await logged(stage)).length, 1);
  },
);

browserTest(
  "Clipboard: Copy as PNG and as SVG, of what is selected, by keys and by menus; a browser that refuses is named",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await drawn(page, "o", [700, 250, 800, 310]);
    await page.evaluate(
      "Object.defineProperty(navigator.clipboard, 'write', {value: () => Promise.reject(new Error()), configurable: true})",
    );
    await page.hands.press("alt+shift+C");
    await says(page, /The browser did not take the PNG/);
    await page.evaluate("delete navigator.clipboard.write");
    await mayUse(stage);
    await rightClick(page, 700, 280);
    await choose(page, "Copy as", "Copy as PNG");
    await says(page, /Copied as PNG/);
    assert.deepEqual(Object.keys(await onClipboard(stage, page)), ["image/png"]);
    await page.hands.press("ctrl+v");
    const [, , image] = await untilLogged(stage, (all) => now(all[2] ?? {}).src, "an image of it");
    assert.equal(image.shape.type, "image");
    await page.evaluate("theBoard.select(['0.2'])");
    await page.hands.press("ctrl+shift+C");
    await says(page, /Copied as SVG/);
    const { "text/plain": svg } = await onClipboard(stage, page);
    assert.match(svg, /^<svg /);
    assert.equal(svg.match(/<path/g)?.length, 1, "the ellipse alone");
    await menu(page, "Copy as SVG");
    assert.deepEqual(page.complaints, []);
  },
);

/**
 * @param {Stage} stage
 * @param {string} room
 * @param {(elements: any[]) => boolean} isSo
 * @param {string} what
 */
const untilIn = async (stage, room, isSo, what) => {
  // Elements are drawn on a page of their own first, and copied from there.
  const shown = (/** @type {any[]} */ all) =>
    all.filter(({ scene, shape }) => (scene ?? shape?.scene) === 1);
  return shown(await untilLogged({ ...stage, room }, (all) => isSo(shown(all)), what));
};

browserTest(
  "Clipboard: between rooms ids are new, groups and arrows stay together, an image is stored anew or named as missing, one undo",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await drawn(page, "o", [700, 250, 800, 310]);
    await page.hands.press("a");
    await page.hands.drag([spot(480, 280), spot(600, 280), spot(720, 280)]);
    await page.evaluate("theBoard.select(['0.1', '0.2'])");
    await page.hands.press("ctrl+g");
    await untilLogged(stage, ([one]) => one?.set?.["style.groups"], "a group");
    await page.hands.press("p");
    await page.hands.drag([spot(450, 400), spot(500, 450), spot(560, 410)]);
    await copyPicture(stage, page);
    await page.hands.move(900, 300);
    await page.hands.press("ctrl+v");
    const [, , , , picture] = await untilLogged(stage, (all) => now(all[4] ?? {}).src, "an image");
    // What is copied has the images that the board has shown.
    await page.until(`theBoard.stage.images.get(${JSON.stringify(now(picture).src)})`);
    await page.evaluate(() => {
      const gone = `/v5/rooms/${"0".repeat(32)}/images/${"0".repeat(64)}.png`;
      const { theBoard } = /** @type {any} */ (window);
      theBoard.putShape({ type: "image", x: 300, y: 100, width: 50, height: 40, src: gone });
    });
    const before = await untilLogged(stage, (all) => all.length === 6, "one that is missing");
    await page.hands.press("ctrl+a");
    await page.hands.press("ctrl+c");
    const room = newRoom();
    const there = await opened(stage, { room });
    await hold(there);
    await there.hands.move(640, 400);
    await there.hands.press("ctrl+v");
    const all = await untilIn(stage, room, (found) => found.length === 6, "all of it");
    await says(there, /Not taken over: 1 × image/);
    const [one, two, arrow, stroke, image, missing] = all;
    const ids = all.map(({ id }) => id);
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual(one.set["style.groups"], two.set["style.groups"]);
    assert.notDeepEqual(one.set["style.groups"], before[0].set["style.groups"]);
    const ends = ["start", "end"].map((name) => arrow.set[`style.${name}`]?.element);
    assert.deepEqual(ends, [one.id, two.id], "the arrow is bound to the copies");
    assert.ok(stroke.stroke.ended);
    assert.ok(now(image).src.startsWith(`/v5/rooms/${room}/`), `${now(image).src} is of this room`);
    assert.equal(now(missing).src, undefined);
    const moved = now(one).x - now(before[0]).x;
    assert.ok(Math.abs(now(two).x - now(before[1]).x - moved) < 0.01, "as they stood");
    assert.deepEqual(await there.evaluate("theBoard.selection.length"), 6, "they are selected");
    await there.hands.press("ctrl+z");
    await untilIn(stage, room, (found) => found.length === 0, "one undo takes back all");
    await there.hands.press("ctrl+shift+Z");
    await untilIn(stage, room, (found) => found.length === 6, "one redo brings back all");
  },
);

browserTest(
  "Clipboard: what Excalidraw copies becomes elements; a broken or forged clipboard is named and puts nothing",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    const shape = { id: "a", type: "rectangle", x: 10, y: 20, width: 100, height: 50, angle: 0 };
    const text = JSON.stringify({ type: "excalidraw/clipboard", elements: [shape], files: {} });
    await copyElsewhere(page, { "text/plain": text });
    await page.hands.move(700, 500);
    await page.hands.press("ctrl+v");
    const [one] = await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    assert.deepEqual([one.shape.type, ...middle(one)], ["rectangle", 700, 500]);
    const forged = {
      type: "boardroom",
      version: 1,
      room: roomMark(stage.room),
      elements: [{ id: "0.1", shape: { type: "rectangle", x: "<img src=x onerror=boom()>" } }],
    };
    await copyElsewhere(page, {
      "text/html": `<div data-boardroom='${JSON.stringify(forged).replace(/</g, "&lt;")}'>x</div>`,
    });
    await page.hands.press("ctrl+v");
    await says(page, /In the clipboard, element 1 is wrong/);
    await copyElsewhere(page, { "text/plain": '{"type":"boardroom","version":1,' });
    await page.hands.press("ctrl+v");
    await says(page, /The clipboard is not a drawing/);
    const many = Array.from({ length: 20_001 }, (_, at) => ({
      ...forged.elements[0],
      id: `${at}`,
    }));
    await copyElsewhere(page, { "text/plain": JSON.stringify({ ...forged, elements: many }) });
    await page.hands.press("ctrl+v");
    await says(page, /The clipboard has 20001 elements; 20000 are allowed/);
    assert.equal((await logged(stage)).length, 1);
    assert.deepEqual(page.complaints, []);
  },
);
