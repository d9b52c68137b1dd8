// What people do every day, with real clicks and keys, and what is on the screen then.
import assert from "node:assert/strict";
import { bring, line, opened, untilLogged } from "../kit/board.js";
import { until } from "../kit/places.js";
import { ask, watching } from "../kit/player.js";
import { ink } from "../kit/screen.js";
import { browserTest } from "../kit/test.js";

/**
 * @param {Page} page
 * @typedef {import("../kit/page.js").Page} Page
 */
const isHere = (page) =>
  page.until(
    () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    [],
    20_000,
  );

/**
 * Waits until a part of the screen has ink, or none.
 * @param {Page} page
 * @param {{x: number, y: number, width: number, height: number}} part
 */
const inked = (page, part, is = true) =>
  until(async () => (await ink(page, part)) > 0 === is, {
    what: `${is ? "" : "no "}ink at ${JSON.stringify(part)}`,
  });

/**
 * Where an element is, in whole pixels.
 * @param {Page} page
 * @param {string} selector
 */
async function part(page, selector) {
  const { x, y, width, height } = await page.box(selector);
  return {
    x: Math.round(x),
    y: Math.round(y),
    width: Math.floor(width),
    height: Math.floor(height),
  };
}

/**
 * @param {number} x
 * @param {number} y
 */
const around = (x, y, size = 40) => ({
  x: x - size / 2,
  y: y - size / 2,
  width: size,
  height: size,
});

browserTest(
  "PAGE-3: a page to which everybody is brought is what everybody sees at once, by +, by keys, by its picture",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    const middle = { x: 440, y: 240, width: 240, height: 120 };
    const everybody = (/** @type {boolean} */ is) =>
      Promise.all([inked(ana, middle, is), inked(wang, middle, is)]);
    await line(ana, [
      [460, 300],
      [660, 310],
    ]);
    await everybody(true);
    await ana.click(".page-add");
    await bring(ana);
    await everybody(false);
    await ana.hands.press("PageUp");
    await bring(ana);
    await everybody(true);
    await ana.hands.press("PageDown");
    await bring(ana);
    await everybody(false);
    await ana.click(".page-cell:first-child .page");
    await bring(ana);
    await everybody(true);
  },
);

browserTest(
  "PAGE-3: whoever turns the page under a hand leaves the stroke and the words on the page where they were begun",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.hands.drag(
      [
        { x: 460, y: 300 },
        { x: 560, y: 300 },
      ],
      { let: false },
    );
    await wang.click(".page-add");
    await bring(wang);
    await inked(ana, { x: 440, y: 240, width: 240, height: 120 }, false);
    await ana.hands.release();
    await wang.hands.press("PageUp");
    await bring(wang);
    await inked(ana, { x: 440, y: 240, width: 240, height: 120 });
    await ana.hands.press("t");
    await ana.hands.click(500, 400);
    await ana.see(".board-writing");
    await ana.hands.type("left behind");
    await wang.hands.press("PageDown");
    await bring(wang);
    await ana.until(() => !document.querySelector(".board-writing"));
    const all = await untilLogged(stage, (found) => found.length === 2, "a stroke and a text");
    assert.deepEqual(
      all.map(({ scene }) => scene),
      [1, 1],
    );
  },
);

browserTest(
  "PAGE-4: a double click writes on in a text, in a note and in what has just been written",
  async (stage) => {
    const page = await opened(stage);
    for (const [key, x, y, text] of /** @type {[string, number, number, string][]} */ ([
      ["t", 440, 200, "first"],
      ["n", 700, 420, "second"],
    ])) {
      await page.hands.press(key);
      await page.hands.click(x, y);
      await page.see(".board-writing");
      await page.hands.type(text);
      await page.hands.press("Escape");
      await page.until(() => !document.querySelector(".board-writing"));
    }
    const wordsOf = (/** @type {any[]} */ all) =>
      all.map(({ shape, set }) => set?.text ?? shape.text);
    await untilLogged(stage, (all) => wordsOf(all).join() === "first,second", "both texts");
    for (const [x, y, text] of /** @type {[number, number, string][]} */ ([
      [455, 202, "once more"],
      [700, 420, "anew"],
    ])) {
      await page.hands.press("v");
      await page.hands.click(x, y, 2);
      await page.see(".board-writing");
      await page.hands.type(text);
      await page.hands.press("Escape");
    }
    await untilLogged(
      stage,
      (all) => wordsOf(all).join() === "once more,anew",
      "both written anew",
    );
  },
);

