// Every row of the board's feature table that hands do: with two people, a real server, and what
// its log has.
import assert from "node:assert/strict";
import { line, logged, opened, untilLogged } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @typedef {import("../kit/page.js").Page} Page */

/**
 * @param {Page} page
 * @param {string} key
 * @param {[number, number, number, number]} place
 */
async function shape(page, key, [left, top, right, bottom]) {
  await page.hands.press(key);
  await page.hands.drag([
    { x: left, y: top },
    { x: (left + right) / 2, y: bottom },
    { x: right, y: bottom },
  ]);
}

/** @param {any[]} elements */
const typesOf = (elements) => elements.map(({ shape, stroke }) => shape?.type ?? stroke.begin.tool);

const canvasOf = () => [...document.querySelectorAll(".paper canvas")].length;

browserTest(
  "Pen with pressure (M): a pen's pressure is in the log; a mouse has none",
  async (stage) => {
    const page = await opened(stage);
    await page.hands.drag(
      [0.2, 0.4, 0.6, 0.9].map((force, n) => ({ x: 400 + n * 60, y: 300 + n * 30, force })),
      { pen: true },
    );
    await page.hands.drag([
      { x: 400, y: 500 },
      { x: 600, y: 520 },
    ]);
    const [pen, mouse] = await untilLogged(
      stage,
      (all) => all.filter(({ stroke }) => stroke?.ended).length === 2,
      "two strokes",
    );
    const pressures = pen.stroke.segments.flatMap((/** @type {any} */ { dp }) => dp ?? []);
    assert.ok(
      pressures.some(
        (/** @type {number} */ change, /** @type {number} */ at) => at > 0 && change > 0,
      ),
      "pressure rises",
    );
    assert.ok(mouse.stroke.segments.every((/** @type {any} */ { dp }) => dp === undefined));
  },
);

/** The points of a stroke in the log, on the board. */
const spotsOf = (/** @type {any} */ { begin, segments }) => {
  const unit = 2 ** begin.unit;
  /** @param {"dx" | "dy"} name */
  const sums = (name) => {
    let at = 0;
    return segments
      .flatMap((/** @type {any} */ segment) => segment[name])
      .map((/** @type {number} */ step) => {
        at += step * unit;
        return at;
      });
  };
  const ys = sums("dy");
  return sums("dx").map((/** @type {number} */ x, /** @type {number} */ n) => ({ x, y: ys[n] }));
};

/**
 * Where a line that goes to the right is at `x`.
 * @param {{x: number, y: number}[]} spots
 * @param {number} x
 */
const heightAt = (spots, x) => {
  const next = spots.findIndex((spot) => spot.x > x);
  const [from, to] = [spots[next - 1], spots[next]];
  return from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
};

/** @param {number[]} places */
const spread = (places) => {
  const middle = places.reduce((sum, place) => sum + place, 0) / places.length;
  return Math.sqrt(places.reduce((sum, place) => sum + (place - middle) ** 2, 0) / places.length);
};

browserTest(
  "Stroke smoothing (M): a trembling hand's line is calmer than the hand; a straight one takes few points",
  async (stage) => {
    const page = await opened(stage);
    // As slow as somebody who writes small, with trembling of its own in every sample.
    const trembling = (/** @type {number} */ n) => Math.sin(n * 2.4) + Math.sin(n * 4.1);
    const hand = Array.from({ length: 120 }, (_, n) => ({
      x: 300 + n,
      y: 400 + 0.6 * trembling(n),
    }));
    await page.hands.drag(hand, { steady: true, interval: 8 });
    await page.hands.drag(
      Array.from({ length: 120 }, (_, n) => ({ x: 300 + n * 4, y: 600 })),
      { interval: 8 },
    );
    const [{ stroke }, straight] = await untilLogged(
      stage,
      (all) => all.filter((one) => one.stroke?.ended).length === 2,
      "both",
    );
    const drawn = spotsOf(stroke);
    const [begun, ended] = [drawn[0], drawn[drawn.length - 1]];
    assert.ok(ended.x - begun.x > 100, "the line is as long as the way of the hand");
    // The height of the line, wherever the hand had a sample: how many points it kept says nothing.
    const inside = hand.slice(5, -5);
    const before = spread(inside.map(({ y }) => y));
    const after = spread(inside.map(({ x }) => heightAt(drawn, begun.x + x - hand[0].x)));
    stage.report(
      `trembling: ${before.toFixed(2)} px of the hand, ${after.toFixed(2)} px of its line`,
    );
    assert.ok(after < 0.75 * before, `${after} of ${before}`);
    const few = straight.stroke.segments.flatMap((/** @type {any} */ { dx }) => dx).length;
    assert.ok(few < hand.length / 2, `${few} points of ${hand.length}`);
  },
);

