// Who is in a room, what hosts may do, and who sees what whom shows: the chrome around the board,
// in real browsers.
import assert from "node:assert/strict";
import { board, hold, line, opened, present } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

/**
 * @param {import("../kit/page.js").Page} page
 * @param {string} name of a member's button, as a screen reader has it
 */
const press = (page, name) => page.click(`.members [aria-label="${name}"]`);

browserTest(
  "Raise hand (S): the others see who raised it, in the bar and in the list",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.click('[aria-label="Raise your hand"]');
    await wang.see(".faces .face.is-raised");
    await wang.click(".faces");
    await wang.until(() => document.querySelector(".members")?.textContent?.includes("hand up"));
    await ana.click('[aria-label="Lower your hand"]');
    await wang.until(() => !document.querySelector(".face.is-raised"));
  },
);

browserTest("A press on the faces opens the list also while somebody draws", async (stage) => {
  const ana = await opened(stage, { name: "Ana" });
  const wang = await opened(stage, { name: "Wang" });
  await hold(ana);
  await ana.until(() => document.querySelectorAll(".face").length === 2);
  const { x, y, width, height } = await ana.box(".face");
  const spot = { x: x + width / 2, y: y + height / 2 };
  await ana.hands.drag([spot], { let: false });
  await line(wang, [
    [400, 300],
    [600, 420],
  ]);
  await ana.until("theBoard.sceneContent.index.entries.size === 1");
  await ana.hands.release({}, spot);
  await ana.see(".members [data-do=lockBoard]");
});

browserTest(
  "Follow presenter (M): a follower sees what the presenter sees, until the own hand moves the paper",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await present(ana);
    await wang.until(() =>
      document.querySelector(".follow")?.textContent?.includes("Following Ana"),
    );
    await ana.hands.wheel(640, 400, 0, -400, "ctrl");
    await wang.until(
      () => Number.parseInt(document.querySelector(".zoom")?.textContent ?? "", 10) > 120,
    );
    await wang.hands.wheel(640, 400, 0, 300);
    await wang.until(() =>
      document.querySelector(".follow")?.textContent?.includes("Ana is presenting"),
    );
    await wang.click(".follow button");
    await wang.until(() =>
      document.querySelector(".follow")?.textContent?.includes("Following Ana"),
    );
    await ana.click(".follow button");
    await wang.until(() => document.querySelector(".follow")?.textContent === "");
  },
);

browserTest(
  "Read-only (M): a reader's link shows everything and offers nothing that writes",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await line(ana, [
      [400, 300],
      [600, 420],
    ]);
    await ana.click(".share-open");
    await ana.until(() => document.querySelectorAll(".copy-row input").length === 2);
    const links = await ana.evaluate(() =>
      [...document.querySelectorAll(".copy-row input")].map(
        (field) => /** @type {HTMLInputElement} */ (field).value,
      ),
    );
    assert.ok(!links[1].includes("?"), "a token is never in a query string");
    const eve = await opened(stage, { name: "Eve", url: links[1] });
    assert.equal(
      await eve.evaluate("location.href"),
      links[1],
      "a reader's address can be copied as it is",
    );
    await eve.see(".read-only");
    await eve.until(() => !document.querySelector('.toolbar [data-tool="pen"]')?.checkVisibility());
    const before = await stage.server.revision(stage.room);
    await line(eve, [
      [500, 500],
      [700, 520],
    ]);
    await eve.until(board.elements, [1]);
    assert.equal(
      await stage.server.revision(stage.room),
      before,
      "a drag of a reader leaves nothing in the log",
    );
    await eve.click('[aria-label="Raise your hand"]');
    await ana.see(".faces .face.is-raised");
  },
);

browserTest(
  "OPEN-4: a host stays host who turns to another language, or loads the page anew",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    await opened(stage, { name: "Wang" });
    const hosts = async (/** @type {string} */ when) => {
      await ana.until(
        () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
      );
      const members = await stage.server.call("GET", `/v5/rooms/${stage.room}/members`);
      const role = members.findLast(
        (/** @type {any} */ { payload }) => payload.name === "Ana",
      )?.role;
      assert.equal(role, "admin", when);
      await ana.click(".faces");
      await ana.see(".members [data-do=lockBoard]");
      await ana.hands.press("Escape");
    };
    await hosts("who comes first");
    for (const when of ["another language", "the first language again"]) {
      const before = await ana.evaluate("document.documentElement.lang");
      await ana.click(".menu-open");
      await ana.click(".menu [data-do=language]");
      await ana.until(
        (/** @type {string} */ lang) => document.documentElement.lang !== lang,
        [before],
      );
      await hosts(when);
    }
    await ana.reload();
    await hosts("loaded anew");
  },
);

browserTest(
  "Moderation: the pen is taken and given back, the board locked and unlocked, the page cleared",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await line(wang, [
      [400, 300],
      [600, 420],
    ]);
    await ana.until(board.elements, [1]);
    await ana.click(".faces");
    await press(ana, "Take the pen from Wang");
    await wang.see(".read-only");
    assert.equal(
      await wang.evaluate(() => document.querySelectorAll(".read-only button").length),
      0,
    );
    await wang.reload();
    await wang.see(".read-only");
    const members = await stage.server.call("GET", `/v5/rooms/${stage.room}/members`);
    const { isBarred, isWritable } = members.find(
      (/** @type {any} */ one) => one.payload?.name === "Wang",
    );
    assert.ok(isBarred && !isWritable, "coming back is no way out: the server remembers");
    await press(ana, "Give Wang the pen");
    await wang.until(() => !document.querySelector(".read-only")?.checkVisibility());
    await ana.click(".members .actions.wide button:first-child");
    await wang.until(() =>
      document.querySelector(".read-only")?.textContent?.includes("Ana has locked the board"),
    );
    await ana.click(".members .actions.wide button:first-child");
    await wang.until(() => !document.querySelector(".read-only")?.checkVisibility());
    await ana.click(".members .actions.wide button:last-child");
    await ana.click(".dialog .bad");
    await wang.until(board.elements, [0]);
    await ana.hands.press("ctrl+z");
    await wang.until(board.elements, [1]);
  },
);

browserTest(
  "Moderation: who is kicked reads why, does not come back alone, and may join again",
  async (stage) => {
    const ana = await opened(stage, { name: "Ana" });
    const wang = await opened(stage, { name: "Wang" });
    await ana.click(".faces");
    await press(ana, "Remove Wang");
    await ana.click(".dialog .bad");
    await wang.until(() =>
      document.querySelector(".banner.bad")?.textContent?.includes("removed from the room"),
    );
    await ana.until(() => document.querySelectorAll(".member-list li").length === 1);
    await wang.click(".banner button");
    await wang.until(
      () => document.querySelector(".status")?.getAttribute("data-phase") === "connected",
    );
    await press(ana, "Ban Wang");
    await ana.click(".dialog .bad");
    await wang.see(".banner.bad");
    await wang.click(".banner button");
    await wang.until(() =>
      document.querySelector(".banner.bad")?.textContent?.includes("kept out"),
    );
  },
);
