// What to draw for an element: its display list, by docs/DRAWING.md; Tests/Golden/v1/display pins it.

import {
  boxAround, centre, clamp, growth, grown, identity, moved, plus, rounded, sizeOf, spot, step, union,
} from "./geom.js";
import { OUTLINED, arrowHead, outline, placeholder, polyline } from "./shapes.js";
import { strokeMarks, strokePoints } from "./stroke.js";
import { linesOf, placedCorners } from "./text.js";

const INK = "#1e1e1e";
const PAPER = "#ffec99";
/** A note's text stands so far inside of it. */
export const PADDING = 12;
/** Lines and gaps, in widths of the line; no length and round ends make dots. */
const DASHES = { dotted: [0, 2.5], longDotted: [3, 3] };

/** An element's fields as they are now: what it was put with, and over that what was changed since. */
export class Fields {
  /** @param {{shape?: Record<string, any>, set?: Record<string, any>}} element */
  constructor({ shape = {}, set = {} }) {
    this.body = shape;
    this.set = set;
  }

  value(/** @type {string} */ key) { return own(this.set, key) ?? own(this.body, key); }
  style(/** @type {string} */ name) { return own(this.set, `style.${name}`) ?? own(this.body.style, name); }
  number(/** @type {string} */ key) { return number(this.value(key)); }
  /** @param {string} key @returns {string | undefined} */
  text(key) { return typeof this.value(key) === "string" ? this.value(key) : undefined; }
  flag(/** @type {string} */ name) { return this.style(name) === true; }
  // From 0 to 1, whatever stands there.
  share(/** @type {string} */ name) {
    return Number.isFinite(this.style(name)) ? clamp(this.style(name), 0, 1) : undefined;
  }
  colour(/** @type {string} */ name) {
    const levels = items(this.style(name));
    return levels.length === 3 && levels.every(isByte) ? hex(levels) : undefined;
  }
  get box() {
    const [left, top, width, height] = ["x", "y", "width", "height"].map((key) => this.number(key) ?? 0);
    return { left, top, right: left + Math.max(width, 0), bottom: top + Math.max(height, 0) };
  }
  get points() {
    const { left, top } = this.box;
    const pairs = items(this.value("points")).map((pair) => items(pair).filter(Number.isFinite));
    return pairs.filter((pair) => pair.length >= 2).map(([x, y]) => plus(spot(left, top), spot(x, y)));
  }
  /** @returns {Transform | undefined} */
  get transform() {
    const numbers = items(this.value("transform")).filter(Number.isFinite);
    return numbers.length === 6 ? /** @type {any} */ (numbers) : undefined;
  }
  get isLocked() { return this.value("locked") === true; }
}

