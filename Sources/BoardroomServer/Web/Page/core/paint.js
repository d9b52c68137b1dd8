// Carries out display lists on a canvas. The same code draws live, in replays, in tiles and in exported pictures.

import { shown } from "./colours.js";
import { Path, corners } from "./geom.js";
import { placeholder } from "./shapes.js";
import { LINE_HEIGHT, fontOf } from "./text.js";

/** @typedef {import("./display.js").Mark} Mark */
/** @typedef {import("./display.js").TextMark} TextMark */
/** @typedef {import("./display.js").ImageMark} ImageMark */
/** @typedef {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} Context */
/** @typedef {{theme: import("./colours.js").Theme, image(src: string): CanvasImageSource | undefined}} Look */

// Outlines as the canvas keeps them, for as long as the display list lives.
/** @type {WeakMap<Path, Path2D>} */
const traced = new WeakMap();

/** @param {Path} path */
function canvasPath(path) {
  let made = traced.get(path);
  if (!made) {
    made = new Path2D();
    path.trace(made);
    traced.set(path, made);
  }
  return made;
}

// Draws marks where the scene's origin is the context's.
/** @param {Context} ctx @param {Mark[]} marks @param {Look} look */
export function paint(ctx, marks, look) {
  for (const mark of marks) {
    ctx.globalAlpha = mark.opacity;
    if (mark.op === "fill") {
      ctx.fillStyle = shown(mark.colour, look.theme);
      ctx.fill(canvasPath(mark.path));
    } else if (mark.op === "line") {
      ctx.strokeStyle = shown(mark.colour, look.theme);
      ctx.lineWidth = mark.width;
      ctx.lineCap = ctx.lineJoin = "round";
      ctx.setLineDash(mark.dash ?? []);
      // A canvas takes a width of 0 for a mistake and keeps the one before.
      if (mark.width > 0) ctx.stroke(canvasPath(mark.path));
    } else if (mark.op === "text") paintText(ctx, mark, look);
    else paintImage(ctx, mark, look);
  }
  ctx.globalAlpha = 1;
}

/** @param {Context} ctx @param {TextMark} mark @param {Look} look */
function paintText(ctx, mark, look) {
  ctx.save();
  if (mark.place) ctx.transform(...mark.place);
  // As SVG has it: letters stand where they belong, and not on whole pixels.
  ctx.textRendering = "geometricPrecision";
  ctx.font = fontOf(mark);
  ctx.fillStyle = shown(mark.colour, look.theme);
  ctx.textAlign = /** @type {CanvasTextAlign} */ (mark.align ?? "left");
  ctx.textBaseline = "alphabetic";
  mark.lines.forEach((line, index) => {
    const y = mark.y + mark.size + index * mark.size * LINE_HEIGHT;
    ctx.fillText(line, mark.x, y);
    if (!mark.underline && !mark.lineThrough) return;
    const width = ctx.measureText(line).width;
    const left = mark.align === "center" ? mark.x - width / 2 : mark.align === "right" ? mark.x - width : mark.x;
    if (mark.underline) ctx.fillRect(left, y + mark.size * 0.1, width, mark.size * 0.06);
    if (mark.lineThrough) ctx.fillRect(left, y - mark.size * 0.29, width, mark.size * 0.06);
  });
  ctx.restore();
}

/** @param {Context} ctx @param {ImageMark} mark @param {Look} look */
function paintImage(ctx, mark, look) {
  const { x, y, width, height, place } = mark;
  const image = look.image(mark.src);
  ctx.save();
  if (place) ctx.transform(...place);
  if (image && width > 0 && height > 0) ctx.drawImage(image, x, y, width, height);
  else {
    const path = placeholder({ left: x, top: y, right: x + width, bottom: y + height });
    const frame = /** @type {Mark} */ ({ op: "line", path, width: 1, colour: "#a0a0a0", opacity: mark.opacity });
    paint(ctx, [frame], look);
  }
  ctx.restore();
}

// A dot for what is too small to have a form.
/** @param {Context} ctx @param {Mark[]} marks @param {import("./geom.js").Box} box @param {number} pixel @param {Look} look */
export function paintDot(ctx, marks, box, pixel, look) {
  const mark = marks[marks.length - 1];
  if (!mark || mark.op === "image") return;
  const [at] = corners(box);
  ctx.globalAlpha = mark.opacity;
  ctx.fillStyle = shown(mark.colour, look.theme);
  ctx.fillRect(at.x, at.y, Math.max(box.right - box.left, pixel), Math.max(box.bottom - box.top, pixel));
  ctx.globalAlpha = 1;
}
