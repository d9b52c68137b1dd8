// Exports of the board: PNG from the canvas, SVG from the same display list, JSON from the server.
import { frameOf, sceneSVG } from "../render/svg.js";

/** The longer side of a PNG, at most, in pixels: what every browser can hold. */
const LARGEST = 8192;

/** Pixels of a PNG for one of the scene, if there is room. */
const FINENESS = 2;

/**
 * What an export needs: the board, its elements, and a connection to the server.
 * @typedef {object} Shown
 * @property {{content(): Box | undefined, picture(box: Box, scale: number): Promise<Blob>}} board
 * @property {Source} source
 * @property {import("../protocol/rest.js").Rest} rest
 * @property {string} room
 */

/**
 * @param {Shown} shown
 * @param {string} format png, svg or json
 * @returns {Promise<Blob>} a file of the current page
 */
export async function exported({ board, source, rest, room }, format) {
  if (format === "json") {
    const state = await rest.request("GET", `/v5/rooms/${room}/state`);
    return new Blob([JSON.stringify(state)], { type: "application/json" });
  }
  const content = board.content();
  if (format === "svg") {
    const picture = sceneSVG(source.elements(source.scene), content);
    return new Blob([picture], { type: "image/svg+xml" });
  }
  const frame = frameOf(content);
  const longer = Math.max(frame.right - frame.left, frame.bottom - frame.top);
  return board.picture(frame, Math.min(FINENESS, LARGEST / longer));
}
