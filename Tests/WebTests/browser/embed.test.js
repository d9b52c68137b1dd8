// Acceptance 5: docs/examples/embed.html, served by somebody else's site, with a server that wants tokens.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../kit/places.js";
import { browserTest } from "../kit/test.js";

/** A site of one page. @param {(origin: string) => Promise<string>} make the page, when the site's origin is known */
async function siteOf(make) {
  let html = "";
  const site = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end(html));
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  const origin = `http://127.0.0.1:${site.address().port}`;
  html = await make(origin);
  return { origin, close: () => { site.closeAllConnections(); site.close(); } };
}

/** How many strokes of other members the log has. @param {import("../kit/server.js").Server} server @param {string} room */
const strokes = async (server, room) =>
  (await server.call("GET", `/v5/rooms/${room}/state`)).parts.length;

browserTest("an own site embeds the board: it joins, draws, hears its callbacks, and leaves", async (stage) => {
  const server = await stage.ownServer({ open: false });
  const room = await server.room();
  const token = await server.token("writer", room);
  const example = readFileSync(join(root, "docs/examples/embed.html"), "utf8");
  const site = await siteOf(async () => example.replace("http://127.0.0.1:8080", server.url)
    .replace("0123456789abcdef0123456789abcdef", room).replace("NETLESSROOM_…", token));
  try {
    const page = await (await stage.person()).open(site.origin + "/");
    await page.until("document.querySelector('#phase').textContent === 'connected'");
    const board = await page.box("#board");
    const [x, y] = [board.x + board.width / 2, board.y + board.height / 2];
    assert.equal(await strokes(server, room), 0);
    await page.hands.drag(Array.from({ length: 20 }, (_, n) => ({ x: x - 100 + n * 10, y: y + (n % 3) * 8 })));
    const other = await (await stage.person()).open(`${server.url}/r/${room}#${token}`);
    await other.see("[data-phase=connected]");
    const members = await server.call("GET", `/v5/rooms/${room}/members`);
    assert.ok(members.some((/** @type {any} */ member) => member.uid === "ana" && member.payload.name === "Ana"));
    await page.click("#leave");
    await page.until("document.querySelector('#phase').textContent === 'left'");
    const after = await server.call("GET", `/v5/rooms/${room}/members`);
    assert.ok(!after.some((/** @type {any} */ member) => member.uid === "ana"));
    assert.equal(await page.evaluate("document.querySelector('#board').childElementCount"), 0);
    assert.ok(await strokes(server, room) > 0, "the stroke is in the log");
  } finally {
    site.close();
  }
});
