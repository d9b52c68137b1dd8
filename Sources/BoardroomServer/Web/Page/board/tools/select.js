// Selecting, and what hands do to what is selected: move, stretch, turn; ends of lines one by one.

import { Fields } from "../../core/display.js";
import { boxOf, centre, distance, minus, sizeOf, spot } from "../../core/geom.js";
import { fromCorner } from "../../core/shapes.js";
import { moves, stretches, turns } from "../edits.js";
import { wholeAngle } from "./shape.js";

/** @type {Record<string, number>} */
const REACH = { mouse: 6, pen: 8, touch: 12 };
/** A hand that moves less than this has clicked, in pixels of the screen. */
const STILL = 3;
const ANGLES = Math.PI / 12;
/** Things are not made smaller than this, in pixels of the scene. */
const SMALLEST = 2;

export class Select {
  name = "select";
  cursor = "default";
  /** @type {"marquee" | "move" | "handle" | undefined} */
  does = undefined;
  /** @type {Point | undefined} */
  from = undefined;
  /** @type {Point | undefined} */
  to = undefined;
  hasMoved = false;
  /** @type {string[]} */
  before = [];

  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
  }

  get selection() { return this.board.selected; }

  /** @param {Point} point */
  #under({ at, type }) {
    return this.board.feed.shelf.hit(at, (REACH[type] ?? REACH.mouse) / this.board.view.scale);
  }

  /** @param {Point} point */
  down(point) {
    const { selection, board } = this;
    this.from = this.to = point;
    this.hasMoved = false;
    this.handle = selection.handleAt(point.at, point.type);
    this.box = selection.box;
    this.does = "handle";
    if (this.handle) return;
    this.hit = this.#under(point);
    if (point.clicks === 2 && this.hit) {
      this.does = undefined;
      return board.edit(this.hit.id);
    }
    this.before = point.shift ? board.selection : [];
    this.wasSelected = this.hit !== undefined && selection.ids.has(this.hit.id);
    this.does = this.hit || (!point.shift && selection.surrounds(point.at)) ? "move" : "marquee";
    if (this.does === "marquee") board.select(this.before);
    else if (this.hit && !this.wasSelected) board.select([...this.before, this.hit.id]);
  }

  /** @param {Point[]} points */
  move(points) {
    const { from, selection, board } = this;
    if (!from || !this.does) return;
    const to = points[points.length - 1];
    this.to = to;
    this.hasMoved ||= distance(to.screen, from.screen) >= STILL;
    if (!this.hasMoved) return;
    if (this.does === "marquee") {
      const caught = board.feed.shelf.caught(boxOf(from.at, to.at))
        .filter((element) => !new Fields(element).isLocked);
      board.select([...this.before, ...caught.map(({ id }) => id)]);
    } else if (this.does === "move" && board.canWrite) {
      board.feed.lift(selection.free.map(({ id }) => id));
      selection.shift = this.#shift(from, to);
    } else if (board.canWrite) selection.show(this.#changes(from, to));
    board.refresh();
  }

  /** @param {Point} from @param {Point} to @returns {Spot} */
  #shift(from, to) {
    const { x, y } = minus(to.at, from.at);
    return !to.shift ? spot(x, y) : Math.abs(x) > Math.abs(y) ? spot(x, 0) : spot(0, y);
  }

  /** @param {Point} from @param {Point} to @returns {Change[]} */
  #changes(from, to) {
    const { box, handle, selection: { free, line } } = this;
    if (!box || !handle) return [];
    if (line) {
      const { points } = new Fields(line);
      const index = Number(handle.name.slice("point".length));
      points[index] = to.shift ? wholeAngle(points[index === 0 ? 1 : index - 1], to.at) : to.at;
      return [{ id: line.id, set: fromCorner(points) }];
    }
    if (handle.name !== "turn") return stretches(free, box, this.#stretched(box, handle.name, from, to));
    const [a, b] = [from, to].map(({ at }) => Math.atan2(at.y - centre(box).y, at.x - centre(box).x));
    return turns(free, to.shift ? Math.round((b - a) / ANGLES) * ANGLES : b - a, centre(box));
  }

  /** @param {Box} box @param {string} name @param {Point} from @param {Point} to @returns {Box} */
  #stretched(box, name, from, to) {
    const [size, way, middle] = [sizeOf(box), minus(to.at, from.at), centre(box)];
    const side = (/** @type {string} */ low, /** @type {string} */ high) =>
      name.includes(high) ? 1 : name.includes(low) ? -1 : 0;
    const sides = [side("w", "e"), side("n", "s")];
    const both = to.alt ? 2 : 1;
    let [wide, high] = [size.x + sides[0] * way.x * both, size.y + sides[1] * way.y * both];
    // Keeping proportions: what always does, and whatever is dragged at a corner with Shift.
    if (sides[0] && sides[1] && this.selection.keepsShape !== to.shift) {
      const grow = Math.max(wide / Math.max(size.x, 1), high / Math.max(size.y, 1));
      [wide, high] = [size.x * grow, size.y * grow];
    }
    [wide, high] = [Math.max(wide, SMALLEST), Math.max(high, SMALLEST)];
    const left = to.alt ? middle.x - wide / 2 : sides[0] < 0 ? box.right - wide : box.left;
    const top = to.alt ? middle.y - high / 2 : sides[1] < 0 ? box.bottom - high : box.top;
    return { left, top, right: left + wide, bottom: top + high };
  }

  /** @param {Point} point */
  up(point) {
    const { does, from, selection: { free }, board } = this;
    if (from && does && does !== "marquee" && this.hasMoved) {
      const { x, y } = this.#shift(from, point);
      board.change(does === "move" ? moves(free, x, y) : this.#changes(from, point));
    } else if (does === "move") this.#click(point);
    this.cancel();
  }

  // A click on one of several leaves that one; with Shift it leaves the others.
  /** @param {Point} point */
  #click({ shift }) {
    const { hit, board } = this;
    if (!shift) board.select(hit ? [hit.id] : []);
    else if (this.wasSelected) board.select(board.selection.filter((id) => id !== hit?.id));
  }

  cancel() {
    this.does = this.from = this.to = undefined;
    this.selection.settle();
    this.board.refresh();
  }

  /** @param {Point} point */
  hover(point) {
    const handle = this.selection.handleAt(point.at, point.type);
    const isOver = this.selection.surrounds(point.at) || this.#under(point);
    this.board.setCursor(handle?.cursor ?? (isOver ? "move" : "default"));
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    if (this.does !== "marquee" || !this.hasMoved || !this.from || !this.to) return;
    const { left, top, right, bottom } = boxOf(this.from.at, this.to.at);
    const look = { fillStyle: "rgba(31, 95, 214, 0.1)", strokeStyle: "rgba(31, 95, 214, 0.8)" };
    Object.assign(ctx, { ...look, lineWidth: 1 / this.board.view.scale });
    ctx.setLineDash([]);
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.strokeRect(left, top, right - left, bottom - top);
  }
}
