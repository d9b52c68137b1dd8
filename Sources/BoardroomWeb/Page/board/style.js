// The style to draw with, and the style of elements that name none.

/** The colour of the highlighter until another one is chosen. */
const YELLOW = [255, 214, 0];

/** The paper of a note that has no fill of its own (docs/DRAWING.md). */
export const NOTE_PAPER = [255, 236, 153];

/**
 * @type {Style} what the board draws with until something else is chosen; `highlight`: the colour
 *   of the highlighter
 */
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
  highlight: YELLOW,
  route: "straight",
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
  route: "straight",
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

/**
 * @param {Style} drawStyle
 * @returns {Style} of a text that is written with it
 */
export const textStyle = (drawStyle) => ({
  textColor: drawStyle.colour,
  ...unusual(drawStyle, ["bold", "italic", "opacity", "align"]),
});
