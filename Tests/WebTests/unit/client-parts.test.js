// Parts of the package boardroom-client that need no server: the iterator of events, the token provider,
// what a page's window holds, and the points of strokes.
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { Emitter, iterate } from "../../../Sources/BoardroomWeb/Client/events.js";
import { followPage } from "../../../Sources/BoardroomWeb/Client/join.js";
import { makeRoom } from "../../../Sources/BoardroomWeb/Client/room.js";
import { StrokeWriter } from "../../../Sources/BoardroomWeb/Client/strokes.js";
import { Tokens } from "../../../Sources/BoardroomWeb/Client/tokens.js";
import { orAborted } from "../../../Sources/BoardroomWeb/Client/waiting.js";
import { Fields } from "../../../Sources/BoardroomWeb/Page/protocol/json.js";
import { EventFold } from "../../../Sources/BoardroomWeb/Page/state/fold/event-fold.js";
import { RULES_OF_FAMILY } from "../../../Sources/BoardroomWeb/Page/state/fold/rules.js";
import { Change, emptyState } from "../../../Sources/BoardroomWeb/Page/state/model.js";

afterEach(() => mock.timers.reset());

/** Lets everything run that waits for nothing but promises. */
const settled = () => new Promise((done) => setImmediate(done));

test("two readers of one iterator each get an event, in their order, and both learn of its end", async () => {
  const emitter = new Emitter();
  const events = iterate(emitter, "magix");
  const both = [events.next(), events.next()];
  emitter.emit("magix", 1);
  await settled();
  emitter.emit("magix", 2);
  assert.deepEqual(
    (await Promise.all(both)).map(({ value }) => value),
    [1, 2],
  );
  const last = [events.next(), events.next()];
  emitter.emit("closed", {});
  assert.deepEqual(
    (await Promise.all(last)).map(({ done }) => done),
    [true, true],
  );
  assert.equal(emitter.has("magix"), false);
  assert.equal(emitter.has("closed"), false);
});

test("a provider that does not answer counts as one that gives none", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const tokens = new Tokens(
    () => new Promise(() => {}),
    () => {},
    5_000,
  );
  const asked = tokens.ask({ reason: "join" });
  mock.timers.tick(5_000);
  await assert.rejects(asked, ({ code, what }) => code === "noToken" && /within 5 s/.test(what));
});

/** A session of which tokens are asked. */
function fakeSession() {
  const given = /** @type {string[]} */ ([]);
  return { given, renewer: null, phase: "reconnecting", setToken: (one) => given.push(one) };
}

test("an answer of a stay that is over is dropped, and the next stay asks again", async () => {
  /** @type {Array<(token: string) => void>} */
  const answers = [];
  const problems = [];
  const tokens = new Tokens(
    () => new Promise((done) => answers.push(done)),
    (error) => problems.push(error),
  );
  const session = fakeSession();
  tokens.serve(session);
  assert.equal(session.renewer({ code: "tokenExpired" }), true);
  assert.equal(session.renewer({ code: "tokenExpired" }), true);
  assert.equal(answers.length, 1);
  tokens.stop();
  assert.equal(session.renewer({ code: "tokenExpired" }), true);
  assert.equal(answers.length, 2);
  answers[0]("old");
  await settled();
  assert.deepEqual(session.given, []);
  answers[1]("new");
  await settled();
  assert.deepEqual(session.given, ["new"]);
  assert.deepEqual(problems, []);
});

test("a window holds a room only while the member is in it, or may come back with the page", async (t) => {
  const held = new Map();
  const count = () => [...held.values()].reduce((sum, all) => sum + all.size, 0);
  globalThis.document = /** @type {any} */ ({});
  globalThis.addEventListener = /** @type {any} */ (
    (name, run, { signal }) => {
      const all = held.get(name) ?? new Set();
      held.set(name, all.add(run));
      signal.addEventListener("abort", () => all.delete(run));
    }
  );
  t.after(() => {
    delete globalThis.document;
    delete globalThis.addEventListener;
  });
  const emitter = new Emitter();
  const room = {
    phase: "connected",
    rejoins: 0,
    on: (name, listener) => emitter.on(name, listener),
    networkBack() {},
    leaveAtOnce() {
      this.phase = "disconnected";
      emitter.emit("closed", { reason: "left" });
    },
    async rejoin() {
      this.rejoins += 1;
      this.phase = "connected";
      emitter.emit("phase", { phase: "connected" });
    },
  };
  const happen = (name, told) => {
    for (const run of [...(held.get(name) ?? [])]) run(told);
  };
  const stop = followPage(/** @type {any} */ (room));
  assert.equal(count(), 3);
  happen("pagehide");
  assert.equal(count(), 3);
  happen("pageshow", { persisted: true });
  assert.equal(room.rejoins, 1);
  assert.equal(count(), 3);
  emitter.emit("closed", { reason: "kicked" });
  assert.equal(count(), 0);
  await room.rejoin();
  assert.equal(count(), 3);
  stop();
  assert.equal(count(), 0);
  assert.equal(emitter.has("phase"), false);
});

