// The tools, their letters, and what they are called in a member's state (the whiteboard SDK's
// names).
import { eraser } from "./eraser.js";
import { laser, pen } from "./pen.js";
import { select } from "./select.js";
import { shape, text } from "./shape.js";

/** @type {ToolMaker} hands that move the paper: input.js does it */
const hand = () => ({ cursor: "grab" });

/**
 * @type {Record<string, {letter: string, make: ToolMaker, sdk: string}>} `sdk`: what the SDK calls
 *   it
 */
const TOOLS = {
  select: { letter: "V", make: select, sdk: "selector" },
  hand: { letter: "H", make: hand, sdk: "hand" },
  pen: { letter: "P", make: pen, sdk: "pencil" },
  highlighter: { letter: "M", make: pen, sdk: "pencil" },
  laser: { letter: "K", make: laser, sdk: "laserPointer" },
  eraser: { letter: "E", make: eraser, sdk: "eraser" },
  text: { letter: "T", make: text, sdk: "text" },
  note: { letter: "N", make: text, sdk: "text" },
  straight: { letter: "L", make: shape, sdk: "straight" },
  arrow: { letter: "A", make: shape, sdk: "arrow" },
  rectangle: { letter: "R", make: shape, sdk: "rectangle" },
  ellipse: { letter: "O", make: shape, sdk: "ellipse" },
  triangle: { letter: "G", make: shape, sdk: "shape" },
  rhombus: { letter: "D", make: shape, sdk: "shape" },
  pentagram: { letter: "S", make: shape, sdk: "shape" },
  speechBalloon: { letter: "B", make: shape, sdk: "shape" },
};

/** Those that a reader may use. */
export const READING = ["hand", "select"];

/** Tools by the keys that take them. */
export const KEYS = new Map(
  Object.entries(TOOLS).map(([name, { letter }]) => [`Key${letter}`, name]),
);

/**
 * @param {Board} board
 * @returns {Map<string, Tool>} by their names
 */
export const makeTools = (board) =>
  new Map(Object.entries(TOOLS).map(([name, { make }]) => [name, make(board, name)]));

/**
 * @param {string} tool
 * @param {Style} style
 */
export function stateOf(tool, style) {
  const { sdk } = TOOLS[tool];
  return {
    currentApplianceName: sdk,
    shapeType: sdk === "shape" ? tool : null,
    tool,
    strokeColor: style.colour,
    fillColor: style.fill,
    strokeWidth: style.width,
    strokeOpacity: style.opacity,
    strokeType: style.strokeType,
    textSize: style.size,
    textColor: style.colour,
    bold: style.bold,
    italic: style.italic,
  };
}
