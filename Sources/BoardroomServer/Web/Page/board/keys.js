// The board's own keys. Letters go by where they are, so that other layouts and input methods have them.

import { KEYS } from "./tools/index.js";

/** Arrows nudge by a pixel of the screen, with Shift by ten; with nothing selected they move the paper. */
const [LEAP, STEP] = [10, 60];
/** How far aside what is pasted lies, in pixels of the scene. */
const ASIDE = 24;
/** What keeps its space bar while it has the focus; what is written in. */
const CONTROLS = "button, a, [role=button], [role=menuitem]";
const FIELDS = "input, textarea, select, [contenteditable]";

/** @typedef {(board: Board) => boolean | void} Action false: nothing to do, so the key is the browser's
 *  @typedef {Record<string, Action>} Actions */

/** @type {(direction: number) => Action} */
const zoom = (direction) => (board) => board.moveView(() => board.view.zoomStep(direction));
/** @type {Action} */
const fullSize = (board) => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));
/** @type {(x: number, y: number, by: number) => Action} */
const arrow = (x, y, by) => (board) => {
  const { selection, view } = board;
  if (selection.length) board.nudge((x * by) / view.scale, (y * by) / view.scale);
  else board.moveView(() => view.panBy(-x * STEP, -y * STEP));
};
/** @type {Action} */
const copy = ({ keys, selection }) => {
  if (!selection.length) return false;
  [keys.copied, keys.pasted] = [selection, 0];
};
/** @type {Action} */
const paste = (board) => {
  // Copies are made of what is on the board; what was cut since comes back by undoing.
  const elements = board.keys.copied.flatMap((id) => board.source.element(id) ?? []);
  if (!elements.length) return false;
  board.tool = "select";
  board.duplicate(elements, board.keys.pasted += ASIDE);
};

/** Without a modifier but Shift.
 *  @type {Actions} */
const PLAIN = {
  Escape: (board) => board.cancel(), Delete: (board) => board.remove(), Backspace: (board) => board.remove(),
  Enter: (board) => board.selection.length === 1 && board.edit(board.selection[0]),
  "shift+Digit1": (board) => board.fit(), "shift+Digit0": fullSize, Equal: zoom(1), "shift+Equal": zoom(1),
  Minus: zoom(-1), NumpadAdd: zoom(1), NumpadSubtract: zoom(-1),
};
for (const [code, tool] of KEYS) PLAIN[code] = (board) => void (board.tool = tool);
for (const [name, [x, y]] of Object.entries({ Left: [-1, 0], Right: [1, 0], Up: [0, -1], Down: [0, 1] })) {
  PLAIN[`Arrow${name}`] = arrow(x, y, 1);
  PLAIN[`shift+Arrow${name}`] = arrow(x, y, LEAP);
}

/** With Control, or Command.
 *  @type {Actions} */
const COMMANDS = {
  KeyZ: (board) => board.undo(), "shift+KeyZ": (board) => board.redo(), KeyY: (board) => board.redo(),
  KeyA: (board) => board.selectAll(), KeyD: (board) => board.duplicate(), KeyC: copy, KeyV: paste,
  KeyX: (board) => copy(board) !== false && board.remove(),
  "shift+KeyL": (board) => board.lock(!board.selected.isLocked),
  BracketRight: (board) => board.order("forward"), "shift+BracketRight": (board) => board.order("front"),
  BracketLeft: (board) => board.order("backward"), "shift+BracketLeft": (board) => board.order("back"),
  Equal: zoom(1), "shift+Equal": zoom(1), Minus: zoom(-1), Digit0: fullSize,
};

export class BoardKeys {
  /** Is the space bar down, so that hands move the paper? */
  isHolding = false;
  copied = /** @type {string[]} */ ([]);
  pasted = 0;

  /** @param {Board} board @param {KeyboardEvent} event @returns {boolean} was it ours? */
  take(board, event) {
    const target = event.target instanceof Element ? event.target : undefined;
    if (event.isComposing || event.defaultPrevented || target?.closest(FIELDS)) return false;
    const { type, code, shiftKey, altKey } = event;
    const actions = event.ctrlKey || event.metaKey ? COMMANDS : altKey ? {} : PLAIN;
    const action = type === "keydown" ? actions[`${shiftKey ? "shift+" : ""}${code}`] : undefined;
    const isSpace = code === "Space" && !target?.closest(CONTROLS);
    if (isSpace) this.isHolding = type === "keydown";
    if (isSpace) board.setCursor();
    else if (!action || action(board) === false) return false;
    event.preventDefault();
    return true;
  }
}
