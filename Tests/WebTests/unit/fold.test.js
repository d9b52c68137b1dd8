import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  FAMILY_OF,
  KIND_NUMBERS,
  KINDS,
} from "../../../Sources/BoardroomWeb/Page/protocol/kinds.js";
import { readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { writeCommand } from "../../../Sources/BoardroomWeb/Page/protocol/records.js";
import { RULES_OF_FAMILY, ruleOf } from "../../../Sources/BoardroomWeb/Page/state/fold/rules.js";
import {
  apply,
  applyAll,
  copyState,
  emptyState,
  sceneElements,
  stateFromSnapshot,
} from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { sha256 } from "../kit/rooms.js";
import { partBytes, stateHash } from "../kit/snapshots.js";
import { mirrorText, serverMessage } from "../kit/wire.js";

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

/**
 * A recorded log, see kit/record.js.
 * @param {string} name
 */
const recorded = (name) => ({
  pieces: readPieces(new Uint8Array(fixture(`${name}.runs`))),
  records: readPieces(new Uint8Array(fixture(`${name}.runs`))).flatMap((piece) => piece.records),
  hashes: /** @type {Record<string, string>} */ (
    JSON.parse(fixture(`${name}.json`).toString()).hashes
  ),
});

const story = recorded("story");

/** @param {import("../../../Sources/BoardroomWeb/Page/state/model.js").RoomState} state */
const hash = (state) => stateHash(state, sha256);

for (const [name, log] of Object.entries({ hello: recorded("hello"), story })) {
  test(`the fold has the server's state hash at every recorded revision of "${name}"`, () => {
    const state = emptyState();
    for (const rec of log.records) {
      apply(state, rec);
      if (log.hashes[rec.rev]) {
        assert.equal(hash(state), log.hashes[rec.rev], `at revision ${rec.rev}, ${rec.name}`);
      }
    }
    assert.equal(state.revision, Math.max(...Object.keys(log.hashes).map(Number)));
  });
}

test("every record of a real log has the mirror that the server exports, byte for byte", () => {
  const lines = fixture("story.jsonl").toString().trimEnd().split("\n");
  assert.deepEqual(story.records.map(mirrorText), lines);
});

test("every binary body of a real log is written as it was read", () => {
  for (const rec of story.records.filter(({ kind }) => kind < 16)) {
    const { n, name, body } = {
      n: rec.n ?? 0,
      name: rec.name,
      body: JSON.parse(mirrorText(rec)).body,
    };
    const command = writeCommand(n, name, body);
    assert.deepEqual(command.subarray(-rec.payload.length), rec.payload);
  }
});

test("a snapshot in the middle of histories leads to the same hashes as the whole log", () => {
  const [root, ...parts] = readPieces(new Uint8Array(fixture("story.snapshot")));
  const state = stateFromSnapshot(root, parts);
  assert.ok(state.revision > 0 && state.histories.size > 0);
  assert.equal(hash(state), root.stateHash);
  assert.deepEqual(
    partBytes(state).map((bytes) => Buffer.from(bytes)),
    parts.map(({ bytes }) => Buffer.from(bytes)),
  );
  for (const rec of story.records.slice(state.revision)) {
    apply(state, rec);
    if (story.hashes[rec.rev]) {
      assert.equal(hash(state), story.hashes[rec.rev], `at revision ${rec.rev}`);
    }
  }
});

test("a copy goes its own way: folding on leaves what it was made of as it is", () => {
  const state = emptyState();
  const kept = [];
  for (const rec of story.records) {
    apply(state, rec);
    if (story.hashes[rec.rev]) kept.push({ revision: rec.rev, copy: copyState(state) });
  }
  for (const { revision, copy } of kept) {
    assert.equal(hash(copy), story.hashes[revision], `copy at ${revision}`);
  }
  for (const { copy } of kept.filter((_, place) => place % 10 === 0)) {
    applyAll(copy, story.records.slice(copy.revision));
    assert.equal(hash(copy), hash(state));
  }
});

/**
 * Parts of a state, and the names of those that say that they changed.
 * @type {[names: string[], part: (of: ReturnType<typeof emptyState>) => any][]}
 */
const parts = [
  [["currentScene"], (of) => of.currentScene],
  [["scenes"], (of) => of.scenes],
  [["globalState"], (of) => of.globalState.plain()],
  [["stores"], (of) => of.stores.plain()],
  [["broadcaster"], (of) => of.broadcaster],
  [["roster", "audience"], (of) => [...of.members.keys()]],
];

test("a change names the elements, scenes and parts that are another than before, and no others", () => {
  const state = emptyState();
  for (const rec of story.records) {
    const before = copyState(state);
    const change = apply(state, rec);
    const ids = new Set([...before.elements.keys(), ...state.elements.keys()]);
    for (const id of ids) {
      const isOther = before.elements.get(id) !== state.elements.get(id);
      if (isOther) assert.ok(change.elements.has(id), `${rec.name} at ${rec.rev} changed ${id}`);
    }
    for (const [names, part] of parts) {
      const isOther = JSON.stringify(part(before)) !== JSON.stringify(part(state));
      const isNamed = names.some((name) => change.fields.has(name));
      if (isOther) assert.ok(isNamed, `${rec.name} at ${rec.rev} changed ${names}`);
    }
  }
});

test("what is on a scene comes in the order of drawing: by order key, else by place", () => {
  const state = emptyState();
  applyAll(
    state,
    recordsOf([
      { by: null, kind: "roomCreated", body: { name: "", limit: 0, isRecord: true } },
      {
        by: 0,
        kind: "memberJoined",
        body: { session: "0".repeat(32), role: "writer", writable: true },
      },
      ...["0.1", "0.2", "0.3"].map((id) => ({
        by: 0,
        kind: "elementPut",
        body: { id, scene: 1, type: "note", x: 0, y: 0, text: "", width: 1, height: 1 },
      })),
      {
        by: 0,
        kind: "elementsChanged",
        body: { changes: [{ id: "0.1", set: { order: "VzzzzzzzV" } }] },
      },
      { by: 0, kind: "elementsChanged", body: { changes: [{ id: "0.3", set: { order: "A" } }] } },
    ]),
  );
  assert.deepEqual(
    sceneElements(state, 1).map(({ id }) => id),
    ["0.3", "0.2", "0.1"],
  );
  assert.deepEqual(sceneElements(state, 2), []);
});

test("CB-16: an event that does not fit changes revision, time and counter, and nothing else", () => {
  const state = emptyState();
  applyAll(state, story.records.slice(0, 60));
  const records = recordsOf(
    [
      { by: 77, kind: "memberLeft", body: { cause: "left" } },
      { by: null, kind: "sceneSwitched", body: { scene: 4_000_000 } },
      { by: null, kind: "storeDeleted", body: { store: "no such" } },
      { by: 77, kind: 1, raw: "AAAA" },
      { by: null, kind: "elementsChanged", body: { changes: "none" } },
      { by: null, kind: 23, raw: Buffer.from("no JSON").toString("base64") },
      { by: null, kind: "scenesRemoved", body: { scenes: [9999], current: 1 } },
    ],
    state.revision + 1,
  );
  for (const rec of records) {
    const before = copyState(state);
    assert.equal(apply(state, rec).fits, false, String(rec.name));
    assert.equal(state.revision, rec.rev);
    assert.equal(
      hash(Object.assign(state, { time: before.time })),
      hash(Object.assign(before, { revision: rec.rev })),
      rec.name,
    );
  }
});

test("kinds that are not known, and those without a rule, pass over the state", () => {
  const state = emptyState();
  for (const rec of recordsOf([
    { by: null, kind: 200, raw: "AQID" },
    { by: null, kind: "magix", body: { event: "x" } },
  ])) {
    assert.equal(apply(state, rec).fits, true);
  }
  assert.equal(state.revision, 2);
});

/**
 * Records from their mirrors.
 * @param {any[]} mirrors
 * @param {number} first
 */
function recordsOf(mirrors, first = 1) {
  const records = mirrors.map((mirror, place) => ({ t: 1000 + place, n: 0, ...mirror }));
  const bytes = serverMessage({ m: "run", first, base: 1000, records });
  return readPieces(new Uint8Array([...sized(bytes.length), ...bytes])).flatMap(
    (piece) => piece.records,
  );
}

/** @param {number} length */
const sized = (length) =>
  length < 128 ? [length] : [(length % 128) | 128, Math.floor(length / 128)];

test("KIND-1: the rule of each kind stands in the file of its family, which the table of kinds names", () => {
  const families = new Set(Object.values(FAMILY_OF));
  for (const [family, rules] of Object.entries(RULES_OF_FAMILY)) {
    assert.ok(families.has(family), family);
    for (const [name, rule] of Object.entries(rules)) {
      const kind = KIND_NUMBERS.get(name) ?? 0;
      assert.equal(FAMILY_OF[kind], family, `the rule of ${name}`);
      assert.equal(ruleOf(kind), rule, name);
    }
  }
});

test("KIND-1: kinds without a rule are those whose events change no state of a board", () => {
  const without = [...KIND_NUMBERS].filter(([, kind]) => !ruleOf(kind)).map(([name]) => name);
  const ofSpaces = Object.entries(FAMILY_OF).filter(([, name]) => name === "space");
  assert.deepEqual(
    without.sort(),
    [
      ...ofSpaces.map(([kind]) => KINDS[Number(kind)]),
      ...["magix", "reaction"],
      ...["refused", "clientPhases", "nothingChanged", "contentErased"],
      ...["memberKicked", "memberReplaced"],
      ...["banSet", "banLifted"],
    ].sort(),
  );
  assert.equal(ruleOf(200), undefined);
});
