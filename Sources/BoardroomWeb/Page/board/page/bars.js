// The bars at the top and the bottom, the menu, and what is shown to members who only read.

import { carryToken } from "../../ui/carry.js";
import { fill, find, h, icon, piece, setLabel } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { hasHandUp, mayWrite, nameOf } from "../../ui/people.js";
import { Popover } from "../../ui/popover.js";
import { Part } from "./part.js";

export class Bars extends Part {
  hand = find(this.app.element, ".hand", HTMLButtonElement);
  undo = find(this.app.element, "[data-do=undo]", HTMLButtonElement);
  redo = find(this.app.element, "[data-do=redo]", HTMLButtonElement);
  zoom = find(this.app.element, ".zoom");
  readOnly = find(this.app.element, ".read-only");
  menu = new Popover(find(this.app.element, ".menu-open", HTMLButtonElement), {
    label: t("menu.title"),
    class: "menu",
    closesOnClick: true,
    build: (panel) => this.#fillMenu(panel),
  });

  showZoom() {
    const percent = this.app.board.view.scale * 100;
    this.zoom.textContent = percent < 1 ? "<1%" : `${Math.round(percent)}%`;
  }

  update() {
    const { me, session, element } = this.app;
    const isHere = session.phase === "connected";
    const isHandUp = hasHandUp(me);
    this.showZoom();
    this.zoom.title = t("view.full");
    this.hand.ariaPressed = String(isHandUp);
    this.hand.disabled = !isHere;
    this.hand.hidden = session.isSpectator;
    setLabel(this.hand, t(isHandUp ? "hand.lower" : "hand.raise"));
    const isReading = isHere && me !== undefined && !me.writable;
    element.classList.toggle("is-reading", isReading);
    this.readOnly.hidden = !isReading;
    if (isReading) this.#showReading(me);
  }

  /**
   * Says why this member only reads, and what can be done.
   * @param {RoomMember} me
   */
  #showReading(me) {
    const isLocked = isLockedFor(this.app, me);
    const words = h("span", {}, whyReading(this.app, me));
    const mayChange = mayWrite(me) && (isLocked ? this.app.isHost : !me.barred);
    fill(this.readOnly, icon("eye"), words, mayChange && writeButton(isLocked));
  }

  /** @param {HTMLElement} panel */
  #fillMenu(panel) {
    const { follow, session } = this.app;
    const { theme } = this.app.board;
    const { actions = {} } = this.app.options;
    panel.append(piece("menu"));
    const link = find(panel, "a", HTMLAnchorElement);
    const { origin, room, options, clock, isHost } = this.app;
    carryToken(link, `${origin}/replay/${room}`, () => options.token ?? "", clock);
    if (isHost) find(link, "span").textContent = t("menu.history");
    const ofPage = ["theme", "language", "newBoard", "boards"];
    const unwanted = ofPage.filter((what) => !(what in actions));
    if (!session.writable) unwanted.push("present");
    const not = [
      theme === "dark" ? "light" : "dark",
      follow.mode === "broadcaster" ? "free" : "presenting",
    ];
    for (const one of panel.querySelectorAll("button")) {
      if (unwanted.includes(one.dataset.do ?? "") || not.includes(one.dataset.when ?? "")) {
        one.remove();
      }
    }
  }
}

/**
 * @param {App} app
 * @param {RoomMember} me
 * @returns whether the board is locked, for this member too
 */
const isLockedFor = ({ session }, me) => session.state.lock !== undefined && !me.barred;

/**
 * @param {App} app
 * @param {RoomMember | undefined} me
 * @returns why this member may not write, in words
 */
export function whyReading(app, me) {
  if (!me || me.writable) return t("refusal.notConnected");
  if (!mayWrite(me)) return t("reading.token");
  const { state } = app.session;
  const locker = state.members.get(state.lock?.by ?? -1);
  const name = locker ? nameOf(locker) : t("members.host");
  return t(isLockedFor(app, me) ? "reading.locked" : "reading.asked", { name });
}

/** @param {boolean} isLocked */
function writeButton(isLocked) {
  const picture = icon(isLocked ? "unlock" : "pen");
  const words = h("span", {}, t(isLocked ? "members.unlockBoard" : "reading.write"));
  const props = { class: "button small", "data-do": isLocked ? "lockBoard" : "write" };
  return h("button", props, picture, words);
}
