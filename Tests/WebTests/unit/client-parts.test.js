// Parts of the package boardroom-client that need no server: the iterator of events, the token provider,
// what a page's window holds, and the points of strokes.
import assert from "node:assert/strict";
import { afterEach, mock, test } from "node:test";
import { Emitter, iterate } from "../../../Sources/BoardroomWeb/Client/events.js";
import { followPage } from "../../../Sources/BoardroomWeb/Client/join.js";
import { StrokeWriter } from "../../../Sources/BoardroomWeb/Client/strokes.js";
import { Tokens } from "../../../Sources/BoardroomWeb/Client/tokens.js";

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
