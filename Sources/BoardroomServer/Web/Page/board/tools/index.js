// The tools, their keys, and what they are called in a member's state (the whiteboard SDK's names).

import { OUTLINED } from "../../core/shapes.js";
import { Eraser } from "./eraser.js";
import { Hand, Laser } from "./hand.js";
import { Pen } from "./pen.js";
import { Select } from "./select.js";
import { Shape } from "./shape.js";
import { Text } from "./text.js";

/** @typedef {import("../board.js").Board} Board */

/** @type {Record<string, new (board: Board, name: string) => Tool>} */
const MAKERS = {
  select: Select, hand: Hand, laser: Laser, pen: Pen, highlighter: Pen, eraser: Eraser,
  text: Text, note: Text,
  ...Object.fromEntries([...OUTLINED, "straight", "arrow"].map((name) => [name, Shape])),
};

/** Those that a reader may use. */
export const READING = ["hand", "select"];

/** @param {Board} board */
export const makeTools = (board) =>
  new Map(Object.entries(MAKERS).map(([name, Maker]) => [name, new Maker(board, name)]));

/** Keys by where they are on the keyboard: other layouts and input methods change what they write. */
/** @type {Readonly<Record<string, string>>} */
export const KEYS = Object.freeze({
  KeyV: "select", KeyH: "hand", KeyP: "pen", KeyM: "highlighter", KeyE: "eraser", KeyK: "laser", KeyT: "text",
  KeyN: "note", KeyL: "straight", KeyA: "arrow", KeyR: "rectangle", KeyO: "ellipse", KeyD: "rhombus",
  KeyG: "triangle", KeyS: "pentagram", KeyB: "speechBalloon",
});

/** @type {Record<string, string>} */
const APPLIANCES = {
  select: "selector", pen: "pencil", highlighter: "pencil", laser: "laserPointer", note: "text",
  triangle: "shape", rhombus: "shape", pentagram: "shape", speechBalloon: "shape",
};

// What a member's state says of a tool.
/** @param {string} tool @returns {Record<string, any>} */
export function stateOfTool(tool) {
  const currentApplianceName = APPLIANCES[tool] ?? tool;
  return { currentApplianceName, tool, ...currentApplianceName === "shape" ? { shapeType: tool } : {} };
}

/** @param {Record<string, any>} style */
export const stateOfStyle = ({ colour, fill, width, opacity, strokeType, size, ...letters }) => ({
  strokeColor: colour, fillColor: fill ?? null, strokeWidth: width, strokeOpacity: opacity, strokeType,
  textSize: size, textColor: letters.textColor ?? colour, bold: letters.bold, italic: letters.italic,
  underline: letters.underline, lineThrough: letters.lineThrough,
});
