// The boards that a browser opened lately, on the first page.
import assert from "node:assert/strict";
import { drawn, line, opened, untilLogged } from "../kit/board.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** What the list shows, and what has the focus. */
const listed = () => ({
  names: [...document.querySelectorAll(".recent li strong")].map((one) => one.textContent),
  pictures: document.querySelectorAll(".recent li img").length,
  focus: document.activeElement?.textContent ?? "",
});

const focusName = () =>
  document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;

/**
 * @param {Page} page
 * @param {string[]} names that the list has then
 */
const untilListed = (page, names) =>
  page.until(
    (/** @type {string} */ wanted) =>
      [...document.querySelectorAll(".recent li strong")]
        .map((one) => one.textContent)
        .join("|") === wanted,
    [names.join("|")],
  );

/** @param {Page} page */
const untilConnected = (page) => page.see(".status[data-phase=connected]");

/**
 * A board with a note on it.
 * @param {Page} page
 * @param {import("../kit/test.js").Stage} stage
 * @param {string} text
 */
async function noted(page, stage, text) {
  await page.hands.press("n");
  await page.hands.click(640, 400);
  await page.see(".board-writing");
  await page.hands.type(text);
  await page.hands.press("Escape");
  await untilLogged(stage, (all) => all.some(({ shape }) => shape?.text === text), text);
}

browserTest(
  "Recent boards: the first page lists them with name, time and picture; a click or Enter opens one",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await noted(page, stage, "Fractions");
    const other = newRoom();
    await page.open(`${stage.server.url}/r/${other}`);
    await untilConnected(page);
    await line(page, [
      [400, 300],
      [600, 420],
    ]);
    await page.open(`${stage.server.url}/`);
    await untilListed(page, [`Board ${other.slice(0, 8)}`, "Fractions"]);
    assert.equal((await page.evaluate(listed)).pictures, 2);
    assert.match(String(await page.text(".recent time")), /\d:\d\d/);
    const isInked = await page.evaluate(async () => {
      const image = /** @type {HTMLImageElement} */ (document.querySelector(".recent img"));
      await image.decode();
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth;
      canvas.height = image.naturalHeight;
      const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      ctx.drawImage(image, 0, 0);
      const { data } = ctx.getImageData(0, 0, canvas.width, canvas.height);
      return data.some((level) => level < 128);
    });
    assert.equal(isInked, true, "the picture shows the line");
    await page.click(`.recent a[href$="${stage.room}"]`);
    await untilConnected(page);
    assert.ok((await page.evaluate("location.pathname")).endsWith(stage.room));
    await page.open(`${stage.server.url}/`);
    // What was opened last is first.
    await untilListed(page, ["Fractions", `Board ${other.slice(0, 8)}`]);
    assert.equal(await page.evaluate(focusName), "New board");
    for (let tabs = 0; tabs < 4; tabs++) {
      await page.hands.press("Tab");
    }
    await page.hands.press("ArrowDown");
    await page.hands.press("ArrowUp");
    assert.match(String(await page.evaluate(focusName)), /^Fractions/);
    await page.hands.press("Enter");
    await untilConnected(page);
    assert.ok((await page.evaluate("location.pathname")).endsWith(stage.room));
    // New boards come from the menu as before, and are listed when something is on them.
    await page.click('.people [aria-label="Menu"]');
    await page.click(".menu-item[data-do=newBoard]");
    await page.until(
      (/** @type {string} */ room) => !location.href.includes(room) && location.pathname !== "/",
      [stage.room],
    );
    await untilConnected(page);
    await page.click('.people [aria-label="Menu"]');
    await page.click(".menu-item[data-do=boards]");
    await untilListed(page, ["Fractions", `Board ${other.slice(0, 8)}`]);
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Recent boards: one is removed, all are removed, and both can be put back",
  async (stage) => {
    const time = Date.now();
    const boards = ["one", "two", "three"].map((name) => ({ room: newRoom(), name, time }));
    const page = await opened(stage, {
      keep: { recent: JSON.stringify(boards) },
      url: `${stage.server.url}/r/${stage.room}`,
    });
    await drawn(page, "r", [500, 300, 700, 420]);
    await page.open(`${stage.server.url}/`);
    const own = `Board ${stage.room.slice(0, 8)}`;
    await untilListed(page, [own, "one", "two", "three"]);
    await page.click('[aria-label="Remove two from the list"]');
    await untilListed(page, [own, "one", "three"]);
    assert.match((await page.evaluate(listed)).focus, /^three/);
    await page.hands.press("Delete");
    await untilListed(page, [own, "one"]);
    await page.click(".recent [role=status] button");
    await untilListed(page, [own, "one", "three"]);
    await page.click(".recent header button");
    await untilListed(page, []);
    assert.equal((await page.evaluate(listed)).focus, "Put back");
    await page.hands.press("Enter");
    await untilListed(page, [own, "one", "three"]);
    await page.click(".recent header button");
    await untilListed(page, []);
    // Nothing is listed: the start is a fresh board again.
    await page.open(`${stage.server.url}/`);
    await untilConnected(page);
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Recent boards: no token is kept, shown or sent; who has none is asked, or removes the board",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room({ name: "Lesson" });
    const token = await server.token("writer", room);
    const person = await stage.person();
    const page = await person.open(`${server.url}/r/${room}#${token}`);
    await untilConnected(page);
    await page.open(`${server.url}/`);
    await untilListed(page, ["Lesson"]);
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }) + document.title);
    assert.ok(!kept.includes("NETLESS"), kept);
    assert.ok(!(await page.evaluate(() => document.documentElement.outerHTML)).includes("NETLESS"));
    assert.ok(page.requests.every((address) => !address.includes("NETLESS")));
    assert.ok(!server.log.includes(token));
    // The tab that had the token has it still.
    await page.click(".recent-open");
    await untilConnected(page);
    const other = await person.open(`${server.url}/`);
    await other.click(".recent-open");
    await other.see("form[name=token]");
    await other.click(".card > .button.wide");
    await other.see("form[name=enter]");
    assert.deepEqual((await other.evaluate(listed)).names, []);
    assert.deepEqual([...page.complaints, ...other.complaints], []);
  },
);

