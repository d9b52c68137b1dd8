import assert from "node:assert/strict";
import { test } from "node:test";
import { screenOf } from "../../../Sources/BoardroomWeb/Page/state/roomstate.js";
import { FakeServer, limits, turn } from "../kit/fake-server.js";

const room = "b".repeat(32);

/**
 * Somebody in a room.
 * @param {object} [options]
 */
async function inside(options) {
  const server = new FakeServer();
  const session = server.session(options);
  const joined = session.join({
    room,
    token: "secret",
    uid: "ana",
    callbacks: server.callbacks(),
    undoScenes: 0,
  });
  server.admit();
  assert.deepEqual(await joined, { member: 0 });
  server.told.length = 0;
  return { server, session };
}

test("P-5, CB-10: a join says hello, and is connected when all that was missed is here", async () => {
  const server = new FakeServer();
  const session = server.session();
  const joined = session.join({
    room,
    token: "secret",
    uid: "ana",
    payload: { name: "Ana" },
    callbacks: server.callbacks(),
  });
  assert.equal(session.phase, "connecting");
  assert.deepEqual(server.heard, []);
  server.admit();
  assert.deepEqual(await joined, { member: 0 });
  const { m, token, uid, payload, acceptsBlocks, session: resumed } = server.heard[0];
  assert.deepEqual(
    { m, token, uid, payload, acceptsBlocks, resumed },
    {
      m: "hello",
      token: "secret",
      uid: "ana",
      payload: { name: "Ana" },
      acceptsBlocks: true,
      resumed: undefined,
    },
  );
  assert.deepEqual(server.phases, ["connecting", "connected"]);
  assert.equal(session.writable, true);
  assert.deepEqual(session.limits, limits);
  assert.deepEqual(
    server.heard.slice(1).map(({ kind, n }) => [kind, n]),
    [["historySet", 1]],
  );
});

/** A spectator in a room with one member. */
async function spectating() {
  const server = new FakeServer();
  const session = server.session();
  const joined = session.join({ room, callbacks: server.callbacks() });
  assert.equal(session.isSpectator, false);
  server.open();
  const member = 2 ** 52 + 3;
  server.welcome({ revision: 2, member, ticket: "", writable: false });
  server.happens(
    { kind: "roomCreated", body: { name: "", limit: 0, isRecord: true } },
    {
      by: 0,
      kind: "memberJoined",
      body: { session: "a".repeat(32), role: "writer", writable: true },
    },
  );
  server.say({ m: "live", revision: server.revision });
  assert.deepEqual(await joined, { member });
  return { server, session, member };
}

test("SPECT-1: a spectator has no place among the members, only reads, and follows who presents", async () => {
  const { server, session, member } = await spectating();
  assert.equal(server.heard[0].acceptsSpectating, true);
  assert.equal(session.isSpectator, true);
  assert.equal(session.writable, false);
  assert.deepEqual([session.me?.id, session.me?.role], [member, "reader"]);
  assert.deepEqual([...session.state.members.keys()], [0]);
  assert.equal(session.me?.viewMode, "freedom");
  server.happens({ by: 0, kind: "viewMode", body: { mode: "broadcaster" } });
  assert.equal(session.me?.viewMode, "follower");
});

test("SPECT-1: a spectator stops following and follows again by itself", async () => {
  const { server, session } = await spectating();
  const presents = (/** @type {string} */ mode) =>
    server.happens({ by: 0, kind: "viewMode", body: { mode } });
  const scenes = [{ id: 2, name: "page-2" }];
  server.happens({ by: 0, kind: "scenesPut", body: { directory: "/", index: 1, scenes } });
  presents("broadcaster");
  server.told.length = 0;
  await session.send("viewMode", { mode: "freedom" });
  assert.equal(session.me?.viewMode, "freedom");
  const told = server.told.map(([name, parts]) => [name, parts?.broadcastState?.mode]);
  assert.deepEqual(told, [["fireRoomStateChanged", "freedom"]]);
  server.happens({ by: 0, kind: "sceneSwitched", body: { scene: 2 } });
  assert.equal(session.scene, 1, "it stays where it is");
  await session.send("viewMode", { mode: "follower" });
  assert.deepEqual([session.me?.viewMode, session.scene], ["follower", 2]);
  await session.send("viewMode", { mode: "freedom" });
  presents("broadcaster");
  assert.equal(session.me?.viewMode, "follower", "who begins to present is followed by all");
  presents("freedom");
  assert.equal(session.me?.viewMode, "freedom");
  await turn();
  assert.deepEqual(
    server.heard.filter(({ m }) => m === "command"),
    [],
  );
});

