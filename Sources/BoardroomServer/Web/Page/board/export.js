// Taking the board along: PNG from the canvas, SVG from the same display list, JSON as the server has it.
import { displayList } from "../core/display.js";
import { grown } from "../core/geom.js";

const MARGIN = 16;
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };
const LARGEST = 8192; // the longer side of a PNG, at most: what every browser can hold
const ANCHORS = new Map([["center", "middle"], ["right", "end"]]);

const SIGNS = new Map([["&", "&amp;"], ["<", "&lt;"], [">", "&gt;"], ['"', "&quot;"]]);
const escaped = (/** @type {string} */ text) => text.replace(/[&<>"]/g, (sign) => SIGNS.get(sign) ?? "");
/** @param {string} name @param {Record<string, any>} attributes undefined: none @param {string} [inside] */
function tag(name, attributes, inside = "") {
  const written = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== false)
    .map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  return `<${name}${written.join("")}${inside ? `>${inside}</${name}>` : "/>"}`;
}

function svgOf(/** @type {any} */ { op, colour, opacity, place, path: d, x, y, width, size, ...mark }) {
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
  const strikes = [mark.underline && "underline", mark.lineThrough && "line-through"].filter(Boolean);
  const spans = mark.lines.map((/** @type {string} */ text, /** @type {number} */ at) =>
    tag("tspan", { x, y: y + size + at * 1.25 * size }, escaped(text)));
  return tag("text", {
    "font-family": "sans-serif", "font-size": size, "font-weight": mark.bold && "bold",
    "font-style": mark.italic && "italic", "text-decoration": strikes.join(" ") || false,
    "text-anchor": ANCHORS.get(mark.align), fill: colour, "xml:space": "preserve", ...common,
  }, spans.join(""));
}
/** @param {Iterable<any>} elements @param {Box} [content] @returns SVG: white ground, then these */
export function sceneSVG(elements, content) {
  const { left: x, top: y, right, bottom } = content ? grown(content, MARGIN) : EMPTY;
  const [width, height] = [right - x, bottom - y].map((side) => Math.round(side * 100) / 100);
  const marks = [...elements].flatMap((element) => displayList(element)).map(svgOf);
  const ground = tag("rect", { x, y, width, height, fill: "#ffffff" });
  const viewBox = `${x} ${y} ${width} ${height}`;
  const root = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox };
  return `${tag("svg", root, ground + marks.join(""))}\n`;
}
/** @param {App} app @param {string} format png, svg or json @returns a file of the current page */
export async function exported({ board, overlay, rest, room }, format) {
  if (format === "json") {
    const state = await rest.ask("GET", `/v5/rooms/${room}/state`);
    return new Blob([JSON.stringify(state)], { type: "application/json" });
  }
  const content = board.content();
  if (format === "svg") {
    return new Blob([sceneSVG(overlay.elements(overlay.scene), content)], { type: "image/svg+xml" });
  }
  const frame = content ? grown(content, MARGIN) : EMPTY;
  const longer = Math.max(frame.right - frame.left, frame.bottom - frame.top);
  return board.picture(frame, Math.min(2, LARGEST / longer));
}
