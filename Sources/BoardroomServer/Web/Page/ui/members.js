import { Part, fill, find, h, iconButton, piece, popover } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { TONES, hasHandUp, initialsOf, mayWrite, nameOf, toneOf } from "../board/people.js";

// Who is here: faces in the bar, and a panel with everybody, where hosts moderate.

const BAN_MINUTES = 60;

function face(/** @type {RoomMember} */ member) {
  const name = nameOf(member);
  const marks = [member.phase === "reconnecting" && "is-away", hasHandUp(member) && "is-raised"];
  const [marked, tone] = [marks.filter(Boolean).join(" "), TONES[toneOf(member.id)]];
  return h("span", { class: `face ${marked}`, style: { "--tone": tone }, title: name }, initialsOf(name));
}

export class Members extends Part {
  button = find(this.app.element, ".faces", HTMLButtonElement);
  popover = popover(this.button,
    { label: t("members.title"), class: "members", build: (panel) => this.#build(panel) });
  /** What the panel was last built for. */
  told = "";

  render() {
    const { people, session, isNarrow } = this.app;
    const all = people.me ? [people.me, ...people.others] : people.others;
    const most = isNarrow ? 2 : 3;
    fill(this.button, all.slice(0, most).map(face),
      all.length > most && h("span", { class: "face more" }, `+${all.length - most}`));
    const hands = all.filter(hasHandUp).length;
    const up = hands ? ` · ${t("members.hands", { count: hands })}` : "";
    this.button.title = this.button.ariaLabel = t("members.count", { count: all.length }) + up;
    // A name being written is not taken away by somebody's coming, nor a button from under a finger.
    const about = all.map((one) => [one.id, nameOf(one), this.#about(one)]);
    const told = JSON.stringify([about, session.state.lock]);
    if (told === this.told || this.popover.panel.querySelector("input:focus")) return;
    this.popover.rebuild();
    this.told = told;
  }

  #build(/** @type {HTMLElement} */ panel) {
    const { people: { me, others, isHost }, session } = this.app;
    panel.append(piece("members"));
    others.sort((one, other) => (one.hand ?? Infinity) - (other.hand ?? Infinity) || one.id - other.id);
    fill(find(panel, ".member-list"), me && this.#own(me), others.map((one) => this.#other(one)));
    if (!isHost) return find(panel, ".hosts").remove();
    const isLocked = session.state.lock !== undefined;
    const lock = find(panel, "[data-do=lockBoard]");
    lock.ariaPressed = String(isLocked);
    const [picture, words] = isLocked ? ["unlock", "members.unlockBoard"] : ["lock", "members.lockBoard"];
    fill(lock, icon(picture), h("span", {}, t(words)));
  }

  #own(/** @type {RoomMember} */ me) {
    const { session, options } = this.app;
    const rename = () => {
      this.app.send("memberState", { name: input.value.trim() || null });
      options.onRenamed?.(input.value.trim());
    };
    const done = (/** @type {Event} */ event) => {
      event.preventDefault();
      input.blur();
    };
    const [label, disabled] = [t("members.yourName"), !session.writable];
    const props = { value: nameOf(me), maxlength: 40, "aria-label": label, disabled, onchange: rename };
    const input = h("input", props);
    const about = [t("members.you"), this.#about(me)].filter(Boolean).join(" · ");
    return h("li", {}, face(me), h("form", { class: "own", onsubmit: done }, input, h("small", {}, about)));
  }

  #about(/** @type {RoomMember} */ member) {
    const isPresenting = this.app.session.state.broadcaster === member.id;
    return [
      member.phase === "reconnecting" && t("members.away"), !member.writable && t("members.reading"),
      member.role === "admin" && t("members.host"), isPresenting && t("members.presenting"),
      hasHandUp(member) && t("members.handUp"),
    ].filter(Boolean).join(" · ");
  }

  #other(/** @type {RoomMember} */ member) {
    const { people, rest: { rights }, dialogs } = this.app;
    const hasPen = !member.barred && (member.writable || member.kept);
    const about = { name: nameOf(member), minutes: BAN_MINUTES };
    const [picture, words] = hasPen ? ["eye", "members.makeReader"] : ["pen", "members.makeWriter"];
    const pen = () => this.app.done(people.allow(member, !hasPen));
    const remove = (/** @type {"kick" | "ban"} */ what) => {
      const run = () => this.app.done(people.kick(member, what === "ban" ? BAN_MINUTES : undefined));
      const ask = () => dialogs.confirm(t(`members.${what}Ask`, about), t(`members.${what}Do`), run);
      return rights[what] && iconButton(what, t(`members.${what}`, about), ask, { class: "tool severe" });
    };
    return h("li", {}, face(member),
      h("div", { class: "who" }, h("strong", {}, about.name), h("small", {}, this.#about(member))),
      people.isHost && mayWrite(member) && iconButton(picture, t(words, about), pen),
      remove("kick"), remove("ban"));
  }
}
