// Texts: lines as they are in the event. Nobody measures letters to draw; who writes a text
// measures it once.
import { corners, moved } from "./geom.js";

/** From line to line, of a letter's height. */
export const LINE_HEIGHT = 1.25;

/** How wide letters are at most, of their height. */
const WIDEST = 1.1;

/** How wide the letters of alphabets mostly are. */
const USUAL = 0.56;

/**
 * Swift's letters keep a carriage return and its line feed together.
 * @param {string} text
 */
export const linesOf = (text) => text.split(/(?<!\r)\n/);

/**
 * @param {TextMark} textMark
 * @param {number} letter
 */
function textBox({ lines, x, y, size, align }, letter) {
  const widthOf = (/** @type {string} */ sign) => (sign > "⺀" ? WIDEST : letter);
  const widths = lines.map((line) => [...line].reduce((sum, sign) => sum + widthOf(sign), 0));
  const width = Math.max(0, ...widths) * size;
  const left = leftOf(x, width, align);
  return { left, top: y, right: left + width, bottom: y + lines.length * size * LINE_HEIGHT };
}

/**
 * @param {number} x where a line is anchored
 * @param {number} width
 * @param {string | undefined} align
 * @returns {number} where it begins
 */
export function leftOf(x, width, align) {
  if (align === "center") return x - width / 2;
  return align === "right" ? x - width : x;
}

/**
 * Where the letters may be at most, or mostly are, and where an image is.
 * @param {TextMark | ImageMark} mark
 */
export function placedCorners(mark, isAtMost = true) {
  const { x, y, place } = mark;
  const box =
    mark.op === "text"
      ? textBox(mark, isAtMost ? WIDEST : USUAL)
      : { left: x, top: y, right: x + mark.width, bottom: y + mark.height };
  return place ? corners(box).map((at) => moved(place, at)) : corners(box);
}

/** @param {{size: number, bold?: boolean, italic?: boolean}} mark */
export const fontOf = ({ size, bold, italic }) =>
  `${italic ? "italic " : ""}${bold ? "bold " : ""}${size}px sans-serif`;

/**
 * A text's own line breaks, and new ones between words, or letters where a word is too long or has
 * no space.
 * @param {string} text
 * @param {number} width
 * @param {(line: string) => number} measure
 */
export function broken(text, width, measure) {
  const lines = linesOf(text).flatMap((line) => brokenLine(line, width, measure));
  return lines.join("\n");
}

/**
 * @param {string} line
 * @param {number} width
 * @param {(line: string) => number} measure
 * @returns {string[]}
 */
function brokenLine(line, width, measure) {
  /** @type {string[]} */
  const lines = [];
  let now = "";
  const add = (/** @type {string} */ part) => {
    const isFull = now !== "" && measure((now + part).trimEnd()) > width;
    if (isFull) lines.push(now.replace(/ $/, ""));
    now = isFull ? part : now + part;
  };
  // Words with the space behind them; signs of Chinese and its like one by one.
  for (const word of line.match(/[^\s⺀-\u{10ffff}]+\s?|./gsu) ?? []) {
    add(word);
    if (measure(now.trimEnd()) <= width) continue;
    const letters = [...now];
    now = "";
    letters.forEach(add);
  }
  return [...lines, now];
}
