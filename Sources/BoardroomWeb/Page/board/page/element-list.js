// A list of what is on the page, for people who do not see the board.
import { touches } from "../../render/geom.js";
import { fill, find, h } from "../../ui/dom.js";
import { roving } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { thingName } from "../../ui/things.js";
import { Part } from "./part.js";

/** Items of the list, at most. */
const MOST_ITEMS = 200;

/**
 * Rows from top to bottom, each from left to right; elements that overlap in height are one row.
 * @template Item
 * @param {Array<{box: Box, item: Item}>} placed
 * @returns {Item[]}
 */
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

/**
 * @param {Thing} element
 * @param {string} author
 * @returns what a thing is, in words
 */
function described(element, author) {
  const words = t("thing.by", { words: thingName(element), author });
  return words + (element.set?.locked === true ? `, ${t("thing.locked")}` : "");
}

export class ElementList extends Part {
  element = find(this.app.element, ".mirror");
  updateTabStop = roving(this.element, "li > button");

  /** @param {App} app */
  constructor(app) {
    super(app);
    this.element.addEventListener("focusin", ({ relatedTarget: from }) => {
      if (!(from instanceof Node && this.element.contains(from))) this.#build();
    });
  }

  /** An item for each element in sight. */
  #build() {
    const { app } = this;
    const { board, overlay } = app;
    const placed = [...overlay.elements(overlay.scene)].flatMap((item) => {
      const box = board.box(item.id);
      return box && touches(box, board.view.seen) ? { box, item } : [];
    });
    const shown = inReadingOrder(placed).slice(0, MOST_ITEMS);
    const rows = shown.map((item, at) => {
      const words = described(/** @type {any} */ (item), app.authorOf(item.member));
      const place = t("mirror.place", { at: at + 1, all: shown.length });
      const props = { onclick: () => this.#choose(item.id) };
      return h("li", {}, h("button", props, `${words} · ${place}`));
    });
    fill(find(this.element, "ul"), rows.length ? rows : h("li", {}, t("mirror.empty")));
    this.updateTabStop();
  }

  /** @param {string} id */
  #choose(id) {
    const { board, paper, voice } = this.app;
    board.tool = "select";
    board.selection = [id];
    paper.focus();
    voice.announce(t("mirror.chosen"));
  }
}
