import { App } from "./app.js";
import { Rest } from "./rest.js";
import { forget, keep, kept, place, randomHex, takeStart } from "./start.js";
import { find, h, piece } from "../ui/dom.js";
import { language, languageFor, languageTag, refusalText, speak, t } from "../ui/i18n.js";

// The page of the board: what the address says, who comes, and a form where something is missing.

const dark = matchMedia("(prefers-color-scheme: dark)");
const { origin } = location;
/** @type {App | null} */
let app = null;
/** @type {AboutServer} */
let server = { open: false };

const theme = () => /** @type {Theme} */ (kept("theme") ?? (dark.matches ? "dark" : "light"));

function dress() {
  document.documentElement.dataset.theme = theme();
  app?.dress(theme());
}

/** @param {string} chosen */
async function turnTo(chosen) {
  await speak(chosen);
  document.documentElement.lang = languageTag();
}

/** @param {string} room @param {string} token */
async function open(room, token) {
  place(`/r/${room}`);
  app?.remove();
  document.body.replaceChildren();
  app = new App({
    root: document.body, origin, room, token, restToken: token || server.token, isOpen: server.open,
    // A visitor goes by one name, which is kept; without one, the room gives a number.
    uid: visitor(), payload: { name: kept("name") ?? "" }, onRenamed: (name) => keep("name", name),
    imageLimit: server.limits?.image, theme: theme(),
    actions: {
      theme() {
        keep("theme", theme() === "dark" ? "light" : "dark");
        dress();
      },
      async language() {
        keep("language", language() === "zh" ? "en" : "zh");
        await turnTo(kept("language") ?? "en");
        await app?.close();
        await open(room, token);
      },
      home: () => location.assign("/"),
    },
  });
  app.paper.focus({ preventScroll: true });
  await app.join().catch(({ code }) => {
    const isUseless = ["tokenInvalid", "tokenExpired", "forbidden"].includes(code);
    if (isUseless) forget(`token.${room}`, sessionStorage);
  });
}

/** One name a tab, also over a reload; a tab that is duplicated is somebody else. */
function visitor() {
  const uid = kept("uid", sessionStorage) ?? `visitor-${randomHex(8)}`;
  forget("uid", sessionStorage);
  addEventListener("pagehide", () => keep("uid", uid, sessionStorage));
  return uid;
}

/** @param {string} name of a piece: what is shown where something is missing */
function showCard(name) {
  const card = h("div", { class: "card" }, h("strong", { class: "brand" }, "Boardroom"), piece(name));
  document.body.replaceChildren(h("main", { class: "br card-page", "data-theme": theme() }, card));
  card.querySelector("input")?.focus();
  return card;
}

/** @param {HTMLElement} card @param {string} name @param {(input: HTMLInputElement) => Promise<void>} run */
function onSubmit(card, name, run) {
  const form = find(card, `form[name=${name}]`, HTMLFormElement);
  const [input, problem] = [find(form, "input", HTMLInputElement), find(form, ".problem")];
  form.onsubmit = async (event) => {
    event.preventDefault();
    problem.textContent = "";
    await run(input).catch((why) => {
      if (why?.code === undefined) throw why;
      problem.textContent = refusalText(why);
    });
  };
}

function askRoom() {
  const card = showCard("ask-room");
  const link = find(card, "input", HTMLInputElement);
  link.placeholder = `${origin}/r/…`;
  link.oninput = () => link.setCustomValidity("");
  onSubmit(card, "enter", async () => {
    const { room, token } = takeStart(link.value.trim(), origin);
    if (room) return begin(room, token);
    link.setCustomValidity(t("start.badLink"));
    link.reportValidity();
  });
  onSubmit(card, "make", async ({ value }) => {
    const rest = new Rest({ origin, token: value.trim() });
    const { uuid } = await rest.ask("POST", "/v5/rooms", { name: "" });
    await begin(uuid, await rest.ask("POST", `/v5/tokens/rooms/${uuid}`, { role: "admin" }));
  });
}

/** @param {string} room @param {string} given */
async function begin(room, given) {
  if (given) keep(`token.${room}`, given, sessionStorage);
  const token = given || (kept(`token.${room}`, sessionStorage) ?? "");
  if (token || server.open) return open(room, token);
  onSubmit(showCard("ask-token"), "token", ({ value }) => begin(room, value.trim()));
}

async function start() {
  dress();
  await turnTo(kept("language") ?? languageFor(navigator.languages));
  const { room, token, isRoomPage } = takeStart(location.href, origin);
  // A token is nobody's business but this tab's: it leaves the address before anything else happens.
  if (location.hash) place(location.pathname);
  try {
    server = await new Rest({ origin }).server();
  } catch (why) {
    const card = showCard("no-server");
    find(card, "p").textContent = refusalText(/** @type {any} */ (why));
    find(card, "button").onclick = () => start();
    return;
  }
  if (room) return begin(room, token);
  if (isRoomPage) return showCard("no-room");
  return server.open ? open(randomHex(16), "") : askRoom();
}

dark.addEventListener("change", dress);
// A page that goes leaves its room at once; one that the browser brings back comes in again.
addEventListener("pagehide", () => void app?.session.disconnect());
addEventListener("pageshow", (event) => { if (event.persisted) app?.join().catch(() => {}); });
addEventListener("online", () => app?.session.networkBack());

start();
