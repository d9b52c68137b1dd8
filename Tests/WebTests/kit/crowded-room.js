// The log of a room whose one page has very many elements: strokes, shapes, notes and texts, as
// `boardroom import` takes it.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded, wave } from "./fake-room.js";
import { temporaryFolder } from "./places.js";
import { run } from "./server.js";

/** Pixels of the scene that they lie on. */
const WIDE = 24_000;
const HIGH = 16_000;

/** Of ten elements so many are strokes; the others are shapes, a note and a text. */
const KINDS = "sssssssrent";

const TIME = 1_764_000_000_000;

/**
 * @param {number} count of elements
 * @returns {string} a log, one event a line
 */
export function crowdedLog(count) {
  const random = seeded(13);
  const body = { session: "0".repeat(32), role: "admin", writable: true, uid: "maker" };
  const frames = [
    { by: null, n: 0, kind: "roomCreated", body: { name: "", limit: 0, isRecord: true } },
    { by: 0, n: 0, kind: "memberJoined", body: { ...body, payload: { name: "Maker" } } },
    ...Array.from({ length: count }, (_, at) => ({ by: 0, n: at + 1, ...put(at + 1, random) })),
    { by: 0, n: 0, kind: "memberLeft", body: { cause: "left" } },
  ];
  return frames
    .map((frame, at) => JSON.stringify({ rev: at + 1, t: TIME + at, ...frame }))
    .join("\n");
}

/**
 * @param {number} number of the element
 * @param {() => number} random
 */
function put(number, random) {
  const x = Math.round((random() - 0.5) * WIDE);
  const y = Math.round((random() - 0.5) * HIGH);
  const kind = KINDS[Math.floor(random() * KINDS.length)];
  if (kind === "s") {
    const { begin, dx, dy, dt } = wave(x, y, 24, random);
    return { kind: "stroke", body: { stroke: number, begin, end: true, dx, dy, dt } };
  }
  const colour = [0, 1, 2].map(() => Math.floor(random() * 200));
  return {
    kind: "elementPut",
    body: { id: `0.${number}`, scene: 1, ...shape(kind, x, y, colour) },
  };
}

/**
 * @param {string} kind
 * @param {number} x
 * @param {number} y
 * @param {number[]} colour
 */
function shape(kind, x, y, colour) {
  const box = { x, y, width: 120, height: 80 };
  if (kind === "r") return { type: "rectangle", ...box, style: { colour } };
  if (kind === "e") return { type: "ellipse", ...box, style: { colour, fill: [255, 236, 153] } };
  if (kind === "n") return { type: "note", ...box, text: "A note", size: 20 };
  return { type: "text", x, y, width: 90, height: 25, text: "Some text", size: 20 };
}

/**
 * Puts such a room on a server, which is stopped meanwhile.
 * @param {import("./server.js").Server} server
 * @param {string} room
 * @param {number} count of elements
 */
export const crowd = (server, room, count) => putLog(server, room, crowdedLog(count));

/**
 * Puts a room with a log of its own on a server, which is stopped meanwhile.
 * @param {import("./server.js").Server} server
 * @param {string} room
 * @param {string} log as JSONL
 */
export async function putLog(server, room, log) {
  const file = join(temporaryFolder("boardroom-log-"), "room.jsonl");
  writeFileSync(file, `${log}\n`);
  await server.stop();
  await run(["import", file, "--room", room, "--data", server.data]);
  await server.start();
}
