// What replay.html has, found by selectors.
import { find } from "../ui/dom.js";

/**
 * @param {string} selector
 * @returns {any} the element, of whichever kind it is: it has to be there
 */
export const part = (selector) => find(document, selector);

/**
 * @param {string} selector
 * @param {(element: any) => void} run
 */
export const each = (selector, run) => document.querySelectorAll(selector).forEach(run);

/**
 * @param {string} selector
 * @param {string} type of events; a form that is sent loads no page
 * @param {(element: any) => unknown} run
 */
export function listen(selector, type, run) {
  part(selector).addEventListener(type, (/** @type {Event} */ event) => {
    if (type === "submit") event.preventDefault();
    run(event.target);
  });
}
