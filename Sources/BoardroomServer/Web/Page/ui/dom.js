// Elements, pictures, pieces of HTML, buttons and popovers, in a document as in a shadow root.
import { t } from "./i18n.js";

/** @type {ElementMaker} `style` goes through the CSSOM, which a strict policy allows */
export const h = (tag, props = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    if (typeof value === "function") {
      element.addEventListener(key.slice(2), value);
    } else if (key === "style") {
      for (const name in value) {
        element.style.setProperty(name, value[name]);
      }
    } else if (value !== false && value !== undefined) {
      element.setAttribute(key, value === true ? "" : value);
    }
  }
  fill(element, ...children);
  return element;
};

/**
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export const fill = (element, ...children) =>
  element.replaceChildren(.../** @type {Array<Node | string>} */ (children.flat().filter(Boolean)));

/** @type {Finder} what a selector finds, which has to be there */
export const find = (within, selector, kind = /** @type {any} */ (HTMLElement)) => {
  const found = within.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`index.html has no ${kind.name} at ${selector}: reload the page.`);
};

const SPRITE = new URL("../icons.svg", import.meta.url);

// Browsers take symbols from their own origin only: in somebody else's page the sprite lies beside
// the board.
const PLACE = globalThis.location?.origin === SPRITE.origin ? SPRITE.pathname : "";

/** @param {string} name of a symbol */
export function icon(name) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  made.setAttribute("class", "icon");
  made.setAttribute("aria-hidden", "true");
  made.append(document.createElementNS(made.namespaceURI, "use"));
  made.firstElementChild?.setAttribute("href", `${PLACE}#${name}`);
  return made;
}

/** All pictures, to be put beside a board that is not in a page of the server's origin. */
export async function sprite() {
  const text = await (await fetch(SPRITE)).text();
  const all = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  all.setAttribute("class", "unseen");
  return all;
}

/** Where pieces are taken from; in somebody else's page that is not its own document. */
export const pieces = { from: globalThis.document };

/**
 * A `<template>` of the page, in the reader's language: `data-word` is what an element says,
 * `data-icon` the picture before its words, `data-label` its name. `{name}` in words stands for
 * what `data-name` is.
 * @param {string} name
 */
export function piece(name) {
  const { content } = find(pieces.from, `template#${name}`, HTMLTemplateElement);
  const made = document.importNode(content, true);
  for (const one of made.querySelectorAll("[data-word], [data-label], [data-icon]")) {
    const { dataset } = /** @type {HTMLElement} */ (one);
    if (dataset.word) one.append(t(dataset.word, dataset));
    if (dataset.label) called(one, t(dataset.label, dataset));
    if (dataset.icon) one.prepend(icon(dataset.icon));
  }
  return made;
}

/**
 * For screen readers; a button shows it, with its key.
 * @param {Element} element
 * @param {string} name
 */
export function called(element, name) {
  const key = element.getAttribute("aria-keyshortcuts");
  element.ariaLabel = key ? t("tools.hint", { name, key }) : name;
  if (element instanceof HTMLButtonElement) element.title = element.ariaLabel;
}

/** @type {ButtonMaker} a button with a picture only */
export const iconButton = (picture, label, onclick, props = {}) =>
  h(
    "button",
    { type: "button", class: "tool", "aria-label": label, title: label, onclick, ...props },
    icon(picture),
  );

/** @type {(near: Node) => HTMLElement | null} what has the focus, also inside a shadow root */
export const focused = (near) => /** @type {any} */ (near.getRootNode()).activeElement ?? null;

const FOCUSABLE =
  "button:not([disabled]), [href], input:not([disabled]), select, textarea, [tabindex='0']";

/**
 * @param {Element} element
 * @param {string} [kind]
 * @returns what is seen, and takes the focus
 */
export const focusables = (element, kind = FOCUSABLE) =>
  [.../** @type {NodeListOf<HTMLElement>} */ (element.querySelectorAll(kind))].filter(
    (one) => one.getClientRects().length > 0,
  );

/**
 * A panel that a button opens beside itself. Escape, another click on the button or one elsewhere
 * closes it.
 * @param {HTMLButtonElement} button
 * @param {PopoverOptions} options
 */
export function popover(button, { label, build, stays = false, goes = false, class: kind = "" }) {
  const panel = h("div", {
    class: `popover ${kind}`,
    role: "dialog",
    "aria-label": label,
    hidden: true,
  });
  const anchor = h("div", { class: "anchor" });
  button.replaceWith(anchor);
  anchor.append(button, panel);
  const outside = (/** @type {Event} */ event) => {
    const path = event.composedPath();
    if (!path.includes(anchor) && !path.some((one) => one instanceof HTMLDialogElement)) {
      close(false);
    }
  };
  const turn = (/** @type {boolean} */ isOpen) => {
    panel.hidden = !isOpen;
    button.ariaExpanded = String(isOpen);
    fill(panel);
    if (isOpen) build(panel);
    document[isOpen && !stays ? "addEventListener" : "removeEventListener"](
      "pointerdown",
      outside,
      true,
    );
  };
  const close = (takesFocus = true) => {
    if (panel.hidden) return;
    turn(false);
    if (takesFocus) button.focus();
  };
  const open = (takesFocus = true) => {
    const held = panel.contains(focused(panel)) && focused(panel)?.ariaLabel;
    turn(true);
    if (!takesFocus) return;
    // What had the focus has it again, by its name; not a field to write in: a phone shows its
    // keyboard.
    const inside = focusables(panel).filter((one) => !one.matches("input:not([type=range])"));
    const chosen =
      inside.find((one) => held && one.ariaLabel === held) ??
      inside.find((one) => one.matches("[aria-checked=true], [aria-pressed=true]")) ??
      inside[0];
    chosen?.focus();
  };
  const rebuild = () => {
    if (!panel.hidden) open(panel.contains(focused(panel)));
  };
  button.ariaHasPopup = "dialog";
  button.ariaExpanded = "false";
  button.addEventListener("click", () => (panel.hidden ? open() : close()));
  if (goes) {
    panel.addEventListener("click", ({ target }) => {
      if (target !== panel) close();
    });
  }
  anchor.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || panel.hidden) return;
    event.stopPropagation();
    close();
  });
  return { panel, open, close, rebuild };
}

// One tab stop for the buttons of a bar: arrows, Home and End go on. Gives what gives it to the
// pressed one.
const OF_BAR = ":is(:scope, :scope > .anchor) > button:not([disabled])";

/** @param {HTMLElement} bar */
export function roving(bar, kind = OF_BAR) {
  const settle = (/** @type {HTMLElement | undefined} */ chosen) => {
    const all = chosen
      ? [...bar.querySelectorAll("button")].filter((one) => !one.closest(".popover"))
      : [];
    for (const one of all) {
      one.tabIndex = one === chosen ? 0 : -1;
    }
  };
  bar.addEventListener("keydown", (event) => {
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
    const to = all[places[event.key.replace("Arrow", "")] ?? -1];
    if (!to || held?.closest(".popover")) return;
    event.preventDefault();
    event.stopPropagation();
    to.focus();
  });
  bar.addEventListener("focusin", (event) =>
    settle(focusables(bar, kind).find((one) => one === event.composedPath()[0])),
  );
  return () => {
    const all = focusables(bar, kind);
    settle(all.find((one) => one.ariaPressed === "true") ?? all[0]);
  };
}
