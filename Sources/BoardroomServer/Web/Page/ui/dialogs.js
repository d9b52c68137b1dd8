import { h, showDialog, wordButton } from "./dom.js";
import { t } from "./i18n.js";
import { LETTERS } from "./toolbar.js";
import { exported } from "../board/export.js";

// What opens over the board: sharing, taking along, images, help, and the two small questions.

const IMAGES = "image/png,image/jpeg,image/webp,image/gif";
const IS_MAC = /Mac|iP(hone|ad)/.test(navigator.platform ?? "");
const MOD = IS_MAC ? "⌘" : "Ctrl";

/** Groups of keys for the help: words, and what to press. */
/** @type {Array<[string, Array<[string, string[]]>]>} */
const KEYS = [
  ["help.tools", Object.entries(LETTERS).map(([tool, letter]) => [`tools.${tool}`, [letter]])],
  ["help.edit", [
    ["help.undo", [MOD, "Z"]], ["help.redo", [MOD, "⇧", "Z"]], ["help.all", [MOD, "A"]],
    ["help.copy", [MOD, "C"]],
    ["help.paste", [MOD, "V"]], ["help.duplicate", [MOD, "D"]], ["help.remove", ["Delete"]],
    ["help.nudge", ["←↑↓→"]],
    ["help.leap", ["⇧", "←↑↓→"]], ["help.lock", [MOD, "⇧", "L"]], ["help.front", [MOD, "]"]],
    ["help.back", [MOD, "["]],
    ["help.put", ["Enter"]],
  ]],
  ["help.view", [
    ["help.pan", ["Space", "↔"]], ["help.zoom", [MOD, "+ −"]], ["help.whole", ["⇧", "1"]],
    ["help.full", ["⇧", "0"]],
    ["help.pages", ["PgUp", "PgDn"]], ["help.regions", ["F6"]], ["help.help", ["?"]],
  ]],
];

