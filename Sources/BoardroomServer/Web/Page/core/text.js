// Texts: lines as they are in the event. Nobody measures letters to draw; who writes a text measures it once.

import { moved, spot } from "./geom.js";

/** @typedef {import("./geom.js").Box} Box */
/** @typedef {import("./display.js").TextMark} TextMark */

/** From one line of text to the next, for a letter height of 1. */
export const LINE_HEIGHT = 1.25;

// Line breaks are line feeds; Swift's letters keep a carriage return and its line feed together.
/** @param {string} text */
export const linesOf = (text) => text.split(/(?<!\r)\n/);

// Where the letters may be at most, before they are placed: no letter is wider than it is high.
/** @param {TextMark} mark @returns {Box} */
export function textBox({ lines, x, y, size, align }) {
  const width = Math.max(0, ...lines.map((line) => line.length)) * size * 1.1;
  const left = align === "center" ? x - width / 2 : align === "right" ? x - width : x;
  return { left, top: y, right: left + width, bottom: y + lines.length * size * LINE_HEIGHT };
}

// The corners of a text where it is drawn.
/** @param {TextMark} mark */
export function textCorners(mark) {
  const { left, top, right, bottom } = textBox(mark);
  const places = [spot(left, top), spot(right, top), spot(right, bottom), spot(left, bottom)];
  return mark.place ? places.map((at) => moved(/** @type {any} */ (mark.place), at)) : places;
}

// The font of a canvas.
/** @param {{size: number, bold?: boolean, italic?: boolean}} mark */
export const fontOf = ({ size, bold, italic }) =>
  `${italic ? "italic " : ""}${bold ? "bold " : ""}${size}px sans-serif`;

/**
 * The lines that a text takes in a width: its own line breaks, and new ones between words, or letters where a word is
 * too long or has no spaces. `measure` gives a line's width.
 * @param {string} text @param {number} width @param {(line: string) => number} measure
 */
export function broken(text, width, measure) {
  return linesOf(text).flatMap((line) => brokenLine(line, width, measure)).join("\n");
}

/** @param {string} line @param {number} width @param {(line: string) => number} measure */
function brokenLine(line, width, measure) {
  /** @type {string[]} */
  const lines = [];
  let rest = line;
  while (rest.length > 1 && measure(rest) > width) {
    const letters = [...rest];
    let [low, high] = [1, letters.length - 1];
    while (low < high) {
      const half = Math.ceil((low + high) / 2);
      if (measure(letters.slice(0, half).join("")) <= width) low = half;
      else high = half - 1;
    }
    const fitting = letters.slice(0, low + 1).join("");
    const space = fitting.lastIndexOf(" ");
    // Chinese and Japanese break between any two letters, so a space early in the line is no reason to waste it.
    const isWordSplit = space > 0 && /\w/.test(letters[low - 1]) && /\w/.test(letters[low] ?? "");
    const cut = isWordSplit ? space + 1 : letters.slice(0, low).join("").length;
    lines.push(rest.slice(0, cut).replace(/ $/, ""));
    rest = rest.slice(cut);
  }
  return [...lines, rest];
}
