// What to draw for an element: its display list, by docs/DRAWING.md; Tests/Golden/v1/display pins
// it.
import { ElementFields, hex, items, own } from "./fields.js";
import {
  boxAround,
  grown,
  growth,
  identity,
  minus,
  moved,
  rounded,
  sizeOf,
  spot,
  step,
  union,
} from "./geom.js";
import { imageSource } from "./image-source.js";
import { lineLabel, shapeLabel, textMarks } from "./letters.js";
import { arrowHead, OUTLINED, outline, placeholder, polyline } from "./shapes.js";
import { strokeMarks, strokePoints } from "./stroke.js";
import { placedCorners } from "./text.js";

/** The fill of a note that has none. */
const PAPER = "#ffec99";

/** The part that a highlighter covers of what is under it. */
const HIGHLIGHT = 0.4;

/** Pixels between the edge of a note and its text. */
export const PADDING = 12;

/** Lines and gaps, in widths of the line; no length and round ends make dots. */
const DASHES = { dotted: [0, 2.5], longDotted: [3, 3] };

/**
 * @param {Thing} element
 * @param {number} [closest] as of StrokeLook
 * @returns {Mark[]}
 */
export function marksOf(element, closest) {
  const fields = new ElementFields(element);
  const { stroke, shape } = element;
  const marks = stroke ? marksOfStroke(stroke, fields, closest) : marksOfShape(shape?.type, fields);
  const { transform } = fields;
  return transform ? marks.map((mark) => movedMark(mark, transform)) : marks;
}

/**
 * A laser is shown while somebody points, and leaves no drawing.
 * @param {Thing} thing
 */
export const isDrawn = ({ stroke, buried }) =>
  !buried && !(stroke?.ended && stroke.begin.tool === "laser");

/**
 * @param {Stroke} stroke
 * @param {ElementFields} fields
 * @param {number} [closest]
 */
function marksOfStroke(stroke, fields, closest) {
  const { begin } = stroke;
  // A highlighter is transparent, whatever its opacity says.
  const shade = begin.tool === "highlighter" ? HIGHLIGHT : 1;
  const opacity = (fields.share("opacity") ?? begin.opacity / 255) * shade;
  const width = Math.max(fields.width ?? begin.width / 4, 0);
  const colour = fields.colour("colour") ?? hex(begin.colour);
  const marks = strokeMarks(strokePoints(stroke), { width, colour, opacity, closest });
  return begin.tool === "highlighter" ? marks.map(fixed) : marks;
}

/**
 * @param {string} type
 * @param {ElementFields} fields
 * @returns {Mark[]}
 */
function marksOfShape(type, fields) {
  const isRounded = fields.flag("rounded");
  const { box } = fields;
  if (OUTLINED.includes(type)) {
    return [...outlined(outline(type, box, isRounded), fields), ...shapeLabel(type, fields)];
  }
  switch (type) {
    case "straight":
      return [...outlined(polyline(fields.points, isRounded), fields), ...lineLabel(fields)];
    case "arrow":
      return [...arrowMarks(fields), ...lineLabel(fields)];
    case "text":
      return textMarks(fields, box, fields.colour("textColor") ?? fields.colour("colour"));
    case "note":
      return noteMarks(fields);
    case "image":
      return [imageMark(fields)];
    default:
      return [];
  }
}

/**
 * @param {ElementFields} fields
 * @returns {Mark[]}
 */
function arrowMarks(fields) {
  const { points, width = 2 } = fields;
  const line = outlined(polyline(points, fields.flag("rounded")), fields);
  const path = width > 0 ? arrowHead(points, width) : undefined;
  return path ? [...line, { op: "line", path, width, ...fields.ink }] : line;
}

/**
 * @param {ElementFields} fields
 * @returns {Mark[]}
 */
function noteMarks(fields) {
  const { box } = fields;
  const edge = outline("rectangle", box, fields.flag("rounded"));
  const text = textMarks(fields, grown(box, -PADDING), fields.colour("textColor"));
  return [...outlined(edge, fields, 0, PAPER), ...text].map(fixed);
}

/** @type {(mark: Mark) => Mark} notes and highlighters look on dark boards as on light ones */
export const fixed = (mark) => (mark.op === "image" ? mark : { ...mark, isFixed: true });

/**
 * @param {Path} path
 * @param {ElementFields} fields
 * @param {string} [paper]
 * @returns {Mark[]}
 */
function outlined(path, fields, usual = 2, paper = undefined) {
  const { width = usual } = fields;
  const colour = fields.colour("fill") ?? paper;
  const opacity = fields.share("fillOpacity") ?? fields.opacity;
  const dash = items(own(DASHES, fields.style("strokeType"))).map((part) => part * width);
  /** @type {Mark[]} */
  const inside = colour ? [{ op: "fill", path, colour, opacity }] : [];
  const stroked = { path, width, ...(dash.length ? { dash } : {}), ...fields.ink };
  return width > 0 ? [...inside, { op: "line", ...stroked }] : inside;
}

