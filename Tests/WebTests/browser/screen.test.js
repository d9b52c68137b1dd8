// After every ordinary act the screens of all show what a page shows that is loaded then: one
// check, a table of acts.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { bring, opened } from "../kit/board.js";
import { alike, rested, still } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */
/**
 * @typedef {object} Act
 * @property {string} name
 * @property {(page: Page, more: {stage: Stage, other: Page, images: string}) => Promise<unknown>}
 *   does by real hands, or by REST
 * @property {(page: Page) => Promise<unknown>} [again] what a page does not keep over loading: what
 *   is selected, the view
 * @property {Record<string, string>} [keeps] what the acting person's browser keeps of it
 * @property {import("../kit/page.js").Looks} [looks] of the acting person's window from here on
 * @property {boolean} [isOwn] nobody else sees anything of it
 * @property {boolean} [isPlain] its work is there when pages and views are tried
 * @property {boolean} [isForOthers] who does it has what a page that is loaded has not
 * @property {string} [hides] rules of a style sheet, for what browsers do not draw anew by
 *   themselves
 */

const letters = {
  select: "v",
  hand: "h",
  pen: "p",
  highlighter: "m",
  eraser: "e",
  laser: "k",
  text: "t",
  note: "n",
  straight: "l",
  arrow: "a",
  rectangle: "r",
  ellipse: "o",
  triangle: "g",
  rhombus: "d",
  pentagram: "s",
  speechBalloon: "b",
};

/** @param {...number[]} spots */
const drag =
  (...spots) =>
  (/** @type {Page} */ page) =>
    page.hands.drag(
      spots.map(([x, y]) => ({ x, y })),
      { steady: true },
    );

/**
 * @param {string} key
 * @param {...number[]} spots
 * @returns {(page: Page) => Promise<unknown>}
 */
const with_ =
  (key, ...spots) =>
  async (page) => {
    await page.hands.press(key);
    await drag(...spots)(page);
  };

/** @param {...string} pressed */
const keys =
  (...pressed) =>
  async (/** @type {Page} */ page) => {
    for (const key of pressed) {
      await page.hands.press(key);
    }
  };

/** @param {string} selector */
const click = (selector) => (/** @type {Page} */ page) => page.click(selector);

/**
 * @param {number} x
 * @param {number} y selects what is there
 */
const pick = (x, y) => async (/** @type {Page} */ page) => {
  await page.hands.press("v");
  await page.hands.click(x, y);
};

/** @param {number} width */
const wide = (width) => async (/** @type {Page} */ page) => {
  await page.click(".style-open");
  await page.click(`.style [data-set=width][data-value="${width}"]`);
  await page.click(".style-open");
};

/**
 * @param {string} key
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
const write = (key, x, y, text) => async (/** @type {Page} */ page) => {
  await page.hands.press(key);
  await page.hands.click(x, y);
  await page.see(".board-writing");
  await page.hands.type(text);
  await page.hands.press("Escape");
};

/** @param {string} what */
const menuDo = (what) => async (/** @type {Page} */ page) => {
  await page.click(".menu-open");
  await page.click(`.menu [data-do=${what}]`);
};

/**
 * @param {number} x
 * @param {number} y
 * @param {string} text
 */
const twice = (x, y, text) => async (/** @type {Page} */ page) => {
  await page.hands.press("v");
  await page.hands.click(x, y, 2);
  await page.see(".board-writing");
  await page.hands.press("ctrl+a");
  await page.hands.type(text);
  await page.hands.press("Escape");
};

/**
 * @param {string} method
 * @param {string} path
 * @param {any} [body]
 */
const rest =
  (method, path, body) =>
  (/** @type {Page} */ _, /** @type {{stage: Stage}} */ { stage: { server, room } }) =>
    server.call(method, `/v5/rooms/${room}${path}`, body);

