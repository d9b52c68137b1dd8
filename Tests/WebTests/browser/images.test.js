// Images of the board: under every name of the server, in exports, and from files.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { hold, menu, opened, openedForSaving, untilLogged } from "../kit/board.js";
import { root, until } from "../kit/places.js";
import { watching } from "../kit/player.js";
import { readPNG } from "../kit/png.js";
import { pixels } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

const BLUE = [31, 95, 214];

/** A path that every name of the server shows. */
const STORED = /^\/v5\/rooms\/[0-9a-f]{32}\/images\/[0-9a-f]{64}\.png$/;

/**
 * Stores an image of one colour, as the page does.
 * @param {Page} page
 * @param {string} room
 * @returns {Promise<string>} its path
 */
const stored = (page, room) =>
  page.evaluate(async (/** @type {string} */ name) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 120, height: 80 });
    const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    ctx.fillStyle = "#1f5fd6";
    ctx.fillRect(0, 0, 120, 80);
    const file = await new Promise((done) => canvas.toBlob(done));
    const { token } = await (await fetch("/v5/server")).json();
    const headers = { token, "content-type": "image/png" };
    const sent = { method: "POST", headers, body: file };
    return (await (await fetch(`/v5/rooms/${name}/images`, sent)).json()).url;
  }, room);

/** @param {Page} page @returns {Promise<number>} pixels of the image's colour */
async function blue(page) {
  const { data } = await pixels(page);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (BLUE.every((level, part) => Math.abs(data[at + part] - level) < 6)) count += 1;
  }
  return count;
}

/** @param {Page} page @param {number} least */
const untilBlue = (page, least) =>
  until(async () => (await blue(page)) >= least, { what: "the image is seen" });

/** @param {any} element of a log */
const srcOf = ({ set, shape }) => set?.src ?? shape?.src;

browserTest(
  "An image has no host in it: it is seen through another port and another host name",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await hold(ana);
    const path = await stored(ana, stage.room);
    const data = await ana.evaluate(async (/** @type {string} */ src) => {
      const file = await (await fetch(src)).blob();
      const given = new DataTransfer();
      given.items.add(new File([file], "dot.png", { type: "image/png" }));
      const paper = /** @type {HTMLElement} */ (document.querySelector(".paper"));
      const where = { clientX: 400, clientY: 300, bubbles: true, cancelable: true };
      paper.dispatchEvent(new DragEvent("drop", { dataTransfer: given, ...where }));
      return file.size;
    }, path);
    assert.ok(data > 0);
    const [image] = await untilLogged(stage, ([one]) => srcOf(one ?? {}), "an image is put");
    assert.match(srcOf(image), STORED);
    await untilBlue(ana, 9_000);
    const proxy = await stage.proxy();
    const other = await opened(stage, { name: "Wang", url: `${proxy.url}/r/${stage.room}` });
    await untilBlue(other, 9_000);
    const port = new URL(stage.server.url).port;
    const named = await (await stage.person()).open(`http://localhost:${port}/r/${stage.room}`);
    await named.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    await untilBlue(named, 9_000);
  },
);

browserTest(
  "An image of this room with an old host is seen from the present server",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await hold(ana);
    const src = `https://old.example.test:444${await stored(ana, stage.room)}`;
    await ana.evaluate(`theBoard.putImage({ src: "${src}", width: 120, height: 80 })`);
    await untilLogged(stage, ([one]) => srcOf(one ?? {}) === src, "the old address is put");
    await untilBlue(ana, 9_000);
    assert.ok(ana.requests.every((address) => !address.includes("old.example.test")));
    const replay = await watching(stage, `seq=${await stage.server.revision(stage.room)}`);
    await untilBlue(replay, 9_000);
  },
);

for (const [failures, what] of /** @type {[number, string][]} */ ([
  [1, "the first time"],
  [Infinity, "each time"],
])) {
  browserTest(
    `An image is seen although the browser makes no bitmap of it ${what}`,
    async (stage) => {
      const ana = await opened(stage, { name: "Ana" });
      await hold(ana);
      const src = await stored(ana, stage.room);
      // Who puts an image may see it above the tiles for a moment; who watches sees tiles only.
      const wang = await opened(stage, { name: "Wang" });
      await wang.evaluate(`{
      const make = createImageBitmap;
      let left = ${failures};
      window.failed = 0;
      window.createImageBitmap = async (...given) => {
        left -= 1;
        if (left < 0) return make(...given);
        window.failed += 1;
        throw new DOMException("The source image could not be decoded.", "InvalidStateError");
      };
    }`);
      await ana.evaluate(`theBoard.putImage({ src: "${src}", width: 120, height: 80 })`);
      await untilBlue(wang, 9_000);
      const failed = await wang.evaluate("window.failed");
      assert.ok(failed > 0 && failed <= failures);
    },
  );
}

