import assert from "node:assert/strict";
import { test } from "node:test";
import { areaIn, areaText } from "../../../Sources/BoardroomWeb/Page/player/area.js";
import { clipSVG, makeClip } from "../../../Sources/BoardroomWeb/Page/player/clip.js";
import { Graveyard } from "../../../Sources/BoardroomWeb/Page/player/graveyard.js";
import { grouped } from "../../../Sources/BoardroomWeb/Page/player/inspector.js";
import { idIn, Life } from "../../../Sources/BoardroomWeb/Page/player/life.js";
import { makePacing, START } from "../../../Sources/BoardroomWeb/Page/player/playback.js";
import { momentIn, momentText } from "../../../Sources/BoardroomWeb/Page/player/query.js";
import { commandsFor } from "../../../Sources/BoardroomWeb/Page/player/restore.js";
import { Search } from "../../../Sources/BoardroomWeb/Page/player/search.js";
import { Source } from "../../../Sources/BoardroomWeb/Page/player/source.js";
import { walk } from "../../../Sources/BoardroomWeb/Page/player/walk.js";
import { ByteWriter } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { Rec, writeCommand } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import { Change } from "../../../Sources/BoardroomWeb/Page/state/fold/change.js";
import { emptyState, foldBody } from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { FakeLog, runOf } from "../kit/fake-log.js";

/** A clock whose time passes when it is waited for. */
const clock = {
  now: () => 0,
  after: (/** @type {number} */ _ms, /** @type {() => void} */ run) => {
    queueMicrotask(run);
    return () => {};
  },
  frame: () => {},
};

const T = 1_000_000;

const joined = (/** @type {number} */ by, /** @type {string} */ name) => ({
  t: T,
  by,
  kind: 17,
  body: { session: "s", role: "writer", writable: true, client: `${name}/1`, payload: { name } },
});

const box = (/** @type {string} */ id, /** @type {number} */ x) => ({
  id,
  scene: 1,
  type: "rectangle",
  x,
  y: 0,
  width: 100,
  height: 50,
});

/**
 * @param {number} by
 * @param {number} kind
 * @param {any} body
 */
const event = (by, kind, body) => ({ t: T + 1_000, by, kind, n: 1, body });

/** Ana makes two boxes and copies one; Bob moves, colours and erases, takes it back, cleans the page. */
const events = [
  { t: T, kind: 16, body: { name: "r", limit: 0, isRecord: true } },
  { t: T, kind: 26, body: { directory: "/", index: 0, scenes: [{ id: 1, name: "init" }] } },
  { t: T, kind: 27, body: { scene: 1 } },
  joined(0, "Ana"),
  joined(1, "Bob"),
  event(0, 41, { scenes: 20, depth: 20 }),
  event(1, 41, { scenes: 20, depth: 20 }),
  event(0, 29, box("0.1", 0)), // 8
  event(0, 29, box("0.2", 500)), // 9
  event(0, 34, { copies: [{ from: "0.1", id: "0.3", scene: 1, set: { x: 900 } }] }), // 10
  event(1, 33, { changes: [{ id: "0.1", set: { x: 200 } }] }), // 11
  event(1, 33, { changes: [{ id: "0.1", set: { "style.colour": [1, 2, 3] } }] }), // 12
  event(1, 28, { elements: ["0.1"] }), // 13
  event(1, 42, { scene: 1, restored: ["0.1"] }), // 14
  event(1, 33, { changes: [{ id: "0.1", set: { locked: true } }] }), // 15
  event(1, 35, { scene: 1, retainPPT: true }), // 16
  event(0, 29, { ...box("0.4", 200), set: { meta: { restored: "0.1" } } }), // 17
];

async function opened(all = events) {
  const half = all.length >> 1;
  const bytes = [runOf(1, all.slice(0, half)), runOf(half + 1, all.slice(half))];
  const source = new Source("00", new FakeLog(new Uint8Array(Buffer.concat(bytes))).ask);
  await source.open();
  return source;
}

/**
 * @param {Source} source
 * @param {import("../../../Sources/BoardroomWeb/Page/player/walk.js").Looking} looking
 */