/** @type {Act[]} */
const drawing = [
  { name: "a stroke of the pen", isPlain: true, does: drag([300, 200], [360, 260], [420, 200]) },
  { name: "a click of the pen", does: drag([460, 200]) },
  {
    name: "a click of a pen of 12 px",
    does: async (page) => {
      await wide(12)(page);
      await drag([500, 200])(page);
    },
  },
  { name: "a stroke of the highlighter", does: with_("m", [300, 300], [500, 310]) },
  { name: "a click of the highlighter", does: with_("m", [540, 300]) },
  {
    name: "a rectangle",
    isPlain: true,
    does: with_("r", [340, 360], [460, 440]),
    again: pick(430, 360),
  },
  { name: "an ellipse", does: with_("o", [500, 360], [620, 440]), again: pick(560, 360) },
  { name: "an arrow", does: with_("a", [660, 360], [760, 440]), again: pick(710, 400) },
  { name: "a text", does: write("t", 640, 220, "Two words"), again: pick(660, 220) },
  { name: "a note", isPlain: true, does: write("n", 860, 260, "A note"), again: pick(860, 300) },
  {
    name: "a text written anew by a double click",
    does: twice(660, 222, "Other words"),
    again: pick(660, 220),
  },
  {
    name: "a note written anew by a double click",
    does: twice(860, 260, "Another"),
    again: pick(860, 300),
  },
  { name: "nothing selected", does: keys("Escape"), again: keys("Escape"), isOwn: true },
];

/** @type {Act[]} */
const editing = [
  {
    name: "a thing moved",
    does: async (page) => {
      await pick(430, 360)(page);
      await drag([430, 360], [430, 470], [430, 520])(page);
    },
    again: pick(430, 520),
  },
  {
    name: "a thing pushed by keys",
    does: keys("ArrowLeft", "shift+ArrowDown"),
    again: pick(429, 530),
  },
  { name: "a thing coloured", does: click('.style [aria-label="Red"]'), again: pick(429, 530) },
  {
    name: "a thing filled",
    does: click('.style [data-set=fill][data-value="[190,235,205]"]'),
    again: pick(429, 530),
  },
  { name: "a thing locked", does: keys("ctrl+shift+L"), again: pick(429, 530) },
  { name: "a thing unlocked", does: keys("ctrl+shift+L"), again: pick(429, 530) },
  { name: "a thing duplicated", does: keys("ctrl+d"), again: pick(450, 554) },
  { name: "a thing turned", does: drag([423, 522], [480, 540], [520, 580]), again: pick(390, 650) },
  { name: "a thing sent to the back", does: keys("ctrl+shift+["), again: pick(390, 650) },
  { name: "a thing removed", does: keys("Delete") },
  { name: "undone", does: keys("ctrl+z") },
  { name: "redone", does: keys("ctrl+shift+Z") },
  { name: "two things rubbed out", does: with_("e", [300, 190], [300, 200], [460, 200]) },
  { name: "rubbing undone", does: keys("ctrl+z") },
  {
    name: "copied and pasted",
    does: async (page) => {
      await pick(560, 360)(page);
      await keys("ctrl+c", "ctrl+v")(page);
    },
    again: pick(560, 320),
  },
  { name: "nothing selected", does: keys("Escape"), again: keys("Escape"), isOwn: true },
];

/** @type {Act[]} labels, widths of texts, arrows that are bound */
const binding = [
  { name: "a label in a shape", does: twice(400, 400, "Label"), again: pick(430, 360) },
  {
    name: "a text of a width",
    does: async (page) => {
      await with_("t", [560, 600], [640, 600], [680, 600])(page);
      await page.see(".board-writing");
      await page.hands.type("words that need some lines");
      await page.hands.press("Escape");
    },
    again: pick(580, 600),
  },
  {
    name: "an arrow between two shapes",
    does: with_("a", [400, 400], [600, 330], [860, 260]),
    again: pick(610, 336),
  },
  { name: "an arrow bent", does: drag([610, 336], [612, 380], [620, 430]), again: pick(620, 430) },
  {
    name: "an arrow around corners",
    does: click('.style [aria-label="Around corners"]'),
    again: pick(610, 320),
  },
  {
    name: "a shape with its label and its arrow moved",
    does: async (page) => {
      await pick(430, 360)(page);
      await drag([430, 360], [430, 430], [430, 480])(page);
    },
    again: pick(430, 480),
  },
  { name: "all of it flipped", does: keys("ctrl+a", "shift+h"), again: keys("v", "ctrl+a") },
  { name: "the flip undone", does: keys("ctrl+z"), again: keys("v", "ctrl+a") },
  { name: "nothing selected", does: keys("Escape"), again: keys("Escape"), isOwn: true },
];

