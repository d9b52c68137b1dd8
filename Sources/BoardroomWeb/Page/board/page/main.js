// The page of the board: reads the address, joins, and shows a form where something is missing.
import { Rest, rightsOf } from "../../protocol/rest.js";
import {
  followTheme,
  loadLanguage,
  theme,
  toggleLanguage,
  toggleTheme,
} from "../../ui/appearance.js";
import { find, h, piece } from "../../ui/dom.js";
import { refusalText, t } from "../../ui/i18n.js";
import { forget, keep, kept, randomHex, showAddress } from "../../ui/storage.js";
import { App } from "./app.js";
import { readStart } from "./start.js";

const { origin } = location;

/** @type {App | null} the room that is shown */
let app = null;

/** @type {AboutServer} */
let server = { open: false };

/** Whether the page was in its room when it was left. */
let wasHere = false;

/**
 * The token of a room that this tab keeps; null: none.
 * @param {string} room
 */
const keptToken = (room) => kept(`token.${room}`, sessionStorage);

/**
 * The link of a reader stays in the address, so that a copied address is one, too. No other token
 * may stay there.
 * @param {string} room
 * @param {string} token
 */
const addressOf = (room, token) => `/r/${room}${rightsOf(token).look ? `#${token}` : ""}`;

/**
 * Shows a room and joins it.
 * @param {string} room
 * @param {string} token "": the server is open
 */
async function open(room, token) {
  showAddress(addressOf(room, token));
  app?.remove();
  document.body.replaceChildren();
  app = new App(optionsOf(room, token));
  const hosting = kept(`hosting.${room}`, sessionStorage);
  app.paper.focus({ preventScroll: true });
  await app.join().catch(async ({ code }) => {
    if (!/^(token|forbidden)/.test(code)) return;
    forget(`token.${room}`, sessionStorage);
    // A host's token ends with the run of an open server; the room is open to all still.
    if (server.open && token === hosting) await open(room, "");
  });
}

/**
 * @param {string} room
 * @param {string} token
 * @returns {AppOptions}
 */
function optionsOf(room, token) {
  return {
    root: document.body,
    origin,
    room,
    token,
    restToken: token || server.token,
    isOpen: server.open,
    imageLimit: server.limits?.image,
    theme: theme(),
    actions: actionsOf(room, token),
    // A visitor has one name, which is kept; without one, the room gives a number.
    payload: { name: kept("name") ?? "" },
    onRenamed: (name) => keep("name", name),
    onHosting(given) {
      keep(`token.${room}`, given, sessionStorage);
      keep(`hosting.${room}`, given, sessionStorage);
    },
  };
}

/**
 * @param {string} room
 * @param {string} token
 * @returns {PageActions} what the menu can do with the whole page
 */
function actionsOf(room, token) {
  return {
    theme: toggleTheme,
    async language() {
      await toggleLanguage();
      await app?.close();
      // Not what the page began with: a host has been given a token meanwhile (OPEN-4).
      await open(room, app?.options.token ?? token);
    },
    home: () => location.assign("/"),
  };
}

/**
 * @type {ShowCard} where something is missing: a form takes what is written, and says what is wrong
 */
function showCard(name, forms = {}) {
  const brand = h("strong", { class: "brand" }, "Boardroom");
  const card = h("div", { class: "card" }, brand, piece(name));
  const page = h("main", { class: "br card-page", "data-theme": theme() }, card);
  document.body.replaceChildren(page);
  for (const [formName, run] of Object.entries(forms)) {
    const form = find(card, `[name=${formName}]`);
    form.onsubmit = async (event) => {
      event.preventDefault();
      const { value } = find(form, "input", HTMLInputElement);
      const problem = await run(value.trim()).catch(refusalWords);
      find(form, ".problem").textContent = problem ?? "";
    };
  }
  card.querySelector("input")?.focus();
  return card;
}

/**
 * @param {any} why
 * @returns {string} what is said of a refusal; anything else is a fault, and thrown on
 */
function refusalWords(why) {
  if (why?.code === undefined) throw why;
  return refusalText(why);
}

/** @param {string} address of a room, or its name, as somebody wrote it */
async function enter(address) {
  const { room, token } = readStart(address, origin);
  return room ? begin(room, token) : t("start.badLink");
}

/** @param {string} token that may make rooms */
async function make(token) {
  const rest = new Rest({ origin, token });
  const { uuid } = await rest.request("POST", "/v5/rooms", { name: "" });
  const roomToken = await rest.request("POST", `/v5/tokens/rooms/${uuid}`, { role: "admin" });
  await begin(uuid, roomToken);
}

/**
 * @param {string} room
 * @param {string} given a token; "": that which the tab has
 */
async function begin(room, given) {
  if (given) keep(`token.${room}`, given, sessionStorage);
  const token = given || (keptToken(room) ?? "");
  if (token || server.open) await open(room, token);
  else showCard("ask-token", { token: (written) => begin(room, written) });
}

/** @param {string} problem why the server says nothing of itself */
function showNoServer(problem) {
  const card = showCard("no-server");
  find(card, "p").textContent = problem;
  find(card, "button").onclick = start;
}

function askForRoom() {
  const card = showCard("ask-room", { enter, make });
  find(card, "input", HTMLInputElement).placeholder = `${origin}/r/…`;
}

async function start() {
  followTheme((worn) => app?.setTheme(worn));
  await loadLanguage();
  const { room, token, isRoomPage } = readStart(location.href, origin);
  // A token that writes leaves the address before anything else happens.
  if (location.hash && !rightsOf(token).look) showAddress(location.pathname);
  try {
    server = await new Rest({ origin }).server();
  } catch (why) {
    return showNoServer(refusalWords(why));
  }
  if (!isRoomPage && location.pathname !== "/") showCard("no-page");
  else if (room) await begin(room, token);
  else if (isRoomPage) showCard("no-room");
  else if (server.open) await open(randomHex(16), "");
  else askForRoom();
}

// A page that the browser takes away leaves its room at once; if the browser brings it back, it
// joins again.
addEventListener("pagehide", () => {
  wasHere = app?.leaveAtOnce() ?? false;
});

addEventListener("pageshow", ({ persisted }) => {
  if (persisted && wasHere) app?.join().catch(() => {});
});

addEventListener("online", () => app?.resume());
document.addEventListener("resume", () => app?.resume());

document.addEventListener("visibilitychange", () => {
  if (!document.hidden) app?.resume();
});

// Another link pasted into this tab.
addEventListener("hashchange", () => location.reload());

start();
