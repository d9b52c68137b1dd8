// Writing a text where it stands: a text field over the board whose letters lie where the canvas will draw them. What is
// written is measured here, once: line breaks and the size of the box go into the element, and nobody measures again.

import { Fields } from "../core/display.js";
import { moved, spot } from "../core/geom.js";
import { LINE_HEIGHT, broken, fontOf, linesOf } from "../core/text.js";

/** @typedef {{shape: Record<string, any>, set?: Record<string, any>}} Written */

/** As docs/DRAWING.md has it: a note's text stands so far inside of it. */
const PADDING = 12;
/** A text without a width of its own is broken here, in pixels. */
const WIDEST = 640;

export class Editor {
  /**
   * @param {import("./board.js").Board} board
   * @param {{element: Written, done(changes: Record<string, any> | undefined): void}} what done: what the text became,
   *   or nothing if it is as it was
   */
  constructor(board, { element, done }) {
    this.board = board;
    this.done = done;
    this.fields = new Fields(element);
    this.isNote = element.shape.type === "note";
    this.isOver = false;
    this.size = this.fields.number("size") ?? 16;
    this.before = this.fields.text("text") ?? "";
    this.ink = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
    this.ink.font = fontOf(this.#letters);
    this.field = document.createElement("textarea");
    this.field.value = this.#source();
    this.#dress();
    board.root.append(this.field);
    this.field.addEventListener("input", () => this.place());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("blur", () => this.finish());
    this.place();
    this.field.focus({ preventScroll: true });
    this.field.select();
  }

  get #letters() {
    return { size: this.size, bold: this.fields.flag("bold"), italic: this.fields.flag("italic") };
  }

  /** What was written before lines were broken, if that is what is there: taking a word out closes the gap. */
  #source() {
    const { text } = this.fields.value("meta") ?? {};
    return typeof text === "string" && this.#broken(text) === this.before ? text : this.before;
  }

  /** @param {string} text */
  #broken(text) {
    return broken(text, this.#room, (line) => this.ink.measureText(line).width);
  }

  /** Where lines end at the latest, in pixels of the scene. */
  get #room() {
    const { left, right } = this.fields.box;
    if (this.isNote) return Math.max(right - left - 2 * PADDING, this.size);
    return this.fields.style("align") && right > left ? right - left : Math.max(WIDEST, right - left);
  }

  #dress() {
    const colour = this.fields.colour("textColor") ?? (this.isNote ? undefined : this.fields.colour("colour"));
    const { bold, italic } = this.#letters;
    const lines = ["underline", "lineThrough"].filter((name) => this.fields.flag(name));
    Object.assign(this.field.style, {
      position: "absolute", left: "0", top: "0", margin: "0", padding: "0", border: "0", outline: "none", resize: "none",
      overflow: "hidden", background: "transparent", whiteSpace: "pre-wrap", overflowWrap: "break-word",
      transformOrigin: "0 0", fontFamily: "sans-serif", fontSize: `${this.size}px`, lineHeight: String(LINE_HEIGHT),
      fontWeight: bold ? "bold" : "normal", fontStyle: italic ? "italic" : "normal",
      textDecoration: lines.map((name) => (name === "underline" ? name : "line-through")).join(" ") || "none",
      textAlign: this.fields.style("align") ?? "left", opacity: String(this.fields.share("opacity") ?? 1),
      color: this.board.stage.colour(colour ?? "#1e1e1e"), caretColor: "currentColor", zIndex: "1",
    });
    Object.assign(this.field, { rows: 1, spellcheck: false, autocapitalize: "off", className: "board-writing" });
    this.field.setAttribute("aria-label", this.board.words.text);
  }

  /** Puts the field where the view shows the element now. */
  place() {
    const { left, top } = this.fields.box;
    const inside = this.isNote ? PADDING : 0;
    const { view } = this.board;
    const [a, b, c, d] = this.fields.transform ?? [1, 0, 0, 1];
    const corner = spot(left + inside, top + inside + this.#drop);
    const at = view.toScreen(this.fields.transform ? moved(this.fields.transform, corner) : corner);
    const { width, height } = this.#extent();
    Object.assign(this.field.style, {
      width: `${Math.ceil(width) + 2}px`, height: `${Math.ceil(height)}px`,
      transform: `matrix(${[a, b, c, d].map((part) => part * view.scale).join()}, ${at.x}, ${at.y})`,
    });
  }

  /** The canvas puts a line's letters `size` below its top; a page puts them by the measures of the font. */
  get #drop() {
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.ink.measureText("字g");
    return this.size - ((LINE_HEIGHT * this.size - up - down) / 2 + up);
  }

  #extent() {
    const lines = linesOf(this.#broken(this.field.value));
    const width = Math.max(this.size, ...lines.map((line) => this.ink.measureText(line).width));
    const { left, right } = this.fields.box;
    const isBoxed = this.isNote || (this.fields.style("align") && right > left);
    return { width: isBoxed ? this.#room : width, height: lines.length * this.size * LINE_HEIGHT };
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    event.stopPropagation();
    // An input method's own Enter and Escape are not ours.
    if (event.isComposing || event.keyCode === 229) return;
    const isEnd = event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
    if (!isEnd) return;
    event.preventDefault();
    this.finish();
  }

  /** What is written goes to the element; a text of nothing is none. */
  finish() {
    // Taking the field away takes the focus from it, which ends it once more.
    if (this.isOver) return;
    this.isOver = true;
    const source = this.field.value.replace(/\r\n?/g, "\n");
    const changes = this.#changes(source);
    this.field.remove();
    this.done(changes);
  }

  /** @param {string} source */
  #changes(source) {
    const text = this.#broken(source);
    if (text === this.before) return undefined;
    const lines = linesOf(text);
    const height = lines.length * this.size * LINE_HEIGHT;
    const width = Math.max(0, ...lines.map((line) => this.ink.measureText(line).width));
    const meta = { ...this.fields.value("meta"), text: source };
    const { left, top, right, bottom } = this.fields.box;
    const kept = text === source && !this.fields.value("meta")?.text ? {} : { meta };
    if (!this.isNote) {
      const whole = this.fields.style("align") && right > left ? right - left : Math.ceil(width);
      return { text, ...kept, width: whole, height: Math.ceil(height) };
    }
    // A note grows with its text, and does not shrink under a hand.
    const grown = Math.max(bottom - top, Math.ceil(height) + 2 * PADDING);
    return { text, ...kept, ...(grown > bottom - top ? { height: grown } : {}) };
  }
}
