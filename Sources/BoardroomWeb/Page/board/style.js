// What there is to draw with, and what elements have that say nothing of it.

/** @type {Style} what the board draws with until something else is chosen */
export const STYLE = {
  colour: [30, 30, 30],
  fill: null,
  width: 3,
  opacity: 1,
  strokeType: "normal",
  size: 20,
  bold: false,
  italic: false,
  align: "left",
};

/** What an element has of its style that says nothing of it (docs/DRAWING.md). */
export const PLAIN = {
  colour: [30, 30, 30],
  fill: null,
  width: 2,
  opacity: 1,
  strokeType: "normal",
  bold: false,
  italic: false,
  align: "left",
};

/**
 * @param {Style} style
 * @param {string[]} names
 * @returns {Style} what of it is not as usual
 */
export function unusual(style, names) {
  const differs = (/** @type {string} */ name) => ![STYLE[name], null].includes(style[name]);
  return Object.fromEntries(names.filter(differs).map((name) => [name, style[name]]));
}
