// The player's page, as tests use it, and rooms in which something happens.
import { Company } from "./rooms.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./test.js").Stage} Stage */

/**
 * Somebody who watches a room as it was.
 * @param {Stage} stage
 * @param {string} [moment] what stands after # in the address
 * @param {{server?: import("./server.js").Server, room?: string} & import("./page.js").Looks}
 *   [where]
 */
export async function watching(
  stage,
  moment = "",
  { server = stage.server, room = stage.room, ...looks } = {},
) {
  const page = await (await stage.person(looks)).open(
    `${server.url}/replay/${room}${moment && `#${moment}`}`,
  );
  await page.until(() => document.querySelector(".of")?.textContent?.includes("#"));
  await read(page);
  return page;
}

/**
 * All blocks have been read, and what is asked for is shown.
 * @param {Page} page
 */
export const read = (page) =>
  page.until(async () => {
    const name = "/assets/player/main.js";
    const { player } = await import(name);
    const { source, log } = player ?? {};
    const isRead = source?.index.blocks.every((/** @type {any} */ { last }) => log.kind(last) > 0);
    const isShown = isRead && player.state.revision === player.place.revision && !player.isLoading;
    // The bars are drawn in a frame, and the board reads in one what a tap finds.
    return isShown && !player.timeline.isRequested && !player.board.sceneContent.isBusy;
  });

/**
 * Asks the player.
 * @param {Page} page
 * @param {string} expression in which `player` is the player, and `story` what tells stories
 * @returns {Promise<any>}
 */
export const ask = (page, expression) =>
  page.evaluate(`import("/assets/player/main.js").then(({ player, story }) => (${expression}))`);

/**
 * The revision that is shown, when it is.
 * @param {Page} page
 */
export async function shown(page) {
  await read(page);
  return ask(page, "player.state.revision");
}

/**
 * Waits until a section of the inspector says something.
 * @param {Page} page
 * @param {string} section
 * @param {string} text
 */
export const says = (page, section, text) =>
  page.until(
    (/** @type {string} */ name, /** @type {string} */ wanted) =>
      document.querySelector(`.inspector .${name}`)?.textContent?.includes(wanted),
    [section, text],
  );

/**
 * Ana and Wang: a drawing, a state, a custom event, a command that is refused, Ana presents,
 * somebody takes Wang's place over, who is kicked then.
 * @param {Stage} stage
 */
export async function lively(stage) {
  const { server, room } = stage;
  const company = new Company(server, room, 1);
  const ana = await company.join({ uid: "ana", payload: { name: "Ana" } });
  const wang = await company.join({ uid: "wang", payload: { name: "Wang" } });
  const put = (/** @type {any} */ who, /** @type {any} */ fields) =>
    who.send("elementPut", { id: who.nextElement(), scene: 1, ...fields });
  await put(ana, { type: "note", x: 10, y: 20, width: 160, height: 120, text: "out of paper" });
  await put(wang, { type: "rectangle", x: 300, y: 40, width: 120, height: 90 });
  await ana.send("globalState", { lesson: "birds" });
  await wang.send("magix", { event: "quiz", payload: { answer: "a wren" } });
  await wang.send("erased", { elements: ["9.9"] }).catch(() => {});
  await ana.send("camera", { unit: -2, x: 400, y: 800, scale: 131_072 });
  await ana.send("viewMode", { mode: "broadcaster" });
  await ana.send("camera", { unit: -2, x: 800, y: 800, scale: 65_536 });
  const { member: kicked } = await company.join({ uid: "wang", payload: { name: "Wang" } });
  await server.call("POST", `/v5/rooms/${room}/kick`, { memberId: kicked });
  await ana.send("globalState", { lesson: "fish", page: 2 });
  return { ana, wang, kicked };
}

/**
 * The middle of the board, as its canvases have it.
 * @param {Page} page
 * @returns {Promise<string>} PNG as a URL of data
 */
export const middle = (page, width = 640, height = 360) =>
  page.evaluate(
    (/** @type {number} */ wide, /** @type {number} */ high) => {
      const canvas = document.createElement("canvas");
      canvas.width = wide;
      canvas.height = high;
      const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      for (const one of /** @type {NodeListOf<HTMLCanvasElement>} */ (
        document.querySelectorAll(".paper canvas")
      )) {
        ctx.drawImage(
          one,
          wide / 2 - Math.round(one.width / 2),
          high / 2 - Math.round(one.height / 2),
        );
      }
      return canvas.toDataURL();
    },
    width,
    height,
  );
