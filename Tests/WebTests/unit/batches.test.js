// What was sent in several commands is taken back as one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Batches } from "../../../Sources/BoardroomWeb/Page/board/batches.js";
import { History } from "../../../Sources/BoardroomWeb/Page/state/history.js";

/** A board whose commands are answered when they are asked to be. */
class FakeBoard {
  scene = 1;
  revision = 0;
  history = new History(10, 100);
  batches = new Batches();
  epoch = "first";

  /** @type {(() => void)[]} */
  waiting = [];

  get session() {
    const state = { histories: new Map([[0, this.history]]) };
    return /** @type {any} */ ({ member: 0, state, epoch: this.epoch });
  }

  /**
   * @param {() => void} act what the answer does to the history
   * @returns {Promise<{revision?: number} | undefined>}
   */
  #answer(act, isRefused = false) {
    return new Promise((resolve) => {
      this.waiting.push(() => {
        if (isRefused) return resolve(undefined);
        this.revision += 1;
        act();
        resolve({ revision: this.revision });
      });
    });
  }

  /** @param {boolean} [isRefused] */
  put(isRefused) {
    const act = () => {
      const step = { revision: this.revision, operations: [{ put: `0.${this.revision}` }] };
      this.history.record(/** @type {any} */ (step), 1, []);
    };
    return this.#answer(act, isRefused);
  }

  /** @param {Promise<{revision?: number} | undefined>[]} answers */
  add(answers) {
    this.batches.add(answers, () => this.epoch);
  }

  /** @param {"undo" | "redo"} side */
  step(side) {
    const other = side === "undo" ? "redo" : "undo";
    const send = () => this.#answer(() => this.history.move(1, side, other));
    return this.batches.step(/** @type {any} */ (this), side, send);
  }

  async answerAll() {
    while (this.waiting.length > 0) {
      this.waiting.shift()?.();
      for (let turn = 0; turn < 10; turn += 1) await undefined;
    }
  }

  get counts() {
    const { undo = [], redo = [] } = this.history.track(1) ?? {};
    return [undo.length, redo.length];
  }
}

test("EL-7: one undo takes back all commands of a batch, one redo does them again", async () => {
  const board = new FakeBoard();
  board.put();
  board.add([board.put(), board.put(), board.put()]);
  await board.answerAll();
  board.add([board.put(), board.put()]);
  await board.answerAll();
  assert.deepEqual(board.counts, [6, 0]);
  for (const [side, counts] of /** @type {["undo" | "redo", number[]][]} */ ([
    ["undo", [4, 2]],
    ["undo", [1, 5]],
    ["redo", [4, 2]],
    ["undo", [1, 5]],
    ["undo", [0, 6]],
  ])) {
    board.step(side);
    await board.answerAll();
    assert.deepEqual(board.counts, counts);
  }
});

test("EL-7: an undo waits for what is not answered yet, also for another undo", async () => {
  const board = new FakeBoard();
  board.put();
  board.add([board.put(), board.put(true), board.put()]);
  board.step("undo");
  board.step("undo");
  await board.answerAll();
  assert.deepEqual(board.counts, [0, 3]);
  board.step("redo");
  await board.answerAll();
  board.step("redo");
  board.scene = 2;
  await board.answerAll();
  assert.deepEqual(board.counts, [3, 0]);
});

test("EL-7: revisions of a log of another epoch are in no batch of the log before", async () => {
  const board = new FakeBoard();
  board.add([board.put(), board.put()]);
  await board.answerAll();
  // The log begins anew, and its first two events are single steps.
  Object.assign(board, { epoch: "second", revision: 0, history: new History(10, 100) });
  board.put();
  board.put();
  await board.answerAll();
  board.step("undo");
  await board.answerAll();
  assert.deepEqual(board.counts, [1, 1]);
  board.add([board.put(), board.put()]);
  await board.answerAll();
  board.step("undo");
  await board.answerAll();
  assert.deepEqual(board.counts, [1, 2]);
});
