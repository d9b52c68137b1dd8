// What an audit of accessibility asks of the focus: Tab reaches everything and goes around, the focus is
// seen, and what was opened gives it back. accessible-focus.test.js plants a fault of each kind.
import { compare, readPNG } from "./png.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./accessible.js").Finding} Finding */

/** Pixels that the focus has to change. */
const LEAST_RING = 24;

/** Pixels around an element in which its ring is drawn. */
const RING = 5;

/** What has the focus, as a mark on it, and what it is called. */
const focusedNow = () => {
  const { activeElement } = document;
  if (!activeElement || activeElement === document.body) return undefined;
  const marks = /** @type {any} */ (window);
  marks.tabStops ??= new WeakMap();
  marks.tabCount ??= 0;
  const known = marks.tabStops.get(activeElement) ?? ++marks.tabCount;
  marks.tabStops.set(activeElement, known);
  const { x, y, width, height } = activeElement.getBoundingClientRect();
  const name = activeElement.getAttribute("aria-label") ?? activeElement.textContent?.trim();
  return {
    number: known,
    name: `${activeElement.tagName} ${name?.slice(0, 30)}`,
    x,
    y,
    width,
    height,
  };
};

/** Elements that Tab has to reach and has not: those without a mark. */
const missed = () => {
  const marks = /** @type {any} */ (window);
  const within = document.querySelector("dialog:modal") ?? document.body;
  const STOPS = "a[href], button, input, select, textarea, summary, [tabindex]";
  /** @type {HTMLElement[]} */
  const all = [...within.querySelectorAll(STOPS)].filter((one) => one instanceof HTMLElement);
  const bars =
    "[role=toolbar], [role=menu], [role=radiogroup], [role=listbox], [role=tablist], .mirror";
  return all
    .filter((one) => one.checkVisibility({ checkVisibilityCSS: true }))
    .filter((one) => !one.matches(":disabled, [type=file]"))
    .filter((one) => {
      // Arrow keys lead to the others of a bar that has one stop.
      const isInBar = one.tabIndex < 0 && one.closest(bars)?.querySelector("[tabindex='0']");
      return !isInBar && !one.matches("[role=menu], dialog");
    })
    .filter((one) => !marks.tabStops?.has(one))
    .map((one) => `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent?.trim()}`);
};

/**
 * Goes through the page with Tab, from its beginning to where it begins again.
 * @param {Page} page
 * @param {{isSeen?: boolean, most?: number}} [options] `isSeen`: also compares pictures, whether the
 *   focus is seen
 * @returns {Promise<Finding[]>}
 */
export async function tabbed(page, { isSeen = false, most = 120 } = {}) {
  /** @type {Finding[]} */
  const found = [];
  await page.evaluate(() => {
    Object.assign(window, { tabStops: new WeakMap(), tabCount: 0 });
    const modal = document.querySelector("dialog:modal");
    const start = /** @type {HTMLElement} */ (modal ?? document.body);
    start.tabIndex = -1;
    start.focus();
    start.removeAttribute("tabindex");
  });
  /** @type {Awaited<ReturnType<typeof focusedNow>>} */
  let last;
  /** @type {Buffer | undefined} */
  let shown;
  let isAround = false;
  for (let steps = 0; steps < most && !isAround; steps++) {
    await page.hands.press("Tab");
    const now = await page.evaluate(focusedNow);
    if (now && now.number === last?.number) {
      found.push({ rule: "trap", where: now.name });
      break;
    }
    if (last && shown) {
      const without = await page.screenshot(clipOf(last));
      const { differing } = compare(readPNG(shown), readPNG(without), { tolerance: 16 });
      if (differing < LEAST_RING) found.push({ rule: "focus", where: `${last.name} ${differing}` });
    }
    // The page begins again: past its end nothing has the focus, or the first one has it.
    isAround = steps > 0 && (!now || now.number === 1);
    last = now;
    shown = isSeen && now && !isAround ? await page.screenshot(clipOf(now)) : undefined;
  }
  if (!isAround && found.every(({ rule }) => rule !== "trap")) {
    found.push({ rule: "trap", where: `${most} steps, and not around` });
  }
  for (const where of await page.evaluate(missed)) {
    found.push({ rule: "reach", where });
  }
  return found;
}

/** @param {{x: number, y: number, width: number, height: number}} box */
const clipOf = ({ x, y, width, height }) => ({
  x: Math.max(Math.floor(x - RING), 0),
  y: Math.max(Math.floor(y - RING), 0),
  width: Math.ceil(Math.min(width, 600) + 2 * RING),
  height: Math.ceil(Math.min(height, 400) + 2 * RING),
});

/**
 * Opens something with keys, and closes it with Escape.
 * @param {Page} page
 * @param {string} opener a selector
 * @param {string} opened a selector of what it opens
 * @returns {Promise<Finding[]>} where the focus does not go in, does not stay in a modal dialog, or
 *   does not come back
 */
export async function kept(page, opener, opened) {
  /** @type {Finding[]} */
  const found = [];
  const isIn = (/** @type {string} */ wanted) =>
    document.querySelector(wanted)?.contains(document.activeElement) === true;
  await page.evaluate((/** @type {string} */ one) => {
    /** @type {HTMLElement} */ (document.querySelector(one)).focus();
  }, opener);
  await page.hands.press("Enter");
  await page.see(opened);
  if (!(await page.evaluate(isIn, opened)))
    found.push({ rule: "dialog", where: `${opened}: not in` });
  const isModal = await page.evaluate(
    (/** @type {string} */ one) => document.querySelector(one)?.matches("dialog:modal") === true,
    opened,
  );
  for (let steps = 0; isModal && steps < 12; steps++) {
    await page.hands.press("Tab");
    const isOut = await page.evaluate(
      (/** @type {string} */ one) =>
        document.activeElement !== document.body &&
        !document.querySelector(one)?.contains(document.activeElement),
      opened,
    );
    if (isOut) found.push({ rule: "dialog", where: `${opened}: left by Tab` });
    if (isOut) break;
  }
  await page.hands.press("Escape");
  await page.until(
    (/** @type {string} */ one) => document.querySelector(one)?.checkVisibility() !== true,
    [opened],
  );
  const isBack = await page.evaluate(
    (/** @type {string} */ one) => document.activeElement === document.querySelector(one),
    opener,
  );
  if (!isBack) found.push({ rule: "dialog", where: `${opener}: the focus is not back` });
  return found;
}
