import { find, focusables, piece } from "./dom.js";
import { shown } from "../core/colours.js";

// How the next thing is drawn, and how what is selected looks. The inks (index.html) can be told apart by who
// sees colours otherwise, and read on white.

const TEXTS = ["text", "note"];
/** These draw nothing that could be filled. */
const LINES = ["pen", "highlighter", "laser", "select"];

/** @param {number[]} colour @param {Theme} theme @returns it as the paper shows it */
const css = (colour, theme) =>
  shown(`#${colour.map((part) => part.toString(16).padStart(2, "0")).join("")}`, theme);

/** @param {HTMLElement} swatch the look of the next line in small @param {any} style @param {Theme} theme */
export function swatchOf(swatch, { colour = [30, 30, 30], width }, theme) {
  swatch.style.setProperty("--ink", css(colour, theme));
  swatch.style.setProperty("--thick", `${Math.min(Math.max(width, 4), 14) + 6}px`);
}

export function stylePanel(/** @type {App} */ { board, overlay }, /** @type {HTMLElement} */ panel) {
  const { tool, theme, selection } = board;
  /** @type {any} */
  const style = { ...board.style, fill: board.style.fill ?? null, align: board.style.align ?? "left" };
  const set = (/** @type {any} */ part) => { board.style = part; };
  const types = selection.map((id) => overlay.element(id)?.shape?.type ?? "stroke");
  const isText = types.length ? types.every((type) => TEXTS.includes(type)) : TEXTS.includes(tool);
  const isFlat = types.length ? types.some((type) => type !== "stroke" && type !== "image")
    : !LINES.includes(tool);
  const isLocked = selection.every((id) => overlay.element(id)?.set?.locked === true);
  panel.append(piece("style"));
  const wanted = { text: isText, line: !isText, flat: isFlat, selection: types.length > 0 };
  for (const [what, isWanted] of Object.entries(wanted)) {
    if (!isWanted) panel.querySelectorAll(`[data-for=${what}]`).forEach((one) => one.remove());
  }
  panel.querySelector(`[data-do=${isLocked ? "lock" : "unlock"}]`)?.remove();
  for (const pick of focusables(panel, "[data-set]")) {
    const { set: name = "", value = "true" } = pick.dataset;
    const given = JSON.parse(value);
    const isOn = String(style[name]) === String(given);
    pick.setAttribute(pick.matches("[role=radio]") ? "aria-checked" : "aria-pressed", String(isOn));
    const rest = name === "colour" ? { textColor: undefined } : {};
    pick.onclick = () => set({ [name]: value === "true" ? !isOn : given, ...rest });
    if (Array.isArray(given)) find(pick, ".dot").style.setProperty("--ink", css(given, theme));
  }
  const opacity = find(panel, "[type=range]", HTMLInputElement);
  opacity.value = String(Math.round((style.opacity ?? 1) * 100));
  opacity.onchange = () => set({ opacity: Number(opacity.value) / 100 });
}
