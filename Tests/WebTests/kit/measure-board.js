// What hands wait for on a page with very many elements (docs/BENCHMARKS.md):
//   node Tests/WebTests/kit/measure-board.js [elements]
// BOARDROOM and WEB_ROOT are as for `tools/web test`. A time is that between two frames, as the
// page itself sees them: script, painting, and whatever else has the machine.
import { randomBytes } from "node:crypto";
import { hold, opened } from "./board.js";
import { Browser } from "./browser.js";
import { crowd } from "./crowded-room.js";
import { Server } from "./server.js";

/** So many moves a gesture has. */
const MOVES = 90;

const count = Number(process.argv[2] ?? 50_000);
const room = randomBytes(16).toString("hex");
const server = await Server.start();
const browser = await Browser.launch();

/** @param {number} ms */
const shown = (ms) => (ms < 10 ? ms.toFixed(1) : String(Math.round(ms)));

/**
 * @param {string} what
 * @param {number[]} times in ms
 */
function tell(what, times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) =>
    shown(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN);
  console.log(`| ${what} | ${at(0.5)} | ${at(0.95)} | ${at(1)} | ${sorted.length} |`);
}

/**
 * @param {number} length
 * @param {(part: number) => {x: number, y: number}} at
 */
const way = (length, at) => Array.from({ length }, (_, n) => at(n / (length - 1)));

/** A hand goes there and back, so that every part of the way is seen twice. */
const swing = way(MOVES, (part) => ({
  x: 640 + 260 * Math.sin(part * 6),
  y: 400 + 120 * Math.sin(part * 9),
}));

/** @param {import("./page.js").Page} page */
function frames(page) {
  /**
   * @param {string} what
   * @param {() => Promise<unknown>} work
   */
  return async (what, work) => {
    await page.evaluate(() => {
      const seen = { times: /** @type {number[]} */ ([]), last: performance.now(), isOver: false };
      const step = () => {
        const now = performance.now();
        seen.times.push(now - seen.last);
        seen.last = now;
        if (!seen.isOver) requestAnimationFrame(step);
      };
      Object.assign(window, { seen });
      requestAnimationFrame(step);
    });
    await work();
    tell(what, await page.evaluate("seen.isOver = true, seen.times.slice(1)"));
  };
}

/**
 * From an act to the second frame after it, when what it changed is on the screen.
 * @param {import("./page.js").Page} page
 * @param {string} act
 * @returns {Promise<number>}
 */
const toScreen = (page, act) =>
  page.evaluate(`new Promise((done) => {
    const begin = performance.now();
    ${act};
    requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
  })`);

/** Everything is read, sent, answered and drawn. */
const rest = (/** @type {import("./page.js").Page} */ page) =>
  page.until(
    async () => {
      const { sceneContent, stage, source } = /** @type {any} */ (window).theBoard;
      const name = "/assets/render/tile-painter.js";
      const { visible, keyOf } = await import(name);
      const isThere = (/** @type {any} */ place) => stage.tiles.tiles.has(keyOf(place));
      const isShown = visible(stage.frame).every(isThere) && sceneContent.notOnTiles.size === 0;
      return !sceneContent.isBusy && isShown && source.session.pending.length === 0;
    },
    [],
    120_000,
  );

/** @param {import("./page.js").Page} page */
const heap = (page) => page.evaluate("Math.round(performance.memory.usedJSHeapSize / 1e6)");

/** @param {import("./page.js").Page} page */
async function measure(page) {
  const during = frames(page);
  const { hands } = page;
  const begin = performance.now();
  await page.until(
    (/** @type {number} */ all) =>
      /** @type {any} */ (window).theBoard.sceneContent.index.entries.size >= all,
    [count],
    120_000,
  );
  await rest(page);
  console.log(
    `read and drawn after ${shown(performance.now() - begin)} ms, ${await heap(page)} MB`,
  );
  console.log("| what | median | 95 of 100 | longest | frames |\n|---|---|---|---|---|");
  await during("nothing", () => page.evaluate("new Promise((done) => setTimeout(done, 1000))"));
  await hands.press("h");
  await during("moving the view, 100 %", () => hands.drag(swing, { steady: true }));
  await rest(page);
  await during("zooming out and in", async () => {
    for (const { x, y } of [
      ...way(30, () => ({ x: 0, y: 120 })),
      ...way(30, () => ({ x: 0, y: -120 })),
    ]) {
      await hands.wheel(640, 400, x, y, "ctrl");
    }
  });
  await rest(page);
  await hands.press("p");
  await during("drawing, 100 %", () => hands.drag(swing, { steady: true }));
  await rest(page);
  await dragAll(page, "100 %");
  await page.evaluate("theBoard.select([]), theBoard.fit()");
  await page.until("theBoard.view.scale < 0.2");
  await rest(page);
  await hands.press("h");
  await during("moving the view, all in sight", () => hands.drag(swing, { steady: true }));
  await rest(page);
  await hands.press("p");
  await during("drawing, all in sight", () => hands.drag(swing, { steady: true }));
  await rest(page);
  await dragAll(page, "all in sight");
}

/**
 * @param {import("./page.js").Page} page
 * @param {string} view
 */
async function dragAll(page, view) {
  const during = frames(page);
  const { hands } = page;
  await hands.press("v");
  const selecting = [];
  for (let n = 0; n < 5; n += 1) {
    await toScreen(page, "theBoard.select([])");
    selecting.push(await toScreen(page, "theBoard.selectAll()"));
  }
  tell(`selecting all, ${view}`, selecting);
  const before = await heap(page);
  await during(`pressing on the selection, ${view}`, () =>
    hands.drag([swing[0], { x: swing[0].x + 9, y: swing[0].y }], { steady: true, let: false }),
  );
  const moves = () => hands.drag(swing, { steady: true, let: false, goesOn: true });
  await during(`dragging the selection, ${view}`, moves);
  console.log(`heap while dragging: ${await heap(page)} MB, before ${before} MB`);
  const begin = performance.now();
  await during(`letting go, until all is sent and drawn, ${view}`, async () => {
    await hands.release();
    await rest(page);
  });
  console.log(`all sent, answered and drawn after ${shown(performance.now() - begin)} ms`);
}

try {
  await crowd(server, room, count);
  const stage = { server, room, person: () => browser.person() };
  const page = await opened(/** @type {any} */ (stage));
  await hold(page);
  await measure(page);
} finally {
  await browser.close();
  await server.close();
}
