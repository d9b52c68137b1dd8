// What the player shows over the picture: faintly what was erased, a frame around the element whose
// story is told, and the rectangle that is searched.
import { boxOfElement, ElementIndex } from "../render/element-index.js";
import { grown, touches } from "../render/geom.js";

/** How much of its opacity an erased element has. */
const FAINT = 0.3;

/** Erased elements that are shown, at most: the last ones. A click finds the others, too. */
const MOST_SHOWN = 5_000;

/** Erased elements that are drawn in one frame, at most. */
const MOST_DRAWN = 2_000;

/** Pixels of the screen between an element and the frame around it. */
const GAP = 5;

const ACCENT = { light: "#1f5fd6", dark: "#7aa7ff" };

export class Ghosts {
  /** Whether what was erased is shown. */
  isShown = false;

  /** @type {RoomElement | undefined} whose story is told */
  chosen = undefined;

  /** @type {number | undefined} the page on which it is shown: its own may have been removed */
  chosenPage = undefined;

  /** Whether the chosen one is not on the board at this moment. */
  isGone = false;

  /** @type {(Box & {page?: number}) | undefined} a rectangle that is searched, or drawn just now */
  area = undefined;

  /** @type {Map<string, Replay.Grave>} what is shown, by the elements' ids */
  #graves = new Map();

  #index = new ElementIndex();

  /** @type {WeakMap<Thing, Mark[]>} */
  #faint = new WeakMap();

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    board.layers.add(this);
  }

  /** @param {Replay.Grave[]} graves that are to be shown */
  update(graves) {
    const shown = graves.slice(-MOST_SHOWN);
    const next = new Map(shown.map((grave) => [grave.element.id, grave]));
    for (const [id, grave] of this.#graves) {
      if (next.get(id) !== grave) this.#index.remove(id);
    }
    for (const [id, grave] of next) {
      if (this.#graves.get(id) !== grave) this.#index.put(grave.element);
    }
    this.#graves = next;
    this.board.refresh();
  }

  /** @returns {Box | undefined} around what was erased, if it is shown */
  get box() {
    return this.isShown ? this.#index.box() : undefined;
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { board } = this;
    if (this.isShown) {
      const seen = this.#index.within(board.view.seen).slice(-MOST_DRAWN);
      for (const { element } of seen) {
        board.paint(ctx, this.#faintMarks(element));
      }
    }
    const { chosen, chosenPage } = this;
    const isHere = (chosenPage ?? chosen?.scene) === board.scene;
    if (chosen && isHere) this.#drawChosen(ctx, chosen);
    const { area } = this;
    if (area && (area.page ?? board.scene) === board.scene) this.#frame(ctx, area, true);
  }

  /**
   * @param {Ink} ctx
   * @param {RoomElement} chosen
   */
  #drawChosen(ctx, chosen) {
    const { board } = this;
    const box = board.box(chosen.id) ?? boxOfElement(chosen);
    if (!touches(box, board.view.seen)) return;
    const isFaint = this.isShown && this.#graves.has(chosen.id);
    if (this.isGone && !isFaint) board.paint(ctx, this.#faintMarks(chosen));
    this.#frame(ctx, grown(box, GAP / board.view.scale), this.isGone);
  }

  /** @param {Thing} element */
  #faintMarks(element) {
    const known = this.#faint.get(element);
    if (known) return known;
    const all = this.board.stage.marksOf(element);
    const marks = all.map((mark) => ({ ...mark, opacity: mark.opacity * FAINT }));
    this.#faint.set(element, marks);
    return marks;
  }

  /**
   * @param {Ink} ctx
   * @param {Box} box
   * @param {boolean} isDashed
   */
  #frame(ctx, { left, top, right, bottom }, isDashed) {
    const { theme, view } = this.board;
    const pixel = 1 / view.scale;
    ctx.globalAlpha = 1;
    ctx.strokeStyle = ACCENT[theme];
    ctx.lineWidth = 2 * pixel;
    ctx.lineJoin = "miter";
    ctx.setLineDash(isDashed ? [6 * pixel, 4 * pixel] : []);
    ctx.strokeRect(left, top, right - left, bottom - top);
    ctx.setLineDash([]);
  }

  close() {
    this.board.layers.delete(this);
  }
}