const walked = (source, looking, isWanted = () => true) =>
  walk(source, { state: emptyState(), looking: [looking], isWanted, clock });

test("the story of an element: made, copied, moved, restyled, erased, taken back, locked, cleaned, restored as another", async () => {
  const life = new Life("0.1");
  assert.equal(await walked(await opened(), life), true);
  assert.deepEqual(
    life.entries.map(({ revision, act, by, client }) => [revision, act, by, client]),
    [
      [8, "made", 0, "Ana/1"],
      [10, "copiedAs", 0, "Ana/1"],
      [11, "moved", 1, "Bob/1"],
      [12, "restyled", 1, "Bob/1"],
      [13, "erased", 1, "Bob/1"],
      [14, "restored", 1, "Bob/1"],
      [15, "locked", 1, "Bob/1"],
      [16, "cleaned", 1, "Bob/1"],
      [17, "restoredAs", 0, "Ana/1"],
    ],
  );
  assert.equal(life.element, undefined, "it is not on the board");
  assert.equal(life.last?.set?.x, 200, "as it was last");
  const copy = new Life("0.3");
  await walked(await opened(), copy);
  assert.deepEqual(
    copy.entries.map(({ act, other }) => [act, other]),
    [
      ["copiedFrom", "0.1"],
      ["cleaned", undefined],
    ],
  );
});

test("what hands move very often does not push out what was erased, and what is pushed out is let go", () => {
  const graveyard = new Graveyard();
  const things = new Map();
  const put = (/** @type {string} */ id) => things.set(id, { id, scene: 1 });
  /** @type {any} */
  const state = { element: (/** @type {string} */ id) => things.get(id) };
  const happens = (
    /** @type {string} */ name,
    /** @type {any} */ decoded,
    /** @type {number} */ rev,
    /** @type {() => void} */ act,
  ) => {
    /** @type {any} */
    const rec = { name, decoded, rev, t: rev, by: 1 };
    graveyard.before(rec, state);
    act();
    /** @type {any} */
    const change = { elements: [] };
    graveyard.see(rec, change, state);
  };
  put("1.1");
  happens("erased", { elements: ["1.1"] }, 1, () => things.delete("1.1"));
  const many = Array.from({ length: 12_000 }, (_, n) => `2.${n}`);
  for (const id of many) put(id);
  const changes = many.map((id) => ({ id, set: { x: 1 } }));
  for (const rev of [2, 3, 4])
    happens("elementsChanged", { changes }, rev, () => many.forEach(put));
  assert.ok(graveyard.graves.length <= 22_000);
  assert.deepEqual(
    graveyard.erasedBy(1).map(({ id }) => id),
    ["1.1"],
  );
});

test("what was erased is known at each moment, and what one event erased together", async () => {
  const graveyard = new Graveyard();
  await walked(await opened(), graveyard);
  const erased = (/** @type {number} */ revision) =>
    graveyard
      .at(revision, 1)
      .filter(({ isMoved }) => !isMoved)
      .map(({ element }) => element.id);
  assert.deepEqual(erased(12), []);
  assert.deepEqual(erased(13), ["0.1"]);
  assert.deepEqual(erased(14), [], "it was taken back");
  assert.deepEqual(erased(16), ["0.1", "0.2", "0.3"]);
  assert.deepEqual(graveyard.at(16, 2), [], "on another page");
  assert.deepEqual(
    graveyard.erasedBy(16).map(({ id }) => id),
    ["0.1", "0.2", "0.3"],
  );
  const [moved] = graveyard.at(11, 1);
  assert.deepEqual(
    [moved.element.id, moved.isMoved, moved.element.set?.x],
    ["0.1", true, undefined],
  );
});

