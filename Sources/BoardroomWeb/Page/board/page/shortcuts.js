// The keys of the page around the board. They are recognised by their position on the keyboard
// (`code`), so that they work with every layout and input method, and not while a text is being
// written.
import { focusables, focused } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { isLine, isWords } from "../edits.js";

const SHAPED = ["rectangle", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon"];

/** Parts of the page, in the order of F6. */
const PARTS = ".paper, .toolbar, .mirror, .pages, .bar.view, .bar.people, .ask-name";

/**
 * @param {App} app
 * @param {KeyboardEvent} event
 */
export function handleKey(app, event) {
  const [target] = event.composedPath();
  if (event.isComposing || event.defaultPrevented || !(target instanceof Element)) return;
  if (target.closest("input, textarea, select, dialog")) return;
  if (event.type === "keydown" && handlePageKey(app, event, target)) return event.preventDefault();
  // Keys that a button uses itself are not taken from it; letters of tools work everywhere.
  const isForAll = /^Key|^Digit|^Bracket|^Escape/.test(event.code);
  if (!isForAll && target.closest("button, a, .popover, .mirror")) return;
  app.board.handleKey(event);
}

/**
 * Keys by their codes; false: it did nothing, and the board may have it.
 * @type {Record<string, (app: App, event: KeyboardEvent) => boolean | void>}
 */
const KEYS = {
  Escape: (app) => app.closePanel(),
  PageDown: (app) => app.pages.showBeside(1),
  PageUp: (app) => app.pages.showBeside(-1),
  F6: (app, { shiftKey }) => nextPart(app.element, shiftKey ? -1 : 1),
};

/**
 * @param {App} app
 * @param {KeyboardEvent} event
 * @param {Element} target
 * @returns whether it was one of these keys
 */
function handlePageKey(app, event, target) {
  const { code, key, shiftKey, ctrlKey, metaKey, altKey } = event;
  if (ctrlKey || metaKey || altKey) return copiesPicture(app, event);
  if (KEYS[code]) return KEYS[code](app, event) !== false;
  if (key === "?" || (code === "Slash" && shiftKey)) {
    app.dialogs.help();
    return true;
  }
  const [, digit] = /^Digit([1-9])$/.exec(code) ?? [];
  if (digit && !shiftKey) return app.toolbar.choose(digit);
  if (key === "Enter" && target === app.paper && !app.board.selection.length) {
    return putInMiddle(app);
  }
  return app.features.openMenu(code);
}

/**
 * @param {App} app
 * @param {KeyboardEvent} event
 * @returns whether it is a key that copies a picture, as in Excalidraw and tldraw
 */
function copiesPicture({ clipboard }, { code, shiftKey, altKey }) {
  if (code !== "KeyC" || !shiftKey) return false;
  clipboard.copyAs(altKey ? "png" : "svg");
  return true;
}

/**
 * @param {HTMLElement} element
 * @param {number} step
 */
function nextPart(element, step) {
  const parts = focusables(element, PARTS);
  const at = parts.findIndex((one) => one.contains(focused(element)));
  const next = parts[(at + step + parts.length) % parts.length];
  const inside = focusables(next);
  (next.tabIndex === 0 ? next : (inside.find((one) => one.tabIndex === 0) ?? inside[0]))?.focus();
}

/** Sizes, in pixels, of what the keyboard puts: of a note, and of everything else. */
const NOTE = { width: 200, height: 140 };

const SHAPE = { width: 160, height: 100 };

/** @param {App} app; puts an element of the tool in the middle of the view */
function putInMiddle({ board, voice }) {
  const { tool: type, view, canWrite } = board;
  if (!canWrite) return false;
  const { width, height } = type === "note" ? NOTE : SHAPE;
  const parts = shapeOf(board, type);
  if (!parts) return false;
  const x = Math.round(view.x - width / 2);
  const y = Math.round(view.y - height / 2);
  const id = board.putShape({ type, x, y, ...parts });
  if (isWords(type)) board.edit(id);
  voice.announce(t("says.put", { thing: t(`thing.${type}`) }));
  return true;
}

/**
 * @param {Board} board
 * @param {string} type
 * @returns {Record<string, any> | undefined} what such a shape has besides its place; none: the
 *   tool makes no shapes
 */
function shapeOf(board, type) {
  const { size, colour } = board.style;
  const { width, height } = SHAPE;
  if (type === "note") return { text: "", ...NOTE, size, style: {} };
  if (type === "text") {
    return { text: t("tools.text"), size, width: 0, height: 0, style: { colour } };
  }
  if (isLine(type)) {
    const from = [0, height];
    const to = [width, 0];
    return { points: [from, to], style: board.shapeStyle(true) };
  }
  return SHAPED.includes(type) ? { width, height, style: board.shapeStyle(false) } : undefined;
}
