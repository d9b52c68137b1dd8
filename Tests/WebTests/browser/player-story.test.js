// The player answers from the picture: the life story of what is clicked, what was erased, and the
// way back on the board.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { board, line, logged, opened, untilLogged } from "../kit/board.js";
import { putLog } from "../kit/crowded-room.js";
import { largeRoom } from "../kit/large-room.js";
import { until } from "../kit/places.js";
import { ask, read, says, shown, watching } from "../kit/player.js";
import { Company, logOf } from "../kit/rooms.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

/**
 * What the story tells: its acts with their revisions, and all of its words.
 * @param {Page} page
 */
const told = (page) =>
  page.evaluate(() => ({
    acts: [...document.querySelectorAll(".story .life .go")].map((one) =>
      one.getAttribute("data-act"),
    ),
    revisions: [...document.querySelectorAll(".story .life .go")].map((one) =>
      Number(one.getAttribute("data-revision")),
    ),
    words: document.querySelector(".story")?.textContent ?? "",
  }));

/**
 * Clicks on a place of the scene.
 * @param {Page} page
 * @param {number} x
 * @param {number} y
 */
async function clickAt(page, x, y) {
  const spot = await ask(page, `player.board.view.toScreen({ x: ${x}, y: ${y} })`);
  const paper = await page.box(".paper");
  await page.hands.click(paper.x + spot.x, paper.y + spot.y);
}

/**
 * Waits until the view that the link names is shown.
 * @param {Page} page
 * @param {number} x
 */
const untilAt = (page, x) =>
  page.until(
    async (/** @type {number} */ wanted) => {
      const name = "/assets/player/main.js";
      return (await import(name)).player.board.view.x === wanted;
    },
    [x],
  );

/**
 * Waits until the lanes of Ana and Bob are drawn: the buttons beside the picture move up when they
 * come.
 * @param {Page} page
 */
const untilDrawn = (page) =>
  page.until(() => document.querySelectorAll(".names button").length === 2);

/**
 * Waits until a story has been read to its end.
 * @param {Page} page
 * @param {string} act that is in it
 */
async function untilTold(page, act) {
  await page.until(
    (/** @type {string} */ wanted) =>
      document.querySelector(`.story [data-act="${wanted}"]`) !== null &&
      document.querySelector(".story .reading") === null,
    [act],
  );
  return told(page);
}

/**
 * Ana puts a note and a rectangle; Bob moves the note, colours it and erases it, and has left.
 * @param {Stage} stage
 */
async function quarrel({ server, room }) {
  const company = new Company(server, room, 1);
  const ana = await company.join({ uid: "ana", payload: { name: "Ana" } });
  const bob = await company.join({ uid: "bob", payload: { name: "Bob" } });
  const note = ana.nextElement();
  const shape = { scene: 1, type: "note", width: 160, height: 120, text: "out of paper" };
  const made = await ana.send("elementPut", { id: note, x: 0, y: 0, ...shape });
  const box = ana.nextElement();
  const size = { x: 300, y: 0, width: 120, height: 90 };
  await ana.send("elementPut", { id: box, scene: 1, type: "rectangle", ...size });
  const set = { x: -200, y: 10 };
  const moved = await bob.send("elementsChanged", { changes: [{ id: note, set }] });
  const tint = { "style.fill": [190, 235, 205] };
  const tinted = await bob.send("elementsChanged", { changes: [{ id: note, set: tint }] });
  const erased = await bob.send("erased", { elements: [note] });
  await bob.disconnect();
  const revisions = [made, moved, tinted, erased].map(({ revision }) => revision);
  return { ana, note, box, revisions };
}