test("points that cannot be written leave the stroke as it was", () => {
  const writer = new StrokeWriter(1, 7, {});
  const limit = 65_536;
  const bad = [
    { x: 1, y: 2 },
    { x: 3, y: 4, pressure: 2 },
  ];
  assert.throws(() => writer.write(bad, { ends: false, limit }), /pressure/);
  const [first] = writer.write([{ x: 1, y: 2 }], { ends: true, limit });
  assert.equal(first.begin.scene, 7);
  assert.deepEqual([first.dx, first.dy], [[4], [8]]);
});

/** What a room needs of a session that has not joined. */
const absent = () => ({
  phase: "disconnected",
  member: null,
  left: 0,
  async disconnect() {},
  leaveAtOnce() {
    this.left += 1;
  },
});

test("disconnect ends a join that waits for its token provider, and the room can be joined again", async () => {
  const answers = /** @type {Array<(token: string) => void>} */ ([]);
  const tokens = new Tokens(
    () => new Promise((done) => answers.push(done)),
    () => {},
  );
  const session = absent();
  const joins = /** @type {string[]} */ ([]);
  const { room, inside } = makeRoom({
    uuid: "a",
    async join({ signal }) {
      joins.push(await orAborted(tokens.ask({ reason: "join" }, signal), signal));
    },
    leave: () => session.disconnect(),
  });
  inside.attach({ session, overlay: { onChanged() {} } });
  for (const leave of [() => room.disconnect(), async () => room.leaveAtOnce()]) {
    const ended = assert.rejects(room.rejoin(), { name: "RoomError", code: "notConnected" });
    await settled();
    await assert.rejects(room.rejoin(), { code: "pending" });
    await leave();
    await ended;
  }
  answers[0]("late");
  await settled();
  assert.deepEqual(joins, []);
  const stopping = new AbortController();
  const stopped = assert.rejects(room.rejoin({ signal: stopping.signal }), { name: "AbortError" });
  stopping.abort();
  await stopped;
  const again = room.rejoin();
  await settled();
  answers[answers.length - 1]("new");
  await again;
  assert.deepEqual(joins, ["new"]);
});

test("an event of one member makes one view anew, however many are here", () => {
  const session = { ...absent(), state: emptyState(), member: 7 };
  let made = 0;
  const { room, inside } = makeRoom({ uuid: "a", join: async () => {}, leave: async () => {} });
  inside.attach({ session, overlay: { onChanged() {} } });
  const { changed } = inside.callbacks({ onConnected() {}, onClosed() {} });
  for (let id = 0; id < 1_000; id += 1) {
    const state = new Fields();
    const plain = state.plain.bind(state);
    state.plain = () => {
      made += 1;
      return plain();
    };
    session.state.members.set(id, {
      id,
      role: "writer",
      writable: true,
      state,
      phase: "connected",
    });
  }
  changed(Object.assign(new Change(), { all: true }), null);
  const before = room.members;
  assert.equal(before.length, 1_000);
  assert.equal(made, 1_000);
  /** @type {any[]} */
  const told = [];
  room.on("members", ({ ids }) => told.push(ids));
  for (let time = 0; time < 100; time += 1) {
    const change = new Change();
    change.addField("phase");
    change.addMember(7);
    session.state.members.get(7).phase = "reconnecting";
    changed(change, null);
  }
  assert.equal(made, 1_000, "nobody has read the list");
  assert.deepEqual(told[99], new Set([7]));
  assert.equal(room.me?.isReconnecting, true);
  assert.equal(made, 1_001);
  assert.equal(room.members[6], before[6]);
  assert.notEqual(room.members[7], before[7]);
  assert.equal(room.members, room.members);
  session.state.members.delete(7);
  const gone = new Change();
  gone.addField("roster");
  gone.addMember(7);
  changed(gone, null);
  assert.equal(room.members.length, 999);
  assert.equal(room.me, undefined);
});

/**
 * @param {any} state
 * @param {string} kind
 * @param {number} by
 * @param {any} value
 * @returns {number[]} the members that the event has changed
 */
function folded(state, kind, by, value) {
  const rules = Object.assign({}, ...Object.values(RULES_OF_FAMILY));
  const change = new Change();
  const rec = /** @type {any} */ ({ rev: 1, t: 5, by, n: 1 });
  rules[kind](new EventFold(state, rec, change), value);
  return [...change.members];
}

test("the fold says which members an event has changed", () => {
  const state = emptyState();
  const join = (/** @type {number} */ by) =>
    folded(state, "memberJoined", by, { session: "s", role: "writer", writable: true });
  assert.deepEqual([join(0), join(1), join(2)], [[0], [1], [2]]);
  assert.deepEqual(folded(state, "memberPhase", 1, { phase: "reconnecting", generation: 2 }), [1]);
  assert.deepEqual(folded(state, "memberPhase", 1, { phase: "reconnecting", generation: 2 }), []);
  assert.deepEqual(folded(state, "viewMode", 2, { mode: "broadcaster" }), [0, 1, 2]);
  assert.deepEqual(folded(state, "memberState", 0, { mood: "well" }), [0]);
  assert.deepEqual(folded(state, "handRaised", 0, { raised: true }), [0]);
  assert.deepEqual(folded(state, "memberLeft", 1, { cause: "left" }), [1]);
});
