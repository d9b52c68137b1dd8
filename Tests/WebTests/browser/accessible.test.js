// Our own audit of accessibility: each view of the board, the first page and the replay, in both
// themes and both languages, on four sizes of screen; and a fault of each kind, which is found.
import assert from "node:assert/strict";
import { linesOf, looked, plant, TARGET, themed, unnamed } from "../kit/accessible.js";
import { drawn, opened } from "../kit/board.js";
import { lively, read, watching } from "../kit/player.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/** A tablet and a telephone have fingers. */
const SIZES = [
  { width: 1280, height: 800 },
  { width: 1024, height: 600 },
  { width: 768, height: 1024, mobile: true },
  { width: 390, height: 844, mobile: true },
];

const LANGUAGES = [
  { locale: "en-US", language: "en" },
  { locale: "zh-CN", language: "zh-Hans" },
];

const SCHEMES = /** @type {const} */ (["light", "dark"]);

/**
 * A view of a page: how it is reached, and how it is left. Not `isNarrow`: where there is room only,
 * `true`: where there is none.
 * @typedef {{name: string, isNarrow?: boolean, open(page: Page): Promise<unknown>,
 *   close?(page: Page): Promise<unknown>}} View
 */

/** @param {string} selector */
const click = (selector) => async (/** @type {Page} */ page) => {
  await page.evaluate((/** @type {string} */ one) => {
    /** @type {HTMLElement} */ (document.querySelector(one)).click();
  }, selector);
};

const pressEscape = (/** @type {Page} */ page) => page.hands.press("Escape");

/** @param {string} action of the menu @returns {View["open"]} */
const fromMenu = (action) => async (page) => {
  await click(".menu-open")(page);
  await click(`.menu [data-do=${action}]`)(page);
  await page.see("dialog");
};

/** @type {View[]} */
const BOARD = [
  { name: "the board", open: async () => {} },
  { name: "a selection", open: (page) => page.hands.press("ctrl+a") },
  { name: "the context menu", open: (page) => page.hands.press("shift+F10"), close: pressEscape },
  { name: "the menu", open: click(".menu-open"), close: pressEscape },
  { name: "the members", open: click(".faces"), close: pressEscape },
  { name: "the shapes", open: click(".shapes-open"), close: pressEscape },
  { name: "the pages", isNarrow: true, open: click(".pages-open"), close: pressEscape },
  { name: "sharing", open: click(".share-open"), close: pressEscape },
  { name: "export", open: fromMenu("export"), close: pressEscape },
  { name: "the help", open: fromMenu("help"), close: pressEscape },
  { name: "an image", open: click("[data-do=image]"), close: pressEscape, isNarrow: false },
];

/** @type {View[]} */
const REPLAY = [
  { name: "the replay", open: async () => {} },
  { name: "its panel", isNarrow: true, open: click("[data-do=sheet]") },
  {
    name: "a story",
    open: (page) =>
      page.evaluate(`import("/assets/player/main.js").then(({ story }) => story.open("0.1"))`),
    close: pressEscape,
  },
  { name: "the link", open: click("[data-do=share]"), close: pressEscape },
  { name: "its export", open: click("[data-do=exports]"), close: pressEscape },
  { name: "its help", open: click("[data-do=help]"), close: pressEscape },
];

/** @type {View[]} */
const FIRST = [
  { name: "the first page", open: async () => {} },
  {
    name: "a board removed",
    open: click(".recent li button"),
    close: click(".recent [role=status] button"),
  },
];

/**
 * Looks at each view of a page in both themes.
 * @param {Page} page
 * @param {View[]} views
 * @param {typeof SIZES[number] & typeof LANGUAGES[number]} how
 * @returns {Promise<string[]>}
 */
async function wrongIn(page, views, how) {
  const { width, mobile, language } = how;
  /** @type {string[]} */
  const wrong = [];
  const least = mobile ? TARGET.coarse : TARGET.fine;
  const here = views.filter(({ isNarrow }) => isNarrow === undefined || isNarrow === width < 720);
  for (const { name, open, close } of here) {
    await open(page);
    for (const scheme of SCHEMES) {
      await themed(page, scheme);
      const found = await looked(page, { least, language, isStill: true });
      if (scheme === "light") found.push(...(await unnamed(page)));
      wrong.push(
        ...linesOf(found).map((line) => `${width} ${language} ${scheme}, ${name}: ${line}`),
      );
    }
    await close?.(page);
  }
  return wrong;
}

/**
 * Loads a page again, as it is seen then.
 * @param {Page} page
 * @param {typeof HOWS[number]} how
 */
async function turned(page, how) {
  await page.look({ ...how, reducedMotion: true });
  await page.reload();
}

/** All sizes in each language. */
const HOWS = LANGUAGES.flatMap((spoken) => SIZES.map((size) => ({ ...size, ...spoken })));

