// Pictures of scenes: exports at any size, on white paper whatever the theme, and previews, which look like the board.

import { background, isDrawn, marksOf } from "../core/display.js";
import { extent, extentOf } from "../core/display.js";
import { grown, touches } from "../core/geom.js";
import { PAPER } from "../core/colours.js";
import { paint } from "../core/paint.js";

/** @typedef {import("../core/geom.js").Box} Box */
/** @typedef {import("../core/display.js").Mark} Mark */

/** As docs/DRAWING.md has it, in pixels: free space around, the picture of an empty scene, the longest side. */
const MARGIN = 16;
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };
const LONGEST = 8192;

// All marks of a scene, in order.
/** @param {import("./board.js").Board} board @param {number} scene */
function marksOfScene(board, scene) {
  const page = background(board.feed.source.ppt?.(scene));
  const marks = [...board.source.elements(scene)].filter(isDrawn).flatMap((element) => board.stage.marks.get(element) ?? marksOf(element));
  return page ? [page, ...marks] : marks;
}

/** @param {CanvasRenderingContext2D} ctx @param {Mark[]} marks @param {Box} box @param {number} scale @param {import("../core/paint.js").Look} look */
function draw(ctx, marks, box, scale, look) {
  const { width, height } = ctx.canvas;
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = PAPER[look.theme];
  ctx.fillRect(0, 0, width, height);
  ctx.setTransform(scale, 0, 0, scale, -box.left * scale, -box.top * scale);
  paint(ctx, marks.filter((mark) => touches(extent(mark) ?? EMPTY, box)), look);
}

/** @param {import("./board.js").Board} board @param {Box} [asked] @param {number} [asks] @returns {Promise<Blob>} */
export async function picture(board, asked, asks = 2) {
  const marks = marksOfScene(board, board.scene);
  const all = extentOf(marks);
  const box = asked ?? (all ? grown(all, MARGIN) : EMPTY);
  const longest = Math.max(box.right - box.left, box.bottom - box.top, 1);
  const scale = Math.min(asks, LONGEST / longest);
  await board.stage.images.all(marks.flatMap((mark) => (mark.op === "image" ? [mark.src] : [])));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round((box.right - box.left) * scale), 1);
  canvas.height = Math.max(Math.round((box.bottom - box.top) * scale), 1);
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  draw(ctx, marks, box, scale, { theme: "light", image: board.stage.look.image });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large for this browser: ask for less of it."))));
  });
}

/** @param {import("./board.js").Board} board @param {HTMLCanvasElement} canvas @param {number} scene */
export function preview(board, canvas, scene) {
  const marks = marksOfScene(board, scene);
  const all = grown(extentOf(marks) ?? EMPTY, MARGIN);
  const { width, height } = canvas;
  const scale = Math.min(width / (all.right - all.left), height / (all.bottom - all.top), 1);
  const [x, y] = [(all.left + all.right) / 2, (all.top + all.bottom) / 2];
  const box = { left: x - width / 2 / scale, top: y - height / 2 / scale, right: x + width / 2 / scale, bottom: y + height / 2 / scale };
  const ctx = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  draw(ctx, marks, box, scale, board.stage.look);
}
