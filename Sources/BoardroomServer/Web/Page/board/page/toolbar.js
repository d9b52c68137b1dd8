// The tools, with one tab stop, and the style of what is drawn next or selected. Shapes share a
// button, which shows the last one that was used; a narrow screen puts what is needed least behind
// "more".

import { shown } from "../../render/colours.js";
import { fill, find, focusables, icon, piece, popover, roving } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Part } from "./part.js";

const TEXTS = ["text", "note"];
const LINES = ["pen", "highlighter", "laser", "select"]; // draw nothing that could be filled

/**
 * @param {number[]} colour
 * @param {Theme} theme
 * @returns it as the paper shows it
 */
const css = (colour, theme) =>
  shown(`#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`, theme);

export class Toolbar extends Part {
  element = find(this.app.element, ".toolbar");
  settle = roving(this.element);
  shown = ""; // what the style panel was last built for
  parts = ["shapes", "more"].map((name) => {
    const inside = piece(name);
    const build = (/** @type {HTMLElement} */ panel) => {
      panel.append(piece(name));
      this.update();
    };
    const about = { label: t(`tools.${name}`), class: "grid-popover", goes: true, build };
    const has = (/** @type {string} */ tool) =>
      inside.querySelector(`[data-tool=${tool}]`) !== null;
    return { name, has, ...this.#opens(name, about) };
  });

  style = this.#opens("style", {
    label: t("style.title"),
    class: "style",
    stays: true,
    build: (panel) => this.#buildStyle(panel),
  });

  /**
   * @param {string} name
   * @param {PopoverOptions} options
   */
  #opens(name, options) {
    const button = find(this.element, `.${name}-open`, HTMLButtonElement);
    return { button, ...popover(button, options) };
  }

  /** The board has another tool or style, or may be written on or not. */
  update() {
    const { tool, style, canWrite, theme, selection } = this.app.board;
    for (const button of this.element.querySelectorAll("button")) {
      const name = button.dataset.tool ?? "";
      if (name) button.ariaPressed = String(name === tool);
      button.disabled =
        !canWrite && !["select", "hand"].includes(name) && !button.matches(".more-open");
    }
    for (const { name, button, has } of this.parts) {
      button.ariaPressed = String(has(tool));
      const picture = name === "shapes" && has(tool) ? tool : name;
      // A button whose picture is replaced under a finger is not pressed.
      if (button.dataset.icon !== picture) fill(button, icon(picture));
      button.dataset.icon = picture;
    }
    const swatch = find(this.element, ".swatch").style;
    swatch.setProperty("--ink", css(style.colour ?? [30, 30, 30], theme));
    swatch.setProperty("--thick", `${Math.min(Math.max(style.width, 4), 14) + 6}px`);
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

  /** @param {HTMLElement} panel */
  #buildStyle(panel) {
    const { board, overlay } = this.app;
    const { tool, theme, selection } = board;
    /** @type {any} */
    const style = {
      ...board.style,
      fill: board.style.fill ?? null,
      align: board.style.align ?? "left",
    };
    const things = selection.map((id) => overlay.element(id));
    const types = things.map((thing) => thing?.shape?.type ?? "stroke");
    const isText = types.length
      ? types.every((type) => TEXTS.includes(type))
      : TEXTS.includes(tool);
    const isFlat = types.length
      ? types.some((type) => type !== "stroke" && type !== "image")
      : !LINES.includes(tool);
    const isLocked = things.every((thing) => thing?.set?.locked === true);
    panel.append(piece("style"));
    const wanted = { text: isText, line: !isText, flat: isFlat, selection: types.length > 0 };
    for (const [what, isWanted] of Object.entries(wanted)) {
      const buttons = isWanted ? [] : panel.querySelectorAll(`[data-for=${what}]`);
      for (const button of buttons) {
        button.remove();
      }
    }
    panel.querySelector(`[data-do=${isLocked ? "lock" : "unlock"}]`)?.remove();
    for (const pick of focusables(panel, "[data-set]")) {
      const { set: name = "", value = "true" } = pick.dataset;
      const given = JSON.parse(value);
      const isOn = String(style[name]) === String(given);
      pick.setAttribute(
        pick.matches("[role=radio]") ? "aria-checked" : "aria-pressed",
        String(isOn),
      );
      const rest = name === "colour" ? { textColor: undefined } : {};
      pick.onclick = () => {
        board.style = { [name]: value === "true" ? !isOn : given, ...rest };
      };
      if (Array.isArray(given)) find(pick, ".dot").style.setProperty("--ink", css(given, theme));
    }
    const opacity = find(panel, "[type=range]", HTMLInputElement);
    opacity.value = String(Math.round((style.opacity ?? 1) * 100));
    opacity.onchange = () => {
      board.style = { opacity: Number(opacity.value) / 100 };
    };
  }
}
