// The tools, with one tab stop, and the style of what is drawn next or selected. Shapes share a
// button, which shows the one that is in use. Tools for which there is no room are scrolled to. Under
// fingers the style is a sheet from below.
import { shown } from "../../render/colours.js";
import { hex } from "../../render/fields.js";
import { boxOf, grown, plus, spot, touches } from "../../render/geom.js";
import { fill, find, icon, piece } from "../../ui/dom.js";
import { showEdges } from "../../ui/edges.js";
import { focusables, roving } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { Popover } from "../../ui/popover.js";
import { sheetHandle } from "../../ui/sheet.js";
import { hasLabel } from "../edits.js";
import { READING } from "../tools/index.js";
import { FEATURES, menuButton } from "./features.js";
import { Part } from "./part.js";

/** Types of elements that are texts, and the tools that make them. */
const TEXTS = ["text", "note"];

/** Types of elements, and tools, that draw no line of a style of its own. */
const UNDASHED = [...TEXTS, "image", "stroke", "pen", "highlighter"];

/** Types of elements, and tools, that cannot be filled. */
const UNFILLED = ["text", "image", "stroke", "pen", "highlighter", "laser"];

/** Kinds of elements, and tools, whose colours are the same on a dark board. */
const FIXED = ["note", "highlighter"];

/** Pixels of the screen between the style panel and what is selected. */
const CLEAR = 8;

/** Pixels between the style panel and the edge of the board, where it is put aside. */
const EDGE = 12;

