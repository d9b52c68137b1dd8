// Elements as files: PNG from the canvas, SVG from the same display list, JSON that this page opens
// again. Images are in the files. Nobody but the own server is asked for one: an image of another
// host is in the file if the board has shown it.
import { background, extentOf, isDrawn, marksOf, missingImage } from "../render/display.js";
import {
  addressOf,
  nameOfImage,
  nameOutside,
  STORABLE,
  storedPath,
} from "../render/image-source.js";
import { frameOf, sceneSVG } from "../render/svg.js";
import { fileText, outsideItem } from "./board-file.js";

/** The longer side of a PNG, at most, in pixels: what every browser can hold. */
const LARGEST = 8192;

/** Pixels of a PNG for one of the scene, if there is room. */
const FINENESS = 2;

/** Bytes of all images in an SVG or JSON, at most. */
const EMBEDDED_BYTES = 32 << 20;

/** Images that are asked for at the same time. */
const AT_ONCE = 6;

/** Ms that an image may take. */
const PATIENCE = 30_000;

/**
 * What an export needs of a board.
 * @typedef {object} Shown
 * @property {import("../render/image-source.js").ImageHome} images
 * @property {{marks: WeakMap<Thing, Mark[]>, images: Map<string, HTMLImageElement | undefined>,
 *   load(src: string): Promise<void>}} stage
 * @property {Source} source
 * @property {Clock} clock
 * @property {(box: Box, scale: number, marks: Mark[]) => Promise<Blob>} picture
 *
 * What is not in a file: the names of images that could not be had, and of those that were too much.
 * `limit`: bytes of all images in a file, at most.
 * @typedef {{ gone: string[], tooLarge: string[], limit?: number }} Missing
 */

/**
 * @param {Shown} board
 * @param {Thing[]} elements
 * @returns {Promise<{text: string, missing: Missing}>} the file that is opened again
 */
async function jsonOfElements(board, elements) {
  const shown = elements.filter(isDrawn);
  const { images, missing } = await imageData(board, marksOfAll(board, shown));
  const named = new Map([...images].map(([src, data]) => [nameOutside(src), data]));
  return { text: fileText(shown.map(outsideItem), named), missing };
}

/**
 * @param {Shown} board
 * @param {string} format png, svg or json
 * @param {Thing[]} [elements] else all of the page, with the picture under it
 * @returns {Promise<{file: Blob, missing: Missing}>}
 */
export async function exported(board, format, elements = undefined) {
  const { source } = board;
  const all = elements ?? [...source.elements(source.scene)];
  if (format === "json") {
    const { text, missing } = await jsonOfElements(board, all);
    return { file: new Blob([text], { type: "application/json" }), missing };
  }
  const paper = elements ? undefined : background(source.ppt?.(source.scene));
  const marks = [...(paper ? [paper] : []), ...marksOfAll(board, all)];
  if (format === "png") return pngOfMarks(board, marks);
  const { text, missing } = await svgOfMarks(board, marks);
  return { file: new Blob([text], { type: "image/svg+xml" }), missing };
}

/**
 * @param {Shown} board
 * @param {Thing[]} elements
 * @returns {Mark[]}
 */
const marksOfAll = ({ stage }, elements) =>
  elements.filter(isDrawn).flatMap((element) => stage.marks.get(element) ?? marksOf(element));

/**
 * @param {Shown} board
 * @param {Mark[]} marks
 */
async function svgOfMarks(board, marks) {
  const { images, missing } = await imageData(board, marks);
  const drawn = withNames(marks, (src) => images.has(src));
  return { text: sceneSVG(drawn, extentOf(drawn), images), missing };
}

/**
 * @param {Shown} board
 * @param {Mark[]} marks
 */
async function pngOfMarks(board, marks) {
  const { stage } = board;
  const sources = sourcesOf(marks);
  await Promise.all(sources.map((src) => isOwn(board, src) && stage.load(src)));
  const drawn = withNames(marks, (src) => stage.images.get(src) !== undefined);
  const frame = frameOf(extentOf(drawn));
  const longer = Math.max(frame.right - frame.left, frame.bottom - frame.top);
  const file = await board.picture(frame, Math.min(FINENESS, LARGEST / longer), drawn);
  const gone = sources.filter((src) => !stage.images.get(src)).map(nameOfImage);
  return { file, missing: { gone, tooLarge: [] } };
}

/**
 * @param {Mark[]} marks
 * @returns {string[]} each once
 */
function sourcesOf(marks) {
  const sources = marks.flatMap((mark) => (mark.op === "image" ? mark.src : []));
  return [...new Set(sources)];
}

/**
 * @param {Mark[]} marks
 * @param {(src: string) => boolean} isThere
 * @returns {Mark[]} with a named frame for each image that is not there
 */
const withNames = (marks, isThere) =>
  marks.flatMap((mark) =>
    mark.op === "image" && !isThere(mark.src) ? missingImage(mark, nameOfImage(mark.src)) : mark,
  );

/**
 * @param {Shown} board
 * @param {string} src
 */
const isOwn = ({ images }, src) => src.startsWith("data:") || storedPath(src, images) !== undefined;

/**
 * @param {Shown} board
 * @param {Mark[]} marks
 * @returns {Promise<{images: Map<string, string>, missing: Missing}>} `images`: `data:` addresses by
 *   source
 */
async function imageData(board, marks) {
  /** @type {Map<string, string>} */
  const images = new Map();
  /** @type {Missing} */
  const missing = { gone: [], tooLarge: [], limit: EMBEDDED_BYTES };
  const sources = sourcesOf(marks);
  let room = EMBEDDED_BYTES;
  while (sources.length > 0) {
    const some = sources.splice(0, AT_ONCE);
    const read = await Promise.all(some.map((src) => dataOf(board, src)));
    for (const [at, src] of some.entries()) {
      const data = read[at];
      const size = ((data?.length ?? 0) * 3) / 4;
      if (data === undefined) missing.gone.push(nameOfImage(src));
      else if (size > room) missing.tooLarge.push(nameOfImage(src));
      else images.set(src, data);
      if (images.has(src)) room -= size;
    }
  }
  return { images, missing };
}

/**
 * @param {Shown} board
 * @param {string} src
 * @returns {Promise<string | undefined>} a `data:` address; undefined: it cannot be had
 */
export async function dataOf(board, src) {
  if (src.startsWith("data:")) return src;
  if (!isOwn(board, src)) return drawnAgain(board.stage.images.get(src));
  const abort = new AbortController();
  const stop = board.clock.after(PATIENCE, () => abort.abort());
  const { signal } = abort;
  try {
    const answer = await fetch(addressOf(src, board.images), { credentials: "omit", signal });
    const file = await answer.blob();
    return answer.ok && STORABLE.test(file.type) ? dataAddress(file) : undefined;
  } catch {
    return undefined;
  } finally {
    stop();
  }
}

/**
 * @param {HTMLImageElement | undefined} image that the board has shown
 * @returns {string | undefined}
 */
export function drawnAgain(image) {
  if (!image) return undefined;
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  canvas.getContext("2d")?.drawImage(image, 0, 0);
  const data = canvas.toDataURL("image/png");
  return data.startsWith("data:image/png") ? data : undefined;
}

/**
 * @param {Blob} file
 * @returns {Promise<string>}
 */
const dataAddress = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
