// Hands on the picture of the player: a click asks for the story of what is there, and a rectangle
// is drawn to be searched, with Shift or after its button. Everything else moves the paper.
import { boxOf, distance } from "../render/geom.js";

/** A pointer that moves by fewer pixels of the screen has clicked. */
const LEAST_MOVE = 4;

/** Pixels of the screen by which a pointer may miss an element; a finger may miss it by more. */
const REACH = { finger: 12, mouse: 7 };

/**
 * @typedef {object} PickUses
 * @property {(at: Spot, reach: number) => void} pick
 * @property {(box: Box | undefined) => void} draw shows a rectangle while it is drawn
 * @property {(box: Box) => void} search
 */

export class Picking {
  /** Whether the next drag draws a rectangle. */
  isDrawing = false;

  /** @type {{id: number, from: Spot, isArea: boolean} | undefined} the pointer that is down */
  #down = undefined;

  /**
   * @param {HTMLElement} paper
   * @param {Board} board
   * @param {PickUses} uses
   */
  constructor(paper, board, uses) {
    this.paper = paper;
    this.board = board;
    this.uses = uses;
    // Before the board, which would move the paper.
    paper.addEventListener("pointerdown", (event) => this.#press(event), true);
    paper.addEventListener("pointermove", (event) => this.#move(event), true);
    paper.addEventListener("pointerup", (event) => this.#lift(event), true);
    paper.addEventListener("pointercancel", () => this.cancel(), true);
  }

  /** Draws a rectangle with the next drag. */
  begin() {
    this.isDrawing = true;
    this.board.setCursor("crosshair");
  }

  cancel() {
    this.#down = undefined;
    this.isDrawing = false;
    this.uses.draw(undefined);
    this.board.setCursor();
  }

  /**
   * @param {PointerEvent} event
   * @returns {Spot} pixels of the screen
   */
  #screenOf({ clientX, clientY }) {
    const { left, top } = this.paper.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {PointerEvent} event */
  #press(event) {
    if (event.button !== 0) return;
    // A second finger: the two of them move the paper.
    if (this.#down) {
      this.#down = undefined;
      return;
    }
    const isArea = this.isDrawing || event.shiftKey;
    this.#down = { id: event.pointerId, from: this.#screenOf(event), isArea };
    if (!isArea) return;
    event.stopImmediatePropagation();
    this.paper.focus({ preventScroll: true });
    if (event.isTrusted) this.paper.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const down = this.#down;
    if (!down?.isArea || down.id !== event.pointerId) return;
    event.stopImmediatePropagation();
    this.uses.draw(this.#box(down.from, event));
  }

  /**
   * @param {Spot} from
   * @param {PointerEvent} event
   */
  #box(from, event) {
    const { view } = this.board;
    return boxOf(view.toScene(from), view.toScene(this.#screenOf(event)));
  }

  /** @param {PointerEvent} event */
  #lift(event) {
    const down = this.#down;
    if (!down || down.id !== event.pointerId) return;
    this.#down = undefined;
    const to = this.#screenOf(event);
    const isClick = distance(down.from, to) < LEAST_MOVE;
    if (down.isArea) {
      event.stopImmediatePropagation();
      const box = this.#box(down.from, event);
      this.cancel();
      if (!isClick) return this.uses.search(box);
    }
    const reach = event.pointerType === "touch" ? REACH.finger : REACH.mouse;
    if (isClick) this.uses.pick(this.board.view.toScene(to), reach / this.board.view.scale);
  }
}
