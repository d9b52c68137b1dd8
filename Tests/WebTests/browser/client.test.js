// The package boardroom-client from its tarball: its three examples, and what two programs with it
// see of each other, on the real server.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { board, line, opened } from "../kit/board.js";
import { examples, Installed } from "../kit/package.js";
import { root, until } from "../kit/places.js";
import { FaultProxy } from "../kit/proxy.js";
import { Server } from "../kit/server.js";
import { TestSocket } from "../kit/socket.js";
import { browserTest, newRoom } from "../kit/test.js";

/** @type {Installed} */
let installed;

/** @type {any} what the package exports */
let client;

/** @type {Server} */
let server;

before(async () => {
  installed = new Installed();
  installed.copy(join(root, "Tests/WebTests/kit/fake-react.js"), "node_modules/react/index.js");
  installed.write(
    "node_modules/react/package.json",
    '{ "type": "module", "exports": "./index.js" }',
  );
  server = await Server.start();
  client = await installed.load();
});

/** @type {any[]} */
const rooms = [];

after(() => {
  // Those of tests that failed, too: a room keeps its program going.
  for (const room of rooms) {
    room.leaveAtOnce();
  }
  return server.close();
});

/**
 * @param {string} uuid
 * @param {any} [options]
 * @returns {Promise<any>}
 */
async function joined(uuid, options = {}) {
  const given = { server: server.url, uuid, WebSocket: TestSocket, ...options };
  const room = await client.joinRoom(given);
  rooms.push(room);
  return room;
}

/** @param {any} room */
const ids = (room) => room.elements().map((/** @type {any} */ { id }) => id);

test("the Node example joins, draws, takes back, answers and leaves", async () => {
  const uuid = newRoom();
  installed.copy(join(examples, "node.mjs"));
  const watcher = await joined(uuid, { payload: { name: "Ana" } });
  const bot = installed.run("node.mjs", [server.url, uuid], { ROUNDS: "1" });
  await until(() => /took the note back, 1 to redo/.test(bot.output), { what: () => bot.errors });
  assert.equal(watcher.members.length, 2);
  assert.equal(watcher.members[1].payload.name, "The frame bot");
  const [frame] = watcher.elements();
  assert.deepEqual(
    [frame.type, frame.style.colour, frame.points.length],
    ["stroke", [30, 90, 200], 5],
  );
  const answer = watcher.watch("magix");
  await watcher.dispatchMagixEvent("frame", { colour: "#102030" });
  const heard = [];
  for await (const { event, payload, member } of answer) {
    heard.push([event, payload, member]);
    if (event === "framed") break;
  }
  assert.deepEqual(heard, [
    ["frame", { colour: "#102030" }, 0],
    ["framed", { by: 0, elements: 1 }, 1],
  ]);
  assert.deepEqual(watcher.elements()[0].style.colour, [16, 32, 48]);
  assert.equal(await bot.status, 0, bot.errors);
  assert.match(bot.output, /answered 1\nphase disconnecting\nphase disconnected\n$/);
  await until(() => watcher.members.length === 1);
  await watcher.disconnect();
});

