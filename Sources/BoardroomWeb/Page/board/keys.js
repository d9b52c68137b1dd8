// The keys of the board. Letters are recognised by their position on the keyboard, so that they
// work with other layouts and input methods.
import { restyle, styleOf } from "./edits.js";
import { PLAIN } from "./style.js";
import { KEYS } from "./tools/index.js";

/**
 * What a key does; false: nothing, so that the browser handles it.
 * @typedef {(board: Board) => boolean | void} KeyAction
 */

/** Pixels of the screen by which arrows with Shift move the selected elements. */
const LARGE_NUDGE = 10;

/** Pixels by which arrows move the view. */
const VIEW_STEP = 60;

/** @type {(direction: number) => KeyAction} */
const zoom = (direction) => (board) => board.moveView(() => board.view.zoomStep(direction));

/** @param {Board} board */
const fullSize = (board) => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));

/** @type {(x: number, y: number, by: number) => KeyAction} */
const arrow = (x, y, by) => (board) => {
  const { selection, view } = board;
  if (selection.length) board.nudge((x * by) / view.scale, (y * by) / view.scale);
  else board.moveView(() => view.panBy(-x * VIEW_STEP, -y * VIEW_STEP));
};

/** @type {KeyAction} */
const copyStyle = (board) => {
  const { topmost } = board.selected;
  if (!topmost) return false;
  // What such an element can have and does not name is plain.
  const names = Object.keys(restyle(topmost, PLAIN)).map((name) => name.replace("style.", ""));
  const plain = Object.entries(PLAIN).filter(([name]) => names.includes(name));
  board.keys.style = { ...Object.fromEntries(plain), ...styleOf(topmost) };
};

/** @type {KeyAction} */
const pasteStyle = (board) => {
  const { style } = board.keys;
  if (!style || board.selection.length === 0) return false;
  board.restyle(style);
  board.onStyle(board.style);
};

/** @type {Record<string, KeyAction>} `ctrl`: or Command */
const ACTIONS = {
  Escape: (board) => board.cancel(),
  Delete: (board) => board.remove(),
  Backspace: (board) => board.remove(),
  Enter: (board) => board.selection.length === 1 && board.edit(board.selection[0]),
  "ctrl+KeyZ": (board) => board.undo(),
  "ctrl+shift+KeyZ": (board) => board.redo(),
  "ctrl+KeyY": (board) => board.redo(),
  "ctrl+alt+KeyC": copyStyle,
  "ctrl+alt+KeyV": pasteStyle,
  "ctrl+KeyA": (board) => board.selectAll(),
  "ctrl+KeyD": (board) => board.duplicate(),
  "ctrl+shift+KeyL": (board) => board.lock(!board.selected.isLocked),
  "ctrl+KeyG": (board) => board.groups.group(),
  "ctrl+shift+KeyG": (board) => board.groups.ungroup(),
  "alt+KeyA": (board) => board.align("left"),
  "alt+KeyH": (board) => board.align("centre"),
  "alt+KeyD": (board) => board.align("right"),
  "alt+KeyW": (board) => board.align("top"),
  "alt+KeyV": (board) => board.align("middle"),
  "alt+KeyS": (board) => board.align("bottom"),
  "alt+shift+KeyH": (board) => board.distribute("x"),
  "alt+shift+KeyV": (board) => board.distribute("y"),
  "shift+KeyH": (board) => board.selection.length > 0 && board.flip("x"),
  "shift+KeyV": (board) => board.selection.length > 0 && board.flip("y"),
  "ctrl+BracketRight": (board) => board.reorder("forward"),
  "ctrl+BracketLeft": (board) => board.reorder("backward"),
  "ctrl+shift+BracketRight": (board) => board.reorder("front"),
  "ctrl+shift+BracketLeft": (board) => board.reorder("back"),
  "shift+Digit1": (board) => board.fit(),
  "shift+Digit2": (board) => board.fitSelection(),
  "shift+Digit0": fullSize,
  "ctrl+Digit0": fullSize,
  NumpadAdd: zoom(1),
  NumpadSubtract: zoom(-1),
};

for (const [code, tool] of KEYS) {
  ACTIONS[code] = (board) => {
    board.tool = tool;
  };
}

for (const held of ["", "shift+", "ctrl+", "ctrl+shift+"]) {
  ACTIONS[`${held}Equal`] = zoom(1);
}

for (const held of ["", "ctrl+"]) {
  ACTIONS[`${held}Minus`] = zoom(-1);
}

const ARROWS = { Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] };

for (const [name, [x, y]] of Object.entries(ARROWS)) {
  ACTIONS[`Arrow${name}`] = arrow(x, y, 1);
  ACTIONS[`shift+Arrow${name}`] = arrow(x, y, LARGE_NUDGE);
}

/**
 * @param {KeyboardEvent} event
 * @returns {string} what is held with the key, as `ACTIONS` has it
 */
function heldKeys({ ctrlKey, metaKey, altKey, shiftKey }) {
  const ctrl = ctrlKey || metaKey ? "ctrl+" : "";
  return ctrl + (altKey ? "alt+" : "") + (shiftKey ? "shift+" : "");
}

/**
 * Does what a key does.
 * @param {Board} board
 * @param {string} key as `ACTIONS` has it
 */
export const act = (board, key) => ACTIONS[key]?.(board);

/**
 * Returns whether the key is one of the board.
 * @param {Board} board
 * @param {KeyboardEvent} event
 */
export function handleKey(board, event) {
  const { type, code } = event;
  const action = type === "keydown" ? ACTIONS[heldKeys(event) + code] : undefined;
  if (code === "Space") {
    board.keys.isHolding = type === "keydown";
    board.setCursor();
  } else if (!action || action(board) === false) {
    return false;
  }
  event.preventDefault();
  return true;
}
