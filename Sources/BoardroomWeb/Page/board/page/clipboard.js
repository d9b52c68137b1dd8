// Copy, cut and paste. The events of the browser are the one way, so that what was copied last,
// wherever it was, is what is pasted. Menus, which have no such event, use the clipboard of the
// browser, which HTTPS has and the browser may ask for.
import { boxOfElement } from "../../render/element-index.js";
import { ElementFields, items } from "../../render/fields.js";
import { centre, distance, minus, touches, union } from "../../render/geom.js";
import { nameOutside } from "../../render/image-source.js";
import { FILE_TYPE, FILE_VERSION, fileText, outsideItem, roomMark } from "../../ui/board-file.js";
import {
  copiedBy,
  formsOf,
  keepCopiedImages,
  MOST_IMAGES,
  MOST_LETTERS,
  putOnClipboard,
  readClipboard,
} from "../../ui/clipboard-data.js";
import { drawnAgain, exported } from "../../ui/export.js";
import { focused } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { putText, wordsOf } from "../words.js";
import { whyReading } from "./bars.js";
import { inReadingOrder } from "./element-list.js";
import { Part } from "./part.js";

/** Pixels of the screen by which what is pasted again at the same place is moved aside. */
const ASIDE = 24;

/** Elements that are copied as they are, at most; of more their ids are copied. */
const MOST_CARRIED = 5_000;

/** Letters of all images on the clipboard, at most: in other browsers those beyond are missing. */
const MOST_IMAGE_LETTERS = 4 << 20;

/** Characters of a text that is pasted, at most: more than any element holds. */
const MOST_WORDS = 200_000;

/**
 * How it is pasted: where on the screen, if not at the pointer; or where it was copied.
 * @typedef {{at?: Spot, isInPlace?: boolean}} Paste
 */

/** Fields in which one writes: there the browser copies and pastes by itself. */
const WRITING = "textarea, select, [contenteditable], dialog, input";

/** Fields in which nobody writes. */
const NO_WRITING = "[type=range], [type=color], [type=checkbox]";

export class Clipboard extends Part {
  /** @type {Spot | undefined} where the pointer is over the board, in pixels of the screen */
  #pointer = undefined;

  /** Shift is held with the key that pastes. */
  #isInPlace = false;

  /** Where was pasted last, and how often. */
  #last = { what: "", at: { x: NaN, y: NaN }, times: 0 };

  /** Whether an event has taken what was to be copied. */
  #isTaken = false;

  /** @param {App} app */
  constructor(app) {
    super(app);
    const { signal } = app.abort;
    document.addEventListener("copy", (event) => this.#onCopy(event), { signal });
    document.addEventListener("cut", (event) => this.#onCopy(event, true), { signal });
    document.addEventListener("paste", (event) => this.#onPaste(event), { signal });
    document.addEventListener("keydown", (event) => this.#onKey(event), { signal, capture: true });
    document.addEventListener("mouseup", (event) => this.#keepMarked(event), { signal });
    app.paper.addEventListener("pointermove", ({ clientX, clientY }) => {
      const { left, top } = app.paper.getBoundingClientRect();
      this.#pointer = { x: clientX - left, y: clientY - top };
    });
    app.paper.addEventListener("pointerleave", () => {
      this.#pointer = undefined;
    });
  }

  /** @param {KeyboardEvent} event */
  #onKey({ code, shiftKey, ctrlKey, metaKey }) {
    this.#isInPlace = code === "KeyV" && shiftKey && (ctrlKey || metaKey);
  }

  /**
   * On Linux the middle button pastes the words that were marked last in any window, when it goes
   * up. On the board it moves the view; only in a field are these words meant.
   * @param {MouseEvent} event
   */
  #keepMarked(event) {
    const { target, button } = event;
    const isWriting =
      target instanceof Element && target.closest(WRITING) && !target.matches(NO_WRITING);
    if (button === 1 && !isWriting && this.#isOurs) event.preventDefault();
  }

  /** Whether keys are the board's now, and no field's. */
  get #isOurs() {
    const { element, options } = this.app;
    const held = focused(element);
    const isWholePage = options.root === document.body;
    if (element.querySelector("dialog[open]")) return false;
    if (held?.closest(WRITING) && !held.matches(NO_WRITING)) return false;
    return isWholePage || element.contains(held);
  }

  /** Whether words of the page around the board are marked, which are meant then. */
  get #hasMarked() {
    return focused(this.app.element) !== this.app.paper && String(getSelection()) !== "";
  }

  /**
   * @param {ClipboardEvent} event
   * @param {boolean} [isCut]
   */
  #onCopy(event, isCut = false) {
    if (!this.#isOurs || this.#hasMarked) return;
    const forms = this.#forms();
    if (!forms) return;
    event.preventDefault();
    for (const [type, form] of Object.entries(forms)) {
      event.clipboardData?.setData(type, form);
    }
    this.#isTaken = true;
    if (isCut) this.#removeCut();
  }

  /** @returns {Record<string, string> | undefined} what is selected, for the clipboard */
  #forms() {
    const { board, room } = this.app;
    const { elements } = board.selected;
    if (elements.length === 0) return undefined;
    const placed = elements.flatMap((item) => {
      const box = board.box(item.id);
      return box && wordsOf(item) ? { box, item } : [];
    });
    const sources = [...new Set(elements.flatMap((item) => imageOf(item) ?? []))];
    keepCopiedImages(sources);
    const images = this.#shownImages(sources);
    return formsOf(clipText(roomMark(room), elements, images), inReadingOrder(placed).map(wordsOf));
  }

  /**
   * The event that copies does not wait, so that images are taken as the board shows them.
   * @param {string[]} sources
   * @returns {Map<string, string>} `data:` addresses by what the images are called outside
   */
  #shownImages(sources) {
    /** @type {Map<string, string>} */
    const images = new Map();
    let room = MOST_IMAGE_LETTERS;
    for (const src of sources.filter((one) => nameOutside(one) !== one)) {
      const data = drawnAgain(this.app.board.stage.images.get(src));
      if (data === undefined || data.length > room) continue;
      room -= data.length;
      images.set(nameOutside(src), data);
    }
    return images;
  }

