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
 * Where something is kept: for all tabs of the browser, or for this one.
 * @typedef {"browser" | "tab"} Where
 */

/**
 * @param {Where} where
 * @throws {DOMException} the browser does not even let it be named
 */
const storageOf = (where) => (where === "tab" ? sessionStorage : localStorage);

/**
 * @param {string} key
 * @param {Where} [where]
 */
export const kept = (key, where = "browser") =>
  tried(() => storageOf(where).getItem(`boardroom.${key}`));

/**
 * @param {string} key
 * @param {string} value
 * @param {Where} [where]
 * @returns {boolean} whether it is kept now
 */
export const keep = (key, value, where = "browser") =>
  tried(() => {
    storageOf(where).setItem(`boardroom.${key}`, value);
    return true;
  }) ?? false;

/**
 * @param {string} key
 * @param {Where} where
 */
export const forget = (key, where) => tried(() => storageOf(where).removeItem(`boardroom.${key}`));

/** @param {string} path that the address bar shows from here on */
export const showAddress = (path) => history.replaceState(null, "", path);

/** @param {number} bytes; works on plain HTTP too, where `crypto.randomUUID` is missing */
export const randomHex = (bytes) =>
  [...crypto.getRandomValues(new Uint8Array(bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
