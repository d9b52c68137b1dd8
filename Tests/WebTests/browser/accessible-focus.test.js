// Our own audit of the focus: Tab reaches everything, the focus is seen, and comes back; and a fault of
// each kind, which is found.
import assert from "node:assert/strict";
import { linesOf, plant, themed } from "../kit/accessible.js";
import { opened } from "../kit/board.js";
import { kept, tabbed } from "../kit/focus-audit.js";
import { lively, watching } from "../kit/player.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/accessible.js").Finding} Finding */

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844, mobile: true },
];

const SCHEMES = /** @type {const} */ (["light", "dark"]);

/** @param {Page} page */
async function openHelp(page) {
  await page.click(".menu-open");
  await page.click(".menu [data-do=help]");
  await page.see("dialog");
}

/** Boards that the browser keeps, so that the first page lists them. */
const recent = () =>
  JSON.stringify([
    { room: newRoom(), name: "Fractions", time: Date.now() },
    { room: newRoom(), name: "", time: Date.now() },
  ]);

browserTest(
  "Accessible: Tab reaches every control of each page and goes around, and the focus is seen in both themes",
  async (stage) => {
    /** @type {string[]} */
    const wrong = [];
    await lively(stage);
    const note = async (/** @type {string} */ name, /** @type {Page} */ page, isSeen = false) => {
      const lines = linesOf(await tabbed(page, { isSeen }));
      wrong.push(...lines.map((line) => `${name}: ${line}`));
    };
    for (const size of SIZES) {
      const looks = { ...size, reducedMotion: true };
      const isSeen = size === SIZES[0];
      const board = await opened(stage, { ...looks, keep: { recent: recent() } });
      const replay = await watching(stage, "", looks);
      for (const scheme of isSeen ? SCHEMES : [SCHEMES[0]]) {
        const where = `${size.width} ${scheme}`;
        await themed(board, scheme);
        await themed(replay, scheme);
        await note(`${where}, board`, board, isSeen);
        await note(`${where}, replay`, replay, isSeen);
      }
      await openHelp(board);
      await note(`${size.width}, help`, board);
      await board.hands.press("Escape");
      await board.open(`${stage.server.url}/#boards`);
      await board.see(".recent li");
      await note(`${size.width}, first page`, board, isSeen);
    }
    assert.equal(wrong.join("\n"), "");
  },
  { timeout: 300_000 },
);

browserTest(
  "Accessible: what opens takes the focus, a dialog keeps it, and Escape gives it back to the opener",
  async (stage) => {
    await lively(stage);
    const page = await opened(stage, { reducedMotion: true });
    /** @type {Finding[]} */
    const found = [];
    for (const [opener, opens] of [
      [".share-open", "dialog"],
      ["[data-do=image]", "dialog"],
      [".menu-open", ".popover.menu"],
      [".faces", ".popover.members"],
      [".shapes-open", ".shapes-open + .popover"],
    ]) {
      found.push(...(await kept(page, opener, opens)));
    }
    const replay = await watching(stage, "", { reducedMotion: true });
    for (const name of ["share", "exports", "help"]) {
      found.push(...(await kept(replay, `[data-do=${name}]`, `dialog.${name}`)));
    }
    assert.deepEqual(linesOf(found), []);
  },
);

const GOOD = "min-width: 48px; min-height: 48px; background: #ffffff; color: #000000;";

browserTest("Accessible: a fault of each kind of the focus is found", async (stage) => {
  const page = await opened(stage, { reducedMotion: true });
  // What Tab finds.
  const tabs = async (/** @type {string} */ html, isSeen = false) => {
    await plant(page, html);
    const rules = (await tabbed(page, { isSeen })).map(({ rule }) => rule);
    await page.evaluate(() => document.querySelector(".planted")?.remove());
    return [...new Set(rules)];
  };
  const button = `data-style="${GOOD}"`;
  assert.deepEqual(await tabs(`<button ${button}>good</button>`, true), []);
  const bare = `<button data-style="${GOOD} outline: none">bare</button>`;
  assert.deepEqual(await tabs(bare, true), ["focus"]);
  assert.deepEqual(await tabs(`<button tabindex="-1" ${button}>left out</button>`), ["reach"]);
  await page.evaluate(() =>
    document.addEventListener("keydown", (event) => {
      const isIn = /** @type {Element} */ (event.target).matches(".trap");
      if (isIn && event.key === "Tab") event.preventDefault();
    }),
  );
  assert.ok((await tabs(`<button class="trap" ${button}>trap</button>`)).includes("trap"));
  // What a dialog forgets.
  await plant(
    page,
    `<button class="opens" ${button}>opens</button><div class="opened" hidden><button ${button}>in</button></div>`,
  );
  await page.evaluate(() => {
    const opened = /** @type {HTMLElement} */ (document.querySelector(".opened"));
    const opens = /** @type {HTMLElement} */ (document.querySelector(".opens"));
    opens.onclick = () => {
      opened.hidden = false;
    };
    document.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape") return;
      opened.hidden = true;
      opens.blur();
    });
  });
  const lost = linesOf(await kept(page, ".opens", ".opened"));
  assert.deepEqual(lost, ["dialog: .opened: not in", "dialog: .opens: the focus is not back"]);
});
