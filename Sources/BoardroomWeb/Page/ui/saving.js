// Saving a file, and copying to the clipboard.
import { h } from "./dom.js";

/** Ms after which the browser has begun to save a file. */
const SAVED_AFTER = 10_000;

/**
 * @param {Blob} file
 * @param {string} name
 */
export function download(file, name) {
  const href = URL.createObjectURL(file);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), SAVED_AFTER);
}

/**
 * Copies what stands in a field. Plain HTTP has no clipboard, and a browser may refuse: then the old way
 * is tried.
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @returns {Promise<boolean>} whether it is in the clipboard
 */
export async function copyText(field) {
  field.select();
  const copying = navigator.clipboard?.writeText(field.value);
  const isCopied = await copying?.then(
    () => true,
    () => false,
  );
  return isCopied || document.execCommand("copy");
}
