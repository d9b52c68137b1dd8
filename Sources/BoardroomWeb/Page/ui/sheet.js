// The handle of a panel that comes from below: a drag down, a tap or a key closes the panel.
import { h } from "./dom.js";

/** Pixels by which a sheet is pulled down to be closed; a lower one by a third of its height. */
const FAR = 80;

/** Pixels of a drag at least: a tap is shorter. */
const LEAST_DRAG = 6;

/**
 * @param {HTMLElement} panel follows the finger by `--pulled`
 * @param {string} label
 * @param {() => void} close
 */
export function sheetHandle(panel, label, close) {
  /** @type {number | undefined} where the finger went down */
  let from;
  let pulled = 0;
  const pull = (/** @type {number} */ by) => {
    pulled = by;
    panel.style.setProperty("--pulled", `${by}px`);
  };
  const end = (/** @type {boolean} */ isMeant) => {
    const isDone = pulled < LEAST_DRAG || pulled > Math.min(FAR, panel.offsetHeight / 3);
    const wasDown = from !== undefined;
    from = undefined;
    panel.classList.remove("is-pulled");
    pull(0);
    if (isMeant && wasDown && isDone) close();
  };
  const props = { type: "button", class: "sheet-handle", "aria-label": label, title: label };
  const handle = h("button", props);
  handle.onpointerdown = ({ clientY, pointerId }) => {
    from = clientY;
    panel.classList.add("is-pulled");
    handle.setPointerCapture(pointerId);
  };
  handle.onpointermove = ({ clientY }) => {
    if (from !== undefined) pull(Math.max(clientY - from, 0));
  };
  handle.onpointerup = () => end(true);
  handle.onpointercancel = () => end(false);
  // To browsers a drag is no gesture of theirs: they would swallow the next tap.
  handle.ontouchstart = (event) => event.preventDefault();
  handle.onclick = ({ detail }) => {
    // Keys, and what reads the screen.
    if (detail === 0) close();
  };
  return handle;
}
