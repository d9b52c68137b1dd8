// What a person sees of the connection, through a network that is made to fail.
import assert from "node:assert/strict";
import { board, line, opened } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/** @param {string} wanted */
const phase = (wanted) => document.querySelector(".status")?.getAttribute("data-phase") === wanted;

/** @param {string} words */
const said = (words) => document.querySelector(".banner")?.textContent?.includes(words);

browserTest(
  "Connection status, reconnect (M): a killed server shows a banner that counts; after its restart drawing goes on",
  async (stage) => {
    const server = await stage.ownServer();
    const ana = await opened(stage, { name: "Ana", url: `${server.url}/r/${stage.room}` });
    await line(ana, [
      [400, 300],
      [600, 420],
    ]);
    await ana.until(board.elements, [1]);
    await server.kill();
    await ana.until(phase, ["reconnecting"], 15_000);
    await ana.until(() =>
      /Reconnecting… attempt \d+ in \d+ s/.test(
        document.querySelector(".banner")?.textContent ?? "",
      ),
    );
    await line(ana, [
      [400, 500],
      [600, 520],
    ]);
    await ana.until(board.elements, [2]);
    await server.start();
    await ana.evaluate(() =>
      /** @type {HTMLElement | null} */ (document.querySelector(".banner button"))?.click(),
    );
    await ana.until(phase, ["connected"], 15_000);
    await ana.until(() => !document.querySelector(".banner")?.checkVisibility());
    const eve = await opened(stage, { name: "Eve", url: `${server.url}/r/${stage.room}` });
    await eve.until(board.elements, [2]);
  },
);

browserTest(
  "Connection status (M): silence is noticed after 4 s, told as lost after 10 s, and ends when the network is back",
  async (stage) => {
    const proxy = await stage.proxy();
    const ana = await opened(stage, {
      name: "Ana",
      url: `http://127.0.0.1:${proxy.port}/r/${stage.room}`,
    });
    proxy.silence();
    await ana.until(phase, ["reconnecting"], 8_000);
    await ana.until(said, ["The connection is lost"], 12_000);
    await proxy.heal();
    await ana.until(phase, ["connected"], 15_000);
  },
);

browserTest(
  "Connection status (M): a room that is not there is told in words, with a way out",
  async (stage) => {
    const server = await stage.ownServer({ open: false });
    const token = await server.token("writer", stage.room);
    const page = await (await stage.person()).open(`${server.url}/r/${stage.room}#${token}`);
    await page.until(said, ["There is no such room"]);
    assert.equal(await page.text(".banner button"), "To the start");
  },
);

browserTest(
  "Connection status, reconnect (M): the page goes on trying for 20 minutes, then it ends with a reason and a way back",
  async (stage) => {
    const proxy = await stage.proxy();
    const ana = await opened(stage, {
      name: "Ana",
      url: `http://127.0.0.1:${proxy.port}/r/${stage.room}`,
    });
    proxy.cut();
    await proxy.refuse();
    await ana.until(phase, ["reconnecting"]);
    for (let minutes = 0; minutes < 19; minutes++) {
      await ana.passTime(60_000);
    }
    assert.ok(
      await ana.evaluate(said, "The connection is lost"),
      "it still tries after 19 minutes",
    );
    const attempts = Number(/attempt (\d+)/.exec(await ana.text(".banner"))?.[1]);
    assert.ok(
      attempts >= (19 * 60) / 12,
      `attempt ${attempts} after 19 minutes: more than 12 s lie between two`,
    );
    for (let minutes = 0; minutes < 2; minutes++) {
      await ana.passTime(60_000);
    }
    assert.ok(await ana.evaluate(phase, "disconnected"), "it has given up after 20 minutes");
    assert.ok(await ana.evaluate(said, "Check the network, then join again"));
    assert.equal(await ana.text(".banner button"), "Join again");
  },
);
