// The tools, with one tab stop, and the style of what is drawn next or selected. Shapes share a
// button, which shows the last one that was used; on a narrow screen the less important tools are
// behind "more".
import { shown } from "../../render/colours.js";
import { hex } from "../../render/fields.js";
import { fill, find, icon, piece } from "../../ui/dom.js";
import { focusables, roving } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { Popover } from "../../ui/popover.js";
import { READING } from "../tools/index.js";
import { FEATURES, menuButton } from "./features.js";
import { Part } from "./part.js";

/** Types of elements that are texts, and the tools that make them. */
const TEXTS = ["text", "note"];

/** Tools whose elements cannot be filled. */
const LINES = ["pen", "highlighter", "laser", "select"];

/** The colour to draw with until another one is chosen. */
const INK = [30, 30, 30];

/** Pixels of the swatch's dot: the width of the pen within these bounds, and a rim. */
const DOT = { least: 4, most: 14, rim: 6 };

/**
 * @param {number[]} colour
 * @param {Theme} theme
 * @returns it as the paper shows it
 */
const css = (colour, theme) => shown(hex(colour), theme);

export class Toolbar extends Part {
  element = this.#withMenuButtons(find(this.app.element, ".toolbar"));
  updateTabStop = roving(this.element);

  /** What the style panel was last built for. */
  shown = "";

  /** Buttons that open more tools. */
  menus = [
    ...["shapes", "more"].map((name) => this.#toolMenu(name)),
    ...FEATURES.map((feature) => this.#featureMenu(feature)),
  ];

  style = this.#popover("style", {
    label: t("style.title"),
    class: "style",
    staysOpen: true,
    build: (panel) => this.#buildStyle(panel),
  });

