// The file of elements that this page writes and opens, also as text in the clipboard: JSON,
//
//     {"type": "boardroom", "version": 1, "room": mark (in the clipboard),
//      "elements": [{"id", "shape": body of an elementPut, or "stroke", optional "set": attributes}],
//      "images": {source: "data:image/png;base64,…"}}
//
// Elements stand in the order of drawing. A shape has neither `id`, `scene` nor `set`. A stroke is
// {"begin": {"unit", "tool", "colour", "opacity", "width"}, "segments": [{"dx", "dy", "dt",
// optional "dp"}]}, as docs/PROTOCOL.md has them.
import { ElementFields } from "../render/fields.js";
import { nameOutside } from "../render/image-source.js";

/** What the file says that it is. */
export const FILE_TYPE = "boardroom";

export const FILE_VERSION = 1;

/** Hexadecimal digits of a mark, at most: far fewer than the 32 of a uuid. */
const MARK_LENGTH = 12;

/**
 * What is copied says of its room only this: by a uuid one enters a room of an open server. A mark has too
 * few bits for anybody to compute the uuid from it. (FNV-1a; `crypto.subtle` needs HTTPS.)
 * @param {string} room its uuid
 * @returns {string} the same of the same room
 */
export function roomMark(room) {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(room)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0").slice(0, MARK_LENGTH);
}

/**
 * An element outside of a room.
 * @typedef {object} Item
 * @property {string} id in the file
 * @property {Record<string, any>} [shape]
 * @property {Stroke} [stroke]
 * @property {Record<string, any>} [set]
 *
 * @typedef {{ items: Item[], images: Record<string, string> }} ItemFile `images`: `data:` addresses
 *   by the sources that the items have
 */

/**
 * @param {Thing} element
 * @returns {Item}
 */
export function itemOf({ id, stroke, shape, set }) {
  const more = set && Object.keys(set).length > 0 ? { set } : {};
  if (!stroke) {
    const { id: _id, scene: _scene, set: _set, ...own } = shape ?? {};
    return { id, shape: own, ...more };
  }
  const { unit, tool, colour, opacity, width } = stroke.begin;
  const begin = /** @type {any} */ ({ unit, tool, colour, opacity, width });
  const segments = stroke.segments.map((segment) => (segment.read ? segment.read() : segment));
  return { id, stroke: { begin, ended: true, segments }, ...more };
}

/**
 * @param {Item[]} items
 * @param {Map<string, string>} images
 * @param {string} [room] its mark
 * @returns {string}
 */
export function fileText(items, images, room = undefined) {
  const elements = items.map((item) => JSON.stringify(item)).join(",\n");
  const said = { type: FILE_TYPE, version: FILE_VERSION, room };
  const opening = JSON.stringify({ ...said, images: Object.fromEntries(images) });
  return `${opening.slice(0, -1)},"elements":[\n${elements}\n]}\n`;
}

/** @param {Item} item @returns {string | undefined} where its image is */
export const sourceOf = ({ shape, set }) =>
  shape?.type === "image" ? new ElementFields({ shape, set }).text("src") : undefined;

/**
 * @param {Item} item
 * @param {string | undefined} src
 * @returns {Item} with another image, or with none
 */
export function withSource(item, src) {
  const { src: _shown, ...shape } = item.shape ?? {};
  const { src: _set, ...set } = item.set ?? {};
  return { ...item, shape: src === undefined ? shape : { ...shape, src }, set };
}

/**
 * @param {Thing} element
 * @returns {Item} as it is outside of its room: no image of it names that room
 */
export function outsideItem(element) {
  const item = itemOf(element);
  const src = sourceOf(item);
  return src === undefined ? item : withSource(item, nameOutside(src));
}
