// What hands do to what is there. Selecting: move, stretch, turn; ends of lines one by one. The
// eraser takes whole elements: those under its way pale at once, and go when it is lifted, in one
// step.
import { Fields } from "../../render/display.js";
import { boxOf, distance, minus, plus, spot, times } from "../../render/geom.js";
import { changed, moves } from "../edits.js";

/** What an eraser has caught shows so much of itself; looks along a way at most so often. */
const PALE = 0.25;

const STOPS = 200;

/** @type {ToolMaker} */
export function select(board) {
  const { selected } = board;
  const { shelf } = board.feed;
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
      const before = point.shift ? board.selection : [];
      const isMarquee = !handle && !hit && (point.shift || !selected.surrounds(point.at));
      held = { before, hit, wasHit: selected.ids.has(hit?.id ?? ""), handle, isMarquee };
      if (isMarquee || (hit && !held.wasHit)) board.select([...before, ...(hit ? [hit.id] : [])]);
    },
    move(_points, _predicted, drag) {
      if (!held || !drag.hasMoved || (!held.isMarquee && !board.canWrite)) return;
      const { free } = selected;
      if (held.isMarquee) {
        const caught = shelf.caught(boxOf(drag.from.at, drag.to.at));
        board.select([
          ...held.before,
          ...caught.flatMap((one) => (new Fields(one).isLocked ? [] : one.id)),
        ]);
      } else if (!held.handle) {
        selected.show(free, shiftOf(drag));
      } else {
        selected.show(held.handle.change(drag).map(({ set }, at) => changed(free[at], set)));
      }
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
    twice(point) {
      const hit = under(point);
      if (hit) board.edit(hit.id);
    },
    hover(point) {
      if (!point) return;
      const isOver = selected.surrounds(point.at) || under(point);
      board.setCursor(selected.handleAt(point)?.cursor ?? (isOver ? "move" : "default"));
    },
    draw(ctx, drag) {
      if (!held?.isMarquee || !drag?.hasMoved) return;
      const { x, y } = drag.from.at;
      const way = minus(drag.to.at, drag.from.at);
      Object.assign(ctx, {
        fillStyle: "rgba(31, 95, 214, 0.1)",
        strokeStyle: "rgba(31, 95, 214, 0.8)",
      });
      ctx.lineWidth = 1 / board.view.scale;
      ctx.setLineDash([]);
      ctx.fillRect(x, y, way.x, way.y);
      ctx.strokeRect(x, y, way.x, way.y);
    },
  };
}

/** @type {ToolMaker} */
export function eraser(board) {
  const { feed, stage } = board;
  const { shelf } = feed;
  /** @type {Set<string>} */
  const caught = new Set();
  let from = { x: 0, y: 0 };
  const rub = (/** @type {Point[]} */ points) => {
    for (const point of points) {
      const way = minus(point.at, from);
      const reach = board.reach(point);
      const stops = Math.min(Math.ceil(distance(from, point.at) / reach), STOPS) || 1;
      for (let stop = 1; stop <= stops; stop += 1) {
        const found = shelf.hitAll(plus(from, times(way, stop / stops)), reach);
        for (const element of found) {
          if (!new Fields(element).isLocked) caught.add(element.id);
        }
      }
      from = point.at;
    }
    feed.lift(caught);
  };
  return {
    cursor: `url("${new URL("../../eraser.svg", import.meta.url)}") 9 9, crosshair`,
    move: rub,
    down(point) {
      from = point.at;
      rub([point]);
    },
    up: () =>
      board.sendParts(
        "erased",
        "elements",
        [...caught].filter((id) => shelf.entries.has(id)),
      ),
    // What the log does not take away comes back.
    end() {
      feed.lower(caught);
      caught.clear();
    },
    draw(ctx) {
      for (const { element } of [...caught].flatMap((id) => shelf.entries.get(id) ?? [])) {
        board.paint(
          ctx,
          stage.marksOf(element).map((mark) => ({ ...mark, opacity: mark.opacity * PALE })),
        );
      }
    },
  };
}
