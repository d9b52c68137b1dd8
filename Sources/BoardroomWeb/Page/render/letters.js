// Letters: of texts and notes, of labels in shapes and on lines (docs/DRAWING.md).
import { INK } from "./fields.js";
import {
  boxOf,
  centre,
  distance,
  grown,
  linesThrough,
  minus,
  plus,
  sizeOf,
  spot,
  step,
  times,
} from "./geom.js";
import { LINE_HEIGHT, linesOf } from "./text.js";

/** Height of letters whose size is not told. */
const USUAL_SIZE = 16;

/** Pixels between a label and the sides of its part of the shape. */
export const LABEL_MARGIN = 8;

/** Pixels of ground around the label of a line. */
const GROUND = 4;

/** What is under the label of a line. */
const WHITE = "#ffffff";

/** @type {Record<string, [number, number, number, number]>} the part of a shape's box that is for its
 *   label: left, top, right, bottom */
const PARTS = {
  rectangle: [0, 0, 1, 1],
  ellipse: [0.15, 0.15, 0.85, 0.85],
  triangle: [0.25, 0.5, 0.75, 1],
  rhombus: [0.25, 0.25, 0.75, 0.75],
  pentagram: [0.3, 0.38, 0.7, 0.76],
  speechBalloon: [0, 0, 1, 0.8],
};

/**
 * @param {string} type of a shape that is an outline
 * @param {Box} box
 * @returns {Box} where its label is
 */
export function labelArea(type, box) {
  const { x, y } = sizeOf(box);
  const [left, top, right, bottom] = PARTS[type] ?? PARTS.rectangle;
  return boxOf(
    spot(box.left + left * x, box.top + top * y),
    spot(box.left + right * x, box.top + bottom * y),
  );
}

/**
 * @param {Spot[]} points of a line
 * @param {boolean} isRounded
 * @returns {Spot | undefined} where its label is: the middle one of an odd number of points of a
 *   curve, else half of the way along straight lines
 */
export function lineMiddle(points, isRounded) {
  if (isRounded && points.length > 2 && points.length % 2 === 1) return points[points.length >> 1];
  let whole = 0;
  for (let at = 1; at < points.length; at += 1) whole += distance(points[at - 1], points[at]);
  let left = whole * 0.5;
  for (let at = 1; at < points.length; at += 1) {
    const [from, to] = [points[at - 1], points[at]];
    const way = distance(from, to);
    if (way > 0 && left <= way) return plus(from, times(minus(to, from), left / way));
    left -= way;
  }
  return points[0];
}

/**
 * @param {Box} box
 * @param {any} align
 * @returns {number} where lines of a text are anchored
 */
function anchorOf(box, align) {
  if (align === "center") return centre(box).x;
  return align === "right" ? box.right : box.left;
}

/**
 * @param {ElementFields} fields
 * @param {Box} box
 * @returns {TextMark[]}
 */
export function textMarks(fields, box, colour = INK) {
  // A text without a box of its own cannot be centred.
  const align = sizeOf(box).x > 0 ? fields.style("align") : "left";
  return letters(fields, { x: anchorOf(box, align), y: box.top, align, colour });
}

/** @typedef {import("./fields.js").ElementFields} ElementFields */

/**
 * @param {ElementFields} fields
 * @param {{x: number, y: number, align: any, colour: string}} how
 * @returns {TextMark[]}
 */
function letters(fields, { x, y, align, colour }) {
  const text = fields.text("text");
  if (!text) return [];
  const flags = ["bold", "italic", "underline", "lineThrough"].filter((name) => fields.flag(name));
  return [
    {
      op: "text",
      lines: linesOf(text),
      x,
      y,
      size: fields.number("size") ?? USUAL_SIZE,
      colour,
      opacity: fields.opacity,
      ...Object.fromEntries(flags.map((name) => [name, true])),
      ...(align === "center" || align === "right" ? { align } : {}),
    },
  ];
}

/** @param {ElementFields} fields @returns {number} pixels of the height of all lines */
const heightOf = (fields) =>
  linesOf(fields.text("text") ?? "").length * (fields.number("size") ?? USUAL_SIZE) * LINE_HEIGHT;

/** @param {ElementFields} fields */
const colourOf = (fields) => fields.colour("textColor") ?? fields.colour("colour") ?? INK;

/**
 * @param {string} type
 * @param {ElementFields} fields of a shape that is an outline
 * @returns {TextMark[]} its label, in the middle of its height
 */
export function shapeLabel(type, fields) {
  if (!fields.text("text")) return [];
  const area = labelArea(type, fields.box);
  const side = fields.style("align");
  const align = side === "left" || side === "right" ? side : "center";
  const inside = { ...area, left: area.left + LABEL_MARGIN, right: area.right - LABEL_MARGIN };
  const y = centre(area).y - heightOf(fields) * 0.5;
  return letters(fields, { x: anchorOf(inside, align), y, align, colour: colourOf(fields) });
}

/**
 * @param {ElementFields} fields of a line or arrow
 * @returns {Mark[]} its label in the middle, on a ground of the paper's colour
 */
export function lineLabel(fields) {
  const at = fields.text("text") && lineMiddle(fields.points, fields.flag("rounded"));
  if (!at) return [];
  const height = heightOf(fields);
  const y = at.y - height * 0.5;
  const text = letters(fields, { x: at.x, y, align: "center", colour: colourOf(fields) });
  const width = fields.style("textWidth");
  if (!(Number.isFinite(width) && width > 0)) return text;
  const corner = spot(at.x - width * 0.5, y);
  const { left, top, right, bottom } = grown(
    boxOf(corner, plus(corner, spot(width, height))),
    GROUND,
  );
  const path = [
    ...linesThrough([spot(left, top), spot(right, top), spot(right, bottom), spot(left, bottom)]),
    step("Z"),
  ];
  return [{ op: "fill", path, colour: WHITE, opacity: 1 }, ...text];
}
