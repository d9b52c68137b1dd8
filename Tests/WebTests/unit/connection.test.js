import assert from "node:assert/strict";
import { test } from "node:test";
import { Connection } from "../../../Sources/BoardroomWeb/Page/protocol/connection.js";
import { virtualClock } from "../kit/clock.js";
import { serverMessage } from "../kit/wire.js";

/**
 * A connection with sockets that do only what a test does, and what it told its owner, and when.
 */
function made({ giveUpAfter = 45_000, chance = 0.5 } = {}) {
  const clock = virtualClock(0);
  /** @type {any[]} */
  const sockets = [];
  /** @type {Array<[number, string]>} */
  const told = [];
  const tell = (/** @type {string} */ what) => void told.push([clock.now(), what]);
  const owner = {
    hello: () => ({ m: "leave" }),
    revision: () => 1,
    handleMessage: () => {},
    onSocketDropped: () => {},
    onOutage: () => tell("outage"),
    onAttempt: () => {
      const waits = connection.isLost ? "lost" : "drop";
      tell(connection.nextAttemptAt === null ? "open" : waits);
    },
    onEnd: (/** @type {any} */ _, /** @type {string} */ why) => tell(why),
  };
  /** @type {Array<[number, number]>} the types of messages, and when they were sent */
  const sent = [];
  const makeSocket = () => {
    const socket = {
      binaryType: "",
      onopen: null,
      onmessage: null,
      onclose: null,
      send: (/** @type {Uint8Array} */ bytes) => void sent.push([clock.now(), bytes[0] ?? 0]),
      close: () => {},
    };
    sockets.push(socket);
    return socket;
  };
  const connection = new Connection(
    { urls: ["ws://room.test/v1/rooms"], clock, giveUpAfter, makeSocket, chance: () => chance },
    owner,
  );
  const socket = () => sockets[sockets.length - 1];
  const says = (/** @type {any} */ message) =>
    socket().onmessage?.({ data: serverMessage(message).slice().buffer });
  return { clock, connection, sockets, told, sent, socket, says, opened: () => sockets.length };
}

/**
 * One that is connected at 0.
 * @param {Parameters<typeof made>[0]} [options]
 */
function connected(options) {
  const all = made(options);
  all.connection.join();
  all.socket().onopen({});
  assert.equal(all.connection.becomeLive(), true);
  all.connection.scheduleTick();
  return all;
}

/**
 * Turns time, with sockets that never open; when the attempts were.
 * @param {ReturnType<typeof made>} all
 */
function alone({ clock, opened, socket }, time = 2_000_000, step = 100) {
  /** @type {number[]} */
  const attempts = [];
  const end = clock.now() + time;
  let before = opened();
  for (; clock.now() < end; before = opened()) {
    clock.advance(step);
    if (opened() === before) continue;
    attempts.push(clock.now());
    socket().onclose?.({});
  }
  return attempts;
}

test("a connection counts as lost 4 s after the last byte, not before", () => {
  const { clock, connection, told, says } = connected();
  clock.advance(3_999);
  says({ m: "live", revision: 1 });
  clock.advance(3_999);
  assert.equal(connection.phase, "connected");
  clock.advance(1);
  assert.deepEqual(told, [[7_999, "outage"]]);
  assert.equal(connection.phase, "reconnecting");
  assert.equal(connection.silentSince, 3_999);
});

test("an outage is tried at 0.5, 1, 2, 4, 8, 8 … s, tells that it is lost after 10 s, and ends after 45 s", () => {
  const all = connected();
  const attempts = alone(all);
  assert.deepEqual(attempts, [4_500, 5_500, 7_500, 11_500, 19_500, 27_500, 35_500, 43_500]);
  assert.equal(all.told.find(([, what]) => what === "lost")?.[0], 10_000);
  assert.deepEqual(all.told.pop(), [49_000, "timeout"]);
  assert.equal(all.connection.phase, "disconnected");
  assert.equal(all.clock.pending(), 0);
});

test("with 20 minutes to give up, trying goes on for 20 minutes", () => {
  const all = connected({ giveUpAfter: 20 * 60_000 });
  assert.ok(alone(all).length > 140);
  assert.deepEqual(all.told.pop(), [4_000 + 20 * 60_000, "timeout"]);
});

