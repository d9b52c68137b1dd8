// Reactions in real browsers: everybody sees one for some seconds, and the player counts them.
import assert from "node:assert/strict";
import { opened } from "../kit/board.js";
import { ask, read, watching } from "../kit/player.js";
import { browserTest } from "../kit/test.js";

browserTest(
  "REACT-7, REACT-8: an emoji of the menu is seen by all, said to who does not see, gone after a while, and counted",
  async (stage) => {
    const [ana, wang] = [
      await opened(stage, { name: "Ana" }),
      await opened(stage, { name: "Wang" }),
    ];
    await ana.click(".reactions-open");
    await ana.click('[data-react="🎉"]');
    for (const page of [ana, wang]) {
      await page.until(() => document.querySelector(".reaction-emoji")?.textContent === "🎉");
    }
    await wang.until(
      () => document.querySelector('[aria-live="polite"]')?.textContent === "Ana reacts: 🎉",
    );
    const drift = await wang.evaluate(() => {
      const [paper, one] = [".paper", ".reaction"].map((name) =>
        document.querySelector(name)?.getBoundingClientRect(),
      );
      return paper && one ? Math.abs(paper.left + paper.width / 2 - one.left) : NaN;
    });
    assert.ok(drift < 900, `somewhere on the board: ${drift}`);
    // By keys alone.
    await wang.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".paper")).focus(),
    );
    await wang.hands.press("q");
    await wang.until(() => document.activeElement?.getAttribute("data-react") === "👍");
    await wang.hands.press("Enter");
    await ana.until(
      () =>
        document.querySelectorAll(".reaction").length > 0 &&
        [...document.querySelectorAll(".reaction-emoji")].some((one) => one.textContent === "👍"),
    );
    for (const page of [ana, wang])
      await page.until(() => document.querySelectorAll(".reaction").length === 0);
    const player = await watching(stage);
    await read(player);
    await ask(player, "player.seek(player.log.last)");
    await player.until(
      () => document.querySelector(".reaction-counts")?.textContent === "🎉 1  👍 1",
    );
    const first = await ask(player, "Math.min(...player.log.reactions.keys())");
    await ask(player, `player.seek(${first})`);
    await player.until(() => document.querySelector(".reaction-emoji")?.textContent === "🎉");
    await player.until(() => document.querySelector(".reaction-counts")?.textContent === "🎉 1");
  },
);
