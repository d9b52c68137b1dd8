// Opens drawings: files that this page has exported, and those of Excalidraw.
import { centre, minus, sizeOf } from "../../render/geom.js";
import { pathInside, STORABLE, storedPath } from "../../render/image-source.js";
import { sourceOf, withSource } from "../../ui/board-file.js";
import { copiedImages } from "../../ui/clipboard-data.js";
import { h } from "../../ui/dom.js";
import { dataOf } from "../../ui/export.js";
import { refusalText, t } from "../../ui/i18n.js";
import { boxOfItems, Insertion, movedItems } from "../insert.js";
import { FILE_BYTES, FileProblem, readFile } from "../read-file.js";
import { painted } from "./files.js";

/** @typedef {import("../../ui/board-file.js").Item} Item */

const MIB = 1 << 20;

/** From so many elements on a dialog shows how far it is. */
const MANY = 300;

/** Images that are sent at the same time. */
const AT_ONCE = 3;

export class Opening {
  /**
   * @param {App} app
   * @param {string} name of the file
   */
  constructor(app, name) {
    this.app = app;
    this.name = name;
  }

  /**
   * @param {File} file
   * @param {Spot} [at] where its middle is; else in the middle of the view
   */
  async open(file, at) {
    const { app, name } = this;
    if (file.size > FILE_BYTES) {
      const size = (file.size / MIB).toFixed(1);
      throw new FileProblem("file.tooLarge", { size, limit: FILE_BYTES / MIB });
    }
    const opened = readFile(await file.text(), levelsOf);
    const ids = await this.#put(opened, (items) => this.#placed(items, at));
    if (ids.length > 0) app.banner.tell(t("file.opened", { name, count: ids.length }), false);
  }

  /**
   * Pastes what was copied, without its locks.
   * @param {string} text
   * @param {(around: Box) => Spot} wayOf how far it is moved
   */
  async paste(text, wayOf) {
    const opened = readFile(text, levelsOf);
    await this.#put(opened, (items) => {
      const box = boxOfItems(items);
      return (box ? movedItems(items, wayOf(box)) : items).map(unlocked);
    });
  }

  /**
   * @param {import("../read-file.js").Opened} opened
   * @param {(items: Item[]) => Item[]} place moves them
   * @returns {Promise<string[]>} ids of what is on the board
   */
  async #put(opened, place) {
    const { app, name } = this;
    const progress = new Progress(app, name, opened.items.length + opened.images.size);
    try {
      const items = await this.#withImages(opened, progress);
      const insertion = new Insertion(app.board, (done) =>
        progress.show(opened.images.size + done),
      );
      const ids = progress.isWanted ? await insertion.put(place(items)) : [];
      if (progress.isWanted) this.#show(ids, opened, insertion);
      return ids;
    } finally {
      progress.end();
    }
  }

  /**
   * @param {Item[]} items
   * @param {Spot} [at]
   * @returns {Item[]} at their own places if the page is empty
   */
  #placed(items, at) {
    const { board } = this.app;
    const box = boxOfItems(items);
    if (!box || !board.content()) return items;
    return movedItems(items, minus(at ?? board.view.camera, centre(box)));
  }

  /**
   * @param {string[]} ids
   * @param {import("../read-file.js").Opened} opened
   * @param {Insertion} insertion
   */
  #show(ids, opened, { refusals }) {
    const { app } = this;
    const { board } = app;
    board.tool = "select";
    board.sceneContent.update(Infinity);
    board.select(ids);
    const { box } = board.selected;
    const { view } = board;
    const seen = box && sizeOf(box);
    const isLarge = seen && (seen.x > view.width / view.scale || seen.y > view.height / view.scale);
    if (isLarge || board.content() === undefined || !this.#isInSight()) board.fitSelection();
    const { lost } = opened;
    if (lost.size > 0) {
      const list = [...lost].map(([what, count]) => `${count} × ${t(`file.lost.${what}`)}`);
      app.banner.tell(t("file.lost", { list: list.join(", ") }));
    }
    if (refusals.length > 0) {
      const why = refusals[0].code ? refusalText(refusals[0]) : "";
      app.banner.tell(t("file.refused", { count: refusals.length, why }));
    }
  }

  /** Whether what is selected is in the view. */
  #isInSight() {
    const { selected, view } = this.app.board;
    const at = selected.frame && view.toScreen(selected.frame.middle);
    return at !== undefined && at.x >= 0 && at.y >= 0 && at.x <= view.width && at.y <= view.height;
  }

  /**
   * Stores the images that the file carries.
   * @param {import("../read-file.js").Opened} opened
   * @param {Progress} progress
   * @returns {Promise<Item[]>} with addresses of this server
   */
  async #withImages({ items, images, lost }, progress) {
    const { room, rest, board } = this.app;
    const sources = [...new Set(items.flatMap((item) => sourceOf(item) ?? []))];
    const copied = copiedImages();
    // One that is in no file may be in the room where it was copied, or in this one.
    const pathOf = (/** @type {string} */ src) =>
      storedPath(src, board.images) ?? copied.get(src) ?? pathInside(src, room);
    const isOwn = (/** @type {string} */ src) => pathOf(src)?.startsWith(`/v5/rooms/${room}/`);
    const isThere = (/** @type {string} */ src) => isOwn(src) && !src.startsWith("file:");
    // Also those of this room: another server may have a room of the same name, and equal images are one file.
    const isCarried = (/** @type {string} */ src) => images.has(src) || isData(src);
    const carried = sources.filter((src) => isCarried(src) || !isThere(src));
    /** @type {Map<string, string>} */
    const stored = new Map();
    let done = 0;
    const next = async () => {
      for (let src = carried.pop(); src !== undefined && progress.isWanted; src = carried.pop()) {
        const from = [copied.get(src), images.get(src) ?? (isData(src) ? src : pathOf(src))];
        const file = await this.#firstImage(from);
        const isFit = file && file.size <= this.app.imageLimit;
        const path = isFit && (await rest.putImage(file).catch(() => undefined));
        // A file must not make the browsers of all members ask a host that its writer has chosen.
        const word = from.some(Boolean) || src.startsWith("file:") ? "image" : "foreignImage";
        if (path) stored.set(src, path);
        else lost.set(word, (lost.get(word) ?? 0) + 1);
        done += 1;
        progress.show(done);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, next));
    // An image of another room is there as long as that room: this one gets its own.
    return items.map((item) => {
      const src = sourceOf(item);
      if (src === undefined) return item;
      return withSource(item, stored.get(src) ?? (isThere(src) ? pathOf(src) : undefined));
    });
  }

  /**
   * @param {(string | undefined)[]} sources
   * @returns {Promise<Blob | undefined>} the image of the first one that is to be had
   */
  async #firstImage(sources) {
    for (const src of sources) {
      const file = src && (await this.#imageOf(src).catch(() => undefined));
      if (file) return file;
    }
    return undefined;
  }

  /**
   * @param {string} src a `data:` address, or that of an image that this server stores
   * @returns {Promise<Blob>} what the server stores
   */
  async #imageOf(src) {
    const data = await dataOf(this.app.board, src);
    if (data === undefined) throw new FileProblem("image.none");
    return imageOf(data);
  }
}

