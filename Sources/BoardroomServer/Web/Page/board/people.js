import { body } from "../core/records.js";
import { t } from "../ui/i18n.js";

// Who is who, and what hosts may do to them. What the server decides (kick, ban) goes over HTTP. That
// somebody may not write is the member's own command in the protocol, so that a host asks for it with a
// custom event, and the page of who is asked obeys; a member whose page does not is kicked.

/** @typedef {import("../core/state.js").Member} Member */
/** @typedef {import("../core/session.js").RoomSession} RoomSession */

export const HAND = "isHandRaised";
export const LOCK = "boardLock";
const WRITABLE_ASKED = "boardroom.writable";

/** What to call a member. */
/** @param {Member} member @returns {string} */
export function nameOf(member) {
  const { name, nickName } = member.payload ?? {};
  const chosen = [member.state.plain().name, name, nickName].find(
    (one) => typeof one === "string" && one.trim() !== "");
  return chosen?.trim() ?? t("members.guest", { number: member.id + 1 });
}

/** The letter that stands for a name. */
/** @param {string} name */
export function initialsOf(name) {
  const letters = [...name.trim()];
  return (letters[0] ?? "?").toUpperCase();
}

/** The tone of a member, from 0 to 7; `board.css` has a colour for each. */
/** @param {number} number */
export const toneOf = (number) => number % 8;

/** @param {Member} member */
export const hasHandUp = (member) => member.state.plain()[HAND] === true;

/** Who holds the board locked; null: nobody. */
/** @param {import("../core/state.js").RoomState} state */
export function lockOf(state) {
  const lock = state.globalState.plain()[LOCK];
  return lock && typeof lock === "object" ? /** @type {{by: number, name: string}} */ (lock) : null;
}

/** Whether a token of this role may ever write. */
/** @param {Member | undefined} member */
export const mayWrite = (member) => member !== undefined && member.role !== "reader";

export class People {
  /** @param {RoomSession} session @param {import("./rest.js").Rest} rest */
  constructor(session, rest) {
    this.session = session;
    this.rest = rest;
    /** Whether this page gave up writing for a lock, and takes it up again after it. */
    this.isLockedOut = false;
  }

  get me() { return this.session.state.members.get(this.session.member ?? -1); }
  get isHost() { return this.me?.role === "admin"; }
  get others() { return [...this.session.state.members.values()].filter((member) => member !== this.me); }

  /** @param {boolean} isUp */
  raiseHand(isUp) { return this.session.send("memberState", { [HAND]: isUp || null }); }

  /** @param {string} name */
  rename(name) { return this.session.send("memberState", { name: name.trim() || null }); }

  /** @param {Member} member @param {boolean} writable */
  askWritable(member, writable) {
    return this.session.send("magix", { event: WRITABLE_ASKED, payload: { member: member.id, writable } });
  }

  /** @param {boolean} isLocked */
  async lock(isLocked) {
    const { session } = this;
    if (!isLocked && !session.writable) await session.send("memberWritable", { writable: true });
    const lock = isLocked && this.me ? { by: this.me.id, name: nameOf(this.me) } : null;
    return session.send("globalState", { [LOCK]: lock });
  }

  /** Takes everything off the current page. */
  clear() { return this.session.send("sceneCleaned", { retainPPT: true }); }

  /** @param {Member} member */
  kick(member) { return this.rest.kick(member.id); }

  /** @param {Member} member @param {number} minutes */
  async ban(member, minutes) {
    if (member.uid === undefined) return this.rest.kick(member.id);
    return this.rest.ban(member.uid, minutes);
  }

  /** Does what hosts ask of this page. */
  /** @param {import("../core/records.js").Rec | null} rec */
  obey(rec) {
    const { session, me } = this;
    if (!me || session.phase !== "connected") return;
    if (rec?.kind === 30 && session.state.members.get(rec.by ?? -1)?.role === "admin") {
      const { event, payload } = body(rec) ?? {};
      if (event === WRITABLE_ASKED && payload?.member === me.id && typeof payload.writable === "boolean") {
        this.#write(payload.writable);
      }
    }
    const lock = lockOf(session.state);
    const isOut = lock !== null && lock.by !== me.id && session.state.members.has(lock.by);
    if (isOut === this.isLockedOut) return;
    this.isLockedOut = isOut;
    this.#write(!isOut);
  }

  /** @param {boolean} writable */
  #write(writable) {
    if (!mayWrite(this.me) || this.me?.writable === writable) return;
    this.session.send("memberWritable", { writable }).catch(() => {});
  }
}
