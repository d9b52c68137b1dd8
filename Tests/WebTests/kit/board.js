// The board page, as tests use it.
import assert from "node:assert/strict";
import { removeFolder, temporaryFolder, until } from "./places.js";

/** @typedef {import("./page.js").Page} Page */

/**
 * Somebody who is in a room, with a name.
 * @param {import("./test.js").Stage} stage
 * @param {{name?: string, url?: string, room?: string, keep?: Record<string, string>} &
 *   import("./page.js").Looks} [who] url: where to go instead of the stage's room; keep: what the
 *   browser remembers of earlier
 */
export async function opened(
  stage,
  { name = "", url, room = stage.room, keep = {}, ...looks } = {},
) {
  const page = await (await stage.person(looks)).open(`${stage.server.url}/assets/icon.svg`);
  await page.evaluate(
    (kept) => {
      for (const [key, value] of Object.entries(kept)) {
        localStorage.setItem(`boardroom.${key}`, value);
      }
    },
    { name, ...keep },
  );
  page.complaints.length = 0;
  page.requests.length = 0;
  await page.open(url ?? `${stage.server.url}/r/${room}`);
  await page.until(
    () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
  );
  return page;
}

/** What can be asked in a page of the board. */
export const board = {
  /** So many things are on the page: the list for screen readers has them. */
  elements: (/** @type {number} */ count) => {
    const mirror = /** @type {HTMLElement} */ (document.querySelector(".mirror"));
    mirror.blur();
    mirror.focus();
    const found = mirror.querySelectorAll("button").length;
    /** @type {HTMLElement} */ (document.querySelector(".paper")).focus();
    return found === count;
  },
};

/**
 * Draws with the pen.
 * @param {Page} page
 * @param {number[][]} spots
 */
export async function line(page, spots) {
  await page.hands.press("p");
  await page.hands.drag(spots.map(([x, y]) => ({ x, y })));
}

/**
 * The page of somebody whose downloads go to a folder of the test.
 * @param {import("./test.js").Stage} stage
 */
export async function openedForSaving(stage) {
  const person = await stage.person();
  const folder = temporaryFolder("boardroom-saved-");
  stage.t.after(() => removeFolder(folder));
  await person.saveDownloadsIn(folder);
  const page = await person.open(`${stage.server.url}/r/${stage.room}`);
  await page.until(
    () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
  );
  await hold(page);
  return { page, folder };
}

/**
 * Takes everybody to the page to which this one has turned alone.
 * @param {Page} page
 */
export const bring = (page) => page.click(".follow [data-do=bring]");

/**
 * Chooses from the menu.
 * @param {Page} page
 * @param {string} words
 */
export async function menu(page, words) {
  await page.click('.people [aria-label="Menu"]');
  const place = await page.evaluate((/** @type {string} */ wanted) => {
    const items = [...document.querySelectorAll(".menu-item")];
    return items.findIndex((item) => item.textContent === wanted) + 1;
  }, words);
  await page.click(`.menu-item:nth-child(${place})`);
}

/**
 * Begins to present. Until the page knows of it from the log, it turns its pages alone and tells no
 * camera; others may know sooner.
 * @param {Page} page
 */
export async function present(page) {
  await menu(page, "Present: others see what you see");
  await page.until(() =>
    document.querySelector(".follow")?.textContent?.includes("You are presenting"),
  );
}

/**
 * What the log has on the current page, as docs/PROTOCOL.md's mirror: strokes and shapes in the
 * order of their places.
 * @param {import("./test.js").Stage} stage
 * @returns {Promise<any[]>}
 */
export async function logged(stage) {
  const { parts } = await stage.server.call("GET", `/v5/rooms/${stage.room}/state`);
  return parts
    .flatMap((/** @type {any} */ part) => part.elements)
    .filter((/** @type {any} */ one) => !one.buried);
}

/**
 * Waits until what the log has is so, and until each page of that room whose board is held has read
 * it, which it does in a frame: what hands do next begins where the log is. A page of another room has revisions of
 * its own, which say nothing about this one. Gives what the log has.
 * @param {import("./test.js").Stage} stage
 * @param {(elements: any[]) => boolean} isSo
 * @param {string} what
 */
export async function untilLogged(stage, isSo, what) {
  const elements = await until(
    async () => {
      const elements = await logged(stage);
      return isSo(elements) && elements;
    },
    {
      what: async () => `${what}; the log has ${JSON.stringify(await logged(stage)).slice(0, 600)}`,
    },
  );
  const { snapshot } = await stage.server.call("GET", `/v5/rooms/${stage.room}/state`);
  assert.ok(Number.isInteger(snapshot.revision), "a snapshot says its revision");
  for (const page of stage.people.flatMap((one) => one.pages)) {
    // A page whose clock stands still has no frames.
    const isUnread = page.standsStill ? "false" : "theBoard.sceneContent.isBusy";
    const isOld = `(session.revision() < ${snapshot.revision} || ${isUnread})`;
    const isBehind = `session?.options.room === ${JSON.stringify(stage.room)} && ${isOld}`;
    await page.until(`((session) => !(${isBehind}))(window.theBoard?.source.session)`);
  }
  return elements;
}

/**
 * Makes the page's board known to its tests as `theBoard`.
 * @param {Page} page
 */
export async function hold(page) {
  await page.evaluate(async () => {
    const name = "/assets/board/board.js";
    const { Board } = await import(name);
    const { handleKey } = Board.prototype;
    Board.prototype.handleKey = function (/** @type {KeyboardEvent} */ event) {
      Object.assign(window, { theBoard: this });
      return handleKey.call(this, event);
    };
  });
  await page.hands.press("v");
  await page.until("window.theBoard !== undefined");
}

/**
 * Draws a shape from corner to corner, with its key.
 * @param {Page} page
 * @param {string} key
 * @param {number[]} box
 */
export async function drawn(page, key, [left, top, right, bottom]) {
  await page.hands.press(key);
  await page.hands.drag([
    { x: left, y: top },
    { x: (left + right) / 2, y: (top + bottom) / 2 },
    { x: right, y: bottom },
  ]);
}
