import assert from "node:assert/strict";
import { test } from "node:test";
import { diff } from "../../../Sources/BoardroomWeb/Page/player/inspector.js";
import {
  clockText,
  heat,
  lanes,
  markers,
  stack,
  timeAt,
  xOf,
} from "../../../Sources/BoardroomWeb/Page/player/layout.js";
import { Log, MARKER_NAMES } from "../../../Sources/BoardroomWeb/Page/player/log.js";
import {
  leapt,
  makePacing,
  nextEvent,
  nextSpeed,
  placeAfter,
  placeAt,
  played,
  START,
} from "../../../Sources/BoardroomWeb/Page/player/playback.js";
import {
  makeQuery,
  momentIn,
  momentText,
  revisionOf,
} from "../../../Sources/BoardroomWeb/Page/player/query.js";
import { readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { apply, copyState, emptyState } from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { virtualClock } from "../kit/clock.js";
import { fixture, runOf } from "../kit/fake-log.js";

/** @param {Parameters<typeof runOf>[1]} events */
function logOf(events) {
  const last = events.length;
  const log = new Log({
    low: 1,
    last,
    blocks: [{ first: 1, last, begin: events[0].t, end: events[last - 1].t, bytes: 9 }],
  });
  log.addRecords(readPieces(runOf(1, events)).flatMap(({ records }) => records));
  return log;
}

const T = 1_000_000;

/**
 * @param {number} t
 * @param {number} by
 */
const joined = (t, by, name = "Ana") => ({
  t,
  by,
  kind: 17,
  body: { session: "s", role: "writer", writable: true, uid: `id-${by}`, payload: { name } },
});

/** Two members, an idle hour, an outage, a refusal, a takeover and a kick. */
const story = logOf([
  { t: T, kind: 16, body: { name: "r", limit: 0, isRecord: true } },
  joined(T + 1_000, 0),
  joined(T + 2_000, 1, "Wang"),
  { t: T + 3_000, by: 0, kind: 30, n: 1, body: { event: "quiz", payload: "out of paper" } },
  { t: T + 3_603_000, by: 1, kind: 19, body: { phase: "reconnecting", generation: 1 } },
  { t: T + 3_605_000, by: 1, kind: 19, body: { phase: "connected", generation: 2 } },
  {
    t: T + 3_605_500,
    by: 1,
    kind: 32,
    n: 1,
    body: {
      phases: [
        { phase: "reconnecting", ago: 2_000 },
        { phase: "connected", ago: 400 },
      ],
    },
  },
  { t: T + 3_606_000, by: 0, kind: 31, n: 2, body: { kind: 28, code: "locked" } },
  { t: T + 3_606_500, by: 0, kind: 22, body: { by: "s2" } },
  { t: T + 3_606_500, by: 0, kind: 18, body: { cause: "replaced" } },
  { t: T + 3_607_000, kind: 21, body: { member: 1, reason: "kickByAdmin" } },
  { t: T + 3_607_000, by: 1, kind: 18, body: { cause: "kicked" } },
]);

test("idle gaps are compressed to 1 s, and back again: shown time and the log's time are inverse", () => {
  const pacing = makePacing(story, true);
  assert.deepEqual(
    pacing.gaps.map(({ from, to }) => [from - T, to - T]),
    [[3_000, 3_603_000]],
  );
  assert.equal(pacing.length, 8_000);
  assert.equal(pacing.shown(T + 3_603_000), 4_000);
  assert.equal(pacing.shown(T + 1_803_000), 3_500, "inside the gap time goes on, quickly");
  for (let shown = 0; shown <= 8_000; shown += 125) {
    assert.ok(Math.abs(pacing.shown(pacing.time(shown)) - shown) < 1e-6);
  }
  const whole = makePacing(story, false);
  assert.deepEqual([whole.gaps.length, whole.length], [0, 3_607_000]);
});

test("playing keeps to the log's time, at speeds from 0.25 to 16, and stops at the end", () => {
  const clock = virtualClock(T);
  const pacing = makePacing(story, true);
  for (const speed of [0.25, 1, 16]) {
    let place = { ...placeAfter(START, 0, story), isPlaying: true, speed };
    let last = clock.now();
    for (let frame = 0; frame < 20; frame++) {
      clock.advance(50);
      place = played(place, clock.now() - last, story, pacing);
      last = clock.now();
    }
    const shown = Math.min(1_000 * speed, 8_000);
    assert.ok(Math.abs(pacing.shown(place.at) - shown) < 1e-6, `${speed}×`);
    assert.equal(place.isPlaying, shown < 8_000);
    assert.equal(place.revision, story.revisionAt(place.at));
  }
  assert.deepEqual([nextSpeed(1, 1), nextSpeed(16, 1), nextSpeed(0.25, -1)], [2, 16, 0.25]);
});

test("by event each takes the same time, whatever lies between them", () => {
  const pacing = makePacing(story, true);
  let place = { ...placeAfter(START, 0, story), isPlaying: true, byEvent: true };
  for (let frame = 0; frame < 4; frame++) {
    place = played(place, 125, story, pacing);
  }
  assert.equal(place.revision, 4);
  place = played(place, 125, story, pacing);
  assert.equal(place.revision, 5, "the idle hour is one event long");
});

test("a live place follows the end and is never more than 2.5 s behind", () => {
  const pacing = makePacing(story, true);
  const live = { ...placeAt(START, T + 3_000, story), isLive: true, isPlaying: true };
  const next = played(live, 16, story, pacing);
  assert.equal(next.at, story.end - 2_500);
  assert.equal(played({ ...next, at: story.end }, 16, story, pacing).at, story.end);
  assert.equal(played({ ...next, at: story.end }, 16, story, pacing).isPlaying, true);
});

test("places: by time, by event, by seconds of the replay; never outside of the log", () => {
  const pacing = makePacing(story, true);
  assert.equal(placeAt(START, T + 1_500, story).revision, 2);
  assert.deepEqual(
    [placeAfter(START, -5, story).revision, placeAfter(START, 99, story).revision],
    [0, 12],
  );
  assert.equal(leapt(placeAt(START, T + 3_000, story), 1_000, story, pacing).at, T + 3_603_000);
  assert.equal(leapt(placeAt(START, T, story), -5_000, story, pacing).at, T);
  assert.equal(
    nextEvent(2, 1, story, (one) => story.kind(one) === 17),
    3,
  );
  assert.equal(
    nextEvent(2, -1, story, (one) => story.kind(one) === 17),
    undefined,
  );
});

/** @param {string} name */
const who = (name) => ({ ana: [0], wang: [1] })[name] ?? [];

/** @param {string} text */
const found = (text) => {
  const query = makeQuery(text, story, who);
  return {
    problems: query.problems,
    hits: Array.from({ length: 12 }, (_, at) => at + 1).filter((one) => query.mayFit(one)),
  };
};

test("search: kinds and members are alternatives, the rest goes together, a minus turns round", () => {
  assert.deepEqual(found("kind:kick").hits, [11]);
  assert.deepEqual(found("kind:kick kind:takeover KIND:refused").hits, [8, 9, 11]);
  assert.deepEqual(found("kind:memberphase").hits, [5, 6], "a part of a kind's name does");
  assert.deepEqual(found("member:wang -kind:phase").hits, [3, 12]);
  assert.deepEqual(found("after:0:02 before:1:00:04").hits, [4, 5]);
  assert.deepEqual(found("after:#10").hits, [11, 12]);
  assert.deepEqual(found("").hits.length, 12);
});

test("search: what is not understood is named, and why", () => {
  assert.deepEqual(
    found("colour:red kind:nonsense member:eve after:soon").problems.map(({ word, why }) => [
      word,
      why,
    ]),
    [
      ["colour:red", "key"],
      ["kind:nonsense", "kind"],
      ["member:eve", "member"],
      ["after:soon", "time"],
    ],
  );
});

test("search: text is looked for in what an event says, in quotes also with spaces", () => {
  const [rec] = readPieces(
    runOf(1, [{ t: T, by: 0, kind: 30, body: { event: "quiz", payload: "Out of paper" } }]),
  )[0].records;
  const has = (/** @type {string} */ text) => makeQuery(text, story, who).hasWords(rec);
  assert.deepEqual(['text:"of paper"', "text:paper", "OUT", "-pencil", "quiz paper"].map(has), [
    true,
    true,
    true,
    true,
    true,
  ]);
  assert.deepEqual(["text:pencil", "-paper", "quiz pencil"].map(has), [false, false, false]);
  assert.equal(makeQuery("kind:kick a", story, who).toggled("kind:kick"), "a");
  assert.equal(makeQuery("a", story, who).toggled("kind:kick"), "a kind:kick");
});

test("a time in words is a place: offsets, revisions, dates", () => {
  assert.equal(revisionOf("2", story), 3);
  assert.equal(revisionOf("1:00:03", story), 5);
  assert.equal(revisionOf(" #7 ", story), 7);
  assert.equal(revisionOf(new Date(T + 1_500).toISOString(), story), 2);
  assert.equal(revisionOf("soon", story), undefined);
});

test("the link to a moment says revision, member, filter and view, and is read again; a token is in none", () => {
  const moment = {
    seq: 18204,
    m: 2,
    f: 'kind:kick text:"a&b=c"',
    view: { x: 1.5, y: -2, scale: 0.5 },
  };
  const link = momentText("ab".repeat(16), moment);
  assert.match(link, /^\/replay\/(ab){16}#seq=18204&m=2&f=kind:kick/);
  assert.deepEqual(momentIn(link.slice(link.indexOf("#"))), { ...moment, token: undefined });
  const { token, ...rest } = momentIn("#NETLESSROOM_abc-_1&seq=5");
  assert.deepEqual(
    [token, rest.seq, momentText("0", rest)],
    ["NETLESSROOM_abc-_1", 5, "/replay/0#seq=5"],
  );
  assert.equal(momentIn("#seq=x&v=1,2").view, undefined);
});

test("a malformed field of a link is as good as none, and the others are read", () => {
  const nothing = momentIn("");
  for (const hash of ["#f=%", "#f=a%2", "#f=%zz&seq=%", "#seq=x&m=-1&v=1,2,%", "#%"]) {
    assert.deepEqual(momentIn(hash), nothing, hash);
  }
  assert.deepEqual(momentIn("#f=%&seq=7&m=%&v=1,2,3"), {
    ...nothing,
    seq: 7,
    view: { x: 1, y: 2, scale: 3 },
  });
  assert.equal(momentIn("#f=50%25").f, "50%");
});

test("the timeline has activity at once, from the index alone, and exact kinds when they are read", () => {
  const index = {
    low: 1,
    last: 1_000,
    blocks: [
      { first: 1, last: 900, begin: T, end: T + 1_000, bytes: 1 },
      { first: 901, last: 1_000, begin: T + 1_000, end: T + 9_000, bytes: 1 },
    ],
  };
  const log = new Log(index);
  const pacing = makePacing(log, true);
  const window = { from: 0, to: pacing.length, width: 90 };
  const { counts } = heat({ log, pacing }, window);
  const row = MARKER_NAMES.length + 1;
  const sum = (/** @type {number} */ from, /** @type {number} */ to) =>
    counts.slice(from * row, to * row).reduce((a, b) => a + b, 0);
  assert.equal(sum(0, 90), 1_000, "every event is in one column");
  assert.ok(sum(0, 11) > 850 && sum(11, 90) < 150);
  assert.ok(
    counts.every((count, at) => count === 0 || at % row === row - 1),
    "of no kind yet",
  );
  log.addRecords(
    readPieces(
      runOf(
        901,
        Array.from({ length: 100 }, (_, at) => ({
          t: T + 2_000 + at,
          by: 0,
          kind: 21,
          body: { member: 0 },
        })),
      ),
    )[0].records,
  );
  const exact = heat({ log, pacing: makePacing(log, true) }, window);
  assert.ok(
    exact.counts.some((count, at) => count > 50 && at % row === MARKER_NAMES.indexOf("kick")),
  );
});

test("a column stacks its kinds, and what was not looked for falls back", () => {
  const pacing = makePacing(story, true);
  const window = { from: 0, to: pacing.length, width: 8 };
  const parts = stack(heat({ log: story, pacing }, window), 7);
  assert.deepEqual(parts.map(({ marker }) => MARKER_NAMES[marker]).sort(), [
    "join",
    "kick",
    "refused",
    "takeover",
  ]);
  for (const [at, { from, to }] of parts.entries()) {
    assert.ok(to > from && (at === 0 || from === parts[at - 1].to) && to <= 1);
  }
  const fits = Uint8Array.from({ length: 12 }, (_, at) => Number(at === 10));
  assert.deepEqual(
    stack(heat({ log: story, pacing, fits }, window), 7).map(
      ({ marker }) => MARKER_NAMES[marker] ?? "rest",
    ),
    ["kick", "rest"],
  );
});

test("of markers in one place the gravest is shown: refused, takeover, kick", () => {
  const pacing = makePacing(story, true);
  const all = markers(
    heat({ log: story, pacing }, { from: 0, to: pacing.length, width: 1_200 }),
    1_200,
  );
  const names = all.map(({ marker }) => MARKER_NAMES[marker]);
  for (const name of ["join", "custom", "phase", "refused", "takeover", "kick"]) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(
    all.every(({ x }, at) => at === 0 || x - all[at - 1].x >= 10),
    "none lies on another",
  );
});

test("a lane has a member's phases as the server and its own client saw them, and what befell it", () => {
  const [ana, wang] = lanes(story);
  assert.deepEqual(
    ana.spans.map(({ from, to, phase }) => [from - T, to - T, phase]),
    [[1_000, 3_606_500, "connected"]],
  );
  assert.deepEqual(
    ana.marks.map(({ phase }) => phase),
    ["refused", "replaced", "left"],
  );
  assert.deepEqual(
    wang.spans.map(({ phase }) => phase),
    ["connected", "reconnecting", "connected"],
  );
  assert.deepEqual(
    wang.seen.map(({ from, to, phase }) => [from - T, to - T, phase]),
    [
      [3_603_500, 3_605_100, "reconnecting"],
      [3_605_100, 3_605_500, "connected"],
    ],
  );
  assert.deepEqual(
    wang.marks.map(({ phase }) => phase),
    ["kicked", "left"],
  );
  assert.deepEqual([ana.person.name, wang.person.uid], ["Ana", "id-1"]);
});

test("pixels and times are inverse, and a clock is written one way", () => {
  const pacing = makePacing(story, true);
  const window = { from: 1_000, to: 5_000, width: 400 };
  for (const x of [0, 37, 399]) {
    assert.ok(Math.abs(xOf(window, pacing, timeAt(window, pacing, x)) - x) < 1e-6);
  }
  assert.deepEqual(
    [clockText(252_380), clockText(252_380, 0), clockText(3_605_000, 0), clockText(500, 1)],
    ["00:04:12.380", "4:12", "1:00:05", "0:00.5"],
  );
});

test("the difference of two moments names each path that is another, with both values", () => {
  const records = readPieces(fixture("story.runs")).flatMap(({ records }) => records);
  const state = emptyState();
  for (const rec of records) {
    const before = copyState(state);
    const { fits } = apply(state, rec);
    const changes = diff(before, state);
    if (!fits || ["magix", "refused"].includes(rec.name)) assert.deepEqual(changes, [], rec.name);
    if (rec.name === "memberJoined") {
      assert.ok(
        changes.some(({ path, before }) => path === `members.${rec.by}` && before === undefined),
      );
    }
    if (rec.name === "globalState") {
      assert.ok(
        changes.every(({ path }) => path.startsWith("globalState.")),
        rec.name,
      );
    }
    assert.deepEqual(diff(state, copyState(state)), []);
  }
});