browserTest("A board in a page of another site shows images of its server", async (stage) => {
  const example = readFileSync(join(root, "docs/examples/embed.html"));
  const site = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(example),
  );
  await new Promise((done) => site.listen(0, "127.0.0.1", () => done(undefined)));
  stage.t.after(() => {
    site.closeAllConnections();
    site.close();
  });
  const { port } = /** @type {import("node:net").AddressInfo} */ (site.address());
  const origin = `http://127.0.0.1:${port}`;
  const server = await stage.ownServer({ settings: { "cors.origins": origin } });
  const ana = await opened(stage, { name: "Ana", url: `${server.url}/r/${stage.room}` });
  await hold(ana);
  const src = await stored(ana, stage.room);
  await ana.evaluate(
    `theBoard.putImage({ src: "${src}", width: 120, height: 80 }, { x: 0, y: 0 })`,
  );
  await untilBlue(ana, 9_000);
  const words = new URLSearchParams({ server: server.url, uuid: stage.room, token: "" });
  const page = await (await stage.person()).open(`${origin}/#${words}`);
  await page.until(() => !document.querySelector("#join")?.hasAttribute("disabled"));
  await page.click("#join");
  await page.until(() => document.querySelector("#phase")?.textContent === "connected");
  await untilBlue(page, 9_000);
});

browserTest(
  "Export of a selection: the SVG has the image in it, a missing one has its name, nobody else is asked",
  async (stage) => {
    const { page, folder } = await openedForSaving(stage);
    const src = await stored(page, stage.room);
    const elsewhere = `http://board.test:${new URL(stage.server.url).port}/missing/photo.png`;
    const ids = [];
    for (const [at, one] of [src, elsewhere].entries()) {
      const shape = `{ src: "${one}", width: 120, height: 80 }, { x: ${at * 200}, y: 0 }`;
      ids.push(await page.evaluate(`theBoard.putImage(${shape})`));
    }
    await page.hands.press("r");
    await page.hands.drag([
      { x: 200, y: 150 },
      { x: 300, y: 220 },
    ]);
    await untilLogged(stage, (all) => all.length === 3, "three elements are there");
    await page.evaluate(`theBoard.tool = "select"; theBoard.select(${JSON.stringify(ids)})`);
    const before = page.requests.filter((address) => address.includes("board.test")).length;
    const saved = async (/** @type {string} */ ending) => {
      const file = join(folder, `boardroom-${stage.room.slice(0, 8)}-selection.${ending}`);
      await until(() => existsSync(file), { what: `${ending} is saved` });
      return readFileSync(file);
    };
    await menu(page, "Export…");
    await page.see(".only-selected input");
    assert.equal(
      await page.evaluate(`document.querySelector(".only-selected input").checked`),
      true,
    );
    if (process.env.SHOTS)
      writeFileSync(`${process.env.SHOTS}/export.png`, await page.screenshot());
    await page.click(".choice:nth-child(2)");
    const svg = (await saved("svg")).toString();
    assert.equal(svg.match(/<image [^>]*href="data:image\/png;base64,/g)?.length, 1);
    assert.ok(!svg.includes('href="http'), "nothing is fetched by who opens it");
    assert.ok(svg.includes(">photo.png</tspan>"), "the missing one has its name");
    assert.ok(!svg.includes("L300"), "the rectangle is not selected");
    await page.until(() =>
      [...document.querySelectorAll(".note")].some((one) => one.textContent?.includes("photo.png")),
    );
    await page.hands.click(640, 400);
    await page.evaluate(`theBoard.select(${JSON.stringify(ids.slice(0, 1))})`);
    await page.evaluate(() => document.querySelector(".paper")?.focus());
    await page.hands.press("shift+F10");
    await page.see(".context-menu");
    await page.evaluate(() => {
      const items = [...document.querySelectorAll(".context-menu .menu-item")];
      const at = (/** @type {string} */ words) =>
        /** @type {HTMLElement} */ (items.find((one) => one.textContent === words));
      at("Export selection as").click();
      at("PNG").click();
    });
    const png = readPNG(await saved("png"));
    assert.deepEqual([png.width, png.height], [2 * 152, 2 * 112]);
    const middle = (png.width * (png.height >> 1) + (png.width >> 1)) * 4;
    assert.deepEqual([...png.data.subarray(middle, middle + 3)], BLUE);
    const after = page.requests.filter((address) => address.includes("board.test")).length;
    assert.equal(after, before, "nobody else was asked");
  },
);
