// The style to draw with, and the style of elements that name none.

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

/** The style of an element that names none (docs/DRAWING.md). */
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
