import assert from "node:assert/strict";
import { test } from "node:test";
import { Overlay } from "../../../Sources/BoardroomWeb/Page/state/overlay.js";
import { FakeServer, turn } from "../kit/fake-server.js";

const begin = { scene: 1, unit: 0, tool: "pencil", colour: [1, 2, 3], opacity: 255, width: 4 };

/** @param {object} fields */
const stroke = (fields) => ({ stroke: 1, end: false, dx: [1], dy: [1], dt: [0], ...fields });

/** @param {string} id */
const note = (id, text = "") => ({
  id,
  scene: 1,
  type: "note",
  x: 0,
  y: 0,
  text,
  width: 9,
  height: 9,
});

/** Somebody in a room with an overlay. */
async function inside() {
  const server = new FakeServer();
  const session = server.session();
  const overlay = new Overlay(session);
  const joined = session.join({
    room: "b".repeat(32),
    callbacks: server.callbacks(),
    undoScenes: 0,
  });
  server.admit();
  await joined;
  /** @type {any[]} */
  const told = [];
  overlay.onChanged((ids) => told.push(ids === "all" ? ids : [...ids]));
  const send = (/** @type {string} */ name, /** @type {any} */ body) =>
    session.send(name, body).catch((refusal) => refusal);
  return { server, session, overlay, told, send };
}

test("own strokes appear at once, and the log's answer takes their place without a flicker", async () => {
  const { server, session, overlay, told, send } = await inside();
  send("stroke", stroke({ begin }));
  send("stroke", stroke({ dx: [5, 6], dy: [0, 0], dt: [8, 8] }));
  assert.deepEqual(told, [["0.1"], ["0.1"]]);
  assert.equal(overlay.element("0.1")?.stroke?.points, 3);
  assert.equal(session.state.elements.size, 0);
  await turn();
  server.happens({ by: 0, n: 1, kind: "stroke", body: stroke({ begin }) });
  assert.equal(session.state.elements.get("0.1")?.stroke?.points, 1);
  assert.equal(overlay.element("0.1")?.stroke?.points, 3, "the rest is still laid over it");
  server.happens({
    by: 0,
    n: 2,
    kind: "stroke",
    body: stroke({ dx: [5, 6], dy: [0, 0], dt: [8, 8] }),
  });
  assert.equal(overlay.element("0.1"), session.state.elements.get("0.1"));
  assert.equal(overlay.overlaid.size, 0);
});

test("what is refused is gone again, and the page hears of it", async () => {
  const { server, overlay, told, send } = await inside();
  const sent = send("elementPut", note("0.1"));
  assert.equal(overlay.elements().length, 1);
  await turn();
  server.happens({ by: 0, n: 1, kind: "refused", body: { kind: 29, code: "tooMany" } });
  assert.equal(overlay.elements().length, 1, "until the reason is here");
  server.say({ m: "refused", counter: 1, revision: 3, code: "tooMany", cause: "", cure: "" });
  assert.equal(overlay.elements().length, 0);
  assert.deepEqual(told.pop(), ["0.1"]);
  assert.equal((await sent).code, "tooMany");
  assert.equal(server.told.filter(([name]) => name === "refused").length, 1);
});

test("erasing, changing and copying are seen at once, over what others do meanwhile", async () => {
  const { server, session, overlay, send } = await inside();
  server.happens(
    { kind: "elementPut", body: note("9.1") },
    { kind: "elementPut", body: note("9.2") },
  );
  send("elementsChanged", { changes: [{ id: "9.1", set: { x: 50 } }] });
  send("elementsCopied", { copies: [{ from: "9.1", id: "0.1", scene: 1, set: { y: 7 } }] });
  send("erased", { elements: ["9.2"] });
  assert.deepEqual(
    overlay.elements().map(({ id, set }) => [id, set]),
    [
      ["9.1", { x: 50 }],
      ["0.1", { x: 50, y: 7 }],
    ],
  );
  assert.equal(overlay.element("9.2"), undefined);
  server.happens({ kind: "elementsChanged", body: { changes: [{ id: "9.1", set: { y: 3 } }] } });
  assert.deepEqual(overlay.element("9.1")?.set, { x: 50, y: 3 });
  assert.deepEqual(session.state.element("9.1")?.set, { y: 3 });
  assert.ok(session.state.element("9.2"));
});

test("without anything on its way the overlay is the confirmed board", async () => {
  const { server, session, overlay, told } = await inside();
  server.happens({ kind: "elementPut", body: note("9.1") });
  server.happens({ by: 0, kind: "pointer", body: { scene: 1, unit: 0, x: 1, y: 2 } });
  assert.deepEqual(told, [["9.1"]]);
  assert.equal(overlay.elements()[0], session.state.element("9.1"));
});

test("an outage keeps what is on its way; a stay that is over takes it back", async () => {
  const { server, overlay, told, send } = await inside();
  send("elementPut", note("0.1"));
  await turn();
  server.cut();
  assert.equal(overlay.elements().length, 1);
  server.clock.advance(500);
  server.resume();
  assert.equal(told.includes("all"), true);
  assert.equal(overlay.elements().length, 1);
  server.say({
    m: "farewell",
    code: "kicked",
    cause: "",
    cure: "",
    comeBack: false,
    kick: "kickByAdmin",
  });
  assert.equal(overlay.elements().length, 0);
});

test("elements that many own commands change: an answer to one lays the others not anew", async () => {
  const { server, overlay, told, send } = await inside();
  for (const n of [1, 2, 3]) {
    send("elementPut", note(`0.${n}`));
    await turn();
    server.happens({ by: 0, n, kind: "elementPut", body: note(`0.${n}`) });
  }
  const change = (/** @type {string} */ id, /** @type {number} */ x) => ({
    changes: [{ id, set: { x } }],
  });
  const first = change("0.1", 5);
  send("elementsChanged", first);
  send("elementsChanged", change("0.2", 6));
  send("elementsChanged", change("0.3", 7));
  await turn();
  const laid = overlay.element("0.2");
  told.length = 0;
  server.happens({ by: 0, n: 4, kind: "elementsChanged", body: first });
  assert.deepEqual(told, [["0.1"]], "only what the log answers is told");
  assert.equal(overlay.element("0.2"), laid, "the others are the same values");
  assert.equal(overlay.element("0.1")?.set?.x, 5);
  server.happens({ by: 0, n: 5, kind: "elementsChanged", body: change("0.2", 6) });
  server.happens({ by: 0, n: 6, kind: "elementsChanged", body: change("0.3", 7) });
  assert.equal(overlay.overlaid.size, 0, "nothing is laid over the log any more");
});

test("elements that two own commands change keep the later one until it is answered", async () => {
  const { server, overlay, send } = await inside();
  send("elementPut", note("0.1"));
  await turn();
  server.happens({ by: 0, n: 1, kind: "elementPut", body: note("0.1") });
  const change = (/** @type {number} */ x) => ({ changes: [{ id: "0.1", set: { x } }] });
  send("elementsChanged", change(5));
  send("elementsChanged", change(9));
  await turn();
  server.happens({ by: 0, n: 2, kind: "elementsChanged", body: change(5) });
  assert.equal(overlay.element("0.1")?.set?.x, 9);
});
