// What is under a finger: exact, from what is drawn, not from boxes.

import { corners, distanceToStretch, flat } from "./geom.js";
import { placedCorners } from "./text.js";

// Is a place on what a mark draws, or so near?
/** @param {Mark} mark @param {Spot} at @param {number} reach */
export function hits(mark, at, reach) {
  if (mark.op === "line") return isNear(flat(mark.path), at, mark.width / 2 + reach);
  if (mark.op === "fill") return isInside(flat(mark.path), at) || isNear(flat(mark.path), at, reach);
  return isInside([placedCorners(mark, false)], at);
}

// Inside of a hollow outline: chosen only if nothing else is there.
/** @param {Mark} mark @param {Spot} at */
export const surrounds = (mark, at) => mark.op === "line" && isInside(flat(mark.path), at);

/** @param {Mark} mark @param {Box} box */
export function reaches(mark, box) {
  if (mark.op === "line" || mark.op === "fill") return flat(mark.path).some((line) => crossesAny(line, box));
  const [a, b, c, d] = placedCorners(mark);
  return crossesAny([a, b, c, d, a], box) || isInside([[a, b, c, d]], corners(box)[0]);
}

/** @param {Spot[]} line @param {Box} box */
const crossesAny = (line, box) => line.some((to, index) => crosses(line[Math.max(index - 1, 0)], to, box));

/** @param {Spot[][]} lines @param {Spot} at @param {number} reach */
const isNear = (lines, at, reach) => lines.some((line) =>
  line.some((to, index) => distanceToStretch(at, line[Math.max(index - 1, 0)], to) <= reach));

// By the number of turns around the place, as a fill counts.
/** @param {Spot[][]} lines @param {Spot} at */
function isInside(lines, at) {
  let turns = 0;
  for (const line of lines) {
    line.forEach((to, index) => {
      const from = line[(index + line.length - 1) % line.length];
      if ((from.y <= at.y) === (to.y <= at.y)) return;
      const isLeft = (to.x - from.x) * (at.y - from.y) - (at.x - from.x) * (to.y - from.y) > 0;
      if (isLeft === to.y > from.y) turns += isLeft ? 1 : -1;
    });
  }
  return turns !== 0;
}

// Does a stretch cross a box, or lie in it (Liang and Barsky)?
/** @param {Spot} a @param {Spot} b @param {Box} box */
function crosses(a, b, box) {
  let [from, to] = [0, 1];
  const [x, y] = [b.x - a.x, b.y - a.y];
  const sides = [[-x, a.x - box.left], [x, box.right - a.x], [-y, a.y - box.top], [y, box.bottom - a.y]];
  for (const [way, room] of sides) {
    if (way === 0 && room < 0) return false;
    if (way < 0) from = Math.max(from, room / way);
    if (way > 0) to = Math.min(to, room / way);
  }
  return from <= to;
}
