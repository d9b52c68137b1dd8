// Who sees what whom shows: presenters on other screens, pages that one member turns alone, and
// those to which everybody is brought.
import assert from "node:assert/strict";
import { bring, drawn, hold, line, opened, present, untilLogged } from "../kit/board.js";
import { until } from "../kit/places.js";
import { ask, watching } from "../kit/player.js";
import { ink } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {{x: number, y: number, width: number, height: number}} Part */

const PHONE = { width: 390, height: 844, mobile: true };

/** Pixels of a mark in a corner. */
const MARK = 40;

/**
 * Waits until a part of the screen has ink, or none.
 * @param {Page} page
 * @param {Part} part
 */
const inked = (page, part, is = true) =>
  until(async () => (await ink(page, part)) > 0 === is, {
    what: `${is ? "" : "no "}ink at ${JSON.stringify(part)}`,
  });

/**
 * What is seen of the presenter's screen on another one: as large as possible, in its middle.
 * @param {Looks} theirs
 * @param {Looks} own
 * @typedef {{width: number, height: number}} Looks
 */
function fitted(theirs, own) {
  const scale = Math.min(own.width / theirs.width, own.height / theirs.height);
  const corner = (/** @type {number} */ size, /** @type {number} */ seen) =>
    (size - seen * scale) / 2;
  return {
    scale,
    left: corner(own.width, theirs.width),
    top: corner(own.height, theirs.height),
    right: own.width - corner(own.width, theirs.width),
    bottom: own.height - corner(own.height, theirs.height),
  };
}

/**
 * The corners of that part, each with a mark and some paper around it.
 * @param {ReturnType<typeof fitted>} part
 * @returns {Part[]}
 */
function cornersOf({ scale, left, top, right, bottom }) {
  const size = Math.floor(MARK * scale) + 8;
  return [left + 1, right - size - 1].flatMap((x) =>
    [top + 1, bottom - size - 1].map((y) => ({
      x: Math.round(x),
      y: Math.round(y),
      width: size,
      height: size,
    })),
  );
}

/**
 * Puts a mark into each corner of what a page sees; its board is held.
 * @param {Page} page
 */
const markCorners = (page) =>
  page.evaluate((/** @type {number} */ size) => {
    const { theBoard } = /** @type {any} */ (window);
    const { left, top, right, bottom } = theBoard.view.seen;
    for (const x of [left, right - size]) {
      for (const y of [top, bottom - size]) {
        const style = { colour: [30, 30, 30], width: 6, fill: [30, 30, 30] };
        theBoard.putShape({ type: "rectangle", x, y, width: size, height: size, style });
      }
    }
    theBoard.cancel();
  }, MARK);

/**
 * @param {Page} page
 * @param {string} label of the page that it looks at
 */
const looksAt = (page, label) =>
  page.until(
    (/** @type {string} */ wanted) =>
      document.querySelector(".page[aria-current] .page-name")?.textContent === wanted,
    [label],
  );

/**
 * @param {Page} page
 * @param {string} text that the line over the board has
 */
const told = (page, text) =>
  page.until(
    (/** @type {string} */ wanted) =>
      document.querySelector(".follow")?.textContent?.includes(wanted) ?? false,
    [text],
  );

/**
 * @param {Page} page
 * @param {string} action of a button over the board
 */
const press = (page, action) => page.click(`.follow [data-do=${action}]`);

browserTest(
  "PAGE-12: a phone that follows sees all of the presenter's screen, to its corners, at any size of both",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana", reducedMotion: true });
    const early = await opened(stage, { name: "Wang", reducedMotion: true, ...PHONE });
    await hold(ana);
    await ana.hands.wheel(640, 400, 700, 500);
    await markCorners(ana);
    await present(ana);
    await told(early, "Following Ana");
    const late = await opened(stage, { name: "Eve", reducedMotion: true, ...PHONE });
    const desktop = { width: 1280, height: 800 };
    for (const page of [early, late]) {
      for (const corner of cornersOf(fitted(desktop, PHONE))) {
        await inked(page, corner);
      }
    }
    const zoomed = (/** @type {number} */ scale) =>
      early.until(
        (/** @type {string} */ wanted) => document.querySelector(".zoom")?.textContent === wanted,
        [`${Math.round(scale * 100)}%`],
      );
    await zoomed(390 / 1280);
    await ana.look({ width: 900, height: 700, reducedMotion: true });
    await zoomed(390 / 900);
    await markCorners(ana);
    for (const corner of cornersOf(fitted({ width: 900, height: 700 }, PHONE))) {
      await inked(early, corner);
    }
    await early.look({ ...PHONE, width: 844, height: 390, reducedMotion: true });
    await zoomed(390 / 700);
    const { left, right } = fitted({ width: 900, height: 700 }, { width: 844, height: 390 });
    assert.ok(left > 0 && right < 844);
  },
);

