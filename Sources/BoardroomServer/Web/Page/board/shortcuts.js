import { focusables, focused } from "../ui/dom.js";
import { t } from "../ui/i18n.js";

// Keys of the page around the board's own. They go by where they are (`code`), so that every layout and input
// method has them, and are nobody's while something is being written.

/** @typedef {import("./app.js").App} App */

const [PUT_WIDTH, PUT_HEIGHT] = [160, 100];
const SHAPED = ["rectangle", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon"];

/** @param {App} app @param {KeyboardEvent} event */
export function takeKey(app, event) {
  const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
  if (event.isComposing || event.defaultPrevented || !(target instanceof Element)) return;
  if (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || target.closest("dialog")) return;
  if (event.type === "keydown" && own(app, event, target)) return event.preventDefault();
  // A button keeps its own keys; letters of tools go through everywhere.
  const isOnControl = target.closest("button, a, .popover, .mirror") !== null;
  if (isOnControl && !/^Key|^Digit|^Bracket/.test(event.code)) return;
  app.board.key(event);
}

/** @param {App} app @param {KeyboardEvent} event @param {HTMLElement} target */
function own(app, { code, key, shiftKey, ctrlKey, metaKey, altKey }, target) {
  if (ctrlKey || metaKey || altKey) return false;
  if (key === "?" || (code === "Slash" && shiftKey)) app.dialogs.help();
  else if (code === "PageDown") app.pages.turn(1);
  else if (code === "PageUp") app.pages.turn(-1);
  else if (code === "F6") nextRegion(app, shiftKey ? -1 : 1);
  else if (key === "Enter" && target === app.paper && !app.board.selection.length) return putInMiddle(app);
  else return false;
  return true;
}

/** From one part of the page to the next: paper, tools, pages, view, people, the list. */
/** @param {App} app @param {number} step */
function nextRegion(app, step) {
  const { element, paper, toolbar, mirror } = app;
  const parts = [paper, toolbar.element, mirror.element,
    ...element.querySelectorAll(".pages, .bar.view, .bar.people")]
    .filter((one) => one.getClientRects().length > 0);
  const at = parts.findIndex((one) => one.contains(focused(element)));
  const next = parts[(at + step + parts.length) % parts.length];
  if (next === paper || next === mirror.element) return /** @type {HTMLElement} */ (next).focus();
  const inside = focusables(next);
  (inside.find((one) => one.tabIndex === 0) ?? inside[0])?.focus();
}

/** What the tool makes, in the middle of what is seen: the way of the keyboard. */
/** @param {App} app */
function putInMiddle(app) {
  const { board } = app;
  const { tool, view, canWrite } = board;
  const isWord = tool === "text" || tool === "note";
  const isLine = tool === "arrow" || tool === "straight";
  if (!canWrite || !(isWord || isLine || SHAPED.includes(tool))) return false;
  const [width, height] = tool === "note" ? [200, 140] : [PUT_WIDTH, PUT_HEIGHT];
  const [x, y] = [Math.round(view.x - width / 2), Math.round(view.y - height / 2)];
  const place = { type: tool, x, y, style: styleFor(board, tool) };
  const size = isLine ? { points: [[0, height], [width, 0]] }
    : tool === "text" ? { text: t("tools.text"), size: board.style.size, width: 0, height: 0 }
      : tool === "note" ? { text: "", width, height, size: board.style.size } : { width, height };
  const id = board.putShape({ ...place, ...size });
  if (isWord) board.edit(id);
  app.voice.say(t("says.put", { thing: t(`thing.${tool}`) }));
  return true;
}

/** @param {import("./board.js").Board} board @param {string} tool */
function styleFor(board, tool) {
  if (tool !== "text" && tool !== "note") return board.shapeStyle(tool === "arrow" || tool === "straight");
  return tool === "text" ? { colour: board.style.colour } : {};
}
