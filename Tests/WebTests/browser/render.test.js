// One renderer, proven: the same log painted by the page on a canvas, and drawn by Swift as SVG
// (`boardroom replay --svg`), both by one Chromium, compared pixel by pixel.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, root } from "../kit/places.js";
import { compare, readPNG, writePNG } from "../kit/png.js";
import { browserTest } from "../kit/test.js";

/** Acceptance 3: of all pixels. */
const allowed = 0.01;

/**
 * Where a picture's SVG lies on the board.
 * @param {string} svg
 */
function viewOf(svg) {
  const [x, y, width, height] = (/viewBox="([-\d. ]+)"/.exec(svg)?.[1] ?? "")
    .split(" ")
    .map(Number);
  return { x, y, width, height };
}

/**
 * Reads the whole log of a room and paints its current scene. Runs in the page.
 * @param {string} room
 * @param {string} token
 * @param {any} view
 */
async function paintRoom(room, token, view) {
  const load = (/** @type {string} */ name) => import(`/assets/${name}.js`);
  const { readPieces } = await load("protocol/messages");
  const { applyAll, emptyState, sceneElements } = await load("state/model");
  const { isDrawn, marksOf } = await load("render/display");
  const { paint } = await load("render/paint");
  const answer = await fetch(`/v5/rooms/${room}/replay/runs?limit=16777216`, {
    headers: { token },
  });
  if (!answer.ok) throw new Error(await answer.text());
  const state = emptyState();
  for (const piece of readPieces(new Uint8Array(await answer.arrayBuffer()))) {
    applyAll(state, piece.records);
  }
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(view.width);
  canvas.height = Math.ceil(view.height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.translate(-view.x, -view.y);
  const elements = sceneElements(state, state.currentScene).filter(isDrawn);
  const look = { theme: "light", image: () => undefined };
  for (const element of elements) {
    paint(context, marksOf(element), look);
  }
  return { count: elements.length, url: canvas.toDataURL("image/png") };
}

/**
 * The SVG in an `<img>`, as large as it is. Runs in the page.
 * @param {string} svg
 * @param {any} view
 */
async function showPicture(svg, view) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(view.width);
  canvas.height = Math.ceil(view.height);
  const context = canvas.getContext("2d");
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, view.width, view.height);
  return canvas.toDataURL("image/png");
}

/** @param {string} url of data */
const pixelsOf = (url) => readPNG(Buffer.from(url.slice(url.indexOf(",") + 1), "base64"));

/**
 * @param {import("../kit/test.js").Stage} stage
 * @param {string} room
 * @param {string} name
 */
async function compareRoom({ server, person, report }, room, name) {
  const svg = readFileSync(await server.picture(room), "utf8");
  const view = viewOf(svg);
  const page = await (await person()).open(`${server.url}/r/${room}`);
  const painted = await page.evaluate(paintRoom, room, await server.token("reader"), view);
  const drawn = await page.evaluate(showPicture, svg, view);
  const one = pixelsOf(painted.url);
  const other = pixelsOf(drawn);
  const { share, ink, differing, picture } = compare(one, other, { tolerance: 32 });
  report(
    `${name}: ${painted.count} elements, ${view.width} × ${view.height}, ${differing} pixels differ (${(
      share * 100
    ).toFixed(3)} %), ${ink} are not white`,
  );
  const folder = join(build, share < allowed ? "web-render" : "web-failures");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `render-${name}.png`), writePNG(picture));
  assert.ok(painted.count > 0 && ink > 100, "something is drawn");
  // Most of a board is white: of what is drawn, too, little may differ.
  assert.ok(differing < ink / 20, `${differing} of ${ink} pixels of ${name} differ`);
  assert.ok(share < allowed, `${(share * 100).toFixed(2)} % of the pixels of ${name} differ`);
}

for (const name of ["hello", "loops", "plan"]) {
  browserTest(
    `canvas and Swift's SVG show the same board, less than 1 % apart: ${name}`,
    async (stage) => {
      const room = await stage.server.room();
      await stage.server.perform(room, join(root, `tools/samples/${name}.ndjson`), [
        "--speed",
        "0",
      ]);
      await compareRoom(stage, room, name);
    },
  );
}

/** Every shape of the golden display lists but those that show a picture from elsewhere. */
function goldenShapes() {
  const folder = join(root, "Tests/Golden/v1/display");
  return readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")))
    .filter(
      ({ shape, display }) =>
        shape && display.every((/** @type {any} */ mark) => mark.op !== "image"),
    );
}

/**
 * Puts elements onto a board, beside one another. Runs in the page.
 * @param {string} room
 * @param {any[]} shapes
 */
async function putAll(room, shapes) {
  const [{ RoomSession }, { realClock }] = await Promise.all(
    ["state/session", "protocol/clock"].map((name) => import(`/assets/${name}.js`)),
  );
  const session = new RoomSession({ origin: location.origin, clock: realClock() });
  const { member } = await session.join({ room });
  const sent = shapes.flatMap(({ type, shape, set = {} }, n) => {
    const id = `${member}.${n + 1}`;
    const [a, b, c, d, e, f] = set.transform ?? [1, 0, 0, 1, 0, 0];
    const transform = [a, b, c, d, e + (n % 6) * 260, f + Math.floor(n / 6) * 220];
    return [
      session.send("elementPut", { id, scene: session.state.currentScene, type, ...shape }),
      session.send("elementsChanged", { changes: [{ id, set: { ...set, transform } }] }),
    ];
  });
  await Promise.all(sent);
  await session.disconnect();
}

browserTest(
  "canvas and Swift's SVG show the same board, less than 1 % apart: every shape",
  async (stage) => {
    const shapes = goldenShapes();
    assert.ok(shapes.length >= 18, `${shapes.length} shapes`);
    const room = await stage.server.room();
    const page = await (await stage.person()).open(`${stage.server.url}/r/${room}`);
    await page.evaluate(putAll, room, shapes);
    await compareRoom(stage, room, "shapes");
  },
);
