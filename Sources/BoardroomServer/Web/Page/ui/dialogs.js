import { Part, find, h, piece, showDialog, wordButton } from "./dom.js";
import { t } from "./i18n.js";
import { exported } from "../board/export.js";

// What opens over the board: sharing, taking along, images, help, and the two small questions.

const IMAGE = /^image\/(png|jpeg|webp|gif)$/;
const MIB = 1024 * 1024;

function download(/** @type {Blob} */ blob, /** @type {string} */ name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** @param {string} src @returns {Promise<HTMLImageElement | null>} null: no image that can be shown */
function loaded(src) {
  const image = Object.assign(new Image(), { src });
  return image.decode().then(() => image, () => null);
}

export class Dialogs extends Part {
  /** @param {string} title @param {...(Node | string)} content */
  #show(title, ...content) { return showDialog(this.app.element, title, t("dialog.close"), ...content); }

  /** @param {string} title @param {Node} part @param {Node} yes @param {() => void} run */
  #question(title, part, yes, run) {
    const no = wordButton("", t("dialog.cancel"), () => close());
    const buttons = h("div", { class: "dialog-actions" }, no, yes);
    const { close } = this.#show(title, h("form", { method: "dialog", onsubmit: run }, part, buttons));
  }

  confirm(/** @type {string} */ question, /** @type {string} */ yes, /** @type {() => void} */ run) {
    const button = h("button", { class: "button bad", autofocus: true }, yes);
    this.#question(yes, h("p", {}, question), button, run);
  }

  ask(/** @type {string} */ label, /** @type {string} */ value, /** @type {(value: string) => void} */ run) {
    const input = h("input", { value, maxlength: 120, "aria-label": label, autofocus: true });
    const yes = h("button", { class: "button primary" }, t("dialog.ok"));
    this.#question(label, input, yes, () => run(input.value));
    input.select();
  }

  async share() {
    const { rest, options: { isOpen } } = this.app;
    const { dialog } = this.#show(t("share.title"), piece("share"));
    const rows = find(dialog, ".share");
    const writes = isOpen || rest.rights.share.includes("writer");
    if (writes) rows.append(await this.#link("writers", isOpen ? "" : "writer"));
    rows.append(await this.#link("readers", "reader"));
    rows.querySelector("button")?.classList.add("primary");
  }

  /** @param {"writers" | "readers"} whom @param {"" | "writer" | "reader"} role "": no token is needed */
  async #link(whom, role) {
    const { rest, room, origin, banner } = this.app;
    const minting = role && rest.ask("POST", `/v5/rooms/${room}/tokens`, { role });
    const token = await Promise.resolve(minting).catch((why) => this.app.refused(why));
    if (token === undefined) return h("p", {}, t("share.none"));
    const value = `${origin}/r/${room}${token && `#${token}`}`;
    const title = t(`share.${whom}`);
    const field = h("input", { value, readonly: true, "aria-label": title, onfocus: () => field.select() });
    const copy = wordButton("link", t("share.copy"), async () => {
      field.select();
      // Plain HTTP has no clipboard: then the field is selected, and the old way tried.
      const isDone = navigator.clipboard
        ? await navigator.clipboard.writeText(value).then(() => true, () => false)
        : document.execCommand("copy");
      banner.note(t(isDone ? "share.copied" : "share.selected"));
    });
    return h("section", {}, h("h3", {}, title), h("p", { class: "quiet" }, t(`share.${whom}About`)),
      h("div", { class: "copy-row" }, field, copy));
  }

  export() {
    const { dialog } = this.#show(t("export.title"), piece("export"));
    dialog.addEventListener("close", () => { if (dialog.returnValue) this.#save(dialog.returnValue); });
  }

  async #save(/** @type {string} png, svg or json */ format) {
    const { app } = this;
    const name = `boardroom-${app.room.slice(0, 8)}.${format}`;
    const isSaved = await app.done(exported(app, format).then((file) => download(file, name)));
    if (isSaved) app.banner.note(t("export.done", { format: format.toUpperCase() }));
  }

  image() {
    const { rest, imageLimit } = this.app;
    const { dialog, close } = this.#show(t("image.title"), piece("image"));
    const [file, address] = ["[type=file]", "[type=url]"].map((kind) => find(dialog, kind, HTMLInputElement));
    const choose = find(dialog, ".primary", HTMLButtonElement);
    choose.disabled = !rest.rights.putImages;
    choose.onclick = () => file.click();
    file.onchange = () => {
      close();
      if (file.files) this.#upload(file.files[0]);
    };
    find(dialog, ".quiet").textContent = t("image.about", { size: Math.round(imageLimit / MIB) });
    find(dialog, "form").onsubmit = () => { this.#fromAddress(address.value.trim()); };
  }

  /** @param {DragEvent | ClipboardEvent} event a drop or a paste */
  takeImages(event) {
    const { paper, board, session } = this.app;
    const isDropped = event instanceof DragEvent;
    const isInField = event.composedPath()[0] instanceof HTMLInputElement;
    const files = [...(isDropped ? event.dataTransfer : event.clipboardData)?.files ?? []];
    if (isDropped || (files.length && !isInField)) event.preventDefault();
    if (isInField || !session.writable) return;
    const { left, top } = paper.getBoundingClientRect();
    const at = isDropped && board.view.toScene({ x: event.clientX - left, y: event.clientY - top });
    for (const file of files) this.#upload(file, at || undefined);
  }

  /** The frame is on the board at once, the picture when it is stored.
   * @param {Blob} file if it is an image @param {Spot} [at] */
  async #upload(file, at) {
    if (!IMAGE.test(file.type)) return;
    const { board, rest, imageLimit, banner } = this.app;
    const sizes = { size: (file.size / MIB).toFixed(1), limit: Math.round(imageLimit / MIB) };
    if (file.size > imageLimit) return banner.note(t("image.tooLarge", sizes), true);
    const local = URL.createObjectURL(file);
    const image = await loaded(local);
    URL.revokeObjectURL(local);
    if (!image) return banner.note(t("image.none"), true);
    const id = board.putImage(this.#fitted(image), at);
    if (await this.app.done(rest.putImage(file).then((src) => board.setImage(id, src)))) return;
    board.selection = [id];
    board.remove();
  }

  /** @param {string} src what somebody has written */
  async #fromAddress(src) {
    const { board, banner } = this.app;
    if (!/^https?:\/\/[^\s"'<>]+$/.test(src)) return banner.note(t("image.badAddress"), true);
    const image = await loaded(src);
    if (!image) return banner.note(t("image.none"), true);
    board.putImage({ src, ...this.#fitted(image) });
  }

  /** @param {HTMLImageElement} image @returns its size, no larger than most of the screen */
  #fitted({ naturalWidth, naturalHeight }) {
    const { view } = this.app.board;
    // A drawing may have no size by itself.
    const [width, height] = [naturalWidth || 320, naturalHeight || 240];
    const part = Math.min(1, 0.6 * Math.min(view.width / width, view.height / height) / view.scale);
    return { width: Math.round(width * part), height: Math.round(height * part) };
  }

  help() {
    const { dialog } = this.#show(t("help.title"), piece("help"));
    if (!/Mac|iP(hone|ad)/.test(navigator.platform ?? "")) return;
    for (const key of dialog.querySelectorAll("kbd")) if (key.textContent === "Ctrl") key.textContent = "⌘";
  }
}
