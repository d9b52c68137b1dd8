import { h, iconButton } from "./dom.js";
import { t } from "./i18n.js";
import { shown } from "../core/colours.js";

// How the next thing is drawn, and how what is selected looks.

/** Ink that can be told apart by who sees colours otherwise, and read on white (docs/WEB.md). */
/** @type {Array<[string, [number, number, number]]>} */
export const INKS = [
  ["black", [30, 30, 30]], ["grey", [107, 122, 137]], ["blue", [31, 95, 214]], ["green", [20, 122, 70]],
  ["red", [200, 40, 32]], ["orange", [214, 118, 16]], ["purple", [122, 63, 184]], ["pink", [201, 58, 130]],
];
/** @type {Array<[string, [number, number, number]]>} */
export const GROUNDS = [
  ["yellow", [255, 236, 153]], ["mint", [190, 235, 205]], ["sky", [190, 220, 255]], ["rose", [255, 208, 214]],
  ["white", [255, 255, 255]],
];
const WIDTHS = [2, 3, 6, 12];
const SIZES = [14, 20, 32, 56];
const DASHES = ["normal", "longDotted", "dotted"];
const TEXTS = ["text", "note"];

/**
 * A colour as the paper shows it.
 * @param {readonly number[]} colour @param {Theme} theme
 */
const css = (colour, theme) =>
  shown(`#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`, theme);
/** @param {any} one @param {any} other */
const same = (one, other) => one?.join() === other?.join();

/** The look of the next line in small. */
/**
 * @param {HTMLElement} swatch @param {Record<string, any>} style
 * @param {Theme} theme
 */
export function swatchOf(swatch, style, theme) {
  swatch.style.setProperty("--ink", css(style.colour ?? INKS[0][1], theme));
  swatch.style.setProperty("--thick", `${Math.min(Math.max(style.width, 4), 14) + 6}px`);
}

/** @param {import("../board/app.js").App} app @param {HTMLElement} panel */
export function stylePanel(app, panel) {
  const { board } = app;
  const { style } = board;
  const types = board.selection.map((id) => app.overlay.element(id)?.shape?.type ?? "stroke");
  const isText = types.length ? types.every((type) => TEXTS.includes(type)) : TEXTS.includes(board.tool);
  const isFlat = types.length ? types.some((type) => type !== "stroke" && type !== "image")
    : !["pen", "highlighter", "laser", "select"].includes(board.tool);
  const set = (/** @type {Record<string, any>} */ part) => { board.style = /** @type {any} */ (part); };
  panel.append(
    group(t("style.colour"), ...INKS.map(([name, colour]) =>
      dot(t(`colour.${name}`), css(colour, board.theme), same(style.colour, colour),
        () => set({ colour, textColor: undefined })))),
    isFlat ? group(t("style.fill"), nothing(!style.fill, () => set({ fill: null })),
      ...GROUNDS.map(([name, colour]) =>
      dot(t(`colour.${name}`), css(colour, board.theme), same(style.fill, colour),
        () => set({ fill: colour })))) : "",
    isText ? textRows(style, set) : lineRows(style, set),
    slider(style, set),
  );
  if (types.length) panel.append(...actions(app, board.selection));
}

/** @param {Record<string, any>} style @param {(part: Record<string, any>) => void} set */
function lineRows(style, set) {
  return h("div", { class: "rows" },
    group(t("style.width"), ...WIDTHS.map(
      (width) => pick(t("style.widthOf", { width }), style.width === width,
      () => set({ width }), h("span", { class: "line", style: { "--thick": `${Math.min(width, 9)}px` } })))),
    group(t("style.dash"), ...DASHES.map(
      (strokeType) => pick(t(`style.${strokeType}`), style.strokeType === strokeType,
      () => set({ strokeType }), h("span", { class: `line ${strokeType}` })))));
}

/** @param {Record<string, any>} style @param {(part: Record<string, any>) => void} set */
function textRows(style, set) {
  const letters = ["S", "M", "L", "XL"];
  return h("div", { class: "rows" },
    group(t("style.size"), ...SIZES.map(
      (size, at) => pick(t("style.sizeOf", { size }), style.size === size, () => set({ size }),
      letters[at]))),
    group(t("style.letters"),
      ...["bold", "italic"].map(
        (name) => iconButton(name, t(`style.${name}`), () => set({ [name]: !style[name] }),
        { "aria-pressed": String(style[name] === true) })),
      ...["left", "center", "right"].map(
        (align) => iconButton(align, t(`style.${align}`), () => set({ align }),
        { "aria-pressed": String((style.align ?? "left") === align) }))));
}

/** @param {Record<string, any>} style @param {(part: Record<string, any>) => void} set */
function slider(style, set) {
  const input = h("input", {
    type: "range", min: 10, max: 100, step: 10, value: Math.round((style.opacity ?? 1) * 100),
      "aria-label": t("style.opacity"),
    onchange: () => set({ opacity: Number(input.value) / 100 }),
  });
  return group(t("style.opacity"), input);
}

/** @param {import("../board/app.js").App} app @param {string[]} ids */
function actions({ board, overlay }, ids) {
  const isLocked = ids.every((id) => overlay.element(id)?.set?.locked === true);
  const row = (/** @type {string} */ picture, /** @type {string} */ word, /** @type {() => void} */ run) =>
    iconButton(picture, t(word), run);
  return [h("hr"), h("div", { class: "actions" },
    row("front", "select.front", () => board.order("front")),
      row("back", "select.back", () => board.order("back")),
    row("copy", "select.copy", () => board.duplicate()),
    row(isLocked ? "unlock" : "lock", isLocked ? "select.unlock" : "select.lock",
      () => board.lock(!isLocked)),
    row("trash", "select.remove", () => board.remove()))];
}

/** @param {string} label @param {...(Node | string)} items */
function group(label, ...items) {
  return h("div", { class: "group", role: "group", "aria-label": label },
    h("span", { class: "group-name" }, label), h("div", { class: "picks" }, ...items));
}

/** @param {string} label @param {boolean} isOn @param {() => void} onclick @param {Node | string} inside */
function pick(label, isOn, onclick, inside) {
  return h("button", { type: "button", class: "pick", role: "radio", "aria-checked": String(isOn),
    "aria-label": label, title: label, onclick }, inside);
}

/** @param {string} label @param {string} ink @param {boolean} isOn @param {() => void} onclick */
const dot = (label, ink, isOn, onclick) =>
  pick(label, isOn, onclick, h("span", { class: "dot", style: { "--ink": ink } }));
/** @param {boolean} isOn @param {() => void} onclick */
const nothing = (isOn, onclick) => pick(t("style.none"), isOn, onclick, h("span", { class: "dot none" }));
