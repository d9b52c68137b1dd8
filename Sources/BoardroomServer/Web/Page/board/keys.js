// The board's own keys. Letters go by where they are on the keyboard, so that other layouts and input methods have them too.

import { KEYS } from "./tools/index.js";

/** A nudge in pixels of the screen; ten of them with Shift. */
const NUDGE = 1;
const LEAP = 10;
/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** Arrows with nothing selected move the paper by so many pixels. */
const STEP = 60;

export class BoardKeys {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** Is the space bar down, so that hands move the paper? */
    this.isHolding = false;
    this.copied = { ids: /** @type {string[]} */ ([]), times: 0 };
  }

  /** @param {KeyboardEvent} event */
  take(event) {
    if (event.isComposing || isWriting(event)) return false;
    if (event.code === "Space" && !isControl(event)) return this.#hold(event);
    if (event.type !== "keydown" || event.defaultPrevented) return false;
    const isMod = event.ctrlKey || event.metaKey;
    const isTaken = isMod ? this.#command(event) : event.altKey ? false : this.#plain(event);
    if (isTaken) event.preventDefault();
    return isTaken;
  }

  /** @param {KeyboardEvent} event */
  #hold(event) {
    const isDown = event.type === "keydown";
    if (isDown !== this.isHolding) {
      this.isHolding = isDown;
      this.board.setCursor(isDown ? "grab" : this.board.hand.cursor);
    }
    event.preventDefault();
    return true;
  }

  /** @param {KeyboardEvent} event */
  #plain({ code, key, shiftKey }) {
    const { board } = this;
    const tool = /** @type {Record<string, string>} */ (KEYS)[code];
    if (tool && !shiftKey) {
      board.tool = tool;
      return true;
    }
    if (ARROWS[key]) return this.#arrow(ARROWS[key], shiftKey ? LEAP : NUDGE);
    if (key === "Escape") board.cancel();
    else if (key === "Delete" || key === "Backspace") board.remove();
    else if (key === "Enter" && board.selection.length === 1) board.edit(board.selection[0]);
    else if (shiftKey && code === "Digit1") board.fit();
    else if (shiftKey && code === "Digit0") board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));
    else if (key === "+" || key === "=") board.moveView(() => board.view.zoomStep(1));
    else if (key === "-" || key === "_") board.moveView(() => board.view.zoomStep(-1));
    else return false;
    return true;
  }

  /** @param {[number, number]} way @param {number} steps */
  #arrow([x, y], steps) {
    const { board } = this;
    const { scale } = board.view;
    if (board.selection.length) board.nudge((x * steps) / scale, (y * steps) / scale);
    else board.moveView(() => board.view.panBy(-x * STEP, -y * STEP));
    return true;
  }

  /** @param {KeyboardEvent} event */
  #command({ code, key, shiftKey }) {
    const { board } = this;
    if (code === "KeyZ") shiftKey ? board.redo() : board.undo();
    else if (code === "KeyY") board.redo();
    else if (code === "KeyA") board.selectAll();
    else if (code === "KeyD") board.duplicate();
    else if (code === "KeyC" && board.selection.length) this.copied = { ids: board.selection, times: 0 };
    else if (code === "KeyX" && board.selection.length) this.#cut();
    else if (code === "KeyV" && this.copied.ids.length) return this.#paste();
    else if (code === "KeyL" && shiftKey && board.selection.length) board.lock(!board.selected.isLocked);
    else if (code === "BracketRight") board.order(shiftKey ? "front" : "forward");
    else if (code === "BracketLeft") board.order(shiftKey ? "back" : "backward");
    else if (key === "=" || key === "+") board.moveView(() => board.view.zoomStep(1));
    else if (key === "-") board.moveView(() => board.view.zoomStep(-1));
    else if (code === "Digit0") board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));
    else return false;
    return true;
  }

  #cut() {
    this.copied = { ids: this.board.selection, times: 0 };
    this.board.remove();
  }

  /** Copies are made of what is on the board; what was cut since comes back by undoing. */
  #paste() {
    const { board } = this;
    const elements = this.copied.ids.map((id) => board.source.element(id)).filter((element) => element !== undefined);
    if (!elements.length) return false;
    this.copied.times += 1;
    board.tool = "select";
    board.copyOf(/** @type {any} */ (elements), 24 * this.copied.times, 24 * this.copied.times);
    return true;
  }
}

/** @param {KeyboardEvent} event */
function isWriting({ target }) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

// A button or a link that has the focus keeps its space bar.
/** @param {KeyboardEvent} event */
const isControl = ({ target }) => target instanceof HTMLElement && target.closest("button, a, [role=button], [role=menuitem]") !== null;
