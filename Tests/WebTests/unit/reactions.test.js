// Reactions, without a browser: where they are shown, what a member says, how the player counts them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { placeOf, reactionOf } from "../../../Sources/BoardroomWeb/Page/board/reactions.js";
import { Log } from "../../../Sources/BoardroomWeb/Page/player/log.js";
import { KIND_NUMBERS, MARKER_OF } from "../../../Sources/BoardroomWeb/Page/protocol/kinds.js";
import { readPieces } from "../../../Sources/BoardroomWeb/Page/protocol/messages.js";
import { View } from "../../../Sources/BoardroomWeb/Page/render/view.js";
import { apply, emptyState } from "../../../Sources/BoardroomWeb/Page/state/model.js";
import { runOf } from "../kit/fake-log.js";

const box = { left: 10, top: 20, right: 30, bottom: 60 };
/** @type {any} */
const board = { scene: 1, box: (/** @type {string} */ id) => (id === "0.1" ? box : undefined) };

test("REACT-7: a reaction is shown on its page, or in the middle of its element wherever that is", () => {
  assert.deepEqual(placeOf({ emoji: "👍", scene: 1, x: 5, y: -6 }, board), { x: 5, y: -6 });
  assert.equal(placeOf({ emoji: "👍", scene: 2, x: 5, y: -6 }, board), undefined);
  assert.deepEqual(placeOf({ emoji: "👍", element: "0.1" }, board), { x: 20, y: 40 });
  assert.equal(placeOf({ emoji: "👍", element: "0.2" }, board), undefined);
});

test("REACT-7: who reacts means the selected element, else where the hand was, else the middle", () => {
  const view = new View();
  view.resize(200, 100);
  /** @type {any} */
  const seen = { scene: 3, selection: [], view };
  assert.deepEqual(reactionOf("🎉", { ...seen, selection: ["0.7"] }, { x: 1, y: 1 }), {
    emoji: "🎉",
    element: "0.7",
  });
  assert.deepEqual(reactionOf("🎉", seen, { x: 10.4, y: -20.6 }), {
    emoji: "🎉",
    scene: 3,
    x: 10,
    y: -21,
  });
  assert.deepEqual(reactionOf("🎉", seen, { x: 900, y: 0 }), { emoji: "🎉", scene: 3, x: 0, y: 0 });
  assert.deepEqual(reactionOf("🎉", { ...seen, selection: ["0.7", "0.8"] }, undefined), {
    emoji: "🎉",
    scene: 3,
    x: 0,
    y: 0,
  });
});

/** @param {number} t @param {string} emoji */
const reacted = (t, emoji) => ({ t, by: 0, n: 1, kind: 68, body: { emoji, scene: 1, x: 0, y: 0 } });
const created = { t: 1_000, kind: 16, body: { name: "r", limit: 0, isRecord: true } };

test("REACT-8: each emoji is counted up to what is shown, however the blocks came in", () => {
  const events = [created, reacted(2_000, "👍"), reacted(3_000, "🎉"), reacted(4_000, "🎉")];
  const log = new Log({
    low: 1,
    last: 4,
    blocks: [{ first: 1, last: 4, begin: 1_000, end: 4_000, bytes: 9 }],
  });
  const records = readPieces(runOf(1, events)).flatMap((piece) => piece.records);
  log.addRecords(records.slice(2));
  log.addRecords(records);
  assert.deepEqual(log.reactionsUpTo(1), []);
  assert.deepEqual(log.reactionsUpTo(2), [["👍", 1]]);
  assert.deepEqual(log.reactionsUpTo(4), [
    ["🎉", 2],
    ["👍", 1],
  ]);
  assert.equal(MARKER_OF[KIND_NUMBERS.get("reaction") ?? 0], "custom");
});

test("REACT-5: a reaction leaves nothing in the page's state", () => {
  const state = emptyState();
  const [room, reaction] = readPieces(runOf(1, [created, reacted(2_000, "👍")])).flatMap(
    ({ records }) => records,
  );
  apply(state, room);
  const change = apply(state, reaction);
  assert.ok(change.fits);
  assert.deepEqual([...change.fields], []);
  assert.equal(state.revision, 2);
});
