import { Part, called, fill, find, h, piece, popover } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { mayWrite, nameOf } from "../board/people.js";

// The bars at the top and the bottom, the menu, and what is said to who may only look.

export class Bars extends Part {
  hand = find(this.app.element, ".hand", HTMLButtonElement);
  undo = find(this.app.element, "[data-do=undo]", HTMLButtonElement);
  redo = find(this.app.element, "[data-do=redo]", HTMLButtonElement);
  zoom = find(this.app.element, ".zoom");
  readOnly = find(this.app.element, ".read-only");
  menu = popover(find(this.app.element, ".menu-open", HTMLButtonElement),
    { label: t("menu.title"), class: "menu", goes: true, build: (panel) => this.#fillMenu(panel) });

  /** @param {{undo?: number, redo?: number}} steps own ones that can be taken back and done again */
  setSteps({ undo, redo }) {
    if (undo !== undefined) this.undo.disabled = undo === 0;
    if (redo !== undefined) this.redo.disabled = redo === 0;
  }

  showZoom() { this.zoom.textContent = `${Math.round(this.app.board.view.scale * 100)}%`; }

  update() {
    const { people, session } = this.app;
    this.showZoom();
    this.zoom.title = t("view.full");
    this.hand.ariaPressed = String(people.isHandUp);
    this.hand.disabled = session.phase !== "connected";
    called(this.hand, t(people.isHandUp ? "hand.lower" : "hand.raise"));
    this.#showReadOnly();
  }

  #showReadOnly() {
    const { people: { me, isHost, locker }, session, session: { state }, element } = this.app;
    const isReading = session.phase === "connected" && me !== undefined && !me.writable;
    element.classList.toggle("is-reading", isReading);
    this.readOnly.hidden = !isReading;
    if (!isReading) return;
    const isLocked = state.lock !== undefined && !me.barred;
    const why = !mayWrite(me) ? "reading.token" : isLocked ? "reading.locked" : "reading.asked";
    const [doing, picture, words] = isLocked ? ["lockBoard", "unlock", "members.unlockBoard"]
      : ["write", "pen", "reading.write"];
    const name = locker ? nameOf(locker) : t("members.host");
    fill(this.readOnly, icon("eye"), h("span", {}, t(why, { name })),
      mayWrite(me) && (isLocked ? isHost : !me.barred)
        && h("button", { class: "button small", "data-do": doing }, icon(picture), h("span", {}, t(words))));
  }

  #fillMenu(/** @type {HTMLElement} */ panel) {
    const { follow, session, board, origin, room, options: { actions = {} } } = this.app;
    panel.append(piece("menu"));
    const isDark = board.theme === "dark";
    const isPresenting = follow.mode === "broadcaster";
    find(panel, "[data-do=theme]").prepend(icon(isDark ? "sun" : "moon"));
    find(panel, "[data-do=theme] > span").textContent = t(isDark ? "menu.light" : "menu.dark");
    find(panel, "[data-do=present] > span").textContent =
      t(isPresenting ? "follow.stopPresenting" : "follow.present");
    find(panel, "a", HTMLAnchorElement).href = `${origin}/replay/${room}`;
    if (!session.writable) find(panel, "[data-do=present]").remove();
    for (const what of ["theme", "language", "home"]) {
      if (!(what in actions)) find(panel, `[data-do=${what}]`).remove();
    }
  }
}
