import { icon } from "./icons.js";

// Elements in one expression, and the three things that chrome is made of: buttons, popovers, dialogs. They
// work in a document as in a shadow root, so that the board can live in a page of somebody else's.

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Functions become listeners (`onclick`), true and false set or leave out an attribute, `style` goes through
 * the CSSOM, which a strict policy allows.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Record<string, any>} [props] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(key.slice(2), value);
    else if (key === "style") setStyle(element, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && (value ?? null) !== null) element.setAttribute(key, String(value));
  }
  fill(element, ...children);
  return element;
}

/** @param {HTMLElement} element @param {Record<string, string>} parts */
function setStyle(element, parts) {
  for (const [name, part] of Object.entries(parts)) element.style.setProperty(name, part);
}

/** Puts these in the place of what is inside. */
/** @param {Element} element @param {...(Child | Child[])} children */
export function fill(element, ...children) {
  element.replaceChildren(...children.flat().filter(
    (child) => child !== null && child !== undefined && child !== false)
    .map((child) => /** @type {Node | string} */ (child)));
  return element;
}

/**
 * A button with a picture; its name is told to screen readers and shown as a tooltip.
 * @param {string} picture @param {string} label @param {(event: Event) => void} onclick
 * @param {Record<string, any>} [props]
 */
export function iconButton(picture, label, onclick, props = {}) {
  return h("button", { type: "button", class: "tool", "aria-label": label, title: label, onclick, ...props },
    icon(picture));
}

/**
 * @param {string} picture @param {string} label @param {(event: Event) => void} onclick
 * @param {Record<string, any>} [props]
 */
export function wordButton(picture, label, onclick, props = {}) {
  const picked = picture ? icon(picture) : null;
  return h("button", { type: "button", class: "button", onclick, ...props }, picked, h("span", {}, label));
}

/** The focused element, also inside a shadow root. */
/** @param {Node} near @returns {HTMLElement | null} */
export function focused(near) {
  const root = /** @type {Document | ShadowRoot} */ (near.getRootNode());
  return /** @type {HTMLElement | null} */ (root.activeElement ?? null);
}

const FOCUSABLE = "button:not([disabled]), [href], input:not([disabled]), select, textarea, [tabindex='0']";

/** What can be focused and is seen. */
/** @param {Element} element @returns {HTMLElement[]} */
export const focusables = (element) => [...element.querySelectorAll(FOCUSABLE)]
  .map((one) => /** @type {HTMLElement} */ (one)).filter((one) => one.getClientRects().length > 0);

/**
 * A panel that a button opens beside itself. Escape, another click on the button or one elsewhere closes it.
 * @param {HTMLButtonElement} button
 * @param {{label: string, class?: string, build(panel: HTMLElement): void, stays?: boolean}} options
 *   build: fills it, each time it opens; stays: a click elsewhere leaves it open
 */
export function popover(button, { label, build, stays = false, ...rest }) {
  const panel = h("div", { class: `popover ${rest.class ?? ""}`, role: "dialog", "aria-label": label,
    hidden: true });
  const anchor = h("div", { class: "anchor" }, button, panel);
  const outside = (/** @type {Event} */ event) => {
    const path = event.composedPath();
    if (!path.includes(anchor) && !path.some((one) => one instanceof HTMLDialogElement)) close(false);
  };
  const close = (takesFocus = true) => {
    if (panel.hidden) return;
    panel.hidden = true;
    fill(panel);
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    if (takesFocus) button.focus();
  };
  const open = (takesFocus = true) => {
    fill(panel);
    build(panel);
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    if (!stays) document.addEventListener("pointerdown", outside, true);
    if (!takesFocus) return;
    // Not into a field to write in: on a phone a keyboard would come up.
    const inside = focusables(panel).filter((one) => !one.matches("input:not([type=range])"));
    (inside.find((one) => one.matches("[aria-checked=true], [aria-pressed=true]")) ?? inside[0])?.focus();
  };
  button.setAttribute("aria-haspopup", "dialog");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => (panel.hidden ? open() : close()));
  anchor.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    close();
  });
  // What had the focus has it again, by its name.
  const rebuild = () => {
    if (panel.hidden) return;
    const held = focused(panel);
    const name = held && panel.contains(held) ? held.getAttribute("aria-label") : null;
    fill(panel);
    build(panel);
    if (name) focusables(panel).find((one) => one.getAttribute("aria-label") === name)?.focus();
  };
  return { anchor, panel, open, close, rebuild };
}

/**
 * A modal dialog; what it was opened from gets the focus back.
 * @param {Element} root @param {string} title @param {string} closeLabel @param {...Child} content
 */
export function showDialog(root, title, closeLabel, ...content) {
  const before = focused(root);
  const heading = h("h2", {}, title);
  const close = () => dialog.close();
  const dialog = h("dialog", { class: "dialog", "aria-label": title },
    h("header", {}, heading, iconButton("close", closeLabel, close)),
    h("div", { class: "dialog-body" }, ...content));
  dialog.addEventListener("close", () => { dialog.remove(); before?.focus(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) close(); });
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  root.append(dialog);
  dialog.showModal();
  return { dialog, close };
}

/**
 * One tab stop for a row of buttons; arrows, Home and End go through it.
 * @param {HTMLElement} bar
 */
export function roving(bar) {
  const items = () => [...bar.querySelectorAll(":scope > button, :scope > .anchor > button")]
    .map((one) => /** @type {HTMLButtonElement} */ (one))
    .filter((one) => !one.disabled && one.getClientRects().length > 0);
  const settle = (/** @type {HTMLElement | undefined} */ chosen) => {
    for (const one of bar.querySelectorAll("button")) {
      if (!one.closest(".popover")) one.tabIndex = one === chosen ? 0 : -1;
    }
  };
  bar.addEventListener("keydown", (event) => {
    const all = items();
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (focused(bar)));
    if (at < 0) return;
    const isAhead = event.key === "ArrowDown" || event.key === "ArrowRight";
    const isBack = event.key === "ArrowUp" || event.key === "ArrowLeft";
    const to = isAhead ? (at + 1) % all.length : isBack ? (at - 1 + all.length) % all.length
      : event.key === "Home" ? 0 : event.key === "End" ? all.length - 1 : -1;
    if (to < 0) return;
    event.preventDefault();
    event.stopPropagation();
    settle(all[to]);
    all[to].focus();
  });
  bar.addEventListener("focusin", (event) => {
    const button = /** @type {HTMLElement} */ (event.composedPath()[0]);
    if (items().includes(/** @type {HTMLButtonElement} */ (button))) settle(button);
  });
  return { settle: () => settle(
    items().find((one) => one.getAttribute("aria-pressed") === "true") ?? items()[0]) };
}
