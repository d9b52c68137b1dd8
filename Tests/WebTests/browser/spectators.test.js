// Rooms with so many members that newcomers who only read are spectators, in real browsers.
import assert from "node:assert/strict";
import { board, hold, line, opened, present } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

browserTest(
  "SPECT-1, SPECT-2: a spectator sees the board and who is there, draws nothing, is in nobody's list, and comes back after an outage",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "spectators.above": "1" } });
    const proxy = await stage.proxy(server);
    const { room } = stage;
    const ana = await opened(stage, { name: "Ana", url: `${server.url}/r/${room}` });
    await line(ana, [
      [300, 300],
      [500, 420],
    ]);
    const link = `${proxy.url}/r/${room}#${await server.token("reader", room)}`;
    const eve = await (await stage.person()).open(link);
    await eve.see(".read-only");
    await eve.until(board.elements, [1]);
    await hold(eve);
    const number = await eve.evaluate("theBoard.source.session.member");
    assert.ok(number >= 2 ** 52, `${number} is no member's`);
    await line(ana, [
      [300, 200],
      [500, 220],
    ]);
    await eve.until(board.elements, [2]);
    const faces = () => document.querySelectorAll(".face").length;
    assert.equal(await ana.evaluate(faces), 1, "nobody sees the spectator");
    assert.equal(await eve.evaluate(faces), 2, "the spectator sees who is there, and itself");
    assert.equal(
      await eve.evaluate(() => document.querySelector(".hand")?.checkVisibility()),
      false,
    );
    await eve.hands.press("p");
    await eve.hands.drag([
      { x: 600, y: 300 },
      { x: 700, y: 400 },
    ]);
    proxy.cut();
    await line(ana, [
      [300, 500],
      [500, 520],
    ]);
    await eve.until(board.elements, [3]);
    await ana.until(board.elements, [3]);
    await hold(ana);
    assert.equal(await ana.evaluate("theBoard.source.session.state.members.size"), 1);
    assert.deepEqual(eve.complaints, []);
  },
);

browserTest(
  "SPECT-1: a spectator stops following who presents, by the wheel and by a button, and follows again",
  async (stage) => {
    const server = await stage.ownServer({ settings: { "spectators.above": "1" } });
    const { room } = stage;
    const ana = await opened(stage, { name: "Ana", url: `${server.url}/r/${room}` });
    await hold(ana);
    const link = `${server.url}/r/${room}#${await server.token("reader", room)}`;
    const eve = await (await stage.person()).open(link);
    await eve.see(".read-only");
    await hold(eve);
    await present(ana);
    const says = (/** @type {string} */ words) =>
      eve.until(
        (/** @type {string} */ wanted) =>
          document.querySelector(".follow")?.textContent?.includes(wanted) ?? false,
        [words],
      );
    /** @param {number} x where the view of Ana goes; Eve's follows, or not */
    const moves = async (x) => {
      await ana.evaluate(`theBoard.moveView(() => theBoard.view.set({ x: ${x}, y: 0, scale: 1 }))`);
      await eve.until(
        `[...theBoard.source.session.state.members.values()].some(({ camera }) => camera && Math.abs(camera.x * 2 ** camera.unit - ${x}) < 1)`,
      );
    };
    const place = () => eve.evaluate("theBoard.view.x");
    await says("Following");
    await eve.hands.wheel(500, 400, 0, 120);
    await says("is presenting");
    const own = await place();
    await moves(700);
    await eve.hands.wheel(500, 400, 0, 120);
    assert.equal(await place(), own, "the presenter does not move the view");
    await eve.click(".follow button");
    await says("Following");
    await eve.until("Math.abs(theBoard.view.x - 700) < 1");
    await eve.click(".follow button");
    await says("is presenting");
    assert.equal(await eve.text(".notes"), "", "nothing is refused");
    assert.deepEqual(eve.complaints, []);
  },
);