test("SPECT-1: a spectator sends nothing by itself that would be refused, also after an outage", async () => {
  const { server, session, member } = await spectating();
  server.happens({ by: 0, kind: "viewMode", body: { mode: "broadcaster" } });
  await session.send("viewMode", { mode: "freedom" });
  server.cut();
  assert.equal(session.phase, "reconnecting");
  server.clock.advance(500);
  server.open();
  server.welcome({ revision: 3, member, ticket: "", writable: false, session: "b".repeat(32) });
  server.say({ m: "live", revision: 3 });
  assert.equal(session.phase, "connected");
  assert.equal(session.me?.viewMode, "freedom", "it has not stopped in vain");
  await turn();
  assert.deepEqual(
    server.heard.filter(({ m }) => m === "command"),
    [],
  );
});

test("P-11: a second join while one is under way is refused as pending", async () => {
  const server = new FakeServer();
  const session = server.session();
  const first = session.join({ room, callbacks: {} });
  await assert.rejects(session.join({ room }), { code: "pending" });
  server.admit();
  await first;
});

test("a command is done when the log has it, one with a receipt alone when its events are here", async () => {
  const { server, session } = await inside();
  const sent = session.send("globalState", { a: 1 });
  await turn();
  assert.deepEqual(
    session.pending.map(({ n, name }) => [n, name]),
    [[1, "globalState"]],
  );
  server.happens({ by: 0, n: 1, kind: "globalState", body: { a: 1 } });
  assert.deepEqual(await sent, { revision: 3 });
  const held = session.send("pointer", { scene: 1, unit: 0, x: 1, y: 1 });
  server.say({ m: "receipts", receipts: [[2, 4]] });
  assert.equal(session.pending.length, 1);
  server.happens({ kind: "roomBanned", body: { banned: false } });
  assert.deepEqual(await held, { revision: 4 });
});

test("what is refused rejects with code, cause and cure, and the page is told", async () => {
  const { server, session } = await inside();
  const sent = session.send("sceneSwitched", { path: "/none" });
  await turn();
  server.happens({ by: 0, n: 1, kind: "refused", body: { kind: 27, code: "noSuchScene" } });
  server.say({
    m: "refused",
    counter: 1,
    revision: 3,
    code: "noSuchScene",
    cause: "Why.",
    cure: "What.",
  });
  await assert.rejects(sent, { code: "noSuchScene", cause: "Why.", cure: "What." });
  assert.deepEqual(
    server.told.map(([name, command]) => [name, command.name]),
    [["refused", "sceneSwitched"]],
  );
});

test("many commands at once go out in messages of half the limit at most, in their order", async () => {
  const { server, session } = await inside();
  /** @type {number[]} */
  const sizes = [];
  const send = server.socket.send.bind(server.socket);
  server.socket.send = (bytes) => {
    sizes.push(bytes.length);
    send(bytes);
  };
  for (let n = 0; n < 100; n++) {
    session.send("magix", { event: "x", payload: "y".repeat(5_000) });
  }
  await turn();
  assert.ok(
    sizes.length >= 4 && sizes.every((size) => size <= limits.message / 2 + 1),
    String(sizes),
  );
  const counters = server.heard.filter(({ m }) => m === "command").map(({ n }) => n);
  assert.deepEqual(
    counters,
    Array.from({ length: 100 }, (_, place) => place + 1),
  );
});

/** @param {FakeServer} server */
const countersOf = (server) =>
  server.heard.filter(({ m }) => m === "command").map(({ n, kind }) => [n, kind]);

test("a command that waits in an outage can be taken back, and leaves no gap; one that was sent cannot", async () => {
  const { server, session } = await inside();
  const first = session.send("globalState", { a: 1 });
  await turn();
  server.cut();
  const [sent] = session.pending;
  assert.equal(session.withdraw(sent), false);
  const dropped = session.send("magix", { event: "dropped" });
  session.send("memberState", { b: 2 });
  assert.equal(session.withdraw(session.pending[1]), true);
  assert.deepEqual(
    session.pending.map(({ n, name }) => [n, name]),
    [
      [1, "globalState"],
      [2, "memberState"],
    ],
  );
  server.clock.advance(1_000);
  server.heard.length = 0;
  server.open();
  server.welcome({ resumed: true, generation: 2 });
  server.say({ m: "live", revision: server.revision });
  assert.deepEqual(countersOf(server).slice(0, 2), [
    [1, "globalState"],
    [2, "memberState"],
  ]);
  server.happens({ by: 0, n: 1, kind: "globalState", body: { a: 1 } });
  assert.deepEqual(await first, { revision: 3 });
  let isOver = false;
  dropped.finally(() => {
    isOver = true;
  });
  await turn();
  assert.equal(isOver, false, "who took it back has been told already");
});

