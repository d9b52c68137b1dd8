// What to draw for an element: its display list, as docs/DRAWING.md describes it and Tests/Golden/v1/display pins it.

import {
  Path, boxAround, centre, clamp, compose, corners, growth, grown, identity, moved, rounded, spot, union,
} from "./geom.js";
import { OUTLINED, arrowHead, outline, placeholder, polyline } from "./shapes.js";
import { strokeMarks, strokePoints } from "./stroke.js";
import { linesOf, textCorners } from "./text.js";

/** @typedef {import("./geom.js").Spot} Spot */
/** @typedef {import("./geom.js").Box} Box */
/** @typedef {import("./geom.js").Transform} Transform */
/** @typedef {{op: "fill", path: Path, colour: string, opacity: number}} FillMark */
/** @typedef {{op: "line", path: Path, width: number, dash?: number[], colour: string, opacity: number}} LineMark */
/** @typedef {{op: "text", lines: string[], x: number, y: number, size: number, bold?: boolean, italic?: boolean,
 *   underline?: boolean, lineThrough?: boolean, align?: string, colour: string, opacity: number,
 *   place?: Transform}} TextMark */
/** @typedef {{op: "image", src: string, x: number, y: number, width: number, height: number, opacity: number,
 *   place?: Transform}} ImageMark */
/** @typedef {FillMark | LineMark | TextMark | ImageMark} Mark */

/**
 * An element as the model keeps it; a value that is replaced, never changed.
 * @typedef {{id: string, member: number, number: number, place: number, scene: number,
 *   stroke?: import("./stroke.js").Stroke, shape?: Record<string, any>, set?: Record<string, any>,
 *   copy?: boolean, buried?: boolean}} Element
 */

const INK = [30, 30, 30];
const PAPER = [255, 236, 153];
const PADDING = 12;

/** An element's fields as they are now: what it was put with, and over that what was changed since. */
export class Fields {
  /** @param {{shape?: Record<string, any>, set?: Record<string, any>}} element */
  constructor({ shape, set }) {
    this.body = shape ?? {};
    this.set = set ?? {};
  }

  /** @param {string} key */
  value(key) { return Object.hasOwn(this.set, key) ? this.set[key] : own(this.body, key); }
  /** @param {string} name */
  style(name) {
    const key = `style.${name}`;
    return Object.hasOwn(this.set, key) ? this.set[key] : own(own(this.body, "style"), name);
  }

  /** @param {string} key */
  number(key) { return number(this.value(key)); }
  /** @param {string} key @returns {string | undefined} */
  text(key) { return typeof this.value(key) === "string" ? this.value(key) : undefined; }
  /** @param {string} name */
  flag(name) { return this.style(name) === true; }
  // From 0 to 1, whatever stands there.
  /** @param {string} name */
  share(name) {
    const value = number(this.style(name));
    return value === undefined ? undefined : clamp(value, 0, 1);
  }
  /** @param {string} name */
  colour(name) {
    const levels = this.style(name);
    const isColour = Array.isArray(levels) && levels.length === 3
      && levels.every((level) => Number.isInteger(level) && level >= 0 && level <= 255);
    return isColour ? hex(levels) : undefined;
  }

  /** @returns {Box} */
  get box() {
    const [left, top] = [this.number("x") ?? 0, this.number("y") ?? 0];
    const [width, height] = [Math.max(this.number("width") ?? 0, 0), Math.max(this.number("height") ?? 0, 0)];
    return { left, top, right: left + width, bottom: top + height };
  }
  /** @returns {Spot[]} */
  get points() {
    const { left, top } = this.box;
    return items(this.value("points")).map((pair) => items(pair).filter(isNumber))
      .filter((pair) => pair.length >= 2).map(([x, y]) => spot(left + x, top + y));
  }
  /** @returns {Transform | undefined} */
  get transform() {
    const numbers = items(this.value("transform")).filter(isNumber);
    return numbers.length === 6 ? /** @type {Transform} */ (numbers) : undefined;
  }
  get isLocked() { return this.value("locked") === true; }
}

/** @param {any} value @param {string} key */
const own = (value, key) =>
  value !== null && typeof value === "object" && Object.hasOwn(value, key) ? value[key] : undefined;
/** @param {any} value @returns {any[]} */
const items = (value) => (Array.isArray(value) ? value : []);
/** @param {any} value */
const isNumber = (value) => Number.isFinite(value);
/** @param {any} value @returns {number | undefined} */
const number = (value) => (isNumber(value) ? value : undefined);
/** @param {number[]} levels */
export const hex = (levels) => `#${levels.map((level) => level.toString(16).padStart(2, "0")).join("")}`;

