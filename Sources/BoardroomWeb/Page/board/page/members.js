// The members: faces in the bar, and a panel with all of them; hosts moderate there (SPEC, MOD-5 to
// MOD-7).

import { sceneOf } from "../../state/roomstate.js";
import { fill, find, h, icon, iconButton, piece } from "../../ui/dom.js";
import { languageTag, t } from "../../ui/i18n.js";
import {
  hasHandUp,
  initialsOf,
  mayWrite,
  NAME_LIMIT,
  nameOf,
  TONES,
  toneOf,
} from "../../ui/people.js";
import { Popover } from "../../ui/popover.js";
import { Part } from "./part.js";

/**
 * Somebody who is kept out of a room (docs/HTTP.md, bans); `name`: what whoever banned them called
 * them.
 * @typedef {{ id: number; uid?: string; name?: string; until: number }} Ban
 */

/** Minutes of a ban. */
const BAN_MINUTES = 60;

/**
 * @param {number} time in ms
 * @returns the time of day, and the day if it is another one
 */
function timeOf(time) {
  const then = new Date(time);
  const day = /** @type {const} */ ({ day: "numeric", month: "short" });
  const isToday = then.toDateString() === new Date().toDateString();
  const hour = /** @type {const} */ ({ hour: "2-digit", minute: "2-digit" });
  return then.toLocaleString(languageTag(), isToday ? hour : { ...hour, ...day });
}

/** @param {RoomMember} member */
function face(member) {
  const name = nameOf(member);
  const isAway = member.phase === "reconnecting" && "is-away";
  const isRaised = hasHandUp(member) && "is-raised";
  const props = {
    class: ["face", isAway, isRaised].filter(Boolean).join(" "),
    style: { "--tone": TONES[toneOf(member.id)] },
    title: name,
  };
  return h("span", props, initialsOf(name));
}

export class Members extends Part {
  button = find(this.app.element, ".faces", HTMLButtonElement);
  popover = new Popover(this.button, {
    label: t("members.title"),
    class: "members",
    build: (panel) => this.#build(panel),
  });

  /** What the panel was last built for. */
  shown = "";

  /** @type {Map<string, string>} what users were called, by their uid */
  names = new Map();

  render() {
    const { me, others, session, pages } = this.app;
    for (const one of others) {
      if (one.uid) this.names.set(one.uid, nameOf(one));
    }
    const all = me ? [me, ...others] : others;
    this.#showFaces(all);
    // The panel is not replaced while a name is being written, nor a button while a finger is on
    // it.
    const about = all.map((one) => [one.id, nameOf(one), this.#detailsOf(one)]);
    const isApart = pages.isSpread || pages.isElsewhere;
    const told = JSON.stringify([about, session.state.lock, me?.writable, isApart]);
    if (told === this.shown || this.popover.panel.querySelector("input:focus")) return;
    this.popover.rebuild();
    this.shown = told;
  }

  /** @param {RoomMember[]} all */
  #showFaces(all) {
    const most = this.app.isNarrow ? 2 : 3;
    const more = all.length > most && h("span", { class: "face more" }, `+${all.length - most}`);
    fill(this.button, all.slice(0, most).map(face), more);
    const hands = all.filter(hasHandUp).length;
    const count = t("members.count", { count: all.length });
    const label = hands ? `${count} · ${t("members.hands", { count: hands })}` : count;
    this.button.title = [label, ...all.slice(0, most).map(nameOf)].join("\n");
    this.button.ariaLabel = label;
  }

  /** @param {HTMLElement} panel */
  #build(panel) {
    const { me, others, isHost, rest } = this.app;
    panel.append(piece("members"));
    const items = others.sort(byHand).map((one) => this.#memberItem(one));
    fill(find(panel, ".member-list"), me && this.#ownItem(me), items);
    this.#showBring(find(panel, ".bring"));
    if (!isHost) return find(panel, ".hosts").remove();
    if (rest.rights.host) this.#showBans(find(panel, ".bans"));
    this.#showLock(find(panel, "[data-do=lockBoard]"));
  }

  /** @param {HTMLElement} button is there if somebody looks at another page */
  #showBring(button) {
    const { me, pages } = this.app;
    button.hidden = !pages.isSpread && !pages.isElsewhere;
    if (me?.writable) return;
    button.ariaDisabled = "true";
    button.title = t("pages.mayNotBring");
  }

  /** @param {HTMLElement} button */
  #showLock(button) {
    const isLocked = this.app.session.state.lock !== undefined;
    const words = t(isLocked ? "members.unlockBoard" : "members.lockBoard");
    button.ariaPressed = String(isLocked);
    fill(button, icon(isLocked ? "unlock" : "lock"), h("span", {}, words));
  }

  /**
   * Shows who is banned, and until when.
   * @param {HTMLElement} part
   */
  async #showBans(part) {
    const { rest, room } = this.app;
    const asked = rest.request("GET", `/v5/rooms/${room}/bans?limit=1000`);
    // Someone who may not read the bans sees none, without a message: nobody has asked for them.
    const bans = /** @type {Ban[]} */ (await asked.catch(() => []));
    const items = bans.map((ban) => this.#banItem(ban, part));
    fill(find(part, "ul"), items);
    part.hidden = items.length === 0;
  }