/**
 * Turns a page, and takes everybody there.
 * @param {(page: Page) => Promise<unknown>} turn
 */
const together = (turn) => async (/** @type {Page} */ page) => {
  await turn(page);
  await bring(page);
};

/** @type {Act[]} */
const pages = [
  { name: "a page added", does: together(click(".page-add")) },
  { name: "a stroke there", does: with_("p", [300, 500], [500, 520]) },
  { name: "a page back by a key", does: together(keys("PageUp")) },
  { name: "a page on by a key", does: together(keys("PageDown")) },
  { name: "a page by its picture", does: together(click(".page-cell:first-child .page")) },
  {
    name: "a page turned by somebody else",
    does: (_, { other }) => together(keys("PageDown"))(other),
  },
  { name: "a page turned by REST", does: rest("PATCH", "/scene-state", { scenePath: "/init" }) },
  {
    name: "a page put by REST, with a picture that comes late",
    does: async (page, more) => {
      const ppt = { src: `${more.images}/late.svg`, width: 400, height: 300 };
      await rest("POST", "/scenes", { path: "/", scenes: [{ name: "slide", ppt }] })(page, more);
      await rest("PATCH", "/scene-state", { scenePath: "/slide" })(page, more);
    },
  },
  {
    name: "an image that comes late",
    does: async (page, { images }) => {
      await page.click(".toolbar [data-do=image]");
      await page.click("dialog input[type=url]");
      await page.hands.type(`${images}/late.svg?other`);
      await page.hands.press("Enter");
      await page.see(".popover.style");
    },
    again: pick(640, 400),
  },
  {
    name: "the page cleared",
    does: async (page) => {
      await page.click(".faces");
      await page.click(".members [data-do=clear]");
      await page.click(".dialog .bad");
      await page.hands.press("Escape");
    },
    again: keys("v"),
  },
  { name: "clearing undone", does: keys("ctrl+z"), again: keys("v") },
  {
    name: "a page removed",
    does: async (page) => {
      await page.click(".page-remove");
      await page.click(".dialog .bad");
    },
    again: keys("v"),
  },
];

/** @type {Act[]} */
const views = [
  { name: "the pen taken", does: keys("p"), isOwn: true },
  { name: "dark colours", does: menuDo("theme"), keeps: { theme: "dark" }, isOwn: true },
  { name: "light colours", does: menuDo("theme"), keeps: { theme: "light" }, isOwn: true },
  { name: "another language", does: menuDo("language"), keeps: { language: "zh" }, isOwn: true },
  {
    name: "the first language again",
    does: menuDo("language"),
    keeps: { language: "en" },
    isOwn: true,
  },
  {
    name: "a smaller window",
    does: async () => {},
    looks: { width: 1000, height: 700 },
    isOwn: true,
  },
  {
    name: "a telephone's window",
    does: async () => {},
    looks: { width: 390, height: 700 },
    isOwn: true,
  },
  // Chromium sets letters that are there already otherwise than new ones, when pixels become finer.
  {
    name: "finer pixels",
    does: async () => {},
    looks: { scale: 2 },
    isOwn: true,
    hides: ".bar, .bar * { color: transparent !important; }",
  },
  { name: "coarse pixels again", does: async () => {}, looks: {}, isOwn: true },
  {
    name: "larger",
    does: click("[data-do=zoomIn]"),
    again: click("[data-do=zoomIn]"),
    isOwn: true,
  },
  { name: "everything in sight", does: keys("shift+1"), again: keys("shift+1"), isOwn: true },
  { name: "as it is", does: keys("shift+0"), again: keys("shift+1", "shift+0"), isOwn: true },
  {
    name: "the board locked",
    isForOthers: true,
    does: async (page) => {
      await page.click(".faces");
      await page.click(".members [data-do=lockBoard]");
      await page.hands.press("Escape");
    },
  },
];

