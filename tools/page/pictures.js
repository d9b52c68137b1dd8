// Takes the screenshots of docs/images anew.
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Browser } from "../../Tests/WebTests/kit/browser.js";
import { Server } from "../../Tests/WebTests/kit/server.js";
import { root } from "./files.js";
import { scenarios, settle } from "./scenarios.js";

const folder = join(root, "docs/images");
const drawing = "tools/samples/plan.ndjson";

/** @param {string[]} names parts of the names of pictures; all if there are none */
export async function takeAll(names) {
  const all = scenarios.map(({ name }) => name);
  const wanted = all.filter(
    (name) => names.length === 0 || names.some((part) => name.includes(part)),
  );
  const chosen = scenarios.filter(({ name }) => wanted.includes(name));
  if (chosen.length === 0) throw new Error(`No picture is called so. There are: ${all.join(", ")}`);
  mkdirSync(folder, { recursive: true });
  const [browser, server] = await Promise.all([Browser.launch({ isWhole: true }), Server.start()]);
  try {
    const room = await drawn(server);
    for (const { name, looks, play, isMoving } of chosen) {
      await take(browser, server, room, name, looks, play, isMoving);
      console.error(`docs/images/${name}.png`);
    }
  } finally {
    await Promise.all([browser.close(), server.close()]);
  }
}

/**
 * A room with what one of the repository's own samples draws.
 * @param {Server} server
 */
async function drawn(server) {
  const room = randomBytes(16).toString("hex");
  await server.perform(room, join(root, drawing), ["--members", "3", "--speed", "4"]);
  return room;
}

/**
 * @param {Browser} browser
 * @param {Server} server
 * @param {string} room
 * @param {string} name
 * @param {import("../../Tests/WebTests/kit/page.js").Looks} looks
 * @param {import("./scenarios.js").Scenario["play"]} play
 */
async function take(browser, server, room, name, looks, play, isMoving = false) {
  /** @type {import("../../Tests/WebTests/kit/browser.js").Person[]} */
  const people = [];
  const person = async (
    /** @type {import("../../Tests/WebTests/kit/page.js").Looks} */ seen = {},
  ) => {
    people.push(await browser.person(seen));
    return people[people.length - 1];
  };
  /** @type {Server[]} */
  const servers = [];
  const ownServer = async () => {
    servers.push(await Server.start());
    return servers[servers.length - 1];
  };
  try {
    const page = await play({ server, person, looks, room, ownServer });
    if (!isMoving) await settle(page);
    writeFileSync(join(folder, `${name}.png`), await page.screenshot());
  } finally {
    for (const one of [...people, ...servers]) {
      await one.close();
    }
  }
}