test("a refused token is replaced and the stay goes on, if somebody brings another one", async () => {
  const { server, session } = await inside();
  /** @type {string[]} */
  const asked = [];
  session.renewer = ({ code }) => asked.push(code) < 3;
  server.cut();
  server.clock.advance(1_000);
  server.open();
  const refusal = {
    m: "farewell",
    code: "tokenExpired",
    cause: "Old.",
    cure: "Ask.",
    comeBack: false,
  };
  server.say(refusal);
  assert.deepEqual([session.phase, asked], ["reconnecting", ["tokenExpired"]]);
  session.setToken("another");
  server.heard.length = 0;
  server.open();
  assert.deepEqual([server.heard[0].token, server.heard[0].ticket], ["another", "t1"]);
  server.welcome({ resumed: true, generation: 2 });
  server.say({ m: "live", revision: server.revision });
  assert.equal(session.phase, "connected");
  session.setToken("for later");
  assert.equal(session.phase, "connected", "a token that comes early changes nothing now");
  for (const _ of [2, 3]) {
    server.cut();
    session.networkBack();
    server.open();
    server.say(refusal);
  }
  assert.deepEqual([session.phase, asked.length], ["disconnected", 3]);
});

test("P-12: out of a room nothing is sent", async () => {
  const server = new FakeServer();
  await assert.rejects(server.session().send("magix", { event: "x" }), { code: "notConnected" });
});

test("a command larger than a message may be is refused here, and leaves no gap in the counters", async () => {
  const { server, session } = await inside();
  await assert.rejects(session.send("magix", { event: "x", payload: "y".repeat(limits.message) }), {
    code: "tooLarge",
    limit: "limits.message",
    allowed: limits.message - 16,
  });
  session.send("magix", { event: "x" });
  await turn();
  assert.deepEqual(
    server.heard.filter(({ m }) => m === "command").map(({ n }) => n),
    [1],
  );
});

test("after a cut the session resumes with ticket, generation and cursor, and sends again what was not decided", async () => {
  const { server, session } = await inside();
  const first = session.send("magix", { event: "1" });
  const second = session.send("magix", { event: "2" });
  await turn();
  server.cut();
  assert.equal(session.phase, "reconnecting");
  assert.equal(session.writable, false);
  const third = session.send("magix", { event: "3" });
  server.clock.advance(500);
  server.heard.length = 0;
  server.open();
  const { session: name, generation, ticket, epoch, revision } = server.heard[0];
  assert.deepEqual(
    [name, generation, ticket, epoch, revision],
    ["a".repeat(32), 1, "t1", "1122334455667788", 2],
  );
  server.welcome({ resumed: true, generation: 2, ticket: "t2", revision: 3, lastCounter: 1 });
  server.happens({ by: 0, n: 1, kind: "magix", body: { event: "1" } });
  server.say({ m: "live", revision: 3 });
  await first;
  assert.deepEqual(
    server.heard.slice(1).map(({ kind, n }) => [kind, n]),
    [
      ["magix", 2],
      ["magix", 3],
      ["clientPhases", 4],
    ],
  );
  server.happens(
    { by: 0, n: 2, kind: "magix", body: { event: "2" } },
    { by: 0, n: 3, kind: "magix", body: { event: "3" } },
  );
  await Promise.all([second, third]);
  assert.deepEqual(server.phases, ["reconnecting", "connected"]);
  const events = server.told
    .filter(([told]) => told === "fireMagixEvent")
    .map(([, { event, isLate }]) => [event, isLate]);
  assert.deepEqual(events, [
    ["1", true],
    ["2", false],
    ["3", false],
  ]);
});