const own = (/** @type {any} */ value, /** @type {string} */ key) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined;
/** @param {any} value @returns {any[]} */
const items = (value) => Array.isArray(value) ? value : [];
/** @param {any} value @returns {number | undefined} */
const number = (value) => Number.isFinite(value) ? value : undefined;
const isByte = (/** @type {any} */ level) => Number.isInteger(level) && clamp(level, 0, 255) === level;
export const hex = (/** @type {number[]} */ levels) =>
  `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;

/** @param {Thing} element @param {number} [closest] as of strokeMarks @returns {Mark[]} */
export function marksOf(element, closest) {
  const fields = new Fields(element);
  const marks = element.stroke ? marksOfStroke(element.stroke, fields, closest)
    : marksOfShape(element.shape?.type, fields);
  const { transform } = fields;
  return transform ? marks.map((mark) => movedMark(mark, transform)) : marks;
}

// A laser shows where one points, and leaves nothing.
export const isDrawn = (/** @type {Thing} */ { stroke, buried }) =>
  !buried && !(stroke?.ended && stroke.begin.tool === "laser");

/** @param {Stroke} stroke @param {Fields} fields @param {number} [closest] */
function marksOfStroke(stroke, fields, closest) {
  const { begin } = stroke;
  // A highlighter lets through what is under it, whatever its opacity says.
  const opacity = (fields.share("opacity") ?? begin.opacity / 255) * (begin.tool === "highlighter" ? 0.4 : 1);
  const width = Math.max(number(fields.style("width")) ?? begin.width / 4, 0);
  const colour = fields.colour("colour") ?? hex(begin.colour);
  return strokeMarks(strokePoints(stroke), { width, colour, opacity, closest });
}

/** @param {string} type @param {Fields} fields @returns {Mark[]} */
function marksOfShape(type, fields) {
  const isRounded = fields.flag("rounded");
  if (OUTLINED.includes(type)) return outlined(outline(type, fields.box, isRounded), fields);
  if (type === "straight" || type === "arrow") {
    const line = outlined(polyline(fields.points, isRounded), fields);
    const width = number(fields.style("width")) ?? 2;
    const path = type === "arrow" && width > 0 ? arrowHead(fields.points, width) : undefined;
    return path ? [...line, { op: "line", path, width, ...inkOf(fields) }] : line;
  }
  const ink = fields.colour("textColor");
  if (type === "text") return textMarks(fields, fields.box, ink ?? fields.colour("colour"));
  if (type === "note") {
    const paper = outlined(outline("rectangle", fields.box, isRounded), fields, 0, PAPER);
    return [...paper, ...textMarks(fields, grown(fields.box, -PADDING), ink)];
  }
  return type === "image" ? [imageMark(fields)] : [];
}

const inkOf = (/** @type {Fields} */ fields) =>
  ({ colour: fields.colour("colour") ?? INK, opacity: fields.share("opacity") ?? 1 });

/** @param {Path} path @param {Fields} fields @param {string} [paper] @returns {Mark[]} */
function outlined(path, fields, usual = 2, paper = undefined) {
  const width = number(fields.style("width")) ?? usual;
  const colour = fields.colour("fill") ?? paper;
  const opacity = fields.share("fillOpacity") ?? fields.share("opacity") ?? 1;
  const dash = items(own(DASHES, fields.style("strokeType"))).map((part) => part * width);
  /** @type {Mark[]} */ const inside = colour ? [{ op: "fill", path, colour, opacity }] : [];
  const dashed = dash.length ? { dash } : {};
  return width > 0 ? [...inside, { op: "line", path, width, ...dashed, ...inkOf(fields) }] : inside;
}

/** @param {Fields} fields @param {Box} box @param {string} [colour] @returns {TextMark[]} */
function textMarks(fields, box, colour = INK) {
  const text = fields.text("text");
  if (!text) return [];
  // A text without a box of its own has nothing to be centred in.
  const align = sizeOf(box).x > 0 ? fields.style("align") : "left";
  const x = align === "center" ? centre(box).x : align === "right" ? box.right : box.left;
  const flags = ["bold", "italic", "underline", "lineThrough"].filter((name) => fields.flag(name));
  return [{
    op: "text", lines: linesOf(text), x, y: box.top, size: fields.number("size") ?? 16, colour,
    opacity: fields.share("opacity") ?? 1, ...Object.fromEntries(flags.map((name) => [name, true])),
    ...align === "center" || align === "right" ? { align } : {},
  }];
}

/** @param {Fields} fields @returns {ImageMark | LineMark} */
function imageMark(fields) {
  const { left: x, top: y } = fields.box;
  const { x: width, y: height } = sizeOf(fields.box);
  const opacity = fields.share("opacity") ?? 1;
  const src = imageSource(fields.text("src"));
  return src ? { op: "image", src, x, y, width, height, opacity } : placeholder(fields.box, opacity);
}

// An address that images may have; nothing for all else: whoever opens a picture runs and tells nothing.
function imageSource(/** @type {string | undefined} */ text) {
  if (!text || /[\p{C}\p{Z}"<>`\\]/u.test(text)) return undefined;
  const isEmbedded = /^data:image\/(png|jpeg);base64,[A-Za-z0-9+/=]+$/.test(text);
  return isEmbedded || /^https?:\/\/[^/?#.:@]/i.test(text) ? text : undefined;
}

// The page of a ppt lies under everything, around the origin.
/** @param {any} ppt @returns {ImageMark | undefined} */
export function background(ppt) {
  const { src, width, height } = ppt ?? {};
  const mark = imageMark(new Fields({ shape: { src, width, height, x: -width / 2, y: -height / 2 } }));
  return mark.op === "image" && mark.width > 0 && mark.height > 0 ? mark : undefined;
}

// Paths are moved themselves; texts and images remember it.
/** @param {Mark} mark @param {Transform} by @returns {Mark} */
function movedMark(mark, by) {
  if (mark.op === "text" || mark.op === "image") return { ...mark, place: by };
  const path = mark.path.map(({ op, at }) => step(op, ...at.map((one) => moved(by, one))));
  if (mark.op === "fill") return { ...mark, path };
  const dash = mark.dash?.map((part) => part * growth(by));
  return { ...mark, path, width: mark.width * growth(by), ...dash ? { dash } : {} };
}

// Of a path the box around every place that is named; curves stay inside of them.
export function extent(/** @type {Mark} */ mark) {
  const isPath = mark.op === "fill" || mark.op === "line";
  const box = boxAround(isPath ? mark.path.flatMap(({ at }) => at) : placedCorners(mark));
  return box && mark.op === "line" ? grown(box, mark.width / 2) : box;
}

/** @param {Mark[]} marks @returns {Box | undefined} */
export const extentOf = (marks) => marks.map(extent).reduce(union, undefined);

const pathText = (/** @type {Path} */ path) =>
  path.map(({ op, at }) => op + at.map(({ x, y }) => `${rounded(x)},${rounded(y)}`).join(" ")).join("");

// The display list as JSON has it: rounded, without what is as usual.
export const displayList = (/** @type {Thing} */ element) => marksOf(element).map((mark) => {
  /** @type {Record<string, any>} */ const { opacity, place = identity, ...json } = mark;
  const placed = (/** @type {number} */ part, /** @type {number} */ at) => rounded(part, at < 4 ? 6 : 2);
  for (const key of ["x", "y", "width", "height", "size"]) if (key in json) json[key] = rounded(json[key]);
  if (mark.op === "line" || mark.op === "fill") json.path = pathText(mark.path);
  if (json.dash) json.dash = json.dash.map((/** @type {number} */ part) => rounded(part));
  if (rounded(opacity) < 1) json.opacity = rounded(opacity);
  if (!identity.every((part, at) => part === place[at])) json.place = place.map(placed);
  return json;
});
