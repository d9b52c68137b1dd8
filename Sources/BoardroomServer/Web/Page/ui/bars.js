import { Part, called, fill, find, h, icon, piece, popover } from "./dom.js";
import { t } from "./i18n.js";
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
  showZoom() { this.zoom.textContent = `${Math.round(this.app.board.view.scale * 100)}%`; }

  update() {
    const { people: { me, isHost, isHandUp, locker }, session: { phase, state }, element } = this.app;
    this.showZoom();
    this.zoom.title = t("view.full");
    this.hand.ariaPressed = String(isHandUp);
    this.hand.disabled = phase !== "connected";
    called(this.hand, t(isHandUp ? "hand.lower" : "hand.raise"));
    const isReading = phase === "connected" && me !== undefined && !me.writable;
    element.classList.toggle("is-reading", isReading);
    this.readOnly.hidden = !isReading;
    if (!isReading) return;
    const isLocked = state.lock !== undefined && !me.barred;
    const why = !mayWrite(me) ? "reading.token" : isLocked ? "reading.locked" : "reading.asked";
    const [doing, picture, words] = isLocked ? ["lockBoard", "unlock", "members.unlockBoard"]
      : ["write", "pen", "reading.write"];
    fill(this.readOnly, icon("eye"), h("span", {}, t(why, { name: locker ? nameOf(locker) : t("members.host") })),
      mayWrite(me) && (isLocked ? isHost : !me.barred)
        && h("button", { class: "button small", "data-do": doing }, icon(picture), h("span", {}, t(words))));
  }

  #fillMenu(/** @type {HTMLElement} */ panel) {
    const { follow, session, board, origin, room, options: { actions = {} } } = this.app;
    panel.append(piece("menu"));
    find(panel, "a", HTMLAnchorElement).href = `${origin}/replay/${room}`;
    const unwanted = ["theme", "language", "home"].filter((what) => !(what in actions));
    if (!session.writable) unwanted.push("present");
    const not = [board.theme === "dark" ? "light" : "dark", follow.mode === "broadcaster" ? "free" : "presenting"];
    const gone = [...unwanted.map((what) => `[data-do=${what}]`), ...not.map((when) => `[data-when=${when}]`)];
    panel.querySelectorAll(String(gone)).forEach((one) => one.remove());
  }
}
