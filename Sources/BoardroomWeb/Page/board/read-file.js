// Files that are opened: what they are, and the elements in them. What is wrong with one is said
// with its place: the line of broken JSON, the number of an element.
import { items as listOf } from "../render/fields.js";
import { OUTLINED } from "../render/shapes.js";
import { FILE_TYPE, FILE_VERSION } from "../ui/board-file.js";
import { readExcalidraw } from "./excalidraw.js";

/** @typedef {import("../ui/board-file.js").Item} Item */

/** Bytes of a file, at most, its images too. */
export const FILE_BYTES = 64 << 20;

/** Elements of a file, at most. */
export const MOST_ELEMENTS = 20_000;

/** Points of a line, and of a stroke, at most (docs/PROTOCOL.md; `points` of docs/OPERATIONS.md). */
const MOST_LINE_POINTS = 1_000;
const MOST_STROKE_POINTS = 100_000;

/** The farthest place, in pixels or steps of a stroke. */
const FARTHEST = 2 ** 40;

/** The longest list of images in a file. */
const MOST_IMAGES = 1_000;

const SIZED = [...OUTLINED, "note", "image"];

/** Attributes of elements, but for those of a style. */
const NUMBERS = ["x", "y", "width", "height", "size"];
const OTHERS = ["text", "src", "points", "transform", "order", "locked", "uniformScale", "meta"];

/**
 * What is read: the elements, images as `data:` addresses by what the elements name, and how many
 * of what are not taken over, by the word for it.
 * @typedef {{ items: Item[], images: Map<string, string>, lost: Map<string, number> }} Opened
 */

/** Why a file is not opened: a word of the page, and what stands in it. */
export class FileProblem extends Error {
  /**
   * @param {string} word
   * @param {Record<string, string | number>} [values]
   */
  constructor(word, values = {}) {
    super(word);
    this.word = word;
    this.values = values;
  }
}

/**
 * @param {string} text
 * @param {(colour: string) => number[] | undefined} levels red, green, blue and alpha (0 to 255) of
 *   a colour of CSS
 * @returns {Opened}
 * @throws {FileProblem}
 */
export function readFile(text, levels) {
  const said = parsed(text);
  const opened = openedBy(said, levels);
  const { items } = opened;
  if (items.length === 0) throw new FileProblem("file.empty");
  if (items.length > MOST_ELEMENTS) {
    throw new FileProblem("file.tooMany", { count: items.length, most: MOST_ELEMENTS });
  }
  for (const [at, item] of items.entries()) {
    const what = problemOf(item);
    if (what) throw new FileProblem("file.element", { number: at + 1, what });
  }
  const ids = new Set(items.map(({ id }) => id));
  if (ids.size < items.length) throw new FileProblem("file.twice");
  return opened;
}

/**
 * @param {any} said
 * @param {(colour: string) => number[] | undefined} levels
 * @returns {Opened}
 */
function openedBy(said, levels) {
  const type = said?.type;
  if (type === FILE_TYPE) return readOwn(said);
  if (type === "excalidraw" || type === "excalidraw/clipboard") return readExcalidraw(said, levels);
  if (said?.snapshot && Array.isArray(said.parts)) return readState(said);
  throw new FileProblem("file.unknown");
}