test("chance spreads the waits by a fifth, so that members do not come back all at once", () => {
  const waits = [0, 0.5, 1].map((chance) => {
    const { connection, socket } = connected({ chance });
    socket().onclose({});
    return connection.nextAttemptAt;
  });
  assert.deepEqual(waits, [400, 500, 600]);
});

test("TL-25: each outage has its full 45 s", () => {
  const all = connected();
  const { clock, connection, socket } = all;
  clock.advance(1_000);
  socket().onclose({});
  clock.advance(500);
  socket().onopen({});
  assert.equal(connection.becomeLive(), true);
  clock.advance(1_000);
  socket().onclose({});
  alone(all);
  assert.deepEqual(all.told.pop(), [2_500 + 45_000, "timeout"]);
});

test("an attempt that is silent for 4 s is given up, and the next one comes", () => {
  const { clock, socket, opened, told } = connected();
  socket().onclose({});
  clock.advance(500);
  assert.equal(opened(), 2);
  clock.advance(100);
  socket().onopen({});
  clock.advance(4_000);
  assert.deepEqual(told.pop(), [4_600, "drop"]);
  clock.advance(1_000);
  assert.equal(opened(), 3);
});

test("PIPE-13: chance puts the first attempt of who was sent off anywhere into 0.1 s", () => {
  const waits = [0.25, 0.5, 1].map((chance) => {
    const { connection, says } = connected({ chance });
    says({ m: "farewell", code: "goingAway", kick: "GatewayAdjust", comeBack: true });
    return connection.nextAttemptAt;
  });
  assert.deepEqual(waits, [25, 50, 100]);
});

test("TL-26: a farewell that does not ask us back is the end, another one is a lost connection", () => {
  const kicked = connected();
  kicked.says({ m: "farewell", code: "kicked", comeBack: false });
  assert.deepEqual(kicked.told, [[0, "refused"]]);
  assert.equal(kicked.connection.phase, "disconnected");
  const going = connected();
  going.says({ m: "farewell", code: "goingAway", comeBack: true });
  assert.deepEqual(going.told, [[0, "outage"]]);
});

test("what an older socket says or does is ignored", () => {
  const { clock, sockets, socket } = connected();
  socket().onclose({});
  clock.advance(500);
  assert.equal(sockets.length, 2);
  assert.deepEqual(
    [sockets[0].onopen, sockets[0].onmessage, sockets[0].onclose],
    [null, null, null],
  );
});

test("the first entry is tried again, and ends after its limit", () => {
  const all = made();
  all.connection.join();
  all.socket().onclose({});
  assert.deepEqual(alone(all).slice(0, 3), [500, 1_500, 3_500]);
  assert.deepEqual(all.told, [[45_000, "timeout"]]);
});

test("leaving is immediate while trying, and waits 4 s for the farewell while connected", () => {
  const { clock, connection, told } = connected();
  clock.advance(100);
  assert.equal(connection.leave(), true);
  assert.equal(connection.phase, "disconnecting");
  clock.advance(4_000);
  assert.deepEqual(told, [[4_100, "left"]]);
  const trying = connected();
  trying.socket().onclose({});
  assert.equal(trying.connection.leave(), false);
  assert.deepEqual(trying.told, [
    [0, "outage"],
    [0, "left"],
  ]);
});

test("when there is a network again it is tried at once", () => {
  const { connection, socket, opened } = connected();
  connection.networkBack();
  assert.equal(opened(), 1);
  socket().onclose({});
  connection.networkBack();
  assert.equal(opened(), 2);
});

test("a virtual clock runs what is due in its order, and nothing that was called off", () => {
  const clock = virtualClock(100);
  /** @type {string[]} */
  const ran = [];
  clock.after(20, () => ran.push(`second at ${clock.now()}`));
  clock.after(10, () => clock.after(5, () => ran.push(`inner at ${clock.now()}`)));
  clock.after(15, () => ran.push("never"))();
  clock.frame((now) => ran.push(`frame at ${now}`));
  clock.advance(19);
  assert.deepEqual(ran, ["inner at 115", "frame at 116"]);
  clock.advance(1);
  assert.deepEqual(ran.slice(2), ["second at 120"]);
  assert.equal(clock.pending(), 0);
});