  /** @param {HTMLElement} element gets the buttons that open the menus of the features */
  #withMenuButtons(element) {
    find(element, ".more-open").before(...FEATURES.map(menuButton));
    return element;
  }

  /**
   * @param {string} name
   * @param {PopoverOptions} options
   */
  #popover(name, options) {
    const button = find(this.element, `.${name}-open`, HTMLButtonElement);
    return new Popover(button, options);
  }

  /** @param {string} name of a piece with tools */
  #toolMenu(name) {
    const inside = piece(name);
    const has = (/** @type {string} */ tool) =>
      inside.querySelector(`[data-tool=${tool}]`) !== null;
    return this.#menu(name, has, () => [piece(name)]);
  }

  /** @param {import("./features.js").Feature} feature */
  #featureMenu(feature) {
    const has = () => false;
    return this.#menu(feature.name, has, () => this.app.features.choicesOf(feature));
  }

  /**
   * @param {string} name
   * @param {(tool: string) => boolean} has whether a tool is in the menu
   * @param {() => Node[]} content
   */
  #menu(name, has, content) {
    const build = (/** @type {HTMLElement} */ panel) => {
      panel.append(...content());
      this.update();
    };
    const options = { label: t(`tools.${name}`), class: "grid-popover", goes: true, build };
    const popover = this.#popover(name, options);
    return { name, has, popover, button: popover.button };
  }

  /**
   * Opens a menu, for its key.
   * @param {string} name
   */
  openMenu(name) {
    this.menus.find((part) => part.name === name)?.popover.open();
  }

  /** Shows the tool and style of the board, and whether it can be written on. */
  update() {
    const { tool, style, theme, selection } = this.app.board;
    this.#showTools();
    this.#showMenus(tool);
    this.#showSwatch(style, theme);
    // A button that is replaced while a finger is on it is not pressed: so this is not done for
    // what other members do.
    const shown = JSON.stringify([tool, style, selection, theme]);
    if (shown !== this.shown) this.style.rebuild();
    this.shown = shown;
    this.updateTabStop();
  }

  #showTools() {
    const { tool, canWrite } = this.app.board;
    for (const button of this.element.querySelectorAll("button")) {
      const name = button.dataset.tool ?? "";
      if (name) button.ariaPressed = String(name === tool);
      const isForReaders = READING.includes(name) || button.matches(".more-open");
      button.disabled = !canWrite && !isForReaders;
    }
  }

  /** @param {string} tool that is in use */
  #showMenus(tool) {
    for (const { name, button, has } of this.menus) {
      button.ariaPressed = String(has(tool));
      const picture = name === "shapes" && has(tool) ? tool : name;
      // A button whose picture is replaced while a finger is on it is not pressed.
      if (button.dataset.icon !== picture) fill(button, icon(picture));
      button.dataset.icon = picture;
    }
  }

  /**
   * @param {Style} style
   * @param {Theme} theme
   */
  #showSwatch({ colour, width }, theme) {
    const thick = Math.min(Math.max(width, DOT.least), DOT.most) + DOT.rim;
    const swatch = find(this.element, ".swatch").style;
    swatch.setProperty("--ink", css(colour ?? INK, theme));
    swatch.setProperty("--thick", `${thick}px`);
  }

  /** @param {string[]} ids what is selected shows how it looks, where there is room for it */
  onSelection(ids) {
    const hasRoom = this.app.board.canWrite && !this.app.isNarrow;
    if (ids.length === 0) this.style.close(false);
    else if (hasRoom) this.style.open(false);
    else this.style.rebuild();
  }

  /** @param {HTMLElement} panel */
  #buildStyle(panel) {
    const { board } = this.app;
    const style = {
      ...board.style,
      fill: board.style.fill ?? null,
      align: board.style.align ?? "left",
    };
    panel.append(piece("style"));
    this.#removeUseless(panel);
    for (const pick of focusables(panel, "[data-set]")) {
      this.#prepareChoice(pick, style);
    }
    const opacity = find(panel, "[type=range]", HTMLInputElement);
    opacity.value = String(Math.round((style.opacity ?? 1) * 100));
    opacity.onchange = () => {
      board.style = { opacity: Number(opacity.value) / 100 };
    };
  }

  /**
   * Removes what does not apply to the selected elements, or to the tool.
   * @param {HTMLElement} panel
   */
  #removeUseless(panel) {
    const { board, overlay } = this.app;
    const things = board.selection.map((id) => overlay.element(id));
    const isLocked = things.every((thing) => thing?.set?.locked === true);
    const types = things.map((thing) => thing?.shape?.type ?? "stroke");
    const uses = types.length > 0 ? usesOf(types) : usesOfTool(board.tool);
    for (const [use, isWanted] of Object.entries(uses)) {
      const parts = isWanted ? [] : panel.querySelectorAll(`[data-for=${use}]`);
      for (const part of parts) {
        part.remove();
      }
    }
    panel.querySelector(`[data-do=${isLocked ? "lock" : "unlock"}]`)?.remove();
  }

  /**
   * @param {HTMLElement} pick a button that sets something of the style
   * @param {Style} style
   */
  #prepareChoice(pick, style) {
    const { board } = this.app;
    const { set: name = "", value = "true" } = pick.dataset;
    const given = JSON.parse(value);
    const isOn = String(style[name]) === String(given);
    const state = pick.matches("[role=radio]") ? "aria-checked" : "aria-pressed";
    pick.setAttribute(state, String(isOn));
    const rest = name === "colour" ? { textColor: undefined } : {};
    pick.onclick = () => {
      board.style = { [name]: value === "true" ? !isOn : given, ...rest };
    };
    if (Array.isArray(given)) {
      find(pick, ".dot").style.setProperty("--ink", css(given, board.theme));
    }
  }
}

/**
 * @param {string[]} types of what is selected
 * @returns {Record<string, boolean>} what of the style panel is of use for it
 */
function usesOf(types) {
  const isText = types.every((type) => TEXTS.includes(type));
  const isFlat = types.some((type) => type !== "stroke" && type !== "image");
  return { text: isText, line: !isText, flat: isFlat, selection: true };
}

/**
 * @param {string} tool
 * @returns {Record<string, boolean>} what of the style panel is of use for what it makes
 */
function usesOfTool(tool) {
  const isText = TEXTS.includes(tool);
  return { text: isText, line: !isText, flat: !LINES.includes(tool), selection: false };
}
