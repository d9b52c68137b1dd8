import { fill, h, iconButton, popover, roving } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { swatchOf, stylePanel } from "./style.js";

// The tools: one tab stop, arrows go through them. Shapes share a button, which shows the last one that was
// used; a narrow screen keeps what is needed most and puts the rest behind "more".

/** @typedef {import("../board/app.js").App} App */

/** The letter of a tool, for tooltips; the board has them by their places on the keyboard. */
/** @type {Record<string, string>} */
export const LETTERS = {
  select: "V", hand: "H", pen: "P", highlighter: "M", eraser: "E", laser: "K", text: "T", note: "N",
    straight: "L",
  arrow: "A", rectangle: "R", ellipse: "O", rhombus: "D", triangle: "G", pentagram: "S", speechBalloon: "B",
};
export const SHAPES = ["rectangle", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon",
  "straight"];
const FIRST = ["select", "hand", "pen", "highlighter", "eraser"];
const LAST = ["arrow", "text", "note", "laser"];
/** What a phone has behind "more". */
const RARE = ["hand", "highlighter", "arrow", "laser"];

export class Toolbar {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.shape = SHAPES[0];
    /** What the style panel was last built for. */
    this.shown = "";
    /** @type {Map<string, HTMLButtonElement>} */
    this.buttons = new Map();
    const shapes = iconButton("shapes", t("tools.shapes"), () => {});
    this.shapes = popover(shapes, {
      label: t("tools.shapes"), class: "grid-popover",
        build: (panel) => panel.append(...SHAPES.map((name) => this.#tool(name, true))),
    });
    const more = iconButton("more", t("tools.more"), () => {}, { class: "tool only-narrow" });
    this.more = popover(more, {
      label: t("tools.more"), class: "grid-popover",
      build: (panel) => panel.append(...RARE.map((name) => this.#tool(name, true)), this.#image(true)),
    });
    this.swatch = h("span", { class: "swatch" });
    const style = h("button",
      { type: "button", class: "tool", "aria-label": t("style.title"), title: t("style.title") },
      this.swatch);
    this.style = popover(style,
      { label: t("style.title"), class: "style", stays: true, build: (panel) => stylePanel(app, panel) });
    this.element = h("div", { class: "toolbar bar", role: "toolbar", "aria-label": t("tools.title"),
      "aria-orientation": "vertical" },
      ...FIRST.map((name) => this.#tool(name)), this.shapes.anchor, ...LAST.map((name) => this.#tool(name)),
      this.#image(), this.more.anchor, h("span", { class: "rule" }), this.style.anchor);
    this.roving = roving(this.element);
  }

  /** @param {string} name */
  #tool(name, isInside = false) {
    const label = t("tools.hint", { name: t(`tools.${name}`), key: LETTERS[name] });
    const isRare = RARE.includes(name) && !isInside;
    const button = iconButton(name, label, () => this.choose(name, isInside), {
      "aria-pressed": String(this.app.board.tool === name), "aria-keyshortcuts": LETTERS[name],
      class: isRare ? "tool only-wide" : "tool", "data-tool": name,
    });
    if (!isInside) this.buttons.set(name, button);
    return button;
  }

  #image(isInside = false) {
    const choose = () => { this.more.close(); this.app.dialogs.image(); };
    return iconButton("image", t("tools.image"), choose, { class: isInside ? "tool" : "tool only-wide" });
  }

  /** @param {string} name */
  choose(name, isInside = false) {
    this.app.board.tool = name;
    if (isInside) [this.shapes, this.more].forEach((one) => one.close());
  }

  /** The board has another tool or style, or may be written on or not. */
  update() {
    const { tool, style, canWrite, theme } = this.app.board;
    if (SHAPES.includes(tool)) this.shape = tool;
    for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", String(name === tool));
    const shapes = this.shapes.anchor.querySelector("button");
    const more = this.more.anchor.querySelector("button");
    shapes?.setAttribute("aria-pressed", String(SHAPES.includes(tool)));
    more?.setAttribute("aria-pressed", String(RARE.includes(tool)));
    if (shapes) fill(shapes, icon(SHAPES.includes(tool) ? tool : "shapes"));
    for (const button of this.element.querySelectorAll("button")) {
      const name = button.dataset.tool ?? "";
      button.disabled = !canWrite && !["select", "hand"].includes(name) && button !== more;
    }
    swatchOf(this.swatch, style, theme);
    // Not for what others do: a button that is replaced under a finger is not pressed.
    const shown = JSON.stringify([tool, style, this.app.board.selection, theme]);
    if (shown !== this.shown) this.style.rebuild();
    this.shown = shown;
    this.roving.settle();
  }

  /** What is selected shows how it looks, where there is room for it. */
  /** @param {string[]} ids */
  selected(ids) {
    if (ids.length && this.app.board.canWrite && !this.app.isNarrow) this.style.open(false);
    else if (!ids.length) this.style.close(false);
    else this.style.rebuild();
  }
}