test("what was on a page that is removed is shown on the page after it, at the moments after that", async () => {
  const scenes = (/** @type {number[]} */ ...ids) => ids.map((id) => ({ id, name: `page-${id}` }));
  const graveyard = new Graveyard();
  const log = [
    ...events.slice(0, 7),
    event(0, 26, { directory: "/", index: 1, scenes: scenes(2, 3) }), // 8
    event(0, 29, { ...box("0.1", 0), scene: 2 }), // 9
    event(0, 29, { ...box("0.2", 300), scene: 3 }), // 10
    event(0, 28, { elements: ["0.2"] }), // 11: erased before its page is removed
    event(0, 36, { scenes: [3], current: 2 }), // 12
    event(0, 36, { scenes: [2], current: 1 }), // 13
    event(0, 29, { ...box("0.3", 600), scene: 1 }), // 14
    event(0, 26, { directory: "/", index: 0, scenes: [{ id: 4, name: "init" }] }), // 15: in place of 1
  ];
  await walked(await opened(log), graveyard);
  const shown = (/** @type {number} */ revision, /** @type {number} */ page) =>
    graveyard.at(revision, page).map(({ element }) => element.id);
  assert.deepEqual([shown(11, 3), shown(11, 2)], [["0.2"], []]);
  assert.deepEqual([shown(12, 3), shown(12, 2)], [[], ["0.2"]]);
  assert.deepEqual(shown(13, 1), ["0.2", "0.1"], "what was erased there earlier, too");
  assert.deepEqual([shown(15, 1), shown(15, 4)], [[], ["0.2", "0.1", "0.3"]]);
  assert.deepEqual(
    graveyard.erasedBy(13).map(({ id }) => id),
    ["0.1"],
  );
});

test("a life keeps its first and its last events, however long it is", () => {
  const life = new Life("0.1");
  const put = (/** @type {number} */ revision) => {
    const element = /** @type {any} */ ({ id: "0.1", scene: 1, set: { x: revision } });
    const state = /** @type {any} */ ({ element: () => element, members: new Map() });
    const change = new Change();
    change.elements.add("0.1");
    const rec = Rec.ofCommand(
      writeCommand(1, "elementsChanged", { changes: [{ id: "0.1", set: { x: revision } }] }),
      0,
      T,
    );
    rec.rev = revision;
    life.see(rec, change, state);
  };
  for (let revision = 1; revision <= 30_000; revision++) {
    put(revision);
  }
  assert.ok(life.entries.length <= 11_000, `${life.entries.length}`);
  assert.equal(life.entries.length + life.dropped, 30_000);
  assert.deepEqual(
    [life.entries[0], life.entries[999], life.entries[life.entries.length - 1]].map(
      ({ revision }) => revision,
    ),
    [1, 1_000, 30_000],
  );
});

test("a search that is stopped keeps what it found, and says how far it came", async () => {
  const source = await opened();
  const [whole] = source.index.blocks;
  source.index.blocks = [
    { ...whole, last: 8 },
    { ...whole, first: 9 },
  ];
  const search = new Search(source, () => "", clock);
  const isDone = await search.run("box-1", () => search.stop());
  assert.equal(isDone, false);
  assert.deepEqual([search.progress, search.stoppedAt], [undefined, 0.5]);
  await search.run("rectangle", () => search.stop());
  assert.deepEqual(search.hits, [8], "of the first half");
  await search.run("rectangle", () => {});
  assert.deepEqual([search.stoppedAt, search.hits], [undefined, [8, 9, 17]]);
});

test("a walk that is not wanted any more ends", async () => {
  const life = new Life("0.1");
  let asked = 0;
  const isDone = await walked(await opened(), life, () => ++asked < 2);
  assert.equal(isDone, false);
  assert.ok(life.entries.length < 9);
});

/** @param {string} text */
async function found(text, all = events) {
  const source = await opened(all);
  for (const { last } of source.index.blocks) {
    await source.records(last - 1, last);
  }
  const parts = /** @type {(number | undefined)[]} */ ([]);
  const search = new Search(source, () => "", clock);
  await search.run(text, () => parts.push(search.progress));
  assert.deepEqual(parts, [...parts].sort(), "its progress grows");
  assert.equal(search.progress, undefined, "it is done");
  return search.hits;
}

