// Which elements are at a place: exact, by what is drawn, not by boxes.
import { corners, distanceToStretch, flat } from "./geom.js";
import { placedCorners } from "./text.js";

/**
 * Whether a place is on what a mark draws, or as near as `reach`.
 * @param {Mark} mark
 * @param {Spot} at
 * @param {number} reach
 */
export function hits(mark, at, reach) {
  if (mark.op === "text" || mark.op === "image") return isInside([placedCorners(mark, false)], at);
  const lines = flat(mark.path);
  const near = mark.op === "line" ? mark.width / 2 + reach : reach;
  return (
    (mark.op === "fill" && isInside(lines, at)) ||
    someStretch(lines, (a, b) => distanceToStretch(at, a, b) <= near)
  );
}

/**
 * Whether a place is inside of a hollow outline: such an element is chosen only if there is no
 * other.
 * @param {Mark} mark
 * @param {Spot} at
 */
export const surrounds = (mark, at) => mark.op === "line" && isInside(flat(mark.path), at);

/**
 * @param {Mark} mark
 * @param {Box} box
 */
export function reaches(mark, box) {
  const cross = (/** @type {Spot[][]} */ lines) => someStretch(lines, (a, b) => crosses(a, b, box));
  if (mark.op === "line" || mark.op === "fill") return cross(flat(mark.path));
  const places = placedCorners(mark);
  return cross([[...places, places[0]]]) || isInside([places], corners(box)[0]);
}

/**
 * Stretches go from each place to the next; a line of one place is one, too.
 * @param {Spot[][]} lines
 * @param {(a: Spot, b: Spot) => boolean} is
 */
const someStretch = (lines, is) =>
  lines.some((line) => line.some((to, index) => is(line[Math.max(index - 1, 0)], to)));

/**
 * By the number of turns around the place, as a fill counts.
 * @param {Spot[][]} lines
 * @param {Spot} at
 */
function isInside(lines, at) {
  let turns = 0;
  for (const line of lines) {
    for (const [index, to] of line.entries()) {
      const from = line[(index + line.length - 1) % line.length];
      if (from.y <= at.y === to.y <= at.y) continue;
      const isLeft = (to.x - from.x) * (at.y - from.y) - (at.x - from.x) * (to.y - from.y) > 0;
      if (isLeft === to.y > from.y) turns += isLeft ? 1 : -1;
    }
  }
  return turns !== 0;
}

/**
 * Whether a line segment crosses a box, or is inside of it (Liang and Barsky).
 * @param {Spot} a
 * @param {Spot} b
 * @param {Box} box
 */
function crosses(a, b, box) {
  let from = 0;
  let to = 1;
  const x = b.x - a.x;
  const y = b.y - a.y;
  const sides = [
    [-x, a.x - box.left],
    [x, box.right - a.x],
    [-y, a.y - box.top],
    [y, box.bottom - a.y],
  ];
  for (const [way, room] of sides) {
    if (way === 0 && room < 0) return false;
    if (way < 0) from = Math.max(from, room / way);
    if (way > 0) to = Math.min(to, room / way);
  }
  return from <= to;
}
