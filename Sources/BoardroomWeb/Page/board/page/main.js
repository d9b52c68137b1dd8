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
import { boundedName } from "../../ui/people.js";
import { forget, keep, kept, randomHex, showAddress } from "../../ui/storage.js";
import { roomTitle } from "../../ui/title.js";
import { App } from "./app.js";
import { forgetBoard, isRecent, noteBoard, RecentList, recentBoards } from "./recent.js";
import { readStart } from "./start.js";

const { origin } = location;

/** @type {App | null} the room that is shown */
let app = null;

/** @type {AboutServer} */
let server = { open: false };

/** Whether the page was in its room when it was left. */
let wasHere = false;

/** Whether the board that is shown is to stand in the list of this browser. */
let isNoted = false;

/** Whether it was taken out of the list: what still happens on it does not put it back. */
let isForgotten = false;

/** A room that this page made: it is not listed as long as nothing is on it. */
let freshRoom = "";

/** @type {RecentList | undefined} the list on the first page */
let recentList;

/**
 * The token of a room that this tab keeps; null: none.
 * @param {string} room
 */
const keptToken = (room) => kept(`token.${room}`, "tab");

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
  noteLeft();
  showAddress(addressOf(room, token));
  app?.remove();
  isNoted = false;
  isForgotten = false;
  recentList = undefined;
  document.body.replaceChildren();
  app = new App(optionsOf(room, token));
  const hosting = kept(`hosting.${room}`, "tab");
  app.paper.focus({ preventScroll: true });
  await app.join().catch(async ({ code }) => {
    if (!/^(token|forbidden)/.test(code)) return;
    forget(`token.${room}`, "tab");
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
    // A visitor has one name, which is kept; without one ("": none was wanted), the room gives a
    // number.
    payload: { name: boundedName(kept("name") ?? "") },
    asksName: () => kept("name") === null,
    onRenamed(name) {
      keep("name", name);
      // For who joins again.
      if (app) app.options.payload = { name };
    },
    isListed: () => isRecent(room),
    callbacks: { changed: noteOpened, firePhaseChanged: noteOpened },
    page: Number(kept(`page.${room}`, "tab")) || undefined,
    onTurned(page) {
      if (page === undefined) forget(`page.${room}`, "tab");
      else keep(`page.${room}`, String(page), "tab");
    },
    onTitle(name) {
      document.title = roomTitle(name, room);
    },
    onHosting(given) {
      keep(`token.${room}`, given, "tab");
      keep(`hosting.${room}`, given, "tab");
    },
  };
}

/** Notes the board that is shown in the list of this browser, once. */
function noteOpened() {
  if (isNoted || isForgotten || !app || app.session.phase !== "connected") return;
  if (app.room === freshRoom && app.session.state.elements.size === 0) return;
  isNoted = true;
  noteBoard(app, false);
}

/** Notes how the board that is left looks now. */
function noteLeft() {
  if (app && isNoted) noteBoard(app, true);
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
    boards: () => location.assign("/#boards"),
    // Without a token of its own nobody makes rooms on a server that is not open.
    ...(server.open ? { newBoard: () => location.assign("/#new") } : {}),
    forget() {
      isNoted = false;
      isForgotten = true;
      forgetBoard(room);
      location.assign("/#boards");
    },
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
  if (given) keep(`token.${room}`, given, "tab");
  const token = given || (keptToken(room) ?? "");
  if (token || server.open) await open(room, token);
  else askForToken(room);
}

/** @param {string} room */
function askForToken(room) {
  const card = showCard("ask-token", { token: (written) => begin(room, written) });
  if (!isRecent(room)) return;
  const onclick = () => {
    forgetBoard(room);
    location.assign("/");
  };
  card.append(h("button", { type: "button", class: "button wide", onclick }, t("recent.remove")));
}

/** @param {string} problem why the server says nothing of itself */
function showNoServer(problem) {
  const card = showCard("no-server");
  find(card, "p").textContent = problem;
  find(card, "button").onclick = start;
}

/**
 * The first page: the boards of this browser, and the ways to another one.
 * @param {string} name of its card
 * @param {Parameters<ShowCard>[1]} forms
 */
function showFirstPage(name, forms) {
  const card = showCard(name, forms);
  find(card, "input", HTMLInputElement).placeholder = `${origin}/r/…`;
  const list = new RecentList();
  recentList = list;
  card.append(list.element);
  return card;
}

/** @param {string} wish the part of the address after # */
async function openServerStart(wish) {
  const isFirst = wish === "#boards" || (wish !== "#new" && recentBoards().length > 0);
  if (isFirst) return find(showFirstPage("first", { enter }), "a").focus();
  freshRoom = randomHex(16);
  await open(freshRoom, "");
}

async function start() {
  followTheme((worn) => {
    app?.setTheme(worn);
    document.querySelector(".card-page")?.setAttribute("data-theme", worn);
  });
  await loadLanguage();
  const { room, token, isRoomPage } = readStart(location.href, origin);
  const wish = location.hash;
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
  else if (server.open) await openServerStart(wish);
  else showFirstPage("ask-room", { enter, make });
}

// A page that the browser takes away leaves its room at once; if the browser brings it back, it
// joins again.
addEventListener("pagehide", () => {
  noteLeft();
  wasHere = app?.leaveAtOnce() ?? false;
});

addEventListener("pageshow", ({ persisted }) => {
  if (persisted && wasHere) app?.join().catch(() => {});
  if (persisted) recentList?.render();
});

// Another tab has opened a board.
addEventListener("storage", () => recentList?.render());

addEventListener("online", () => app?.resume());
document.addEventListener("resume", () => app?.resume());

document.addEventListener("visibilitychange", () => {
  if (document.hidden) noteLeft();
  else app?.resume();
});

// Another link pasted into this tab.
addEventListener("hashchange", () => location.reload());

start();
