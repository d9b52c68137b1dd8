import { fill, h, iconButton, popover, wordButton } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { hasHandUp, lockOf, mayWrite } from "../board/people.js";

// The bars at the top and the bottom, the menu, and what is said to who may only look.

export class Bars {
  /** @param {import("../board/app.js").App} app */
  constructor(app) {
    this.app = app;
    const { board, members, banner, pages } = app;
    this.undo = iconButton("undo", t("edit.undo"), () => board.undo());
    this.redo = iconButton("redo", t("edit.redo"), () => board.redo());
    this.hand = iconButton("raise", t("hand.raise"), () => app.done(app.people.raiseHand(!this.isHandUp)));
    const full = () => board.moveView(() => board.glide({ ...board.view.camera, scale: 1 }));
    this.zoom = h("button", { type: "button", class: "button zoom", title: t("view.full"), onclick: full });
    this.readOnly = h("div", { class: "read-only bar", hidden: true });
    this.menu = popover(iconButton("menu", t("menu.title"), () => {}),
      { label: t("menu.title"), class: "menu", build: (panel) => this.#fillMenu(panel) });
    const share = wordButton("share", t("share.open"), () => app.dialogs.share(),
      { class: "button primary share-open", "aria-label": t("share.open") });
    const step = (/** @type {string} */ picture, /** @type {string} */ words, /** @type {number} */ by) => {
      const go = () => board.moveView(() => board.view.zoomStep(by));
      return iconButton(picture, words, go, { class: "tool only-wide" });
    };
    this.top = h("header", { class: "top" },
      h("div", { class: "bar room" }, h("strong", { class: "brand" }, "Boardroom"), banner.status),
      h("div", { class: "bar people" }, members.element, this.hand, share, this.menu.anchor));
    this.bottom = h("footer", { class: "bottom" }, pages.element,
      h("div", { class: "bar view", role: "group", "aria-label": t("view.title") },
        this.undo, this.redo, h("span", { class: "rule" }), step("minus", t("view.out"), -1), this.zoom,
        step("plus", t("view.in"), 1), iconButton("fit", t("view.fit"), () => board.fit())));
    this.setSteps({ undo: 0, redo: 0 });
  }

  get isHandUp() { return this.app.people.me !== undefined && hasHandUp(this.app.people.me); }

  /** How many of the own steps can be taken back and done again. */
  /** @param {{undo?: number, redo?: number}} steps */
  setSteps({ undo, redo }) {
    if (undo !== undefined) this.undo.disabled = undo === 0;
    if (redo !== undefined) this.redo.disabled = redo === 0;
  }

  showZoom() { this.zoom.textContent = `${Math.round(this.app.board.view.scale * 100)}%`; }

  update() {
    this.showZoom();
    const label = t(this.isHandUp ? "hand.lower" : "hand.raise");
    this.hand.setAttribute("aria-pressed", String(this.isHandUp));
    this.hand.setAttribute("aria-label", label);
    this.hand.title = label;
    this.hand.disabled = !this.app.session.writable;
    this.#showReadOnly();
  }

  #showReadOnly() {
    const { people, session, element } = this.app;
    const { me, isHost, isLockedOut } = people;
    const isReading = session.phase === "connected" && me !== undefined && !me.writable;
    element.classList.toggle("is-reading", isReading);
    this.readOnly.hidden = !isReading;
    if (!isReading) return;
    const lock = isLockedOut ? lockOf(session.state) : null;
    const why = !mayWrite(me) ? "reading.token" : lock ? "reading.locked" : "reading.asked";
    const write = () => (isLockedOut ? this.app.done(people.lock(false))
      : this.app.send("memberWritable", { writable: true }));
    const again = mayWrite(me) && (isHost || !isLockedOut) && wordButton(isLockedOut ? "unlock" : "pen",
      t(isLockedOut ? "members.unlockBoard" : "reading.write"), write, { class: "button small" });
    fill(this.readOnly, icon("eye"), h("span", {}, t(why, { name: lock?.name ?? "" })), again);
  }

  /** @param {HTMLElement} panel */
  #fillMenu(panel) {
    const { follow, session, board, dialogs, origin, room, actions } = this.app;
    const { theme, language, home } = actions;
    const item = (/** @type {string} */ picture, /** @type {string} */ key, /** @type {() => void} */ run) =>
      wordButton(picture, t(key), () => { this.menu.close(); run(); }, { class: "menu-item" });
    const isPresenting = follow.mode === "broadcaster";
    const isDark = board.theme === "dark";
    const href = `${origin}/replay/${room}`;
    const replay = { class: "menu-item", href, target: "_blank", rel: "noopener" };
    fill(panel,
      session.writable && item("present", isPresenting ? "follow.stopPresenting" : "follow.present",
        () => follow.choose(isPresenting ? "freedom" : "broadcaster")),
      item("download", "export.open", () => dialogs.export()),
      h("a", replay, icon("replay"), h("span", {}, t("menu.replay"))),
      theme && item(isDark ? "sun" : "moon", isDark ? "menu.light" : "menu.dark", theme),
      language && item("language", "menu.language", language),
      item("keyboard", "help.title", () => dialogs.help()), home && item("plus", "menu.new", home));
  }
}
