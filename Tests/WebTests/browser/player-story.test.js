// The player answers from the picture: the life story of what is clicked, what was erased, and the
// way back on the board.
import assert from "node:assert/strict";
import { line, logged, opened, untilLogged } from "../kit/board.js";
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
    await bob.hands.press("e");
    await bob.hands.drag([
      { x: 480, y: 250 },
      { x: 500, y: 362 },
      { x: 505, y: 460 },
    ]);
    await untilLogged(stage, (all) => all.length === 0, "Bob erased it");
    await bob.close();
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
    const board = await person.next(() => click(player, ".story .to-board"));
    await board.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    const [after] = await logged(stage);
    assert.deepEqual(pointsOf(after), pointsOf(before), "the same points");
    assert.equal(after.set.meta.restored, before.id);
    assert.ok(clicks < 10, `${clicks} clicks`);
    stage.report(`${clicks} clicks`);
    assert.deepEqual([...ana.complaints, ...player.complaints, ...board.complaints], []);
  },
);

/** @param {any} element a stroke of the state */
const pointsOf = ({ stroke }) => ({
  dx: stroke.segments.flatMap((/** @type {any} */ one) => one.dx),
  dy: stroke.segments.flatMap((/** @type {any} */ one) => one.dy),
  dp: stroke.segments.flatMap((/** @type {any} */ one) => one.dp ?? []),
});
