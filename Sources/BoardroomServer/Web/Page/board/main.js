import { App } from "./app.js";
import { Rest } from "./rest.js";
import { forget, keep, kept, place, randomHex, takeStart } from "./start.js";
import { h, wordButton } from "../ui/dom.js";
import { language, languageFor, languageTag, refusalText, speak, t } from "../ui/i18n.js";

// The page of the board: what the address says, who comes, and a form where something is missing.

const dark = matchMedia("(prefers-color-scheme: dark)");
const origin = location.origin;
/** @type {App | null} */
let app = null;
/** @type {{open: boolean, token?: string, limits?: {image: number}}} */
let server = { open: false };

const theme = () => /** @type {"light" | "dark"} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));

function dress() {
  document.documentElement.dataset.theme = theme();
  app?.dress(theme());
}

/** @param {string} chosen */
async function turnTo(chosen) {
  await speak(chosen);
  document.documentElement.lang = languageTag();
}

/** A visitor goes by one name, which is kept; without one, the room gives a number. */
const payload = () => ({ name: kept("name") ?? "" });

/** @param {string} room @param {string} token */
async function open(room, token) {
  place(`/r/${room}`);
  app?.remove();
  document.body.replaceChildren();
  app = new App({
    root: document.body, origin, room, token, restToken: token || server.token, isOpen: server.open,
    uid: visitor(), payload: payload(),
    imageLimit: server.limits?.image, theme: theme(), onRenamed: (name) => keep("name", name),
    actions: {
      theme: () => { keep("theme", theme() === "dark" ? "light" : "dark"); dress(); },
      language: () => { keep("language", language() === "zh" ? "en" : "zh"); turnLanguage(room, token); },
      home: () => location.assign("/"),
    },
  });
  app.paper.focus({ preventScroll: true });
  await app.join().catch((refusal) => {
    const isUseless = ["tokenInvalid", "tokenExpired", "forbidden"].includes(refusal.code);
    if (isUseless) forget(`token.${room}`, sessionStorage);
  });
}

/** @param {string} room @param {string} token */
async function turnLanguage(room, token) {
  await turnTo(kept("language") ?? "en");
  await app?.close();
  app = null;
  await open(room, token);
}

/** One name a tab, also over a reload; a tab that is duplicated is somebody else. */
function visitor() {
  const uid = kept("uid", sessionStorage) ?? `visitor-${randomHex(8)}`;
  forget("uid", sessionStorage);
  addEventListener("pagehide", () => keep("uid", uid, sessionStorage));
  return uid;
}

// Where something is missing

/** @param {string} title @param {string} about @param {...(Node | null)} parts */
function showCard(title, about, ...parts) {
  document.body.replaceChildren(h("main", { class: "br card-page", "data-theme": theme() },
    h("div", { class: "card" }, h("strong", { class: "brand" }, "Boardroom"), h("h1", {}, title),
      h("p", { class: "quiet" }, about),
      ...parts.filter((part) => part !== null))));
}

/** @param {string} label @param {Record<string, any>} props */
function field(label, props) {
  const input = h("input", { autocomplete: "off", spellcheck: "false", ...props });
  return { input, row: h("label", { class: "field" }, h("span", {}, label), input) };
}

/** @param {string} words @param {() => Promise<void>} run @param {...Node} rows */
function form(words, run, ...rows) {
  const problem = h("p", { class: "problem", role: "alert" });
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    problem.textContent = "";
    await run().catch((why) => {
      if (why?.code === undefined) throw why;
      problem.textContent = refusalText(why);
    });
  };
  return h("form", { onsubmit: submit }, ...rows, h("button", { class: "button primary wide" }, words),
    problem);
}

/** @param {string} room */
function askToken(room) {
  const token = field(t("start.token"), { type: "password", required: true });
  const go = async () => {
    keep(`token.${room}`, token.input.value.trim(), sessionStorage);
    await open(room, token.input.value.trim());
  };
  showCard(t("start.needsToken"), t("start.needsTokenAbout"), form(t("start.enter"), go, token.row));
  token.input.focus();
}

function askRoom() {
  const link = field(t("start.link"), { placeholder: `${origin}/r/…`, required: true });
  const enter = async () => {
    const found = takeStart(link.input.value.trim(), origin);
    if (found.room) return begin(found.room, found.token);
    link.input.setCustomValidity(t("start.badLink"));
    link.input.reportValidity();
  };
  link.input.addEventListener("input", () => link.input.setCustomValidity(""));
  const key = field(t("start.sdkToken"), { type: "password", required: true });
  const make = async () => {
    const rest = new Rest({ origin, token: key.input.value.trim() });
    const { uuid } = await rest.createRoom("");
    const shared = new Rest({ origin, token: rest.token, room: uuid });
    await begin(uuid, await shared.ask("POST", `/v5/tokens/rooms/${uuid}`, { role: "admin" }));
  };
  showCard(t("start.title"), t("start.about"), form(t("start.enter"), enter, link.row), h("hr"),
    h("details", {}, h("summary", {}, t("start.make")), form(t("start.makeDo"), make, key.row)));
  link.input.focus();
}

/** @param {string} room @param {string} given */
async function begin(room, given) {
  if (given) keep(`token.${room}`, given, sessionStorage);
  const token = given || (kept(`token.${room}`, sessionStorage) ?? "");
  if (!token && !server.open) return askToken(room);
  return open(room, token);
}

async function start() {
  dress();
  await turnTo(kept("language") ?? languageFor(navigator.languages));
  dark.addEventListener("change", dress);
  const { room, token, isRoomPage } = takeStart(location.href, origin);
  // A token is nobody's business but this tab's: it leaves the address before anything else happens.
  if (location.hash) place(location.pathname);
  try {
    server = await new Rest({ origin }).server();
  } catch (why) {
    const again = wordButton("", t("banner.again"), () => void start(), { class: "button primary wide" });
    return showCard(t("start.away"), refusalText(/** @type {any} */ (why)), again);
  }
  if (room) return begin(room, token);
  const home = h("a", { class: "button primary wide", href: "/" }, t("start.home"));
  if (isRoomPage) return showCard(t("start.noRoom"), t("start.noRoomAbout"), home);
  return server.open ? open(randomHex(16), "") : askRoom();
}

// A page that goes leaves its room at once; one that the browser brings back comes in again.
addEventListener("pagehide", () => void app?.session.disconnect());
addEventListener("pageshow", (event) => { if (event.persisted) app?.join().catch(() => {}); });
addEventListener("online", () => app?.session.networkBack());

start();