  /** Copies what is selected, as a menu does. */
  async copy() {
    this.#isTaken = false;
    // The event takes more than the browser's clipboard, and is there without HTTPS.
    document.execCommand("copy");
    const isTaken = this.#isTaken || (await putOnClipboard(this.#forms() ?? {}));
    if (!isTaken) this.app.banner.tell(t("clipboard.noCopy"));
    return isTaken;
  }

  async cut() {
    if (await this.copy()) this.#removeCut();
  }

  #removeCut() {
    const { app } = this;
    if (app.board.canWrite) app.board.remove();
    else this.app.banner.tell(t("clipboard.notCut", { why: whyReading(app, app.me) }));
  }

  /**
   * Copies what is selected, or the whole page, for other programs.
   * @param {"png" | "svg"} format
   */
  async copyAs(format) {
    const { board, exports, banner } = this.app;
    const { elements } = board.selected;
    const making = exported(board, format, elements.length > 0 ? elements : undefined);
    const file = making.then((made) => made.file);
    const words = async () => new Blob([await (await file).text()], { type: "text/plain" });
    /** @type {Record<string, Promise<Blob>>} */
    const forms = format === "png" ? { "image/png": file } : { "text/plain": words() };
    if (format === "svg") forms["image/svg+xml"] = file;
    // Why it was not made is said once, below.
    for (const form of [file, ...Object.values(forms)]) {
      form.catch(() => {});
    }
    const isTaken = await putOnClipboard(forms);
    const made = await making.catch((why) => {
      this.app.banner.tell(t("clipboard.failed", { why: why.message }));
    });
    if (!made) return;
    const name = format.toUpperCase();
    if (!isTaken) return this.app.banner.tell(t("clipboard.noPicture", { format: name }));
    exports.tellMissing(made.missing);
    banner.addNote(t("clipboard.copiedAs", { format: name }));
  }

  /** @param {ClipboardEvent} event */
  #onPaste(event) {
    if (!this.#isOurs) return;
    event.preventDefault();
    const copied = copiedBy(event.clipboardData);
    const isInPlace = this.#isInPlace;
    this.#isInPlace = false;
    // With Shift some browsers give the event the words only.
    if (!isInPlace || copied.file || !navigator.clipboard?.read) {
      return void this.#put(copied, { isInPlace });
    }
    const all = readClipboard().catch(() => copied);
    all.then((given) => this.#put(given, { isInPlace }));
  }

  /**
   * Pastes as a menu does.
   * @param {Paste} how
   */
  async paste(how) {
    const copied = await readClipboard().catch(() => undefined);
    if (copied) await this.#put(copied, how);
    else this.app.banner.tell(t("clipboard.noRead"));
  }

  /**
   * @param {import("../../ui/clipboard-data.js").Copied} copied
   * @param {Paste} how
   */
  async #put({ file, images, text, isTooLarge }, how) {
    const { app } = this;
    const { board } = app;
    if (!board.canWrite) {
      return this.app.banner.tell(t("clipboard.noPaste", { why: whyReading(app, app.me) }));
    }
    const limit = MOST_LETTERS >> 20;
    if (isTooLarge) return this.app.banner.tell(t("clipboard.tooLarge", { limit }));
    if (file) return this.#putFile(file, how);
    if (images.length > 0) {
      const given = images.slice(0, MOST_IMAGES);
      if (given.length < images.length) {
        this.app.banner.tell(
          t("clipboard.manyImages", { count: images.length, limit: MOST_IMAGES }),
        );
      }
      return this.#putImages(given, this.#spotFor("images", how));
    }
    const words = plainWords(text);
    if (words === "") return this.app.banner.tell(t("clipboard.nothing"));
    const tooMany = words.length - MOST_WORDS;
    if (tooMany > 0) return this.app.banner.tell(t("clipboard.tooLong", { count: tooMany }));
    putText(board, words, this.#spotFor(words, how));
  }

  /**
   * @param {Blob[]} images
   * @param {Spot} at the middle of the first one
   */
  #putImages(images, at) {
    const aside = ASIDE / this.app.board.view.scale;
    for (const [nth, image] of images.entries()) {
      this.app.dialogs.upload(image, { x: at.x + nth * aside, y: at.y + nth * aside });
    }
  }

  /**
   * @param {string} file of elements
   * @param {Paste} how
   */
  async #putFile(file, how) {
    const here = this.#unchanged(file);
    if (here) return this.#copyHere(here, file, how);
    if (Array.isArray(parsed(file)?.ids)) {
      return this.app.banner.tell(t("clipboard.onlyThere", { limit: MOST_CARRIED }));
    }
    await this.app.files.paste(file, (around) => this.#wayFor(file, how, around));
  }

  /**
   * @param {string} file
   * @returns {Thing[] | undefined} its elements on this board; none: it is of another room, or
   *   something of it has changed since
   */
  #unchanged(file) {
    const said = parsed(file);
    if (said?.type !== FILE_TYPE || said.room !== roomMark(this.app.room)) return undefined;
    const { source } = this.app.board;
    const there = (/** @type {any} */ id) => {
      const element = typeof id === "string" ? source.element(id) : undefined;
      return element && !element.buried ? element : undefined;
    };
    // Of very many only the ids were copied.
    if (Array.isArray(said.ids)) return [...new Set(said.ids)].flatMap((id) => there(id) ?? []);
    const copied = items(said.elements);
    if (new Set(copied.map((item) => item?.id)).size < copied.length) return undefined;
    const found = copied.flatMap((item) => {
      const element = there(item?.id);
      return element && isSame(element, item) ? element : [];
    });
    return found.length > 0 && found.length === copied.length ? found : undefined;
  }

  /**
   * One command copies them.
   * @param {Thing[]} elements
   * @param {string} file
   * @param {Paste} how
   */
  #copyHere(elements, file, how) {
    const { board } = this.app;
    if (elements.length === 0) return this.app.banner.tell(t("clipboard.gone"));
    const box = elements
      .map(boxOfElement)
      .reduce(union, /** @type {Box | undefined} */ (undefined));
    board.tool = "select";
    board.duplicate(elements, this.#wayFor(file, how, /** @type {Box} */ (box)));
    this.#show();
  }

  /**
   * @param {string} file
   * @param {Paste} how
   * @param {Box} box around what is pasted
   * @returns {Spot} how far it is moved
   */
  #wayFor(file, how, box) {
    if (how.isInPlace) return { x: 0, y: 0 };
    const { view } = this.app.board;
    const middle = centre(box);
    const way = minus(this.#spotFor(file, how), middle);
    // What was copied at this place would be covered by its copy.
    const isCovered = distance(way, { x: 0, y: 0 }) * view.scale < 1;
    return isCovered ? minus(this.#spotFor(file, how), middle) : way;
  }

  /** Shows what was pasted, if it is out of sight. */
  #show() {
    const { board } = this.app;
    const { box } = board.selected;
    if (box && !touches(box, board.view.seen)) board.fitSelection();
  }

  /**
   * @param {string} what is pasted
   * @param {Paste} how
   * @returns {Spot} its middle: at the pointer, or in the middle of the view; aside, if it was pasted
   *   there before
   */
  #spotFor(what, { at }) {
    const { view } = this.app.board;
    const middle = { x: view.width / 2, y: view.height / 2 };
    const spot = view.toScene(at ?? this.#pointer ?? middle);
    const isAgain = this.#last.what === what && distance(this.#last.at, spot) * view.scale < 1;
    const times = isAgain ? this.#last.times + 1 : 0;
    this.#last = { what, at: spot, times };
    const aside = (times * ASIDE) / view.scale;
    return { x: spot.x + aside, y: spot.y + aside };
  }
}

/**
 * @param {string} room its mark
 * @param {Thing[]} elements
 * @param {Map<string, string>} images
 * @returns {string} the file of them; of very many only their ids, which are enough in their room
 */
function clipText(room, elements, images) {
  if (elements.length <= MOST_CARRIED) {
    const text = fileText(elements.map(outsideItem), images, room);
    if (text.length <= MOST_LETTERS) return text;
  }
  const said = { type: FILE_TYPE, version: FILE_VERSION, room, elements: [] };
  return JSON.stringify({ ...said, ids: elements.map(({ id }) => id) });
}

/** @param {Thing} element @returns {string | undefined} where its image is */
const imageOf = (element) =>
  element.shape?.type === "image" ? new ElementFields(element).text("src") : undefined;

/**
 * @param {Thing} element
 * @param {any} item that was copied
 * @returns whether it is as it was then
 */
const isSame = (element, item) => JSON.stringify(outsideItem(element)) === JSON.stringify(item);

/** @param {string} text @returns {any} undefined: it is no JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @param {string} text @returns {string} without signs that no text has */
const plainWords = (text) =>
  text
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .replace(/^\n+/, "")
    .trimEnd();
