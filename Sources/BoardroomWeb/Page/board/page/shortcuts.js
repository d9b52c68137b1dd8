// The keys of the page around the board. They are recognised by their position on the keyboard
// (`code`), so that they work with every layout and input method, and not while a text is being
// written.
import { focusables, focused } from "../../ui/focus.js";
import { t } from "../../ui/i18n.js";
import { isLine, isWords } from "../edits.js";

const SHAPED = ["rectangle", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon"];

/** Parts of the page, in the order of F6. */
const PARTS = ".paper, .toolbar, .mirror, .pages, .bar.view, .bar.people";

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
  if (target.closest("button, a, .popover, .mirror") && !/^Key|^Digit|^Bracket/.test(event.code)) {
    return;
  }
  app.board.handleKey(event);
}

/**
 * @param {App} app
 * @param {KeyboardEvent} event
 * @param {Element} target
 * @returns whether it was one of these keys
 */
function handlePageKey(app, { code, key, shiftKey, ctrlKey, metaKey, altKey }, target) {
  if (ctrlKey || metaKey || altKey) return false;
  if (key === "?" || (code === "Slash" && shiftKey)) {
    app.dialogs.help();
  } else if (code === "PageDown") {
    app.pages.showBeside(1);
  } else if (code === "PageUp") {
    app.pages.showBeside(-1);
  } else if (code === "F6") {
    nextPart(app.element, shiftKey ? -1 : 1);
  } else if (key === "Enter" && target === app.paper && !app.board.selection.length) {
    return putInMiddle(app);
  } else {
    return app.features.openMenu(code);
  }
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
