// Shapes and lines: dragged from one corner or end to the other. Shift keeps sides equal or angles whole, Alt draws from
// the middle; a click alone gives a shape of a usual size.

import { boxOf, spot } from "../../core/geom.js";
import { marksOf } from "../../core/display.js";
import { fromCorner } from "../../core/shapes.js";

/** @typedef {import("../input.js").Point} Point */
/** @typedef {import("../../core/geom.js").Spot} Spot */

/** In pixels of the screen: less is a click. */
const CLICK = 4;
const USUAL = { width: 120, height: 80 };
const ANGLES = Math.PI / 12;

export class Shape {
  /** @param {import("../board.js").Board} board @param {string} name a type of element */
  constructor(board, name) {
    this.board = board;
    this.name = name;
    this.cursor = "crosshair";
    this.isLine = name === "straight" || name === "arrow";
    /** @type {Point | undefined} */
    this.from = undefined;
    /** @type {Point | undefined} */
    this.to = undefined;
  }

  /** @param {Point} point */
  down(point) { [this.from, this.to] = [point, point]; }

  /** @param {Point[]} points */
  move(points) {
    if (this.from) this.to = points[points.length - 1];
    this.board.refresh();
  }

  /** @param {Point} point */
  up(point) {
    this.to = point;
    const body = this.#body();
    this.cancel();
    if (body) this.board.putShape(body);
  }

  cancel() {
    this.from = this.to = undefined;
    this.board.refresh();
  }

  get #isClick() {
    const [a, b] = [/** @type {Point} */ (this.from).screen, /** @type {Point} */ (this.to).screen];
    return Math.hypot(b.x - a.x, b.y - a.y) < CLICK;
  }

  /** @returns {Record<string, any> | undefined} */
  #body() {
    if (!this.from || !this.to) return undefined;
    if (this.isLine) return this.#isClick ? undefined : { type: this.name, ...fromCorner(this.#ends()), style: this.board.shapeStyle(true) };
    const box = this.#isClick ? this.#usual() : this.#box();
    const size = { width: box.right - box.left, height: box.bottom - box.top };
    return { type: this.name, x: box.left, y: box.top, ...size, style: this.board.shapeStyle(false) };
  }

  /** @returns {Spot[]} */
  #ends() {
    const [a, b] = [/** @type {Point} */ (this.from).at, /** @type {Point} */ (this.to).at];
    return [a, this.to?.shift ? wholeAngle(a, b) : b];
  }

  #usual() {
    const { at } = /** @type {Point} */ (this.from);
    const [x, y] = [USUAL.width / 2 / this.board.view.scale, USUAL.height / 2 / this.board.view.scale];
    return boxOf(spot(at.x - x, at.y - y), spot(at.x + x, at.y + y));
  }

  #box() {
    const [from, to] = [/** @type {Point} */ (this.from), /** @type {Point} */ (this.to)];
    let [x, y] = [to.at.x - from.at.x, to.at.y - from.at.y];
    if (to.shift) {
      const side = Math.max(Math.abs(x), Math.abs(y));
      [x, y] = [side * (x < 0 ? -1 : 1), side * (y < 0 ? -1 : 1)];
    }
    const begin = to.alt ? spot(from.at.x - x, from.at.y - y) : from.at;
    return boxOf(begin, spot(from.at.x + x, from.at.y + y));
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    if (!this.from || !this.to || this.#isClick) return;
    this.board.paint(ctx, marksOf(/** @type {any} */ ({ shape: this.#body() })));
  }
}

// The end of a line whose angle is a multiple of 15 degrees.
/** @param {Spot} from @param {Spot} to */
export function wholeAngle(from, to) {
  const [x, y] = [to.x - from.x, to.y - from.y];
  const angle = Math.round(Math.atan2(y, x) / ANGLES) * ANGLES;
  const reach = Math.hypot(x, y);
  return spot(from.x + reach * Math.cos(angle), from.y + reach * Math.sin(angle));
}