browserTest(
  "PAGE-3: a page is turned alone: who draws there, takes back there, and is found there by the others",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    const middle = { x: 440, y: 240, width: 240, height: 120 };
    await ana.click(".page-add");
    await looksAt(ana, "2");
    await told(ana, "You are on page 2, the room is on page 1");
    await line(ana, [
      [460, 300],
      [660, 310],
    ]);
    await inked(ana, middle);
    const [stroke] = await untilLogged(stage, (found) => found.length === 1, "a stroke");
    assert.equal(stroke.scene, 2, "what is drawn goes to the page that is seen");
    await looksAt(wang, "1");
    await inked(wang, middle, false);
    await wang.until(() => {
      const pictures = [...document.querySelectorAll(".page canvas")];
      return pictures.map((one) => {
        const canvas = /** @type {HTMLCanvasElement} */ (one);
        const ink = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
        const { data } = ink.getImageData(0, 0, canvas.width, canvas.height);
        return data.some((level) => level < 128);
      })[1];
    });
    const cursors = () =>
      [...document.querySelectorAll(".cursor")].filter((one) => one.checkVisibility()).length;
    assert.equal(await wang.evaluate(cursors), 0, "who is on another page has no pointer here");
    await wang.click(".faces");
    await wang.until(() => document.querySelector(".members")?.textContent?.includes("on page 2"));
    await wang.click('.members [aria-label="Go to the page where Ana is"]');
    await looksAt(wang, "2");
    await inked(wang, middle);
    await wang.hands.press("Escape");
    await ana.hands.move(560, 500);
    await wang.until(cursors);
    await wang.hands.press("PageUp");
    await looksAt(wang, "1");
    await wang.until(
      () => ![...document.querySelectorAll(".cursor")].some((one) => one.checkVisibility()),
    );
    await ana.hands.press("ctrl+z");
    await inked(ana, middle, false);
    await untilLogged(stage, (found) => found.length === 0, "the stroke is taken back");
    await press(ana, "rejoin");
    await looksAt(ana, "1");
    assert.equal(await ana.text(".follow"), "");
  },
);

browserTest(
  "PAGE-3: who may draw brings everybody to a page; who only reads turns pages alone, and reads why",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.click(".share-open");
    await ana.until(() => document.querySelectorAll(".copy-row input").length === 2);
    const url = await ana.evaluate(
      () =>
        [...document.querySelectorAll(".copy-row input")].map(
          (field) => /** @type {HTMLInputElement} */ (field).value,
        )[1],
    );
    await ana.hands.press("Escape");
    const eve = await opened(stage, { name: "Eve", url });
    await ana.click(".page-add");
    await looksAt(ana, "2");
    await eve.until(() => document.querySelectorAll(".page").length === 2);
    await eve.hands.press("PageDown");
    await looksAt(eve, "2");
    const room = async () => {
      const { snapshot } = await stage.server.call("GET", `/v5/rooms/${stage.room}/state`);
      return snapshot.root?.currentScene ?? snapshot.currentScene;
    };
    assert.equal(await room(), 1);
    await press(eve, "bring");
    const why = "Only who may draw here can bring everybody to a page.";
    await eve.until(
      (/** @type {string} */ wanted) =>
        document.querySelector(".notes")?.textContent?.includes(wanted),
      [why],
    );
    assert.equal(
      await eve.evaluate(() => document.querySelector(".follow [data-do=bring]")?.ariaDisabled),
      "true",
    );
    await hold(eve);
    const refusal = await eve.evaluate(() =>
      /** @type {any} */ (window).theBoard.session
        .send("sceneSwitched", { path: "/page-2" })
        .then(
          () => "done",
          (/** @type {any} */ { code }) => code,
        ),
    );
    assert.equal(refusal, "notWritable", "the server refuses it, too");
    await press(eve, "rejoin");
    await looksAt(eve, "1");
    await looksAt(wang, "1");
    await press(ana, "bring");
    await Promise.all([ana, wang, eve].map((page) => looksAt(page, "2")));
    assert.equal(await room(), 2);
    await Promise.all(
      [ana, wang, eve].map((page) =>
        page.until(() => document.querySelector(".follow")?.textContent === ""),
      ),
    );
    await wang.hands.press("PageUp");
    await ana.click(".faces");
    await ana.until(() => document.querySelector(".members")?.textContent?.includes("on page 1"));
    await ana.click(".members [data-do=bring]");
    await looksAt(wang, "2");
  },
);

