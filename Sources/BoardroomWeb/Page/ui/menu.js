// A menu at a place: arrow keys, Home, End and first letters move in it, Enter chooses, right and
// left open and close the menus in it, Escape, Tab and a press elsewhere close it.
import { h } from "./dom.js";
import { focused } from "./focus.js";

/**
 * An item; "": a line between items. `keys`: that do the same; `isOn`: an item that is on or off;
 * `items`: a menu of its own.
 * @typedef {{
 *   label: string;
 *   keys?: string;
 *   isOn?: boolean;
 *   isOff?: boolean;
 *   items?: MenuItem[];
 *   run?(): void;
 * } | ""} MenuItem
 */

/** Pixels between a menu and the edge of the page. */
const MARGIN = 8;

export class Menu {
  /**
   * @param {HTMLElement} root over which the menu lies
   * @param {{label: string, items: MenuItem[], at: {x: number, y: number}, onClose(): void}} options
   *   `at`: pixels of the root; `onClose`: gives the focus back
   */
  constructor(root, { label, items, at, onClose }) {
    this.root = root;
    this.onClose = onClose;
    this.element = this.#menu(label, items);
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("contextmenu", (event) => event.preventDefault());
    root.append(this.element);
    this.#place(this.element, at, at.x);
    document.addEventListener("pointerdown", this.#onPress, true);
    addEventListener("blur", this.#onBlur);
    this.element.focus();
  }

  /**
   * @param {string} label
   * @param {MenuItem[]} items
   * @returns {HTMLElement}
   */
  #menu(label, items) {
    const rows = items.map((item) =>
      item === "" ? h("div", { role: "separator", class: "separator" }) : this.#item(item),
    );
    const props = { role: "menu", class: "popover context-menu", tabindex: -1 };
    return h("div", { ...props, "aria-label": label }, rows);
  }

  /** @param {Exclude<MenuItem, "">} item */
  #item({ label, keys, isOn, isOff = false, items, run }) {
    const words = h("span", { class: "words" }, label);
    const hint = keys && h("kbd", { "aria-hidden": "true" }, keys);
    const role = isOn === undefined ? "menuitem" : "menuitemcheckbox";
    const props = { role, class: "menu-item", tabindex: -1, type: "button" };
    const button = h("button", { ...props, disabled: isOff }, words, hint);
    if (isOn !== undefined) button.ariaChecked = String(isOn);
    if (!items) {
      button.onclick = () => this.#choose(run);
      button.onpointermove = (event) => isMove(event) && this.#reach(button);
      return button;
    }
    button.ariaHasPopup = "menu";
    button.ariaExpanded = "false";
    const inner = this.#menu(label, items);
    inner.hidden = true;
    button.onclick = () => this.#open(button, inner, true);
    button.onpointermove = (event) =>
      isMove(event) && inner.hidden && this.#open(button, inner, false);
    return h("div", { class: "menu-anchor", role: "none" }, button, inner);
  }

