// The picture of a scene as SVG, from the same display list as the canvas.
import { displayList } from "./display.js";
import { grown } from "./geom.js";

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
function tag(name, attributes, inside = "") {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join("")}${inside ? `>${inside}</${name}>` : "/>"}`;
}

/** @param {any} of */
function svgOf({ op, colour, opacity, place, path: d, x, y, width, size, ...mark }) {
  const common = { opacity, transform: place && `matrix(${place.join(" ")})` };
  if (op === "fill") return tag("path", { d, fill: colour, ...common });
  if (op === "image") {
    const image = { href: mark.src, x, y, width, height: mark.height, preserveAspectRatio: "none" };
    return tag("image", { ...image, ...common });
  }
  if (op === "line") {
    const ends = { "stroke-linecap": "round", "stroke-linejoin": "round" };
    const line = { d, fill: "none", stroke: colour, "stroke-width": width };
    return tag("path", { ...line, "stroke-dasharray": mark.dash?.join(" "), ...ends, ...common });
  }
  const strikes = [mark.underline && "underline", mark.lineThrough && "line-through"].filter(
    Boolean,
  );
  const spans = mark.lines.map((/** @type {string} */ text, /** @type {number} */ at) =>
    tag("tspan", { x, y: y + size + at * 1.25 * size }, escaped(text)),
  );
  return tag(
    "text",
    {
      "font-family": "sans-serif",
      "font-size": size,
      "font-weight": mark.bold && "bold",
      "font-style": mark.italic && "italic",
      "text-decoration": strikes.join(" ") || false,
      "text-anchor": ANCHORS.get(mark.align),
      fill: colour,
      "xml:space": "preserve",
      ...common,
    },
    spans.join(""),
  );
}

/**
 * @param {Iterable<any>} elements
 * @param {Box} [content]
 * @returns SVG: white ground, then these
 */
export function sceneSVG(elements, content) {
  const { left: x, top: y, right, bottom } = frameOf(content);
  const width = Math.round((right - x) * 100) / 100;
  const height = Math.round((bottom - y) * 100) / 100;
  const marks = [...elements].flatMap((element) => displayList(element)).map(svgOf);
  const ground = tag("rect", { x, y, width, height, fill: "#ffffff" });
  const viewBox = `${x} ${y} ${width} ${height}`;
  const root = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox };
  return `${tag("svg", root, ground + marks.join(""))}\n`;
}
