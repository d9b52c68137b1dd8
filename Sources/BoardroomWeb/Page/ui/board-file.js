// The file of elements that this page writes and opens, also as text in the clipboard: JSON,
//
//     {"type": "boardroom", "version": 1, "room": uuid,
//      "elements": [{"id", "shape": body of an elementPut, or "stroke", optional "set": attributes}],
//      "images": {source: "data:image/png;base64,…"}}
//
// Elements stand in the order of drawing. A shape has neither `id`, `scene` nor `set`. A stroke is
// {"begin": {"unit", "tool", "colour", "opacity", "width"}, "segments": [{"dx", "dy", "dt",
// optional "dp"}]}, as docs/PROTOCOL.md has them.

/** What the file says that it is. */
export const FILE_TYPE = "boardroom";

export const FILE_VERSION = 1;

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
 * @param {string} room
 * @returns {string}
 */
export function fileText(items, images, room) {
  const elements = items.map((item) => JSON.stringify(item)).join(",\n");
  const said = { type: FILE_TYPE, version: FILE_VERSION, room };
  const opening = JSON.stringify({ ...said, images: Object.fromEntries(images) });
  return `${opening.slice(0, -1)},"elements":[\n${elements}\n]}\n`;
}
