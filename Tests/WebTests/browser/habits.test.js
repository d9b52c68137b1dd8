// Small habits: Escape, the digits, the tab's title, and a name that is asked for once.
import assert from "node:assert/strict";
import { board, drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** @param {Page} page */
const tool = (page) => page.evaluate("theBoard.tool");

/** @param {Page} page @param {string} name */
const untilTool = (page, name) =>
  page.until(
    (/** @type {string} */ wanted) => {
      const { theBoard } = /** @type {any} */ (window);
      return theBoard.tool === wanted;
    },
    [name],
  );

const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

browserTest(
  "Escape closes what is open, ends a drawing, deselects, and then takes the select tool",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await page.hands.press("r");
    await page.click(".style-open");
    await page.see(".popover.style");
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".paper")).focus(),
    );
    await page.hands.press("Escape");
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    assert.equal(await tool(page), "rectangle", "first it closes the panel");
    await page.hands.drag([spot(400, 300), spot(450, 350), spot(500, 400)], { let: false });
    await page.hands.press("Escape");
    await page.hands.release({}, spot(500, 400));
    assert.equal(await tool(page), "rectangle", "then it ends the drawing");
    assert.equal((await logged(stage)).length, 0);
    await page.hands.press("Escape");
    await untilTool(page, "select");
    await drawn(page, "r", [400, 300, 500, 400]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    await page.hands.press("Escape");
    assert.deepEqual(await page.evaluate("theBoard.selection"), []);
    assert.equal(await tool(page), "select");
    // Also from the button that was clicked.
    await page.click(".toolbar [data-tool=pen]");
    await page.hands.press("Escape");
    await untilTool(page, "select");
    await page.hands.press("p");
    await page.hands.press("?");
    await page.see("dialog .help");
    await page.hands.press("Escape");
    await page.until(() => !document.querySelector("dialog"));
    assert.equal(await tool(page), "pen", "a dialog closes, and no more");
  },
);

browserTest(
  "The digits 1 to 9 take the tools in the order of the bar, and tooltips and help say so",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    const inBar = await page.evaluate(() =>
      [...document.querySelectorAll(".tools button:not(.popover *)")]
        .slice(0, 9)
        .map((one) => [one.getAttribute("data-tool") ?? "rectangle", one.title]),
    );
    for (const [at, [name, title]] of inBar.entries()) {
      assert.match(title, new RegExp(`\\b${at + 1}\\)$`));
      await page.hands.press(String(at + 1));
      await untilTool(page, name);
    }
    await page.hands.press("o");
    await page.hands.press("1");
    await page.hands.press("6");
    await untilTool(page, "ellipse");
    await page.hands.wheel(640, 400, 0, -400, "ctrl");
    await page.hands.press("shift+0");
    await page.until(() => document.querySelector(".zoom")?.textContent === "100%");
    assert.equal(await tool(page), "ellipse", "Shift with a digit is the view's, as before");
    await page.hands.press("?");
    await page.see("dialog .help");
    const rows = await page.evaluate(() =>
      [...document.querySelectorAll(".help section:first-child dt")].map(
        (one) => `${one.textContent} ${one.nextElementSibling?.textContent}`,
      ),
    );
    for (const row of ["Select V1", "Pen P3", "Shapes 6", "Sticky note N9"]) {
      assert.ok(rows.includes(row), `${row}: ${rows}`);
    }
    await page.hands.press("3");
    assert.equal(await tool(page), "ellipse", "not while a dialog is open");
  },
);

browserTest("Digits are written into a text, and take no tool there", async (stage) => {
  const page = await opened(stage);
  await hold(page);
  await page.hands.press("8");
  await page.hands.click(640, 400);
  await page.see(".board-writing");
  await page.hands.type("1234");
  await page.hands.press("Escape");
  const [text] = await untilLogged(stage, (all) => all.length === 1, "a text");
  assert.equal(text.shape.text, "1234");
});