/** @param {Blob} blob @param {string} name */
function download(blob, name) {
  const href = URL.createObjectURL(blob);
  h("a", { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** The size that an image has by itself; undefined: it is none. */
/** @param {string} src @returns {Promise<{width: number, height: number} | undefined>} */
function sizeOf(src) {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve({ width: image.naturalWidth || 320, height: image.naturalHeight || 240 });
    image.onerror = () => resolve(undefined);
    image.src = src;
  });
}

export class Dialogs {
  /** @param {import("../board/app.js").App} app */
  constructor(app) { this.app = app; }

  /** @param {string} title @param {...(Node | string | null)} content */
  #show(title, ...content) { return showDialog(this.app.element, title, t("dialog.close"), ...content); }

  /** @param {string} question @param {string} yes @param {() => void} run */
  confirm(question, yes, run) {
    const done = () => { close(); run(); };
    const { close } = this.#show(yes, h("p", {}, question), h("div", { class: "dialog-actions" },
      wordButton("", t("dialog.cancel"), () => close()),
      wordButton("", yes, done, { class: "button bad", autofocus: true })));
  }

  /** @param {string} label @param {string} value @param {(value: string) => void} run */
  ask(label, value, run) {
    const input = h("input", { value, maxlength: 120, "aria-label": label, autofocus: true });
    const submit = (/** @type {Event} */ event) => { event.preventDefault(); close(); run(input.value); };
    const { close } = this.#show(label, h("form", { onsubmit: submit }, input,
      h("div", { class: "dialog-actions" }, h("button", { class: "button primary" }, t("dialog.ok")))));
    input.select();
  }

  // Sharing

  async share() {
    const { rest, isOpen, room, origin } = this.app;
    const { share } = rest.rights;
    const base = `${origin}/r/${room}`;
    const writers = isOpen || share.includes("writer");
    const rows = h("div", { class: "share" });
    this.#show(t("share.title"), h("p", { class: "quiet" }, t("share.about")), rows);
    if (writers) rows.append(
      await this.#link(t("share.writers"), t("share.writersAbout"), base, isOpen ? "" : "writer"));
    rows.append(await this.#link(t("share.readers"), t("share.readersAbout"), base, "reader"));
    rows.querySelector("button")?.classList.add("primary");
  }

  /**
   * @param {string} title @param {string} about @param {string} base @param {"" | "writer" | "reader"} role
   */
  async #link(title, about, base, role) {
    const address = role ? await this.app.rest.shareToken(role).then((token) => `${base}#${token}`, (why) => {
      this.app.refused(why);
      return "";
    }) : base;
    if (!address) return h("p", {}, t("share.none"));
    const field = h("input",
      { value: address, readonly: true, "aria-label": title, onfocus: () => field.select() });
    const copy = wordButton("link", t("share.copy"), async () => {
      field.select();
      // Plain HTTP has no clipboard: then the field is selected, and the old way tried.
      const isDone = navigator.clipboard
        ? await navigator.clipboard.writeText(address).then(() => true, () => false)
        : document.execCommand("copy");
      this.app.banner.note(t(isDone ? "share.copied" : "share.selected"));
    });
    return h("section", {}, h("h3", {}, title), h("p", { class: "quiet" }, about),
      h("div", { class: "copy-row" }, field, copy));
  }

  // Taking along

  export() {
    const choice = (/** @type {"png" | "svg" | "json"} */ format) => h("button", {
      type: "button", class: "choice", onclick: () => { close(); this.save(format); },
    }, h("strong", {}, format.toUpperCase()), h("span", {}, t(`export.${format}`)));
    const { close } = this.#show(
      t("export.title"), h("div", { class: "choices" }, choice("png"), choice("svg"), choice("json")));
  }

  /** @param {"png" | "svg" | "json"} format */
  async save(format) {
    try {
      download(await exported(this.app, format), `boardroom-${this.app.room.slice(0, 8)}.${format}`);
      this.app.banner.note(t("export.done", { format: format.toUpperCase() }));
    } catch (why) {
      this.app.refused(why);
    }
  }

  // Images

  image() {
    const file = h("input", { type: "file", accept: IMAGES, class: "unseen", tabindex: -1,
      onchange: () => { close(); this.upload([...file.files ?? []]); } });
    const address = h("input", { type: "url", placeholder: "https://", "aria-label": t("image.address") });
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      close();
      this.fromAddress(address.value.trim());
    };
    const { close } = this.#show(t("image.title"), file,
      wordButton("image", t("image.file"), () => file.click(),
        { class: "button primary wide", disabled: !this.app.rest.rights.putImages }),
      h("p", { class: "quiet" }, t("image.about", { size: Math.round(this.app.imageLimit / 1024 / 1024) })),
      h("form", { class: "copy-row", onsubmit: submit }, address,
        h("button", { class: "button" }, t("image.put"))));
  }

  /** The frame stands on the board at once; the picture comes into it when the server has it. */
  /** @param {Blob[]} files @param {{x: number, y: number}} [at] */
  async upload(files, at) {
    const { app } = this;
    for (const file of files.filter(({ type }) => IMAGES.split(",").includes(type))) {
      if (file.size > app.imageLimit) {
        app.banner.note(t("image.tooLarge",
          { size: (file.size / 1048576).toFixed(1), limit: Math.round(app.imageLimit / 1048576) }), true);
        continue;
      }
      const local = URL.createObjectURL(file);
      const size = await sizeOf(local);
      URL.revokeObjectURL(local);
      if (!size) { app.banner.note(t("image.none"), true); continue; }
      const id = app.board.putImage(this.#fitted(size), at);
      await app.rest.putImage(file).then((src) => app.board.setImage(id, src), (why) => {
        app.board.selection = [id];
        app.board.remove();
        app.refused(why);
      });
    }
  }

  /** @param {string} src */
  async fromAddress(src) {
    if (!/^https?:\/\/[^\s"'<>]+$/.test(src)) return this.app.banner.note(t("image.badAddress"), true);
    const size = await sizeOf(src);
    if (!size) return this.app.banner.note(t("image.none"), true);
    this.app.board.putImage({ src, ...this.#fitted(size) });
  }

  /** No larger than most of the screen. */
  /** @param {{width: number, height: number}} size */
  #fitted({ width, height }) {
    const { view } = this.app.board;
    const part = Math.min(1, (0.6 * view.width) / view.scale / width,
      (0.6 * view.height) / view.scale / height);
    return { width: Math.round(width * part), height: Math.round(height * part) };
  }

  help() {
    const groups = KEYS.map(([title, keys]) =>
      h("section", {}, h("h3", {}, t(title)), h("dl", {}, ...keys.flatMap(([words, press]) =>
      [h("dt", {}, t(words)), h("dd", {}, ...press.map((key) => h("kbd", {}, key)))]))));
    this.#show(t("help.title"), h("div", { class: "help" }, ...groups));
  }
}
