import { App } from "./board/app.js";
import { Rest } from "./board/rest.js";
import { languageFor, speak } from "./ui/i18n.js";

// The board in somebody else's page (docs/WEB.md, embedding). It lives in a shadow root: its styles stay
// inside, and the page's stay outside.

/** @typedef {import("./core/session.js").Callbacks} Callbacks */
/**
 * @typedef {object} JoinRoomOptions
 * @property {HTMLElement} root filled by the board; give it a size
 * @property {string} uuid of the room
 * @property {string} [token] a room token; an open server needs none
 * @property {string} [uid] who joins; a later join with the same one takes the place of this one
 * @property {any} [payload] what others know of the member: `{"name": …}` is shown
 * @property {boolean} [isWritable]
 * @property {Callbacks} [callbacks]
 * @property {"light" | "dark"} [theme]
 * @property {string} [language] en or zh
 */

/** @type {Record<string, URL>} */
const SHEETS = { base: new URL("base.css", import.meta.url), board: new URL("board.css", import.meta.url) };

/**
 * A style sheet of the board; done when it is there, so that nothing is seen without it.
 * @param {URL} address
 */
function styled(address) {
  const link = document.createElement("link");
  const loaded = new Promise(
    (resolve) => ["load", "error"].forEach((type) => link.addEventListener(type, resolve)));
  Object.assign(link, { rel: "stylesheet", href: address.href });
  return { link, loaded };
}

/**
 * Joins a room and shows its board.
 * @param {JoinRoomOptions} options
 * @returns {Promise<EmbeddedRoom>}
 * @throws {import("./core/refusal.js").Refusal} with `code`, `cause` and `cure`
 */
export async function joinRoom({ root, uuid, token = "", uid, payload, isWritable, callbacks, ...look }) {
  const { origin } = SHEETS.base;
  /** @type {{open: boolean, token?: string, limits?: {image: number}}} */
  // With a token nothing else is needed, so that the server need not open its HTTP interface to other sites.
  const server = token ? { open: false } : await new Rest({ origin }).server();
  await speak(look.language ?? languageFor(navigator.languages));
  const host = document.createElement("div");
  Object.assign(host.style, { position: "relative", width: "100%", height: "100%" });
  const shadow = host.attachShadow({ mode: "open" });
  const sheets = Object.values(SHEETS).map(styled);
  const inside = document.createElement("div");
  Object.assign(inside.style, { position: "absolute", inset: "0" });
  shadow.append(...sheets.map(({ link }) => link));
  root.replaceChildren(host);
  await Promise.all(sheets.map(({ loaded }) => loaded));
  shadow.append(inside);
  const app = new App({
    root: inside, origin, room: uuid, token, restToken: token || server.token, isOpen: server.open, uid,
    payload, isWritable, callbacks,
    theme: look.theme ?? "light", imageLimit: server.limits?.image,
  });
  try {
    await app.join();
  } catch (refusal) {
    app.remove();
    host.remove();
    throw refusal;
  }
  return new EmbeddedRoom(app, host);
}

/** A room that is shown in a page. */
export class EmbeddedRoom {
  /** @type {App} */
  #app;
  /** @type {HTMLElement} */
  #host;

  /** @param {App} app @param {HTMLElement} host */
  constructor(app, host) {
    this.#app = app;
    this.#host = host;
  }

  /** connecting, connected, reconnecting, disconnecting or disconnected. */
  get phase() { return this.#app.session.phase; }
  /** The own member number. */
  get memberId() { return this.#app.session.member; }
  /** The room's state as the whiteboard SDK shows it. */
  get state() { return this.#app.session.roomState; }
  get isWritable() { return this.#app.session.writable; }

  /** @param {boolean} writable */
  setWritable(writable) { return this.#app.session.send("memberWritable", { writable }); }
  /** @param {string} event @param {any} payload */
  dispatchMagixEvent(event, payload) { return this.#app.session.send("magix", { event, payload }); }
  /** @param {Record<string, any>} patch keys to set; null takes one away */
  setGlobalState(patch) { return this.#app.session.send("globalState", patch); }
  /** @param {"freedom" | "follower" | "broadcaster"} mode */
  setViewMode(mode) { return this.#app.session.send("viewMode", { mode }); }
  /** @param {"light" | "dark"} theme */
  setTheme(theme) { this.#app.dress(theme); }

  /** Leaves the room and takes the board away; done when the server knows. */
  async disconnect() {
    await this.#app.close();
    this.#host.remove();
  }
}
