// From which of several servers the board comes: answers, failures and silence, without a browser.
import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { loadBoard } from "../../../Sources/BoardroomWeb/Client/load.js";

beforeEach(() => mock.timers.enable({ apis: ["setTimeout"] }));
afterEach(() => mock.timers.reset());

/** Lets everything run that waits for nothing but promises. */
const settled = () => new Promise((done) => setImmediate(done));

/**
 * Begins to load the board of three servers, in their order.
 * @param {any} [options]
 */
function loading(options = {}) {
  /** @type {string[]} */
  const asked = [];
  /** @type {Record<string, {come: (board: string) => void, fail: (why: string) => void}>} */
  const imports = {};
  const servers = ["a", "b", "c"];
  const load = (/** @type {string} */ origin) => {
    asked.push(origin);
    return new Promise((come, fail) => {
      imports[origin] = { come, fail };
    });
  };
  const board = loadBoard(servers, { chance: () => 0.99, load, ...options });
  board.catch(() => {});
  return { asked, imports, board };
}

/** @param {number} ms */
async function pass(ms) {
  mock.timers.tick(ms);
  await settled();
}

test("ADDR-6: a server that is silent for 4 s has the next one asked beside it, and the first that answers is taken", async () => {
  const { asked, imports, board } = loading();
  await pass(3_999);
  assert.deepEqual(asked, ["a"]);
  await pass(1);
  assert.deepEqual(asked, ["a", "b"]);
  imports.a.come("board of a");
  assert.equal(await board, "board of a");
  await pass(60_000);
  assert.deepEqual(asked, ["a", "b"], "nobody else is asked afterwards");
});

test("ADDR-6: a server that fails has the next one asked at once, and one that fails late none", async () => {
  const { asked, imports, board } = loading();
  await pass(4_000);
  imports.a.fail("reset");
  await settled();
  assert.deepEqual(asked, ["a", "b"], "b is asked already, and has its own 4 s");
  imports.b.fail("refused");
  await settled();
  assert.deepEqual(asked, ["a", "b", "c"]);
  imports.c.fail("refused, too");
  await assert.rejects(board, { name: "RoomError", code: "noBoard", cause: "refused, too" });
});

test("ADDR-6: where all are silent the wait ends after giveUpAfter, with what was waited for", async () => {
  const { asked, board } = loading({ giveUpAfter: 9_500 });
  await pass(4_000);
  await pass(4_000);
  assert.deepEqual(asked, ["a", "b", "c"]);
  await pass(1_499);
  let isOver = false;
  board.catch(() => {
    isOver = true;
  });
  await settled();
  assert.equal(isOver, false);
  await pass(1);
  await assert.rejects(board, {
    name: "RoomError",
    code: "noBoard",
    what: "No server has sent the board within 9.5 s.",
  });
});

test("ADDR-6: who aborts gets the signal's reason, and no further server is asked", async () => {
  const stopping = new AbortController();
  const { asked, imports, board } = loading({ signal: stopping.signal });
  stopping.abort(new Error("not any more"));
  await assert.rejects(board, /not any more/);
  imports.a.fail("reset");
  await pass(60_000);
  assert.deepEqual(asked, ["a"]);
});
