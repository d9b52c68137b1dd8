// Changes of selected elements, as the commands that make them. All functions are pure.

import { keyBetween, keyOfPlace } from "../render/element-index.js";
import { ElementFields } from "../render/fields.js";
import {
  boxOf,
  centre,
  compose,
  distance,
  growth,
  identity,
  minus,
  moved,
  plus,
  rounded,
  sizeOf,
  spot,
  stretch,
  times,
  turn,
} from "../render/geom.js";
import { OUTLINED } from "../render/shapes.js";
import { freshGroups, GROUPS } from "./groups.js";

import { NOTE_PAPER } from "./style.js";

/** @typedef {Change & { from: string; scene: number }} ElementCopy */

/** Pixels: the smallest side of an element. */
const SMALLEST = 2;

/** Attributes of a style that strokes have. */
const OF_STROKES = ["colour", "width", "opacity"];

/** Attributes that texts and notes have. */
const OF_WORDS = ["bold", "italic", "align", "opacity"];

/** Attributes that images have. */
const OF_IMAGES = ["opacity"];

/** Attributes that all other shapes have. */
const OF_SHAPES = ["colour", "fill", "width", "opacity", "strokeType"];

/** Attributes that arrows have. */
const OF_ARROWS = [...OF_SHAPES, "route"];

/** Of the end of an arrow: not bound, whatever the arrow was put with. */
export const FREE = false;

/** @param {string} type */
export const isLine = (type) => type === "straight" || type === "arrow";

/** @param {string} type */
export const isWords = (type) => type === "text" || type === "note";

/** @param {string} type of a shape: has a text, or can have a label */
export const hasLetters = (type) => isWords(type) || isLine(type) || OUTLINED.includes(type);

/** @param {Box} box */
export function placed(box) {
  const { x: width, y: height } = sizeOf(box);
  return {
    x: rounded(box.left),
    y: rounded(box.top),
    width: rounded(width),
    height: rounded(height),
  };
}

/**
 * @param {Spot} middle
 * @param {Spot} size
 */
export const boxAt = (middle, size, grow = 1) =>
  boxOf(minus(middle, times(size, grow / 2)), plus(middle, times(size, grow / 2)));

/** @param {number} angle to a multiple of 15 degrees */
export const wholeAngle = (angle) => Math.round((angle * 12) / Math.PI) * (Math.PI / 12);

/**
 * The end of a line, turned to a multiple of 15 degrees.
 * @param {Spot} from
 * @param {Spot} to
 */
export function straightened(from, to) {
  const angle = wholeAngle(Math.atan2(to.y - from.y, to.x - from.x));
  return plus(from, times(spot(Math.cos(angle), Math.sin(angle)), distance(from, to)));
}

/**
 * @param {Thing} element
 * @param {Transform} by after its own
 */
const transformed = (element, by) =>
  placedBy(element, compose(by, new ElementFields(element).transform ?? identity));

/**
 * @param {Thing} element
 * @param {Transform} exact
 * @returns {Change} it has this transform
 */
export function placedBy({ id }, exact) {
  const transform = exact.map((part, at) => rounded(part, at < 4 ? 6 : 2));
  return { id, set: { transform } };
}

/**
 * Moves elements: shapes get another place; strokes, and shapes that are turned, another transform.
 * @param {Thing[]} elements
 * @param {number} x
 * @param {number} y
 * @returns {Change[]}
 */
export const moves = (elements, x, y) =>
  elements.map((element) => {
    const { transform, box } = new ElementFields(element);
    const { left, top } = box;
    if (!element.shape || transform) return transformed(element, [1, 0, 0, 1, x, y]);
    return { id: element.id, set: { x: rounded(left + x), y: rounded(top + y) } };
  });

/**
 * @param {Thing[]} elements
 * @param {number} angle radians
 * @param {Spot} at
 * @returns {Change[]}
 */
export const turns = (elements, angle, at) =>
  elements.map((one) => transformed(one, turn(angle, at)));

/**
 * Stretches elements: those with an upright box keep the width of their lines and the size of their
 * letters.
 * @param {Thing[]} elements
 * @param {Box} from
 * @param {Box} to
 * @returns {Change[]}
 */
export function stretches(elements, from, to) {
  const by = stretch(from, to);
  return elements.map((element) => {
    const fields = new ElementFields(element);
    if (!element.shape?.type || fields.transform) return transformed(element, by);
    return { id: element.id, set: stretchedShape(element.shape.type, fields, by) };
  });
}

