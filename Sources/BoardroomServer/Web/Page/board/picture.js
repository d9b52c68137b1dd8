// Pictures of scenes: exports at any size, on white paper whatever the theme; previews look like
// the board.

import { PAPER } from "../render/colours.js";
import { background, extent, extentOf, isDrawn, marksOf } from "../render/display.js";
import { centre, grown, minus, sizeOf, spot, touches } from "../render/geom.js";
import { paint } from "../render/paint.js";

/** Pixels around what is drawn (docs/DRAWING.md). */
const MARGIN = 16;

/** The longest side, in pixels of the picture. */
const LONGEST = 8192;

/** The picture of an empty scene. */
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };

/**
 * @param {Board} board
 * @param {number} scene
 * @returns {Mark[]}
 */
function marksOfScene({ stage, feed: { source } }, scene) {
  const elements = [...source.elements(scene)].filter(isDrawn);
  const marks = elements.flatMap((element) => stage.marks.get(element) ?? marksOf(element));
  return [background(source.ppt?.(scene)) ?? [], marks].flat();
}

/**
 * @type {(canvas: HTMLCanvasElement, marks: Mark[], corner: Spot, scale: number, look: Look) =>
 *   void}
 */
function draw(canvas, marks, { x, y }, scale, look) {
  const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = PAPER[look.theme];
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.setTransform(scale, 0, 0, scale, -x * scale, -y * scale);
  const seen = {
    left: x,
    top: y,
    right: x + canvas.width / scale,
    bottom: y + canvas.height / scale,
  };
  paint(
    ctx,
    marks.filter((mark) => touches(extent(mark) ?? EMPTY, seen)),
    look,
  );
}

/**
 * @param {Board} board
 * @param {Box} [asked]
 * @returns {Promise<Blob>}
 */
export async function picture(board, asked, asks = 2) {
  const marks = marksOfScene(board, board.scene);
  const box = asked ?? grown(extentOf(marks) ?? grown(EMPTY, -MARGIN), MARGIN);
  const { x, y } = sizeOf(box);
  const scale = Math.min(asks, LONGEST / Math.max(x, y, 1));
  await Promise.all(marks.map((mark) => mark.op === "image" && board.stage.load(mark.src)));
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [x, y].map((side) => Math.max(Math.round(side * scale), 1));
  draw(canvas, marks, spot(box.left, box.top), scale, { ...board.stage.look, theme: "light" });
  const tooLarge = new Error(
    "The picture is too large for this browser: ask for less of the scene.",
  );
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(tooLarge))),
  );
}

/**
 * @param {Board} board
 * @param {HTMLCanvasElement} canvas
 * @param {number} scene
 */
export function preview(board, canvas, scene) {
  const marks = marksOfScene(board, scene);
  const box = grown(extentOf(marks) ?? EMPTY, MARGIN);
  const scale = Math.min(canvas.width / sizeOf(box).x, canvas.height / sizeOf(box).y, 1);
  const corner = minus(centre(box), spot(canvas.width / 2 / scale, canvas.height / 2 / scale));
  draw(canvas, marks, corner, scale, board.stage.look);
}
