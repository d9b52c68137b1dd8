// What the page asks the server over HTTP (docs/HTTP.md), with the member's own token.
import { Refusal } from "../core/refusal.js";

/** @param {string} token @returns what it is good for, as it says itself; the server alone checks it */
export function rightsOf(token) {
  const [, text = ""] = /^NETLESS(?:SDK|ROOM)_([\w-]+)$/.exec(token) ?? [];
  try {
    const role = new URLSearchParams(atob(text.replace(/-/g, "+").replace(/_/g, "/"))).get("role");
    return { host: role === "0", write: role === "0" || role === "1" };
  } catch {
    return { host: false, write: false };
  }
}

export class Rest {
  /** @param {{origin: string, token?: string, room?: string}} of */
  constructor({ origin, token = "", room = "" }) {
    this.origin = origin;
    this.token = token;
    this.room = room;
  }
  get rights() { return rightsOf(this.token); }
  /** @param {string} method @param {string} path @param {any} [body] or a file @throws {Refusal} */
  async ask(method, path, body) {
    const isFile = body instanceof Blob;
    const headers = new Headers(this.token ? { token: this.token } : {});
    if (body) headers.set("content-type", isFile ? body.type : "application/json");
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
