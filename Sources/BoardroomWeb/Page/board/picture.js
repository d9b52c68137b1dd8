// Pictures of scenes: exports of any size, with the light theme; previews with the theme of the
// board.
import { PAPER } from "../render/colours.js";
import { background, extent, extentOf, isDrawn, marksOf } from "../render/display.js";
import { boxOfElement } from "../render/element-index.js";
import { inkFor } from "../render/far.js";
import { centre, grown, minus, sizeOf, spot, touches, union } from "../render/geom.js";
import { paint } from "../render/paint.js";

/** Pixels around what is drawn (docs/DRAWING.md). */
const MARGIN = 16;

/** The longest side, in pixels of the picture. */
const LONGEST = 8192;

/** Ms of drawing a small picture, and of rest after them. */
const SLICE = 6;
const PAUSE = 24;

/** Elements that are drawn before somebody looks at the clock. */
const PART = 32;

/** Pixels of a small picture: points of strokes that are nearer to each other are left out. */
const COARSE = 0.5;

/** The picture of an empty scene. */
const EMPTY = { left: 0, top: 0, right: 320, bottom: 240 };

/**
 * @param {Board} board
 * @param {number} scene
 * @returns {Mark[]}
 */
function marksOfScene({ stage, sceneContent }, scene) {
  const { source } = sceneContent;
  const elements = [...source.elements(scene)].filter(isDrawn);
  const marks = elements.flatMap((element) => stage.marks.get(element) ?? marksOf(element));
  return [background(source.ppt?.(scene)) ?? [], marks].flat();
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Spot} corner of the scene, in the canvas's upper left one
 * @param {number} scale
 * @param {Look} look
 * @returns {Ink} with nothing but paper on it
 */
function begun(canvas, { x, y }, scale, look) {
  const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.fillStyle = PAPER[look.theme];
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  return inkFor(ctx, { scale, x: -x * scale, y: -y * scale });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Mark[]} marks
 * @param {Spot} corner of the scene, in the canvas's upper left one
 * @param {number} scale
 * @param {Look} look
 */
function draw(canvas, marks, { x, y }, scale, look) {
  const ink = begun(canvas, { x, y }, scale, look);
  const right = x + canvas.width / scale;
  const bottom = y + canvas.height / scale;
  const seen = { left: x, top: y, right, bottom };
  const inSight = marks.filter((mark) => touches(extent(mark) ?? EMPTY, seen));
  paint(ink, inSight, look);
}

/**
 * @param {Board} board
 * @param {Box} [asked]
 * @param {number} [asks]
 * @param {Mark[]} [given] what is drawn, with images that are loaded; else all of the scene
 * @returns {Promise<Blob>}
 */
export async function picture(board, asked, asks = 2, given = undefined) {
  const marks = given ?? marksOfScene(board, board.scene);
  const box = asked ?? grown(extentOf(marks) ?? grown(EMPTY, -MARGIN), MARGIN);
  const { x, y } = sizeOf(box);
  const scale = Math.min(asks, LONGEST / Math.max(x, y, 1));
  const missing = given ? [] : marks;
  await Promise.all(missing.map((mark) => mark.op === "image" && board.stage.load(mark.src)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(x * scale), 1);
  canvas.height = Math.max(Math.round(y * scale), 1);
  draw(canvas, marks, spot(box.left, box.top), scale, { ...board.stage.look, theme: "light" });
  return fileOf(canvas);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<Blob>} a PNG
 */
const fileOf = (canvas) =>
  new Promise((resolve, reject) => {
    canvas.toBlob((file) => {
      if (file) return resolve(file);
      const what = "The picture is too large for this browser";
      reject(new Error(`${what}: ask for less of the scene.`));
    });
  });

/**
 * A small picture of a scene. Very many elements are drawn bit by bit, while hands go on, and shown
 * when all of them are there.
 * @param {Board} board
 * @param {HTMLCanvasElement} canvas
 * @param {number} scene
 */
export function preview(board, canvas, scene) {
  const steps = previewSteps(board, canvas, scene);
  previewed.set(canvas, steps);
  const { clock } = board;
  const go = () => {
    if (previewed.get(canvas) !== steps) return;
    const end = clock.now() + SLICE;
    while (clock.now() < end) {
      if (steps.next().done) return;
    }
    clock.after(PAUSE, go);
  };
  go();
}

/** @type {WeakMap<HTMLCanvasElement, Generator>} the last picture that was begun on a canvas */
const previewed = new WeakMap();

/**
 * @param {Board} board
 * @param {HTMLCanvasElement} canvas
 * @param {number} scene
 */
function* previewSteps(board, canvas, scene) {
  const { source, stage } = board;
  const paper = background(source.ppt?.(scene));
  const elements = [...source.elements(scene)].filter(isDrawn);
  /** @type {Box[]} */
  const boxes = [];
  for (const part of parts(elements)) {
    // The index has the boxes of the page that is shown.
    const known = (/** @type {Thing} */ one) =>
      scene === board.scene ? board.box(one.id) : undefined;
    boxes.push(...part.map((one) => known(one) ?? boxOfElement(one)));
    yield;
  }
  const around = [...boxes, paper && extent(paper)].reduce(union, undefined);
  const box = grown(around ?? EMPTY, MARGIN);
  const scale = Math.min(canvas.width / sizeOf(box).x, canvas.height / sizeOf(box).y, 1);
  const { width, height } = canvas;
  const corner = minus(centre(box), spot(width / 2 / scale, height / 2 / scale));
  const copy = document.createElement("canvas");
  Object.assign(copy, { width, height });
  const ctx = begun(copy, corner, scale, stage.look);
  if (paper) paint(ctx, [paper], stage.look);
  const closest = COARSE / scale;
  for (const part of parts(elements)) {
    const marks = part.map((one) => stage.marks.get(one) ?? marksOf(one, closest));
    paint(ctx, marks.flat(), stage.look);
    yield;
  }
  const shown = /** @type {Ink} */ (canvas.getContext("2d"));
  shown.setTransform(1, 0, 0, 1, 0, 0);
  shown.drawImage(copy, 0, 0);
}

/**
 * @template Item
 * @param {Item[]} items
 * @returns {Generator<Item[]>} so many that they take about a millisecond
 */
function* parts(items) {
  for (let at = 0; at < items.length; at += PART) {
    yield items.slice(at, at + PART);
  }
}