browserTest(
  "Pen (M): a stroke that is begun before the room's page was painted is whole",
  async (stage) => {
    const page = await (await stage.person()).open(`${stage.server.url}/assets/icon.svg`);
    // A room's first page is another one than that of a board that has not joined; the first frame
    // after the join, which turns to it, comes late.
    await page.send("Page.addScriptToEvaluateOnNewDocument", {
      source: `
        const request = requestAnimationFrame.bind(window);
        window.requestAnimationFrame = (draw) =>
          request(() => setTimeout(() => draw(performance.now()), 300));`,
    });
    await page.open(`${stage.server.url}/r/${stage.room}`);
    await page.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    const hand = Array.from({ length: 120 }, (_, n) => ({ x: 300 + n, y: 400 }));
    await page.hands.drag(hand, { steady: true });
    const [{ stroke }] = await untilLogged(stage, (all) => all[0]?.stroke?.ended, "a stroke");
    const drawn = spotsOf(stroke);
    assert.equal(drawn[drawn.length - 1].x - drawn[0].x, 119);
  },
);

browserTest(
  "Highlighter, laser pointer (M): one stays under what is written, the other leaves nothing",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.hands.press("m");
    await ana.hands.drag([
      { x: 400, y: 300 },
      { x: 700, y: 300 },
    ]);
    await untilLogged(
      stage,
      (all) => typesOf(all).join() === "highlighter",
      "a highlighter's stroke",
    );
    await ana.hands.press("k");
    await ana.hands.drag(
      [
        { x: 400, y: 400 },
        { x: 500, y: 420 },
        { x: 640, y: 400 },
      ],
      { steady: true },
    );
    await wang.until(canvasOf);
    assert.deepEqual(
      typesOf(await logged(stage)).filter((type) => type !== "highlighter"),
      [],
    );
  },
);

browserTest(
  "Eraser (M, element): what it goes over is taken off for everybody, and comes back by undo",
  async (stage) => {
    const page = await opened(stage);
    await line(page, [
      [400, 300],
      [700, 300],
    ]);
    await line(page, [
      [400, 500],
      [700, 500],
    ]);
    await untilLogged(stage, (all) => all.length === 2, "two strokes");
    await page.hands.press("e");
    await page.hands.drag(
      [
        { x: 550, y: 250 },
        { x: 550, y: 300 },
        { x: 550, y: 350 },
      ],
      { steady: true },
    );
    await untilLogged(stage, (all) => all.length === 1, "one is gone");
    await page.hands.press("ctrl+z");
    await untilLogged(stage, (all) => all.length === 2, "it is back");
  },
);

browserTest(
  "Shapes (M), arrows (M, free): each key draws its shape from corner to corner",
  async (stage) => {
    const page = await opened(stage);
    const keys = {
      r: "rectangle",
      o: "ellipse",
      g: "triangle",
      d: "rhombus",
      s: "pentagram",
      b: "speechBalloon",
      l: "straight",
      a: "arrow",
    };
    for (const [n, key] of Object.keys(keys).entries()) {
      await shape(page, key, [
        200 + (n % 4) * 220,
        150 + Math.floor(n / 4) * 260,
        340 + (n % 4) * 220,
        260 + Math.floor(n / 4) * 260,
      ]);
    }
    const all = await untilLogged(stage, (found) => found.length === 8, "eight shapes");
    assert.deepEqual(typesOf(all), Object.values(keys));
    assert.deepEqual([all[0].shape.width, all[0].shape.height], [140, 110]);
  },
);

browserTest(
  "Text (M), sticky notes (M): what is written is in the log, with its line breaks",
  async (stage) => {
    const page = await opened(stage);
    for (const [key, y, text] of /** @type {[string, number, string][]} */ ([
      ["t", 250, "Two lines\nof text"],
      ["n", 450, "白板 note"],
    ])) {
      await page.hands.press(key);
      await page.hands.click(500, y);
      await page.see(".board-writing");
      await page.hands.type(text);
      await page.hands.press("Escape");
    }
    const all = await untilLogged(stage, (found) => found.length === 2, "a text and a note");
    const textOf = (/** @type {any} */ { shape, set }) => set?.text ?? shape.text;
    assert.deepEqual(all.map(textOf), ["Two lines\nof text", "白板 note"]);
  },
);

