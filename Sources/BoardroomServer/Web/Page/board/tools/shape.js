// Shapes and lines: dragged from one corner or end to the other. Shift keeps sides equal or angles whole, Alt
// draws from the middle; a click alone gives a shape of a usual size.

import { marksOf } from "../../core/display.js";
import { boxOf, distance, minus, plus, rounded, sizeOf, spot } from "../../core/geom.js";
import { fromCorner } from "../../core/shapes.js";

/** In pixels of the screen: less is a click, which gives a shape of this size. */
const CLICK = 4;
const USUAL = { x: 60, y: 40 };
const ANGLES = Math.PI / 12;

export class Shape {
  cursor = "crosshair";
  /** @type {Point | undefined} */
  from = undefined;
  /** @type {Point | undefined} */
  to = undefined;

  /** @param {import("../board.js").Board} board @param {string} name a type of element */
  constructor(board, name) {
    this.board = board;
    this.name = name;
  }

  /** @param {Point} point */
  down(point) { this.from = this.to = point; }

  /** @param {Point[]} points */
  move(points) {
    if (this.from) this.to = points[points.length - 1];
    this.board.refresh();
  }

  /** @param {Point} point */
  up(point) {
    this.move([point]);
    const body = this.#body();
    this.cancel();
    if (body) this.board.putShape(body);
  }

  cancel() {
    this.from = this.to = undefined;
    this.board.refresh();
  }

  /** @returns {Record<string, any> | undefined} */
  #body() {
    const { from, to, name: type } = this;
    if (!from || !to) return undefined;
    const isClick = distance(from.screen, to.screen) < CLICK;
    const isLine = type === "straight" || type === "arrow";
    const style = this.board.shapeStyle(isLine);
    if (isLine && isClick) return undefined;
    const end = to.shift ? wholeAngle(from.at, to.at) : to.at;
    if (isLine) return { type, ...fromCorner([from.at, end]), style };
    const half = spot(USUAL.x / this.board.view.scale, USUAL.y / this.board.view.scale);
    const box = isClick ? boxOf(minus(from.at, half), plus(from.at, half)) : dragged(from.at, to);
    const { x: width, y: height } = sizeOf(box);
    const size = { width: rounded(width), height: rounded(height) };
    return { type, x: rounded(box.left), y: rounded(box.top), ...size, style };
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { from, to } = this;
    const shape = from && to && distance(from.screen, to.screen) >= CLICK ? this.#body() : undefined;
    if (shape) this.board.paint(ctx, marksOf(/** @type {any} */ ({ shape })));
  }
}

/** @param {Spot} from @param {Point} to */
function dragged(from, { at, shift, alt }) {
  let { x, y } = minus(at, from);
  const side = Math.max(Math.abs(x), Math.abs(y));
  if (shift) [x, y] = [side * (x < 0 ? -1 : 1), side * (y < 0 ? -1 : 1)];
  return boxOf(alt ? minus(from, spot(x, y)) : from, plus(from, spot(x, y)));
}

// The end of a line whose angle is a multiple of 15 degrees.
/** @param {Spot} from @param {Spot} to */
export function wholeAngle(from, to) {
  const angle = Math.round(Math.atan2(to.y - from.y, to.x - from.x) / ANGLES) * ANGLES;
  const reach = distance(from, to);
  return plus(from, spot(reach * Math.cos(angle), reach * Math.sin(angle)));
}
