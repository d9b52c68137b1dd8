import { body } from "../core/records.js";
import { Part } from "../ui/dom.js";
import { t } from "../ui/i18n.js";

// Who is who, and what hosts may do to them. What the server decides (kick, ban) goes over HTTP. That
// somebody may not write is the member's own command in the protocol, so that a host asks for it with a
// custom event, and the page of who is asked obeys; a member whose page does not is kicked.

const WRITABLE_ASKED = "boardroom.writable";
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
export const hasHandUp = (/** @type {RoomMember} */ member) => member.state.plain().isHandRaised === true;

/** @param {import("../core/state.js").RoomState} state @returns who holds the board locked; null: nobody */
export function lockOf(state) {
  const lock = state.globalState.plain().boardLock;
  return lock && typeof lock === "object" ? /** @type {{by: number, name: string}} */ (lock) : null;
}

/** @param {RoomMember | undefined} member @returns whether a token of this role may ever write */
export const mayWrite = (member) => member !== undefined && member.role !== "reader";

export class People extends Part {
  session = this.app.session;
  /** Whether this page gave up writing for a lock, and takes it up again after it. */
  isLockedOut = false;

  get me() { return this.session.state.members.get(this.session.member ?? -1); }
  get isHost() { return this.me?.role === "admin"; }
  get isHandUp() { return this.me !== undefined && hasHandUp(this.me); }
  get others() { return [...this.session.state.members.values()].filter((member) => member !== this.me); }

  askWritable(/** @type {RoomMember} */ member, /** @type {boolean} */ writable) {
    return this.session.send("magix", { event: WRITABLE_ASKED, payload: { member: member.id, writable } });
  }

  async lock(/** @type {boolean} */ isLocked) {
    const { session, me } = this;
    if (!isLocked && !session.writable) await session.send("memberWritable", { writable: true });
    const boardLock = isLocked && me ? { by: me.id, name: nameOf(me) } : null;
    return session.send("globalState", { boardLock });
  }

  /** @param {RoomMember} member @param {number} [time] banned, too, for so many minutes */
  kick({ id, uid }, time) {
    const { rest, room } = this.app;
    return time === undefined || uid === undefined
      ? rest.ask("POST", `/v5/rooms/${room}/kick`, { memberId: id })
      : rest.ask("POST", "/v5/bans", { room, uid, time });
  }

  /** @param {Record_ | null} rec does what hosts ask of this page */
  obey(rec) {
    const { session, me } = this;
    if (!me || session.phase !== "connected") return;
    if (rec?.name === "magix" && session.state.members.get(rec.by ?? -1)?.role === "admin") {
      const { event, payload } = body(rec) ?? {};
      if (event === WRITABLE_ASKED && payload?.member === me.id) this.#write(payload.writable === true);
    }
    const lock = lockOf(session.state);
    const isOut = lock !== null && lock.by !== me.id && session.state.members.has(lock.by);
    if (isOut === this.isLockedOut) return;
    this.isLockedOut = isOut;
    this.#write(!isOut);
  }

  #write(/** @type {boolean} */ writable) {
    if (!mayWrite(this.me) || this.me?.writable === writable) return;
    this.session.send("memberWritable", { writable }).catch(() => {});
  }
}
