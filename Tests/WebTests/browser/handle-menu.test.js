// The menu at the pointer, groups, aligning.
import assert from "node:assert/strict";
import { drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const set = (/** @type {any} */ one) => one?.set ?? {};
const groups = (/** @type {any} */ one) => set(one)["style.groups"];
const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/**
 * @param {Page} page
 * @param {number} x
 * @param {number} y
 */
async function rightClick(page, x, y) {
  await page.hands.drag([spot(x, y), spot(x, y)], { button: "right" });
  await page.see(".context-menu");
}

/** @param {Page} page @returns {Promise<string[]>} what can be chosen in the open menu */
const items = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".context-menu:not([hidden]) .words")]
      .filter((one) => one.checkVisibility())
      .map((one) => one.textContent ?? ""),
  );

/**
 * Clicks on an item.
 * @param {Page} page
 * @param {string} words
 */
async function choose(page, words) {
  const { x, y } = await page.evaluate((/** @type {string} */ wanted) => {
    const all = [...document.querySelectorAll(".context-menu .menu-item")];
    const found = all.find((one) => one.querySelector(".words")?.textContent === wanted);
    const box = /** @type {Element} */ (found).getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }, words);
  await page.hands.click(x, y);
}

/** @param {Page} page */
const focus = (page) =>
  page.evaluate(() => {
    const held = document.activeElement;
    return held?.querySelector(".words")?.textContent ?? held?.className ?? "";
  });

browserTest(
  "Context menu: the right button selects what is under it; lock, order, copy and delete are there",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 600, 370]);
    await drawn(page, "o", [500, 300, 700, 420]);
    await page.hands.press("Escape");
    await rightClick(page, 400, 300);
    assert.deepEqual(await page.evaluate("theBoard.selection"), ["0.1"]);
    const [cut, copy, duplicate] = await items(page);
    assert.deepEqual([cut, copy, duplicate], ["Cut", "Copy", "Paste"]);
    await choose(page, "Duplicate");
    await untilLogged(stage, (all) => all.length === 3, "a copy");
    await page.hands.press("Escape");
    await rightClick(page, 400, 300);
    await choose(page, "Order");
    await choose(page, "Bring to the front");
    await untilLogged(stage, (all) => set(all.find(({ id }) => id === "0.1")).order, "in front");
    await rightClick(page, 400, 300);
    await choose(page, "Lock");
    await untilLogged(stage, (all) => set(all.find(({ id }) => id === "0.1")).locked, "locked");
    await rightClick(page, 400, 300);
    assert.ok(!(await items(page)).includes("Delete"), "what is locked is not deleted");
    await choose(page, "Unlock");
    await untilLogged(stage, (all) => !set(all.find(({ id }) => id === "0.1")).locked, "free");
    await rightClick(page, 400, 300);
    await choose(page, "Delete");
    await untilLogged(stage, (all) => all.every(({ id }) => id !== "0.1"), "it is gone");
    await rightClick(page, 900, 650);
    assert.deepEqual(await items(page), [
      "Paste",
      "Paste in place",
      "Copy as",
      "Select all",
      "Show everything",
      "Back to 100 %",
      "Open a file…",
      "Export…",
      "Always snap",
      "Keep the tool in hand",
    ]);
    await choose(page, "Select all");
    await page.until("theBoard.selection.length === 2");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Context menu: the menu key opens it, arrows and letters move in it, Escape closes it and gives the focus back",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 600, 370]);
    await page.evaluate("document.querySelector('.paper').focus()");
    await page.hands.press("shift+F10");
    await page.see(".context-menu");
    await page.hands.press("ArrowDown");
    assert.equal(await focus(page), "Cut");
    await page.hands.press("ArrowUp");
    assert.equal(await focus(page), "Delete");
    await page.hands.press("o");
    assert.equal(await focus(page), "Order");
    await page.hands.press("ArrowRight");
    assert.equal(await focus(page), "Bring to the front");
    await page.hands.press("End");
    assert.equal(await focus(page), "Send to the back");
    await page.hands.press("ArrowLeft");
    assert.equal(await focus(page), "Order");
    const said = await page.readAloud();
    const roles = said.filter(({ role }) => /^menu/.test(role)).map(({ role }) => role);
    assert.ok(roles.includes("menu") && roles.filter((role) => role === "menuitem").length > 8);
    await page.hands.press("Escape");
    assert.equal(await focus(page), "paper");
    assert.deepEqual(await items(page), []);
    assert.deepEqual(await page.evaluate("theBoard.selection"), ["0.1"], "it stays selected");
    await page.hands.press("ContextMenu");
    await page.see(".context-menu");
    await page.hands.press("d");
    await page.hands.press("Enter");
    await untilLogged(stage, (all) => all.length === 2, "a copy");
  },
);

browserTest(
  "Context menu: a finger that stays down opens it, one that moves does not",
  async (stage) => {
    const page = await opened(stage, { mobile: true, width: 400, height: 800 });
    await hold(page);
    await drawn(page, "r", [100, 250, 300, 370]);
    await page.hands.press("Escape");
    await page.hands.touch([spot(100, 300)]);
    await page.see(".context-menu");
    await page.hands.touch([]);
    assert.deepEqual(await page.evaluate("theBoard.selection"), ["0.1"]);
    const menu = await page.box(".context-menu");
    assert.ok(menu.x >= 0 && menu.x + menu.width <= 400 && menu.y + menu.height <= 800);
    await page.tap(".context-menu .menu-item");
    await untilLogged(stage, (all) => all.length === 0, "it is cut");
    await page.hands.press("p");
    await page.hands.touch([spot(200, 300)]);
    for (let y = 310; y < 400; y += 10) {
      await page.hands.touch([spot(200, y)]);
    }
    await page.passTime(700);
    await page.hands.touch([]);
    await untilLogged(stage, ([one]) => one?.stroke?.ended, "a stroke");
    assert.deepEqual(await items(page), []);
    // What draws or points may stay at its place.
    await page.hands.touch([spot(150, 500)]);
    await page.passTime(700);
    assert.deepEqual(await items(page), [], "a pen that rests opens none");
    await page.hands.touch([]);
    await untilLogged(stage, (all) => all.length === 2, "and has made a point");
  },
);