test("a search for an element finds what made it, changed it and took it away, in either form of its id", async () => {
  assert.deepEqual(await found("element:0-1"), [8, 10, 11, 12, 13, 14, 15, 16, 17]);
  assert.deepEqual(await found("element:0.2"), [9, 16]);
  assert.deepEqual(await found("element:0-1 kind:erased"), [13]);
  assert.deepEqual(await found("element:0-1 member:1 after:#13"), [14, 15, 16]);
  assert.equal(idIn("element:2-14"), "2.14");
  assert.equal(idIn("2,14"), undefined);
});

test("a search for a rectangle finds the events of what touches it, before or after", async () => {
  assert.deepEqual(await found("area:0,0,50,50"), [8, 11], "made there, and moved away");
  assert.deepEqual(await found("area:500,10,20,20,1"), [9, 16]);
  assert.deepEqual(await found("area:500,10,20,20,2"), [], "on another page");
  assert.deepEqual(areaIn("1,2,3,4"), { left: 1, top: 2, right: 4, bottom: 6, page: undefined });
  for (const wrong of ["1,2,3", "1,2,-3,4", "a,b,c,d", "", "1,,3,4"]) {
    assert.equal(areaIn(wrong), undefined, wrong);
  }
  const text = areaText({ left: 1.234, top: -2, right: 4, bottom: 6 }, 3);
  assert.equal(text, "area:1.2,-2,2.8,8,3");
});

/** A stroke of member 0, as its command has it. */
const stroke = {
  stroke: 7,
  begin: { scene: 1, unit: -2, tool: "highlighter", colour: [1, 2, 3], opacity: 255, width: 8 },
  end: true,
  dx: [40, 8, 8],
  dy: [80, 0, 4],
  dt: [0, 8, 8],
  dp: [500, 1, 2],
};

test("a text search finds strokes by their ids and by how they are drawn", async () => {
  const command = writeCommand(1, "stroke", stroke);
  const rec = Rec.ofCommand(command, 0, T);
  const payload = rec.payload;
  const inner = new ByteWriter().uv(1).append(payload).bytes();
  const records = new ByteWriter().uv(inner.length).u8(1).uv(0).uv(1).append(inner).bytes();
  const run = new ByteWriter().u8(66).uv(18).uv(1).uv(T).uv(records.length).append(records).bytes();
  const last = new ByteWriter().uv(run.length).append(run).bytes();
  const log = new FakeLog(new Uint8Array(Buffer.concat([runOf(1, events), last])));
  const source = new Source("00", log.ask);
  await source.open();
  const search = new Search(source, () => "", clock);
  for (const text of ['text:"0.7"', "highlighter", "element:0-7"]) {
    await search.run(text, () => {});
    assert.deepEqual(search.hits, [18], text);
  }
});

test("an erased stroke is restored by ordinary commands: the same points, at its old place, with meta.restored", () => {
  const state = emptyState();
  const fold = (/** @type {number} */ by, /** @type {string} */ name, /** @type {any} */ body) =>
    foldBody(state, Rec.ofCommand(writeCommand(1, name, body), by, T), new Change());
  state.scenes = [/** @type {any} */ ({ id: 1, directory: "/", name: "init", path: "/init" })];
  state.members.set(0, /** @type {any} */ ({ id: 0 }));
  state.members.set(3, /** @type {any} */ ({ id: 3 }));
  const points = Array.from({ length: 2_500 }, (_, at) => at % 7);
  const long = { ...stroke, dx: points, dy: points, dt: points, dp: points };
  fold(0, "stroke", long);
  fold(0, "elementsChanged", {
    changes: [{ id: "0.7", set: { transform: [1, 0, 0, 1, 5, 5], locked: true, meta: { a: 1 } } }],
  });
  const before = /** @type {RoomElement} */ (state.element("0.7"));
  for (const [name, body] of commandsFor(before, "3.1", 1)) {
    assert.equal(fold(3, name, body).fits, true);
  }
  const after = /** @type {RoomElement} */ (state.element("3.1"));
  const all = (/** @type {RoomElement} */ { stroke }) =>
    stroke?.segments.flatMap((segment) => [...segment.read().dx]);
  assert.deepEqual(all(after), all(before));
  assert.deepEqual(after.stroke?.begin, before.stroke?.begin);
  assert.equal(after.stroke?.ended, true);
  assert.deepEqual(after.set?.meta, { a: 1, restored: "0.7" });
  assert.deepEqual(after.set?.transform, [1, 0, 0, 1, 5, 5]);
  assert.equal(after.set?.locked, undefined);
  assert.equal(after.set?.order, "V0000000");
});