  /**
   * @param {Ban} ban
   * @param {HTMLElement} part that is shown anew when it is lifted
   */
  #banItem({ id, uid = "", until, name: given }, part) {
    const { app } = this;
    const name = given ?? this.names.get(uid) ?? (uid || t("members.guest", { number: id }));
    const end = t("members.until", { time: timeOf(until) });
    const props = {
      class: "button small",
      "aria-label": t("members.liftOf", { name }),
      onclick: async () => {
        await app.succeeds(app.rest.request("DELETE", `/v5/rooms/${app.room}/bans/${id}`));
        await this.#showBans(part);
      },
    };
    return h("li", {}, who(name, end), h("button", props, t("members.lift")));
  }

  /** @param {RoomMember} me */
  #ownItem(me) {
    const { app } = this;
    const { session } = app;
    const input = h("input", {
      value: nameOf(me),
      maxlength: NAME_LIMIT,
      "aria-label": t("members.yourName"),
      disabled: !session.writable,
    });
    input.onchange = () => app.rename(input.value);
    const about = [t("members.you"), this.#detailsOf(me)].filter(Boolean).join(" · ");
    // There is no dialog around the form: with this method, submitting it does nothing else.
    const own = { class: "own", method: "dialog", onsubmit: () => input.blur() };
    return h("li", {}, face(me), h("form", own, input, h("small", {}, about)));
  }

  /**
   * @param {RoomMember} member
   * @returns what is to be known of it, in words
   */
  #detailsOf(member) {
    const isPresenting = this.app.session.state.broadcaster === member.id;
    const page = this.#pageOf(member);
    const about = [
      page !== undefined && t("members.onPage", { label: this.app.pages.labelOf(page) }),
      member.phase === "reconnecting" && t("members.away"),
      !member.writable && t("members.reading"),
      member.role === "admin" && t("members.host"),
      isPresenting && t("members.presenting"),
      hasHandUp(member) && t("members.handUp"),
    ];
    return about.filter(Boolean).join(" · ");
  }

  /**
   * @param {RoomMember} member
   * @returns {number | undefined} the page that it looks at; undefined: this one, or it is not known,
   *   since who only reads cannot tell
   */
  #pageOf(member) {
    const { session } = this.app;
    const scene = sceneOf(session.state, member.id);
    const isKnown = member.writable || member.viewMode === "follower";
    const isElsewhere = member !== this.app.me && scene !== session.scene;
    return isKnown && isElsewhere ? scene : undefined;
  }

  /**
   * @param {RoomMember} member
   * @param {string} name
   * @returns to turn to the page that it looks at; false: that is this one
   */
  #visitButton(member, name) {
    const page = this.#pageOf(member);
    const visit = () => page !== undefined && this.app.pages.lookAt(page);
    return page !== undefined && iconButton("pages", t("members.visit", { name }), visit);
  }

  /** @param {RoomMember} member */
  #memberItem(member) {
    const name = nameOf(member);
    return h(
      "li",
      {},
      face(member),
      who(name, this.#detailsOf(member)),
      this.#visitButton(member, name),
      this.#penButton(member, name),
      this.#removeButton("kick", member, name),
      this.#removeButton("ban", member, name),
    );
  }

  /**
   * @param {RoomMember} member
   * @param {string} name
   * @returns to let it write, or not; false: this member may not
   */
  #penButton(member, name) {
    const { app } = this;
    if (!app.isHost || !mayWrite(member)) return false;
    const allowed = member.barred || !(member.writable || member.kept);
    const label = t(allowed ? "members.makeWriter" : "members.makeReader", { name });
    const turn = () => app.send("writingAllowed", { member: member.id, allowed });
    return iconButton(allowed ? "pen" : "eye", label, turn);
  }

  /**
   * @param {"kick" | "ban"} what
   * @param {RoomMember} member
   * @param {string} name
   * @returns false: this member may not
   */
  #removeButton(what, member, name) {
    const { app } = this;
    if (!app.rest.rights.host) return false;
    const about = { name, minutes: BAN_MINUTES };
    const ask = () =>
      app.dialogs.confirm(t(`members.${what}Ask`, about), t(`members.${what}Do`), () =>
        this.#remove(what, member, name),
      );
    return iconButton(what, t(`members.${what}`, about), ask, { class: "tool severe" });
  }

  /**
   * @param {"kick" | "ban"} what
   * @param {RoomMember} member
   * @param {string} name
   */
  async #remove(what, member, name) {
    const { app } = this;
    const isBan = what === "ban";
    // A member with neither uid nor token cannot be banned.
    const isKnown = member.uid !== undefined || !app.options.isOpen;
    const body = {
      memberId: member.id,
      time: isBan && isKnown ? BAN_MINUTES : undefined,
      name: isBan ? name : undefined,
    };
    const way = isBan && isKnown ? "bans" : "kick";
    await app.succeeds(app.rest.request("POST", `/v5/rooms/${app.room}/${way}`, body));
    this.popover.rebuild();
  }
}

/**
 * @param {string} name
 * @param {string} about
 */
const who = (name, about) =>
  h("div", { class: "who" }, h("strong", {}, name), h("small", {}, about));

/**
 * Members with raised hands come first, those who have waited longest at the top.
 * @param {RoomMember} one
 * @param {RoomMember} other
 */
const byHand = (one, other) =>
  (one.hand ?? Infinity) - (other.hand ?? Infinity) || one.id - other.id;
