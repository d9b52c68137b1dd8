// The tools, their letters, and what they are called in a member's state (the whiteboard SDK's names).

import { eraser } from "./eraser.js";
import { hand, laser } from "./hand.js";
import { pen } from "./pen.js";
import { select } from "./select.js";
import { shape } from "./shape.js";
import { text } from "./text.js";

/** Of each tool: its letter, what makes it, what the SDK calls it.
 *  @type {Record<string, [string, ToolMaker, string]>} */
const TOOLS = {
  select: ["V", select, "selector"], hand: ["H", hand, "hand"], laser: ["K", laser, "laserPointer"],
  pen: ["P", pen, "pencil"], highlighter: ["M", pen, "pencil"], eraser: ["E", eraser, "eraser"],
  text: ["T", text, "text"], note: ["N", text, "text"], straight: ["L", shape, "straight"],
  arrow: ["A", shape, "arrow"], rectangle: ["R", shape, "rectangle"], ellipse: ["O", shape, "ellipse"],
  triangle: ["G", shape, "shape"], rhombus: ["D", shape, "shape"], pentagram: ["S", shape, "shape"],
  speechBalloon: ["B", shape, "shape"],
};

/** @template T @param {(tool: [string, ToolMaker, string], name: string) => [string, T]} pair */
const table = (pair) => new Map(Object.entries(TOOLS).map(([name, tool]) => pair(tool, name)));

/** Those that a reader may use. */
export const READING = ["hand", "select"];
/** Keys by where they are on the keyboard: other layouts and input methods change what they write. */
export const KEYS = table(([letter], name) => [`Key${letter}`, name]);
/** @param {Board} board */
export const makeTools = (board) => table(([, make], name) => [name, make(board, name)]);

/** @param {string} tool @returns {Record<string, any>} what a member's state says of it */
export function stateOfTool(tool) {
  const [, , currentApplianceName] = TOOLS[tool];
  return { currentApplianceName, tool, ...currentApplianceName === "shape" ? { shapeType: tool } : {} };
}

/** @param {Record<string, any>} style */
export const stateOfStyle = ({ colour, fill, width, opacity, strokeType, size, ...letters }) => ({
  strokeColor: colour, fillColor: fill ?? null, strokeWidth: width, strokeOpacity: opacity, strokeType,
  textSize: size, textColor: letters.textColor ?? colour, bold: letters.bold, italic: letters.italic,
  underline: letters.underline, lineThrough: letters.lineThrough,
});
