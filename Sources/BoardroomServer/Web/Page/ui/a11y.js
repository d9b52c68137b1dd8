import { touches } from "../core/geom.js";
import { h, fill, focused } from "./dom.js";
import { t } from "./i18n.js";

// The board for who does not see it: a list of what is on the page, one place of focus each, and a voice that
// says what the others do, not more often than can be listened to.

/**
 * @typedef {{id: string, member: number, shape?: Record<string, any>, stroke?: any,
 *   set?: Record<string, any>}} Element
 */

const MOST = 200;
const PACE = 2000;

/** Rows from top to bottom, each from left to right; what overlaps in height is one row. */
/** @template T @param {Array<{box: Box, item: T}>} placed @returns {T[]} */
export function inReadingOrder(placed) {
  const rest = [...placed].sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  /** @type {T[]} */
  const read = [];
  while (rest.length) {
    const middle = (rest[0].box.top + rest[0].box.bottom) / 2;
    const row = rest.filter(({ box }) => box.top <= middle);
    for (const one of row.sort((a, b) => a.box.left - b.box.left)) {
      read.push(one.item);
      rest.splice(rest.indexOf(one), 1);
    }
  }
  return read;
}

/** What a thing is, in words. */
/** @param {Element} element @param {string} author */
export function described(element, author) {
  const kind = element.shape?.type ?? (element.stroke?.begin.tool === "highlighter" ? "highlighter" : "pen");
  const text = String(element.set?.text ?? element.shape?.text ?? "").replace(/\s+/g, " ").trim();
  const name = t(`thing.${kind}`);
  const words = text ? t("thing.says", { name, text: text.slice(0, 80) }) : name;
  const locked = element.set?.locked === true ? `, ${t("thing.locked")}` : "";
  return `${t("thing.by", { words, author })}${locked}`;
}

/** Says things one after another, the newest of a sort only. */
export class Voice {
  /** @param {{after(ms: number, run: () => void): () => void}} clock */
  constructor(clock) {
    this.clock = clock;
    this.element = h("div", { class: "unseen", "aria-live": "polite", role: "status" });
    /** @type {Map<string, string>} */
    this.waiting = new Map();
    this.isResting = false;
  }

  /** @param {string} text @param {string} [sort] a later one of the same sort takes its place */
  say(text, sort = text) {
    this.waiting.delete(sort);
    this.waiting.set(sort, text);
    if (!this.isResting) this.#speak();
  }

  #speak() {
    const next = this.waiting.entries().next().value;
    this.isResting = next !== undefined;
    if (!next) return;
    this.waiting.delete(next[0]);
    this.element.textContent = next[1];
    this.clock.after(PACE, () => this.#speak());
  }
}

export class Mirror {
  /** @param {import("../board/app.js").App} app */
  constructor(app) {
    this.app = app;
    this.list = h("ul", { class: "mirror-list" });
    this.element = h("section",
      { class: "mirror unseen-until-focus", "aria-label": t("mirror.title"), tabindex: 0 },
      h("p", {}, t("mirror.help")), this.list);
    this.element.addEventListener("focusin", (event) => {
      if (!this.element.contains(/** @type {Node | null} */ (event.relatedTarget))) this.build();
    });
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** One item each for what is in sight. */
  build() {
    const { board, overlay } = this.app;
    const { seen } = board.view;
    const placed = [];
    for (const element of overlay.elements(overlay.scene)) {
      const box = board.box(element.id);
      if (box && touches(box, seen)) placed.push({ box, item: element });
    }
    const items = inReadingOrder(placed).slice(0, MOST);
    const rows = items.map((element, at) => h("li", {}, h("button", {
      type: "button", tabindex: at ? -1 : 0, "data-id": element.id, onclick: () => this.choose(element.id),
    }, [described(element, this.app.authorOf(element.member)),
      t("mirror.place", { at: at + 1, all: items.length })]
      .join(" · "))));
    fill(this.list, ...(rows.length ? rows : [h("li", {}, t("mirror.empty"))]));
  }

  /** @param {string} id */
  choose(id) {
    const { board } = this.app;
    board.tool = "select";
    board.selection = [id];
    this.app.paper.focus();
    this.app.voice.say(t("mirror.chosen"));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const items = [...this.list.querySelectorAll("button")];
    const at = items.indexOf(/** @type {HTMLButtonElement} */ (focused(this.element)));
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined || !items.length) return;
    const next = items[Math.min(Math.max(at + step, 0), items.length - 1)];
    for (const one of items) one.tabIndex = one === next ? 0 : -1;
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
