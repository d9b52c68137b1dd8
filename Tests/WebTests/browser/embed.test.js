// The board in somebody else's page: the example of docs/WEB.md, on another origin.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before } from "node:test";
import { board, line, opened } from "../kit/board.js";
import { root } from "../kit/places.js";
import { browserTest } from "../kit/test.js";

/** @type {import("node:http").Server} */
let site;

let siteURL = "";

before(async () => {
  const example = readFileSync(join(root, "docs/examples/embed.html"));
  site = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(example),
  );
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  siteURL = `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (site.address()).port}`;
});

after(() => {
  site.closeAllConnections();
  site.close();
});

browserTest(
  "The example of embedding joins, draws, is told what happens by the SDK's callbacks, and leaves",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const token = await server.token("writer", room);
    const page = await (await stage.person()).open(
      `${siteURL}/#${new URLSearchParams({ server: server.url, uuid: room, token })}`,
    );
    await page.until(() => !document.querySelector("#join")?.hasAttribute("disabled"));
    await page.click("#join");
    await page.until(() => document.querySelector("#phase")?.textContent === "connected");
    const paper = await page.box("#board");
    await page.hands.drag([
      { x: paper.x + 300, y: paper.y + 200 },
      { x: paper.x + 500, y: paper.y + 260 },
    ]);
    const other = await opened(stage, { name: "Ana", url: `${server.url}/r/${room}#${token}` });
    await other.until(board.elements, [1]);
    await page.until(() => document.querySelector("#members")?.textContent === "2");
    await page.click("#bell");
    await page.until(() => document.querySelector("#news")?.textContent === "The bell rang.");
    await line(other, [
      [300, 500],
      [500, 520],
    ]);
    await other.until(board.elements, [2]);
    assert.equal(
      await page.evaluate(() => getComputedStyle(document.body).overflow),
      "visible",
      "the board's styles stay inside",
    );
    await page.click("#leave");
    await page.until(() => document.querySelector("#phase")?.textContent === "disconnected");
    assert.equal(await page.evaluate(() => document.querySelector("#board")?.childElementCount), 0);
    await other.until(() => document.querySelectorAll(".faces .face").length === 1);
    assert.deepEqual(
      page.complaints.filter((one) => !/favicon|\/v5\/server/.test(one)),
      [],
    );
  },
);
