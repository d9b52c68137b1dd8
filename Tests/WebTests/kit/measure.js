// How fast logs are read and folded: node Tests/WebTests/kit/measure.js [events]. A room of 20
// members who draw strokes of ten segments with five points each, point, erase and change; a
// snapshot is folded from as the player does it.
import { readFileSync } from "node:fs";
import { ByteWriter, utf8 } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { readMessage, readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { readRun } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import {
  applyAll,
  copyState,
  emptyState,
  sceneElements,
} from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { stateFromSnapshot } from "../../../Sources/BoardroomWeb/Page/state/snapshot.js";
import { partBytes, rootText } from "./snapshots.js";
import { serverMessage } from "./wire.js";

const events = Number(process.argv[2] ?? 1_000_000);
const slice = 32_768;
const members = 20;
const begin = { scene: 1, unit: -2, tool: "pencil", colour: [1, 2, 3], opacity: 255, width: 8 };

const points = {
  dx: [40, 3, -2, 5, 1],
  dy: [8, -3, 2, 1, 0],
  dt: [8, 8, 8, 9, 8],
  dp: [500, 3, -2, 1, 0],
};

/**
 * One event of the room; `rev` from 1.
 * @param {number} rev
 */
function mirror(rev) {
  const frame = { t: 1_764_000_000_000 + rev * 3, n: Math.ceil(rev / members) };
  if (rev === 1) {
    return {
      ...frame,
      n: 0,
      by: null,
      kind: "roomCreated",
      body: { name: "", limit: 0, isRecord: true },
    };
  }
  const by = rev % members;
  const turn = Math.floor(rev / members);
  if (turn < 2 || (turn === 2 && rev <= members * 2 + 1)) {
    if (rev > members + 1) return { ...frame, by: null, n: 0, kind: "magix", body: { event: "x" } };
    const body = { session: "0".repeat(32), role: "writer", writable: true };
    return { ...frame, n: 0, by: rev - 2, kind: "memberJoined", body };
  }
  const step = turn % 16;
  const stroke = Math.floor(turn / 16) + 1;
  if (step < 10) {
    return {
      ...frame,
      by,
      kind: "stroke",
      body: { stroke, ...(step === 0 ? { begin } : {}), end: step === 9, ...points },
    };
  }
  if (step < 14) {
    return { ...frame, by, kind: "pointer", body: { scene: 1, unit: -2, x: rev % 999, y: step } };
  }
  if (step === 14 && stroke % 3 === 0) {
    return { ...frame, by, kind: "erased", body: { elements: [`${by}.${stroke}`] } };
  }
  const changes = [{ id: `${by}.${stroke}`, set: { transform: [1, 0, 0, 1, step, stroke % 100] } }];
  return { ...frame, by, kind: "elementsChanged", body: { changes } };
}

/**
 * @template T
 * @param {string} what
 * @param {() => T} work
 * @param {(took: number) => string} [note]
 * @returns {T}
 */
function timed(what, work, note = () => "") {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = work();
  const took = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  console.log(
    `${what}: ${took.toFixed(1)} ms, of all cores ${((user + system) / 1000).toFixed(1)} ms ${note(took)}`,
  );
  return result;
}

/** @type {Uint8Array[]} */
const runs = [];

for (let first = 1; first <= events; first += slice) {
  const records = Array.from({ length: Math.min(slice, events - first + 1) }, (_, place) =>
    mirror(first + place),
  );
  runs.push(serverMessage({ m: "run", first, base: records[0].t, records }).slice(1));
}

const bytes = runs.reduce((sum, run) => sum + run.length, 0);
console.log(`${events} events, ${(bytes / 1e6).toFixed(1)} MB`);

/** @param {number} took */
const rate = (took) => `(${(events / took / 1000).toFixed(2)} M events/s)`;

const records = timed("reading records", () => runs.map((run) => readRun(run).records), rate);
const state = emptyState();
const last = records.length - 2;
timed("folding", () => records.slice(0, last).map((some) => applyAll(state, some)), rate);

console.log(
  `${state.elements.size} elements, heap ${(process.memoryUsage().heapUsed / 1e6).toFixed(0)} MB`,
);

timed("copying the state", () => copyState(state));
timed("all of the scene, in order", () => sceneElements(state, 1));
const parts = partBytes(state).map((part) => new Uint8Array([72, ...part]));
const root = new ByteWriter().u8(71).uv(1).uv(1).append(new Uint8Array(32)).uv(parts.length);

const rootMessage = root
  .append(
    utf8(
      rootText(
        state,
        parts.map(() => "0".repeat(32)),
      ),
    ),
  )
  .bytes();

const size = parts.reduce((sum, part) => sum + part.length, 0);
const mega = `of ${(size / 1e6).toFixed(1)} MB`;

const from = timed(`a state out of a snapshot ${mega}`, () =>
  stateFromSnapshot(readMessage(rootMessage), parts.map(readMessage)),
);

timed(`a seek: ${slice} events on top of it`, () => applyAll(from, readRun(runs[last]).records));
const story = readFileSync(new URL("../fixtures/story.runs", import.meta.url));

timed(
  "a stored block of 319 events, 1,000 times",
  () => {
    for (let round = 0; round < 1000; round++) {
      readPieces(story);
    }
  },
  (took) => `(${(319 / took).toFixed(2)} M events/s)`,
);
