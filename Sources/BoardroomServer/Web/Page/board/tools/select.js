// Selecting, and what hands do to what is selected: move, stretch, turn; ends of lines one by one.

import { Fields } from "../../core/display.js";
import { boxOf, centre, minus, sizeOf, spot } from "../../core/geom.js";
import { fromCorner } from "../../core/shapes.js";
import { changed, moves, straightened, stretches, turns, wholeAngle } from "../edits.js";
import { sideOf, strokeBox } from "../selection.js";

/** Things are not made smaller than this, in pixels of the scene. */
const SMALLEST = 2;

/** @typedef {{does: "marquee" | "move" | "handle" | "nothing", before: string[], wasSelected: boolean,
 *    hit?: Thing, handle?: Handle, box?: Box}} Held */

/** @type {ToolMaker} */
export function select(board) {
  const { feed: { shelf }, selected } = board;
  const nothing = /** @type {Held} */ ({ does: "nothing", before: [], wasSelected: false });
  let held = nothing;
  const under = (/** @type {Point} */ point) => shelf.hit(point.at, board.reach(point));
  return {
    cursor: "default",
    down(point) {
      const handle = selected.handleAt(point);
      const hit = handle ? undefined : under(point);
      if (hit && point.clicks === 2) return board.edit(hit.id);
      const before = point.shift ? board.selection : [];
      const isBetween = !point.shift && selected.surrounds(point.at);
      const does = handle ? "handle" : hit || isBetween ? "move" : "marquee";
      held = { does, before, wasSelected: selected.ids.has(hit?.id ?? ""), hit, handle, box: selected.box };
      if (does === "marquee" || (hit && !held.wasSelected)) board.select([...before, ...hit ? [hit.id] : []]);
    },
    move(_points, _predicted, drag) {
      if (!drag.hasMoved) return;
      const { free } = selected;
      if (held.does === "marquee") {
        const caught = shelf.caught(boxOf(drag.from.at, drag.to.at));
        const loose = caught.filter((element) => !new Fields(element).isLocked);
        board.select([...held.before, ...loose.map(({ id }) => id)]);
      } else if (board.canWrite && held.does === "move") selected.show(free, shiftOf(drag));
      else if (board.canWrite) {
        selected.show(handled(held, selected, drag).map(({ set }, at) => changed(free[at], set)));
      }
    },
    up(drag) {
      const { does, hit, wasSelected } = held;
      const { x, y } = shiftOf(drag);
      if (drag.hasMoved && does === "move") board.change(moves(selected.free, x, y));
      else if (drag.hasMoved) board.change(handled(held, selected, drag));
      // A click on one of several leaves that one; with Shift it leaves the others.
      else if (does === "move" && !drag.to.shift) board.select(hit ? [hit.id] : []);
      else if (does === "move" && wasSelected) board.select(board.selection.filter((id) => id !== hit?.id));
    },
    end() {
      held = nothing;
      selected.settle();
    },
    hover(point) {
      if (!point) return;
      const isOver = selected.surrounds(point.at) || under(point);
      board.setCursor(selected.handleAt(point)?.cursor ?? (isOver ? "move" : "default"));
    },
    draw(ctx, drag) {
      if (held.does !== "marquee" || !drag?.hasMoved) return;
      const box = boxOf(drag.from.at, drag.to.at);
      Object.assign(ctx, { fillStyle: "rgba(31, 95, 214, 0.1)", strokeStyle: "rgba(31, 95, 214, 0.8)" });
      ctx.lineWidth = 1 / board.view.scale;
      ctx.setLineDash([]);
      ctx.fillRect(box.left, box.top, sizeOf(box).x, sizeOf(box).y);
      strokeBox(ctx, box);
    },
  };
}

/** @param {Drag} drag */
function shiftOf({ from, to }) {
  const { x, y } = minus(to.at, from.at);
  return !to.shift ? spot(x, y) : Math.abs(x) > Math.abs(y) ? spot(x, 0) : spot(0, y);
}

/** @param {Held} held @param {import("../selection.js").Selection} selected @param {Drag} drag
 *  @returns {Change[]} what a handle does, if one is held */
function handled({ box, handle }, { free, line, keepsShape }, { from, to }) {
  if (!box || !handle) return [];
  if (line) {
    const { points } = new Fields(line);
    const index = Number(handle.name.slice("point".length));
    points[index] = to.shift ? straightened(points[index === 0 ? 1 : index - 1], to.at) : to.at;
    return [{ id: line.id, set: fromCorner(points) }];
  }
  const [side, middle] = [sideOf(handle.name), centre(box)];
  if (handle.name !== "turn") return stretches(free, box, stretched(box, side, { from, to }, keepsShape));
  const [a, b] = [from, to].map(({ at }) => Math.atan2(at.y - middle.y, at.x - middle.x));
  return turns(free, to.shift ? wholeAngle(b - a) : b - a, middle);
}

/** @param {Box} box @param {Spot} side @param {{from: Point, to: Point}} drag @param {boolean} keepsShape */
function stretched(box, side, { from, to }, keepsShape) {
  const [size, way, middle, both] = [sizeOf(box), minus(to.at, from.at), centre(box), to.alt ? 2 : 1];
  let [wide, high] = [size.x + side.x * way.x * both, size.y + side.y * way.y * both];
  // Keeping proportions: what always does, and whatever is dragged at a corner with Shift.
  if (side.x && side.y && keepsShape !== to.shift) {
    const grow = Math.max(wide / Math.max(size.x, 1), high / Math.max(size.y, 1));
    [wide, high] = [size.x * grow, size.y * grow];
  }
  [wide, high] = [Math.max(wide, SMALLEST), Math.max(high, SMALLEST)];
  const left = to.alt ? middle.x - wide / 2 : side.x < 0 ? box.right - wide : box.left;
  const top = to.alt ? middle.y - high / 2 : side.y < 0 ? box.bottom - high : box.top;
  return { left, top, right: left + wide, bottom: top + high };
}
