// Elements as programs see them, and as they are put.
import { badOption } from "./errors.js";

/** @typedef {import("./types.js").BoardElement} BoardElement */

/**
 * What is made of an element, as long as it is the same.
 * @type {WeakMap<object, BoardElement>}
 */
const views = new WeakMap();

/**
 * @param {any} element of the state
 * @returns {BoardElement}
 */
export function viewOf(element) {
  const known = views.get(element);
  if (known) return known;
  const view = element.stroke ? strokeView(element) : shapeView(element);
  views.set(element, /** @type {any} */ (view));
  return /** @type {any} */ (view);
}

/**
 * What was changed after an element was put: attributes, and those of its style.
 * @param {Record<string, any>} set
 */
function changesIn(set = {}) {
  const attributes = Object.entries(set);
  const isOfStyle = (/** @type {[string, any]} */ [key]) => key.startsWith("style.");
  return {
    own: Object.fromEntries(attributes.filter((one) => !isOfStyle(one))),
    style: Object.fromEntries(
      attributes.filter(isOfStyle).map(([key, value]) => [key.slice("style.".length), value]),
    ),
  };
}

/** @param {any} element */
function shapeView({ id, member, scene, shape, set }) {
  const { own, style } = changesIn(set);
  return { ...shape, ...own, id, member, scene, style: { ...shape.style, ...style } };
}

/** @param {any} element */
function strokeView({ id, member, scene, stroke, set }) {
  const { own, style } = changesIn(set);
  const { tool, colour, width, opacity } = stroke.begin;
  const drawn = { colour, width: width / 4, opacity: opacity / 255 };
  return {
    ...own,
    id,
    member,
    scene,
    type: "stroke",
    tool,
    isEnded: stroke.ended,
    style: { ...drawn, ...style },
    get points() {
      return pointsOf(stroke);
    },
  };
}

/** @param {any} stroke */
function pointsOf({ begin, segments }) {
  const step = 2 ** begin.unit;
  const at = { x: 0, y: 0, time: 0, pressure: 0 };
  /** @type {import("./types.js").StrokePoint[]} */
  const points = [];
  for (const segment of segments) {
    const { dx, dy, dt, dp } = segment.read();
    for (let place = 0; place < dx.length; place++) {
      at.x += dx[place];
      at.y += dy[place];
      at.time += dt[place];
      at.pressure += dp?.[place] ?? 0;
      const point = { x: at.x * step, y: at.y * step, time: at.time };
      points.push(dp ? { ...point, pressure: at.pressure / 1023 } : point);
    }
  }
  return points;
}

/**
 * @param {any} colour `#rrggbb`, or three levels
 * @returns {number[]}
 */
export function levels(colour) {
  const isLevel = (/** @type {any} */ one) => Number.isInteger(one) && one >= 0 && one <= 255;
  if (Array.isArray(colour) && colour.length === 3 && colour.every(isLevel)) return colour;
  const [, ...pairs] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(String(colour)) ?? [];
  if (pairs.length === 3) return pairs.map((pair) => Number.parseInt(pair, 16));
  throw badOption("A colour is neither #rrggbb nor three whole numbers from 0 to 255.");
}

/** The fields of a style that are colours. */
const COLOURS = ["colour", "fill"];

/**
 * @param {string} key
 * @param {any} value
 */
const written = (key, value) =>
  COLOURS.includes(key) && typeof value === "string" ? levels(value) : value;

/**
 * @param {import("./types.js").NewElement} element
 * @returns {any} as a command has it, without its id and scene
 */
export function shapeOf({ style, ...shape }) {
  if (!style) return shape;
  const entries = Object.entries(style).map(([key, value]) => [key, written(key, value)]);
  return { ...shape, style: Object.fromEntries(entries) };
}

/**
 * @param {import("./types.js").ElementChange} change
 * @returns {any} the attributes, as a command has them
 */
export const attributesOf = (change) =>
  Object.fromEntries(
    Object.entries(change).map(([key, value]) => [
      key,
      written(key.replace(/^style\./, ""), value),
    ]),
  );