test("a session that is gone begins anew: what waited is not carried out", async () => {
  const { server, session } = await inside();
  const sent = session.send("magix", { event: "1" });
  await turn();
  server.cut();
  server.clock.advance(500);
  server.open();
  server.welcome({ member: 7, session: "c".repeat(32), revision: 4 });
  server.happens(
    { by: 0, kind: "memberLeft", body: { cause: "timeout" } },
    {
      by: 7,
      kind: "memberJoined",
      body: { session: "c".repeat(32), role: "writer", writable: true },
    },
  );
  server.say({ m: "live", revision: 4 });
  await assert.rejects(sent, { code: "notCarriedOut" });
  assert.equal(session.member, 7);
  assert.equal(session.nextElement(), "7.1");
  const again = session.send("magix", { event: "2" });
  await turn();
  assert.equal(server.heard.filter(({ m }) => m === "command").pop().n, 2);
  server.happens({ by: 7, n: 2, kind: "magix", body: { event: "2" } });
  await again;
});

test("outOfOrder after a restart: what waits takes the counters that the server expects", async () => {
  const { server, session } = await inside();
  for (let n = 1; n <= 5; n++) {
    session.send("magix", { event: String(n) }).catch(() => {});
  }
  await turn();
  for (let n = 1; n <= 5; n++) {
    server.happens({ by: 0, n, kind: "magix", body: { event: String(n) } });
  }
  const sent = [session.send("magix", { event: "6" }), session.send("magix", { event: "7" })];
  await turn();
  server.heard.length = 0;
  const refusal = {
    m: "refused",
    revision: 7,
    code: "outOfOrder",
    cause: "",
    cure: "",
    actual: 6,
    allowed: 4,
  };
  server.say({ ...refusal, counter: 6 }, { ...refusal, counter: 7 });
  assert.deepEqual(
    server.heard.map(({ n }) => n),
    [4, 5],
  );
  server.happens(
    { by: 0, n: 4, kind: "magix", body: { event: "6" } },
    { by: 0, n: 5, kind: "magix", body: { event: "7" } },
  );
  await Promise.all(sent);
});

test("IDEM-7: what waits under a lower counter than the server expects is decided, and not sent again", async () => {
  const { server, session } = await inside();
  const [first, second, third] = [1, 2, 3].map((n) => session.send("magix", { event: `${n}` }));
  await turn();
  // The second leaves no event: a server that was restarted does not know of it.
  server.say({ m: "receipts", receipts: [[2, session.state.revision]] });
  await second;
  server.heard.length = 0;
  const refusal = {
    m: "refused",
    revision: 2,
    code: "outOfOrder",
    cause: "",
    cure: "",
    allowed: 2,
  };
  server.say({ ...refusal, counter: 3, actual: 3 });
  assert.deepEqual(
    server.heard.map(({ n, payload }) => [n, new TextDecoder().decode(payload)]),
    [[2, '{"event":"3"}']],
  );
  const fourth = session.send("magix", { event: "4" });
  server.say({ ...refusal, counter: 4, actual: 4 });
  await turn();
  assert.deepEqual(
    server.heard.slice(1).map(({ n }) => n),
    [3],
    "a repeated refusal drops nothing that is on its way out",
  );
  for (const [n, event] of ["1", "3", "4"].entries()) {
    server.happens({ by: 0, n: n + 1, kind: "magix", body: { event } });
  }
  const revisions = (await Promise.all([first, third, fourth])).map(({ revision }) => revision);
  assert.deepEqual(revisions, [revisions[0], revisions[0] + 1, revisions[0] + 2]);
});

test("TL-26, CB-15: a kick is told with its reason before the phase, and nothing comes back by itself", async () => {
  const { server, session } = await inside();
  const sent = session.send("magix", { event: "x" });
  await turn();
  server.say({
    m: "farewell",
    code: "kicked",
    cause: "",
    cure: "",
    comeBack: false,
    kick: "kickByAdmin",
  });
  await assert.rejects(sent, { code: "kicked" });
  assert.deepEqual(
    server.told.filter(([name]) => name !== "refused").map(([name, what]) => [name, what]),
    [
      ["fireKickedWithReason", "kickByAdmin"],
      ["firePhaseChanged", "disconnected"],
      ["fireBeingAbleToCommitChange", false],
    ],
  );
  server.clock.advance(3_600_000);
  assert.equal(server.sockets.length, 1);
});

test("CB-14: giving up is told after the phase, with an error", async () => {
  const { server, session } = await inside();
  server.clock.advance(4_000);
  for (let second = 0; second < 60; second++) {
    if (session.phase === "reconnecting" && !server.socket.isClosed) server.cut();
    server.clock.advance(1_000);
  }
  assert.equal(session.phase, "disconnected");
  const last = server.told.filter(([name]) => name.startsWith("fire")).slice(-2);
  assert.deepEqual(
    last.map(([name]) => name),
    ["firePhaseChanged", "fireDisconnectWithError"],
  );
  assert.equal(last[1][1].code, "timeout");
});

