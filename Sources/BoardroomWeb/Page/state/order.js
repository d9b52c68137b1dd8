// The order of drawing: keys of order (docs/PROTOCOL.md), and places where those are equal.
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const LONGEST = 64;

/** @param {number} place of an element that was never given an order key */
export const keyOfPlace = (place) =>
  `V${[6, 5, 4, 3, 2, 1, 0].map((digit) => DIGITS[Math.floor(place / 62 ** digit) % 62]).join("")}`;

/**
 * @param {{set?: Record<string, any>, place: number}} element
 * @returns {string}
 */
export const orderKey = ({ set, place }) =>
  typeof set?.order === "string" ? set.order : keyOfPlace(place);

/**
 * @template {{key: string, element: {place: number}}} E
 * @param {E} a
 * @param {E} b
 */
export function byKey(a, b) {
  if (a.key === b.key) return a.element.place - b.element.place;
  return a.key < b.key ? -1 : 1;
}

/**
 * The shortest key that is above the one and, if there is room, below the other; either may be
 * missing.
 */
export function keyBetween(below = "", above = "") {
  let key = "";
  let isBelow = below < above;
  for (let at = 0; at < LONGEST; at += 1) {
    const low = at < below.length ? DIGITS.indexOf(below[at]) : 0;
    const high = isBelow ? DIGITS.indexOf(above[at] ?? "0") : 62;
    if (high - low > 1) return key + DIGITS[Math.floor((low + high) / 2)];
    key += DIGITS[low];
    if (high > low) isBelow = false;
  }
  return key;
}