browserTest(
  "PAGE-5: a click of a pen is a dot as wide as the pen: here, for others, after loading, in the picture of its page",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    const dots = /** @type {const} */ ([
      [480, 3],
      [560, 12],
    ]);
    for (const [x, width] of dots) {
      await ana.click(".style-open");
      await ana.click(`.style [data-set=width][data-value="${width}"]`);
      await ana.click(".style-open");
      await ana.hands.click(x, 300);
    }
    // Whose cursor would lie over the dots.
    await ana.hands.move(900, 600);
    const areIn = async (
      /** @type {Page} */ page,
      /** @type {number} */ left,
      /** @type {number} */ top,
    ) => {
      for (const [x, width] of dots) {
        const part = around(x + left, 300 + top);
        await until(
          async () => Math.abs(Math.sqrt(((await ink(page, part)) * 4) / Math.PI) - width) < 1.5,
          { what: `a dot of ${width} px at ${x}` },
        );
      }
    };
    await areIn(ana, 0, 0);
    await areIn(wang, 0, 0);
    await wang.reload();
    await isHere(wang);
    await areIn(wang, 0, 0);
    await inked(wang, await part(wang, ".page canvas"));
  },
);

browserTest("PAGE-5: the player shows that dot", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  await ana.hands.click(560, 300);
  await ana.hands.move(900, 600);
  await untilLogged(
    stage,
    (all) => all.some(({ stroke }) => stroke?.ended),
    "a stroke of one place",
  );
  const player = await watching(stage, "v=0,0,1");
  const paper = await part(player, ".paper");
  const left = Math.round(paper.x + paper.width / 2 - 640);
  const top = Math.round(paper.y + paper.height / 2 - 400);
  await inked(player, around(560 + left, 300 + top));
});

browserTest(
  "PAGE-6: back from another page, and awake again after sleep, one is in the room without doing anything",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    await page.evaluate(
      "void addEventListener('pageshow', (event) => { window.cameBack = event.persisted; })",
    );
    await page.open(`${stage.server.url}/replay/${stage.room}`);
    await page.until(() => document.querySelector(".of")?.textContent?.includes("#"));
    await page.evaluate("history.back()");
    await page.until("location.pathname.startsWith('/r/')");
    await isHere(page);
    assert.equal(await page.evaluate("window.cameBack"), true, "the browser has kept the page");
    assert.equal(
      await page.evaluate(() => document.querySelector(".banner.is-shown")?.textContent ?? ""),
      "",
    );
    await line(page, [
      [460, 300],
      [660, 310],
    ]);
    await untilLogged(stage, (all) => all.length === 1, "a stroke");
    await page.send("Page.setWebLifecycleState", { state: "frozen" });
    await stage.server.call("POST", `/v5/rooms/${stage.room}/scenes`, {
      path: "/",
      scenes: [{ name: "meanwhile" }],
    });
    await page.send("Page.setWebLifecycleState", { state: "active" });
    await page.until(() => document.querySelectorAll(".page").length === 2, [], 20_000);
    await isHere(page);
  },
  { isWhole: true },
);

