// Selecting, and what hands do to what is selected: move, stretch, turn; ends of lines one by one.

import { Fields } from "../../core/display.js";
import { boxOf, minus, sizeOf, spot } from "../../core/geom.js";
import { changed, moves } from "../edits.js";

/** @type {ToolMaker} */
export function select(board) {
  const { feed: { shelf }, selected } = board;
  let held = /** @type {Held | undefined} */ (undefined);
  const under = (/** @type {Point} */ point) => shelf.hit(point.at, board.reach(point));
  const shiftOf = (/** @type {Drag} */ { from, to }) => {
    const { x, y } = minus(to.at, from.at);
    return !to.shift ? spot(x, y) : Math.abs(x) > Math.abs(y) ? spot(x, 0) : spot(0, y);
  };
  return {
    cursor: "default",
    down(point) {
      const handle = selected.handleAt(point);
      const hit = handle ? undefined : under(point);
      if (hit && point.clicks === 2) return board.edit(hit.id);
      const before = point.shift ? board.selection : [];
      const isMarquee = !handle && !hit && (point.shift || !selected.surrounds(point.at));
      held = { before, hit, wasHit: selected.ids.has(hit?.id ?? ""), handle, isMarquee };
      if (isMarquee || (hit && !held.wasHit)) board.select([...before, ...hit ? [hit.id] : []]);
    },
    move(_points, _predicted, drag) {
      if (!held || !drag.hasMoved || (!held.isMarquee && !board.canWrite)) return;
      const { free } = selected;
      if (held.isMarquee) {
        const caught = shelf.caught(boxOf(drag.from.at, drag.to.at));
        const loose = caught.filter((element) => !new Fields(element).isLocked);
        board.select([...held.before, ...loose.map(({ id }) => id)]);
      } else if (!held.handle) selected.show(free, shiftOf(drag));
      else selected.show(held.handle.change(drag).map(({ set }, at) => changed(free[at], set)));
    },
    up(drag) {
      if (!held || held.isMarquee) return;
      const { handle, hit, wasHit } = held;
      const { x, y } = shiftOf(drag);
      if (drag.hasMoved) board.change(handle ? handle.change(drag) : moves(selected.free, x, y));
      // A click on one of several leaves that one; with Shift it leaves the others.
      else if (!handle && !drag.to.shift) board.select(hit ? [hit.id] : []);
      else if (!handle && wasHit) board.select(board.selection.filter((id) => id !== hit?.id));
    },
    end() {
      held = undefined;
      selected.settle();
    },
    hover(point) {
      if (!point) return;
      const isOver = selected.surrounds(point.at) || under(point);
      board.setCursor(selected.handleAt(point)?.cursor ?? (isOver ? "move" : "default"));
    },
    draw(ctx, drag) {
      if (!held?.isMarquee || !drag?.hasMoved) return;
      const box = boxOf(drag.from.at, drag.to.at);
      Object.assign(ctx, { fillStyle: "rgba(31, 95, 214, 0.1)", strokeStyle: "rgba(31, 95, 214, 0.8)" });
      ctx.lineWidth = 1 / board.view.scale;
      ctx.setLineDash([]);
      ctx.fillRect(box.left, box.top, sizeOf(box).x, sizeOf(box).y);
      ctx.strokeRect(box.left, box.top, sizeOf(box).x, sizeOf(box).y);
    },
  };
}