browserTest(
  "Select / move / resize (M), restyle and order: each is one change that the log has",
  async (stage) => {
    const page = await opened(stage);
    await shape(page, "r", [400, 250, 600, 370]);
    await untilLogged(stage, (all) => all.length === 1, "a rectangle");
    await page.hands.press("v");
    const set = (/** @type {any} */ one) => one.set ?? {};
    await page.hands.drag(
      [
        { x: 400, y: 300 },
        { x: 450, y: 330 },
        { x: 500, y: 350 },
      ],
      { steady: true },
    );
    const [moved] = await untilLogged(stage, ([one]) => set(one).x !== undefined, "it moved");
    assert.deepEqual([moved.set.x - moved.shape.x, moved.set.y - moved.shape.y], [100, 50]);
    await page.hands.drag(
      [
        { x: 706, y: 426 },
        { x: 740, y: 450 },
        { x: 806, y: 486 },
      ],
      { steady: true },
    );
    await untilLogged(stage, ([one]) => set(one).width > 250 && set(one).height > 150, "it grew");
    await page.click('.style [aria-label="Red"]');
    await untilLogged(
      stage,
      ([one]) => String(set(one)["style.colour"]) === "200,40,32",
      "it is red",
    );
    await page.click('.style [aria-label="Send to the back"]');
    await shape(page, "o", [300, 500, 400, 600]);
    await page.hands.press("ctrl+[");
    await untilLogged(stage, (all) => all.some((one) => set(one).order !== undefined), "an order");
    await page.hands.press("ctrl+d");
    await untilLogged(stage, (all) => all.length === 3, "a copy");
  },
);

browserTest(
  "Select (M): what is selected is turned, a line is held by its ends, what is locked stays; the hand moves the paper",
  async (stage) => {
    const page = await opened(stage);
    const set = (/** @type {any} */ one) => one.set ?? {};
    await shape(page, "r", [400, 250, 600, 370]);
    await page.hands.drag(
      [
        { x: 500, y: 218 },
        { x: 560, y: 240 },
        { x: 620, y: 310 },
      ],
      { steady: true },
    );
    const [turned] = await untilLogged(stage, ([one]) => one && set(one).transform, "it is turned");
    assert.ok(Math.abs(turned.set.transform[1] - 1) < 0.05, `a quarter: ${turned.set.transform}`);
    await shape(page, "a", [300, 500, 500, 600]);
    await page.hands.drag(
      [
        { x: 500, y: 600 },
        { x: 560, y: 560 },
        { x: 600, y: 500 },
      ],
      { steady: true },
    );
    const points = (/** @type {any} */ one) => set(one).points;
    const [, arrow] = await untilLogged(stage, ([, one]) => one && points(one), "its end moved");
    assert.deepEqual(points(arrow), [
      [0, 0],
      [300, 0],
    ]);
    await page.hands.press("ctrl+shift+L");
    await untilLogged(stage, ([, one]) => set(one).locked === true, "it is locked");
    await page.hands.press("Delete");
    await page.hands.press("ctrl+a");
    await page.hands.drag(
      [
        { x: 500, y: 300 },
        { x: 540, y: 340 },
        { x: 580, y: 380 },
      ],
      { steady: true },
    );
    const [moved, stays] = await untilLogged(
      stage,
      ([one]) => set(one).transform[5] > turned.set.transform[5] + 70,
      "one moves",
    );
    assert.deepEqual(
      [points(stays), set(stays).x, moved.id],
      [points(arrow), set(arrow).x, turned.id],
    );
    await page.hands.press("h");
    await page.hands.drag(
      [
        { x: 700, y: 300 },
        { x: 760, y: 300 },
        { x: 800, y: 340 },
      ],
      { steady: true },
    );
    await page.hands.press("r");
    await page.hands.press("Enter");
    const all = await untilLogged(
      stage,
      (found) => found.length === 3,
      "a rectangle in the middle",
    );
    assert.deepEqual([all[2].shape.x, all[2].shape.y], [-100 - 80, -40 - 50]);
  },
);

browserTest("Undo/redo per user (M): each takes back only what is theirs", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  await line(ana, [
    [400, 300],
    [700, 300],
  ]);
  await untilLogged(stage, (all) => all.length === 1, "Ana's");
  await line(wang, [
    [400, 500],
    [700, 500],
  ]);
  const [first, second] = await untilLogged(stage, (all) => all.length === 2, "Wang's");
  await ana.click('[aria-label="Undo"]');
  const [left] = await untilLogged(stage, (all) => all.length === 1, "Ana's is gone");
  assert.equal(left.id, second.id);
  // The log shows the undo before her page has heard of it.
  await ana.until(() => !document.querySelector('[aria-label="Redo"]')?.hasAttribute("disabled"));
  await ana.click('[aria-label="Redo"]');
  const all = await untilLogged(stage, (found) => found.length === 2, "Ana's is back");
  assert.equal(all[0].id, first.id);
  assert.equal(
    await wang.evaluate(() =>
      document.querySelector('[aria-label="Redo"]')?.hasAttribute("disabled"),
    ),
    true,
  );
});