/**
 * @param {string} text
 * @returns {any}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch (why) {
    if (!(why instanceof SyntaxError)) throw why;
    const before = text.slice(0, brokenAt(text)).split("\n");
    const column = before[before.length - 1].length + 1;
    throw new FileProblem("file.notJSON", { line: before.length, column });
  }
}

/** A token of JSON, after space: a text, another value, or a sign. */
const TOKEN =
  /[ \t\r\n]*(?:("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/uy;

/**
 * Browsers do not say it alike, and of short texts not at all.
 * @param {string} text that is no JSON
 * @returns {number} where it is broken
 */
function brokenAt(text) {
  /** @type {string[]} the brackets that are open */
  const open = [];
  // What is expected: a value, a key (or the end of an empty object), or one of these signs.
  let next = "value";
  let at = 0;
  for (;;) {
    TOKEN.lastIndex = at;
    const [whole = "", quoted, plain, sign] = TOKEN.exec(text) ?? [];
    const inside = open[open.length - 1] ?? "";
    const isValue = next.startsWith("value");
    const isBegin = isValue && (sign === "{" || sign === "[");
    const isEnd = sign !== undefined && next.includes(sign) && (sign === "}" || sign === "]");
    if (isBegin) {
      open.push(sign);
      next = sign === "{" ? "key}" : "value]";
    } else if (isEnd) {
      open.pop();
      next = after(open);
    } else if (next.startsWith("key") && quoted !== undefined) {
      next = ":";
    } else if (isValue && (quoted ?? plain) !== undefined) {
      next = after(open);
    } else if (sign !== undefined && next.includes(sign)) {
      next = sign === "," && inside === "{" ? "key" : "value";
    } else {
      return at + (/[^ \t\r\n]/.exec(text.slice(at))?.index ?? 0);
    }
    at += whole.length;
  }
}

/**
 * @param {string[]} open
 * @returns {string} what may follow a value
 */
function after(open) {
  if (open.length === 0) return "";
  return open[open.length - 1] === "{" ? ",}" : ",]";
}

/**
 * @param {any} said
 * @returns {Opened}
 */
function readOwn({ version, elements, images }) {
  if (version !== FILE_VERSION) throw new FileProblem("file.version");
  const pairs = Object.entries(images ?? {}).slice(0, MOST_IMAGES);
  const texts = pairs.filter(([, data]) => typeof data === "string");
  const items = listOf(elements).map(itemFrom);
  return { items, images: new Map(/** @type {any} */ (texts)), lost: new Map() };
}

/**
 * The state of a room, as this page exported it before: the page that was shown.
 * @param {any} said
 * @returns {Opened}
 */
function readState({ snapshot, parts }) {
  const elements = parts.flatMap((/** @type {any} */ part) => listOf(part?.elements));
  const shown = elements.filter(
    (/** @type {any} */ one) => one?.scene === snapshot.root?.currentScene && !one.buried,
  );
  return { items: shown.map(itemFrom), images: new Map(), lost: new Map() };
}

/**
 * @param {any} one of a file; it may be anything
 * @returns {any} an item, if nothing is wrong with it. What says where it was is not taken over.
 */
function itemFrom(one) {
  const { id, stroke, shape, set } = one ?? {};
  const { id: _id, scene: _scene, set: _set, ...own } = shape ?? {};
  const attributes = set ?? {};
  return stroke ? { id, stroke, set: attributes } : { id, shape: own, set: attributes };
}

/**
 * @param {any} one
 * @returns {string | undefined} what is wrong with it: the name of the field
 */
function problemOf(one) {
  if (typeof one?.id !== "string") return "id";
  if (typeof one.set !== "object" || one.set === null) return "set";
  const key = Object.keys(one.set).find((name) => !isAttribute(name, one.set[name]));
  if (key) return key.slice(0, 40);
  return one.stroke ? problemOfStroke(one.stroke) : problemOfShape(one.shape);
}

/**
 * @param {string} name
 * @param {any} value
 */
function isAttribute(name, value) {
  if (name.startsWith("style.")) return true;
  if (name === "text" || name === "src") return typeof value === "string";
  if (name === "points") return isLine(value);
  if (NUMBERS.includes(name)) return isPlace(value);
  return OTHERS.includes(name);
}

/** @param {any} shape */
function problemOfShape(shape) {
  const type = shape?.type;
  const isKnown = ["straight", "arrow", "text", ...SIZED].includes(type);
  if (!isKnown) return "type";
  const needed = SIZED.includes(type) ? ["x", "y", "width", "height"] : ["x", "y"];
  const wrong = needed.find((name) => !isPlace(shape[name]));
  if (wrong) return wrong;
  if ((type === "straight" || type === "arrow") && !isLine(shape.points)) return "points";
  const isText = typeof shape.text === "string";
  if ((type === "text" || type === "note") && !isText) return "text";
  return undefined;
}

/** @param {any} value */
const isPlace = (value) => Number.isFinite(value) && Math.abs(value) <= FARTHEST;

/** @param {any} points */
function isLine(points) {
  const all = listOf(points);
  const isPair = (/** @type {any} */ pair) => listOf(pair).length === 2 && pair.every(isPlace);
  return all.length >= 2 && all.length <= MOST_LINE_POINTS && all.every(isPair);
}

/** @param {any} stroke */
function problemOfStroke({ begin, segments }) {
  const levels = [...listOf(begin?.colour), begin?.opacity];
  const isByte = (/** @type {any} */ one) => Number.isInteger(one) && one >= 0 && one <= 255;
  if (levels.length !== 4 || !levels.every(isByte)) return "colour";
  if (!["pencil", "highlighter"].includes(begin.tool)) return "tool";
  if (!Number.isInteger(begin.unit) || Math.abs(begin.unit) > 15) return "unit";
  if (!Number.isInteger(begin.width) || begin.width < 0 || begin.width > 65_535) return "width";
  const all = listOf(segments);
  const count = all.reduce((sum, segment) => sum + listOf(segment?.dx).length, 0);
  if (count < 1 || count > MOST_STROKE_POINTS || !all.every(isSegment)) return "segments";
  return undefined;
}

/** @param {any} segment */
function isSegment(segment) {
  const { dx, dy, dt, dp } = segment ?? {};
  const rows = [dx, dy, dt, ...(dp === undefined ? [] : [dp])];
  const isStep = (/** @type {any} */ one) => Number.isInteger(one) && Math.abs(one) <= FARTHEST;
  return (
    rows.every((row) => Array.isArray(row) && row.length === dx.length && row.every(isStep)) &&
    dt.every((/** @type {number} */ one) => one >= 0)
  );
}
