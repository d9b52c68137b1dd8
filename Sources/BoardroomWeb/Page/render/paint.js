// Carries out display lists on a canvas. The same code draws live, in replays, in tiles and in
// pictures.
import { shown } from "./colours.js";
import { drawnFar, placedFar } from "./far.js";
import { placeholder } from "./shapes.js";
import { fontOf, LINE_HEIGHT, leftOf } from "./text.js";

/**
 * @type {WeakMap<Path, Path2D>} outlines as the canvas keeps them, for as long as the display list
 *   lives
 */
const traced = new WeakMap();

/** @param {Path} path */
function canvasPath(path) {
  const known = traced.get(path);
  if (known) return known;
  const on = trace(path);
  traced.set(path, on);
  return on;
}

/** @param {Path} path */
function trace(path) {
  const on = new Path2D();
  for (const { op, at } of path) {
    const [a, b, c] = at;
    if (op === "Q") on.quadraticCurveTo(a.x, a.y, b.x, b.y);
    else if (op === "L") on.lineTo(a.x, a.y);
    else if (op === "M") on.moveTo(a.x, a.y);
    else if (op === "C") on.bezierCurveTo(a.x, a.y, b.x, b.y, c.x, c.y);
    else on.closePath();
  }
  return on;
}

/**
 * @param {Ink} ctx
 * @param {Path} path
 */
function strokePath(ctx, path) {
  const isDone = drawnFar(ctx, path, trace, (on, near) => near.stroke(on));
  if (!isDone) ctx.stroke(canvasPath(path));
}

/**
 * @param {Ink} ctx
 * @param {Path} path
 */
function fillPath(ctx, path) {
  const isDone = drawnFar(ctx, path, trace, (on, near) => near.fill(on));
  if (!isDone) ctx.fill(canvasPath(path));
}

/**
 * A line without a length is a dot as wide as the line (docs/DRAWING.md). SVG draws its round ends,
 * a canvas leaves it out: there a circle is filled.
 * @param {Ink} ctx
 * @param {LineMark} lineMark
 */
function strokeLine(ctx, { path, width }) {
  const first = path[0]?.at[0];
  const isThere = (/** @type {Spot} */ { x, y }) => x === first.x && y === first.y;
  const isDot = path.length > 1 && path.every(({ at }) => at.every(isThere));
  if (!isDot) return strokePath(ctx, path);
  ctx.beginPath();
  ctx.arc(first.x, first.y, width / 2, 0, 2 * Math.PI);
  ctx.fill();
}

/**
 * @param {Ink} ctx
 * @param {Mark[]} marks
 * @param {Look} look
 */
export function paint(ctx, marks, look) {
  for (const mark of marks) {
    paintMark(ctx, mark, look);
  }
  ctx.globalAlpha = 1;
}

/**
 * @param {Exclude<Mark, ImageMark>} mark
 * @param {Look} look
 * @returns {string} its colour on the paper
 */
export const colourOf = (mark, look) =>
  mark.isFixed ? mark.colour : shown(mark.colour, look.theme);

/**
 * @param {Ink} ctx
 * @param {Mark} mark
 * @param {Look} look
 */
function paintMark(ctx, mark, look) {
  ctx.globalAlpha = mark.opacity;
  if (mark.op === "image") return placed(ctx, mark, (one, on) => paintImage(on, one, look));
  const colour = colourOf(mark, look);
  ctx.fillStyle = colour;
  ctx.strokeStyle = colour;
  if (mark.op === "text") placed(ctx, mark, (one, on) => paintText(on, one));
  else if (mark.op === "fill") fillPath(ctx, mark.path);
  else paintLine(ctx, mark);
}

/**
 * @template {TextMark | ImageMark} Kind
 * @param {Ink} ctx
 * @param {Kind} mark
 * @param {(mark: Kind, ctx: Ink) => void} draw
 */
function placed(ctx, mark, draw) {
  const atOrigin = { ...mark, x: 0, y: 0 };
  if (placedFar(ctx, mark, (near) => draw(atOrigin, near))) return;
  const { place } = mark;
  ctx.save();
  if (place) ctx.transform(...place);
  draw(mark, ctx);
  ctx.restore();
}

/**
 * @param {Ink} ctx
 * @param {LineMark} mark
 */
function paintLine(ctx, mark) {
  ctx.lineWidth = mark.width;
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  ctx.setLineDash(mark.dash ?? []);
  // A canvas ignores a width of 0 and keeps the one before.
  if (mark.width > 0) strokeLine(ctx, mark);
}

/**
 * @param {Ink} ctx
 * @param {TextMark} mark
 */
function paintText(ctx, { lines, x, y, size, align, underline, lineThrough, ...font }) {
  // As in SVG: letters are not moved to whole pixels.
  ctx.textRendering = "geometricPrecision";
  ctx.font = fontOf({ size, ...font });
  ctx.textAlign = /** @type {CanvasTextAlign} */ (align ?? "left");
  for (const [index, line] of lines.entries()) {
    const base = y + size + index * size * LINE_HEIGHT;
    ctx.fillText(line, x, base);
    const width = underline || lineThrough ? ctx.measureText(line).width : 0;
    const left = leftOf(x, width, align);
    if (underline) ctx.fillRect(left, base + size * 0.1, width, size * 0.06);
    if (lineThrough) ctx.fillRect(left, base - size * 0.29, width, size * 0.06);
  }
}

/**
 * @param {Ink} ctx
 * @param {ImageMark} mark
 * @param {Look} look
 */
function paintImage(ctx, { src, x, y, width, height, opacity }, look) {
  const image = look.image(src);
  if (image && width > 0 && height > 0) return ctx.drawImage(image, x, y, width, height);
  const box = { left: x, top: y, right: x + width, bottom: y + height };
  paint(ctx, [placeholder(box, opacity)], look);
}
