import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Source } from "../../../Sources/BoardroomWeb/Page/player/source.js";
import { FakeLog, fixture, runOf, snapshotOf } from "../kit/fake-log.js";
import { sha256 } from "../kit/rooms.js";
import { stateHash } from "../kit/snapshots.js";

/** @type {Record<string, string>} */
const { hashes } = JSON.parse(
  readFileSync(new URL("../fixtures/story.json", import.meta.url), "utf8"),
);

const revisions = Object.keys(hashes).map(Number);

/** @param {FakeLog} log */
async function opened(log) {
  const source = new Source("00", log.ask);
  await source.open();
  return source;
}

/**
 * A room that was made and joined, then events of member 0.
 * @param {number} count
 * @param {number} [gap]
 */
const chatter = (count, gap = 10) => [
  { t: 1_000, kind: 16, body: { name: "r", limit: 0, isRecord: true } },
  {
    t: 1_000,
    by: 0,
    kind: 17,
    body: { session: "s", role: "writer", writable: true, payload: { name: "Ana" } },
  },
  ...Array.from({ length: count }, (_, at) => ({
    t: 2_000 + at * gap,
    by: 0,
    kind: 30,
    n: at + 1,
    body: { event: "e", payload: at },
  })),
];

test("a room opens with its index alone: no block is read and nothing folded", async () => {
  const log = new FakeLog(fixture("story.runs"));
  const source = await opened(log);
  assert.deepEqual(log.asked, ["replay"]);
  assert.equal(source.log.last, log.records.length);
  assert.ok(
    source.log.time(100) >= log.records[0].t &&
      source.log.time(100) <= log.records[log.records.length - 1].t,
  );
});

test("a seek to any revision, forwards and back, has the state that the server had", async () => {
  const source = await opened(new FakeLog(fixture("story.runs")));
  for (const revision of [...revisions].sort((a, b) => ((a * 7919) % 319) - ((b * 7919) % 319))) {
    const state = await source.stateAt(revision);
    assert.equal(state && stateHash(state, sha256), hashes[revision], `at ${revision}`);
  }
});

test("a state that is handed out is one's own: folding it on changes no other", async () => {
  const source = await opened(new FakeLog(fixture("story.runs")));
  const one = await source.stateAt(120);
  const other = await source.stateAt(120);
  assert.ok(one && other);
  one.members.clear();
  one.elements.clear();
  assert.equal(stateHash(other, sha256), hashes[120]);
});

test("far on a seek begins at a snapshot, and nothing before it is read", async () => {
  const events = chatter(8_998);
  const bytes = Buffer.concat(
    [0, 1, 2].map((part) =>
      runOf(part * 3_000 + 1, events.slice(part * 3_000, part * 3_000 + 3_000)),
    ),
  );
  const whole = await (await opened(new FakeLog(bytes))).stateAt(6_000);
  assert.ok(whole);
  const log = new FakeLog(bytes, snapshotOf(whole));
  const source = await opened(log);
  const state = await source.stateAt(9_000);
  assert.equal(
    state && stateHash(state, sha256),
    stateHash(/** @type {any} */ (await (await opened(new FakeLog(bytes))).stateAt(9_000)), sha256),
  );
  assert.deepEqual(
    log.asked.map((one) => one.replace(/[?&](limit|epoch)=\w+/g, "")),
    ["replay", "replay/snapshots/6000", "replay/runs?after=6000"],
  );
});

test("a step back begins at a state that was passed: nothing is asked for", async () => {
  const events = chatter(9_000);
  const log = new FakeLog(
    Buffer.concat([runOf(1, events.slice(0, 5_000)), runOf(5_001, events.slice(5_000))]),
  );
  const far = await opened(log);
  await far.stateAt(8_000);
  log.asked.length = 0;
  await far.stateAt(7_000);
  assert.deepEqual(log.asked, [], "a step back begins at a state that was passed");
  assert.ok(far.keptStates.some(({ revision }) => revision > 1_000 && revision <= 7_000));
});

test("a seek that nobody wants any more ends", async () => {
  const source = await opened(new FakeLog(runOf(1, chatter(6_000))));
  let left = 2;
  assert.equal(await source.stateAt(6_000, () => left-- > 0), undefined);
});

test("what is read in passing makes times, kinds and authors exact", async () => {
  const log = new FakeLog(
    Buffer.concat([
      runOf(1, chatter(20, 7)),
      runOf(23, [{ t: 9_000, by: 0, kind: 18, body: { cause: "left" } }]),
    ]),
  );
  const source = await opened(log);
  assert.equal(source.log.kind(5), 0);
  while (await source.readAhead()) {}
  for (const { rev, t, kind, by } of log.records) {
    assert.deepEqual(
      [source.log.time(rev), source.log.kind(rev), source.log.author(rev)],
      [t, kind, by ?? -1],
    );
  }
  assert.equal(source.log.people.get(0)?.name, "Ana");
  assert.deepEqual(
    source.log.people.get(0)?.turns.map(({ phase }) => phase),
    ["connected", "left"],
  );
});

test("the tail of a room that goes on is asked for behind the last event, and can be sought at once", async () => {
  const log = new FakeLog(runOf(1, chatter(3)));
  const source = await opened(log);
  assert.equal(await source.readNew(), 0);
  log.add(runOf(6, [{ t: 5_000, by: 0, kind: 23, n: 9, body: { colour: "blue" } }]));
  assert.equal(await source.readNew(), 1);
  assert.match(log.asked[log.asked.length - 1], /after=5&limit=\d+&epoch=/);
  assert.equal(source.log.last, 6);
  assert.deepEqual((await source.stateAt(6))?.globalState.plain(), { colour: "blue" });
});

test("a damaged block is told to who wants to see it, and passed over by who reads on", async () => {
  const events = chatter(8);
  const log = new FakeLog(Buffer.concat([runOf(1, events.slice(0, 5)), runOf(6, events.slice(5))]));
  log.damaged.add(1);
  const source = await opened(log);
  while (await source.readAhead()) {}
  await assert.rejects(source.stateAt(3), { code: "internal" });
});

test("another life of the log is a conflict, after which everything is read anew", async () => {
  const log = new FakeLog(runOf(1, chatter(3)));
  const source = await opened(log);
  log.epoch = "fedcba9876543210";
  await assert.rejects(source.readNew(), { code: "conflict" });
  await source.open();
  assert.equal(await source.readNew(), 0);
});

test("a large log without snapshots is folded while it is read in passing, so that seeks are short", async () => {
  const events = chatter(109_998, 1);
  const large = Buffer.concat(
    Array.from({ length: 11 }, (_, at) =>
      runOf(at * 10_000 + 1, events.slice(at * 10_000, (at + 1) * 10_000)),
    ),
  );
  const source = await opened(new FakeLog(large));
  assert.equal(source.home, 0, "it opens at the beginning: the way to the end is long");
  while (await source.readAhead()) {}
  assert.equal(source.foldedAhead.revision, 110_000);
  assert.ok(source.keptStates.length >= 1);
});