browserTest(
  "PAGE-3: a presenter's page takes along who follows; who has stopped stays, until everybody is brought",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    const eve = await opened(stage, { name: "Eve" });
    await ana.click(".page-add");
    await looksAt(ana, "2");
    await present(ana);
    await Promise.all([wang, eve].map((page) => looksAt(page, "2")));
    await told(eve, "Following Ana");
    await eve.click(".follow button");
    // The server decides in which order it takes the commands of two members: the page may be
    // turned for Eve, too, until her own one has been taken.
    await told(eve, "Ana is presenting");
    await ana.hands.press("PageUp");
    await looksAt(wang, "1");
    await told(eve, "Ana is presenting on page 1");
    await looksAt(eve, "2");
    await wang.hands.press("PageDown");
    await told(wang, "Ana is presenting on page 1");
    await looksAt(wang, "2");
    await press(wang, "follow");
    await looksAt(wang, "1");
    await press(ana, "bring");
    await looksAt(eve, "1");
    await told(eve, "Following Ana");
    const shown = await Promise.all(
      [ana, wang, eve].map((page) => page.text(".page[aria-current] .page-name")),
    );
    assert.deepEqual(shown, ["1", "1", "1"], "all look at the page that is presented");
  },
);

/**
 * What is painted stays so until `window.paint()`.
 * @param {Page} page
 */
const holdFrames = (page) =>
  page.evaluate(() => {
    const { requestAnimationFrame: request } = window;
    /** @type {FrameRequestCallback[]} */
    const waiting = [];
    window.requestAnimationFrame = (draw) => waiting.push(draw);
    const paint = () => {
      window.requestAnimationFrame = request;
      for (const draw of waiting) request(draw);
    };
    Object.assign(window, { paint });
  });

/**
 * Begins something on page 1, and ends it when page 2 is the room's, and is not painted yet.
 * @param {Page} page
 * @param {Page} other takes everybody to page 2 and back
 * @param {() => Promise<any>} begin
 * @param {() => Promise<any>} end
 */
async function whileTurned(page, other, begin, end) {
  await page.until("theBoard.content()?.right < 500");
  await begin();
  await holdFrames(page);
  await other.hands.press("PageDown");
  await bring(other);
  await page.until("theBoard.source.session.scene === 2");
  await end();
  await page.evaluate("paint()");
  await other.hands.press("PageUp");
  await bring(other);
  await page.until("theBoard.source.session.scene === 1");
}

browserTest(
  "PAGE-3: a page that is turned under a hand, and not painted yet, gets nothing that was drawn on the page before, and its own things are there",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await hold(ana);
    await drawn(ana, "r", [300, 300, 400, 400]);
    const wang = await opened(stage, { name: "Wang" });
    await wang.click(".page-add");
    await looksAt(wang, "2");
    await drawn(wang, "o", [300, 300, 400, 400]);
    await untilLogged(stage, (all) => all.length === 2, "a rectangle and an ellipse");
    const across = (
      /** @type {() => Promise<any>} */ begin,
      /** @type {() => Promise<any>} */ end,
    ) => whileTurned(ana, wang, begin, end);
    const drag = (/** @type {number[][]} */ spots, /** @type {any} */ how = {}) =>
      ana.hands.drag(
        spots.map(([x, y]) => ({ x, y })),
        { let: false, steady: true, ...how },
      );
    const letGo = () => ana.hands.release();
    let selected;
    await across(async () => {
      await ana.hands.press("r");
      const corners = [500, 550, 600].map((at) => [at, at - 100]);
      await drag(corners);
    }, letGo);
    const ways = [350, 370, 390].map((at) => [at, 300]);
    await across(
      async () => {
        await ana.hands.press("v");
        await drag(ways, { keys: "alt" });
      },
      () => ana.hands.release({ keys: "alt" }),
    );
    await across(
      async () => {
        await ana.hands.press("v");
        await ana.hands.click(350, 300);
        await ana.until("theBoard.selection.length === 1");
      },
      async () => {
        await ana.evaluate("theBoard.duplicate()");
        await ana.hands.press("ctrl+a");
        selected = await ana.evaluate("theBoard.selected.elements.map(({ shape }) => shape.type)");
      },
    );
    await ana.hands.press("p");
    await drag([
      [300, 500],
      [400, 500],
    ]);
    await letGo();
    const all = await untilLogged(
      stage,
      (found) => found.some(({ stroke }) => stroke?.ended),
      "the last stroke",
    );
    assert.deepEqual(
      all.map(({ scene, shape }) => `${shape?.type ?? "stroke"} on ${scene}`).sort(),
      ["ellipse on 2", "rectangle on 1", "stroke on 1"],
    );
    assert.deepEqual(selected, ["ellipse"]);
  },
);