browserTest(
  "PAGE-7: the replay is opened with the session's right, and no address that can be copied has it",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const token = await server.token("writer", room);
    const person = await stage.person();
    const page = await person.open(`${server.url}/r/${room}#${token}`);
    await isHere(page);
    await page.click(".menu-open");
    assert.equal(
      await page.evaluate(
        () => /** @type {HTMLAnchorElement} */ (document.querySelector(".menu a")).hash,
      ),
      "",
    );
    const player = await person.next(() => page.click(".menu a"));
    // The board appears before it is known whether it may be seen.
    await until(() => ask(player, "player?.state.revision > 0"), { what: "the room is shown" });
    assert.ok(!(await player.evaluate("location.href")).includes("NETLESS"));
    assert.ok(!server.log.includes(token), "the server's log has no token");
  },
);

browserTest(
  "PAGE-8: a link to look stays one when its address is pasted into a new tab; a link to write leaves the address",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const link = `${stage.server.url}/r/${stage.room}#${await stage.server.token("reader", stage.room)}`;
    const person = await stage.person();
    const eve = await person.open(link);
    await eve.see(".read-only");
    const pasted = await person.open(await eve.evaluate("location.href"));
    await pasted.see(".read-only");
    const stranger = await (await stage.person()).open(await eve.evaluate("location.href"));
    await stranger.see(".read-only");
    await stranger.click(".faces");
    assert.equal(
      await stranger.evaluate(
        () => document.querySelectorAll(".members .severe, .members .hosts").length,
      ),
      0,
    );
    const writer = await person.open(
      `${stage.server.url}/r/${stage.room}#${await stage.server.token("writer", stage.room)}`,
    );
    await isHere(writer);
    assert.ok(!(await writer.evaluate("location.href")).includes("NETLESS"));
    await ana.close();
  },
);

browserTest(
  "PAGE-9: two tabs side by side are two members; one that is opened anew is who it was, and a ban reaches it",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const person = await stage.person();
    const address = `${stage.server.url}/r/${stage.room}`;
    const first = await person.open(address);
    await isHere(first);
    const uids = async () =>
      (await stage.server.call("GET", `/v5/rooms/${stage.room}/members`))
        .map((/** @type {any} */ one) => one.uid)
        .filter((/** @type {string} */ uid) => uid !== own);
    const [{ uid: own }] = await stage.server.call("GET", `/v5/rooms/${stage.room}/members`);
    const [visitor] = await uids();
    assert.match(visitor, /^visitor-[0-9a-f]{16}$/);
    const second = await person.open(address);
    await isHere(second);
    assert.deepEqual((await uids()).sort(), [visitor, `${visitor}.2`]);
    assert.equal(
      await first.evaluate(() => document.querySelector(".status")?.getAttribute("data-phase")),
      "connected",
    );
    await first.close();
    await second.close();
    await until(async () => (await uids()).length === 0, { what: "both have left" });
    const anew = await person.open(address);
    await isHere(anew);
    assert.deepEqual(await uids(), [visitor]);
    await ana.click(".faces");
    await ana.click('.members [aria-label^="Ban "]');
    await ana.click(".dialog .bad");
    await anew.see(".banner.bad");
    await anew.close();
    const evading = await person.open(address);
    await evading.until(() =>
      document.querySelector(".banner.bad")?.textContent?.includes("kept out"),
    );
    await ana.see(".bans li");
    assert.match(String(await ana.text(".bans li")), /until/);
    await ana.click(".bans li button");
    await ana.until(() => !document.querySelector(".bans li"));
    await evading.click(".banner button");
    await isHere(evading);
  },
);

browserTest(
  "PAGE-10: an address that is none is a page that says what helps; programs get JSON",
  async (stage) => {
    const page = await (await stage.person()).open(`${stage.server.url}/rooms/list`);
    await page.until(() =>
      document.querySelector("h1")?.textContent?.includes("nothing at this address"),
    );
    await page.click(".card a");
    await page.until("/^\\/r\\//.test(location.pathname)");
    const program = await fetch(`${stage.server.url}/rooms/list`);
    assert.deepEqual([program.status, (await program.json()).code], [404, "notFound"]);
  },
);