// What an act leaves wrong is mostly there after the next one, too: so each second act is enough for a day, and the others are
// for the next. With WEB_ALL=1, as at night, all are looked at.
const today = Math.floor(Date.now() / 86_400_000);
const isLookedAt = (/** @type {number} */ place) =>
  process.env.WEB_ALL === "1" || (place + today) % 2 === 0;

for (const [about, acts] of Object.entries({ drawing, editing, binding, pages, views })) {
  browserTest(
    `PAGE-2: after each act of ${about} every screen shows what a page shows that is loaded then`,
    async (stage) => {
      const images = await slowImages(stage);
      // The first in a room of an open server hosts it (OPEN-4): only a host clears pages and locks
      // the board.
      const ana = await opened(stage, { name: "Ana", reducedMotion: true });
      const [wang, eve] = await Promise.all(
        ["Wang", "Eve"].map((name) => opened(stage, { name, reducedMotion: true })),
      );
      const people = [ana, wang, eve];
      await Promise.all(people.map(still));
      if (acts !== drawing) {
        await prepare(ana, acts === editing ? drawing : drawing.filter(({ isPlain }) => isPlain));
      }
      /** @type {string[]} */
      const wrong = [];
      for (const [place, act] of acts.entries()) {
        const { name, does, again, keeps = {}, looks, isOwn = false, isForOthers = false } = act;
        if (looks) await ana.look({ reducedMotion: true, ...looks });
        await does(ana, { stage, other: wang, images });
        await rested(stage);
        if (looks) await eve.look({ reducedMotion: true, ...looks });
        await eve.evaluate((kept) => {
          for (const [key, value] of Object.entries(kept)) {
            localStorage.setItem(`boardroom.${key}`, value);
          }
        }, keeps);
        if (!isLookedAt(place)) continue;
        await loadedAnew(eve);
        await Promise.all(people.map((page) => still(page, act.hides)));
        const check = (/** @type {Page} */ page, /** @type {string} */ who) =>
          alike(page, eve, `${about}, ${name}, ${who}`).catch((why) => wrong.push(why.message));
        if (!isOwn) await check(wang, "who looks on");
        if (isForOthers) continue;
        await takesUp(eve, ana, again);
        await check(ana, "who does it");
      }
      assert.deepEqual(wrong, []);
    },
    { timeout: 400_000 },
  );
}

/**
 * Loads it again, without what passes.
 * @param {Page} page
 */
async function loadedAnew(page) {
  await page.hands.move(2, 2);
  await page.reload();
  await page.until(
    () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
  );
  await still(page);
}

/**
 * Takes what the other page has in hand, where its mouse is.
 * @param {Page} page
 * @param {Page} other
 * @param {Act["again"]} again
 */
async function takesUp(page, other, again) {
  const tool = await other.evaluate(() => {
    const pressed = /** @type {HTMLElement | null} */ (
      document.querySelector(".toolbar [data-tool][aria-pressed=true]")
    );
    return (
      pressed?.dataset.tool ??
      /** @type {HTMLElement | null} */ (document.querySelector(".shapes-open"))?.dataset.icon ??
      "pen"
    );
  });
  if (tool !== "pen") await page.hands.press(letters[/** @type {keyof letters} */ (tool)] ?? "p");
  await again?.(page);
  await page.hands.move(other.hands.place.x, other.hands.place.y);
}

/**
 * Things where the tables expect them.
 * @param {Page} page
 * @param {Act[]} acts
 */
async function prepare(page, acts) {
  for (const { does } of acts) {
    await does(page, /** @type {any} */ ({}));
  }
}

/**
 * Pictures of a server that takes its time.
 * @param {Stage} stage
 * @returns {Promise<string>} its address
 */
async function slowImages(stage) {
  const server = createServer((_, answer) => {
    const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"><rect width="400" height="300" fill="teal"/></svg>`;
    setTimeout(
      () =>
        answer
          .writeHead(200, { "content-type": "image/svg+xml", "access-control-allow-origin": "*" })
          .end(picture),
      400,
    );
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", () => done(undefined)));
  stage.t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${/** @type {any} */ (server.address()).port}`;
}
