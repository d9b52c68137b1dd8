// The page of the board: what the address says, who comes, and a form where something is missing.
import { App } from "./app.js";
import { Rest, rightsOf } from "./rest.js";
import { forget, keep, kept, place, randomHex, takeStart } from "./start.js";
import { find, h, piece } from "../ui/dom.js";
import { language, languageFor, languageTag, refusalText, speak, t } from "../ui/i18n.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
const { origin } = location;
let app = /** @type {App | null} */ (null);
let server = /** @type {AboutServer} */ ({ open: false });
const theme = () => /** @type {Theme} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));
function dress() {
  document.documentElement.dataset.theme = theme();
  app?.dress(theme());
}
async function turnTo(/** @type {string} */ chosen) {
  await speak(chosen);
  document.documentElement.lang = languageTag();
}
/** A link to look stays one when its address is copied. Any other token is nobody's business but this tab's.
 * @param {string} room @param {string} token */
const addressOf = (room, token) => `/r/${room}${rightsOf(token).look ? `#${token}` : ""}`;
async function open(/** @type {string} */ room, /** @type {string} */ token) {
  place(addressOf(room, token));
  app?.remove();
  document.body.replaceChildren();
  const actions = {
    theme() {
      keep("theme", theme() === "dark" ? "light" : "dark");
      dress();
    },
    async language() {
      await turnTo(language() === "zh" ? "en" : "zh");
      keep("language", language());
      await app?.close();
      // Not what the page began with: a host has been given a token meanwhile (OPEN-4).
      await open(room, app?.options.token ?? token);
    },
    home: () => location.assign("/"),
  };
  // A visitor goes by one name, which is kept; without one, the room gives a number.
  const tokens = { token, restToken: token || server.token };
  app = new App({ root: document.body, origin, room, ...tokens, actions, isOpen: server.open,
    theme: theme(), imageLimit: server.limits?.image,
    payload: { name: kept("name") ?? "" }, onRenamed: (name) => keep("name", name),
    onHosting(given) {
      keep(`token.${room}`, given, sessionStorage);
      keep(`hosting.${room}`, given, sessionStorage);
    } });
  const hosting = kept(`hosting.${room}`, sessionStorage);
  app.paper.focus({ preventScroll: true });
  await app.join().catch(async ({ code }) => {
    if (!/^(token|forbidden)/.test(code)) return;
    forget(`token.${room}`, sessionStorage);
    // A host's token ends with the run of an open server; the room is open to all still.
    if (server.open && token === hosting) await open(room, "");
  });
}
/** @type {ShowCard} where something is missing: a form takes what is written, and says what is wrong */
function showCard(name, forms = {}) {
  const card = h("div", { class: "card" }, h("strong", { class: "brand" }, "Boardroom"), piece(name));
  document.body.replaceChildren(h("main", { class: "br card-page", "data-theme": theme() }, card));
  for (const [called, run] of Object.entries(forms)) {
    const form = find(card, `[name=${called}]`);
    form.onsubmit = async (event) => {
      event.preventDefault();
      const { value } = find(form, "input", HTMLInputElement);
      find(form, ".problem").textContent = await run(value.trim()).catch(told) ?? "";
    };
  }
  card.querySelector("input")?.focus();
  return card;
}
function told(/** @type {any} */ why) {
  if (why?.code === undefined) throw why;
  return refusalText(why);
}
async function enter(/** @type {string} */ address) {
  const { room, token } = takeStart(address, origin);
  return room ? begin(room, token) : t("start.badLink");
}
async function make(/** @type {string} */ token) {
  const rest = new Rest({ origin, token });
  const { uuid } = await rest.ask("POST", "/v5/rooms", { name: "" });
  await begin(uuid, await rest.ask("POST", `/v5/tokens/rooms/${uuid}`, { role: "admin" }));
}
async function begin(/** @type {string} */ room, /** @type {string} */ given) {
  if (given) keep(`token.${room}`, given, sessionStorage);
  const token = given || (kept(`token.${room}`, sessionStorage) ?? "");
  if (token || server.open) await open(room, token);
  else showCard("ask-token", { token: (written) => begin(room, written) });
}
async function start() {
  dress();
  await turnTo(kept("language") ?? languageFor(navigator.languages));
  const { room, token, isRoomPage } = takeStart(location.href, origin);
  // A token that writes leaves the address before anything else happens.
  if (location.hash && !rightsOf(token).look) place(location.pathname);
  const problem = await new Rest({ origin }).server().then((about) => { server = about; }, told);
  if (problem) {
    const card = showCard("no-server");
    find(card, "p").textContent = problem;
    find(card, "button").onclick = start;
  } else if (!isRoomPage && location.pathname !== "/") showCard("no-page");
  else if (room) await begin(room, token);
  else if (isRoomPage) showCard("no-room");
  else if (server.open) await open(randomHex(16), "");
  else find(showCard("ask-room", { enter, make }), "input", HTMLInputElement).placeholder = `${origin}/r/…`;
}
dark.addEventListener("change", dress);
// A page that goes leaves its room at once; one that the browser brings back comes in again, if it was there.
let wasHere = false;
addEventListener("pagehide", () => { wasHere = app?.part() ?? false; });
addEventListener("pageshow", ({ persisted }) => { if (persisted && wasHere) app?.join().catch(() => {}); });
addEventListener("online", () => app?.wake());
document.addEventListener("resume", () => app?.wake());
document.addEventListener("visibilitychange", () => { if (!document.hidden) app?.wake(); });
// Another link pasted into this tab.
addEventListener("hashchange", () => location.reload());
start();