/**
 * Stretches one element along its own axes, also when it is turned.
 * @param {Thing} element
 * @param {Box} from before its transform
 * @param {Box} to
 * @returns {Change}
 */
export function resized(element, from, to) {
  const by = stretch(from, to);
  const fields = new ElementFields(element);
  const { id, shape } = element;
  if (shape?.type) return { id, set: stretchedShape(shape.type, fields, by) };
  return placedBy(element, compose(fields.transform ?? identity, by));
}

/**
 * @param {string} type
 * @param {ElementFields} fields
 * @param {Transform} by
 * @returns {Style} what of the shape is another
 */
function stretchedShape(type, fields, by) {
  const { left, top, right, bottom } = fields.box;
  const box = placed(boxOf(moved(by, spot(left, top)), moved(by, spot(right, bottom))));
  if (isLine(type)) {
    const scaled = (/** @type {number[]} */ [x, y]) => [rounded(x * by[0]), rounded(y * by[3])];
    return { x: box.x, y: box.y, points: fields.value("points").map(scaled) };
  }
  if (type !== "text") return box;
  // Letters grow in both directions alike, whatever the box does.
  const size = Math.max(rounded((fields.number("size") ?? 16) * growth(by)), 1);
  return { ...box, size };
}

/**
 * @param {Box} box
 * @param {Spot} side -1, 0 or 1 from the middle of the box
 * @param {Pick<Drag, "from" | "to">} drag
 * @param {boolean} keepsShape
 * @returns {Box} as it is when one of its handles has been dragged
 */
export function stretched(box, side, { from, to }, keepsShape) {
  const size = sizeOf(box);
  const way = minus(to.at, from.at);
  const { x, y } = centre(box);
  const both = to.alt ? 2 : 1;
  let wide = size.x + side.x * way.x * both;
  let high = size.y + side.y * way.y * both;
  // Keeps the proportions of elements that always do, and of a corner that is dragged with Shift.
  if (side.x && side.y && keepsShape !== to.shift) {
    const grow = Math.max(wide / Math.max(size.x, 1), high / Math.max(size.y, 1));
    wide = size.x * grow;
    high = size.y * grow;
  }
  wide = Math.max(wide, SMALLEST);
  high = Math.max(high, SMALLEST);
  let left = side.x < 0 ? box.right - wide : box.left;
  let top = side.y < 0 ? box.bottom - high : box.top;
  if (to.alt) {
    left = x - wide / 2;
    top = y - high / 2;
  }
  return { left, top, right: left + wide, bottom: top + high };
}

/**
 * @param {Thing} element
 * @param {Style} change
 * @returns {Thing} as it will be
 */
export const changed = (element, change) => ({ ...element, set: { ...element.set, ...change } });

/**
 * @param {string} type of a shape
 * @returns {string[]} what of a style it has
 */
function stylesOf(type) {
  if (isWords(type)) return OF_WORDS;
  if (type === "arrow") return OF_ARROWS;
  return type === "image" ? OF_IMAGES : OF_SHAPES;
}

/**
 * @param {Thing} element
 * @param {Style} style
 * @returns {Style} what of its attributes is another in this style
 */
export function restyle(element, style) {
  const { stroke, shape } = element;
  const type = shape?.type;
  const isLabelled = hasLabel(element);
  const ofShape = isLabelled ? [...stylesOf(type), ...OF_WORDS] : stylesOf(type);
  const names = stroke ? OF_STROKES : ofShape;
  const there = names.filter((name) => name in style);
  const set = Object.fromEntries(there.map((name) => [`style.${name}`, style[name]]));
  if (type === "note" && style.fill) set["style.fill"] = style.fill;
  if (isWords(type) && style.colour) set["style.textColor"] = style.colour;
  const isSized = "size" in style && (isWords(type) || isLabelled);
  return isSized ? { ...set, size: style.size } : set;
}

/**
 * @param {Thing} element
 * @returns whether a shape or line that is no text has letters
 */
export function hasLabel(element) {
  const type = element.shape?.type;
  return type !== undefined && !isWords(type) && Boolean(new ElementFields(element).text("text"));
}

