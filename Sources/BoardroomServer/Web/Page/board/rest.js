import { Refusal } from "../core/refusal.js";

// What the page asks the server over HTTP (docs/HTTP.md), with the member's own token, and what that token is
// good for.

/** @typedef {{isTeam: boolean, role: "admin" | "writer" | "reader"}} Holder */

const ROLES = /** @type {const} */ (["admin", "writer", "reader"]);

/** What a token says of itself; null: it is none. The server checks it, the page only looks. */
/** @param {string} token @returns {Holder | null} */
export function holderOf(token) {
  const [, kind, text] = /^NETLESS(SDK|ROOM)_([\w-]+)$/.exec(token) ?? [];
  if (!text) return null;
  try {
    const fields = new URLSearchParams(atob(text.replace(/-/g, "+").replace(/_/g, "/")));
    const role = ROLES[Number(fields.get("role"))];
    return role ? { isTeam: kind === "SDK", role } : null;
  } catch {
    return null;
  }
}

/**
 * What the holder of a token may ask for: the page offers nothing that would be refused (docs/HTTP.md).
 */
/** @param {Holder | null} holder */
export const rightsOf = (holder) => ({
  kick: holder?.role === "admin",
  ban: holder?.role === "admin" && holder.isTeam,
  putImages: holder !== null && holder.role !== "reader",
  share: holder === null ? [] : ROLES.slice(ROLES.indexOf(holder.role)).filter((role) => role !== "admin"),
});

export class Rest {
  /** @param {{origin: string, token?: string, room?: string}} options */
  constructor({ origin, token = "", room = "" }) {
    this.origin = origin;
    this.token = token;
    this.room = room;
  }

  get rights() { return rightsOf(holderOf(this.token)); }

  /**
   * @param {string} method @param {string} path @param {any} [body] an object, or a file
   * @returns {Promise<any>}
   * @throws {Refusal}
   */
  async ask(method, path, body) {
    const isFile = body instanceof Blob;
    /** @type {Record<string, string>} */
    const headers = this.token ? { token: this.token } : {};
    if (body !== undefined) headers["content-type"] = isFile ? body.type : "application/json";
    /** @type {Response} */
    let answer;
    try {
      const sent = body === undefined ? undefined : isFile ? body : JSON.stringify(body);
      answer = await fetch(this.origin + path, { method, headers, body: sent });
    } catch {
      throw new Refusal({ code: "notConnected" });
    }
    const said = await answer.json().catch(() => ({ code: "malformed" }));
    if (!answer.ok) throw new Refusal({ code: "internal", ...said });
    return said;
  }

  /** @returns {Promise<{open: boolean, token?: string, limits?: {image: number}}>} */
  server() { return this.ask("GET", "/v5/server"); }

  /** @param {string} name @returns {Promise<{uuid: string}>} */
  createRoom(name) { return this.ask("POST", "/v5/rooms", { name }); }

  /** @param {"writer" | "reader"} role @returns {Promise<string>} */
  shareToken(role) { return this.ask("POST", `/v5/rooms/${this.room}/tokens`, { role }); }

  /** @param {number} memberId */
  kick(memberId) { return this.ask("POST", `/v5/rooms/${this.room}/kick`, { memberId }); }

  /** @param {string} uid @param {number} minutes */
  ban(uid, minutes) { return this.ask("POST", "/v5/bans", { room: this.room, uid, time: minutes }); }

  /** The address where an image now lies. */
  /** @param {Blob} file @returns {Promise<string>} */
  async putImage(file) {
    const { url } = await this.ask("POST", `/v5/rooms/${this.room}/images`, file);
    return this.origin + url;
  }

  /** The whole state, as docs/PROTOCOL.md, section 7, has it. */
  state() { return this.ask("GET", `/v5/rooms/${this.room}/state`); }
}
