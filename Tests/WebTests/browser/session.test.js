// Sessions against the real server over real sockets; no browser is needed, and none is started.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { Overlay } from "../../../Sources/BoardroomWeb/Page/state/overlay.js";
import { until } from "../kit/places.js";
import { FaultProxy } from "../kit/proxy.js";
import { Company } from "../kit/rooms.js";
import { Server } from "../kit/server.js";

/** @type {Server} */
let server;

before(async () => {
  server = await Server.start();
});

after(() => server.close());

const begin = { scene: 1, unit: -2, tool: "pencil", colour: [9, 9, 9], opacity: 255, width: 8 };
const points = { dx: [4, 4], dy: [0, 4], dt: [0, 8], dp: [500, 10] };

/** @param {import("../kit/rooms.js").Company["members"][0]} member */
const live = (member) =>
  until(() => member.phase === "connected", { what: "the session is connected" });

/**
 * People in a room of their own.
 * @param {number} count
 * @param {{url: string}} [where]
 */
async function people(count, where = server) {
  const company = new Company(where, randomBytes(16).toString("hex"), 1);
  /** @type {any[]} */
  const told = [];
  const names = [
    "firePhaseChanged",
    "fireKickedWithReason",
    "fireDisconnectWithError",
    "fireMagixEvent",
    "refused",
  ];
  const callbacks = Object.fromEntries(
    names.map((name) => [name, (/** @type {any[]} */ ...what) => told.push([name, ...what])]),
  );
  for (let n = 0; n < count; n++) {
    await company.join({ uid: `p${n}`, ...(n === 0 ? { callbacks } : {}) });
  }
  return { company, told, members: company.members };
}

/**
 * Both have the same board, with nothing on its way.
 * @param {any[]} members
 */
async function agree(...members) {
  const revision = Math.max(...members.map((member) => member.state.revision));
  await until(() => members.every((member) => member.state.revision >= revision), {
    what: "all have all events",
  });
  const boards = members.map((member) =>
    JSON.stringify(
      [...member.state.elements.values()].map(({ id, place, text, set, stroke }) => [
        id,
        place,
        text,
        set,
        stroke && [stroke.ended, stroke.points],
      ]),
    ),
  );
  assert.equal(new Set(boards).size, 1);
}

test("two people draw together, and both see the same", async () => {
  const {
    company,
    members: [ana, bo],
  } = await people(2);
  const id = ana.nextElement();
  await ana.send("stroke", { stroke: 1, begin, end: false, ...points });
  await ana.send("stroke", { stroke: 1, end: true, ...points });
  await bo.send("elementPut", {
    id: bo.nextElement(),
    scene: 1,
    type: "note",
    x: 1,
    y: 2,
    text: "白板",
    width: 9,
    height: 9,
  });
  await bo.send("elementsChanged", { changes: [{ id, set: { "style.colour": [1, 2, 3] } }] });
  await agree(ana, bo);
  assert.deepEqual(bo.state.element(id)?.set, { "style.colour": [1, 2, 3] });
  assert.equal(bo.state.element(id)?.stroke?.points, 4);
  await company.part();
});

test("a connection that is cut is got back: same member, same session, and what was sent meanwhile arrives once", async () => {
  const {
    company,
    told,
    members: [ana, bo],
  } = await people(2);
  const overlay = new Overlay(ana);
  await ana.send("stroke", { stroke: 1, begin, end: false, ...points });
  /** @type {any} */ (ana).sockets[0].cut();
  await until(() => ana.phase === "reconnecting");
  const sent = [1, 2, 3].map((n) => ana.send("stroke", { stroke: 1, end: n === 3, ...points }));
  assert.equal(overlay.element("0.1")?.stroke?.points, 8, "drawn at once");
  await bo.send("magix", { event: "meanwhile", payload: 7 });
  await Promise.all(sent);
  assert.equal(ana.member, 0);
  assert.deepEqual(
    told.filter(([name]) => name === "firePhaseChanged").map(([, phase]) => phase),
    ["connecting", "connected", "reconnecting", "connected"],
  );
  const [, magix] = told.find(([name]) => name === "fireMagixEvent");
  assert.deepEqual([magix.event, magix.payload, magix.isLate], ["meanwhile", 7, true]);
  await agree(ana, bo);
  assert.equal(bo.state.element("0.1")?.stroke?.points, 8);
  assert.equal(overlay.overlaid.size, 0);
  await company.part();
});

test("a network that goes silent is noticed after 4 s, and nothing is lost when it is back", async () => {
  const proxy = await FaultProxy.to(server.port);
  const {
    company,
    members: [ana],
  } = await people(1, proxy);
  proxy.silence();
  const sent = ana.send("globalState", { a: 1 });
  const start = performance.now();
  await until(() => ana.phase === "reconnecting", { within: 6_000 });
  assert.ok(performance.now() - start > 2_900, "not before the silence is 4 s long");
  await proxy.heal();
  await sent;
  assert.deepEqual(ana.state.globalState.plain(), { a: 1 });
  await company.part();
  await proxy.close();
});

