// How a page begins: what an address says, and what the browser keeps. Storage can be forbidden, for example
// in a frame; then nothing is kept, and the page goes on.

const PREFIX = "boardroom.";

/** @param {string} key @param {Storage} [storage] @returns {string | null} */
export function kept(key, storage = localStorage) {
  try {
    return storage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string} value @param {Storage} [storage] */
export function keep(key, value, storage = localStorage) {
  try {
    storage.setItem(PREFIX + key, value);
  } catch {
    // Nothing is kept; see above.
  }
}

/** @param {string} key @param {Storage} [storage] */
export function forget(key, storage = localStorage) {
  try {
    storage.removeItem(PREFIX + key);
  } catch {
    // Nothing was kept.
  }
}

/**
 * The room and the token of an address `/r/ROOM#TOKEN`, or of a room's bare name.
 * @param {string} address @param {string} origin
 * @returns {{room: string, token: string, isRoomPage: boolean}} room: empty if it names none
 */
export function takeStart(address, origin) {
  if (/^[0-9a-f]{32}$/.test(address)) return { room: address, token: "", isRoomPage: true };
  /** @type {URL} */
  let url;
  try {
    url = new URL(address, origin);
  } catch {
    return { room: "", token: "", isRoomPage: false };
  }
  const [, room] = /^\/r\/([0-9a-f]{32})\/?$/.exec(url.pathname) ?? [];
  const [token] = /^NETLESS(ROOM|SDK)_[\w-]+$/.exec(url.hash.slice(1)) ?? [];
  return { room: room ?? "", token: token ?? "", isRoomPage: url.pathname.startsWith("/r/") };
}

/** The address bar says where we are; a token never stays in it. */
/** @param {string} path */
export const place = (path) => history.replaceState(null, "", path);

/** Works on plain HTTP too, where `crypto.randomUUID` is missing. */
/** @param {number} bytes */
export const randomHex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
