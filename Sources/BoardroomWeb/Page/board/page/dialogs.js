// Dialogs over the board: sharing, export, images, help, and two small questions.
import { addressOf, storedPath } from "../../render/image-source.js";
import { find, h, piece } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { copyText } from "../../ui/saving.js";
import { FEATURES, helpRow } from "./features.js";
import { Part } from "./part.js";

const MIB = 1024 * 1024;

/** The part of the screen that an image takes, at most. */
const LARGEST_PART = 0.6;

/** Pixels of an image that has no size by itself. */
const DEFAULT_SIZE = { width: 320, height: 240 };

export class Dialogs extends Part {
  /** @type {Set<string>} ids of frames that were put for images, and stay empty */
  #emptyFrames = new Set();

  /**
   * @param {string} title
   * @param {...(Node | string)} content
   */
  #show(title, ...content) {
    const dialog = find(piece("dialog"), "dialog", HTMLDialogElement);
    dialog.ariaLabel = title;
    find(dialog, "h2").textContent = title;
    find(dialog, ".dialog-body").append(...content);
    dialog.onclose = () => dialog.remove();
    dialog.onclick = ({ target }) => {
      if (target === dialog) dialog.close();
    };
    this.app.element.append(dialog);
    dialog.showModal();
    return dialog;
  }

  /**
   * Opens a dialog with a content of another module.
   * @param {string} title
   * @param {...(Node | string)} content
   */
  open(title, ...content) {
    return this.#show(title, ...content);
  }

  /**
   * @param {string} title
   * @param {Node} part
   * @param {Node} yes
   * @param {() => void} run
   */
  #question(title, part, yes, run) {
    const props = { type: "button", class: "button", onclick: () => dialog.close() };
    const cancel = h("button", props, t("dialog.cancel"));
    const buttons = h("div", { class: "dialog-actions" }, cancel, yes);
    const dialog = this.#show(title, h("form", { method: "dialog", onsubmit: run }, part, buttons));
  }

  /**
   * @param {string} question
   * @param {string} yes
   * @param {() => void} run
   */
  confirm(question, yes, run) {
    const button = h("button", { class: "button bad", autofocus: true }, yes);
    this.#question(yes, h("p", {}, question), button, run);
  }

  /**
   * @param {string} label
   * @param {string} value
   * @param {(value: string) => void} run
   */
  prompt(label, value, run) {
    const input = h("input", { value, maxlength: 120, "aria-label": label, autofocus: true });
    const yes = h("button", { class: "button primary" }, t("dialog.ok"));
    this.#question(label, input, yes, () => run(input.value));
    input.select();
  }

  async share() {
    const { rest, options } = this.app;
    const rows = find(this.#show(t("share.title"), piece("share")), ".share");
    const mayInvite = options.isOpen || rest.rights.write;
    for (const role of mayInvite ? ["writer", "reader"] : ["reader"]) {
      rows.append(await this.#invitation(role));
    }
    rows.querySelector("button")?.classList.add("primary");
  }

  /**
   * @param {string} role
   * @returns {Promise<Node>} a link for those who get it, or that there is none
   */
  async #invitation(role) {
    const { origin, room } = this.app;
    const token = await this.#tokenFor(role);
    if (token === false) return h("p", {}, t("share.none"));
    const link = `${origin}/r/${room}${token && `#${token}`}`;
    return this.#linkRow(piece(`share-${role}`), link);
  }

  /**
   * @param {string} role
   * @returns {Promise<string | false>} "": none is needed; false: the server gives none, which is
   *   said
   */
  async #tokenFor(role) {
    const { app } = this;
    if (app.options.isOpen && role === "writer") return "";
    return app.rest.roomToken(role).catch((why) => app.showRefusal(why));
  }

  /**
   * @param {DocumentFragment} row
   * @param {string} link
   */
  #linkRow(row, link) {
    const field = find(row, "input", HTMLInputElement);
    field.value = link;
    field.onfocus = () => field.select();
    find(row, "button").onclick = async () => {
      const isCopied = await copyText(field);
      this.app.banner.addNote(t(isCopied ? "share.copied" : "share.selected"));
    };
    return row;
  }

  image() {
    const { rest, imageLimit } = this.app;
    const dialog = this.#show(t("image.title"), piece("image"));
    const file = find(dialog, "[type=file]", HTMLInputElement);
    const address = find(dialog, "[type=url]", HTMLInputElement);
    const choose = find(dialog, ".primary", HTMLButtonElement);
    choose.disabled = !rest.rights.write;
    choose.onclick = () => file.click();
    file.onchange = () => {
      dialog.close();
      if (file.files) void this.app.files.open(file.files[0]);
    };
    find(dialog, ".quiet").textContent = t("image.about", { size: Math.round(imageLimit / MIB) });
    find(dialog, "form.copy-row").onsubmit = () => this.#addFrom(address.value.trim());
  }

  /** @param {string} src an address of an image that lies elsewhere */
  async #addFrom(src) {
    const { board, banner } = this.app;
    if (!/^https?:\/\/[^\s"'<>]+$/.test(src)) return banner.addNote(t("image.badAddress"), true);
    const size = await this.#sizeOf(addressOf(src, board.images));
    if (size) board.putImage({ src: storedPath(src, board.images) ?? src, ...size });
  }

  /**
   * Puts a frame on the board at once, and the image into it when it is stored.
   * @param {Blob} file
   * @param {Spot} [at]
   */
  async upload(file, at) {
    const { app } = this;
    const { board, rest, imageLimit, banner } = app;
    const sizes = { size: (file.size / MIB).toFixed(1), limit: Math.round(imageLimit / MIB) };
    if (file.size > imageLimit) return banner.addNote(t("image.tooLarge", sizes), true);
    const local = URL.createObjectURL(file);
    const size = await this.#sizeOf(local);
    URL.revokeObjectURL(local);
    if (!size) return;
    const id = board.putImage(size, at);
    const path = await rest.putImage(file).catch((why) => void app.showRefusal(why));
    if (path && board.canWrite) return board.change([{ id, set: { src: path } }]);
    if (path) banner.tell(t("image.readOnly"));
    this.#emptyFrames.add(id);
    this.removeEmptyFrames();
  }

  /** Removes frames whose images did not come, as soon as this member may write. */
  removeEmptyFrames() {
    const { board } = this.app;
    if (!board.canWrite || this.#emptyFrames.size === 0) return;
    // Their page may not be shown any more, and other things may be selected.
    board.sendParts("erased", "elements", [...this.#emptyFrames]);
    this.#emptyFrames.clear();
  }

  /**
   * @param {string} src
   * @returns {Promise<{width: number, height: number} | undefined>} no larger than most of the
   *   screen; none: it cannot be shown, which is said
   */
  async #sizeOf(src) {
    const { view } = this.app.board;
    const image = new Image();
    image.src = src;
    try {
      await image.decode();
    } catch {
      this.app.banner.addNote(t("image.none"), true);
      return undefined;
    }
    // A vector image may have no size.
    const width = image.naturalWidth || DEFAULT_SIZE.width;
    const height = image.naturalHeight || DEFAULT_SIZE.height;
    const fit = Math.min(view.width / width, view.height / height);
    const part = Math.min(1, (LARGEST_PART * fit) / view.scale);
    return { width: Math.round(width * part), height: Math.round(height * part) };
  }

  help() {
    const dialog = this.#show(t("help.title"), piece("help"));
    find(dialog, "[data-word='help.regions']").before(...FEATURES.flatMap(helpRow));
    this.#showVersion(find(dialog, ".version"));
    if (!/Mac|iP(hone|ad)/.test(navigator.platform ?? "")) return;
    for (const key of dialog.querySelectorAll("kbd")) {
      if (key.textContent === "Ctrl") key.textContent = "⌘";
    }
  }

  /** @param {HTMLElement} line */
  async #showVersion(line) {
    const version = await this.app.rest.version();
    if (version) line.textContent = t("help.version", { version });
  }
}
