// Elements of a file that are put on a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Insertion } from "../../../Sources/BoardroomWeb/Page/board/insert.js";

test("If the rest of a file is refused, what is there of it is one step, and the page for it is removed", async () => {
  const refusal = Object.assign(new Error("full"), { code: "tooLarge" });
  /** @type {string[]} */
  const sent = [];
  /** @type {number[][]} */
  const joined = [];
  let last = 0;
  const state = { scenes: /** @type {any[]} */ ([]), members: new Map([[1, {}]]) };
  const session = {
    member: 1,
    limits: { message: 560 },
    state,
    async send(/** @type {string} */ name, /** @type {any} */ body) {
      sent.push(name);
      const copied = sent.filter((one) => one === "elementsCopied").length;
      if (name === "elementsCopied" && copied > 2) throw refusal;
      if (name === "scenesPut") {
        const path = `${body.directory}/${body.scenes[0].name}`;
        state.scenes.push({ id: 9, path, directory: body.directory });
      }
      return { revision: sent.length };
    },
  };
  const board = /** @type {any} */ ({
    scene: 1,
    session,
    newId: () => `1.${++last}`,
    clock: { now: () => 0, after: (/** @type {number} */ _ms, /** @type {any} */ done) => done() },
    joinSteps: (/** @type {number[]} */ steps) => joined.push(steps),
  });
  const shape = { type: "rectangle", x: 0, y: 0, width: 9, height: 9 };
  const items = ["a", "b", "c", "d"].map((id) => ({ id, shape, set: { "meta.x": "x".repeat(9) } }));
  const insertion = new Insertion(board, () => true);
  await assert.rejects(insertion.put(items), refusal);
  assert.equal(insertion.steps.length, 2);
  assert.deepEqual(joined, [insertion.steps]);
  assert.equal(sent.at(-1), "scenesRemoved");
});
