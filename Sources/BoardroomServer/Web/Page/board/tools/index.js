// The tools, their keys, and what they are called in a member's state (the whiteboard SDK's names).

import { Eraser } from "./eraser.js";
import { Hand } from "./hand.js";
import { Laser } from "./laser.js";
import { Pen } from "./pen.js";
import { Select } from "./select.js";
import { Shape } from "./shape.js";
import { Text } from "./text.js";

/** @typedef {import("../board.js").Board} Board */
/**
 * @typedef {{name: string, cursor: string, down(point: any): void, move(points: any[], predicted: any[]): void,
 *   up(point: any): void, cancel(): void, hover?(point: any): void, left?(): void,
 *   draw?(ctx: CanvasRenderingContext2D): boolean | void}} Tool
 */

const SHAPES = ["rectangle", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon", "straight", "arrow"];

/** @type {Record<string, (board: Board) => Tool>} */
const MAKERS = {
  select: (board) => new Select(board),
  hand: (board) => new Hand(board),
  pen: (board) => new Pen(board, "pen"),
  highlighter: (board) => new Pen(board, "highlighter"),
  eraser: (board) => new Eraser(board),
  laser: (board) => new Laser(board),
  text: (board) => new Text(board, "text"),
  note: (board) => new Text(board, "note"),
  ...Object.fromEntries(SHAPES.map((name) => [name, (/** @type {Board} */ board) => new Shape(board, name)])),
};

export const TOOLS = Object.keys(MAKERS);

/** Those that a reader may use. */
export const READING = ["hand", "select"];

/** @param {Board} board @param {string} name */
export const makeTool = (board, name) => MAKERS[name](board);

/** Keys by where they are on the keyboard: other layouts and input methods change what they write. */
export const KEYS = Object.freeze({
  KeyV: "select", KeyH: "hand", KeyP: "pen", KeyM: "highlighter", KeyE: "eraser", KeyK: "laser", KeyT: "text",
  KeyN: "note", KeyL: "straight", KeyA: "arrow", KeyR: "rectangle", KeyO: "ellipse", KeyD: "rhombus", KeyG: "triangle",
  KeyS: "pentagram", KeyB: "speechBalloon",
});

/** @type {Record<string, string>} */
const APPLIANCES = {
  select: "selector", pen: "pencil", highlighter: "pencil", laser: "laserPointer", note: "text",
  triangle: "shape", rhombus: "shape", pentagram: "shape", speechBalloon: "shape",
};

// What a member's state says of a tool.
/** @param {string} name */
export function stateOfTool(name) {
  const currentApplianceName = APPLIANCES[name] ?? name;
  return { currentApplianceName, ...(currentApplianceName === "shape" ? { shapeType: name } : {}), tool: name };
}

// What a member's state says of a style.
/** @param {Record<string, any>} style */
export function stateOfStyle(style) {
  return {
    strokeColor: style.colour, fillColor: style.fill ?? null, strokeWidth: style.width, strokeOpacity: style.opacity,
    strokeType: style.strokeType, textColor: style.textColor ?? style.colour, textSize: style.size, bold: style.bold,
    italic: style.italic, underline: style.underline, lineThrough: style.lineThrough,
  };
}
