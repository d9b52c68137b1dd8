import { App } from "./board/app.js";
import { Rest } from "./board/rest.js";
import { h, pieces } from "./ui/dom.js";
import { languageFor, speak } from "./ui/i18n.js";
import { sprite } from "./ui/icons.js";

// The board in somebody else's page (docs/WEB.md, embedding). It lives in a shadow root: its styles stay
// inside, and the page's stay outside.

const PIECES = new URL("index.html", import.meta.url);
const SHEETS = [new URL("base.css", import.meta.url), new URL("board.css", import.meta.url)];

/** @param {URL} address of a style sheet @returns it, and when it is there */
function styled({ href }) {
  const link = h("link", { rel: "stylesheet", href });
  return { link, loaded: new Promise((done) => { link.onload = link.onerror = done; }) };
}

async function takePieces() {
  const text = await (await fetch(PIECES)).text();
  pieces.from = new DOMParser().parseFromString(text, "text/html");
}

/** Joins a room and shows its board.
 * @param {JoinRoomOptions} options @returns {Promise<EmbeddedRoom>}
 * @throws {import("./core/refusal.js").Refusal} with `code`, `cause` and `cure` */
export async function joinRoom({ root, uuid, token = "", theme, language, ...member }) {
  const { origin } = PIECES;
  // With a token nothing else is needed, so that the server need not open its HTTP interface to other sites.
  const server = token ? { open: false } : await new Rest({ origin }).server();
  const host = h("div", { style: { position: "relative", width: "100%", height: "100%" } });
  const inside = h("div", { style: { position: "absolute", inset: "0" } });
  const shadow = host.attachShadow({ mode: "open" });
  const sheets = SHEETS.map(styled);
  shadow.append(...sheets.map(({ link }) => link));
  root.replaceChildren(host);
  const [pictures] = await Promise.all([
    sprite(), takePieces(), speak(language ?? languageFor(navigator.languages)),
    ...sheets.map(({ loaded }) => loaded),
  ]);
  shadow.append(pictures, inside);
  const app = new App({
    root: inside, origin, room: uuid, token, restToken: token || server.token, isOpen: server.open, theme,
    imageLimit: server.limits?.image, ...member,
  });
  try {
    await app.join();
  } catch (refusal) {
    app.remove();
    host.remove();
    throw refusal;
  }
  const { session } = app;
  return {
    get phase() { return session.phase; }, get memberId() { return session.member; },
    get state() { return session.roomState; }, get isWritable() { return session.writable; },
    setWritable: (writable) => session.send("memberWritable", { writable }),
    dispatchMagixEvent: (event, payload) => session.send("magix", { event, payload }),
    setGlobalState: (patch) => session.send("globalState", patch),
    setViewMode: (mode) => session.send("viewMode", { mode }), setTheme: (worn) => app.dress(worn),
    async disconnect() {
      await app.close();
      host.remove();
    },
  };
}
