// The picture of a scene as SVG, from the same display list as the canvas.
import { countedFrom, markJSON } from "./display.js";
import { isFar } from "./far.js";
import { grown, spot } from "./geom.js";
import { LINE_HEIGHT } from "./text.js";

/** Pixels around what is drawn. */
const MARGIN = 16;

/** The picture of an empty scene. */
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };

/**
 * @param {Box | undefined} content the box of what is drawn
 * @returns {Box} of a picture of it
 */
export const frameOf = (content) => (content ? grown(content, MARGIN) : EMPTY);

const ANCHORS = new Map([
  ["center", "middle"],
  ["right", "end"],
]);

const SIGNS = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
]);

/** @param {string} text */
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => SIGNS.get(sign) ?? "");

/**
 * @param {string} name
 * @param {Record<string, any>} attributes undefined: none
 * @param {string} [inside]
 */
export function tag(name, attributes, inside = "") {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join("")}${inside ? `>${inside}</${name}>` : "/>"}`;
}

/** @param {any} mark of a display list as JSON has it */
export function svgOf(mark) {
  const { opacity, place } = mark;
  const common = { opacity, transform: place && `matrix(${place.join(" ")})` };
  if (mark.op === "fill") return tag("path", { d: mark.path, fill: mark.colour, ...common });
  if (mark.op === "image") return imageTag(mark, common);
  return mark.op === "line" ? lineTag(mark, common) : textTag(mark, common);
}

/**
 * @param {any} mark
 * @param {Record<string, any>} common
 */
function imageTag({ src: href, x, y, width, height }, common) {
  return tag("image", { href, x, y, width, height, preserveAspectRatio: "none", ...common });
}

/**
 * @param {any} mark
 * @param {Record<string, any>} common
 */
function lineTag({ path: d, colour: stroke, width, dash }, common) {
  return tag("path", {
    d,
    fill: "none",
    stroke,
    "stroke-width": width,
    "stroke-dasharray": dash?.join(" "),
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
    ...common,
  });
}

/**
 * @param {any} mark
 * @param {Record<string, any>} common
 */
function textTag(mark, common) {
  const { x, y, size } = mark;
  const strikes = [mark.underline && "underline", mark.lineThrough && "line-through"];
  const attributes = {
    "font-family": "sans-serif",
    "font-size": size,
    "font-weight": mark.bold && "bold",
    "font-style": mark.italic && "italic",
    "text-decoration": strikes.filter(Boolean).join(" ") || false,
    "text-anchor": ANCHORS.get(mark.align),
    fill: mark.colour,
    "xml:space": "preserve",
    ...common,
  };
  const spans = mark.lines.map((/** @type {string} */ text, /** @type {number} */ at) =>
    tag("tspan", { x, y: y + size + at * LINE_HEIGHT * size }, escaped(text)),
  );
  return tag("text", attributes, spans.join(""));
}

/**
 * @param {Mark[]} marks
 * @param {Box} [content]
 * @param {Map<string, string>} [images] the bytes of images as `data:` addresses, by their source
 * @returns SVG: white ground, then these
 */
export function sceneSVG(marks, content, images = new Map()) {
  const { left, top, right, bottom } = frameOf(content);
  const width = Math.round((right - left) * 100) / 100;
  const height = Math.round((bottom - top) * 100) / 100;
  // Programs that show pictures count in 32 bits: far out, places are counted from the corner.
  const corner = spot(left, top);
  const origin = isFar(corner) ? corner : undefined;
  const { x, y } = origin ? spot(0, 0) : corner;
  const drawn = marks.map((mark) => {
    const json = markJSON(origin ? countedFrom(mark, origin) : mark);
    return svgOf(mark.op === "image" ? { ...json, src: images.get(mark.src) ?? mark.src } : json);
  });
  const ground = tag("rect", { x, y, width, height, fill: "#ffffff" });
  const viewBox = `${x} ${y} ${width} ${height}`;
  const root = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox };
  return `${tag("svg", root, ground + drawn.join(""))}\n`;
}
