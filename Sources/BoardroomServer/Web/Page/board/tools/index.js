// The tools, their letters, and what they are called in a member's state (the whiteboard SDK's
// names).

import { eraser } from "./eraser.js";
import { laser, pen } from "./pen.js";
import { select } from "./select.js";
import { shape, text } from "./shape.js";

/**
 * @type {Record<string, [string, ToolMaker, string]>} its letter, what makes it, what the SDK calls
 *   it
 */
const TOOLS = {
  select: ["V", select, "selector"],
  hand: ["H", () => ({ cursor: "grab" }), "hand"],
  pen: ["P", pen, "pencil"],
  highlighter: ["M", pen, "pencil"],
  laser: ["K", laser, "laserPointer"],
  eraser: ["E", eraser, "eraser"],
  text: ["T", text, "text"],
  note: ["N", text, "text"],
  straight: ["L", shape, "straight"],
  arrow: ["A", shape, "arrow"],
  rectangle: ["R", shape, "rectangle"],
  ellipse: ["O", shape, "ellipse"],
  triangle: ["G", shape, "shape"],
  rhombus: ["D", shape, "shape"],
  pentagram: ["S", shape, "shape"],
  speechBalloon: ["B", shape, "shape"],
};

/** Those that a reader may use. */
export const READING = ["hand", "select"];

export const KEYS = new Map(
  Object.entries(TOOLS).map(([name, [letter]]) => [`Key${letter}`, name]),
);

/** @param {Board} board */
export const makeTools = (board) =>
  new Map(Object.entries(TOOLS).map(([name, [, make]]) => [name, make(board, name)]));

/**
 * @param {string} tool
 * @param {Style} style
 */
export const stateOf = (
  tool,
  { colour, fill, width, opacity, strokeType, size, bold, italic },
) => ({
  currentApplianceName: TOOLS[tool][2],
  shapeType: TOOLS[tool][2] === "shape" ? tool : null,
  tool,
  strokeColor: colour,
  fillColor: fill,
  strokeWidth: width,
  strokeOpacity: opacity,
  strokeType,
  textSize: size,
  textColor: colour,
  bold,
  italic,
});