for (const ending of /** @type {const} */ (["kill", "stop"])) {
  test(`a server that is ended by ${ending} and started again has everything, and drawing goes on`, async () => {
    const own = await Server.start({ settings: { drain: "1s" } });
    const {
      company,
      members: [ana, bo],
    } = await people(2, own);
    await ana.send("stroke", { stroke: 1, begin, end: false, ...points });
    await bo.send("pointer", { scene: 1, unit: 0, x: 1, y: 1 });
    await own[ending]();
    await until(() => ana.phase === "reconnecting" && bo.phase === "reconnecting");
    const sent = ana.send("stroke", { stroke: 1, end: true, ...points });
    await own.start();
    await Promise.all([live(ana), live(bo), sent]);
    assert.deepEqual([ana.member, bo.member], [0, 1]);
    await bo.send("erased", { elements: ["0.1"] });
    await ana.send("magix", { event: "done" });
    await agree(ana, bo);
    await company.part();
    await own.close();
  });
}

test("what is refused says code, cause and cure; read-only members are not writable", async () => {
  const {
    company,
    told,
    members: [ana],
  } = await people(1);
  await assert.rejects(ana.send("sceneSwitched", { path: "/none" }), { code: "noSuchScene" });
  await assert.rejects(
    ana.send("magix", { event: "x", payload: "y".repeat(40_000) }),
    (refusal) => {
      const { code, actual, allowed } = /** @type {any} */ (refusal);
      return code === "tooLarge" && actual > allowed;
    },
  );
  assert.equal(told.filter(([name]) => name === "refused").length, 2);
  const reader = await company.join({ uid: "r", isWritable: false });
  assert.equal(reader.writable, false);
  await assert.rejects(reader.send("erased", { elements: ["0.1"] }), { code: "notWritable" });
  await company.part();
});

test("TL-26: a kick ends the stay with its reason; the same uid elsewhere takes the stay over", async () => {
  const {
    company,
    told,
    members: [ana, bo],
  } = await people(2);
  await server.call("POST", `/v5/rooms/${company.room}/kick`, { memberId: 0 });
  await until(() => ana.phase === "disconnected");
  assert.deepEqual(
    told.slice(-2).map(([name, what]) => [name, what]),
    [
      ["fireKickedWithReason", "kickByAdmin"],
      ["firePhaseChanged", "disconnected"],
    ],
  );
  const again = await company.join({ uid: "p1" });
  await until(() => bo.phase === "disconnected");
  assert.equal(again.member, 2);
  assert.equal(/** @type {any} */ (ana).sockets.length, 1, "nobody came back by itself");
  await company.part();
});

test("undo and redo change the counts that the page is told", async () => {
  const company = new Company(server, randomBytes(16).toString("hex"), 1);
  /** @type {any[]} */
  const steps = [];
  const ana = await company.join({
    callbacks: {
      fireCanUndoStepsUpdate: (count) => steps.push(["undo", count]),
      fireCanRedoStepsUpdate: (count) => steps.push(["redo", count]),
    },
  });
  await ana.send("stroke", { stroke: 1, begin, end: true, ...points });
  await ana.send("undone", {});
  await ana.send("redone", {});
  assert.deepEqual(steps, [
    ["undo", 1],
    ["undo", 0],
    ["redo", 1],
    ["undo", 1],
    ["redo", 0],
  ]);
  assert.ok(ana.state.element("0.1"));
  await company.part();
});

test("who leaves and joins again is a new member and begins where the page stands", async () => {
  const {
    company,
    members: [ana, bo],
  } = await people(2);
  await ana.send("stroke", { stroke: 1, begin, end: true, ...points });
  await ana.disconnect();
  const known = ana.state;
  await bo.send("stroke", { stroke: 1, begin, end: true, ...points });
  assert.deepEqual(await ana.join({ room: company.room, uid: "p0" }), { member: 2 });
  assert.equal(ana.state, known, "only what was missed was sent");
  await ana.send("magix", { event: "x" });
  await agree(ana, bo);
  await company.part();
});

test("who comes late catches up with a snapshot or stored blocks, and has the same board", async () => {
  const {
    company,
    members: [ana],
  } = await people(1);
  for (let stroke = 1; stroke <= 300; stroke++) {
    const sent = ana.send("stroke", { stroke, begin, end: true, ...points });
    if (stroke % 100 === 0) await sent;
  }
  const late = await company.join({ uid: "late" });
  await ana.send("magix", { event: "x" });
  await agree(ana, late);
  assert.equal(late.state.elements.size, 300);
  await company.part();
});