// What to draw for an element, at full precision. A laser shows where one points, and leaves nothing.
/** @param {Element} element @param {number} [closest] as of strokeMarks @returns {Mark[]} */
export function marksOf(element, closest) {
  const fields = new Fields(element);
  const plain = element.stroke ? marksOfStroke(element.stroke, fields, closest) : marksOfShape(element.shape?.type, fields);
  const { transform } = fields;
  return transform ? plain.map((mark) => movedMark(mark, transform)) : plain;
}

// Is this drawn at all?
/** @param {Element} element */
export const isDrawn = ({ stroke, buried }) => !buried && !(stroke?.ended && stroke.begin.tool === "laser");

/** @param {import("./stroke.js").Stroke} stroke @param {Fields} fields @param {number} [closest] */
function marksOfStroke(stroke, fields, closest) {
  const { begin } = stroke;
  const width = number(fields.style("width"));
  // A highlighter lets through what is under it, whatever its opacity says.
  const opacity = (fields.share("opacity") ?? begin.opacity / 255) * (begin.tool === "highlighter" ? 0.4 : 1);
  return strokeMarks(strokePoints(stroke), {
    width: width === undefined ? begin.width / 4 : Math.max(width, 0),
    colour: fields.colour("colour") ?? hex(begin.colour), opacity, closest,
  });
}

/** @param {string} type @param {Fields} fields @returns {Mark[]} */
function marksOfShape(type, fields) {
  if (OUTLINED.includes(type)) return outlined(outline(type, fields.box, fields.flag("rounded")), fields, 2);
  if (type === "straight" || type === "arrow") return marksOfLine(fields, type === "arrow");
  if (type === "text") {
    return textMarks(fields, fields.box, fields.colour("textColor") ?? fields.colour("colour"));
  }
  if (type === "note") {
    const inner = grown(fields.box, -PADDING);
    const paper = outline("rectangle", fields.box, fields.flag("rounded"));
    return [...outlined(paper, fields, 0, hex(PAPER)), ...textMarks(fields, inner, fields.colour("textColor"))];
  }
  return type === "image" ? marksOfImage(fields) : [];
}

/** @param {Fields} fields @param {number} usual */
const widthOf = (fields, usual) => number(fields.style("width")) ?? usual;

/** @param {Path} path @param {Fields} fields @param {number} usual @param {number[]} dash @returns {LineMark} */
function lineMark(path, fields, usual, dash) {
  const line = { path, width: widthOf(fields, usual), colour: fields.colour("colour") ?? hex(INK) };
  return { op: "line", ...line, ...(dash.length ? { dash } : {}), opacity: fields.share("opacity") ?? 1 };
}

/** @param {Path} path @param {Fields} fields @param {number} usual @param {string} [paper] @returns {Mark[]} */
function outlined(path, fields, usual, paper) {
  const colour = fields.colour("fill") ?? paper;
  const opacity = fields.share("fillOpacity") ?? fields.share("opacity") ?? 1;
  /** @type {Mark[]} */
  const inside = colour ? [{ op: "fill", path, colour, opacity }] : [];
  return widthOf(fields, usual) > 0 ? [...inside, lineMark(path, fields, usual, dashOf(fields))] : inside;
}

/** @param {Fields} fields */
function dashOf(fields) {
  const width = widthOf(fields, 2);
  // No length and round ends make dots.
  if (fields.style("strokeType") === "dotted") return [0, 2.5 * width];
  return fields.style("strokeType") === "longDotted" ? [3 * width, 3 * width] : [];
}

/** @param {Fields} fields @param {boolean} isArrow */
function marksOfLine(fields, isArrow) {
  const { points } = fields;
  const marks = outlined(polyline(points, fields.flag("rounded")), fields, 2);
  const head = isArrow && widthOf(fields, 2) > 0 ? arrowHead(points, widthOf(fields, 2)) : undefined;
  return head ? [...marks, lineMark(head, fields, 2, [])] : marks;
}