/** @param {Thing} element */
export function styleOf(element) {
  const fields = new ElementFields(element);
  const begin = element.stroke?.begin;
  const type = element.shape?.type;
  const drawn = begin && {
    colour: begin.colour,
    width: begin.width / 4,
    opacity: begin.opacity / 255,
  };
  const pairs = [...OF_ARROWS, ...OF_WORDS].map((name) => [name, fields.style(name)]);
  // The colour of a text or note is the colour of its letters.
  if (isWords(type)) pairs.push(["colour", fields.style("textColor")]);
  if (type === "note") pairs.push(["fill", fields.style("fill") ?? NOTE_PAPER]);
  const isLabelled = hasLabel(element);
  if (isWords(type) || isLabelled) pairs.push(["size", fields.number("size") ?? 16]);
  if (isLabelled) pairs.push(["align", fields.style("align") ?? "center"]);
  const there = pairs.filter(([, value]) => value !== null && value !== undefined);
  return { ...drawn, ...Object.fromEntries(there) };
}

/**
 * @param {Entry[]} all in drawing order
 * @param {Set<string>} ids of those that go elsewhere
 * @param {OrderStep} where
 * @returns {Change[]}
 */
export function orders(all, ids, where) {
  const chosen = all.filter(({ element }) => ids.has(element.id));
  const others = all.filter(({ element }) => !ids.has(element.id));
  if (!chosen.length || !others.length) return [];
  // How many of the other elements are below the lowest of the chosen ones, and below the topmost.
  const below = all.indexOf(chosen[0]);
  const belowTop = all.indexOf(chosen[chosen.length - 1]) - chosen.length + 1;
  const forward = Math.min(belowTop + 1, others.length);
  const backward = Math.max(below - 1, 0);
  const at = { front: others.length, forward, backward, back: 0 }[where];
  if (below === belowTop && at === below) return [];
  // Elements that are drawn later are above all that there are now.
  const last = all.reduce((most, { element }) => Math.max(most, element.place), 0);
  const newest = keyOfPlace(last + 1);
  const isTop = newest > others[others.length - 1].key;
  const above = others[at]?.key ?? (isTop ? newest : undefined);
  let key = others[at - 1]?.key;
  return chosen.map(({ element }) => {
    key = keyBetween(key, above);
    return { id: element.id, set: { order: key } };
  });
}

/**
 * A copy is on top, not at the place of its original in the order; it is not locked, and in groups
 * of its own.
 * @param {Thing[]} elements
 * @param {{newId(): string, scene: number, x: number, y: number, entered?: string}} where
 * @returns {ElementCopy[]}
 */
export function copies(elements, { newId, scene, x, y, entered }) {
  const groups = freshGroups(elements, newId, entered);
  const made = moves(elements, x, y).map(({ id, set }, at) => {
    const fresh = groups(elements[at]);
    const own = fresh ? { [GROUPS]: fresh } : {};
    return { from: id, id: newId(), scene, set: { ...set, order: null, locked: null, ...own } };
  });
  const copyOf = new Map(made.map(({ from, id }) => [from, id]));
  return made.map((copy, at) => ({
    ...copy,
    set: { ...copy.set, ...boundCopy(elements[at], copyOf) },
  }));
}

/**
 * @param {Thing} element
 * @param {Map<string, string>} copyOf ids of copies
 * @returns {Style} a copy of an arrow is bound to the copies of its shapes, and to nothing else
 */
function boundCopy(element, copyOf) {
  if (element.shape?.type !== "arrow") return {};
  const fields = new ElementFields(element);
  const bound = ["start", "end"].flatMap((name) => {
    const to = fields.style(name);
    return to?.element ? [[name, to]] : [];
  });
  return Object.fromEntries(
    bound.map(([name, to]) => {
      const copy = copyOf.get(to.element);
      return [`style.${name}`, copy ? { ...to, element: copy } : FREE];
    }),
  );
}

/**
 * @template Item
 * @param {Item[]} items
 * @param {number} limit of the JSON of a part, in bytes
 * @returns {Item[][]} in parts that are small enough, or of one item
 */
export function portions(items, limit) {
  const writer = new TextEncoder();
  /** @type {Item[][]} */
  const parts = [];
  let size = Infinity;
  for (const item of items) {
    // A comma, or a bracket, is around each.
    const more = writer.encode(JSON.stringify(item)).length + 1;
    const fits = size + more + 1 <= limit;
    size = fits ? size + more : more;
    if (!fits) parts.push([]);
    parts[parts.length - 1].push(item);
  }
  return parts;
}
