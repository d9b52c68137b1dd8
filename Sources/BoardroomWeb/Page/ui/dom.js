// Elements, pictures, pieces of HTML and buttons, in a document as in a shadow root.
import { t } from "./i18n.js";

/**
 * Makes an element. Functions become listeners (`onclick`), true and false set or leave out an
 * attribute.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} props
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(props)) {
    setProp(element, key, value);
  }
  fill(element, ...children);
  return element;
}

/**
 * @param {HTMLElement} element
 * @param {string} key
 * @param {any} value
 */
function setProp(element, key, value) {
  if (typeof value === "function") {
    element.addEventListener(key.slice(2), value);
  } else if (key === "style") {
    setStyle(element, value);
  } else if (value !== false && value !== undefined) {
    element.setAttribute(key, value === true ? "" : value);
  }
}

/**
 * Sets styles by the CSSOM, which a strict policy allows.
 * @param {HTMLElement} element
 * @param {Record<string, string>} style
 */
function setStyle(element, style) {
  for (const [name, value] of Object.entries(style)) {
    element.style.setProperty(name, value);
  }
}

/**
 * @param {Element} element
 * @param {...(Child | Child[])} children
 */
export const fill = (element, ...children) =>
  element.replaceChildren(.../** @type {Array<Node | string>} */ (children.flat().filter(Boolean)));

/**
 * @template {Element} [Kind=HTMLElement]
 * @param {ParentNode} within
 * @param {string} selector
 * @param {new () => Kind} kind
 * @returns {Kind} what the selector finds: `index.html` or a piece has to have it
 */
export function find(within, selector, kind = /** @type {any} */ (HTMLElement)) {
  const found = within.querySelector(selector);
  if (found instanceof kind) return found;
  throw new TypeError(`index.html has no ${kind.name} at ${selector}: reload the page.`);
}

const SPRITE = new URL("../icons.svg", import.meta.url);

// Browsers load symbols from the own origin only: in a page of another site the sprite is put
// beside the board.
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

/** All symbols, to be put beside a board in a page of another origin. */
export async function sprite() {
  const answer = await fetch(SPRITE);
  const text = await answer.text();
  const all = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  all.setAttribute("class", "unseen");
  return all;
}

/** The document with the templates; in a page of another site it is another one. */
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
    if (dataset.label) setLabel(one, t(dataset.label, dataset));
    if (dataset.icon) one.prepend(icon(dataset.icon));
  }
  return made;
}

/**
 * Names an element for screen readers; a button shows the name, with its keys.
 * @param {Element} element
 * @param {string} name
 */
export function setLabel(element, name) {
  const key = element.getAttribute("aria-keyshortcuts")?.replaceAll(" ", ", ");
  element.ariaLabel = key ? t("tools.hint", { name, key }) : name;
  if (element instanceof HTMLButtonElement) element.title = element.ariaLabel;
}

/**
 * A button with a picture and no words.
 * @param {string} picture
 * @param {string} label is told to screen readers, and shown
 * @param {(event: Event) => void} onclick
 * @param {Record<string, any>} props
 */
export function iconButton(picture, label, onclick, props = {}) {
  const usual = { type: "button", class: "tool", "aria-label": label, title: label, onclick };
  return h("button", { ...usual, ...props }, icon(picture));
}
