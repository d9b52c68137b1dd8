// The eraser takes whole elements: those under its way pale at once, and go when it is lifted, in one step.

import { Fields } from "../../core/display.js";
import { distance, minus, plus, times } from "../../core/geom.js";

const PALE = 0.25;
/** Looks along a way at most so often. */
const STOPS = 200;

/** @type {ToolMaker} */
export function eraser(board) {
  const { feed, feed: { shelf }, stage } = board;
  const caught = /** @type {Set<string>} */ (new Set());
  /** @type {Point | undefined} */
  let last;
  const rub = (/** @type {Point[]} */ points) => {
    for (const point of points) {
      const [from, reach] = [last?.at ?? point.at, board.reach(point)];
      const stops = Math.min(Math.ceil(distance(from, point.at) / reach), STOPS) || 1;
      for (let stop = 1; stop <= stops; stop += 1) {
        const found = shelf.hitAll(plus(from, times(minus(point.at, from), stop / stops)), reach);
        for (const element of found) if (!new Fields(element).isLocked) caught.add(element.id);
      }
      last = point;
    }
    feed.lift(caught);
  };
  return {
    cursor: "none", move: rub,
    down(point) {
      last = point;
      rub([point]);
    },
    up: () => board.sendParts("erased", "elements", [...caught].filter((id) => shelf.entries.has(id))),
    // What the log does not take away comes back.
    end() {
      feed.lower(caught);
      caught.clear();
    },
    hover: (point) => (last = point),
    draw(ctx) {
      for (const { element } of [...caught].flatMap((id) => shelf.entries.get(id) ?? [])) {
        board.paint(ctx, stage.marksOf(element).map((mark) => ({ ...mark, opacity: mark.opacity * PALE })));
      }
      if (!last) return;
      Object.assign(ctx, { fillStyle: "rgba(128, 140, 152, 0.25)", strokeStyle: "#6b7a89" });
      ctx.lineWidth = 1.5 / board.view.scale;
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.arc(last.at.x, last.at.y, board.reach(last), 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    },
  };
}
