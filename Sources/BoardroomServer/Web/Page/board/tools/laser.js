// The laser points, and leaves nothing: others know of it by where this member is, and by its `isPointing`.

import { Trail } from "../trail.js";

/** @type {ToolMaker} */
export function laser(board) {
  const trail = new Trail();
  let light = /** @type {Spot | undefined} */ (undefined);
  const shine = (/** @type {Point[]} */ points) => {
    for (const { at } of points) trail.add(at, board.clock.now());
    light = points[points.length - 1].at;
  };
  return {
    cursor: "none", move: shine,
    down(point) {
      board.send("memberState", { isPointing: true });
      trail.lift();
      shine([point]);
    },
    hover: (point) => (light = point?.at),
    end: () => board.canWrite && board.send("memberState", { isPointing: null }),
    draw(ctx) {
      const goesOn = trail.draw(ctx, board.clock.now(), board.view.scale);
      if (light) Trail.dot(ctx, light, board.view.scale);
      return goesOn;
    },
  };
}
