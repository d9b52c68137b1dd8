// Reactions: emoji that members show to everybody for some seconds, at a place or on an element
// (docs/SPEC.md, REACT-1 to REACT-8). They are elements over the board, as cursors are, so that a
// browser's own emoji are shown and nothing is drawn anew for them.
import { centre } from "../render/geom.js";

/** Ms that one is shown. */
export const SHOWN_FOR = 4_000;

/** Reactions that are shown at once; if there are more, the oldest is removed. */
const MOST_SHOWN = 60;

/** @typedef {{emoji: string, scene?: number, x?: number, y?: number, element?: string}} Reaction */
/** @typedef {{said: Reaction, root: HTMLElement, stop: () => void}} Shown */

export class Reactions {
  /** @type {Map<number, Shown>} by revision */
  shown = new Map();

  layer = box("reactions");

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    this.layer.setAttribute("aria-hidden", "true");
    board.root.append(this.layer);
    board.layers.add(this);
  }

  /**
   * Shows a reaction, once.
   * @param {number} revision
   * @param {Reaction} said
   */
  add(revision, said) {
    if (this.shown.has(revision)) return;
    const root = box("reaction");
    root.append(box("reaction-emoji", said.emoji));
    this.layer.append(root);
    const stop = this.board.clock.after(SHOWN_FOR, () => this.#remove(revision));
    this.shown.set(revision, { said, root, stop });
    const [oldest] = this.shown.keys();
    if (this.shown.size > MOST_SHOWN) this.#remove(oldest);
    this.board.refresh();
  }

  /** @param {number} revision */
  #remove(revision) {
    const gone = this.shown.get(revision);
    gone?.stop();
    gone?.root.remove();
    this.shown.delete(revision);
  }

  clear() {
    for (const revision of [...this.shown.keys()]) this.#remove(revision);
  }

  /** Moves each reaction to its place on the screen, after the view or an element has moved. */
  draw() {
    const { board } = this;
    for (const { said, root } of this.shown.values()) {
      const at = placeOf(said, board);
      root.hidden = at === undefined;
      if (at === undefined) continue;
      const { x, y } = board.view.toScreen(at);
      root.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
    }
  }

  close() {
    this.clear();
    this.layer.remove();
  }
}

/**
 * @param {Reaction} said
 * @param {Pick<Board, "scene" | "box">} board
 * @returns {Spot | undefined} its place; undefined: it is on another scene, or its element is gone
 */
export function placeOf({ scene, x = 0, y = 0, element }, board) {
  if (element === undefined) return scene === board.scene ? { x, y } : undefined;
  const around = board.box(element);
  return around && centre(around);
}

/**
 * The reaction of a member: on the selected element, if exactly one is selected; else where the
 * pointer was last, if that is in sight; else in the middle of the view.
 * @param {string} emoji
 * @param {Pick<Board, "scene" | "selection" | "view">} board
 * @param {Spot | undefined} hand where it was last, on the board
 * @returns {Reaction}
 */
export function reactionOf(emoji, { scene, selection, view }, hand) {
  if (selection.length === 1) return { emoji, element: selection[0] };
  const { left, top, right, bottom } = view.seen;
  const isSeen = hand && hand.x >= left && hand.x <= right && hand.y >= top && hand.y <= bottom;
  const { x, y } = isSeen ? hand : view.camera;
  return { emoji, scene, x: Math.round(x), y: Math.round(y) };
}

const box = (/** @type {string} */ className, textContent = "") =>
  Object.assign(document.createElement("div"), { className, textContent });