/** @param {string} src */
const isData = (src) => src.startsWith("data:");

/**
 * @param {Item} item
 * @returns {Item}
 */
const unlocked = (item) => ({ ...item, set: { ...item.set, locked: false } });

/** How far the opening of a large file is; closing the dialog ends it. */
class Progress {
  isWanted = true;

  /**
   * @param {App} app
   * @param {string} name
   * @param {number} count of elements and images
   */
  constructor(app, name, count) {
    this.bar = h("progress", { max: count, value: 0, class: "wide" });
    if (count < MANY) return;
    this.dialog = app.dialogs.open(t("file.opening", { name }), this.bar);
    this.dialog.addEventListener("close", () => {
      this.isWanted = false;
    });
  }

  /** @param {number} done @returns whether it goes on */
  show(done) {
    this.bar.value = done;
    return this.isWanted;
  }

  end() {
    this.dialog?.close();
  }
}

/**
 * @param {string} data a `data:` address
 * @returns {Promise<Blob>} what the server stores
 */
async function imageOf(data) {
  const found = /^data:(image\/[a-z+]+);base64,([A-Za-z0-9+/=\s]*)$/.exec(data);
  if (!found) throw new FileProblem("image.none");
  const bytes = Uint8Array.from(atob(found[2]), (sign) => sign.charCodeAt(0));
  const file = new Blob([bytes], { type: found[1] });
  if (STORABLE.test(file.type)) return file;
  if (file.type === "image/svg+xml") return painted(file);
  throw new FileProblem("image.none");
}

/** @type {Ink | undefined} what reads colours */
let reading;

/**
 * @param {string} colour of CSS
 * @returns {number[] | undefined} red, green, blue and alpha, 0 to 255
 */
function levelsOf(colour) {
  reading ??= /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
  const [first, second] = ["#000000", "#ffffff"].map((before) => {
    const ink = /** @type {Ink} */ (reading);
    ink.fillStyle = before;
    ink.fillStyle = colour;
    return String(ink.fillStyle);
  });
  if (first !== second) return undefined;
  const [, digits] = /^#(\w{6})$/.exec(first) ?? [];
  if (digits) return [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16)).concat(255);
  const [red, green, blue, alpha = 1] = (first.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, alpha * 255];
}
