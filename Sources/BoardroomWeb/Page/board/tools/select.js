// The select tool: selects elements, and moves, stretches and turns them; moves the ends of lines.
import { ElementFields } from "../../render/fields.js";
import { boxOf, grown, minus, plus, spot } from "../../render/geom.js";
import { changed, moves } from "../edits.js";

/**
 * What is being dragged by the select tool: a handle, the selected elements, or a corner of a
 * marquee; what was selected `before`; the frame of it when the drag began.
 * @typedef {{
 *   before: string[];
 *   hit?: Thing;
 *   wasHit: boolean;
 *   handle?: Handle;
 *   isMarquee: boolean;
 *   frame?: import("../frame.js").ElementFrame;
 * }} Held
 */

/** Pixels of the screen between a group that is entered and the frame around it. */
const GROUP_GAP = 12;

const MARQUEE = { fillStyle: "rgba(31, 95, 214, 0.1)", strokeStyle: "rgba(31, 95, 214, 0.8)" };

/** @type {ToolMaker} */
export const select = (board) => new Select(board);

/** @implements {Tool} */
class Select {
  cursor = "default";
  scrolls = true;

  /** @type {Held | undefined} */
  #held = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  #elementAt(point) {
    const { board } = this;
    return board.sceneContent.index.hit(point.at, board.hitRadius(point));
  }

  /** @param {Point} point */
  down(point) {
    const { board } = this;
    const { selected } = board;
    const handle = selected.handleAt(point);
    const hit = handle ? undefined : this.#elementAt(point);
    if (!handle && (hit || !selected.surrounds(point.at))) board.groups.leaveFor(hit);
    const before = point.shift ? board.selection : [];
    const isMarquee = !handle && !hit && (point.shift || !selected.surrounds(point.at));
    const wasHit = hit !== undefined && selected.ids.has(hit.id);
    if (isMarquee) board.select(before);
    else if (hit && !wasHit) board.select([...before, ...board.groups.whole([hit])]);
    this.#held = { before, hit, wasHit, handle, isMarquee, frame: selected.frame };
  }

  /**
   * @param {Point[]} _points
   * @param {Point[]} _predicted
   * @param {Drag} drag
   */
  move(_points, _predicted, drag) {
    const held = this.#held;
    if (!held || !drag.hasMoved) return;
    if (held.isMarquee) this.#selectTouched(held, drag);
    else if (this.board.canWrite) this.#preview(held, this.#snapped(held, drag));
  }

  /**
   * @param {Held} held
   * @param {Drag} drag
   * @returns {Drag} that ends where something is in line
   */
  #snapped({ handle, frame }, drag) {
    const { snapping } = this.board;
    snapping.clear();
    if (!frame || !snapping.isOn(drag.to)) return drag;
    const by = handle ? this.#cornerSnap(handle, frame, drag) : wholeSnap(snapping, frame, drag);
    return { ...drag, to: { ...drag.to, at: plus(drag.to.at, by) } };
  }

  /**
   * @param {Handle} handle
   * @param {import("../frame.js").ElementFrame} frame
   * @param {Drag} drag
   * @returns {Spot} for a handle of an upright frame that changes its proportions
   */
  #cornerSnap({ side, keepsShape }, frame, { from, to }) {
    if (!side || keepsShape || !frame.isUpright || (to.shift && side.x && side.y))
      return spot(0, 0);
    const axes = /** @type {import("../align.js").Axis[]} */ (["x", "y"]);
    const at = plus(frame.at(side), minus(to.at, from.at));
    return this.board.snapping.corner(
      at,
      axes.filter((axis) => side[axis] !== 0),
    );
  }

  /**
   * Selects what the marquee touches.
   * @param {Held} held
   * @param {Drag} drag
   */
  #selectTouched({ before }, { from, to }) {
    const caught = this.board.sceneContent.index.touchedBy(boxOf(from.at, to.at));
    const free = caught.filter((element) => !new ElementFields(element).isLocked);
    this.board.select([...before, ...this.board.groups.whole(free)]);
  }

  /**
   * Shows the selected elements as the drag will change them.
   * @param {Held} held
   * @param {Drag} drag
   */
  #preview({ handle }, drag) {
    const { selected } = this.board;
    const isCopy = !handle && drag.to.alt;
    if (selected.isMuch) return selected.carry(transformOf(handle, drag), isCopy);
    const { free } = selected;
    if (isCopy) return selected.previewCopies(shiftOf(drag));
    if (!handle) return selected.preview(free, shiftOf(drag));
    selected.preview(handle.change(drag).map(({ set }, at) => changed(free[at], set)));
  }

  /** @param {Drag} drag */
  up(drag) {
    const held = this.#held;
    if (!held || held.isMarquee) return;
    if (drag.hasMoved) this.#change(held, this.#snapped(held, drag));
    else if (!held.handle) this.#click(held, drag.to.shift);
  }

  /**
   * @param {Held} held
   * @param {Drag} drag
   */
  #change({ handle }, drag) {
    const { board } = this;
    const { x, y } = shiftOf(drag);
    if (!handle && drag.to.alt) return board.duplicate(board.selected.free, spot(x, y));
    const changes = handle ? handle.change(drag) : moves(board.selected.free, x, y);
    board.selected.settle();
    board.change(changes);
  }

  /**
   * A click on one of several selected elements selects only that one, with its group; with Shift it
   * deselects it.
   * @param {Held} held
   * @param {boolean} hasShift
   */
  #click({ hit, wasHit }, hasShift) {
    const { board } = this;
    const ids = hit ? board.groups.whole([hit]) : [];
    if (!hasShift) board.select(ids);
    else if (wasHit) board.select(board.selection.filter((id) => !ids.includes(id)));
  }

  end() {
    this.#held = undefined;
    this.board.snapping.end();
    this.board.selected.endPreview();
  }

  /** @param {Point} point */
  twice(point) {
    const { board } = this;
    const handle = board.canWrite ? board.selected.handleAt(point) : undefined;
    if (handle?.twice) return board.change(handle.twice());
    const hit = this.#elementAt(point);
    if (hit) {
      if (!board.groups.enter(hit)) board.edit(hit.id);
      return;
    }
    // On the paper itself a new text begins.
    const drag = { from: point, to: point, length: 0, hasMoved: false };
    if (board.canWrite) board.tools.get("text")?.up?.(drag);
  }

  /** @param {Point | undefined} point none: the pointer has left */
  hover(point) {
    if (!point) return;
    const { board } = this;
    const isOver = board.selected.surrounds(point.at) || this.#elementAt(point);
    const usual = isOver ? "move" : "default";
    board.setCursor(board.selected.handleAt(point)?.cursor ?? usual);
  }

  /** @param {Ink} ctx; the group that is entered is inside of a dotted frame */
  #drawGroup(ctx) {
    const { groups, view } = this.board;
    const { box } = groups;
    if (!box) return;
    const { left, top, right, bottom } = grown(box, GROUP_GAP / view.scale);
    Object.assign(ctx, { strokeStyle: MARQUEE.strokeStyle, lineWidth: 1 / view.scale });
    ctx.setLineDash([2 / view.scale, 4 / view.scale]);
    ctx.strokeRect(left, top, right - left, bottom - top);
  }

  /**
   * @param {Ink} ctx
   * @param {Drag | undefined} drag
   */
  draw(ctx, drag) {
    this.#drawGroup(ctx);
    if (!this.#held?.isMarquee || !drag?.hasMoved) return;
    const { x, y } = drag.from.at;
    const way = minus(drag.to.at, drag.from.at);
    Object.assign(ctx, MARQUEE, { lineWidth: 1 / this.board.view.scale });
    ctx.setLineDash([]);
    ctx.fillRect(x, y, way.x, way.y);
    ctx.strokeRect(x, y, way.x, way.y);
  }
}

/**
 * @param {import("../snapping.js").Snapping} snapping
 * @param {import("../frame.js").ElementFrame} frame
 * @param {Drag} drag
 * @returns {Spot} for what is moved as a whole
 */
function wholeSnap(snapping, frame, drag) {
  const shift = shiftOf(drag);
  const along = shift.y === 0 ? /** @type {const} */ ("x") : /** @type {const} */ ("y");
  return snapping.whole(frame.shifted(shift).around, drag.to.shift ? [along] : undefined);
}

/**
 * @param {Handle | undefined} handle
 * @param {Drag} drag
 * @returns {Transform} what a drag of the handle, or of the elements, does
 */
function transformOf(handle, drag) {
  const { x, y } = shiftOf(drag);
  return handle?.transform?.(drag) ?? [1, 0, 0, 1, x, y];
}

/**
 * @param {Drag} drag
 * @returns {Spot} how far it moves things; with Shift only along one axis
 */
function shiftOf({ from, to }) {
  const { x, y } = minus(to.at, from.at);
  if (!to.shift) return spot(x, y);
  return Math.abs(x) > Math.abs(y) ? spot(x, 0) : spot(0, y);
}
