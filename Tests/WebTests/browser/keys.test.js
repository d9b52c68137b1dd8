// The board without a mouse and without eyes.
import assert from "node:assert/strict";
import { packageVersion } from "../../../tools/page/package.js";
import { board, line, opened } from "../kit/board.js";
import { browserTest } from "../kit/test.js";

const focusLabel = () =>
  document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;

browserTest(
  "Keyboard canvas (M): a shape and a note are made, found in the list, moved and erased with keys alone",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const other = await opened(stage, { name: "Wang" });
    await page.hands.press("r");
    await page.hands.press("Enter");
    await other.until(board.elements, [1]);
    await page.hands.press("Escape");
    await page.hands.press("n");
    await page.hands.press("Enter");
    await page.see(".board-writing");
    await page.hands.type("Ask why");
    await page.hands.press("Escape");
    await other.until(board.elements, [2]);
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".mirror")).focus(),
    );
    await page.until(() => document.querySelectorAll(".mirror-list button").length === 2);
    const words = await page.evaluate(() =>
      [...document.querySelectorAll(".mirror-list button")].map((one) => one.textContent),
    );
    assert.ok(
      words.some((text) => text?.includes("Sticky note: Ask why, by You")),
      words.join(),
    );
    await page.hands.press("Tab");
    await page.hands.press("Enter");
    assert.equal(await page.evaluate(focusLabel), "The board");
    for (let n = 0; n < 3; n++) {
      await page.hands.press("shift+ArrowRight");
    }
    await page.hands.press("Delete");
    await other.until(board.elements, [1]);
    await page.hands.press("ctrl+z");
    await other.until(board.elements, [2]);
  },
);

browserTest(
  "Keyboard shortcuts (M): letters choose tools, ? shows the help; the toolbar is one tab stop, and arrows go through it",
  async (stage) => {
    const page = await opened(stage);
    assert.equal(
      await page.evaluate(() => document.querySelectorAll('.toolbar button[tabindex="0"]').length),
      1,
    );
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector('.toolbar button[tabindex="0"]')).focus(),
    );
    assert.equal(await page.evaluate(focusLabel), "Pen (P, 3)");
    await page.hands.press("ArrowDown");
    assert.equal(await page.evaluate(focusLabel), "Highlighter (M, 4)");
    await page.hands.press("Enter");
    await page.until(
      () =>
        document.querySelector('[data-tool="highlighter"]')?.getAttribute("aria-pressed") ===
        "true",
    );
    await page.hands.press("e");
    await page.until(
      () => document.querySelector('[data-tool="eraser"]')?.getAttribute("aria-pressed") === "true",
    );
    await page.hands.press("?");
    await page.see("dialog .help");
    // What the server says of itself is the version of the product.
    await page.until(
      (version) =>
        document.querySelector("dialog .version")?.textContent === `Boardroom ${version}`,
      [packageVersion()],
    );
    await page.hands.press("Escape");
    await page.until(() => !document.querySelector("dialog"));
    assert.equal(
      await page.evaluate(focusLabel),
      "Highlighter (M, 4)",
      "the focus is where it was",
    );
  },
);

browserTest(
  "Screen reader (M): every control has a name, and what others do is said",
  async (stage) => {
    const page = await opened(stage, { name: "Ana" });
    const nodes = await page.readAloud();
    const named = nodes.filter(({ role }) =>
      ["button", "textbox", "toolbar", "application"].includes(role),
    );
    assert.deepEqual(
      named.filter(({ name }) => name === ""),
      [],
    );
    assert.ok(named.some(({ role, name }) => role === "toolbar" && name === "Tools"));
    const wang = await opened(stage, { name: "Wang" });
    await page.until(
      () => document.querySelector('[aria-live="polite"]')?.textContent === "Wang is here.",
    );
    await wang.hands.press("n");
    await wang.hands.click(640, 400);
    await wang.see(".board-writing");
    await wang.hands.type("Hello");
    await wang.hands.press("Escape");
    await page.until(
      () =>
        document.querySelector('[aria-live="polite"]')?.textContent === "Wang added: Sticky note",
    );
  },
);

browserTest(
  "With a Chinese input method letters are written, and choose no tool",
  async (stage) => {
    const page = await opened(stage, { locale: "zh-CN" });
    await page.hands.press("t");
    await page.hands.click(640, 400);
    await page.see(".board-writing");
    await page.hands.compose("beihai", "北海");
    await page.hands.press("Escape");
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector(".mirror")).focus(),
    );
    await page.until(() =>
      document.querySelector(".mirror-list")?.textContent?.includes("文字：北海"),
    );
  },
);

browserTest("Forced colours and reduced motion: edges are seen, nothing moves", async (stage) => {
  const page = await opened(stage, { forcedColors: true, reducedMotion: true });
  const look = await page.evaluate(() => ({
    edge: getComputedStyle(/** @type {Element} */ (document.querySelector(".toolbar")))
      .borderTopStyle,
    move: getComputedStyle(/** @type {Element} */ (document.querySelector(".status .mark")))
      .animationName,
  }));
  assert.deepEqual(look, { edge: "solid", move: "none" });
  await line(page, [
    [400, 300],
    [600, 420],
  ]);
  await page.until(board.elements, [1]);
});
