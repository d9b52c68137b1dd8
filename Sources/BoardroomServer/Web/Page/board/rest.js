import { Refusal } from "../core/refusal.js";

// What the page asks the server over HTTP (docs/HTTP.md), with the member's own token, and what that token is
// good for.

const ROLES = /** @type {const} */ (["admin", "writer", "reader"]);

/** @param {string} token @returns what it says of itself, if it is one; the server alone checks it */
export function holderOf(token) {
  const [, kind, text = ""] = /^NETLESS(SDK|ROOM)_([\w-]+)$/.exec(token) ?? [];
  try {
    const fields = new URLSearchParams(atob(text.replace(/-/g, "+").replace(/_/g, "/")));
    const role = ROLES[Number(fields.get("role") ?? -1)];
    return role ? { isTeam: kind === "SDK", role } : null;
  } catch {
    return null;
  }
}

/** @param {ReturnType<typeof holderOf>} holder @returns what is offered: nothing that would be refused */
export const rightsOf = (holder) => ({
  kick: holder?.role === "admin", ban: holder?.role === "admin",
  putImages: holder !== null && holder.role !== "reader",
  share: holder ? ROLES.slice(ROLES.indexOf(holder.role)).filter((role) => role !== "admin") : [],
});

export class Rest {
  /** @param {{origin: string, token?: string, room?: string}} options */
  constructor({ origin, token = "", room = "" }) {
    this.origin = origin;
    this.token = token;
    this.room = room;
  }

  get rights() { return rightsOf(holderOf(this.token)); }

  /** @param {string} method @param {string} path @param {any} [body] an object, or a file
   * @returns {Promise<any>}
   * @throws {Refusal} */
  async ask(method, path, body) {
    const isFile = body instanceof Blob;
    /** @type {Record<string, string>} */
    const headers = this.token ? { token: this.token } : {};
    if (body) headers["content-type"] = isFile ? body.type : "application/json";
    const sent = { method, headers, body: isFile ? body : JSON.stringify(body) };
    const answer = await fetch(this.origin + path, sent).catch(() => {
      throw new Refusal({ code: "notConnected" });
    });
    const said = await answer.json().catch(() => ({ code: "malformed" }));
    if (!answer.ok) throw new Refusal({ code: "internal", ...said });
    return said;
  }

  /** @returns {Promise<AboutServer>} */
  server() { return this.ask("GET", "/v5/server"); }

  /** @param {Blob} file @returns the address where it now lies */
  async putImage(file) {
    const { url } = await this.ask("POST", `/v5/rooms/${this.room}/images`, file);
    return this.origin + url;
  }
}
