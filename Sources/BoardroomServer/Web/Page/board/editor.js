// Writing a text where it stands: a text field over the board whose letters lie where the canvas will draw
// them. What is written is measured here, once: line breaks and the size of the box go into the element.

import { Fields, PADDING, marksOf } from "../core/display.js";
import { identity, moved, sizeOf, spot } from "../core/geom.js";
import { LINE_HEIGHT, broken, fontOf, linesOf } from "../core/text.js";

/** A text without a width of its own is broken here, in pixels. */
const WIDEST = 640;

/** @typedef {{shape?: Record<string, any>, set?: Record<string, any>}} Written
 *  @typedef {ReturnType<typeof openEditor>} Editor */

/** @param {Board} board @param {Written} element
 *  @param {(changes: Record<string, any> | undefined) => void} done what it became, if anything */
export function openEditor(board, element, done) {
  const fields = new Fields(element);
  const isNote = element.shape?.type === "note";
  const [size, before] = [fields.number("size") ?? 16, fields.text("text") ?? ""];
  const meta = fields.value("meta") ?? {};
  const { x: width, y: height } = sizeOf(fields.box);
  // Its lines end where its box does; `room`: where they end at the latest.
  const isBoxed = isNote || (Boolean(fields.style("align")) && width > 0);
  const room = isNote ? Math.max(width - 2 * PADDING, size) : isBoxed ? width : Math.max(WIDEST, width);
  const ink = /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
  ink.font = fontOf({ size, bold: fields.flag("bold"), italic: fields.flag("italic") });
  const measure = (/** @type {string} */ line) => ink.measureText(line).width;
  const brokenIn = (/** @type {string} */ text) => broken(text, room, measure);
  const sizeOfText = (/** @type {string} */ text) => {
    const lines = linesOf(text);
    return { x: Math.max(0, ...lines.map(measure)), y: lines.length * size * LINE_HEIGHT };
  };
  const field = dressed(board, fields, ink.font);
  // What was written before lines were broken, if that is what is there: taking a word out closes the gap.
  const isOld = typeof meta.text === "string" && brokenIn(meta.text) === before;
  field.value = isOld ? meta.text : before;

  /** Puts the field where the view shows the element now. */
  const place = () => {
    const { box, transform = identity } = fields;
    // The canvas puts a line's letters `size` below its top; a page puts them by the measures of the font.
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ink.measureText("字g");
    const drop = size - ((LINE_HEIGHT * size - up - down) / 2 + up);
    const inside = isNote ? PADDING : 0;
    const { x, y } = board.view.toScreen(moved(transform, spot(box.left + inside, box.top + inside + drop)));
    const text = sizeOfText(brokenIn(field.value));
    Object.assign(field.style, {
      width: `${Math.ceil(isBoxed ? room : Math.max(size, text.x)) + 2}px`, height: `${text.y}px`,
      transform: `matrix(${transform.slice(0, 4).map((part) => part * board.view.scale).join()}, ${x}, ${y})`,
    });
  };

  /** @param {string} source */
  const changes = (source) => {
    const text = brokenIn(source);
    if (text === before) return undefined;
    const { text: old, ...others } = meta;
    const isSame = text === source && old === undefined;
    const kept = isSame ? { text } : { text, meta: { ...others, text: source } };
    const { x: wide, y: high } = sizeOfText(text);
    if (!isNote) return { ...kept, width: isBoxed ? width : Math.ceil(wide), height: Math.ceil(high) };
    // A note grows with its text, and does not shrink under a hand.
    const needed = Math.ceil(high) + 2 * PADDING;
    return needed > height ? { ...kept, height: needed } : kept;
  };

  let isOver = false;
  /** What is written goes to the element. */
  const finish = () => {
    // Taking the field away takes the focus from it, which ends it once more.
    if (isOver) return;
    isOver = true;
    const made = changes(field.value.replace(/\r\n?/g, "\n"));
    field.remove();
    done(made);
  };

  board.root.append(field);
  field.addEventListener("input", place);
  field.addEventListener("blur", finish);
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    // An input method's own Enter and Escape are not ours.
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key !== "Escape" && !(event.key === "Enter" && (event.ctrlKey || event.metaKey))) return;
    event.preventDefault();
    finish();
  });
  place();
  field.focus({ preventScroll: true });
  field.select();
  /** Its paper; its letters are in the field that lies over it. */
  const paper = { shape: { ...element.shape, text: "" }, set: { ...element.set, text: "" } };
  const draw = (/** @type {Ink} */ ctx) => board.paint(ctx, marksOf(/** @type {any} */ (paper)));
  return { place, draw, finish };
}

/** What does not depend on the element stands in board.css.
 *  @param {Board} board @param {Fields} fields @param {string} font */
function dressed(board, fields, font) {
  const isText = fields.text("type") === "text";
  const colour = fields.colour("textColor") ?? (isText ? fields.colour("colour") : undefined);
  const lines = [fields.flag("underline") && "underline", fields.flag("lineThrough") && "line-through"];
  const field = Object.assign(document.createElement("textarea"), { rows: 1, spellcheck: false });
  field.className = "board-writing";
  field.setAttribute("aria-label", board.words.text);
  Object.assign(field.style, {
    font, lineHeight: String(LINE_HEIGHT), textAlign: fields.style("align") ?? "left",
    textDecoration: lines.filter(Boolean).join(" ") || "none", color: board.colour(colour ?? "#1e1e1e"),
    opacity: String(fields.share("opacity") ?? 1),
  });
  return field;
}
