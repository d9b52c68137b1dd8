// Several addresses of one server: which lists can be used, which address is tried when, and what a
// server may name. The vectors are those of the Swift SDK (ServerListTests.swift).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { joinRoom } from "../../../Sources/BoardroomWeb/Client/join.js";
import { Connection } from "../../../Sources/BoardroomWeb/Page/protocol/connection.js";
import {
  MOST_SERVERS,
  originsOf,
  ServerTurn,
} from "../../../Sources/BoardroomWeb/Page/protocol/servers.js";
import { virtualClock } from "../kit/clock.js";
import { FakeServer, turn } from "../kit/fake-server.js";
import { serverMessage } from "../kit/wire.js";

const read = (/** @type {string} */ name) =>
  JSON.parse(
    readFileSync(new URL(`../../Golden/v1/connection/${name}.json`, import.meta.url), "utf8"),
  );

/** @type {{orders: any[], walks: any[]}} */
const vectors = read("servers");

/** @type {{walks: any[]}} */
const sentOff = read("sent-off");

/** @type {{lists: {servers: string[], isTaken: boolean}[], walks: any[]}} */
const spellings = read("spellings");

/** @param {number[]} chances one after the other, and then the last */
const said = (chances, last = 0.5) => {
  const left = [...chances];
  return () => left.shift() ?? last;
};

test("ADDR-2: chance makes the order, as the vectors have it", () => {
  assert.ok(vectors.orders.length > 10);
  for (const { count, chances, order } of vectors.orders) {
    const servers = new ServerTurn(count, said(chances));
    const taken = Array.from({ length: count }, () => {
      const { current } = servers;
      servers.advance();
      return current;
    });
    assert.deepEqual([taken, servers.current], [order, order[0]]);
  }
});

test("ADDR-2: of clients that lose one server together, each other one gets the same part", () => {
  const parts = Array.from({ length: 6 }, (_, part) => (part + 0.5) / 6);
  /** @type {Map<string, number>} */
  const next = new Map();
  for (const first of parts) {
    for (const second of parts) {
      const servers = new ServerTurn(3, said([first, second]));
      for (let times = 0; times < 3; times += 1) {
        const lost = servers.current;
        servers.advance();
        const way = `${lost} to ${servers.current}`;
        next.set(way, (next.get(way) ?? 0) + 1);
      }
    }
  }
  assert.deepEqual([...next.keys()].sort(), [
    "0 to 1",
    "0 to 2",
    "1 to 0",
    "1 to 2",
    "2 to 0",
    "2 to 1",
  ]);
  assert.deepEqual([...new Set(next.values())], [18]);
});

/**
 * A connection that a vector drives.
 * @param {any} walk
 */
function walked({ servers, chances, steps }) {
  const clock = virtualClock(0);
  /** @type {any[]} */
  const sockets = [];
  /** @type {number[][]} */
  const attempts = [];
  /** @type {boolean[]} */
  const follows = [];
  const urls = originsOf(servers);
  const owner = {
    hello() {
      follows.push(connection.followsAddress);
      return { m: "leave" };
    },
    revision: () => 1,
    handleMessage: () => {},
    onSocketDropped: () => {},
    onOutage: () => {},
    onAttempt: () => {},
    onEnd: () => {},
    renews: () => true,
  };
  const makeSocket = (/** @type {string} */ url) => {
    attempts.push([clock.now(), urls.indexOf(url)]);
    sockets.push({ binaryType: "", send: () => {}, close: () => {} });
    return sockets[sockets.length - 1];
  };
  const connection = new Connection({ urls, clock, makeSocket, chance: said(chances) }, owner);
  const socket = () => sockets[sockets.length - 1];
  const acts = {
    join: () => connection.join(),
    open: () => socket().onopen({}),
    live() {
      connection.becomeLive();
      connection.scheduleTick();
    },
    close: () => socket().onclose?.({}),
    farewell(/** @type {any} */ { address, kick }) {
      const words = { m: "farewell", code: "goingAway", comeBack: true, address, kick };
      socket().onmessage({ data: serverMessage(words).slice().buffer });
    },
    expired() {
      const words = { m: "farewell", code: "tokenExpired", comeBack: false };
      socket().onmessage({ data: serverMessage(words).slice().buffer });
    },
    back: () => connection.networkBack(),
    wait() {},
  };
  for (const step of steps) {
    clock.advance(step.at - clock.now());
    acts[/** @type {keyof typeof acts} */ (step.do)](step);
    clock.advance(0);
  }
  return { attempts, follows, phase: connection.phase };
}

for (const walk of vectors.walks) {
  test(`ADDR-3, ADDR-7, ADDR-8: ${walk.title}`, () => {
    const { attempts, follows, phase } = walk;
    assert.deepEqual(walked(walk), { attempts, follows, phase });
  });
}

for (const walk of sentOff.walks) {
  test(`PIPE-13, ADDR-8: ${walk.title}`, () => {
    const { attempts, follows, phase } = walk;
    assert.deepEqual(walked(walk), { attempts, follows, phase });
  });
}

for (const walk of spellings.walks) {
  test(`ADDR-3, ADDR-8: ${walk.title}`, () => {
    const { attempts, follows, phase } = walk;
    assert.deepEqual(walked(walk), { attempts, follows, phase });
  });
}