/** Pixels of the style panel that are seen at least. */
const LEAST_ROOM = 160;

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

  tools = find(this.element, ".tools");

  /** What the style panel was last built for. */
  shown = "";

  /** The tool that was scrolled to. */
  shownTool = "";

  /** The shape that was used last. */
  shape = "rectangle";

  /** Buttons that open more tools. */
  menus = [this.#toolMenu("shapes"), ...FEATURES.map((feature) => this.#featureMenu(feature))];

  style = this.#popover("style", {
    label: t("style.title"),
    class: "style",
    staysOpen: true,
    build: (panel) => this.#buildStyle(panel),
  });

  /** @param {App} app */
  constructor(app) {
    super(app);
    showEdges(this.tools, this.element);
  }

  /** @param {HTMLElement} element gets the buttons that open the menus of the features */
  #withMenuButtons(element) {
    find(element, ".tools").append(...FEATURES.map(menuButton));
    return element;
  }

  /** The size of the board is another one. */
  resize() {
    const { element, style, app } = this;
    if (style.stays === app.hasSheets) style.close(false);
    style.stays = !app.hasSheets;
    element.ariaOrientation = app.isNarrow ? "horizontal" : "vertical";
    this.#showTool();
  }

  /** Scrolls to the tool in use. */
  #showTool() {
    const pressed = this.tools.querySelector("[aria-pressed=true]");
    pressed?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /**
   * Takes the tool that has a digit in the bar; from the button of the shapes the one that was used
   * last.
   * @param {string} digit
   * @returns whether there is one
   */
  choose(digit) {
    const button = this.element.querySelector(`[aria-keyshortcuts~="${digit}"]`);
    if (!(button instanceof HTMLElement)) return false;
    this.app.board.tool = button.dataset.tool ?? this.shape;
    return true;
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
    if (tool !== this.shownTool) this.#showTool();
    this.shownTool = tool;
    this.#showSwatch(style, this.#paperTheme);
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
      button.disabled = !canWrite && !READING.includes(name);
    }
  }

  /** @param {string} tool that is in use */
  #showMenus(tool) {
    for (const { name, button, has } of this.menus) {
      button.ariaPressed = String(has(tool));
      if (name === "shapes" && has(tool)) this.shape = tool;
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
    const hasRoom = this.app.board.canWrite && !this.app.hasSheets;
    if (ids.length === 0) this.style.close(false);
    else if (hasRoom) this.#openStyleAside();
    else this.style.rebuild();
  }

  /** Opens the style panel where it does not cover what is selected; if there is no place, not. */
  #openStyleAside() {
    const { style, app } = this;
    const wasOpen = !style.panel.hidden;
    style.open(false);
    const whole = app.element.getBoundingClientRect();
    const box = this.#selectedBox();
    style.panel.style.setProperty("--aside", "0px");
    const here = style.panel.getBoundingClientRect();
    const aside = whole.right - EDGE - here.right;
    if (!box || !touches(grown(box, CLEAR), here)) return;
    style.panel.style.setProperty("--aside", `${aside}px`);
    const there = { ...boxOfRect(here), left: here.left + aside, right: here.right + aside };
    if (!touches(grown(box, CLEAR), there)) return;
    style.panel.style.setProperty("--aside", "0px");
    if (!wasOpen) style.close(false);
  }

  /** @returns {Box | undefined} of what is selected, on the screen */
  #selectedBox() {
    const { board, paper } = this.app;
    const { box } = board.selected;
    if (!box) return undefined;
    const { left, top } = paper.getBoundingClientRect();
    const at = (/** @type {number} */ x, /** @type {number} */ y) =>
      plus(board.view.toScreen(spot(x, y)), spot(left, top));
    return boxOf(at(box.left, box.top), at(box.right, box.bottom));
  }

  /**
   * A panel that is higher than the room below the bars at the top is scrolled.
   * @param {HTMLElement} panel
   */
  #fitStyle(panel) {
    const { element } = this.app;
    const anchor = find(this.element, ".style-open").getBoundingClientRect();
    const bars = find(element, ".bar.room").getBoundingClientRect();
    const room = anchor.bottom - bars.bottom - CLEAR;
    panel.style.setProperty("--room", `${Math.max(room, LEAST_ROOM)}px`);
  }

  /** @param {HTMLElement} panel */
  #buildStyle(panel) {
    const { board, hasSheets } = this.app;
    if (hasSheets) panel.append(sheetHandle(panel, t("style.close"), () => this.style.close()));
    else this.#fitStyle(panel);
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
    for (const pick of panel.querySelectorAll("[data-own]")) {
      this.#prepareOwn(/** @type {HTMLElement} */ (pick), style);
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
    const hasLetters = (/** @type {any} */ thing) =>
      thing !== undefined && (TEXTS.includes(thing.shape?.type) || hasLabel(thing));
    if (things.length > 0) uses.text = things.every(hasLetters);
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
      find(pick, ".dot").style.setProperty("--ink", css(given, this.#paperTheme));
    }
  }

  /** Notes and highlighters look on a dark board as on a light one. */
  get #paperTheme() {
    const { board, overlay } = this.app;
    const things = board.selection.map((id) => overlay.element(id));
    const kinds = things.map((thing) => thing?.shape?.type ?? thing?.stroke?.begin.tool);
    const isFixed = (kinds.length ? kinds : [board.tool]).every((kind) => FIXED.includes(kind));
    return isFixed ? "light" : board.theme;
  }

  /**
   * @param {HTMLElement} pick where a colour of one's own is chosen
   * @param {Style} style
   */
  #prepareOwn(pick, style) {
    const { own: name = "" } = pick.dataset;
    const input = find(pick, "input", HTMLInputElement);
    const now = Array.isArray(style[name]) ? style[name] : [255, 255, 255];
    const isListed = pick.parentElement?.querySelector("[aria-checked=true]") !== null;
    input.value = hex(now);
    input.title = input.ariaLabel ?? "";
    pick.classList.toggle("is-own", !isListed);
    find(pick, ".dot").style.setProperty("--ink", isListed ? "" : css(now, this.#paperTheme));
    input.onchange = () => {
      const levels = [1, 3, 5].map((at) => Number.parseInt(input.value.slice(at, at + 2), 16));
      this.app.board.style = { [name]: levels };
    };
  }
}

/** @param {DOMRect} rect @returns {Box} */
const boxOfRect = ({ left, top, right, bottom }) => ({ left, top, right, bottom });

/**
 * @param {string[]} types of what is selected
 * @returns {Record<string, boolean>} what of the style panel is of use for it
 */
function usesOf(types) {
  return { ...usesOfAll(types), selection: true };
}

/**
 * @param {string} tool
 * @returns {Record<string, boolean>} what of the style panel is of use for what it makes
 */
function usesOfTool(tool) {
  return {
    ...usesOfAll([tool]),
    flat: !UNFILLED.includes(tool) && tool !== "select",
    selection: false,
  };
}

/** @param {string[]} kinds types of elements, or the tool */
function usesOfAll(kinds) {
  const has = (/** @type {string[]} */ without) => kinds.some((kind) => !without.includes(kind));
  return {
    ink: has(["image"]),
    text: kinds.every((kind) => TEXTS.includes(kind)),
    line: has([...TEXTS, "image"]),
    dash: has(UNDASHED),
    flat: has(UNFILLED),
    hollow: has(["note"]),
    route: kinds.every((kind) => kind === "arrow"),
  };
}