  /** @param {(() => void) | undefined} run */
  #choose(run) {
    this.close();
    run?.();
  }

  /** @param {HTMLElement} button that the pointer is over */
  #reach(button) {
    if (focused(button) === button) return;
    this.#closeBeside(button);
    button.focus({ preventScroll: true });
  }

  /**
   * Closes the menus of other items of the same menu.
   * @param {HTMLElement} button
   */
  #closeBeside(button) {
    const menu = /** @type {HTMLElement} */ (button.closest("[role=menu]"));
    for (const one of menu.querySelectorAll("[role=menu]")) {
      /** @type {HTMLElement} */ (one).hidden = true;
    }
    for (const one of menu.querySelectorAll("[aria-expanded]")) {
      one.ariaExpanded = "false";
    }
  }

  /**
   * @param {HTMLElement} button
   * @param {HTMLElement} inner
   * @param {boolean} enters
   */
  #open(button, inner, enters) {
    this.#closeBeside(button);
    button.focus({ preventScroll: true });
    inner.hidden = false;
    button.ariaExpanded = "true";
    const { left, right, top } = button.getBoundingClientRect();
    const { left: x, top: y } = this.root.getBoundingClientRect();
    this.#place(inner, { x: right - x, y: top - y }, left - x);
    if (enters) itemsOf(inner)[0]?.focus();
  }

  /**
   * @param {HTMLElement} menu
   * @param {{x: number, y: number}} at
   * @param {number} otherwise where its right side is, if there is no room to the right
   */
  #place(menu, at, otherwise) {
    const { width, height } = this.root.getBoundingClientRect();
    const { offsetWidth: wide, offsetHeight: high } = menu;
    const isLeft = at.x + wide + MARGIN > width;
    const left = isLeft && otherwise - wide >= MARGIN ? otherwise - wide : at.x;
    const x = Math.max(Math.min(left, width - wide - MARGIN), MARGIN);
    const y = Math.max(Math.min(at.y, height - high - MARGIN), MARGIN);
    Object.assign(menu.style, { left: `${x}px`, top: `${y}px` });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const { key } = event;
    const held = focused(this.element);
    const menu = /** @type {HTMLElement} */ (held?.closest("[role=menu]") ?? this.element);
    const isIn = held !== null && held !== menu;
    event.stopPropagation();
    if (key === "Tab") return this.close();
    if (key === "Enter" || key === " ") {
      event.preventDefault();
      return isIn ? held.click() : undefined;
    }
    event.preventDefault();
    if (key === "Escape" && menu === this.element) return this.close();
    if (key === "Escape" || key === "ArrowLeft") return this.#leave(menu);
    if (key === "ArrowRight" && isIn && held.ariaHasPopup === "menu") return held.click();
    this.#next(menu, isIn ? held : undefined, key)?.focus();
  }

  /** @param {HTMLElement} menu */
  #leave(menu) {
    if (menu === this.element) return;
    const button = /** @type {HTMLElement} */ (menu.previousElementSibling);
    this.#closeBeside(button);
    button.focus();
  }

  /**
   * @param {HTMLElement} menu
   * @param {HTMLElement | undefined} held
   * @param {string} key
   * @returns {HTMLElement | undefined}
   */
  #next(menu, held, key) {
    const all = itemsOf(menu);
    const at = held ? all.indexOf(/** @type {HTMLButtonElement} */ (held)) : -1;
    if (key === "ArrowDown") return all[(at + 1) % all.length];
    if (key === "ArrowUp") return all[at <= 0 ? all.length - 1 : at - 1];
    if (key === "Home") return all[0];
    if (key === "End") return all[all.length - 1];
    if (key.length !== 1) return undefined;
    const later = [...all.slice(at + 1), ...all.slice(0, at + 1)];
    const begins = (/** @type {HTMLElement} */ one) =>
      one.textContent?.toLowerCase().startsWith(key.toLowerCase());
    return later.find(begins);
  }

  #onPress = (/** @type {Event} */ event) => {
    if (!event.composedPath().includes(this.element)) this.close();
  };

  #onBlur = () => this.close();

  close() {
    if (!this.element.isConnected) return;
    document.removeEventListener("pointerdown", this.#onPress, true);
    removeEventListener("blur", this.#onBlur);
    this.element.remove();
    this.onClose();
  }
}

/**
 * A menu that opens under a pointer that rests leaves the focus where it is.
 * @param {PointerEvent} event
 */
const isMove = ({ movementX, movementY }) => movementX !== 0 || movementY !== 0;

/**
 * @param {HTMLElement} menu
 * @returns {HTMLButtonElement[]} its own items that can be chosen
 */
function itemsOf(menu) {
  const all = menu.querySelectorAll(":scope > button, :scope > .menu-anchor > button");
  return /** @type {HTMLButtonElement[]} */ ([...all]).filter((one) => !one.disabled);
}