browserTest("The tab's title is the room's name", async (stage) => {
  const title = (/** @type {Page} */ page) => page.evaluate("document.title");
  const unnamed = await opened(stage);
  assert.equal(await title(unnamed), `Boardroom ${stage.room.slice(0, 8)}`);
  const { uuid } = await stage.server.call("POST", "/v5/rooms", { name: "Fractions, class 4b" });
  const page = await opened(stage, { url: `${stage.server.url}/r/${uuid}` });
  await page.until("document.title === 'Fractions, class 4b'");
  const replay = await (await stage.person()).open(`${stage.server.url}/replay/${uuid}`);
  await replay.until("document.title === 'Fractions, class 4b · Replay'");
  const { uuid: long } = await stage.server.call("POST", "/v5/rooms", { name: "x".repeat(500) });
  const far = await opened(stage, { url: `${stage.server.url}/r/${long}` });
  await far.until("document.title === 'x'.repeat(80)");
});

browserTest(
  "A name is asked for once, kept in the browser, used in every room, and changed in the list",
  async (stage) => {
    const { server, room } = stage;
    const person = await stage.person();
    const join = async (/** @type {string} */ of) => {
      const page = await person.open(`${server.url}/r/${of}`);
      await page.see("[data-phase=connected]");
      return page;
    };
    const nameIn = async (/** @type {string} */ of) => {
      const { parts } = await server.call("GET", `/v5/rooms/${of}/state`);
      return JSON.stringify(parts);
    };
    const page = await join(room);
    await page.see(".ask-name");
    // Nobody has to answer before drawing.
    await page.hands.drag([spot(400, 300), spot(600, 420)]);
    await page.until(board.elements, [1]);
    const other = await opened(stage, { name: "Wang" });
    await other.click(".faces");
    await other.until(() => /Guest \d/.test(document.querySelector(".members")?.textContent ?? ""));
    await page.click(".ask-name input");
    await page.hands.type("Ana");
    await page.hands.press("Enter");
    await page.until(() => !document.querySelector(".ask-name")?.checkVisibility());
    await other.until(() => document.querySelector(".members")?.textContent?.includes("Ana"));
    const next = newRoom();
    const again = await join(next);
    await again.until(() => document.querySelector(".face")?.getAttribute("title") === "Ana");
    assert.equal(
      await again.evaluate(() => document.querySelector(".ask-name")?.checkVisibility()),
      false,
    );
    await again.click(".faces");
    await again.click(".members .own input");
    await again.hands.press("ctrl+a");
    await again.hands.type(`Bea ${"e".repeat(60)}`);
    await again.hands.press("Enter");
    const bea = `Bea ${"e".repeat(36)}`;
    await again.until(
      (/** @type {string} */ name) => localStorage["boardroom.name"] === name,
      [bea],
    );
    // Who is removed and joins again has the new name, too.
    const { memberId } = (await server.call("GET", `/v5/rooms/${next}/members`))[0];
    await server.call("POST", `/v5/rooms/${next}/kick`, { memberId });
    await again.see(".banner.bad");
    await again.click(".banner button");
    await again.see("[data-phase=connected]");
    await again.until(
      (/** @type {string} */ name) =>
        document.querySelector(".face")?.getAttribute("title") === name,
      [bea],
    );
    assert.ok(await nameIn(next));
  },
);

browserTest(
  "Who gives no name is a guest and is not asked again; readers and replays ask for none",
  async (stage) => {
    const { server, room } = stage;
    const host = await opened(stage, { name: "Ana" });
    const person = await stage.person({ mobile: true, width: 390, height: 844 });
    const page = await person.open(`${server.url}/r/${room}`);
    await page.see(".ask-name");
    await page.tap(".ask-name [aria-label='Stay a guest']");
    await page.until(() => !document.querySelector(".ask-name")?.checkVisibility());
    await page.reload();
    await page.see("[data-phase=connected]");
    const asks = () => document.querySelector(".ask-name")?.checkVisibility() ?? false;
    assert.equal(await page.evaluate(asks), false);
    await page.until(() =>
      document.querySelector(".face")?.getAttribute("title")?.startsWith("Guest"),
    );
    await host.click(".share-open");
    await host.until(() => document.querySelectorAll(".copy-row input").length === 2);
    const link = await host.evaluate(
      () => /** @type {HTMLInputElement} */ (document.querySelectorAll(".copy-row input")[1]).value,
    );
    const reader = await (await stage.person()).open(link);
    await reader.see(".read-only");
    assert.equal(await reader.evaluate(asks), false);
    const replay = await (await stage.person()).open(`${server.url}/replay/${room}`);
    await replay.see(".player .deck");
    assert.equal(await replay.evaluate(asks), false);
  },
);
