// What stands on the system clipboard: elements as the file of board-file.js, beside words for
// other programs; and what other programs put there.
import { nameOutside, STORABLE } from "../render/image-source.js";
import { h } from "./dom.js";
import { textOfPage } from "./page-text.js";
import { keep, kept, tried } from "./storage.js";

/** The file by itself: browsers that know it keep it as it is, between tabs and rooms. */
const OWN_TYPE = "application/vnd.boardroom+json";

/** The attribute of the HTML that carries the file where only usual types are kept. */
const ATTRIBUTE = "data-boardroom";

/** Letters of a file that is written or read, at most. */
export const MOST_LETTERS = 8 << 20;

/** Images of one paste, at most. */
export const MOST_IMAGES = 20;

/** Where the browser keeps the paths of the images that were copied last. */
const COPIED_IMAGES = "copiedImages";

/** Images of one copy whose paths are kept, at most. */
const MOST_PATHS = 1_000;

/** How a text begins that is a file of elements, our own or Excalidraw's. */
const FILE_START = /^\s*\{\s*"type"\s*:\s*"(boardroom|excalidraw)\b/;

/**
 * What was copied. `file`: elements, as text that nobody has checked yet; `isTooLarge`: there is
 * more than is read.
 * @typedef {{file?: string, images: Blob[], text: string, isTooLarge: boolean}} Copied
 */

/**
 * @param {string} file of elements
 * @param {string[]} words of them
 * @returns {Record<string, string>} by their types
 */
export function formsOf(file, words) {
  const lines = words.flatMap((text) => text.split("\n"));
  const carrier = h("div", { [ATTRIBUTE]: file });
  // One by one: very many lines are more than one call takes.
  for (const line of lines) {
    carrier.append(h("p", {}, line));
  }
  /** @type {Record<string, string>} */
  const forms = { [OWN_TYPE]: file, "text/html": new XMLSerializer().serializeToString(carrier) };
  if (words.length > 0) forms["text/plain"] = words.join("\n");
  return forms;
}

/**
 * @param {DataTransfer | null} given of an event
 * @returns {Copied}
 */
export function copiedBy(given) {
  const read = (/** @type {string} */ type) => given?.getData(type) ?? "";
  const files = [...(given?.files ?? [])];
  return copiedFrom(
    { own: read(OWN_TYPE), html: read("text/html"), plain: read("text/plain") },
    files,
  );
}

/**
 * Reads the clipboard without an event, which browsers allow only to pages of HTTPS, and may ask
 * for.
 * @returns {Promise<Copied>}
 * @throws if the browser refuses it
 */
export async function readClipboard() {
  const items = await navigator.clipboard.read();
  const [first] = items;
  const read = async (/** @type {string} */ type) =>
    first?.types.includes(type) ? (await first.getType(type)).text() : "";
  const images = items.flatMap((item) =>
    item.types.filter((type) => STORABLE.test(type)).map((type) => item.getType(type)),
  );
  const texts = { own: "", html: await read("text/html"), plain: await read("text/plain") };
  return copiedFrom(texts, await Promise.all(images));
}

/**
 * Of all forms of what was copied, the one that says most: elements, an image, words.
 * @param {{own: string, html: string, plain: string}} texts
 * @param {Blob[]} files
 * @returns {Copied}
 */
function copiedFrom({ own, html, plain }, files) {
  const isTooLarge = [own, html, plain].some((text) => text.length > 2 * MOST_LETTERS);
  // Only what is needed is parsed: the browser complains of each style in it, which nobody applies.
  const isNeeded = !own && !isTooLarge && (html.includes(ATTRIBUTE) || plain === "");
  const page = isNeeded ? new DOMParser().parseFromString(html, "text/html") : undefined;
  const carried = page?.querySelector(`[${ATTRIBUTE}]`)?.getAttribute(ATTRIBUTE);
  const file = own || carried || (FILE_START.test(plain) ? plain : "");
  const text = plain || (page ? textOfPage(page) : "");
  const images = files.filter(({ type }) => STORABLE.test(type));
  // Office programs give a picture of the words that were copied: the words are meant.
  const isPicture = html !== "" && plain.trim() !== "";
  return {
    ...(file ? { file } : {}),
    images: isPicture ? [] : images,
    text,
    isTooLarge: isTooLarge || file.length > MOST_LETTERS,
  };
}

/**
 * Puts forms on the clipboard without an event.
 * @param {Record<string, string | Blob | Promise<Blob>>} forms by their types; a form that is still
 *   made counts as the user's own wish, if it was begun by one
 * @returns {Promise<boolean>} whether the browser took them
 */
export function putOnClipboard(forms) {
  // Plain HTTP has neither of them.
  if (!navigator.clipboard?.write || !globalThis.ClipboardItem) return Promise.resolve(false);
  const known = Object.entries(forms).filter(([type]) => isKnown(type));
  const blobs = known.map(([type, form]) => [
    type,
    typeof form === "string" ? new Blob([form], { type }) : form,
  ]);
  if (blobs.length === 0) return Promise.resolve(false);
  return navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))]).then(
    () => true,
    () => false,
  );
}

/** @param {string} type */
const isKnown = (type) =>
  /** @type {any} */ (ClipboardItem).supports?.(type) ??
  ["text/plain", "text/html", "image/png"].includes(type);

/**
 * The paths of copied images name their room, so that they do not stand on the clipboard, which every
 * program reads. The pages of this browser find them here.
 * @param {string[]} sources of images
 */
export function keepCopiedImages(sources) {
  const named = sources.map((src) => [nameOutside(src), src]).filter(([name, src]) => name !== src);
  const paths = Object.fromEntries(named.slice(0, MOST_PATHS));
  keep(COPIED_IMAGES, JSON.stringify(paths));
}

/** @returns {Map<string, string>} where the images are that were copied last, by their names outside */
export function copiedImages() {
  const paths = tried(() => JSON.parse(kept(COPIED_IMAGES) ?? "{}")) ?? {};
  const pairs = Object.entries(paths).filter(([, path]) => typeof path === "string");
  return new Map(/** @type {any} */ (pairs));
}