browserTest(
  "PAGE-3: who is alone turns the room's page; the tab keeps the own page over loading",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await ana.click(".page-add");
    await looksAt(ana, "2");
    assert.equal(await ana.text(".follow"), "", "nobody is anywhere else");
    const wang = await opened(stage, { name: "Wang" });
    await looksAt(wang, "2");
    await wang.hands.press("PageUp");
    await told(wang, "You are on page 1, the room is on page 2");
    await wang.reload();
    await told(wang, "You are on page 1, the room is on page 2");
    await looksAt(wang, "1");
    await looksAt(ana, "2");
    await press(wang, "rejoin");
    await looksAt(wang, "2");
    await wang.reload();
    await looksAt(wang, "2");
  },
);

browserTest(
  "Replay what one member saw (M): their page, and all of their screen",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await drawn(ana, "r", [400, 300, 500, 400]);
    await ana.click(".page-add");
    // A shape that is unfinished when the page turns is cancelled (PAGE-3).
    await looksAt(ana, "2");
    await drawn(ana, "o", [400, 300, 500, 400]);
    await untilLogged(stage, (found) => found.length === 2, "a shape on each page");
    const page = await watching(stage, "m=0");
    const scene = () => ask(page, "player.scene");
    await page.hands.press("End");
    await page.until(async () => (await import("/assets/player/main.js")).player.scene === 2);
    await ask(page, "player.follow(1)");
    assert.equal(await scene(), 1);
    await present(ana);
    await told(wang, "Following Ana");
    await ana.hands.wheel(640, 400, 300, 200);
    await page.hands.press("l");
    await page.until(async () => {
      const { player } = await import("/assets/player/main.js");
      const { width, height, scale } = player.board.view;
      const fit = Math.min(width / 1280, height / 800);
      return player.scene === 2 && Math.abs(scale - fit) < 0.01;
    });
  },
);

browserTest(
  "Replay of another page than the room's: it is chosen, its link leads there, a story turns to it",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await opened(stage, { name: "Wang" });
    await drawn(ana, "r", [400, 300, 500, 400]);
    await ana.click(".page-add");
    await looksAt(ana, "2");
    await drawn(ana, "o", [400, 300, 500, 400]);
    const made = await untilLogged(stage, (found) => found.length === 2, "a shape on each page");
    const page = await watching(stage);
    await page.hands.press("End");
    await page.see("select.page");
    const at = (/** @type {number} */ scene) =>
      until(async () => (await ask(page, "player.scene")) === scene, { what: `page ${scene}` });
    await at(1);
    const choose = (/** @type {string} */ value) =>
      page.evaluate((/** @type {string} */ wanted) => {
        const select = /** @type {HTMLSelectElement} */ (document.querySelector("select.page"));
        select.value = wanted;
        select.dispatchEvent(new Event("change"));
      }, value);
    await choose("2");
    await at(2);
    await page.click("[data-do=share]");
    const link = await page.evaluate(
      () => /** @type {HTMLInputElement} */ (document.querySelector("dialog.share input")).value,
    );
    assert.match(link, /[#&]p=2(&|$)/);
    await page.hands.press("Escape");
    await choose("");
    await at(1);
    const oval = made.find(({ scene }) => scene === 2);
    await ask(page, `story.open("${oval.id}")`);
    await at(2);
    const other = await watching(stage, link.split("#")[1]);
    assert.equal(await ask(other, "player.scene"), 2);
  },
);

browserTest(
  "Clear the page: that which was shown when it was asked, also if somebody turns to another one meanwhile",
  async (stage) => {
    const page = await opened(stage);
    await hold(page);
    await drawn(page, "r", [400, 250, 500, 310]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    await page.click(".faces");
    await page.click(".members [data-do=clear]");
    await page.see(".dialog .bad");
    await page.evaluate(async () => {
      const { session } = /** @type {any} */ (window).theBoard.source;
      await session.send("scenesPut", { directory: "/", index: 1, scenes: [{ name: "another" }] });
      const scene = session.state.scenes[1].id;
      session.lookAt(scene);
      await session.send("elementPut", {
        id: session.nextElement(),
        scene,
        ...{ type: "rectangle", x: 0, y: 0, width: 9, height: 9 },
      });
    });
    await page.click(".dialog .bad");
    const left = await untilLogged(stage, (all) => all.length === 1, "one page is cleared");
    assert.equal(left[0].scene ?? left[0].shape.scene, 2, "the other one is not");
  },
);
