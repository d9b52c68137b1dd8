// The board under fingers: sheets, bars that are scrolled, taps of two and three fingers; on the screens
// that people have.
import assert from "node:assert/strict";
import { drawn, hold, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const PHONE = { mobile: true, width: 390, height: 844 };

const SCREENS = [
  [320, 568],
  [360, 640],
  [390, 844],
  [768, 1024],
  [1024, 768],
  [667, 375],
  [844, 390],
];

const spot = (/** @type {number} */ x, /** @type {number} */ y) => ({ x, y });

/**
 * Fingers go down one after the other, and up. Nothing waits in between: a tap is short, also where the
 * machine is busy.
 * @param {Page} page
 * @param {number} fingers
 * @param {number} [apart] pixels that they move before they go up
 */
async function tapWith(page, fingers, apart = 0) {
  const spots = Array.from({ length: fingers }, (_, at) => spot(120 + 60 * at, 420));
  const acts = spots.map((_, at) => spots.slice(0, at + 1));
  if (apart) acts.push(spots.map(({ x, y }, at) => spot(x, y + (at ? apart : 0))));
  await Promise.all([...acts, []].map((act) => page.hands.touch(act)));
}

/** @param {Page} page @param {number} y */
const swipe = (page, y) =>
  page.hands.swipe([spot(80, y), spot(150, y + 10), spot(220, y), spot(300, y + 10)]);

/** @param {any[]} all */
const strokes = (all) => all.filter(({ stroke }) => stroke?.ended).length;

/**
 * What lies outside of the screen, over another bar, or is too small for a finger.
 * @param {Page} page
 * @param {string} [within] what is looked at
 * @returns {Promise<string[]>}
 */
const wrong = (page, within = ".br") =>
  page.evaluate((/** @type {string} */ selector) => {
    const root = /** @type {Element} */ (document.querySelector(selector));
    const seen = (/** @type {Element} */ one) =>
      one.checkVisibility({ checkVisibilityCSS: true }) && one.getClientRects().length > 0;
    const nameOf = (/** @type {Element} */ one) =>
      one.getAttribute("aria-label") || one.textContent?.trim() || one.className;
    const parts = [root, ...root.querySelectorAll("button, a, input, select, summary, .bar")];
    const all = parts.filter(
      (one) => seen(one) && !one.matches(".unseen, .mirror *, .names button, .page-remove"),
    );
    const isOff = (/** @type {Element} */ one) => {
      const { left, right, top, bottom } = one.getBoundingClientRect();
      const isBeside = left < -0.5 || right > innerWidth + 0.5;
      return isBeside || top < -0.5 || bottom > innerHeight + 0.5;
    };
    const scrolled = ".scrolled, .page-list, .dialog, .popover, .inspector, .marker-filter";
    const off = all.filter((one) => !one.parentElement?.closest(scrolled) && isOff(one));
    const isSmall = (/** @type {Element} */ one) => {
      const { width, height } = one.getBoundingClientRect();
      return width < 43.5 || height < 43.5;
    };
    const targets = all.filter((one) => one.matches("button, a, input, select, summary"));
    const small = targets.filter((one) => !one.closest(".pick.own, .brand") && isSmall(one));
    const isOver = (/** @type {Element} */ one, /** @type {Element} */ other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    };
    const bars = all.filter((one) => one.matches(".bar"));
    const over = bars.filter((one, at) => bars.slice(at + 1).some((other) => isOver(one, other)));
    return [
      ...off.map((one) => `outside: ${nameOf(one)}`),
      ...small.map((one) => `small: ${nameOf(one)}`),
      ...over.map((one) => `over another: ${one.className}`),
      ...(document.documentElement.scrollWidth > innerWidth ? ["the page is too wide"] : []),
    ];
  }, within);

/** @param {Page} page @param {string} row @returns {Promise<boolean>} whether it shows that there is more */
const isHinted = (page, row) =>
  page.evaluate((/** @type {string} */ selector) => {
    const found = /** @type {HTMLElement} */ (document.querySelector(selector));
    const { classList } = /** @type {HTMLElement} */ (found.parentElement);
    const isMarked = classList.contains("has-before") || classList.contains("has-after");
    return isMarked === found.scrollWidth > found.clientWidth + 1;
  }, row);

for (const [width, height] of SCREENS) {
  browserTest(
    `Phone: ${width} × ${height}: nothing overflows, targets are 44 px, and every tool can be reached`,
    async (stage) => {
      const page = await opened(stage, { mobile: true, width, height, name: "Ana" });
      assert.deepEqual(await wrong(page), []);
      const tools = await page.evaluate(() =>
        [...document.querySelectorAll(".tools [data-tool]")].map((one) =>
          one.getAttribute("data-tool"),
        ),
      );
      assert.equal(tools.length, 9);
      for (const tool of tools) {
        await page.tap(`.tools [data-tool=${tool}]`);
        await page.until(
          (/** @type {string} */ name) =>
            document.querySelector(`.tools [data-tool=${name}]`)?.ariaPressed === "true",
          [tool],
        );
      }
      assert.ok(await isHinted(page, ".tools"), "what is scrolled shows that there is more");
      for (const [button, panel] of [
        [".shapes-open", ".grid-popover:not([hidden])"],
        [".reactions-open", ".grid-popover:not([hidden])"],
        [".style-open", ".popover.style"],
        [".faces", ".popover.members"],
        [".menu-open", ".popover.menu"],
        [".pages-open", ".pages-sheet"],
      ]) {
        const isThere = await page.evaluate(
          (/** @type {string} */ wanted) => document.querySelector(wanted)?.checkVisibility(),
          button,
        );
        if (!isThere) continue;
        await page.tap(button);
        await page.see(panel);
        await page.until(() => document.getAnimations().length === 0);
        const box = await page.box(panel);
        const where = `${panel} ${JSON.stringify(box)}`;
        assert.ok(box.x >= 0 && box.y >= 0, where);
        assert.ok(box.x + box.width <= width && box.y + box.height <= height, where);
        assert.deepEqual(await wrong(page, panel), []);
        await page.hands.press("Escape");
        await page.until(
          (/** @type {string} */ shown) => !document.querySelector(shown)?.checkVisibility(),
          [panel],
        );
      }
      await page.tap(".share-open");
      await page.see("dialog .copy-row");
      assert.deepEqual(await wrong(page, "dialog"), []);
      assert.deepEqual(page.complaints, []);
    },
  );
}

for (const [width, height] of SCREENS) {
  browserTest(
    `Phone: ${width} × ${height}: of the replay nothing overflows, and every button can be reached`,
    async (stage) => {
      const ana = await opened(stage, { name: "Ana" });
      await drawn(ana, "r", [500, 300, 700, 400]);
      await untilLogged(stage, (all) => all.length === 1, "a rectangle");
      const person = await stage.person({ mobile: true, width, height });
      const page = await person.open(`${stage.server.url}/replay/${stage.room}`);
      await page.until(() => document.querySelector(".of")?.textContent?.includes("#"));
      assert.deepEqual(await wrong(page, ".player"), []);
      const paper = await page.box(".player .stage");
      assert.ok(paper.height >= height * 0.4, `the picture has ${paper.height} of ${height}`);
      assert.ok(await isHinted(page, ".plays"), "what is scrolled shows that there is more");
      const isSheet = () => document.querySelector("[data-do=sheet]")?.checkVisibility() === true;
      if (await page.evaluate(isSheet)) {
        await page.tap("[data-do=sheet]");
        await page.see(".inspector");
        assert.deepEqual(await wrong(page, ".player"), []);
        const inspector = await page.box(".inspector");
        assert.ok(inspector.height >= 120, `the inspector has ${inspector.height}`);
        await page.tap("[data-do=sheet]");
      }
      await page.tap("[data-do=live]");
      await page.until(() => document.querySelector("[data-do=live]")?.ariaPressed === "true");
      await page.tap("[data-do=share]");
      await page.see("dialog.share");
      assert.deepEqual(await wrong(page, "dialog.share"), []);
      assert.deepEqual(page.complaints, []);
    },
  );
}

browserTest(
  "Phone: the style is a sheet from below, which a tap on the paper closes without drawing",
  async (stage) => {
    const page = await opened(stage, PHONE);
    await swipe(page, 300);
    await untilLogged(stage, (all) => strokes(all) === 1, "a stroke");
    await page.tap(".style-open");
    await page.see(".popover.style");
    await page.until(() => document.getAnimations().length === 0);
    const sheet = await page.box(".popover.style");
    assert.deepEqual([sheet.x, sheet.width, sheet.y + sheet.height], [0, 390, 844]);
    await page.tap('.style [aria-label="Red"]');
    await page.until(
      () => document.querySelector('.style [aria-label="Red"]')?.ariaChecked === "true",
    );
    await page.hands.tap(200, 200);
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    assert.equal(await page.evaluate(() => document.activeElement?.className), "paper");
    await swipe(page, 360);
    const all = await untilLogged(stage, (found) => strokes(found) === 2, "the next stroke");
    assert.equal(all.length, 2, "the tap that closed it drew nothing");
    assert.deepEqual(all[1].stroke.begin.colour, [200, 40, 32]);
    // A press on a menu's outside draws nothing either.
    await page.tap(".menu-open");
    await page.see(".popover.menu");
    const list = await page.box(".popover.menu");
    assert.ok(list.x > 60, "the place of the tap is beside the menu");
    await page.hands.tap(40, 400);
    await page.until(() => !document.querySelector(".popover.menu")?.checkVisibility());
    await swipe(page, 420);
    const last = await untilLogged(stage, (found) => strokes(found) === 3, "one more");
    assert.equal(last.length, 3);
  },
);

browserTest(
  "Phone: the sheet is pulled down, or closed by its handle, by Escape and by going back; it keeps its place",
  async (stage) => {
    const page = await opened(stage, { ...PHONE, height: 568, reducedMotion: true });
    const isOpen = () => document.querySelector(".popover.style")?.checkVisibility() === true;
    const open = async () => {
      await page.tap(".style-open");
      await page.until(isOpen);
    };
    await page.tap('[data-tool="select"]');
    await open();
    const moving = await page.evaluate(
      () =>
        getComputedStyle(/** @type {Element} */ (document.querySelector(".style"))).animationName,
    );
    assert.equal(moving, "none", "nothing moves for who wants no motion");
    await page.evaluate(() => {
      /** @type {Element} */ (document.querySelector(".style")).scrollTop = 1e6;
    });
    const scrolled = () => document.querySelector(".style")?.scrollTop;
    const before = await page.evaluate(scrolled);
    await page.tap('.style [aria-label="Dotted"]');
    await page.until(
      () => document.querySelector('.style [aria-label="Dotted"]')?.ariaChecked === "true",
    );
    assert.equal(await page.evaluate(scrolled), before, "a choice does not scroll it");
    const handle = await page.box(".sheet-handle");
    const from = spot(handle.x + handle.width / 2, handle.y + 20);
    await page.hands.swipe([from, spot(from.x, from.y + 10), spot(from.x, from.y + 20)]);
    assert.ok(await page.evaluate(isOpen), "a short pull lets it go back");
    await page.hands.swipe([from, spot(from.x, from.y + 60), spot(from.x, from.y + 140)]);
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    await open();
    await page.tap(".sheet-handle");
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    assert.equal(
      await page.evaluate(() => document.activeElement?.ariaLabel),
      "Colour and line",
      "the focus goes back to what opened it",
    );
    await open();
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".sheet-handle")).focus(),
    );
    await page.hands.press("Enter");
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    await open();
    await page.hands.press("Escape");
    await page.until(() => !document.querySelector(".popover.style")?.checkVisibility());
    await page.until(() => document.querySelector("[data-tool=select]")?.ariaPressed === "true");
    assert.equal((await logged(stage)).length, 0);
  },
);

