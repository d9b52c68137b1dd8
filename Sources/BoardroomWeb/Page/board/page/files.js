// Files that are opened on the board, from the menu and by drop: images here, drawings by a module that is
// loaded when it is needed.
import { Refusal } from "../../protocol/refusal.js";
import { STORABLE } from "../../render/image-source.js";
import { h } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { Part } from "./part.js";

/** What the browser offers to choose. */
const ACCEPTED = ".json,.excalidraw,image/png,image/jpeg,image/webp,image/gif,image/svg+xml";

/** Pixels of the longer side of the picture that is made of a vector image, at most. */
const LONGEST = 2048;

/** Letters of a file's name that are shown, at most. */
const NAME_LENGTH = 60;

/** Files of one drop, at most. */
const MOST_FILES = 20;

/** Pixels between several images that are dropped together. */
const ASIDE = 24;

/** @returns {Promise<typeof import("./opening.js")>} */
const opening = () =>
  import("./opening.js").catch(() => {
    throw new Refusal({ code: "notConnected" });
  });

export class Files extends Part {
  /** Lets the visitor choose a file. */
  choose() {
    const input = h("input", { type: "file", accept: ACCEPTED, class: "unseen", tabindex: -1 });
    input.onchange = () => {
      input.remove();
      for (const file of input.files ?? []) void this.open(file);
    };
    input.addEventListener("cancel", () => input.remove());
    this.app.element.append(input);
    input.click();
  }

  /** @param {DragEvent} event */
  drop(event) {
    event.preventDefault();
    const at = this.app.placeOf(event);
    const given = [...(event.dataTransfer?.files ?? [])];
    if (given.length > MOST_FILES) {
      this.app.banner.tell(t("file.many", { count: given.length, limit: MOST_FILES }));
    }
    for (const [nth, file] of given.slice(0, MOST_FILES).entries()) {
      void this.open(file, { x: at.x + nth * ASIDE, y: at.y + nth * ASIDE });
    }
  }

  /**
   * @param {File} file
   * @param {Spot} [at] where its middle is; else in the middle of the view
   */
  async open(file, at) {
    const { app } = this;
    const name = file.name.slice(0, NAME_LENGTH);
    if (!app.session.writable) return app.banner.tell(t("file.readOnly"));
    await this.#told(name, async () => {
      if (STORABLE.test(file.type)) await app.dialogs.upload(file, at);
      else if (file.type === "image/svg+xml") await app.dialogs.upload(await painted(file), at);
      else await new (await opening()).Opening(app, name).open(file, at);
    });
  }

  /**
   * Puts elements that were copied.
   * @param {string} text of the file of them
   * @param {(around: Box) => Spot} wayOf how far they are moved
   */
  async paste(text, wayOf) {
    const name = t("clipboard.name");
    const paste = async () => new (await opening()).Opening(this.app, name).paste(text, wayOf);
    await this.#told(name, paste);
  }

  /**
   * @param {string} name of what is opened
   * @param {() => Promise<void>} task is done, or it is said why it is not
   */
  async #told(name, task) {
    try {
      await task();
    } catch (why) {
      const { word, values } = /** @type {any} */ (why);
      if (!word) return void this.app.showRefusal(why);
      const words = t(word, { ...values, name });
      // A file keeps its name; the clipboard's begins a sentence.
      const isFile = name !== t("clipboard.name");
      this.app.banner.tell(isFile ? words : words.charAt(0).toUpperCase() + words.slice(1));
    }
  }
}

/**
 * A vector image may contain scripts, so that no server stores it: as an image it runs nothing.
 * @param {Blob} file SVG
 * @returns {Promise<Blob>} a PNG
 */
export async function painted(file) {
  const address = URL.createObjectURL(file);
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    throw noImage();
  } finally {
    URL.revokeObjectURL(address);
  }
  const width = image.naturalWidth || 320;
  const height = image.naturalHeight || 240;
  const scale = Math.min(2, LONGEST / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(Math.round(width * scale), 1);
  canvas.height = Math.max(Math.round(height * scale), 1);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((made) => (made ? resolve(made) : reject(noImage())), "image/png");
  });
}

/** Why a file is not put on the board: a word of the page. */
const noImage = () => Object.assign(new Error("The file is no image."), { word: "image.none" });
