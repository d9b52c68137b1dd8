// The board's own keys. Letters go by where they are on the keyboard, so that other layouts and input methods
// have them too.

import { KEYS } from "./tools/index.js";

/** A nudge in pixels of the screen; ten of them with Shift. Arrows with nothing selected move the paper by
 *  a step. */
const [NUDGE, LEAP, STEP] = [1, 10, 60];
/** How far aside what is pasted lies, in pixels of the scene. */
const ASIDE = 24;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** @typedef {import("./board.js").Board} Board */

/** @param {Board} board @param {number} direction */
const zoom = (board, direction) => board.moveView(() => board.view.zoomStep(direction));
/** @param {Board} board */
const fullSize = (board) => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));

// Without a modifier but Shift.
/** @type {Record<string, (board: Board) => void>} */
const PLAIN = {
  Escape: (board) => board.cancel(), Delete: (board) => board.remove(), Backspace: (board) => board.remove(),
  Enter: (board) => board.selection.forEach((id, at, { length }) => length === 1 && board.edit(id)),
  "shift+Digit1": (board) => board.fit(), "shift+Digit0": fullSize, Equal: (board) => zoom(board, 1),
  "shift+Equal": (board) => zoom(board, 1), Minus: (board) => zoom(board, -1),
  NumpadAdd: (board) => zoom(board, 1), NumpadSubtract: (board) => zoom(board, -1),
};

// With Control, or Command.
/** @type {Record<string, (board: Board) => void>} */
const COMMANDS = {
  KeyZ: (board) => board.undo(), "shift+KeyZ": (board) => board.redo(), KeyY: (board) => board.redo(),
  KeyA: (board) => board.selectAll(), KeyD: (board) => board.duplicate(),
  "shift+KeyL": (board) => board.lock(!board.selected.isLocked),
  BracketRight: (board) => board.order("forward"), "shift+BracketRight": (board) => board.order("front"),
  BracketLeft: (board) => board.order("backward"), "shift+BracketLeft": (board) => board.order("back"),
  Equal: (board) => zoom(board, 1), "shift+Equal": (board) => zoom(board, 1),
  Minus: (board) => zoom(board, -1), Digit0: fullSize,
};

export class BoardKeys {
  /** Is the space bar down, so that hands move the paper? */
  isHolding = false;
  /** @type {string[]} */
  copied = [];
  pasted = 0;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {KeyboardEvent} event */
  take(event) {
    if (event.isComposing || event.defaultPrevented || isWriting(event.target)) return false;
    const isTaken = event.code === "Space" ? this.#hold(event)
      : event.type === "keydown" && this.#press(event);
    if (isTaken) event.preventDefault();
    return isTaken;
  }

  // A button or a link that has the focus keeps its space bar.
  /** @param {KeyboardEvent} event */
  #hold({ type, target }) {
    const controls = "button, a, [role=button], [role=menuitem]";
    if (target instanceof HTMLElement && target.closest(controls)) return false;
    this.isHolding = type === "keydown";
    this.board.setCursor(this.isHolding ? "grab" : this.board.hand.cursor);
    return true;
  }

  /** @param {KeyboardEvent} event */
  #press({ code, key, shiftKey, ctrlKey, metaKey, altKey }) {
    const { board } = this;
    const name = `${shiftKey ? "shift+" : ""}${code}`;
    if (ctrlKey || metaKey) return this.#clip(name) || does(COMMANDS[name], board);
    if (altKey) return false;
    if (ARROWS[key]) return this.#arrow(ARROWS[key], shiftKey ? LEAP : NUDGE);
    if (name in KEYS) board.tool = KEYS[name];
    return name in KEYS || does(PLAIN[name], board);
  }

  /** @param {[number, number]} way @param {number} steps */
  #arrow([x, y], steps) {
    const { board } = this;
    const { scale } = board.view;
    if (board.selection.length) board.nudge((x * steps) / scale, (y * steps) / scale);
    else board.moveView(() => board.view.panBy(-x * STEP, -y * STEP));
    return true;
  }

  /** @param {string} name */
  #clip(name) {
    const { board } = this;
    if ((name === "KeyC" || name === "KeyX") && board.selection.length) {
      this.copied = board.selection;
      this.pasted = 0;
      if (name === "KeyX") board.remove();
      return true;
    }
    // Copies are made of what is on the board; what was cut since comes back by undoing.
    const elements = name === "KeyV" ? this.copied.flatMap((id) => board.source.element(id) ?? []) : [];
    if (!elements.length) return false;
    this.pasted += ASIDE;
    board.tool = "select";
    board.copyOf(elements, this.pasted, this.pasted);
    return true;
  }
}

/** @param {((board: Board) => void) | undefined} action @param {Board} board */
function does(action, board) {
  action?.(board);
  return action !== undefined;
}

/** @param {EventTarget | null} target */
const isWriting = (target) =>
  target instanceof HTMLElement
    && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
