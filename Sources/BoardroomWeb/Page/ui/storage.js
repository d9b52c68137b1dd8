// What the browser stores for the page, and the address that it shows. Storage can be forbidden,
// for example in a frame; then nothing is stored, and the page goes on.

/**
 * @template T
 * @param {() => T} use
 * @returns {T | null} null: the browser does not allow it
 */
export function tried(use) {
  try {
    return use();
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {Storage} [storage] that of all tabs, if none is named
 */
export const kept = (key, storage) =>
  tried(() => (storage ?? localStorage).getItem(`boardroom.${key}`));

/**
 * @param {string} key
 * @param {string} value
 * @param {Storage} [storage]
 */
export const keep = (key, value, storage) =>
  tried(() => (storage ?? localStorage).setItem(`boardroom.${key}`, value));

/**
 * @param {string} key
 * @param {Storage} storage
 */
export const forget = (key, storage) => tried(() => storage.removeItem(`boardroom.${key}`));

/** @param {string} path that the address bar shows from here on */
export const showAddress = (path) => history.replaceState(null, "", path);

/** @param {number} bytes; works on plain HTTP too, where `crypto.randomUUID` is missing */
export const randomHex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