browserTest(
  "Accessible: the board, its menus, panels and dialogs, in both themes and languages, on four sizes of screen",
  async (stage) => {
    /** @type {string[]} */
    const wrong = [];
    const page = await opened(stage, { ...HOWS[0], reducedMotion: true, name: "Ana" });
    await drawn(page, "r", [500, 300, 700, 420]);
    for (const how of HOWS) {
      await turned(page, how);
      await page.see(".status[data-phase=connected]");
      wrong.push(...(await wrongIn(page, BOARD, how)));
    }
    assert.equal(wrong.join("\n"), "");
  },
  { timeout: 300_000 },
);

browserTest(
  "Accessible: the replay, its panels and dialogs, in both themes and languages, on four sizes of screen",
  async (stage) => {
    await lively(stage);
    /** @type {string[]} */
    const wrong = [];
    const page = await watching(stage, "", { ...HOWS[0], reducedMotion: true });
    for (const how of HOWS) {
      await turned(page, how);
      await read(page);
      wrong.push(...(await wrongIn(page, REPLAY, how)));
    }
    assert.equal(wrong.join("\n"), "");
  },
  { timeout: 300_000 },
);

/** Boards that the browser keeps, so that the first page lists them. */
const recent = () =>
  JSON.stringify([
    { room: newRoom(), name: "Fractions", time: Date.now() },
    { room: newRoom(), name: "", time: Date.now() },
  ]);

browserTest(
  "Accessible: the first page, and where a token is asked for, in both themes and languages, on four sizes of screen",
  async (stage) => {
    const closed = await stage.ownServer({ open: false });
    /** @type {string[]} */
    const wrong = [];
    const page = await opened(stage, { reducedMotion: true, keep: { recent: recent() } });
    await page.open(`${stage.server.url}/#boards`);
    for (const how of HOWS) {
      await turned(page, how);
      await page.see(".recent li");
      wrong.push(...(await wrongIn(page, FIRST, how)));
    }
    for (const path of ["/", `/r/${stage.room}`, "/r/none", "/nowhere"]) {
      await page.open(`${closed.url}${path}`);
      for (const how of HOWS) {
        await turned(page, how);
        await page.see(".card");
        wrong.push(...(await wrongIn(page, [{ name: path, open: async () => {} }], how)));
      }
    }
    assert.equal(wrong.join("\n"), "");
  },
  { timeout: 300_000 },
);

const GOOD = "min-width: 48px; min-height: 48px; background: #ffffff; color: #000000;";

/** A fault of each kind that is found in what is seen. @type {[rule: string, html: string][]} */
const FAULTS = [
  ["name", `<button data-style="${GOOD}"></button>`],
  ["name", `<div role="dialog"><button data-style="${GOOD}">one</button></div>`],
  ["contrast", `<button data-style="${GOOD} color: #999999">grey</button>`],
  ["contrast", `<p data-style="background: #ffffff; color: #000000; opacity: 0.4">faint</p>`],
  ["contrast", `<input aria-label="a" data-style="${GOOD} border: 1px solid #dddddd">`],
  [
    "contrast",
    `<button aria-label="a" data-style="${GOOD} color: #cccccc"><svg class="icon" aria-hidden="true" viewBox="0 0 24 24"><path d="M4 4H20"/></svg></button>`,
  ],
  [
    "target",
    `<button data-style="${GOOD} min-width: 0; min-height: 0; width: 20px; height: 20px; padding: 0">a</button>`,
  ],
  [
    "overflow",
    `<button data-style="${GOOD} position: fixed; left: calc(100vw - 10px)">wide</button>`,
  ],
  [
    "overflow",
    `<div class="popover" data-style="position: fixed; width: 60px; background: #ffffff"><i data-style="display: block; width: 200px; height: 9px"></i></div>`,
  ],
  ["id", `<i id="twice">a</i><i id="twice">b</i>`],
  ["role", `<span tabindex="0" data-style="${GOOD}">use me</span>`],
  ["role", `<button role="radio" aria-checked="true" data-style="${GOOD}">alone</button>`],
  ["role", `<button aria-controls="nowhere" data-style="${GOOD}">opens</button>`],
  ["motion", `<button data-style="${GOOD} transition: opacity 2s">slow</button>`],
];

browserTest(
  "Accessible: a fault of each kind is found, and nothing where there is none",
  async (stage) => {
    const page = await opened(stage, { reducedMotion: true });
    const least = TARGET.fine;
    const all = async (language = "en") => [
      ...(await looked(page, { least, language, isStill: true })),
      ...(await unnamed(page)),
    ];
    assert.deepEqual(linesOf(await all()), []);
    for (const [rule, html] of FAULTS) {
      await plant(page, html);
      const rules = (await all()).map((one) => one.rule);
      assert.deepEqual([...new Set(rules)], [rule], html);
      await page.evaluate(() => document.querySelector(".planted")?.remove());
    }
    assert.ok((await all("zh-Hans")).some(({ rule }) => rule === "language"));
    const coarse = await looked(page, { least: TARGET.coarse, language: "en", isStill: true });
    assert.ok(
      coarse.some(({ rule }) => rule === "target"),
      "36 px are too few for fingers",
    );
  },
);
