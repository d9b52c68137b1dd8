// The boards that this browser opened lately: kept by the browser, listed on the first page. Only a
// board's address without its token, its name and a small picture are kept (docs/WEB.md).
import { fill, find, h, icon, iconButton, piece } from "../../ui/dom.js";
import { focusables } from "../../ui/focus.js";
import { languageTag, t } from "../../ui/i18n.js";
import { keep, kept, tried } from "../../ui/storage.js";

/** Boards in the list; if there are more, those that were opened longest ago go. */
const MOST_BOARDS = 24;

/** Letters of a board's name. */
const MOST_LETTERS = 60;

/** Letters of a picture's address of data; a board whose picture is larger has none. */
const MOST_PICTURE = 12_000;

/** Letters of the whole list that are read. */
const MOST_KEPT = MOST_BOARDS * (MOST_PICTURE + 1_000);

/** How much is kept of a picture's quality. */
const QUALITY = 0.7;

/** The last time that a date can have, in ms. */
const LAST_TIME = 8.64e15;

const KEY = "recent";

/** @param {any} one as the browser kept it; another version of the page may have written it */
const isSound = (one) =>
  /^[0-9a-f]{32}$/.test(one?.room) &&
  typeof one.name === "string" &&
  Number.isFinite(one.time) &&
  Math.abs(one.time) <= LAST_TIME &&
  (one.picture === undefined || /^data:image\/(webp|png);base64,/.test(one.picture));

/** @returns {RecentBoard[]} the last one first; none: nothing is kept */
export function recentBoards() {
  const text = kept(KEY) ?? "[]";
  const found = text.length > MOST_KEPT ? [] : tried(() => JSON.parse(text));
  return Array.isArray(found) ? found.filter(isSound).slice(0, MOST_BOARDS) : [];
}

/** @param {RecentBoard[]} boards */
function keepBoards(boards) {
  const shown = boards.slice(0, MOST_BOARDS);
  if (keep(KEY, JSON.stringify(shown))) return;
  // There may be no room for the pictures.
  keep(KEY, JSON.stringify(shown.map(({ picture: _, ...board }) => board)));
}

/** @param {string} room */
export const isRecent = (room) => recentBoards().some((one) => one.room === room);

/** @param {string} room */
export const forgetBoard = (room) => keepBoards(recentBoards().filter((one) => one.room !== room));

/**
 * @param {RoomState} state
 * @returns {string} the room's own name, or else what is written first on the board; "": neither
 */
function nameOf({ created, elements }) {
  const written = [...(created?.name ? [] : elements.values())].flatMap(({ buried, shape, set }) =>
    buried ? [] : (set?.text ?? shape?.text ?? []),
  );
  const text = String(created?.name || (written.find((one) => one !== "") ?? ""));
  // A text may be large: what is in sight of it is enough.
  return text
    .slice(0, 4 * MOST_LETTERS)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, MOST_LETTERS);
}

/**
 * A picture of the page that is shown, as it is painted for the list of pages.
 * @param {App} app
 * @returns {string | undefined} none: it is too large, or has an image of a site that forbids it
 */
function pictureOf({ pages, session }) {
  const canvas = pages.pictureOf(session.state.currentScene);
  const found = canvas && tried(() => canvas.toDataURL("image/webp", QUALITY));
  return found && found.length <= MOST_PICTURE ? found : undefined;
}

/**
 * Puts the board that is shown first in the list.
 * @param {App} app
 * @param {boolean} isLeft it is left now, and gets another picture
 */
export function noteBoard(app, isLeft) {
  const { state } = app.session;
  const others = recentBoards();
  const known = others.find(({ room }) => room === app.room);
  const picture = (isLeft && pictureOf(app)) || known?.picture;
  const board = { room: app.room, name: nameOf(state), time: Date.now(), picture };
  keepBoards([board, ...others.filter((one) => one !== known)]);
}

/** The list on the first page. */
export class RecentList {
  element = h("section", { class: "recent", "aria-label": t("recent.title") });
  list = h("ul");
  status = h("p", { class: "quiet", role: "status" });

  constructor() {
    const head = piece("recent");
    find(head, "button").onclick = () => this.#change([], t("recent.allRemoved"));
    this.element.append(head, this.list, this.status);
    this.list.addEventListener("keydown", (event) => this.#onKey(event));
    this.render();
  }

  render() {
    const boards = recentBoards();
    const isEmpty = boards.length === 0;
    fill(this.list, ...boards.map((board) => this.#row(board)));
    find(this.element, "header").hidden = isEmpty;
    this.element.hidden = isEmpty && this.status.childNodes.length === 0;
  }

  /** @param {RecentBoard} board */
  #row(board) {
    const { room, time, picture } = board;
    const name = board.name || t("recent.unnamed", { id: room.slice(0, 8) });
    const when = new Date(time);
    const shown = { dateStyle: /** @type {const} */ ("medium"), timeStyle: "short" };
    const words = when.toLocaleString(languageTag(), /** @type {any} */ (shown));
    const image = picture
      ? h("img", { src: picture, alt: "" })
      : h("span", { class: "no-picture" }, icon("pages"));
    const clock = h("time", { datetime: when.toISOString() }, words);
    const said = h("span", {}, h("strong", {}, name), h("small", {}, clock));
    const open = h("a", { class: "recent-open", href: `/r/${room}` }, image, said);
    const label = t("recent.removeOne", { name });
    return h(
      "li",
      {},
      open,
      iconButton("close", label, () => this.#remove(board, name)),
    );
  }

  /**
   * @param {RecentBoard} board
   * @param {string} name
   */
  #remove(board, name) {
    const boards = recentBoards();
    const at = boards.findIndex(({ room }) => room === board.room);
    const others = boards.filter(({ room }) => room !== board.room);
    this.#change(others, t("recent.removed", { name }));
    const links = focusables(this.list, "a");
    (links[Math.min(at, links.length - 1)] ?? find(this.status, "button")).focus();
  }

  /**
   * Keeps another list, and offers the way back to the one that was there.
   * @param {RecentBoard[]} boards
   * @param {string} words
   */
  #change(boards, words) {
    const before = recentBoards();
    keepBoards(boards);
    const back = () => {
      const isFresh = (/** @type {RecentBoard} */ { room }) =>
        before.every((one) => one.room !== room);
      keepBoards([...recentBoards().filter(isFresh), ...before]);
      fill(this.status);
      this.render();
      focusables(this.list, "a")[0]?.focus();
    };
    const props = { type: "button", class: "button small", onclick: back };
    const button = h("button", props, t("recent.back"));
    fill(this.status, words, button);
    this.render();
    if (boards.length === 0) button.focus();
  }

  /** @param {KeyboardEvent} event Delete removes, arrows go through the boards */
  #onKey(event) {
    const links = focusables(this.list, "a");
    const at = links.findIndex((one) => one === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (at < 0) return;
    if (event.key === "Delete") links[at].parentElement?.querySelector("button")?.click();
    else if (step) links[at + step]?.focus();
    else return;
    event.preventDefault();
  }
}
