// The pictures of docs/images that show the page: each name with what is done before it is taken. More can be added
// here.
import { until } from "../../Tests/WebTests/kit/places.js";

/**
 * @typedef {object} Set What a scenario works with.
 * @property {import("../../Tests/WebTests/kit/server.js").Server} server open
 * @property {(looks?: import("../../Tests/WebTests/kit/page.js").Looks) =>
 *   Promise<import("../../Tests/WebTests/kit/browser.js").Person>} person
 * @property {import("../../Tests/WebTests/kit/page.js").Looks} looks of the picture
 * @property {string} room with a drawing in it
 *
 * @typedef {object} Scenario
 * @property {string} name of the picture
 * @property {import("../../Tests/WebTests/kit/page.js").Looks} looks
 * @property {(set: Set) => Promise<import("../../Tests/WebTests/kit/page.js").Page>} play gives the page
 */

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844, scale: 2, mobile: true };

/** Every look that a page is to be judged in. @type {[string, import("../../Tests/WebTests/kit/page.js").Looks][]} */
const allLooks = [
  ["light-en", { ...desktop, scheme: "light", locale: "en-US" }],
  ["dark-en", { ...desktop, scheme: "dark", locale: "en-US" }],
  ["light-zh", { ...desktop, scheme: "light", locale: "zh-CN" }],
  ["dark-zh", { ...desktop, scheme: "dark", locale: "zh-CN" }],
  ["phone-light-en", { ...phone, scheme: "light", locale: "en-US" }],
  ["phone-dark-zh", { ...phone, scheme: "dark", locale: "zh-CN" }],
];

/** Waits until two pictures in a row are the same: fonts and tiles have come, and nothing moves any more. */
export async function settle(/** @type {import("../../Tests/WebTests/kit/page.js").Page} */ page) {
  let last = Buffer.alloc(0);
  await until(async () => {
    const now = await page.screenshot();
    const isSame = now.equals(last);
    last = now;
    return isSame;
  }, { what: "a page that stands still" });
}

/** @param {Set} set */
async function board({ server, person, looks, room }) {
  const page = await (await person(looks)).open(`${server.url}/r/${room}`);
  await page.see("canvas");
  return page;
}

/** @param {Set} set */
async function player({ server, person, looks, room }) {
  const page = await (await person(looks)).open(`${server.url}/replay/${room}`);
  await page.see("canvas");
  return page;
}

/** @type {Scenario[]} */
export const scenarios = [
  ...allLooks.map(([name, looks]) => ({ name: `board-${name}`, looks, play: board })),
  ...allLooks.map(([name, looks]) => ({ name: `player-${name}`, looks, play: player })),
];