test("ADDR-1: an address is not there twice, however it is written, as the vectors have it", () => {
  for (const { servers, isTaken } of spellings.lists) {
    if (isTaken) assert.equal(originsOf(servers).length, servers.length);
    else assert.throws(() => originsOf(servers), /has .* twice/);
  }
});

test("ADDR-7: what a farewell names must be an address: else it is malformed, and the stay is over", async () => {
  const address = { host: "b.test", port: 80, isSecure: false };
  const broken = [
    "b.test:80",
    { ...address, host: "" },
    { ...address, host: "b".repeat(256) },
    { ...address, port: 0 },
    { ...address, port: 65_536 },
    { ...address, port: "80" },
    { ...address, isSecure: undefined },
  ];
  for (const one of [...broken, null]) {
    const server = new FakeServer();
    const session = server.session({ origin: three, chance: said([0.9, 0.9]) });
    /** @type {any} */
    let code;
    session.join({ room: "b".repeat(32), callbacks: {} }).catch((error) => {
      code = error.code;
    });
    server.open();
    const words = { m: "farewell", code: "goingAway", cause: "c", cure: "h", comeBack: true };
    server.say({ ...words, address: one });
    server.clock.advance(0);
    await turn();
    assert.equal(code, one === null ? undefined : "malformed", JSON.stringify(one));
  }
});

const many = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, at) => `https://node-${at}.test`);

/** @type {[RegExp, any][]} */
const wrong = [
  [/has 0 addresses; it may have 1 to 16/, []],
  [/has 17 addresses/, many(MOST_SERVERS + 1)],
  [/has https:\/\/a\.test twice/, ["https://a.test", "https://A.test:443/"]],
  [/speak TLS and some do not/, ["https://a.test", "http://b.test"]],
  [/not an address that begins with http/, ["https://a.test", "b.test"]],
  [/not an address that begins with http/, "ftp://a.test"],
  [/not an address that begins with http/, undefined],
];

for (const [words, servers] of wrong) {
  test(`ADDR-1: a list that cannot be used says ${words.source}`, async () => {
    assert.throws(
      () => originsOf(servers),
      ({ name, code, cause, cure }) => {
        assert.deepEqual([name, code, cure.length > 0], ["Refusal", "badParameter", true]);
        return words.test(cause);
      },
    );
    const uuid = "b".repeat(32);
    await assert.rejects(joinRoom({ server: servers, uuid }), ({ name, code, what }) => {
      assert.deepEqual([name, code], ["RoomError", "badOption"]);
      return words.test(what);
    });
  });
}

test("ADDR-1: sixteen are taken, and one address is written as ever", () => {
  assert.deepEqual(originsOf(many(MOST_SERVERS)), many(MOST_SERVERS));
  assert.deepEqual(originsOf("https://a.test:443/path"), ["https://a.test"]);
});

const three = ["http://a.test", "http://b.test", "http://c.test"];

test("ADDR-3, ADDR-4: a stay goes on at the next server, with its token, session and commands", async () => {
  const server = new FakeServer();
  /** @type {string[]} */
  const urls = [];
  const session = server.session({ origin: three, chance: said([0.9, 0.9]) });
  const { makeSocket } = session.connection.options;
  session.connection.options.makeSocket = (url, protocol) => {
    urls.push(url);
    return makeSocket(url, protocol);
  };
  const joined = session.join({
    room: "b".repeat(32),
    token: "secret",
    callbacks: server.callbacks(),
    undoScenes: 0,
  });
  server.admit();
  await joined;
  server.cut();
  const sent = session.send("globalState", { a: 1 });
  server.clock.advance(500);
  server.resume();
  await turn();
  server.happens({ by: 0, n: 1, kind: "globalState", body: { a: 1 } });
  assert.equal((await sent).revision, server.revision);
  assert.deepEqual(urls, ["ws://a.test/v1/rooms", "ws://b.test/v1/rooms"]);
  const [first, again] = server.heard.filter(({ m }) => m === "hello");
  assert.deepEqual([first.token, again.token], ["secret", "secret"]);
  assert.deepEqual([again.session, again.ticket], ["a".repeat(32), "t1"]);
  assert.deepEqual(server.phases, ["connecting", "connected", "reconnecting", "connected"]);
});

test("ADDR-8: a hello says that it follows an address where there are several, and until it was sent on", async () => {
  const server = new FakeServer();
  const session = server.session({ origin: three, chance: said([0.9, 0.9]) });
  session.join({ room: "b".repeat(32), callbacks: {} }).catch(() => {});
  server.open();
  const address = { host: "c.test", port: 80, isSecure: false };
  const words = { m: "farewell", code: "goingAway", cause: "c", cure: "h", comeBack: true };
  server.say({ ...words, address });
  server.clock.advance(0);
  server.open();
  const alone = new FakeServer();
  alone
    .session()
    .join({ room: "b".repeat(32), callbacks: {} })
    .catch(() => {});
  alone.open();
  const accepts = (/** @type {FakeServer} */ { heard }) =>
    heard.filter(({ m }) => m === "hello").map((hello) => hello.acceptsAddress);
  assert.deepEqual(accepts(server), [true, undefined]);
  assert.deepEqual(accepts(alone), [undefined]);
});