browserTest(
  "Phone: two fingers that tap undo, three redo; no dot is left, and a pinch stays a pinch",
  async (stage) => {
    const page = await opened(stage, PHONE);
    for (const y of [250, 300]) await swipe(page, y);
    await untilLogged(stage, (all) => strokes(all) === 2, "two strokes");
    await tapWith(page, 2);
    const one = await untilLogged(stage, (all) => all.length === 1, "one undone");
    await tapWith(page, 2);
    await untilLogged(stage, (all) => all.length === 0, "both undone");
    await tapWith(page, 3);
    await untilLogged(stage, (all) => all.length === 1, "one redone");
    await tapWith(page, 3);
    const all = await untilLogged(stage, (found) => found.length === 2, "both redone");
    assert.equal(all[0].id, one[0].id);
    const zoom = () => document.querySelector(".zoom")?.textContent;
    assert.equal(await page.evaluate(zoom), "100%", "taps move nothing");
    const revision = await stage.server.revision(stage.room);
    await page.hands.pinch(200, 400, 2);
    await page.until(() => document.querySelector(".zoom")?.textContent === "200%");
    await tapWith(page, 2, 40);
    await page.until(() => document.querySelector(".zoom")?.textContent !== "200%");
    assert.equal((await logged(stage)).length, 2, "fingers that move undo nothing");
    const records = await stage.server.revision(stage.room);
    assert.ok(records - revision < 20, "no stroke was begun");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Phone: a second finger leaves what is selected as it was, and fingers that come late undo nothing",
  async (stage) => {
    const page = await opened(stage, PHONE);
    await hold(page);
    await drawn(page, "r", [100, 200, 250, 300]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    const selection = () => page.evaluate("theBoard.selection.length");
    assert.equal(await selection(), 1);
    await page.hands.pinch(200, 500, 1.5);
    assert.equal(await selection(), 1, "a pinch beside it deselects nothing");
    // The second finger comes 300 ms after the first: the hand of somebody who is about to pinch.
    await page.hands.touch([spot(120, 600)]);
    await page.evaluate(() => new Promise((done) => setTimeout(done, 300)));
    await page.hands.touch([spot(120, 600), spot(220, 600)]);
    await page.hands.touch([]);
    await swipe(page, 650);
    assert.equal((await logged(stage)).length, 1);
  },
);

browserTest(
  "Phone: a finger that rests opens the menu of what is under it, in landscape as well; a pen at rest does not",
  async (stage) => {
    const page = await opened(stage, { mobile: true, width: 844, height: 390 });
    await hold(page);
    await drawn(page, "r", [200, 100, 400, 200]);
    await page.hands.press("Escape");
    await page.hands.touch([spot(200, 150)]);
    await page.see(".context-menu");
    await page.hands.touch([]);
    assert.deepEqual(await page.evaluate("theBoard.selection"), ["0.1"]);
    const menu = await page.box(".context-menu");
    assert.ok(menu.y >= 0 && menu.y + menu.height <= 390, JSON.stringify(menu));
    assert.deepEqual(await wrong(page, ".context-menu"), []);
    await page.hands.tap(700, 120);
    await page.until(() => !document.querySelector(".context-menu"));
    await page.hands.drag([spot(600, 150), spot(600, 150)], { pen: true, let: false });
    await page.passTime(800);
    assert.equal(await page.evaluate(() => document.querySelector(".context-menu")), null);
    await page.hands.release({ pen: true }, spot(600, 150));
  },
);
