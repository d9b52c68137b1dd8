// The player answers from the picture: the life story of what is clicked, what was erased, and the
// way back on the board.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { board, line, logged, opened, untilLogged } from "../kit/board.js";
import { until } from "../kit/places.js";
import { ask, read, says, shown, watching } from "../kit/player.js";
import { Company } from "../kit/rooms.js";
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
    await clickAt(page, 80, 300);
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
