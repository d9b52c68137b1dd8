import { Part } from "../ui/dom.js";
import { t } from "../ui/i18n.js";

// Who is who, and what hosts may do to them: the server decides who may (docs/SPEC.md, MOD-5 to MOD-7).

/** White letters can be read on these. */
export const TONES = ["#1f5fd6", "#7a3fb8", "#147a46", "#b3261e", "#8a5a00", "#0f6d7a", "#a8327a", "#51606f"];

/** @param {RoomMember} member @returns {string} what to call them */
export function nameOf(member) {
  const names = [member.state.plain().name, member.payload?.name, member.payload?.nickName];
  const chosen = names.find((one) => typeof one === "string" && one.trim() !== "");
  return chosen?.trim() ?? t("members.guest", { number: member.id + 1 });
}

/** @param {string} name @returns the letter that stands for it */
export const initialsOf = (name) => ([...name.trim()][0] ?? "?").toUpperCase();
/** @param {number} member @returns the place of their colour */
export const toneOf = (member) => member % TONES.length;
export const hasHandUp = (/** @type {RoomMember} */ member) => member.hand !== undefined;

/** @param {RoomMember | undefined} member @returns whether a token of this role may ever write */
export const mayWrite = (member) => member !== undefined && member.role !== "reader";

export class People extends Part {
  session = this.app.session;
  get me() { return this.session.state.members.get(this.session.member ?? -1); }
  get isHost() { return this.me?.role === "admin"; }
  get isHandUp() { return this.me !== undefined && hasHandUp(this.me); }
  /** Who has locked the room, if they are still here. */
  get locker() { return this.session.state.members.get(this.session.state.lock?.by ?? -1); }
  get others() { return [...this.session.state.members.values()].filter((member) => member !== this.me); }

  allow(/** @type {RoomMember} */ { id }, /** @type {boolean} */ allowed) {
    return this.session.send("writingAllowed", { member: id, allowed });
  }

  /** @param {RoomMember} member @param {number} [time] banned, too, for so many minutes */
  kick({ id, uid }, time) {
    const { rest, room } = this.app;
    const isBanned = time !== undefined && uid !== undefined;
    return rest.ask("POST", `/v5/rooms/${room}/${isBanned ? "bans" : "kick"}`, { memberId: id, time });
  }
}
