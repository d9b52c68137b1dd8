// A clip as a WebM, where the browser can record a canvas: it is played once, and recorded meanwhile.
import { extent, marksOf } from "../render/display.js";
import { sizeOf } from "../render/geom.js";
import { paint } from "../render/paint.js";
import { frameOf } from "../render/svg.js";
import { LAST } from "./clip.js";

/** The longer side of a recording, in pixels. */
const LONGEST = 1280;

const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

/** @returns {string | undefined} the type that this browser records; undefined: it cannot */
export function recordedType() {
  if (!("MediaRecorder" in globalThis)) return undefined;
  if (!("captureStream" in HTMLCanvasElement.prototype)) return undefined;
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type));
}

/**
 * @param {import("./clip.js").Clip} clip
 * @param {Board} board has the pictures
 * @param {(part: number) => boolean} goesOn
 * @returns {Promise<Blob | undefined>} undefined: it is not wanted any more
 */
export async function recordClip(clip, board, goesOn) {
  const type = recordedType();
  if (!type) return undefined;
  const drawn = clip.seen.map((seen) => ({ ...seen, marks: marksOf(seen.element) }));
  const marks = drawn.flatMap((one) => one.marks);
  await Promise.all(marks.map((mark) => mark.op === "image" && board.stage.load(mark.src)));
  const canvas = document.createElement("canvas");
  const frame = frameOf(clip.box);
  const size = sizeOf(frame);
  const scale = Math.min(LONGEST / Math.max(size.x, size.y), 2);
  // Codecs want even sides.
  canvas.width = Math.max(2 * Math.round((size.x * scale) / 2), 2);
  canvas.height = Math.max(2 * Math.round((size.y * scale) / 2), 2);
  const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
  /** @type {Look} */
  const look = { ...board.stage.look, theme: "light" };
  const draw = (/** @type {number} */ at) => {
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.globalAlpha = 1;
    ctx.fillStyle = "#ffffff";
    ctx.fillRect(0, 0, canvas.width, canvas.height);
    ctx.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale);
    const now = drawn.filter(({ from, to }) => from <= at && at < to);
    paint(
      ctx,
      now.flatMap((one) => one.marks.filter((mark) => extent(mark))),
      look,
    );
  };
  return record(canvas, type, clip, board.clock, draw, goesOn);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {string} type
 * @param {import("./clip.js").Clip} clip
 * @param {Clock} clock
 * @param {(frame: number) => void} draw
 * @param {(part: number) => boolean} goesOn
 * @returns {Promise<Blob | undefined>}
 */
async function record(canvas, type, { frames, step }, clock, draw, goesOn) {
  draw(0);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type });
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  const stopped = new Promise((done) => {
    recorder.onstop = () => done(undefined);
  });
  const wait = (/** @type {number} */ ms) =>
    new Promise((done) => clock.after(ms, () => done(undefined)));
  recorder.start();
  let isWanted = true;
  for (let frame = 0; frame < frames && isWanted; frame++) {
    draw(frame);
    await wait(frame === frames - 1 ? LAST : step);
    isWanted = goesOn((frame + 1) / frames);
  }
  recorder.stop();
  await stopped;
  return isWanted ? new Blob(parts, { type: "video/webm" }) : undefined;
}
