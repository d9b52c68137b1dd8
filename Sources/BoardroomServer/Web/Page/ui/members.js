import { h, iconButton, popover, wordButton } from "./dom.js";
import { t } from "./i18n.js";
import { hasHandUp, initialsOf, lockOf, mayWrite, nameOf, toneOf } from "../board/people.js";

// Who is here: faces in the bar, and a panel with everybody, where hosts moderate.

/** @typedef {import("../core/state.js").Member} Member */

const FACES = 3;
const FACES_NARROW = 2;
const BAN_MINUTES = 60;

/**
 * Raised hands first.
 * @type {(one: Member, other: Member) => number}
 */
const byHand = (one, other) => Number(hasHandUp(other)) - Number(hasHandUp(one)) || one.id - other.id;

/** @param {Member} member @param {string} name */
function face(member, name) {
  const hand = hasHandUp(member);
  return h("span", {
    class: `face ${member.phase === "reconnecting" ? "is-away" : ""} ${hand ? "is-raised" : ""}`,
      "data-tone": toneOf(member.id), title: name,
  }, initialsOf(name));
}

export class Members {
  /** @param {import("../board/app.js").App} app */
  constructor(app) {
    this.app = app;
    this.button = h("button", { type: "button", class: "button faces" });
    this.popover = popover(this.button,
      { label: t("members.title"), class: "members", build: (panel) => this.#build(panel) });
    this.element = this.popover.anchor;
    /** What the panel was last built for. */
    this.told = "";
  }

  render() {
    const { session } = this.app;
    const { me, others } = this.app.people;
    const all = me ? [me, ...others] : others;
    const hands = all.filter(hasHandUp).length;
    const most = this.app.isNarrow ? FACES_NARROW : FACES;
    const shown = all.slice(0, most).map((member) => face(member, nameOf(member)));
    const rest = all.length > most ? h("span", { class: "face more" }, `+${all.length - most}`) : null;
    this.button.replaceChildren(...shown, ...(rest ? [rest] : []));
    const up = hands ? ` · ${t("members.hands", { count: hands })}` : "";
    const label = t("members.count", { count: all.length }) + up;
    this.button.setAttribute("aria-label", label);
    this.button.title = label;
    // A name being written is not taken away by somebody's coming, nor a button from under a finger.
    const { panel } = this.popover;
    const people = all.map((one) => [one.id, nameOf(one), this.#about(one)]);
    const told = JSON.stringify([people, lockOf(session.state)]);
    if (told === this.told || panel.querySelector("input:focus")) return;
    this.popover.rebuild();
    this.told = told;
  }

  /** @param {HTMLElement} panel */
  #build(panel) {
    const { people, session } = this.app;
    const lock = lockOf(session.state);
    panel.append(h("h2", {}, t("members.title")));
    panel.append(h("ul", { class: "member-list" }, people.me ? this.#own(people.me) : null,
      ...people.others.sort(byHand).map((one) => this.#other(one))));
    if (!people.isHost) return;
    panel.append(h("hr"), h("div", { class: "actions wide" },
      wordButton(lock ? "unlock" : "lock", t(lock ? "members.unlockBoard" : "members.lockBoard"),
        () => this.app.done(people.lock(!lock)), { "aria-pressed": String(lock !== null) }),
      wordButton("clear", t("members.clear"),
        () => this.app.confirm(t("members.clearAsk"), t("members.clear"),
        () => this.app.done(people.clear())))));
  }

  /** @param {Member} me */
  #own(me) {
    const input = h("input", {
      value: nameOf(me), maxlength: 40, "aria-label": t("members.yourName"),
        disabled: !this.app.session.writable,
      onchange: () => this.app.rename(input.value),
      onkeydown: (/** @type {KeyboardEvent} */ event) => { if (
        event.key === "Enter" && !event.isComposing) input.blur(); },
    });
    return h("li", {}, face(me, nameOf(me)),
      h("label", { class: "own" }, input, h("small", {}, t("members.you"), this.#about(me, " · "))));
  }

  /** @param {Member} member */
  #about(member, before = "") {
    const words = [
      member.phase === "reconnecting" && t("members.away"), !member.writable && t("members.reading"),
      member.role === "admin" && t("members.host"),
        this.app.session.state.broadcaster === member.id && t("members.presenting"),
      hasHandUp(member) && t("members.handUp"),
    ].filter(Boolean);
    return words.length ? before + words.join(" · ") : "";
  }

  /** @param {Member} member */
  #other(member) {
    const { app } = this;
    const { people, rest } = app;
    const name = nameOf(member);
    const rights = rest.rights;
    const act = (/** @type {string} */ picture, /** @type {string} */ label, /** @type {() => void} */ run,
      isSevere = false) =>
      iconButton(picture, label, run, { class: `tool ${isSevere ? "severe" : ""}` });
    const buttons = [
      people.isHost && mayWrite(member) && (member.writable
        ? act("eye", t("members.makeReader", { name }), () => app.done(people.askWritable(member, false)))
        : act("pen", t("members.makeWriter", { name }), () => app.done(people.askWritable(member, true)))),
      rights.kick && act("kick", t("members.kick", { name }),
        () => app.confirm(t("members.kickAsk", { name }), t("members.kickDo"),
        () => app.done(people.kick(member))), true),
      rights.ban && act("ban", t("members.ban", { name }),
        () => app.confirm(t("members.banAsk", { name, minutes: BAN_MINUTES }),
        t("members.banDo"), () => app.done(people.ban(member, BAN_MINUTES))), true),
    ];
    return h("li", {}, face(member, name),
      h("div", { class: "who" }, h("strong", {}, name), h("small", {}, this.#about(member))), ...buttons);
  }
}
