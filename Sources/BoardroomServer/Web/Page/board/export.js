import { displayList } from "../core/display.js";
import { grown } from "../core/geom.js";

// Taking the board along: PNG from the canvas, SVG from the same display list, JSON as the server has it.

const MARGIN = 16;
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };
/** The longer side of a PNG, at most: what every browser can hold. */
const LARGEST = 8192;

/** @param {string} text */
const escaped = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? "");

/** @param {Record<string, string | number | undefined | false>} attributes */
const written = (attributes) => Object.entries(attributes)
  .filter(([, value]) => value !== undefined && value !== false)
  .map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join("");

/** @param {any} mark @returns {string} */
function svgOf(mark) {
  const { op, colour, opacity, place } = mark;
  const common = { opacity, transform: place && `matrix(${place.join(" ")})` };
  if (op === "fill") return `<path${written({ d: mark.path, fill: colour, ...common })}/>`;
  if (op === "line") {
    const dash = mark.dash?.join(" ");
    return `<path${written({
      d: mark.path, fill: "none", stroke: colour, "stroke-width": mark.width, "stroke-dasharray": dash,
      "stroke-linecap": "round", "stroke-linejoin": "round", ...common,
    })}/>`;
  }
  if (op === "image") {
    const { src: href, x, y, width, height } = mark;
    return `<image${written({ href, x, y, width, height, preserveAspectRatio: "none", ...common })}/>`;
  }
  const { size, lines } = mark;
  const strikes = [mark.underline && "underline", mark.lineThrough && "line-through"];
  const anchor = { center: "middle", right: "end" }[/** @type {"center" | "right"} */ (mark.align)];
  const spans = lines.map((/** @type {string} */ line, /** @type {number} */ at) =>
    `<tspan${written({ x: mark.x, y: mark.y + size + at * 1.25 * size })}>${escaped(line)}</tspan>`);
  return `<text${written({
    "font-family": "sans-serif", "font-size": size, "font-weight": mark.bold && "bold",
    "font-style": mark.italic && "italic",
    "text-decoration": strikes.filter(Boolean).join(" ") || undefined, "text-anchor": anchor, fill: colour,
      "xml:space": "preserve",
    ...common,
  })}>${spans.join("")}</text>`;
}

/** @param {Box | undefined} content @returns {Box} */
export const framed = (content) => (content ? grown(content, MARGIN) : EMPTY);

/** A scene as SVG: white ground, then its elements. */
/** @param {Iterable<any>} elements @param {Box | undefined} content */
export function sceneSVG(elements, content) {
  const { left, top, right, bottom } = framed(content);
  const [width, height] = [right - left, bottom - top].map((side) => Math.round(side * 100) / 100);
  const marks = [...elements].flatMap((element) => displayList(element)).map(svgOf);
  const view = `viewBox="${left} ${top} ${width} ${height}"`;
  const ground = `<rect${written({ x: left, y: top, width, height, fill: "#ffffff" })}/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ${view}>`
    + `${ground}${marks.join("")}</svg>\n`;
}

/** A file of the current page. */
/** @param {import("./app.js").App} app @param {"png" | "svg" | "json"} format */
export async function exported(app, format) {
  const { board, overlay, rest } = app;
  if (format === "json") return new Blob([JSON.stringify(await rest.state())], { type: "application/json" });
  const content = board.content();
  if (format === "svg") {
    return new Blob([sceneSVG(overlay.elements(overlay.scene), content)], { type: "image/svg+xml" });
  }
  const box = framed(content);
  const scale = Math.min(2, LARGEST / Math.max(box.right - box.left, box.bottom - box.top));
  return board.picture(box, scale);
}