test("a banner can count: attempts, when the next one is due, and that nothing was heard for 10 s", async () => {
  const { server } = await inside({ giveUpAfter: 20 * 60_000 });
  const start = server.clock.now();
  server.clock.advance(4_000);
  const [, , outage] = server.told.find(([name]) => name === "firePhaseChanged") ?? [];
  assert.deepEqual(outage, {
    attempt: 0,
    nextAttemptAt: start + 4_500,
    silentSince: start,
    isLost: false,
  });
  server.clock.advance(6_000);
  const [, latest] = server.told.filter(([name]) => name === "attempting").pop() ?? [];
  assert.equal(latest.isLost, true);
  assert.equal(latest.attempt, 2);
});

test("both sides say something every second, also a page whose timers sleep", async () => {
  const { server } = await inside();
  server.heard.length = 0;
  server.clock.advance(999);
  assert.equal(server.heard.length, 0);
  server.clock.advance(1);
  assert.deepEqual(server.heard, [{ m: "heartbeat", revision: 2 }]);
});

test("CB-2: a join without callbacks keeps those of the join before", async () => {
  const { server, session } = await inside();
  const left = session.disconnect();
  assert.deepEqual(server.heard.pop(), { m: "leave" });
  server.say({ m: "farewell", code: "notMember", cause: "", cure: "", comeBack: false });
  await left;
  assert.deepEqual(server.phases, ["disconnecting", "disconnected"]);
  const joined = session.join({ room, undoScenes: 0 });
  server.open();
  server.welcome({ member: 1, session: "d".repeat(32), revision: 3 });
  server.happens({
    by: 1,
    kind: "memberJoined",
    body: { session: "d".repeat(32), role: "writer", writable: true },
  });
  server.say({ m: "live", revision: 3 });
  await joined;
  assert.deepEqual(server.phases.slice(2), ["connecting", "connected"]);
});

test("CB-11, CB-12: others' changes are told, own ones only where they echo; nothing changed is nothing told", async () => {
  const { server, session } = await inside();
  session.send("globalState", { own: 1 });
  session.send("sceneSwitched", { index: 0 });
  await turn();
  server.happens({ by: 0, n: 1, kind: "globalState", body: { own: 1 } });
  server.happens({ kind: "globalState", body: { theirs: 1 } });
  server.happens({ kind: "globalState", body: { theirs: 1 } });
  server.happens({
    by: 0,
    n: 2,
    kind: "scenesPut",
    body: { directory: "/", index: 1, scenes: [{ id: 2, name: "two" }] },
  });
  const told = server.told
    .filter(([name]) => name === "fireRoomStateChanged")
    .map(([, state]) => state);
  assert.deepEqual(
    told.map((state) => Object.keys(state)),
    [["globalState"], ["sceneState", "pageState"]],
  );
  assert.deepEqual(told[0].globalState, { own: 1, theirs: 1 });
  assert.deepEqual(told[1].pageState, { index: 0, length: 2 });
});

test("CB-13, CB-16: being able to write and what does not fit are told, with the member it came from", async () => {
  const { server } = await inside();
  server.happens({ by: 0, kind: "memberWritable", body: { writable: false } });
  server.happens({ by: 5, kind: "memberLeft", body: { cause: "left" } });
  assert.deepEqual(
    server.told.map(([name, what]) => [name, what]),
    [
      ["fireBeingAbleToCommitChange", false],
      ["fireCatchErrorWhenAppendFrame", 5],
    ],
  );
});

test("TL-22: a whole catch-up is one state patch, after the phase", async () => {
  const { server, session } = await inside();
  server.cut();
  server.clock.advance(500);
  server.open();
  server.welcome({ resumed: true, generation: 2, revision: 5 });
  for (let n = 0; n < 3; n++) {
    server.happens({ kind: "globalState", body: { n } });
  }
  server.say({ m: "live", revision: 5 });
  const told = server.told.filter(([name]) =>
    ["firePhaseChanged", "fireRoomStateChanged"].includes(name),
  );
  assert.deepEqual(
    told.map(([name]) => name),
    ["firePhaseChanged", "firePhaseChanged", "fireRoomStateChanged"],
  );
  assert.deepEqual(told[2][1], { globalState: { n: 2 } });
  assert.deepEqual(session.roomState.globalState, { n: 2 });
});