browserTest(
  "Click on anything, or on where something was: its life story, made, changed, erased, by whom, when, with which client; each line jumps",
  async (stage) => {
    const { note, box, revisions } = await quarrel(stage);
    const page = await watching(stage, "v=60,50,1");
    await untilAt(page, 60);
    await untilDrawn(page);
    await clickAt(page, -120, 60);
    const { acts, words, ...gone } = await untilTold(page, "erased");
    assert.deepEqual(acts, ["made", "moved", "restyled", "erased"]);
    assert.deepEqual(gone.revisions, revisions);
    for (const part of ["Sticky note: out of paper", note, "Ana", "Bob", "boardroom-page/1"]) {
      assert.ok(words.includes(part), `${part} in: ${words}`);
    }
    assert.match(words, /\d+:\d\d:\d\d/);
    await page.click('.story [data-act="moved"]');
    assert.equal(await shown(page), revisions[1]);
    await page.see('.story [data-act="moved"][aria-current="true"]');
    assert.ok((await page.evaluate("location.href")).includes("/replay/"));
    // What is on the board, too.
    await page.hands.press("End");
    await clickAt(page, 300, 40);
    assert.deepEqual((await untilTold(page, "made")).acts, ["made"]);
    assert.equal(await ask(page, "player.board.layers.size > 0"), true);
    assert.ok((await told(page)).words.includes(box));
    // Where the note was before it was moved away.
    await clickAt(page, 80, 110);
    assert.ok((await untilTold(page, "erased")).words.includes(note));
    // And nothing is where nothing was.
    await clickAt(page, 80, 240);
    await says(page, "story", "Nothing was here");
    await page.hands.press("Escape");
    await page.until(() => document.querySelector(".story")?.checkVisibility() === false);
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "My drawing vanished: from the complaint to the person and back on the board in under ten clicks",
  async (stage) => {
    const person = await stage.person();
    const ana = await opened({ ...stage, person: async () => person }, { name: "Ana" });
    const bob = await opened(stage, { name: "Bob" });
    await line(ana, [
      [400, 300],
      [500, 360],
      [600, 320],
      [760, 440],
    ]);
    await untilLogged(stage, (all) => all.length === 1 && all[0].stroke?.ended, "a stroke");
    const [before] = await logged(stage);
    await bob.until(board.elements, [1]);
    await bob.hands.press("e");
    await bob.hands.drag([
      { x: 480, y: 250 },
      { x: 500, y: 362 },
      { x: 505, y: 460 },
    ]);
    await untilLogged(stage, (all) => all.length === 0, "Bob erased it");
    await bob.open("about:blank");
    // From here on clicks are counted.
    let clicks = 0;
    const click = async (/** @type {Page} */ page, /** @type {string} */ selector) => {
      clicks += 1;
      await page.click(selector);
    };
    await click(ana, '.people [aria-label="Menu"]');
    const player = await person.next(() => click(ana, ".menu a"));
    await player.until(() => document.querySelector(".of")?.textContent?.includes("#"));
    await read(player);
    await untilDrawn(player);
    await click(player, '[data-do="ghosts"]');
    await player.see('[data-do="ghosts"][aria-pressed="true"]');
    await player.until(() => document.querySelector(".story .reading") === null);
    const { x, y } = await ask(player, "player.board.view.toScreen({ x: -90, y: -60 })");
    const paper = await player.box(".paper");
    clicks += 1;
    await player.hands.click(paper.x + x, paper.y + y);
    const { words, acts } = await untilTold(player, "erased");
    assert.deepEqual(acts, ["made", "erased"]);
    assert.match(words, /Bob/, "the person");
    await player.see(".story .restore:not(:disabled)");
    await click(player, ".story .restore");
    await says(player, "story", "back on the board");
    await untilTold(player, "restoredAs");
    await player.see('.story [data-act="restoredAs"][aria-current="true"]');
    assert.equal(await ask(player, "player.elements(player.scene).length"), 1, "it is shown again");
    const back = await person.next(() => click(player, ".story .to-board"));
    await back.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    const [after] = await logged(stage);
    assert.deepEqual(pointsOf(after), pointsOf(before), "the same points");
    assert.equal(after.set.meta.restored, before.id);
    assert.ok(clicks < 10, `${clicks} clicks`);
    stage.report(`${clicks} clicks`);
    assert.deepEqual([...ana.complaints, ...player.complaints, ...back.complaints], []);
  },
);

/** @param {any} element a stroke of the state */
const pointsOf = ({ stroke }) => ({
  dx: stroke.segments.flatMap((/** @type {any} */ one) => one.dx),
  dy: stroke.segments.flatMap((/** @type {any} */ one) => one.dy),
  dp: stroke.segments.flatMap((/** @type {any} */ one) => one.dp ?? []),
});

browserTest(
  "Who made this: the selection says author, time and client, also of somebody who has left, and leads to its story",
  async (stage) => {
    const person = await stage.person();
    const ana = await opened({ ...stage, person: async () => person }, { name: "Ana" });
    const company = new Company(stage.server, stage.room, 1);
    const bob = await company.join({ uid: "bob", payload: { name: "Bob" } });
    const id = bob.nextElement();
    const size = { x: -60, y: -40, width: 120, height: 80 };
    const style = { fill: [190, 235, 205] };
    await bob.send("elementPut", { id, scene: 1, type: "rectangle", style, ...size });
    await bob.disconnect();
    await ana.until(board.elements, [1]);
    await ana.hands.press("v");
    await ana.hands.click(640, 400);
    await ana.click('[data-do="whoMade"]');
    await ana.until(() =>
      /Bob.*boardroom-page\/1/.test(document.querySelector("dialog")?.textContent ?? ""),
    );
    const words = await ana.text("dialog");
    assert.match(words ?? "", /Rectangle.*Made by.*Bob.*When.*\d+:\d\d/);
    const player = await person.next(() => ana.click("dialog .dialog-actions a"));
    const { acts } = await untilTold(player, "made");
    assert.deepEqual(acts, ["made"]);
    await says(player, "story", id);
    assert.deepEqual([...ana.complaints, ...player.complaints], []);
  },
);

browserTest(
  "Search from the picture: a rectangle, an element, a member and a kind by clicks; each adds its term",
  async (stage) => {
    const { revisions } = await quarrel(stage);
    const page = await watching(stage, "v=60,50,1");
    await untilAt(page, 60);
    await untilDrawn(page);
    const searched = (/** @type {string} */ text, /** @type {string} */ count) =>
      page.until(
        (/** @type {string} */ wanted, /** @type {string} */ hits) =>
          /** @type {HTMLInputElement} */ (document.querySelector(".search input")).value ===
            wanted && document.querySelector(".count")?.textContent === hits,
        [text, count],
      );
    const paper = await page.box(".paper");
    const spot = async (/** @type {number} */ x, /** @type {number} */ y) => {
      const at = await ask(page, `player.board.view.toScreen({ x: ${x}, y: ${y} })`);
      return { x: paper.x + at.x, y: paper.y + at.y };
    };
    await page.click('[data-do="area"]');
    await page.see('[data-do="area"][aria-pressed="true"]');
    await page.hands.drag([await spot(-220, 0), await spot(-100, 50), await spot(20, 150)]);
    await searched("area:-220,0,240,150,1", "4");
    assert.deepEqual(await ask(page, "player.hits"), revisions);
    assert.equal(await ask(page, "player.board.view.x"), 60, "the paper did not move");
    assert.equal(await page.evaluate("document.querySelector('.search progress').hidden"), true);
    await page.hands.press("[");
    await shown(page);
    await clickAt(page, -120, 60);
    await untilTold(page, "erased");
    await page.click(".story-head .mini");
    await searched("element:0-1", "4");
    await page.click(".story li:last-child .mini:nth-child(2)");
    await searched("element:0-1 kind:erased", "1");
    await page.click(".story li:last-child .who");
    await searched("element:0-1 kind:erased member:1", "1");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "Restore: all that one event erased goes back at once, and who may not write is told why",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const company = new Company(server, room, 1);
    const token = await server.token("admin", room);
    const ana = await company.join({ token, uid: "ana", payload: { name: "Ana" } });
    const put = (/** @type {number} */ x, /** @type {string} */ text) =>
      ana.send("elementPut", {
        id: ana.nextElement(),
        scene: 1,
        type: "note",
        text,
        x,
        y: 0,
        width: 100,
        height: 80,
      });
    await put(-200, "one");
    await put(0, "two");
    await put(200, "three");
    await ana.send("sceneCleaned", { retainPPT: true });
    const open = async (/** @type {"reader" | "writer"} */ role) => {
      const own = await server.token(role, room);
      const person = await stage.person();
      const page = await person.open(`${server.url}/replay/${room}#${own}&v=60,50,1&e=0.2`);
      await untilTold(page, "cleaned");
      return page;
    };
    const reader = await open("reader");
    await reader.see(".story .restore:disabled");
    await says(reader, "story", "Your link lets you look only");
    const writer = await open("writer");
    await writer.click(".story .restore-all");
    await says(writer, "story", "3 back on the board");
    const { elements } = ana.state;
    const there = [...elements.values()].filter(({ buried }) => !buried);
    assert.deepEqual(
      there.map(({ shape, scene, member }) => [shape?.text, scene, member === ana.member]),
      [
        ["one", 1, false],
        ["two", 1, false],
        ["three", 1, false],
      ],
    );
    assert.equal(ana.state.members.size, 1, "who restored has left");
    // What was put back goes again in one command.
    await writer.click(".story .take-back");
    await says(writer, "story", "3 taken off the board again");
    assert.equal([...ana.state.elements.values()].filter(({ buried }) => !buried).length, 0);
    const { records } = await logOf(server, room);
    assert.equal(records.filter(({ name }) => name === "erased").length, 1);
    await writer.see(".story .restore-all:not(:disabled)");
    assert.deepEqual([...reader.complaints, ...writer.complaints], []);
  },
);

browserTest(
  "A link that carries the session's right: who gets it may look and no more, also without a token",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const room = await server.room();
    const own = await server.token("writer", room);
    const page = await (await stage.person()).open(`${server.url}/replay/${room}#${own}`);
    await read(page);
    await page.click('[data-do="share"]');
    await page.click('[data-do="access"]');
    await page.until(() =>
      /NETLESSROOM_/.test(
        /** @type {HTMLInputElement} */ (document.querySelector(".share input")).value,
      ),
    );
    const link = await page.evaluate(
      () => /** @type {HTMLInputElement} */ (document.querySelector(".share input")).value,
    );
    assert.ok(!link.includes(own), "it is another token");
    const other = await (await stage.person()).open(link);
    await read(other);
    assert.ok(!(await other.evaluate("location.href")).includes("NETLESS"));
    const rights = await other.evaluate(async (/** @type {string} */ name) => {
      const { rightsOf } = await import("/assets/protocol/rest.js".toString());
      return rightsOf(sessionStorage.getItem(name) ?? "");
    }, `boardroom.token.${room}`);
    assert.equal(rights.look, true);
    assert.deepEqual([...page.complaints, ...other.complaints], []);
  },
);

