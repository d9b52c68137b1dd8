// Far from the origin a board looks as it does near it; "Show everything" shows everything.
import assert from "node:assert/strict";
import { opened, untilLogged } from "../kit/board.js";
import { Company } from "../kit/rooms.js";
import { alike, ink, rested, still } from "../kit/screen.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */
/** @typedef {import("../kit/test.js").Stage} Stage */

/** The dots of the paper lie as they do at the origin. */
const FAR = 24 * 41_666_667;

/**
 * @param {Stage} stage
 * @param {string} room
 * @param {Record<string, any>[]} shapes
 */
async function put({ server }, room, shapes) {
  const company = new Company(server, room, 1);
  const maker = await company.join();
  for (const shape of shapes) {
    const id = maker.nextElement();
    if (shape.type !== "wave") {
      await maker.send("elementPut", { id, scene: 1, style: {}, ...shape });
      continue;
    }
    const begin = {
      scene: 1,
      unit: -3,
      tool: "pencil",
      colour: [0, 0, 0],
      opacity: 255,
      width: 12,
    };
    const steps = Array.from({ length: 40 }, (_, n) => Math.round(60 * Math.sin(n)));
    await maker.send("stroke", {
      stroke: Number(id.split(".")[1]),
      begin,
      end: true,
      dx: steps.map((_, n) => (n === 0 ? shape.x * 8 : 50)),
      dy: steps.map((step, n) => (n === 0 ? shape.y * 8 : step)),
      dt: steps.map(() => 8),
    });
  }
  await company.part();
}

/**
 * @param {number} at
 * @returns {Record<string, any>[]} shapes around this place
 */
const drawing = (at) => [
  { type: "rectangle", x: at - 300, y: at - 200, width: 600, height: 400 },
  { type: "ellipse", x: at - 250, y: at - 150, width: 90, height: 60 },
  { type: "text", x: at + 100.5, y: at - 150, text: "far\nout", size: 24 },
  { type: "note", x: at - 250, y: at + 20, width: 120, height: 90, text: "note", size: 16 },
  { type: "wave", x: at - 100, y: at + 20 },
  { type: "image", x: at + 200, y: at + 80, width: 60, height: 60 },
  {
    type: "text",
    x: at + 100,
    y: at,
    text: "turned",
    size: 24,
    set: { transform: [0, 1, -1, 0, 2 * at + 220, 0] },
  },
];

/** @param {Page} page draws and selects by hand, after showing everything */
async function work(page) {
  await page.hands.press("shift+1");
  await page.hands.press("a");
  await page.hands.drag([
    { x: 620, y: 300 },
    { x: 690, y: 360 },
  ]);
  await page.hands.press("v");
  await page.hands.click(800, 245);
}

browserTest(
  "PAGE-2: at a thousand million pixels from the origin a board looks as it does at the origin",
  async (stage) => {
    const far = newRoom();
    await put(stage, stage.room, drawing(0));
    await put(stage, far, drawing(FAR));
    const looks = { reducedMotion: true };
    const near = await opened(stage, looks);
    const out = await opened(stage, { room: far, url: `${stage.server.url}/r/${far}`, ...looks });
    for (const page of [near, out]) {
      await work(page);
      await still(page);
    }
    await untilLogged(stage, (all) => all.length === 8, "all is drawn");
    await rested({ ...stage, room: far });
    await alike(out, near, "far out");
    await out.hands.press("Escape");
    await out.hands.press("p");
    const wave = Array.from({ length: 30 }, (_, n) => ({
      x: 500 + n * 9,
      y: 420 + 40 * Math.sin(n),
    }));
    await out.hands.drag(wave, { steady: true });
    const anew = await opened(stage, { room: far, url: `${stage.server.url}/r/${far}`, ...looks });
    await anew.hands.press("shift+1");
    await out.hands.press("shift+1");
    for (const page of [anew, out]) {
      await page.hands.press("v");
      await page.hands.move(640, 60);
      await still(page);
    }
    await alike(out, anew, "far out, loaded anew");
  },
);

browserTest(
  "PAGE-2: Show everything shows two things that lie a thousand million pixels apart",
  async (stage) => {
    const square = { type: "rectangle", width: 100, height: 100, style: { fill: [200, 40, 32] } };
    await put(stage, stage.room, [
      { ...square, x: 0, y: 0 },
      { ...square, x: 2 * FAR, y: FAR },
    ]);
    const page = await opened(stage, { reducedMotion: true });
    await page.hands.press("shift+1");
    const seen = async () => {
      const first = await ink(page, { x: 44, y: 80, width: 60, height: 80 });
      const last = await ink(page, { x: 1200, y: 660, width: 60, height: 80 });
      return first > 4 && last > 4;
    };
    await page.until(() => document.querySelector(".zoom")?.textContent === "<1%");
    for (let turn = 0; turn < 100 && !(await seen()); turn++) await page.hands.move(640, 60 + turn);
    assert.ok(await seen());
    for (let turn = 0; turn < 30; turn++) await page.hands.press("=");
    await page.until(() => document.querySelector(".zoom")?.textContent !== "<1%");
  },
);
