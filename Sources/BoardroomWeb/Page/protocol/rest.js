// Requests to the server over HTTP (docs/HTTP.md), with the own token of the member.
import { Refusal } from "./refusal.js";

/**
 * @param {string} token
 * @returns its claims; only the server verifies them
 */
export function claimsOf(token) {
  const [, text = ""] = /^NETLESS(?:SDK|ROOM)_([\w-]+)$/.exec(token) ?? [];
  try {
    return new URLSearchParams(atob(text.replace(/-/g, "+").replace(/_/g, "/")));
  } catch {
    return new URLSearchParams();
  }
}

/**
 * What a token allows; `look`: reading only; `uid`: its user, if it names one.
 * @param {string} token
 */
export function rightsOf(token) {
  const said = claimsOf(token);
  const role = said.get("role");
  const uid = said.get("uid") ?? undefined;
  return { host: role === "0", write: role === "0" || role === "1", look: role === "2", uid };
}

const ABOUT = "/v5/server";

export class Rest {
  /**
   * @param {{origin: string, token?: string, room?: string, isOpen?: boolean}} of `isOpen`: the
   *   token is one that the server gives everyone
   */
  constructor({ origin, token = "", room = "", isOpen = false }) {
    this.origin = origin;
    this.token = token;
    this.room = room;
    this.isOpen = isOpen;
  }

  get rights() {
    return rightsOf(this.token);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} [body] or a file
   * @throws {Refusal}
   */
  async request(method, path, body) {
    const given = this.token;
    return this.#requestOnce(method, path, body).catch(async (why) => {
      // Tokens of an open server are valid for one run of it; the next run has others.
      if (!this.isOpen || why.code !== "tokenInvalid" || path === ABOUT) throw why;
      if (this.token === given) await this.#renewToken();
      return this.#requestOnce(method, path, body);
    });
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {any} [body]
   */
  async #requestOnce(method, path, body) {
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

  /** Requests the token that an open server gives to everyone. */
  async #renewToken() {
    const { token } = await this.server();
    this.token = token ?? "";
  }

  /** @returns {Promise<AboutServer>} */
  server() {
    return this.#requestOnce("GET", ABOUT);
  }

  /** @returns {Promise<string>} the version of the server; "": it does not say */
  async version() {
    const { version = "" } = await this.server().catch(() => ({ version: "" }));
    return version;
  }

  /**
   * @param {string} role
   * @returns {Promise<any>} a token of the room for somebody else, made out of the own one
   */
  roomToken(role) {
    return this.request("POST", `/v5/rooms/${this.room}/tokens`, { role });
  }

  /**
   * @param {Blob} file
   * @returns {Promise<string>} its path on the server, which is valid under every name of it
   */
  async putImage(file) {
    const { url } = await this.request("POST", `/v5/rooms/${this.room}/images`, file);
    return url;
  }
}