browserTest(
  "A clip of a range: an SVG that plays by itself, and a WebM where the browser can record one",
  async (stage) => {
    const { revisions } = await quarrel(stage);
    const person = await stage.person();
    const folder = mkdtempSync(join(tmpdir(), "boardroom-clips-"));
    stage.t.after(() => rmSync(folder, { recursive: true, force: true }));
    await person.saveDownloadsIn(folder);
    const page = await person.open(`${stage.server.url}/replay/${stage.room}`);
    await read(page);
    await ask(page, `player.mark({ a: ${revisions[0] - 1}, b: ${revisions[2]} })`);
    const saved = async (/** @type {string} */ choice, /** @type {string} */ ending) => {
      await page.click('[data-do="exports"]');
      await page.click(`dialog.exports [value=${choice}]`);
      const name = await until(() => readdirSync(folder).find((one) => one.endsWith(ending)), {
        what: `${choice} is saved`,
      });
      await page.until(() => document.querySelector("dialog[open]") === null);
      return readFileSync(join(folder, name));
    };
    const svg = (await saved("clip", "-clip.svg")).toString();
    assert.match(svg, /out of paper.*<animate /s);
    const size = await page.evaluate(async (/** @type {string} */ text) => {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await image.decode();
      return image.naturalWidth;
    }, svg);
    assert.ok(size > 300, "browsers show it as a picture");
    const canRecord = await page.evaluate(() => "MediaRecorder" in globalThis);
    await page.click('[data-do="exports"]');
    const isOffered = await page.evaluate(
      () => document.querySelector("dialog.exports [value=webm]")?.checkVisibility() === true,
    );
    await page.click("dialog.exports .dialog-actions button");
    stage.report(`records WebM: ${isOffered}`);
    assert.ok(canRecord || !isOffered, "no button where nothing can be recorded");
    if (!isOffered) return;
    const video = await saved("webm", "-clip.webm");
    assert.deepEqual([...video.subarray(0, 4)], [0x1a, 0x45, 0xdf, 0xa3], "a WebM");
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "On a telephone a tap tells the story in a sheet, which leaves the picture in sight and closes",
  async (stage) => {
    await quarrel(stage);
    const looks = { width: 390, height: 844, scale: 2, mobile: true };
    const page = await watching(stage, "v=360,45,1", looks);
    await untilAt(page, 360);
    const at = await ask(page, "player.board.view.toScreen({ x: 300, y: 40 })");
    const paper = await page.box(".paper");
    await page.hands.tap(paper.x + at.x, paper.y + at.y);
    await untilTold(page, "made");
    await page.see(".story .life");
    const sheet = await page.box(".inspector");
    assert.ok(sheet.height <= paper.height / 2 + 1, `${sheet.height} of ${paper.height}`);
    await page.tap('.story-head [aria-label="Close the story"]');
    await page.until(() => document.querySelector(".inspector")?.checkVisibility() === false);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390));
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "What was on a page that was removed is shown faintly on the page after it, and can be put back there",
  async (stage) => {
    const company = new Company(stage.server, stage.room, 1);
    const ana = await company.join({ uid: "ana", payload: { name: "Ana" } });
    await ana.send("scenesPut", { directory: "/", index: 1, scenes: [{ name: "page-2" }] });
    await ana.send("sceneSwitched", { path: "/page-2" });
    const [, second] = ana.state.scenes;
    const size = { width: 160, height: 120, x: 0, y: 0 };
    const note = { id: ana.nextElement(), scene: second.id, type: "note", text: "plan B", ...size };
    await ana.send("elementPut", note);
    await ana.send("scenesRemoved", { path: "/page-2" });
    const page = await watching(stage, "v=80,60,1");
    await untilAt(page, 80);
    assert.equal(await ask(page, "player.state.scenes.length"), 1);
    await page.hands.press("x");
    await page.until(async () => {
      const name = "/assets/player/main.js";
      return (await import(name)).story.ghosts.box !== undefined;
    });
    await clickAt(page, 80, 60);
    const { acts, words } = await untilTold(page, "pageRemoved");
    assert.deepEqual(acts, ["made", "pageRemoved"]);
    assert.ok(words.includes("plan B"));
    // Before the page was removed, it is no ghost of the first page.
    await ask(page, "player.seek(player.log.last - 1, { isPlaying: false }).then(() => 0)");
    await page.until(async () => {
      const name = "/assets/player/main.js";
      return (await import(name)).story.ghosts.box === undefined;
    });
    await page.click(".story .restore");
    await says(page, "story", "1 back on the board");
    const [back] = [...ana.state.elements.values()];
    assert.deepEqual([back.shape?.text, back.scene], ["plan B", ana.state.currentScene]);
    assert.deepEqual(page.complaints, []);
  },
);