/**
 * @param {ElementFields} fields
 * @returns {ImageMark | LineMark}
 */
function imageMark(fields) {
  const { box, opacity } = fields;
  const { left: x, top: y } = box;
  const { x: width, y: height } = sizeOf(box);
  const src = imageSource(fields.text("src"));
  return src ? { op: "image", src, x, y, width, height, opacity } : placeholder(box, opacity);
}

/**
 * @param {any} ppt
 * @returns {ImageMark | undefined} which lies under everything, around the origin
 */
export function background(ppt) {
  const { src, width, height } = ppt ?? {};
  const shape = { src, width, height, x: -width / 2, y: -height / 2 };
  const mark = imageMark(new ElementFields({ shape }));
  return mark.op === "image" && mark.width > 0 && mark.height > 0 ? mark : undefined;
}

/**
 * Moves a mark: the points of paths, the transform of texts and images.
 * @param {Mark} mark
 * @param {Transform} by
 * @returns {Mark}
 */
function movedMark(mark, by) {
  if (mark.op === "text" || mark.op === "image") return { ...mark, place: by };
  const path = mark.path.map(({ op, at }) => step(op, ...at.map((one) => moved(by, one))));
  if (mark.op === "fill") return { ...mark, path };
  const dash = mark.dash?.map((part) => part * growth(by));
  return { ...mark, path, width: mark.width * growth(by), ...(dash ? { dash } : {}) };
}

/**
 * Of a path the box around every place that is named; curves stay inside of them.
 * @param {Mark} mark
 */
export function extent(mark) {
  const isPath = mark.op === "fill" || mark.op === "line";
  const box = boxAround(isPath ? mark.path.flatMap(({ at }) => at) : placedCorners(mark));
  return box && mark.op === "line" ? grown(box, mark.width / 2) : box;
}

/** @type {(marks: Mark[]) => Box | undefined} */
export const extentOf = (marks) => marks.map(extent).reduce(union, undefined);

/**
 * The display list as JSON has it: rounded, without what is as usual.
 * @param {Thing} element
 */
export const displayList = (element) => marksOf(element).map(markJSON);

/**
 * @param {Mark} mark
 * @param {Spot} origin
 * @returns {Mark} counted from there, all its numbers: also those below its transform
 */
export function countedFrom(mark, origin) {
  if (mark.op !== "text" && mark.op !== "image") {
    const path = mark.path.map(({ op, at }) => step(op, ...at.map((one) => minus(one, origin))));
    return { ...mark, path };
  }
  const [a, b, c, d, e, f] = mark.place ?? identity;
  const { x, y } = minus(moved([a, b, c, d, e, f], spot(mark.x, mark.y)), origin);
  return mark.place ? { ...mark, x: 0, y: 0, place: [a, b, c, d, x, y] } : { ...mark, x, y };
}

/** Pixels between the corner of an image's frame and its name, and of the name's letters. */
const NAME_PLACE = 6;
const NAME_SIZE = 12;

/**
 * @param {ImageMark} mark
 * @param {string} name
 * @returns {Mark[]} a frame with the image's name, where the image is not there
 */
export function missingImage({ x, y, width, height, opacity, place = identity }, name) {
  const frame = placeholder({ left: x, top: y, right: x + width, bottom: y + height }, opacity);
  const at = { x: x + NAME_PLACE, y: y + NAME_PLACE, size: NAME_SIZE };
  /** @type {TextMark} */
  const text = { op: "text", lines: [name], ...at, colour: "#606060", opacity };
  return [movedMark(frame, place), movedMark(text, place)];
}

/**
 * @param {Mark} mark
 * @returns {Record<string, any>}
 */
export function markJSON(mark) {
  /** @type {Record<string, any>} */
  const { opacity, place = identity, ...json } = mark;
  delete json.isFixed;
  for (const key of ["x", "y", "width", "height", "size"]) {
    if (key in json) json[key] = rounded(json[key]);
  }
  if (mark.op === "line" || mark.op === "fill") json.path = pathText(mark.path);
  if (json.dash) json.dash = json.dash.map((/** @type {number} */ part) => rounded(part));
  if (rounded(opacity) < 1) json.opacity = rounded(opacity);
  if (!identity.every((part, at) => part === place[at])) json.place = place.map(roundedPart);
  return json;
}

/**
 * Of a transform: factors need more decimals than places.
 * @param {number} part
 * @param {number} at
 */
const roundedPart = (part, at) => rounded(part, at < 4 ? 6 : 2);

/** @param {Path} path */
const pathText = (path) => path.map(stepText).join("");

/** @param {PathStep} step */
function stepText({ op, at }) {
  const places = at.map(({ x, y }) => `${rounded(x)},${rounded(y)}`);
  return op + places.join(" ");
}