browserTest("Recent boards: one that is gone is said to be, and can be removed", async (stage) => {
  const server = await stage.ownServer();
  const room = await server.room({ name: "Last year" });
  const person = await stage.person();
  const page = await person.open(`${server.url}/r/${room}`);
  await untilConnected(page);
  await page.open(`${server.url}/#boards`);
  await untilListed(page, ["Last year"]);
  await server.call("DELETE", `/v5/rooms/${room}`);
  await page.click(".recent-open");
  await page.see(".banner.bad [data-do=forget]");
  assert.match(String(await page.text(".banner")), /no such room/);
  await page.click(".banner [data-do=forget]");
  await page.see("form[name=enter]");
  assert.deepEqual((await page.evaluate(listed)).names, []);
});

browserTest(
  "Recent boards: the list is bounded, what is damaged is passed over, and nothing is needed of the browser",
  async (stage) => {
    const time = Date.now();
    const good = Array.from({ length: 100 }, (_, at) => ({ room: newRoom(), name: `${at}`, time }));
    const bad = [
      7,
      null,
      { room: "../evil", name: "a", time },
      { room: newRoom(), name: {}, time },
      { room: newRoom(), name: "b", time, picture: "https://elsewhere.test/a.png" },
    ];
    const page = await opened(stage, { keep: { recent: JSON.stringify([...bad, ...good]) } });
    await page.open(`${stage.server.url}/#boards`);
    await page.until(() => document.querySelectorAll(".recent li").length === 24);
    await page.evaluate(() => localStorage.setItem("boardroom.recent", "{"));
    await page.open(`${stage.server.url}/`);
    await untilConnected(page);
    assert.deepEqual(page.complaints, []);
    const hidden = await (await stage.person()).open();
    await hidden.send("Page.addScriptToEvaluateOnNewDocument", {
      source: `for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, { get() { throw new DOMException("no", "SecurityError"); } });
      }`,
    });
    await hidden.open(`${stage.server.url}/`);
    await untilConnected(hidden);
    await line(hidden, [
      [400, 300],
      [600, 420],
    ]);
    await hidden.open(`${stage.server.url}/#boards`);
    await hidden.see("form[name=enter]");
    assert.equal(await hidden.evaluate(() => document.querySelectorAll(".recent li").length), 0);
    assert.deepEqual(hidden.complaints, []);
  },
);
