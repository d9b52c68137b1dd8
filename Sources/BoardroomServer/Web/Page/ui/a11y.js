import { touches } from "../core/geom.js";
import { Part, fill, find, focusables, focused, h } from "./dom.js";
import { t } from "./i18n.js";

// The board for who does not see it: a list of what is on the page, one place of focus each, and a voice that
// says what the others do, not more often than can be listened to.

const MOST = 200;
const PACE = 2000;

/** Rows from top to bottom, each from left to right; what overlaps in height is one row.
 * @template Item @param {Array<{box: Box, item: Item}>} placed @returns {Item[]} */
export function inReadingOrder(placed) {
  const read = [];
  let rest = [...placed].sort((a, b) => a.box.top - b.box.top || a.box.left - b.box.left);
  while (rest.length) {
    const middle = (rest[0].box.top + rest[0].box.bottom) / 2;
    const row = rest.filter(({ box }) => box.top <= middle);
    rest = rest.filter(({ box }) => box.top > middle);
    read.push(...row.sort((a, b) => a.box.left - b.box.left).map(({ item }) => item));
  }
  return read;
}

/** @param {Thing} element @param {string} author @returns what a thing is, in words */
function described({ shape, stroke, set }, author) {
  const kind = shape?.type ?? (stroke?.begin.tool === "highlighter" ? "highlighter" : "pen");
  const text = String(set?.text ?? shape?.text ?? "").replace(/\s+/g, " ").trim().slice(0, 80);
  const name = t(`thing.${kind}`);
  const words = text ? t("thing.says", { name, text }) : name;
  return t("thing.by", { words, author }) + (set?.locked === true ? `, ${t("thing.locked")}` : "");
}

/** Says things one after another, the newest of a sort only. */
export class Voice {
  element = h("div", { class: "unseen", "aria-live": "polite", role: "status" });
  /** @type {Map<string, string>} */
  waiting = new Map();
  isResting = false;

  constructor(/** @type {Clock} */ clock) { this.clock = clock; }

  /** @param {string} text @param {string} [sort] a later one of the same sort takes its place */
  say(text, sort = text) {
    this.waiting.delete(sort);
    this.waiting.set(sort, text);
    if (!this.isResting) this.#speak();
  }

  #speak() {
    const [next] = this.waiting;
    this.isResting = next !== undefined;
    if (!next) return;
    this.waiting.delete(next[0]);
    this.element.textContent = next[1];
    this.clock.after(PACE, () => this.#speak());
  }
}

export class Mirror extends Part {
  element = find(this.app.element, ".mirror");
  list = find(this.element, "ul");

  constructor(/** @type {App} */ app) {
    super(app);
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.element.addEventListener("focusin", ({ relatedTarget: from }) => {
      if (!(from instanceof Node && this.element.contains(from))) this.#build();
    });
  }

  /** One item each for what is in sight. */
  #build() {
    const { board, overlay, paper, voice } = this.app;
    const placed = [];
    for (const item of overlay.elements(overlay.scene)) {
      const box = board.box(item.id);
      if (box && touches(box, board.view.seen)) placed.push({ box, item });
    }
    const items = inReadingOrder(placed).slice(0, MOST);
    const choose = (/** @type {string} */ id) => {
      board.tool = "select";
      board.selection = [id];
      paper.focus();
      voice.say(t("mirror.chosen"));
    };
    const rows = items.map((item, at) => {
      const words = described(/** @type {any} */ (item), this.app.authorOf(item.member));
      const place = t("mirror.place", { at: at + 1, all: items.length });
      const props = { tabindex: at ? -1 : 0, onclick: () => choose(item.id) };
      return h("li", {}, h("button", props, `${words} · ${place}`));
    });
    fill(this.list, rows.length ? rows : h("li", {}, t("mirror.empty")));
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const items = focusables(this.list, "button");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !items.length) return;
    const at = items.findIndex((one) => one === focused(this.element)) + step;
    const next = items[Math.min(Math.max(at, 0), items.length - 1)];
    for (const one of items) one.tabIndex = one === next ? 0 : -1;
    next.focus();
    event.preventDefault();
    event.stopPropagation();
  }
}