browserTest("Context menu: it says who made what is selected", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  await hold(wang);
  await drawn(ana, "r", [400, 250, 600, 370]);
  await untilLogged(stage, (all) => all.length === 1, "Ana's");
  await wang.until("theBoard.sceneContent.index.entries.size === 1");
  await rightClick(wang, 400, 300);
  await choose(wang, "Who made this");
  await wang.until(() => /Made by.*Ana/.test(document.querySelector("dialog")?.textContent ?? ""));
});

browserTest(
  "Groups: Ctrl+G makes one of them, a click selects all of it, a double click goes inside, copies are groups of their own",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    for (const left of [400, 550, 700]) {
      await drawn(page, "r", [left, 250, left + 100, 350]);
    }
    const selection = () => page.evaluate("theBoard.selection");
    await page.evaluate("theBoard.select(['0.1', '0.2'])");
    await page.hands.press("ctrl+g");
    const all = await untilLogged(stage, ([one]) => groups(one), "a group");
    assert.deepEqual(
      all.map((one) => groups(one)?.length),
      [1, 1, undefined],
    );
    assert.deepEqual(groups(all[0]), groups(all[1]));
    const before = await logged(stage);
    await page.hands.press("Escape");
    await page.hands.click(400, 300);
    assert.deepEqual(await selection(), ["0.1", "0.2"]);
    await page.hands.click(400, 300, 2);
    assert.deepEqual(await selection(), ["0.1"], "inside of it");
    await page.hands.click(550, 300);
    assert.deepEqual(await selection(), ["0.2"], "and another one of it");
    await page.hands.press("Escape");
    assert.deepEqual(await selection(), ["0.1", "0.2"], "Escape goes out of it");
    await page.hands.press("Escape");
    assert.deepEqual(await selection(), []);
    assert.deepEqual(await logged(stage), before, "selecting changes no element");
    await page.hands.drag([spot(390, 240), spot(450, 300), spot(520, 300)], { steady: true });
    assert.deepEqual(await selection(), ["0.1", "0.2"], "a marquee takes all of a group");
    await page.hands.press("ctrl+d");
    const copied = await untilLogged(stage, (found) => found.length === 5, "copies");
    const fresh = copied.slice(3).map(groups);
    assert.deepEqual(fresh[0], fresh[1]);
    assert.notDeepEqual(fresh[0], groups(copied[0]));
    await page.evaluate(
      "theBoard.select(theBoard.groups.whole([theBoard.source.element('0.1')]).concat('0.3'))",
    );
    await page.hands.press("ctrl+g");
    await untilLogged(
      stage,
      (found) => groups(found[0]).length === 2,
      "a group with a group in it",
    );
    await page.hands.press("Escape");
    await page.hands.click(700, 300);
    assert.deepEqual(await selection(), ["0.1", "0.2", "0.3"]);
    await page.hands.press("ctrl+shift+g");
    await untilLogged(stage, (found) => !groups(found[2]), "the outer group is gone");
    assert.equal(groups((await logged(stage))[0]).length, 1);
  },
);

browserTest(
  "Align and distribute: the keys of tldraw and the menu, one command and one undo; a group is one thing",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 200, 500, 260]);
    await drawn(page, "r", [550, 300, 600, 400]);
    await drawn(page, "r", [800, 450, 860, 480]);
    const boxes = async () => (await logged(stage)).map((one) => ({ ...one.shape, ...set(one) }));
    await page.hands.press("ctrl+a");
    await page.hands.press("alt+a");
    await untilLogged(stage, (all) => set(all[2]).x === -240, "aligned left");
    assert.deepEqual(
      (await boxes()).map(({ x }) => x),
      [-240, -240, -240],
    );
    await page.hands.press("ctrl+z");
    const isBack = (/** @type {any[]} */ all) => all.every((one) => set(one).x === undefined);
    await untilLogged(stage, isBack, "one undo takes back all three, since they were one command");
    await page.hands.press("ctrl+a");
    await page.hands.press("alt+s");
    await untilLogged(stage, (all) => set(all[0]).y === 20, "aligned at the bottom");
    assert.deepEqual(
      (await boxes()).map(({ y, height }) => y + height),
      [80, 80, 80],
    );
    await page.hands.press("alt+shift+h");
    await untilLogged(stage, (all) => set(all[1]).x !== undefined, "distributed");
    const spread = await boxes();
    const gaps = [1, 2].map((at) => spread[at].x - spread[at - 1].x - spread[at - 1].width);
    assert.ok(Math.abs(gaps[0] - gaps[1]) < 0.02, `${gaps}`);
    await rightClick(page, 400, 455);
    await choose(page, "Arrange");
    await choose(page, "Align top");
    await untilLogged(
      stage,
      (all) => set(all[2]).y !== undefined && set(all[2]).y < 0,
      "the menu's",
    );
    await page.hands.press("shift+h");
    await untilLogged(stage, (all) => set(all[0]).x > 0, "flipped");
  },
);
