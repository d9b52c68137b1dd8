// Addresses of images: which ones are drawn, and where their bytes are. An image that this server
// stores has a path without a host (`/v5/rooms/ROOM/images/NAME`), so that it is there under every
// name by which the server is reached.

const STORED = /^\/v5\/rooms\/([0-9a-f]{32})\/images\/[0-9a-f]{64}\.(?:png|jpg|webp|gif)$/;

/** Types of the images that a server stores. */
export const STORABLE = /^image\/(png|jpeg|webp|gif)$/;

/** Letters of an image's name that are shown, at most. */
const NAME_LENGTH = 40;

/**
 * Where the page's own images are.
 * @typedef {{origin: string, room: string}} ImageHome
 */

/**
 * An address that images may have; undefined for any other: whoever opens a picture must not run
 * code or tell anybody.
 * @param {string | undefined} text
 */
export function imageSource(text) {
  if (!text || /[\p{C}\p{Z}"<>`\\]/u.test(text)) return undefined;
  const isEmbedded = /^data:image\/(png|jpeg);base64,[A-Za-z0-9+/=]+$/.test(text);
  const isAddress = /^https?:\/\/[^/?#.:@]/i.test(text);
  return isEmbedded || isAddress || STORED.test(text) ? text : undefined;
}

/**
 * @param {string} src
 * @param {ImageHome} home
 * @returns {string | undefined} the path of an image that this server stores. Older elements have
 *   an address with the host under which the server was reached then: if it names this room's
 *   images, it is this server's.
 */
export function storedPath(src, { origin, room }) {
  const [, host = "", path = src] = /^(https?:\/\/[^/]+)(\/.*)$/i.exec(src) ?? [];
  const [, owner] = STORED.exec(path) ?? [];
  const isOurs = host === "" || host === origin || owner === room;
  return owner !== undefined && isOurs ? path : undefined;
}

/**
 * What an image that a server stores is called outside of its room: its path names the room, and by a
 * room's uuid one enters it on an open server.
 * @param {string} src
 * @returns {string} `file:` with the name under which it is stored; any other address as it is
 */
export function nameOutside(src) {
  const [, path = src] = /^https?:\/\/[^/]+(\/.*)$/i.exec(src) ?? [];
  return STORED.test(path) ? `file:${path.slice(path.lastIndexOf("/") + 1)}` : src;
}

/**
 * @param {string} src as `nameOutside` has it
 * @param {string} room
 * @returns {string | undefined} the path of the image of this name in a room
 */
export function pathInside(src, room) {
  const path = `/v5/rooms/${room}/images/${src.slice("file:".length)}`;
  return src.startsWith("file:") && STORED.test(path) ? path : undefined;
}

/**
 * @param {string} src
 * @param {ImageHome} home
 * @returns {string} where the image is asked for
 */
export function addressOf(src, home) {
  const path = storedPath(src, home);
  return path === undefined ? src : home.origin + path;
}

/**
 * @param {string} src
 * @returns {string} what a person may call it
 */
export function nameOfImage(src) {
  if (src.startsWith("data:")) return src.slice(5, src.indexOf(";"));
  const [, host = "", path = ""] = /^(?:https?:\/\/)?([^/]*)([^?#]*)/i.exec(src) ?? [];
  return (path.split("/").at(-1) || host).slice(0, NAME_LENGTH);
}