/** @param {Fields} fields @param {Box} box @param {string | undefined} colour @returns {Mark[]} */
function textMarks(fields, box, colour) {
  const text = fields.text("text");
  if (!text) return [];
  const asked = fields.style("align");
  // A text without a box of its own has nothing to be centred in.
  const align = box.right - box.left > 0 && (asked === "center" || asked === "right") ? asked : undefined;
  const x = align === "center" ? centre(box).x : align === "right" ? box.right : box.left;
  const flags = ["bold", "italic", "underline", "lineThrough"].filter((name) => fields.flag(name));
  return [{
    op: "text", lines: linesOf(text), x, y: box.top, size: fields.number("size") ?? 16,
    ...Object.fromEntries(flags.map((name) => [name, true])), ...(align ? { align } : {}),
    colour: colour ?? hex(INK), opacity: fields.share("opacity") ?? 1,
  }];
}

/** @param {Fields} fields @returns {Mark[]} */
function marksOfImage(fields) {
  const { box } = fields;
  const opacity = fields.share("opacity") ?? 1;
  const src = imageSource(fields.text("src"));
  if (!src) return [{ op: "line", path: placeholder(box), width: 1, colour: "#a0a0a0", opacity }];
  return [{ op: "image", src, x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top, opacity }];
}

// An address that images may have; undefined for all else: whoever opens a picture runs and tells nothing.
/** @param {string | undefined} text */
export function imageSource(text) {
  if (!text || /[\p{C}\p{Z}"<>`\\]/u.test(text)) return undefined;
  const isSource = /^https?:\/\/[^/?#.:@]/i.test(text) || /^data:image\/(png|jpeg);base64,[A-Za-z0-9+/=]+$/.test(text);
  return isSource ? text : undefined;
}

// The page of a ppt lies under everything, around the origin.
/** @param {any} ppt @returns {ImageMark | undefined} */
export function background(ppt) {
  const fields = new Fields({ shape: ppt ?? {} });
  const src = imageSource(fields.text("src"));
  const [halfX, halfY] = [Math.max(fields.number("width") ?? 0, 0) * 0.5, Math.max(fields.number("height") ?? 0, 0) * 0.5];
  if (!src || !(halfX > 0) || !(halfY > 0)) return undefined;
  return { op: "image", src, x: -halfX, y: -halfY, width: 2 * halfX, height: 2 * halfY, opacity: 1 };
}

// Paths are moved themselves; texts and images remember it.
/** @param {Mark} mark @param {Transform} by @returns {Mark} */
function movedMark(mark, by) {
  if (mark.op === "text" || mark.op === "image") return { ...mark, place: by };
  const path = mark.path.movedBy(by);
  if (mark.op === "fill") return { ...mark, path };
  const grow = growth(by);
  const dash = mark.dash ? { dash: mark.dash.map((stretch) => stretch * grow) } : {};
  return { ...mark, path, width: mark.width * grow, ...dash };
}

// A box that holds all that a mark draws.
/** @param {Mark} mark @returns {Box | undefined} */
export function extent(mark) {
  if (mark.op === "fill") return boxAround(mark.path.spots());
  if (mark.op === "text") return boxAround(textCorners(mark));
  if (mark.op === "image") {
    const { x, y, width, height, place } = mark;
    const places = corners({ left: x, top: y, right: x + width, bottom: y + height });
    return boxAround(place ? places.map((at) => moved(place, at)) : places);
  }
  const box = boxAround(mark.path.spots());
  return box && grown(box, mark.width / 2);
}

/** @param {Mark[]} marks @returns {Box | undefined} */
export const extentOf = (marks) =>
  marks.reduce((/** @type {Box | undefined} */ box, mark) => union(box, extent(mark)), undefined);

// The display list as JSON has it: rounded, without what is as usual.
/** @param {Element} element */
export const displayList = (element) => marksOf(element).map(written);

/** @param {Mark} mark */
function written(mark) {
  /** @type {Record<string, any>} */
  const json = { ...mark };
  for (const key of ["x", "y", "width", "height", "size"]) if (key in json) json[key] = rounded(json[key]);
  if (mark.op === "fill" || mark.op === "line") json.path = mark.path.text();
  if (json.dash) json.dash = json.dash.map((/** @type {number} */ stretch) => rounded(stretch));
  json.opacity = rounded(mark.opacity);
  if (mark.opacity >= 1) delete json.opacity;
  if (json.place) {
    if (identity.every((value, index) => value === json.place[index])) delete json.place;
    else json.place = json.place.map((/** @type {number} */ value, /** @type {number} */ at) => rounded(value, at < 4 ? 6 : 2));
  }
  return json;
}

// The transform that an element has, with another one after it.
/** @param {Element} element @param {Transform} by */
export const transformed = (element, by) => compose(by, new Fields(element).transform ?? identity);
