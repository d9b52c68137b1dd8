// The eraser takes whole elements: those under its way pale at once, and go when it is lifted, in one step.

import { Fields } from "../../core/display.js";
import { distance, minus, plus, times } from "../../core/geom.js";

/** What is caught shows so much of itself; looks along a way at most so often. */
const [PALE, STOPS] = [0.25, 200];

/** @type {ToolMaker} */
export function eraser(board) {
  const { feed, feed: { shelf }, stage } = board;
  const caught = /** @type {Set<string>} */ (new Set());
  let from = { x: 0, y: 0 };
  const rub = (/** @type {Point[]} */ points) => {
    for (const point of points) {
      const [way, reach] = [minus(point.at, from), board.reach(point)];
      const stops = Math.min(Math.ceil(distance(from, point.at) / reach), STOPS) || 1;
      for (let stop = 1; stop <= stops; stop += 1) {
        const found = shelf.hitAll(plus(from, times(way, stop / stops)), reach);
        for (const element of found) if (!new Fields(element).isLocked) caught.add(element.id);
      }
      from = point.at;
    }
    feed.lift(caught);
  };
  return {
    cursor: `url("${new URL("../../eraser.svg", import.meta.url)}") 9 9, crosshair`, move: rub,
    down(point) {
      from = point.at;
      rub([point]);
    },
    up: () => board.sendParts("erased", "elements", [...caught].filter((id) => shelf.entries.has(id))),
    // What the log does not take away comes back.
    end() {
      feed.lower(caught);
      caught.clear();
    },
    draw(ctx) {
      for (const { element } of [...caught].flatMap((id) => shelf.entries.get(id) ?? [])) {
        board.paint(ctx, stage.marksOf(element).map((mark) => ({ ...mark, opacity: mark.opacity * PALE })));
      }
    },
  };
}
