// A rectangle of the picture in a search: area:x,y,width,height, and a page's number after that if
// only that page is meant. It finds the events of elements that touch it, before or after.
import { boxOfElement } from "../render/element-index.js";
import { rounded, touches } from "../render/geom.js";

/**
 * @param {string} value
 * @returns {(Box & {page?: number}) | undefined}
 */
export function areaIn(value) {
  const numbers = value.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const [x, y, width, height, page] = numbers;
  const isSound = numbers.every(Number.isFinite) && (numbers.length === 4 || numbers.length === 5);
  if (!isSound || width < 0 || height < 0) return undefined;
  return { left: x, top: y, right: x + width, bottom: y + height, page };
}

/**
 * @param {Box} box
 * @param {number} page
 * @returns {string} a term that finds what touched it
 */
export function areaText({ left, top, right, bottom }, page) {
  const numbers = [left, top, right - left, bottom - top].map((one) => rounded(one, 1));
  return `area:${[...numbers, page].join(",")}`;
}

/**
 * @param {Box & {page?: number}} area
 * @param {Replay.State} begin before the first event
 * @returns {Replay.Look}
 */
export function looksInArea(area, begin) {
  /** @type {Set<string>} ids of elements that touch it now */
  const inside = new Set();
  for (const element of begin.elements.values()) {
    if (!element.buried && isIn(element, area)) inside.add(element.id);
  }
  return (_rec, change, state) => {
    let isFound = false;
    for (const id of change.elements) {
      const element = state.element(id);
      const was = inside.has(id);
      // A stroke that grows stays where it has been.
      const grows = was && element?.stroke?.ended === false;
      const is = element !== undefined && (grows || isIn(element, area));
      if (is && !was) inside.add(id);
      if (was && !is) inside.delete(id);
      isFound ||= was || is;
    }
    return isFound;
  };
}

/**
 * @param {RoomElement} element
 * @param {Box & {page?: number}} area
 */
function isIn(element, area) {
  if (area.page !== undefined && element.scene !== area.page) return false;
  return touches(boxOfElement(element), area);
}
