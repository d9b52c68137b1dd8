// What opens over the board: sharing, taking along, images, help, and the two small questions.
import { find, h, piece } from "../../ui/dom.js";
import { exported } from "../../ui/export.js";
import { t } from "../../ui/i18n.js";
import { copyText, download } from "../../ui/saving.js";
import { Part } from "./part.js";

const MIB = 1024 * 1024;

export class Dialogs extends Part {
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
   * @param {string} title
   * @param {Node} part
   * @param {Node} yes
   * @param {() => void} run
   */
  #question(title, part, yes, run) {
    const close = { type: "button", class: "button", onclick: () => dialog.close() };
    const buttons = h(
      "div",
      { class: "dialog-actions" },
      h("button", close, t("dialog.cancel")),
      yes,
    );
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
  ask(label, value, run) {
    const input = h("input", { value, maxlength: 120, "aria-label": label, autofocus: true });
    const yes = h("button", { class: "button primary" }, t("dialog.ok"));
    this.#question(label, input, yes, () => run(input.value));
    input.select();
  }

  async share() {
    const { app } = this;
    const { rest, room, origin } = app;
    const { isOpen } = app.options;
    const rows = find(this.#show(t("share.title"), piece("share")), ".share");
    for (const role of isOpen || rest.rights.write ? ["writer", "reader"] : ["reader"]) {
      const token =
        isOpen && role === "writer"
          ? ""
          : await rest
              .ask("POST", `/v5/rooms/${room}/tokens`, { role })
              .catch((why) => app.refused(why));
      const link = `${origin}/r/${room}${token && `#${token}`}`;
      rows.append(
        token === false ? h("p", {}, t("share.none")) : this.#shown(piece(`share-${role}`), link),
      );
    }
    rows.querySelector("button")?.classList.add("primary");
  }

  /**
   * @param {DocumentFragment} row
   * @param {string} link
   */
  #shown(row, link) {
    const field = find(row, "input", HTMLInputElement);
    field.value = link;
    field.onfocus = () => field.select();
    find(row, "button").onclick = async () => {
      const isCopied = await copyText(field);
      this.app.banner.note(t(isCopied ? "share.copied" : "share.selected"));
    };
    return row;
  }

  export() {
    const { app } = this;
    const { board, overlay, rest, room, banner } = app;
    const shown = { board, source: /** @type {any} */ (overlay), rest, room };
    const dialog = this.#show(t("export.title"), piece("export"));
    dialog.addEventListener("close", async () => {
      const format = dialog.returnValue;
      const save = (/** @type {Blob} */ file) =>
        download(file, `boardroom-${room.slice(0, 8)}.${format}`);
      if (!format || !(await app.done(exported(shown, format).then(save)))) return;
      banner.note(t("export.done", { format: format.toUpperCase() }));
    });
  }

  image() {
    const { rest, imageLimit, board, banner } = this.app;
    const dialog = this.#show(t("image.title"), piece("image"));
    const file = find(dialog, "[type=file]", HTMLInputElement);
    const address = find(dialog, "[type=url]", HTMLInputElement);
    const choose = find(dialog, ".primary", HTMLButtonElement);
    Object.assign(choose, { disabled: !rest.rights.write, onclick: () => file.click() });
    file.onchange = () => {
      dialog.close();
      if (file.files) this.#upload(file.files[0]);
    };
    find(dialog, ".quiet").textContent = t("image.about", { size: Math.round(imageLimit / MIB) });
    find(dialog, "form.copy-row").onsubmit = async () => {
      const src = address.value.trim();
      if (!/^https?:\/\/[^\s"'<>]+$/.test(src)) return banner.note(t("image.badAddress"), true);
      const size = await this.#sizeOf(src);
      if (size) board.putImage({ src, ...size });
    };
  }

  /** @param {DragEvent | ClipboardEvent} event */
  takeImages(event) {
    const { paper, board, session } = this.app;
    const isDropped = event instanceof DragEvent;
    const isInField = event.composedPath()[0] instanceof HTMLInputElement;
    const files = [...((isDropped ? event.dataTransfer : event.clipboardData)?.files ?? [])];
    if (isDropped || (files.length && !isInField)) event.preventDefault();
    if (isInField || !session.writable) return;
    const { left, top } = paper.getBoundingClientRect();
    const at = isDropped && board.view.toScene({ x: event.clientX - left, y: event.clientY - top });
    for (const file of files) {
      this.#upload(file, at || undefined);
    }
  }

  /**
   * The frame of an image is on the board at once, the picture when it is stored.
   * @param {Blob} file
   * @param {Spot | undefined} [at]
   */
  async #upload(file, at = undefined) {
    if (!/^image\/(png|jpeg|webp|gif)$/.test(file.type)) return;
    const { app } = this;
    const { board, rest, imageLimit, banner } = app;
    const sizes = { size: (file.size / MIB).toFixed(1), limit: Math.round(imageLimit / MIB) };
    if (file.size > imageLimit) return banner.note(t("image.tooLarge", sizes), true);
    const local = URL.createObjectURL(file);
    const size = await this.#sizeOf(local);
    URL.revokeObjectURL(local);
    if (!size) return;
    const id = board.putImage(size, at);
    if (await app.done(rest.putImage(file).then((src) => board.change([{ id, set: { src } }])))) {
      return;
    }
    board.selection = [id];
    board.remove();
  }

  /**
   * No larger than most of the screen; if it cannot be shown, that is said.
   * @param {string} src
   */
  async #sizeOf(src) {
    const { banner } = this.app;
    const { view } = this.app.board;
    const image = Object.assign(new Image(), { src });
    if (
      !(await image.decode().then(
        () => true,
        () => false,
      ))
    ) {
      return banner.note(t("image.none"), true);
    }
    // A drawing may have no size by itself.
    const width = image.naturalWidth || 320;
    const height = image.naturalHeight || 240;
    const part = Math.min(
      1,
      (0.6 * Math.min(view.width / width, view.height / height)) / view.scale,
    );
    return { width: Math.round(width * part), height: Math.round(height * part) };
  }

  help() {
    const dialog = this.#show(t("help.title"), piece("help"));
    if (!/Mac|iP(hone|ad)/.test(navigator.platform ?? "")) return;
    for (const key of dialog.querySelectorAll("kbd")) {
      if (key.textContent === "Ctrl") key.textContent = "⌘";
    }
  }
}
