// The board in somebody else's page (docs/WEB.md, embedding), in a shadow root, which keeps styles apart.
import { App } from "./board/app.js";
import { Rest } from "./board/rest.js";
import { h, pieces, sprite } from "./ui/dom.js";
import { languageFor, speak } from "./ui/i18n.js";

const PIECES = new URL("index.html", import.meta.url);
const SHEETS = [new URL("base.css", import.meta.url), new URL("board.css", import.meta.url)];
/** @param {JoinRoomOptions} options @returns {Promise<EmbeddedRoom>} that is joined, and shown in `root`
 * @throws {import("./core/refusal.js").Refusal} with `code`, `cause` and `cure` */
export async function joinRoom({ root, uuid, token = "", theme, language, ...member }) {
  const { origin } = PIECES;
  // With a token nothing else is needed, so that the server need not open its HTTP interface to other sites.
  const server = token ? { open: false } : await new Rest({ origin }).server();
  const host = h("div", { style: { position: "relative", width: "100%", height: "100%" } });
  const inside = h("div", { style: { position: "absolute", inset: "0" } });
  const sheets = SHEETS.map(({ href }) => h("link", { rel: "stylesheet", href }));
  const loaded = sheets.map((link) => new Promise((done) => { link.onload = link.onerror = done; }));
  host.attachShadow({ mode: "open" }).append(...sheets, inside);
  root.replaceChildren(host);
  const asked = fetch(PIECES).then((page) => page.text());
  const speaking = speak(language ?? languageFor(navigator.languages));
  const [pictures, text] = await Promise.all([sprite(), asked, speaking, ...loaded]);
  pieces.from = new DOMParser().parseFromString(text, "text/html");
  inside.before(pictures);
  const app = new App({
    root: inside, origin, room: uuid, token, restToken: token || server.token, isOpen: server.open, theme,
    imageLimit: server.limits?.image, ...member,
  });
  await app.join().catch((refusal) => {
    app.remove();
    host.remove();
    throw refusal;
  });
  const { session } = app;
  return {
    get phase() { return session.phase; }, get memberId() { return session.member; },
    get state() { return session.roomState; }, get isWritable() { return session.writable; },
    setWritable: (writable) => session.send("memberWritable", { writable }),
    dispatchMagixEvent: (event, payload) => session.send("magix", { event, payload }),
    setGlobalState: (patch) => session.send("globalState", patch),
    setViewMode: (mode) => session.send("viewMode", { mode }), setTheme: (worn) => app.dress(worn),
    disconnect: () => app.close().then(() => host.remove()),
  };
}
