// What is under a finger: exact, from what is drawn, not from boxes.

import { boxOf, contains, distanceToStretch, inverse, moved, spot } from "./geom.js";
import { textBox } from "./text.js";

/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {import("./geom.js").Box} Box */
/** @typedef {import("./display.js").Mark} Mark */

// Is a place on what a mark draws, or so near?
/** @param {Mark} mark @param {Spot} at @param {number} reach */
export function hits(mark, at, reach) {
  if (mark.op === "line") return nearLines(mark.path.flat(), at, mark.width / 2 + reach);
  if (mark.op === "fill") {
    const lines = mark.path.flat();
    return isInside(lines, at) || nearLines(lines, at, reach);
  }
  const back = mark.place ? inverse(mark.place) : undefined;
  if (mark.place && !back) return false;
  return contains(markBox(mark), back ? moved(back, at) : at);
}

/** @param {Exclude<Mark, {op: "line" | "fill"}>} mark @returns {Box} */
const markBox = (mark) =>
  mark.op === "text" ? textBox(mark)
    : { left: mark.x, top: mark.y, right: mark.x + mark.width, bottom: mark.y + mark.height };

// Inside of a hollow outline: chosen only if nothing else is there.
/** @param {Mark} mark @param {Spot} at */
export const surrounds = (mark, at) => mark.op === "line" && isInside(mark.path.flat(), at);

// Does a mark reach into a box?
/** @param {Mark} mark @param {Box} box */
export function reaches(mark, box) {
  if (mark.op === "line" || mark.op === "fill") {
    return mark.path.flat().some((line) =>
      line.some((to, index) => crosses(line[Math.max(index - 1, 0)], to, box)));
  }
  const { left, top, right, bottom } = markBox(mark);
  const places = [spot(left, top), spot(right, top), spot(right, bottom), spot(left, bottom), spot(left, top)]
    .map((at) => (mark.place ? moved(mark.place, at) : at));
  const middle = spot((box.left + box.right) / 2, (box.top + box.bottom) / 2);
  return places.some((to, index) => crosses(places[Math.max(index - 1, 0)], to, box)) || hits(mark, middle, 0);
}

/** @param {Spot[][]} lines @param {Spot} at @param {number} reach */
const nearLines = (lines, at, reach) =>
  lines.some((line) => line.some((to, index) => distanceToStretch(at, line[Math.max(index - 1, 0)], to) <= reach));

// By the number of turns around the place, as a fill counts.
/** @param {Spot[][]} lines @param {Spot} at */
function isInside(lines, at) {
  let turns = 0;
  for (const line of lines) {
    line.forEach((to, index) => {
      const from = line[(index + line.length - 1) % line.length];
      if ((from.y <= at.y) === (to.y <= at.y)) return;
      const isLeft = (to.x - from.x) * (at.y - from.y) - (at.x - from.x) * (to.y - from.y) > 0;
      if (isLeft === to.y > from.y) turns += to.y > from.y ? 1 : -1;
    });
  }
  return turns !== 0;
}

// Does a stretch cross a box, or lie in it (Liang and Barsky)?
/** @param {Spot} a @param {Spot} b @param {Box} box */
function crosses(a, b, box) {
  const around = boxOf(a, b);
  if (around.left > box.right || around.right < box.left || around.top > box.bottom || around.bottom < box.top) return false;
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