test("events that leave a gap, or a live before all is here, are not believed: the page comes back for the rest", async () => {
  const { server, session } = await inside();
  server.revision += 3;
  server.happens({ kind: "globalState", body: { n: 1 } });
  assert.equal(session.phase, "reconnecting");
  assert.equal(session.state.revision, 2);
  server.clock.advance(500);
  server.open();
  server.welcome({ resumed: true, revision: 9 });
  server.say({ m: "live", revision: 9 });
  assert.equal(session.phase, "reconnecting");
});

test("bytes that are not the protocol end the stay as malformed, and are not asked for again", async () => {
  const { server, session } = await inside();
  server.socket.onmessage?.({ data: new Uint8Array([66, 1]).buffer });
  assert.equal(session.phase, "disconnected");
  assert.equal(
    server.told.find(([name]) => name === "fireDisconnectWithError")?.[1].code,
    "malformed",
  );
});

test("a refused join rejects with what the server said, and tells no kick", async () => {
  const server = new FakeServer();
  const session = server.session();
  const joined = session.join({ room, callbacks: server.callbacks() });
  server.open();
  server.say({ m: "farewell", code: "tokenInvalid", cause: "No.", cure: "Ask.", comeBack: false });
  await assert.rejects(joined, { code: "tokenInvalid", cure: "Ask." });
  assert.deepEqual(server.phases, ["connecting", "disconnected"]);
  assert.deepEqual(
    server.told.filter(([name]) => name !== "firePhaseChanged"),
    [],
  );
});

test("PAGE-3: a scene is looked at alone until somebody switches it for everybody; a presenter takes followers along", async () => {
  const { server, session } = await inside();
  const joins = (/** @type {number} */ by) => ({
    by,
    kind: "memberJoined",
    body: { session: String(by).repeat(32), role: "writer", writable: true },
  });
  const scenes = [2, 3].map((id) => ({ id, name: `page-${id}` }));
  server.happens(joins(1), joins(2), {
    by: 1,
    kind: "scenesPut",
    body: { directory: "/", index: 1, scenes },
  });
  const switched = (/** @type {number} */ by, /** @type {number} */ scene) =>
    server.happens({ by, kind: "sceneSwitched", body: { scene } });
  const mode = (/** @type {number} */ by, /** @type {string} */ name) =>
    server.happens({ by, kind: "viewMode", body: { mode: name } });
  assert.equal(session.scene, 1);
  session.lookAt(2);
  assert.deepEqual([session.scene, session.state.currentScene], [2, 1]);
  switched(1, 1);
  assert.equal(
    session.scene,
    1,
    "everybody is brought, also to the scene that is the room's already",
  );
  session.lookAt(3);
  mode(1, "broadcaster");
  assert.equal(session.scene, 1, "a follower sees what the presenter sees");
  switched(1, 2);
  assert.equal(session.scene, 2);
  mode(0, "freedom");
  switched(1, 3);
  assert.deepEqual([session.scene, session.state.currentScene], [2, 3], "whoever stopped stays");
  switched(2, 1);
  assert.equal(session.scene, 1, "who does not present brings everybody");
  session.lookAt(2);
  server.happens({ by: 1, kind: "scenesRemoved", body: { scenes: [2], current: 1 } });
  assert.equal(session.scene, 1, "a scene that is gone is looked at by nobody");
  server.happens({ by: 1, kind: "memberState", body: { scene: 3, screen: { width: 9 } } });
  mode(0, "follower");
  assert.equal(session.scene, 3, "also where the presenter looks at another scene than the room's");
  server.happens({ by: 1, kind: "memberState", body: { scene: "3" } });
  assert.equal(session.scene, 1, "what is no scene is not believed");
});

test("the screen of another member is used within its bounds only", async () => {
  const { server, session } = await inside();
  const says = (/** @type {any} */ screen) => {
    server.happens({ by: 0, kind: "memberState", body: { screen } });
    return screenOf(session.state, 0);
  };
  assert.deepEqual(says({ width: 390.5, height: 844, more: 1 }), { width: 390.5, height: 844 });
  for (const bad of [null, 7, "x", [], { width: 390 }, { width: 0, height: 9 }]) {
    assert.equal(says(bad), undefined, JSON.stringify(bad));
  }
  assert.equal(says({ width: "390", height: "844" }), undefined);
  assert.equal(says({ width: 1e9, height: 844 }), undefined);
});