browserTest(
  "A long story shows its beginning and its end; the rest is asked for",
  async (stage) => {
    const company = new Company(stage.server, stage.room, 1);
    const ana = await company.join({ uid: "ana", payload: { name: "Ana" } });
    const id = ana.nextElement();
    await ana.send("elementPut", {
      id,
      scene: 1,
      type: "note",
      width: 160,
      height: 120,
      x: 0,
      y: 0,
      text: "far",
    });
    const moves = Array.from({ length: 159 }, (_, at) =>
      ana.send("elementsChanged", { changes: [{ id, set: { x: at } }] }),
    );
    await Promise.all(moves);
    const page = await watching(stage, `e=${id}`);
    await page.see(".story .more-life");
    const { acts, revisions } = await told(page);
    assert.equal(acts.length, 100);
    assert.deepEqual(
      [acts[0], acts[99], revisions[99]],
      ["made", "moved", await ask(page, "player.log.last")],
    );
    assert.equal(await page.text(".story .more-life"), "Show more (60)");
    await page.click(".story .more-life");
    assert.equal((await told(page)).acts.length, 160);
    assert.equal(await page.text(".story .more-life"), null);
  },
);

browserTest(
  "A search of a long log shows how far it has come, and can be stopped; so can a story",
  async (stage) => {
    const server = await stage.ownServer();
    /** @type {string[]} */
    const lines = [];
    largeRoom(25_000, (line) => lines.push(line));
    await putLog(server, stage.room, lines.join("\n"));
    const page = await watching(stage, "seq=30", { server });
    // A log that is larger than what the page keeps of it, far away: its blocks are read again.
    const slow = async () => {
      await ask(page, "player.source.blocks.clear()");
      const none = { offline: false, downloadThroughput: -1, uploadThroughput: -1 };
      await page.send("Network.emulateNetworkConditions", { ...none, latency: 1_500 });
    };
    const parts = await ask(page, "player.source.index.blocks.length");
    assert.ok(parts > 1, `${parts} parts`);
    await slow();
    const field = ".search input";
    await page.click(field);
    await page.hands.type("stroke");
    await page.hands.press("Enter");
    await page.see(".search progress");
    await page.until(() => {
      const bar = /** @type {HTMLProgressElement} */ (document.querySelector(".search progress"));
      return bar.value > 0 && bar.value < 1;
    });
    await page.click("[data-do=stopSearch]");
    await page.until(() => / in \d+ %/.test(document.querySelector(".count")?.textContent ?? ""));
    const found = await ask(page, "player.hits.length");
    assert.ok(found > 0, "what it found stays");
    const isOver = await page.evaluate(() => {
      const box = (/** @type {string} */ one) =>
        /** @type {Element} */ (document.querySelector(one)).getBoundingClientRect();
      return box(".count").right > box("[data-do=area]").left || box(".search input").width < 60;
    });
    assert.equal(isOver, false, "the count has room");
    assert.equal(await page.evaluate(() => document.activeElement?.matches(".search input")), true);
    await page.until(() => document.querySelector(".search progress")?.checkVisibility() === false);
    assert.equal(await ask(page, "player.hits.length"), found, "nothing is found any more");
    // A story of an element of the first hour, which has to read on to the end.
    await slow();
    await ask(page, "void story.open('0.1')");
    await page.see(".story .reading progress");
    await page.click(".story .reading button");
    await page.until(() => document.querySelector(".story .reading") === null);
    assert.equal(await ask(page, "story.isReading"), false);
    assert.deepEqual(page.complaints, []);
  },
  { timeout: 240_000 },
);

browserTest("The deck has its height before anything is drawn in it", async (stage) => {
  await quarrel(stage);
  const page = await (await stage.person()).open();
  await page.send("Page.addScriptToEvaluateOnNewDocument", {
    source: `(() => {
      const heights = new Set();
      window.deckHeights = heights;
      const look = () => {
        const deck = document.querySelector(".deck");
        if (deck && deck.offsetHeight > 0) heights.add(deck.offsetHeight);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })()`,
  });
  await page.open(`${stage.server.url}/replay/${stage.room}`);
  await read(page);
  await untilDrawn(page);
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  const heights = await page.evaluate("[...window.deckHeights]");
  assert.equal(heights.length, 1, heights.join());
});
