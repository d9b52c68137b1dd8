// The board in a page of another site (docs/WEB.md, embedding), in a shadow root, which keeps
// styles apart.
import { App } from "./board/page/app.js";
import { Rest } from "./protocol/rest.js";
import { originsOf } from "./protocol/servers.js";
import { h, pieces, sprite } from "./ui/dom.js";
import { languageFor, loadWords } from "./ui/i18n.js";

const PIECES = new URL("index.html", import.meta.url);
const SHEETS = ["base.css", "board.css"].map((name) => new URL(name, import.meta.url));

/**
 * What a site asks for.
 * @typedef {object} JoinRoomOptions
 * @property {HTMLElement} root is filled by the board; give it a size
 * @property {string} uuid of the room
 * @property {string} [token] a room token; an open server needs none
 * @property {string[]} [servers] addresses of all servers that have the room, for its connection;
 *   only this one's, if nothing is said
 * @property {string} [uid] who joins; a later join with the same one takes the place of this one
 * @property {any} [payload] what others know of the member: `{"name": …}` is shown
 * @property {boolean} [isWritable]
 * @property {RoomCallbacks} [callbacks]
 * @property {Theme} [theme]
 * @property {string} [language] en or zh
 */

/**
 * A room that is shown in somebody else's page.
 * @typedef {object} EmbeddedRoom
 * @property {RoomPhase} phase
 * @property {number | null} memberId the own member number
 * @property {any} state the room's state as the whiteboard SDK shows it
 * @property {boolean} isWritable
 * @property {(writable: boolean) => Promise<unknown>} setWritable
 * @property {(event: string, payload: any) => Promise<unknown>} dispatchMagixEvent
 * @property {(patch: Record<string, any>) => Promise<unknown>} setGlobalState keys to set; null
 *   takes one away
 * @property {(mode: "freedom" | "follower" | "broadcaster") => Promise<unknown>} setViewMode
 * @property {(theme: Theme) => void} setTheme
 * @property {any} session this one, `overlay` and `join` are for the package boardroom-client
 *   (docs/CLIENTS.md), whose `mountBoard` makes a room of them
 * @property {any} overlay
 * @property {(token?: string) => Promise<{member: number}>} join joins again after the stay has
 *   ended; without a token, with the one of before
 * @property {() => Promise<void>} disconnect leaves the room and takes the board away; done when
 *   the server knows
 */

/**
 * @param {JoinRoomOptions} options
 * @returns {Promise<EmbeddedRoom>} that is joined, and shown in `root`
 * @throws {import("./protocol/refusal.js").Refusal} with `code`, `cause` and `cure`
 */
export async function joinRoom({ root, uuid, token = "", theme, language, ...member }) {
  const { origin } = PIECES;
  if (member.servers) originsOf(member.servers);
  // With a token no request is needed, so that the server need not open its HTTP interface to other
  // sites.
  const server = token ? { open: false } : await new Rest({ origin }).server();
  const { host, inside } = await prepare(root, language ?? languageFor(navigator.languages));
  const app = new App({
    root: inside,
    origin,
    room: uuid,
    token,
    restToken: token || server.token,
    isOpen: server.open,
    theme,
    imageLimit: server.limits?.image,
    ...member,
  });
  await app.join().catch((refusal) => {
    app.remove();
    host.remove();
    throw refusal;
  });
  return embedded(app, host);
}

/**
 * Puts a shadow root into the site's element, with all that the board needs in it.
 * @param {HTMLElement} root
 * @param {string} language
 * @returns {Promise<{host: HTMLElement, inside: HTMLElement}>} `inside`: to be filled by the board
 */
async function prepare(root, language) {
  const host = h("div", { style: { position: "relative", width: "100%", height: "100%" } });
  const inside = h("div", { style: { position: "absolute", inset: "0" } });
  const sheets = SHEETS.map(({ href }) => h("link", { rel: "stylesheet", href }));
  const loaded = sheets.map(settled);
  host.attachShadow({ mode: "open" }).append(...sheets, inside);
  root.replaceChildren(host);
  const [pictures, text] = await Promise.all([
    sprite(),
    textOf(PIECES),
    loadWords(language),
    ...loaded,
  ]);
  pieces.from = new DOMParser().parseFromString(text, "text/html");
  inside.before(pictures);
  return { host, inside };
}

/**
 * @param {HTMLLinkElement} link
 * @returns {Promise<unknown>} done when it is loaded, or cannot be
 */
const settled = (link) =>
  new Promise((done) => {
    link.onload = done;
    link.onerror = done;
  });

/** @param {URL} address */
async function textOf(address) {
  const answer = await fetch(address);
  return answer.text();
}

/**
 * @param {App} app
 * @param {HTMLElement} host
 * @returns {EmbeddedRoom}
 */
function embedded(app, host) {
  const { session } = app;
  return {
    get phase() {
      return session.phase;
    },
    get memberId() {
      return session.member;
    },
    get state() {
      return session.roomState;
    },
    get isWritable() {
      return session.writable;
    },
    setWritable: (writable) => session.send("memberWritable", { writable }),
    dispatchMagixEvent: (event, payload) => session.send("magix", { event, payload }),
    setGlobalState: (patch) => session.send("globalState", patch),
    setViewMode: (mode) => session.send("viewMode", { mode }),
    setTheme: (theme) => app.setTheme(theme),
    session,
    overlay: app.overlay,
    join(given = app.options.token) {
      app.options.token = given;
      return app.join();
    },
    async disconnect() {
      await app.close();
      host.remove();
    },
  };
}
