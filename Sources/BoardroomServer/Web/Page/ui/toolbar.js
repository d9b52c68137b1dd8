import { Part, fill, find, piece, popover, roving } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { stylePanel, swatchOf } from "./style.js";

// The tools: one tab stop, arrows go through them. Shapes share a button, which shows the last one that was
// used; a narrow screen keeps what is needed most and puts the rest behind "more".

export class Toolbar extends Part {
  element = find(this.app.element, ".toolbar");
  settle = roving(this.element);
  /** What the style panel was last built for. */
  shown = "";
  parts = ["shapes", "more"].map((name) => {
    const inside = piece(name);
    const build = (/** @type {HTMLElement} */ panel) => {
      panel.append(piece(name));
      this.update();
    };
    const about = { label: t(`tools.${name}`), class: "grid-popover", goes: true, build };
    const has = (/** @type {string} */ tool) => inside.querySelector(`[data-tool=${tool}]`) !== null;
    return { name, has, ...this.#opens(name, about) };
  });
  style = this.#opens("style",
    { label: t("style.title"), class: "style", stays: true, build: (panel) => stylePanel(this.app, panel) });

  #opens(/** @type {string} */ name, /** @type {PopoverOptions} */ options) {
    const button = find(this.element, `.${name}-open`, HTMLButtonElement);
    return { button, ...popover(button, options) };
  }

  /** The board has another tool or style, or may be written on or not. */
  update() {
    const { tool, style, canWrite, theme, selection } = this.app.board;
    for (const button of this.element.querySelectorAll("button")) {
      const name = button.dataset.tool ?? "";
      if (name) button.ariaPressed = String(name === tool);
      button.disabled = !canWrite && !["select", "hand"].includes(name) && !button.matches(".more-open");
    }
    for (const { name, button, has } of this.parts) {
      button.ariaPressed = String(has(tool));
      const picture = name === "shapes" && has(tool) ? tool : name;
      // A button whose picture is replaced under a finger is not pressed.
      if (button.dataset.icon !== picture) fill(button, icon(picture));
      button.dataset.icon = picture;
    }
    swatchOf(find(this.element, ".swatch"), style, theme);
    // Not for what others do, for the same reason.
    const shown = JSON.stringify([tool, style, selection, theme]);
    if (shown !== this.shown) this.style.rebuild();
    this.shown = shown;
    this.settle();
  }

  /** @param {string[]} ids what is selected shows how it looks, where there is room for it */
  selected(ids) {
    if (ids.length && this.app.board.canWrite && !this.app.isNarrow) this.style.open(false);
    else if (!ids.length) this.style.close(false);
    else this.style.rebuild();
  }
}
