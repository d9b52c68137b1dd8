// How a page begins: what an address says, and what the browser keeps. Storage can be forbidden, for example
// in a frame; then nothing is kept, and the page goes on.
/** @template T @param {() => T} use @returns {T | null} */
function tried(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
/** @param {string} key @param {Storage} [storage] */
export const kept = (key, storage) => tried(() => (storage ?? localStorage).getItem(`boardroom.${key}`));
/** @param {string} key @param {string} value @param {Storage} [storage] */
export const keep = (key, value, storage) =>
  tried(() => (storage ?? localStorage).setItem(`boardroom.${key}`, value));
/** @param {string} key @param {Storage} storage */
export const forget = (key, storage) => tried(() => storage.removeItem(`boardroom.${key}`));
/** @param {string} path that the address bar shows from here on */
export const place = (path) => history.replaceState(null, "", path);
/** @param {number} bytes; works on plain HTTP too, where `crypto.randomUUID` is missing */
export const randomHex = (bytes) => [...crypto.getRandomValues(new Uint8Array(bytes))]
  .map((byte) => byte.toString(16).padStart(2, "0")).join("");
/** @param {string} address `/r/ROOM#TOKEN`, or a room's bare name @param {string} origin; "": it has none */
export function takeStart(address, origin) {
  if (/^[0-9a-f]{32}$/.test(address)) return { room: address, token: "", isRoomPage: true };
  const { pathname = "", hash = "" } = tried(() => new URL(address, origin)) ?? {};
  const [, room = ""] = /^\/r\/([0-9a-f]{32})\/?$/.exec(pathname) ?? [];
  const [token = ""] = /^NETLESS(ROOM|SDK)_[\w-]+$/.exec(hash.slice(1)) ?? [];
  return { room, token, isRoomPage: pathname.startsWith("/r/") };
}