test("the Node example says what is wrong and what helps, and ends with status 1", async () => {
  installed.copy(join(examples, "node.mjs"));
  const bot = installed.run("node.mjs", [server.url, newRoom(), "NETLESSROOM_wrong"]);
  assert.equal(await bot.status, 1);
  assert.match(bot.errors, /^tokenInvalid: .+ Ask the application's server for a room token\.\n$/);
});

browserTest("The plain page shows a board and a player, draws, and takes back", async (stage) => {
  installed.copy(join(examples, "page.html"));
  const site = await installed.serve();
  const own = await stage.ownServer({ open: false, settings: { "page.frames": site.url } });
  const uuid = await own.room();
  const token = await own.token("writer", uuid);
  try {
    const address = new URLSearchParams({ server: own.url, uuid, token });
    const page = await (await stage.person()).open(`${site.url}/page.html#${address}`);
    await page.until(() => document.querySelector("#phase")?.textContent === "connected");
    const other = await joined(uuid, { server: own.url, token, payload: { name: "Bo" } });
    await page.until(() => document.querySelector("#members")?.textContent === "2");
    await page.click("#star");
    await until(() => other.elements().length === 1, { what: "the star is with the other" });
    assert.deepEqual(other.elements()[0].style.colour, [200, 100, 30]);
    const paper = await page.box("#board");
    await page.hands.drag([
      { x: paper.x + 300, y: paper.y + 300 },
      { x: paper.x + 420, y: paper.y + 360 },
    ]);
    await until(() => other.elements().length === 2, {
      what: "what the hand drew is with the other",
    });
    await page.until(() => document.querySelector("#elements")?.textContent === "2");
    await page.click("#undo");
    await until(() => other.elements().length === 1, { what: "the page has taken it back" });
    await other.drawStroke([
      [50, 50],
      [90, 90],
    ]);
    await page.until(() => document.querySelector("#elements")?.textContent === "2");
    await page.click("#past");
    await page.until(() =>
      document.querySelector("#news")?.textContent?.startsWith("The recording"),
    );
    assert.equal(await page.evaluate(() => document.querySelectorAll("#player iframe").length), 1);
    await other.disconnect();
    const complaints = page.complaints.filter((one) => !/favicon|\/v5\/server/.test(one));
    assert.deepEqual(complaints, []);
  } finally {
    await site.close();
  }
});

browserTest(
  "The plain page's player does not open where page.frames leaves the site out",
  async (stage) => {
    installed.write(
      "refused.html",
      `<!doctype html><meta charset="utf-8"><title>x</title><div id="player"></div><script type="module">
      import { mountPlayer } from "./node_modules/boardroom-client/Client/index.js";
      const options = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      mountPlayer(document.querySelector("#player"), { ...options, giveUpAfter: 1500 })
        .then(() => "opened", ({ code, help }) => code + " " + help)
        .then((said) => { document.title = said; });
    </script>`,
    );
    const site = await installed.serve();
    try {
      const address = new URLSearchParams({ server: stage.server.url, uuid: stage.room });
      const page = await (await stage.person()).open(`${site.url}/refused.html#${address}`);
      await page.until(() => document.title.startsWith("noPlayer Name this site"));
      assert.equal(await page.evaluate(() => document.querySelectorAll("iframe").length), 0);
    } finally {
      await site.close();
    }
  },
);

browserTest("A player whose room refuses fails with the room's own code", async (stage) => {
  installed.write(
    "turned-away.html",
    `<!doctype html><meta charset="utf-8"><title>x</title><div id="player"></div><script type="module">
      import { mountPlayer, RoomError } from "./node_modules/boardroom-client/Client/index.js";
      const { again, ...options } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      const asked = [];
      const token = ({ reason, code = "" }) => {
        asked.push(reason + code);
        return asked.length > 1 ? again : options.token;
      };
      mountPlayer(document.querySelector("#player"), { ...options, token: again ? token : options.token })
        .then(() => "opened " + asked, (error) => [error instanceof RoomError, error.code, error.help].join(" "))
        .then((said) => { document.title = said; });
    </script>`,
  );
  const site = await installed.serve();
  const own = await stage.ownServer({ open: false, settings: { "page.frames": site.url } });
  const uuid = await own.room();
  const token = await own.token("reader", uuid);
  try {
    const person = await stage.person();
    /** @param {Record<string, string>} options */
    const shown = async (options) => {
      const address = new URLSearchParams({ server: own.url, uuid, ...options });
      const page = await person.open(`${site.url}/turned-away.html#${address}`);
      await page.until(() => document.title !== "x");
      const frames = await page.evaluate(() => document.querySelectorAll("iframe").length);
      return [await page.evaluate(() => document.title), frames];
    };
    const [wrong, none] = await shown({ token: "NETLESSROOM_wrong" });
    assert.match(wrong, /^true tokenInvalid \w/);
    assert.equal(none, 0);
    const [other] = await shown({ uuid: newRoom(), token: await own.token("reader", newRoom()) });
    assert.match(other, /^true (notFound|forbidden|tokenInvalid) \w/);
    assert.deepEqual(await shown({ token }), ["opened", 1]);
    assert.deepEqual(await shown({ token: "NETLESSROOM_wrong", again: token }), [
      "opened join,refusedtokenInvalid",
      1,
    ]);
  } finally {
    await site.close();
  }
});

test("the hook joins, renders what changes, and leaves when it is taken away", async () => {
  const uuid = newRoom();
  const other = await joined(uuid);
  installed.copy(join(examples, "use-room.js"));
  const entry = installed.write(
    "hook.js",
    `import { useRoom } from "./use-room.js";
import { render } from "react";
export const show = (options) => render(() => useRoom(options));\n`,
  );
  const { show } = await import(entry);
  const options = { server: server.url, uuid, WebSocket: TestSocket, payload: { name: "Hook" } };
  const component = show({ ...options });
  assert.deepEqual([component.shown.room, component.shown.phase], [null, "connecting"]);
  await until(() => component.shown.phase === "connected", { what: "the hook is in the room" });
  const { room } = component.shown;
  await until(() => component.shown.members.length === 2);
  await other.drawStroke([
    [1, 2],
    [3, 4],
  ]);
  await until(() => component.shown.elements.length === 1);
  assert.equal(component.shown.canUndo, false);
  await room.insert({ type: "note", x: 1, y: 2, width: 90, height: 60, text: "x" });
  await until(() => component.shown.canUndo && component.shown.elements.length === 2);
  const { count } = component;
  await other.movePointer({ x: 3, y: 4 });
  await until(() => room.pointers.length === 1);
  assert.equal(component.count, count, "what is not read renders nothing");
  component.unmount();
  await until(() => other.members.length === 1, { what: "the hook has left" });
  const refused = show({ ...options, token: "NETLESSROOM_wrong" });
  await until(() => refused.shown.error?.code === "tokenInvalid");
  refused.unmount();
  await other.disconnect();
});

test("two members see each other's drawing, and each takes back the own", async () => {
  const uuid = newRoom();
  const ana = await joined(uuid, { payload: { name: "Ana" } });
  const bo = await joined(uuid, { payload: { name: "Bo" } });
  /** @type {any[]} */
  const told = [];
  const stop = bo.on("elements", (/** @type {any} */ { ids: some }) => told.push([...some]));
  const drawn = await ana.drawStroke(
    [
      { x: 10, y: 20.25, pressure: 0.5, time: 0 },
      { x: -30, y: 40, pressure: 1, time: 16 },
    ],
    { tool: "highlighter", colour: [1, 2, 3], width: 6, opacity: 0.5 },
  );
  await until(() => bo.element(drawn) !== undefined);
  const { points, ...seen } = bo.element(drawn);
  assert.deepEqual(seen, {
    id: "0.1",
    member: 0,
    scene: 1,
    type: "stroke",
    tool: "highlighter",
    isEnded: true,
    style: { colour: [1, 2, 3], width: 6, opacity: 128 / 255 },
  });
  assert.deepEqual(
    points.map((/** @type {any} */ one) => [one.x, one.y, one.time]),
    [
      [10, 20.25, 0],
      [-30, 40, 16],
    ],
  );
  assert.equal(points[1].pressure, 1);
  assert.equal(bo.element(drawn), bo.element(drawn), "one object as long as nothing changes");
  assert.equal(bo.elements(), bo.elements());
  const note = await bo.insert({
    type: "note",
    x: 1,
    y: 2,
    width: 90,
    height: 60,
    text: "hello",
    style: { fill: "#ffee00" },
  });
  await until(() => ids(ana).includes(note));
  assert.deepEqual(ana.element(note).style, { fill: [255, 238, 0] });
  await ana.change([note], { text: "goodbye", "style.fill": "#000000" });
  await until(() => bo.element(note).text === "goodbye");
  assert.deepEqual(bo.element(note).style.fill, [0, 0, 0]);
  await ana.undo();
  await until(() => bo.element(note).text === "hello");
  await ana.undo();
  await until(() => bo.element(drawn) === undefined);
  assert.deepEqual(ids(bo), [note], "the other's note stays");
  await assert.rejects(ana.undo(), { name: "RoomError", code: "nothingToUndo" });
  assert.deepEqual(ana.steps, { undo: 0, redo: 2 });
  await ana.redo();
  await until(() => ids(bo).length === 2);
  assert.ok(told.length > 4);
  stop();
  const { length } = told;
  await ana.erase(drawn);
  await until(() => ids(bo).length === 1);
  assert.equal(told.length, length, "a listener that was removed is told nothing");
  await ana.disconnect();
  await bo.disconnect();
});

test("scenes, states, stores, hands, reactions, events of the log and long strokes", async () => {
  const uuid = newRoom();
  const ana = await joined(uuid, { uid: "ana" });
  const bo = await joined(uuid);
  /** @type {any[]} */
  const events = [];
  bo.on("event", (/** @type {any} */ event) => events.push(event));
  await ana.putScenes("/", [{ name: "two" }, { name: "three" }]);
  await ana.setScene("/three");
  await ana.setGlobalState({ lesson: 3 });
  await ana.setMemberState({ mood: "well" });
  await ana.setStore("votes", { yes: 1 });
  await ana.raiseHand(true);
  await ana.react("👏", { x: 10.4, y: 20 });
  const points = Array.from({ length: 9_000 }, (_, at) => ({
    x: at / 2,
    y: 300 * Math.sin(at / 40),
    time: at * 8,
  }));
  const long = await ana.drawStroke(points, { scene: "/two" });
  await until(() => bo.revision >= ana.revision);
  assert.deepEqual(
    bo.scenes.map((/** @type {any} */ { path }) => path),
    ["/init", "/two", "/three"],
  );
  assert.equal(bo.scene.path, "/three");
  assert.deepEqual(bo.globalState, { lesson: 3 });
  assert.deepEqual(bo.members[0].state, { mood: "well" });
  assert.deepEqual(bo.stores, { votes: { yes: 1 } });
  assert.ok(bo.members[0].handSince > 0);
  assert.equal(bo.elements().length, 0);
  assert.equal(bo.elements("/two")[0].points.length, 9_000);
  assert.equal(bo.element(long).points[8_999].x, 4_499.5);
  const reaction = events.find(({ kind }) => kind === "reaction");
  assert.deepEqual([reaction.member, reaction.body], [0, { emoji: "👏", scene: 3, x: 10, y: 20 }]);
  await ana.moveScene("/three", "/other/four");
  await ana.removeScenes("/two");
  await until(() => bo.scenes.length === 2);
  assert.throws(() => bo.elements("/two"), {
    code: "badOption",
    what: 'There is no scene "/two" now.',
  });
  await assert.rejects(ana.insert({ type: "text", x: 1, y: 2 }), {
    name: "RoomError",
    code: "badParameter",
  });
  await assert.rejects(ana.drawStroke([{ x: NaN, y: 1 }]), { code: "badOption" });
  await assert.rejects(ana.drawStroke([[1, 1]], { colour: "blue" }), { code: "badOption" });
  await ana.disconnect();
  await bo.disconnect();
});

test("ADDR-3, ADDR-4: of two servers the other one is found, with the same stay, when one is away", async () => {
  const two = [await FaultProxy.to(server.port), await FaultProxy.to(server.port)];
  const room = await joined(newRoom(), { server: two.map(({ url }) => url) });
  /** @type {string[]} */
  const phases = [];
  room.on("phase", (/** @type {any} */ { phase }) => phases.push(phase));
  for (let times = 0; times < 2; times += 1) {
    const [here] = two.filter(({ connections }) => connections > 0);
    const [there] = two.filter((one) => one !== here);
    await here.refuse();
    here.cut();
    await room.until("reconnecting");
    await room.setGlobalState({ times });
    assert.equal(there.connections, 1);
    assert.equal(room.memberId, 0, "one stay");
    await here.heal();
  }
  assert.deepEqual(phases, ["reconnecting", "connected", "reconnecting", "connected"]);
  await room.disconnect();
  for (const proxy of two) await proxy.close();
});

/** A site whose page shows the board of servers in the order in which its address has them. */
async function mountingSite() {
  installed.write(
    "either.html",
    `<!doctype html><meta charset="utf-8"><title>x</title><div id="board" style="height: 90vh"></div>
    <script type="module">
      import { mountBoard } from "./node_modules/boardroom-client/Client/index.js";
      const { server, uuid, token, ms } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
      const servers = server.split(" ");
      // The last one of chance's numbers leaves a list in its order.
      Math.random = () => 1 - Number.EPSILON;
      const options = { uuid, token, giveUpAfter: Number(ms), isWritable: true };
      mountBoard(document.querySelector("#board"), { server: servers.length > 1 ? servers : server, ...options })
        .then(({ room }) => room.phase, ({ code, what }) => code + " " + what)
        .then((said) => { document.title = said; });
    </script>`,
  );
  return installed.serve();
}

/**
 * @param {import("../kit/test.js").Stage} stage
 * @param {{url: string}} site
 * @param {Record<string, string>} options
 * @returns {Promise<string>} what came of the board: its phase, or why there is none
 */
async function mounted(stage, site, options) {
  const address = new URLSearchParams({ ms: "45000", ...options });
  const page = await (await stage.person()).open(`${site.url}/either.html#${address}`);
  await page.until(() => document.title !== "x");
  return page.evaluate(() => document.title);
}

browserTest("ADDR-6: the board is loaded from the server that is there", async (stage) => {
  const site = await mountingSite();
  const own = await stage.ownServer({ open: false });
  const uuid = await own.room();
  const token = await own.token("writer", uuid);
  const away = await FaultProxy.to(own.port);
  await away.close();
  try {
    for (const servers of [
      [own.url, away.url],
      [away.url, own.url],
    ]) {
      const said = await mounted(stage, site, { server: servers.join(" "), uuid, token });
      assert.equal(said, "connected");
    }
  } finally {
    await site.close();
  }
});

browserTest(
  "ADDR-6: a server that takes connections and says nothing keeps no board away, and giveUpAfter ends the wait for all",
  async (stage) => {
    const site = await mountingSite();
    const own = await stage.ownServer({ open: false });
    const uuid = await own.room();
    const token = await own.token("writer", uuid);
    const silent = [await stage.proxy(own), await stage.proxy(own)];
    for (const proxy of silent) {
      proxy.silence();
    }
    const [first, second] = silent.map(({ url }) => url);
    try {
      const either = await mounted(stage, site, { server: `${first} ${own.url}`, uuid, token });
      assert.equal(either, "connected");
      assert.ok(silent[0].opened > 0, "the silent one was asked first");
      const neither = { server: `${first} ${second}`, uuid, token, ms: "1500" };
      assert.equal(
        await mounted(stage, site, neither),
        "noBoard No server has sent the board within 1.5 s.",
      );
    } finally {
      await site.close();
    }
  },
);

browserTest(
  "ADDR-6: with one address the board's connection goes where the board came from, also behind a redirect",
  async (stage) => {
    const site = await mountingSite();
    const own = await stage.ownServer({ open: false });
    const uuid = await own.room();
    const token = await own.token("writer", uuid);
    // What is no redirect of a file is no server of rooms, as a port that only leads to the one with TLS.
    const leading = createServer((request, response) =>
      response
        .writeHead(302, {
          location: `${own.url}${request.url}`,
          "access-control-allow-origin": "*",
        })
        .end(),
    );
    await new Promise((done) => leading.listen(0, "127.0.0.1", () => done(undefined)));
    const { port } = /** @type {import("node:net").AddressInfo} */ (leading.address());
    try {
      const server = `http://127.0.0.1:${port}`;
      assert.equal(await mounted(stage, site, { server, uuid, token }), "connected");
    } finally {
      leading.closeAllConnections();
      leading.close();
      await site.close();
    }
  },
);

test("after a cut the same listeners hear on, what waited arrives once, and what was aborted never", async () => {
  const proxy = await FaultProxy.to(server.port);
  const uuid = newRoom();
  const ana = await joined(uuid, { server: proxy.url });
  const bo = await joined(uuid);
  /** @type {string[]} */
  const phases = [];
  /** @type {any[]} */
  const heard = [];
  ana.on("phase", (/** @type {any} */ { phase }) => phases.push(phase));
  ana.on("magix", (/** @type {any} */ { event, isLate }) => heard.push([event, isLate]));
  await proxy.refuse();
  proxy.cut();
  await ana.until("reconnecting");
  const stopping = new AbortController();
  const kept = ana.drawStroke([
    [1, 1],
    [2, 2],
  ]);
  const aborted = ana.drawStroke(
    [
      [3, 3],
      [4, 4],
    ],
    { signal: stopping.signal },
  );
  const later = ana.insert({ type: "note", x: 1, y: 1, width: 9, height: 9, text: "later" });
  const gone = assert.rejects(aborted, { name: "AbortError" });
  assert.equal(ana.elements().length, 3, "shown at once");
  stopping.abort();
  await gone;
  assert.equal(ana.elements().length, 2, "what was taken back is shown no more");
  assert.equal(ana.pending, 2);
  await bo.dispatchMagixEvent("meanwhile");
  await proxy.heal();
  await Promise.all([kept, later]);
  await bo.dispatchMagixEvent("afterwards");
  await until(() => heard.length === 2);
  assert.deepEqual(heard, [
    ["meanwhile", true],
    ["afterwards", false],
  ]);
  assert.deepEqual(phases, ["reconnecting", "connected"]);
  assert.equal(ana.memberId, 0);
  assert.equal(bo.elements().length, 2);
  assert.deepEqual(
    bo.elements().map((/** @type {any} */ { type }) => type),
    ["stroke", "note"],
  );
  await ana.disconnect();
  await bo.disconnect();
  await proxy.close();
});

test("a stay that is given up ends with a reason, and rejoin goes on with the same listeners", async () => {
  const proxy = await FaultProxy.to(server.port);
  const uuid = newRoom();
  const bo = await joined(uuid);
  const ana = await joined(uuid, { server: proxy.url, giveUpAfter: 700 });
  /** @type {any[]} */
  const told = [];
  ana.on("closed", (/** @type {any} */ { reason, error }) => told.push([reason, error?.code]));
  ana.on("elements", () => told.push("elements"));
  const loop = (async () => {
    for await (const _ of ana.watch("magix")) told.push("magix");
    return "over";
  })();
  await proxy.refuse();
  proxy.cut();
  await ana.until("reconnecting");
  const waiting = assert.rejects(ana.setGlobalState({ a: 1 }), { code: "timeout" });
  await assert.rejects(ana.until("connected"), { name: "RoomError", code: "timeout" });
  await waiting;
  assert.equal(await loop, "over");
  assert.deepEqual(told, [["timeout", "timeout"]]);
  await assert.rejects(ana.setGlobalState({ a: 1 }), { code: "notConnected" });
  await bo.drawStroke([
    [1, 1],
    [2, 2],
  ]);
  await proxy.heal();
  await ana.rejoin();
  assert.equal(ana.phase, "connected");
  assert.equal(ana.elements().length, 1);
  assert.deepEqual(told.slice(1), ["elements"]);
  await bo.drawStroke([
    [1, 1],
    [2, 2],
  ]);
  await until(() => ana.elements().length === 2);
  assert.ok(told.length > 2);
  await ana.disconnect();
  assert.deepEqual(told.slice(-1), [["left", undefined]]);
  await bo.disconnect();
  await proxy.close();
});

test("a token provider is asked before the token expires, and when the server refuses it", async () => {
  const own = await Server.start({ open: false });
  const proxy = await FaultProxy.to(own.port);
  const uuid = await own.room();
  /** @type {any[]} */
  const asked = [];
  let isBroken = false;
  let end = 0;
  const token = async (/** @type {any} */ { reason, code }) => {
    asked.push(code ?? reason);
    if (isBroken) throw new Error("the backend is down");
    const lifespan = reason === "join" ? 3_000 : 5_000;
    end = Date.now() + lifespan;
    return own.call("POST", `/v5/tokens/rooms/${uuid}`, { role: "writer", lifespan });
  };
  const room = await joined(uuid, { server: proxy.url, token });
  assert.deepEqual(asked, ["join"]);
  /** @type {any[]} */
  const problems = [];
  room.on("problem", (/** @type {any} */ { error }) =>
    problems.push([error.code, error.cause.message]),
  );
  await until(() => asked.length > 1, { what: "asked before the end" });
  assert.equal(asked[1], "expiring");
  isBroken = true;
  await until(() => problems.length > 0, { what: "the backend's failure is told" });
  assert.deepEqual(problems[0], ["noToken", "the backend is down"]);
  await until(() => Date.now() > end + 500, { what: "the token has expired" });
  assert.equal(room.phase, "connected", "who is inside stays");
  const { length } = problems;
  proxy.cut();
  await until(() => asked.includes("tokenExpired") && problems.length > length, {
    what: "the refused token cannot be replaced yet",
  });
  assert.equal(room.phase, "reconnecting");
  isBroken = false;
  await room.until("connected");
  assert.equal(room.memberId, 0, "one stay");
  await room.setGlobalState({ still: "here" });
  await room.disconnect();
  await proxy.close();
  await own.close();
});

test("a join that cannot be is a RoomError, and an aborted one the signal's reason", async () => {
  const uuid = newRoom();
  await assert.rejects(joined(uuid, { server: "boards.example" }), { code: "badOption" });
  await assert.rejects(joined("room"), { code: "badOption" });
  await assert.rejects(joined(uuid, { token: () => "" }), { name: "RoomError", code: "noToken" });
  const silent = await FaultProxy.to(server.port);
  silent.silence();
  await assert.rejects(joined(uuid, { server: silent.url, giveUpAfter: 300 }), { code: "timeout" });
  const stopping = new AbortController();
  const joining = joined(uuid, { server: silent.url, signal: stopping.signal });
  stopping.abort(new Error("not any more"));
  await assert.rejects(joining, /not any more/);
  await assert.rejects(joined(uuid, { signal: stopping.signal }), /not any more/);
  await silent.close();
  if (typeof globalThis.WebSocket !== "function") {
    await assert.rejects(client.joinRoom({ server: server.url, uuid }), { code: "noWebSocket" });
  }
});

test("another program with the same uid takes the place, and the first one is told why", async () => {
  const uuid = newRoom();
  const host = await joined(uuid);
  const first = await joined(uuid, { uid: "ana" });
  const closed = first.watch("closed").next();
  const second = await joined(uuid, { uid: "ana" });
  const { value } = await closed;
  assert.deepEqual(
    [value.reason, value.error.code, value.error.kick],
    ["kicked", "replaced", "replaceByOther"],
  );
  assert.equal(second.members.length, 2);
  await second.disconnect();
  await host.disconnect();
});

browserTest(
  "A person at the page and a program with the package are in one room",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const program = await joined(stage.room, { server: stage.server.url, payload: { name: "Bo" } });
    await line(page, [
      [300, 300],
      [500, 320],
    ]);
    await until(() => program.elements().length === 1);
    await program.drawStroke([
      [400, 400],
      [600, 420],
    ]);
    await page.until(board.elements, [2]);
    await program.undo();
    await page.until(board.elements, [1]);
    await program.disconnect();
  },
);
