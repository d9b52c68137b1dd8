// Which element has the focus, and how keys move it, in a document as in a shadow root.

const FOCUSABLE =
  "button:not([disabled]), [href], input:not([disabled]), select, textarea, [tabindex='0']";

/** The buttons of a bar, and those that open something beside themselves. */
const OF_BAR = "button:not([disabled], .popover *)";

/**
 * @param {Node} near
 * @returns {HTMLElement | null} what has the focus, also inside a shadow root
 */
export const focused = (near) => /** @type {any} */ (near.getRootNode()).activeElement ?? null;

/**
 * @param {Element} element
 * @param {string} [kind]
 * @returns the elements that are visible and can have the focus
 */
export function focusables(element, kind = FOCUSABLE) {
  /** @type {NodeListOf<HTMLElement>} */
  const all = element.querySelectorAll(kind);
  return [...all].filter((one) => one.getClientRects().length > 0);
}

/**
 * Gives a bar of buttons one tab stop: arrow keys, Home and End move on.
 * @param {HTMLElement} bar
 * @param {string} kind a selector of its buttons
 * @returns {() => void} gives the tab stop to the button that is pressed, or to the first one
 */
export function roving(bar, kind = OF_BAR) {
  bar.addEventListener("keydown", (event) => {
    const to = neighbour(bar, kind, event.key.replace("Arrow", ""));
    if (!to || focused(bar)?.closest(".popover")) return;
    event.preventDefault();
    event.stopPropagation();
    to.focus();
  });
  bar.addEventListener("focusin", (event) => {
    const [target] = event.composedPath();
    setTabStop(
      bar,
      focusables(bar, kind).find((one) => one === target),
    );
  });
  return () => {
    const all = focusables(bar, kind);
    setTabStop(bar, all.find((one) => one.ariaPressed === "true") ?? all[0]);
  };
}

/**
 * @param {HTMLElement} bar
 * @param {HTMLElement | undefined} chosen undefined: nothing changes
 */
function setTabStop(bar, chosen) {
  if (!chosen) return;
  const all = [...bar.querySelectorAll("button")].filter((one) => !one.closest(".popover"));
  for (const one of all) {
    one.tabIndex = one === chosen ? 0 : -1;
  }
}

/**
 * @param {HTMLElement} bar
 * @param {string} kind
 * @param {string} key
 * @returns {HTMLElement | undefined} where a key leads from the button that has the focus
 */
function neighbour(bar, kind, key) {
  const all = focusables(bar, kind);
  const held = focused(bar);
  const at = all.findIndex((one) => one === held);
  const next = (at + 1 + all.length) % all.length;
  const before = (at - 1 + all.length) % all.length;
  /** @type {Record<string, number>} */
  const places = {
    Down: next,
    Right: next,
    Up: before,
    Left: before,
    Home: 0,
    End: all.length - 1,
  };
  return all[places[key] ?? -1];
}

/**
 * Marks a paper that was reached by Tab or F6, so that its ring is shown: a browser also counts keys of tools
 * as a reason to show one, which would frame the whole board while one draws.
 * @param {HTMLElement} paper
 * @param {AbortSignal} [signal] ends it
 */
export function markReached(paper, signal) {
  let isByKey = false;
  const noteKey = (/** @type {KeyboardEvent} */ { key }) => {
    isByKey = key === "Tab" || key === "F6";
  };
  const notePress = () => {
    isByKey = false;
    paper.classList.remove("is-reached");
  };
  document.addEventListener("keydown", noteKey, { capture: true, signal });
  document.addEventListener("pointerdown", notePress, { capture: true, signal });
  paper.addEventListener("focus", () => paper.classList.toggle("is-reached", isByKey), { signal });
}
