// Selecting, and what hands do to what is selected: move, stretch, turn; ends of lines one by one.

import { Fields } from "../../core/display.js";
import { boxOf, centre, spot } from "../../core/geom.js";
import { fromCorner } from "../../core/shapes.js";
import { moves, stretches, turns } from "../edits.js";
import { wholeAngle } from "./shape.js";

/** @typedef {import("../input.js").Point} Point */
/** @typedef {import("../../core/geom.js").Box} Box */
/** @typedef {import("../../core/geom.js").Spot} Spot */

const REACH = { mouse: 6, pen: 8, touch: 12 };
/** A hand that moves less than this has clicked, in pixels of the screen. */
const STILL = 3;
const ANGLES = Math.PI / 12;
/** Things are not made smaller than this, in pixels of the scene. */
const SMALLEST = 2;

export class Select {
  /** @param {import("../board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.name = "select";
    this.cursor = "default";
    /** @type {"marquee" | "move" | "handle" | undefined} */
    this.does = undefined;
    /** @type {Point | undefined} */
    this.from = undefined;
    /** @type {Point | undefined} */
    this.to = undefined;
    this.hasMoved = false;
  }

  get selection() { return this.board.selected; }

  /** @param {Point} point */
  #reach(point) { return (REACH[/** @type {"mouse"} */ (point.type)] ?? REACH.mouse) / this.board.view.scale; }

  /** @param {Point} point */
  down(point) {
    [this.from, this.to, this.hasMoved] = [point, point, false];
    this.handle = this.selection.handleAt(point.at, point.type);
    this.box = this.selection.box;
    if (this.handle) {
      this.does = "handle";
      return;
    }
    this.hit = this.board.feed.shelf.hit(point.at, this.#reach(point));
    if (point.clicks === 2 && this.hit && this.board.canWrite) {
      this.does = undefined;
      return this.board.edit(this.hit.id);
    }
    this.wasSelected = this.hit !== undefined && this.selection.ids.has(this.hit.id);
    this.before = new Set(point.shift ? this.selection.ids : []);
    if (!this.hit && this.#isInside(point)) this.does = "move";
    else if (!this.hit) this.does = "marquee";
    else {
      this.does = "move";
      if (point.shift) this.board.select([...this.selection.ids, this.hit.id]);
      else if (!this.wasSelected) this.board.select([this.hit.id]);
    }
    if (this.does === "marquee" && !point.shift) this.board.select([]);
  }

  // Several things are taken by what is between them, too.
  /** @param {Point} point */
  #isInside({ at, shift }) {
    const { box } = this.selection;
    if (!box || shift || this.selection.ids.size < 2) return false;
    return box.left <= at.x && at.x <= box.right && box.top <= at.y && at.y <= box.bottom;
  }

  /** @param {Point[]} points */
  move(points) {
    const to = points[points.length - 1];
    if (!this.from || !this.does) return;
    this.to = to;
    const far = Math.hypot(to.screen.x - this.from.screen.x, to.screen.y - this.from.screen.y);
    this.hasMoved ||= far >= STILL;
    if (!this.hasMoved) return;
    if (this.does === "marquee") {
      const caught = this.board.feed.shelf.caught(boxOf(this.from.at, to.at)).filter((element) => !new Fields(element).isLocked);
      this.board.select([...(this.before ?? []), ...caught.map(({ id }) => id)]);
    } else if (this.board.canWrite) this.#show(to);
    this.board.refresh();
  }

  /** @param {Point} to */
  #show(to) {
    if (this.does === "move") {
      this.board.feed.lift(this.selection.free.map(({ id }) => id));
      this.selection.shift = this.#shift(to);
    } else this.selection.show(this.#changes(to));
  }

  /** @param {Point} to @returns {Spot} */
  #shift(to) {
    const { at } = /** @type {Point} */ (this.from);
    const [x, y] = [to.at.x - at.x, to.at.y - at.y];
    if (!to.shift) return spot(x, y);
    return Math.abs(x) > Math.abs(y) ? spot(x, 0) : spot(0, y);
  }

  /** @param {Point} to @returns {import("../edits.js").Change[]} */
  #changes(to) {
    const { free, line } = this.selection;
    const { box, handle, from } = this;
    if (!box || !handle || !from) return [];
    if (handle.name.startsWith("point") && line) {
      const points = new Fields(line).points;
      const index = Number(handle.name.slice(5));
      const other = points[index === 0 ? 1 : index - 1];
      points[index] = to.shift ? wholeAngle(other, to.at) : to.at;
      return [{ id: line.id, set: fromCorner(points) }];
    }
    if (handle.name === "turn") {
      const middle = centre(box);
      const angle = (/** @type {Spot} */ at) => Math.atan2(at.y - middle.y, at.x - middle.x);
      const by = angle(to.at) - angle(from.at);
      return turns(free, to.shift ? Math.round(by / ANGLES) * ANGLES : by, middle);
    }
    return stretches(free, box, this.#stretched(box, handle.name, to, from));
  }

  /** @param {Box} box @param {string} name @param {Point} to @param {Point} from @returns {Box} */
  #stretched(box, name, to, from) {
    const [x, y] = [to.at.x - from.at.x, to.at.y - from.at.y];
    const [width, height] = [Math.max(box.right - box.left, 1e-3), Math.max(box.bottom - box.top, 1e-3)];
    const signX = name.includes("e") ? 1 : name.includes("w") ? -1 : 0;
    const signY = name.includes("s") ? 1 : name.startsWith("n") ? -1 : 0;
    const part = to.alt ? 2 : 1;
    let [wide, high] = [width + signX * x * part, height + signY * y * part];
    // Keeping proportions: what always does, and whatever is dragged at a corner with Shift.
    if (signX && signY && this.selection.keepsShape !== to.shift) {
      const grow = Math.max(wide / width, high / height);
      [wide, high] = [width * grow, height * grow];
    }
    [wide, high] = [Math.max(wide, SMALLEST), Math.max(high, SMALLEST)];
    const middle = centre(box);
    const left = to.alt || !signX ? middle.x - wide / 2 : signX > 0 ? box.left : box.right - wide;
    const top = to.alt || !signY ? middle.y - high / 2 : signY > 0 ? box.top : box.bottom - high;
    return { left: signX ? left : box.left, top: signY ? top : box.top, right: (signX ? left : box.left) + (signX ? wide : width), bottom: (signY ? top : box.top) + (signY ? high : height) };
  }

  /** @param {Point} point */
  up(point) {
    const { does } = this;
    if (does && this.hasMoved && does !== "marquee" && this.board.canWrite) this.#commit(point);
    else if (does === "move" && !this.hasMoved) this.#click(point);
    this.#end();
  }

  /** @param {Point} point */
  #commit(point) {
    const { free } = this.selection;
    const shift = this.#shift(point);
    const changes = this.does === "move" ? moves(free, shift.x, shift.y) : this.#changes(point);
    this.board.change(changes);
  }

  // A click on one of several leaves that one; with Shift it leaves the others.
  /** @param {Point} point */
  #click({ shift }) {
    if (!this.hit) return this.board.select([]);
    if (!shift) return this.board.select([this.hit.id]);
    if (this.wasSelected) this.board.select([...this.selection.ids].filter((id) => id !== this.hit?.id));
  }

  cancel() { this.#end(); }

  #end() {
    this.does = this.from = this.to = undefined;
    this.selection.settle();
    this.board.refresh();
  }

  /** @param {Point} point */
  hover(point) {
    const handle = this.selection.handleAt(point.at, point.type);
    const isOver = handle || this.#isInside(point) || this.board.feed.shelf.hit(point.at, this.#reach(point));
    this.board.setCursor(handle?.cursor ?? (isOver ? "move" : "default"));
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    if (this.does !== "marquee" || !this.hasMoved || !this.from || !this.to) return;
    const { left, top, right, bottom } = boxOf(this.from.at, this.to.at);
    const { scale } = this.board.view;
    ctx.setLineDash([]);
    [ctx.fillStyle, ctx.strokeStyle, ctx.lineWidth] = ["rgba(31, 95, 214, 0.1)", "rgba(31, 95, 214, 0.8)", 1 / scale];
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.strokeRect(left, top, right - left, bottom - top);
  }
}