test("PAGE-11: silence and heartbeats are those of the welcome, for later connections too", () => {
  const { clock, connection, told, says, socket } = connected();
  const welcome = { m: "welcome", heartbeatMs: 5_000, suspectMs: 12_000 };
  says(welcome);
  clock.advance(11_999);
  assert.deepEqual([told, connection.phase], [[], "connected"]);
  clock.advance(1);
  assert.deepEqual(told[0], [12_000, "outage"]);
  clock.advance(500);
  socket().onopen({});
  clock.advance(11_999);
  assert.equal(told.filter(([, what]) => what === "drop").length, 0);
  clock.advance(1);
  assert.ok(told.some(([at]) => at === 24_500));
});

/** One that has its welcome, and whose room is quiet since 1 s. */
function quiet() {
  const all = connected();
  all.says({ m: "welcome", heartbeatMs: 1_000, suspectMs: 4_000 });
  all.clock.advance(1_000);
  all.sent.length = 0;
  all.says({ m: "quiet", revision: 1, time: 0, ms: 10_000 });
  return all;
}

test("WIRE-20: in a quiet room a heartbeat goes out every ten seconds, behind the server's", () => {
  const { clock, connection, sent, says } = quiet();
  for (let beat = 0; beat < 5; beat += 1) {
    clock.advance(10_000);
    says({ m: "quiet", revision: 1, time: 0, ms: 10_000 });
  }
  const times = [1_000, 11_000, 21_000, 31_000, 41_000, 51_000];
  assert.deepEqual(
    sent,
    times.map((at) => [at, 7]),
  );
  assert.equal(connection.phase, "connected");
});

test("WIRE-20: a server that announced its silence counts as lost 4 s after it", () => {
  const { clock, told } = quiet();
  clock.advance(13_999);
  assert.deepEqual(told, []);
  clock.advance(1);
  assert.deepEqual(told[0], [15_000, "outage"]);
});

test("X-1, WIRE-20: whoever says something in a quiet room waits 4 s for the server", () => {
  const { clock, connection, told } = quiet();
  clock.advance(3_000);
  connection.write({ m: "commands", commands: [] });
  connection.scheduleTick();
  clock.advance(4_000);
  assert.deepEqual(told[0], [8_000, "outage"]);
});

test("WIRE-20: whoever says something else announces no silence before the server says anew that it is quiet", () => {
  const { clock, connection, sent, says } = quiet();
  clock.advance(3_000);
  sent.length = 0;
  connection.write({ m: "commands", commands: [] });
  connection.scheduleTick();
  clock.advance(2_000);
  assert.deepEqual(sent, [
    [4_000, 2],
    [5_000, 3],
    [6_000, 3],
  ]);
  says({ m: "quiet", revision: 1, time: 0, ms: 10_000 });
  clock.advance(9_999);
  assert.deepEqual(sent.slice(3), [[6_000, 7]]);
});

test("WIRE-20: whatever else the server says ends the quiet on both sides", () => {
  const { clock, sent, says, told } = quiet();
  clock.advance(2_000);
  sent.length = 0;
  says({ m: "live", revision: 1 });
  clock.advance(1_000);
  assert.deepEqual(sent, [[4_000, 3]]);
  clock.advance(3_000);
  assert.deepEqual(told[0], [7_000, "outage"]);
});

test("PAGE-6: a page that goes is out at once, and what slept finds out as soon as it is awake", () => {
  const { connection, told } = connected();
  connection.leaveAtOnce();
  assert.deepEqual([told, connection.phase], [[[0, "left"]], "disconnected"]);
  connection.join();
  assert.equal(connection.phase, "connecting");
  const asleep = connected();
  // A clock that went on while no timer ran.
  asleep.clock.now = () => 60_000;
  asleep.connection.networkBack();
  assert.deepEqual([asleep.connection.phase, asleep.opened()], ["reconnecting", 2]);
});