browserTest("Named live cursors (M): where a hand is, the others see its name", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  await ana.hands.move(500, 300);
  await ana.hands.move(640, 400);
  await wang.until(() => {
    const cursor = [...document.querySelectorAll(".paper div")]
      .filter((one) => one.textContent === "Ana")
      .pop();
    const box = cursor?.getBoundingClientRect();
    return box && Math.abs(box.x - 640) < 30 && Math.abs(box.y - 400) < 40;
  });
});

browserTest(
  "Zoom, pan, pinch (M): wheel, fingers, buttons and keys; a click on the number is 100 % again",
  async (stage) => {
    const page = await opened(stage, { width: 820, height: 900, mobile: true });
    const percent = () => Number.parseInt(document.querySelector(".zoom")?.textContent ?? "", 10);
    await page.hands.pinch(400, 400, 2);
    await page.until(`(${percent})() > 150`);
    await page.click(".zoom");
    await page.until(`(${percent})() === 100`);
    await page.hands.wheel(400, 400, 0, 500, "ctrl");
    await page.until(`(${percent})() < 80`);
    await page.hands.press("+");
    await page.click('[aria-label="Show everything"]');
    await page.until(`(${percent})() === 100`);
  },
);

browserTest(
  "Palm rejection (M): once a pen was seen, a finger moves the paper and draws nothing",
  async (stage) => {
    const page = await opened(stage, { width: 820, height: 900, mobile: true });
    await page.hands.drag(
      [
        { x: 300, y: 300, force: 0.4 },
        { x: 500, y: 340, force: 0.6 },
      ],
      { pen: true },
    );
    await untilLogged(stage, (all) => all.length === 1, "the pen's stroke");
    await page.hands.swipe([
      { x: 300, y: 500 },
      { x: 350, y: 520 },
      { x: 420, y: 540 },
    ]);
    await page.hands.drag(
      [
        { x: 300, y: 600, force: 0.4 },
        { x: 500, y: 640, force: 0.6 },
      ],
      { pen: true },
    );
    await untilLogged(stage, (all) => all.length === 2, "only the pen's strokes");
  },
);

browserTest(
  "Optimistic drawing: what the server refuses is rolled back, and told with a reason",
  async (stage) => {
    const server = await stage.ownServer({ settings: { elements: "1" } });
    const page = await opened(stage, { url: `${server.url}/r/${stage.room}` });
    await shape(page, "r", [300, 200, 400, 260]);
    await shape(page, "o", [500, 200, 600, 260]);
    await page.until(() => document.querySelector(".note.bad") !== null);
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".mirror")).focus(),
    );
    await page.until(() =>
      /^Rectangle[\s\S]*1 of 1/.test(document.querySelector(".mirror-list")?.textContent ?? ""),
    );
  },
);

/** What the canvases of a board show, as one number; cursors are no part of it. */
const pixels = () => {
  const canvases = [...document.querySelectorAll(".paper > canvas")].map(
    (one) => /** @type {HTMLCanvasElement} */ (one),
  );
  const { width, height } = canvases[0];
  const ctx = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(width, height).getContext("2d")
  );
  for (const canvas of canvases) {
    ctx.drawImage(canvas, 0, 0);
  }
  return ctx
    .getImageData(0, 0, width, height)
    .data.reduce((hash, level) => (hash * 31 + level) % 2147483647, 7);
};

browserTest("Two people draw together, and their boards come to equal pixels", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  const wave = (/** @type {number} */ y) =>
    Array.from({ length: 40 }, (_, n) => [300 + n * 15, y + 60 * Math.sin(n / 4)]);
  const empty = await ana.evaluate(pixels);
  await Promise.all([line(ana, wave(260)), line(wang, wave(420))]);
  await shape(wang, "o", [500, 520, 700, 640]);
  await wang.hands.press("Escape");
  await untilLogged(
    stage,
    (all) => all.filter(({ stroke, shape }) => shape || stroke.ended).length === 3,
    "three elements",
  );
  let one = 0;
  let other = 1;
  for (const end = Date.now() + 8_000; one !== other && Date.now() < end; ) {
    [one, other] = await Promise.all([ana.evaluate(pixels), wang.evaluate(pixels)]);
  }
  assert.equal(one, other);
  assert.notEqual(one, empty);
});
