// Who is here: faces in the bar, a panel with everybody; hosts moderate there (SPEC, MOD-5 to
// MOD-7).
import { fill, find, h, icon, iconButton, piece, popover } from "../../ui/dom.js";
import { languageTag, t } from "../../ui/i18n.js";
import { hasHandUp, initialsOf, mayWrite, nameOf, TONES, toneOf } from "../../ui/people.js";
import { Part } from "./part.js";

const BAN_MINUTES = 60;

/**
 * @param {number} time in ms
 * @returns the time of day, and the day if it is another one
 */
function timeOf(time) {
  const then = new Date(time);
  const day = /** @type {const} */ ({ day: "numeric", month: "short" });
  const isToday = then.toDateString() === new Date().toDateString();
  return then.toLocaleString(languageTag(), {
    hour: "2-digit",
    minute: "2-digit",
    ...(isToday ? {} : day),
  });
}

/** @param {RoomMember} member */
function face(member) {
  const name = nameOf(member);
  const marks = [
    "face",
    member.phase === "reconnecting" && "is-away",
    hasHandUp(member) && "is-raised",
  ];
  const style = { "--tone": TONES[toneOf(member.id)] };
  return h(
    "span",
    { class: marks.filter(Boolean).join(" "), style, title: name },
    initialsOf(name),
  );
}

export class Members extends Part {
  button = find(this.app.element, ".faces", HTMLButtonElement);
  popover = popover(this.button, {
    label: t("members.title"),
    class: "members",
    build: (panel) => this.#build(panel),
  });

  told = ""; // what the panel was last built for

  /** @type {Map<string, string>} what users were called, by their uid */
  names = new Map();

  render() {
    const { me, others, session, isNarrow } = this.app;
    for (const one of others) {
      if (one.uid) this.names.set(one.uid, nameOf(one));
    }
    const all = me ? [me, ...others] : others;
    const most = isNarrow ? 2 : 3;
    const more = all.length > most && h("span", { class: "face more" }, `+${all.length - most}`);
    fill(this.button, all.slice(0, most).map(face), more);
    const hands = all.filter(hasHandUp).length;
    const up = hands ? ` · ${t("members.hands", { count: hands })}` : "";
    const label = t("members.count", { count: all.length }) + up;
    this.button.title = label;
    this.button.ariaLabel = label;
    // A name being written is not taken away by somebody's coming, nor a button from under a
    // finger.
    const about = all.map((one) => [one.id, nameOf(one), this.#about(one)]);
    const told = JSON.stringify([about, session.state.lock]);
    if (told === this.told || this.popover.panel.querySelector("input:focus")) return;
    this.popover.rebuild();
    this.told = told;
  }

  /** @param {HTMLElement} panel */
  #build(panel) {
    const { me, others, isHost, session } = this.app;
    panel.append(piece("members"));
    others.sort(
      (one, other) => (one.hand ?? Infinity) - (other.hand ?? Infinity) || one.id - other.id,
    );
    fill(
      find(panel, ".member-list"),
      me && this.#own(me),
      others.map((one) => this.#other(one)),
    );
    if (!isHost) return find(panel, ".hosts").remove();
    if (this.app.rest.rights.host) this.#showBans(find(panel, ".bans"));
    const lock = find(panel, "[data-do=lockBoard]");
    const isLocked = session.state.lock !== undefined;
    lock.ariaPressed = String(isLocked);
    fill(
      lock,
      icon(isLocked ? "unlock" : "lock"),
      h("span", {}, t(isLocked ? "members.unlockBoard" : "members.lockBoard")),
    );
  }

  /**
   * Who is kept out, and until when.
   * @param {HTMLElement} part
   */
  async #showBans(part) {
    const { app } = this;
    const { rest, room } = app;
    // Whoever cannot be told of them sees none; nothing was asked for by hand.
    const asked = rest.ask("GET", `/v5/rooms/${room}/bans?limit=1000`).catch(() => []);
    const list = /** @type {Ban[]} */ (await asked).map(({ id, uid = "", until, name: given }) => {
      const name = given ?? this.names.get(uid) ?? (uid || t("members.guest", { number: id }));
      const label = t("members.liftOf", { name });
      const end = t("members.until", { time: timeOf(until) });
      const onclick = () =>
        app
          .done(rest.ask("DELETE", `/v5/rooms/${room}/bans/${id}`))
          .then(() => this.#showBans(part));
      return h(
        "li",
        {},
        h("div", { class: "who" }, h("strong", {}, name), h("small", {}, end)),
        h("button", { class: "button small", "aria-label": label, onclick }, t("members.lift")),
      );
    });
    fill(find(part, "ul"), list);
    part.hidden = list.length === 0;
  }

  /** @param {RoomMember} me */
  #own(me) {
    const { app } = this;
    const { session, options } = app;
    const label = t("members.yourName");
    const disabled = !session.writable;
    const input = h("input", { value: nameOf(me), maxlength: 40, "aria-label": label, disabled });
    input.onchange = () => {
      app.send("memberState", { name: input.value.trim() || null });
      options.onRenamed?.(input.value.trim());
    };
    const about = [t("members.you"), this.#about(me)].filter(Boolean).join(" · ");
    // No dialog is around it: being sent, a form of this method does nothing else.
    const own = { class: "own", method: "dialog", onsubmit: () => input.blur() };
    return h("li", {}, face(me), h("form", own, input, h("small", {}, about)));
  }

  /** @param {RoomMember} member */
  #about(member) {
    const isPresenting = this.app.session.state.broadcaster === member.id;
    return [
      member.phase === "reconnecting" && t("members.away"),
      !member.writable && t("members.reading"),
      member.role === "admin" && t("members.host"),
      isPresenting && t("members.presenting"),
      hasHandUp(member) && t("members.handUp"),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** @param {RoomMember} member */
  #other(member) {
    const { app } = this;
    const { rest, room, dialogs } = app;
    const about = { name: nameOf(member), minutes: BAN_MINUTES };
    const allowed = member.barred || !(member.writable || member.kept);
    const pen = () => app.send("writingAllowed", { member: member.id, allowed });
    const remove = (/** @type {"kick" | "ban"} */ what) => {
      // Nobody can be kept out who has neither uid nor token.
      const isKnown = member.uid !== undefined || !app.options.isOpen;
      const [way, time] = what === "ban" && isKnown ? ["bans", BAN_MINUTES] : ["kick"];
      const body = { memberId: member.id, time, name: what === "ban" ? about.name : undefined };
      const run = () =>
        app
          .done(rest.ask("POST", `/v5/rooms/${room}/${way}`, body))
          .then(() => this.popover.rebuild());
      const ask = () =>
        dialogs.confirm(t(`members.${what}Ask`, about), t(`members.${what}Do`), run);
      return (
        rest.rights.host &&
        iconButton(what, t(`members.${what}`, about), ask, { class: "tool severe" })
      );
    };
    return h(
      "li",
      {},
      face(member),
      h("div", { class: "who" }, h("strong", {}, about.name), h("small", {}, this.#about(member))),
      app.isHost &&
        mayWrite(member) &&
        iconButton(
          allowed ? "pen" : "eye",
          t(allowed ? "members.makeWriter" : "members.makeReader", about),
          pen,
        ),
      remove("kick"),
      remove("ban"),
    );
  }
}
