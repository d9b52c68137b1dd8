// The pictures of docs/images that show the page: each name with what is done before it is taken.
// More can be added here.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../Tests/WebTests/kit/places.js";
import { ask, read } from "../../Tests/WebTests/kit/player.js";
import { Company } from "../../Tests/WebTests/kit/rooms.js";
import { pageFolder, root } from "./files.js";

/**
 * @typedef {object} Set What a scenario works with.
 * @property {import("../../Tests/WebTests/kit/server.js").Server} server open
 * @property {(looks?: import("../../Tests/WebTests/kit/page.js").Looks) =>
 *   Promise<import("../../Tests/WebTests/kit/browser.js").Person>} person
 * @property {import("../../Tests/WebTests/kit/page.js").Looks} looks of the picture
 * @property {string} room with a drawing in it
 * @property {() => Promise<import("../../Tests/WebTests/kit/server.js").Server>} ownServer to be killed
 *
 * @typedef {object} Scenario
 * @property {string} name of the picture
 * @property {import("../../Tests/WebTests/kit/page.js").Looks} looks
 * @property {(set: Set) => Promise<import("../../Tests/WebTests/kit/page.js").Page>} play gives the page
 * @property {boolean} [isMoving] it never stands still: something counts
 */

const desktop = { width: 1280, height: 800 };

const phone = { width: 390, height: 844, scale: 2, mobile: true };

/** @typedef {import("../../Tests/WebTests/kit/page.js").Looks} Looks */
/**
 * Every look that a page is to be judged in.
 * @type {[string, Looks][]}
 */
const allLooks = [
  ["light-en", { ...desktop, scheme: "light", locale: "en-US" }],
  ["dark-en", { ...desktop, scheme: "dark", locale: "en-US" }],
  ["light-zh", { ...desktop, scheme: "light", locale: "zh-CN" }],
  ["dark-zh", { ...desktop, scheme: "dark", locale: "zh-CN" }],
  ["phone-light-en", { ...phone, scheme: "light", locale: "en-US" }],
  ["phone-dark-zh", { ...phone, scheme: "dark", locale: "zh-CN" }],
];

/**
 * Waits until two pictures in a row are the same: fonts and tiles have come, and nothing moves any
 * more.
 * @param {import("../../Tests/WebTests/kit/page.js").Page} page
 */
export async function settle(page) {
  let last = Buffer.alloc(0);
  await until(
    async () => {
      const now = await page.screenshot();
      const isSame = now.equals(last);
      last = now;
      return isSame;
    },
    { what: "a page that stands still" },
  );
}

/**
 * Waits until a board shows its room.
 * @param {import("../../Tests/WebTests/kit/page.js").Page} page
 */
const joined = (page) => page.see("[data-phase=connected]");

/**
 * The board with the whole drawing in sight, and the pointers of two others.
 * @param {Set} set
 */
async function board({ server, person, looks, room }) {
  const page = await (await person(looks)).open(`${server.url}/r/${room}`);
  await joined(page);
  await settle(page);
  await page.hands.press("shift+1");
  await settle(page);
  const x = looks.width ?? 1280;
  const y = looks.height ?? 800;
  for (const place of [
    [0.62, 0.3],
    [0.4, 0.66],
  ]) {
    const other = await (await person({ width: x, height: y })).open(`${server.url}/r/${room}`);
    await joined(other);
    await settle(other);
    await other.hands.press("shift+1");
    await settle(other);
    await other.hands.move(x * place[0] - 20, y * place[1]);
    await other.hands.move(x * place[0], y * place[1]);
  }
  await page.bringToFront();
  return page;
}

/**
 * The server is gone, and the page says so.
 * @param {Set} set
 */
async function reconnecting({ person, looks, ownServer }) {
  const server = await ownServer();
  const page = await (await person(looks)).open(`${server.url}/r/${"ab".repeat(16)}`);
  await joined(page);
  await server.kill();
  // One beyond the time after which silence counts, two attempts.
  await page.until("/\\b2\\b/.test(document.querySelector('.banner')?.textContent)", [], 30_000);
  return page;
}

/**
 * The replay at its end, when all of it has been read.
 * @param {Set} set
 */
async function player({ server, person, looks, room }) {
  const page = await (await person(looks)).open(
    `${server.url}/replay/${room}#seq=${await server.revision(room)}`,
  );
  await page.until(() => document.querySelector(".of")?.textContent?.includes("#"));
  await read(page);
  return page;
}

/**
 * "My drawing vanished" (docs/DEBUGGING.md), up to a step: somebody cleaned the page, and the player
 * shows what was erased, the story of it, and that it is back.
 * @param {"ghosts" | "story" | "restored"} step
 * @returns {Scenario["play"]}
 */
const vanished = (step) => async (set) => {
  const { server } = set;
  const room = randomBytes(16).toString("hex");
  await server.perform(room, join(root, "tools/samples/plan.ndjson"), [
    "--members",
    "3",
    "--speed",
    "0",
  ]);
  const company = new Company(server, room, 1);
  const bob = await company.join({ uid: "bob", payload: { name: "Bob" } });
  await bob.send("sceneCleaned", { retainPPT: true });
  await bob.disconnect();
  const page = await player({ ...set, room });
  await page.click('[data-do="ghosts"]');
  await page.until(() => document.querySelector(".story .reading") === null);
  await settle(page);
  await page.hands.press("f");
  await settle(page);
  if (step === "ghosts") return page;
  const { x, y } = await ask(
    page,
    `import("/assets/render/stroke.js").then(({ strokePoints }) =>
      player.board.view.toScreen(strokePoints(story.past.erased[0].element.stroke)[0]))`,
  );
  const paper = await page.box(".paper");
  await page.hands.click(paper.x + x, paper.y + y);
  await page.see(".story .restore-all");
  await page.until(() => document.querySelector(".story .reading") === null);
  if (step === "story") return page;
  await page.click(".story .restore-all");
  await page.see(".story .to-board");
  await page.click('[data-do="last"]');
  return page;
};

const hasPlayer = existsSync(join(pageFolder, "replay.html"));

/** @type {Scenario[]} */
export const scenarios = [
  ...allLooks.map(([name, looks]) => ({ name: `board-${name}`, looks, play: board })),
  { name: "board-reconnecting", looks: allLooks[0][1], play: reconnecting, isMoving: true },
  ...(hasPlayer ? allLooks : []).map(([name, looks]) => ({
    name: `player-${name}`,
    looks,
    play: player,
  })),
  ...(hasPlayer ? /** @type {const} */ (["ghosts", "story", "restored"]) : []).map((step) => ({
    name: `vanished-${step}`,
    looks: allLooks[0][1],
    play: vanished(step),
  })),
];