test("an erased shape is restored with its fields and attributes, on the page that is named", () => {
  const shape = { ...box("0.1", 0), style: { width: 3 }, own: "kept" };
  const element = /** @type {any} */ ({ id: "0.1", place: 63, scene: 1, shape, set: { x: 5 } });
  assert.deepEqual(commandsFor(element, "3.2", 2), [
    [
      "elementPut",
      {
        ...shape,
        id: "3.2",
        scene: 2,
        set: { x: 5, order: "V0000011", meta: { restored: "0.1" } },
      },
    ],
  ]);
});

test("what an event changed is ordered: elements, pages, members, room, bookkeeping", () => {
  const paths = [
    "places",
    "members.0.phase",
    "histories",
    "globalState.a",
    "scenes.0",
    "elements.0.1",
  ];
  const found = paths.map((path) => ({ path, before: 1, after: 2 }));
  found.push({
    path: "elements.0.2",
    before: /** @type {any} */ ({ buried: true }),
    after: /** @type {any} */ (undefined),
  });
  assert.deepEqual(
    grouped(found).map(([name, own]) => [name, own.map(({ path }) => path)]),
    [
      ["elements", ["elements.0.1"]],
      ["scenes", ["scenes.0"]],
      ["members", ["members.0.phase"]],
      ["room", ["globalState.a"]],
      ["books", ["places", "histories", "elements.0.2"]],
    ],
  );
});

test("a link to a moment names the element whose story is told", () => {
  const text = momentText("ab", { seq: 4, f: "", e: "2.14" });
  assert.equal(text, "/replay/ab#seq=4&e=2.14");
  assert.equal(momentIn("#seq=4&e=2.14").e, "2.14");
  assert.equal(momentIn("#seq=4&e=2").e, undefined);
});

test("a clip has each look of an element in the frames in which it was seen, and plays as SVG by itself", async () => {
  const timed = events.map((one, at) => ({ ...one, t: T + at * 1_000 }));
  const source = await opened(timed);
  const { log } = source;
  const pacing = makePacing(log, true);
  const sceneIn = (/** @type {any} */ state) => state.currentScene;
  const player = /** @type {any} */ ({ source, log, pacing, place: START, clock, sceneIn });
  const clip = await makeClip(player, 7, 17, () => true);
  assert.ok(clip);
  const at = (/** @type {number} */ frame) =>
    clip.seen
      .filter(({ from, to }) => from <= frame && frame < to)
      .map(({ element }) => `${element.id}@${element.set?.x ?? element.shape?.x}`);
  assert.deepEqual(at(0), []);
  assert.deepEqual(at(10), ["0.1@0"]);
  assert.deepEqual(at(30), ["0.1@0", "0.2@500", "0.3@900"]);
  assert.deepEqual(at(40), ["0.1@200", "0.2@500", "0.3@900"]);
  assert.deepEqual(at(60), ["0.2@500", "0.3@900"], "it was erased");
  assert.deepEqual(at(clip.frames - 1), ["0.4@200"]);
  const svg = clipSVG(clip);
  assert.match(svg, /^<svg [^>]*viewBox="-17 -17 1034 84"/);
  const first = /<animate [^>]*values="([^"]*)" keyTimes="([^"]*)"[^>]*dur="(\d+)ms"/.exec(svg);
  const [, values, times, length] = first ?? [];
  assert.equal(values, "hidden;visible;hidden");
  const [zero, from, to] = times.split(";").map(Number);
  assert.equal(zero, 0);
  assert.ok(from < to && to <= 1);
  assert.ok(Math.abs(from * Number(length) - 1_000) < 120, "it comes after a second");
  assert.equal(await makeClip(player, 7, 17, () => false), undefined, "it can be stopped");
});
