// Writing a text where it stands: a text field over the board whose letters lie where the canvas will draw
// them. What is written is measured here, once: line breaks and the size of the box go into the element, and
// nobody measures again.

import { Fields, PADDING } from "../core/display.js";
import { moved, sizeOf, spot } from "../core/geom.js";
import { LINE_HEIGHT, broken, fontOf, linesOf } from "../core/text.js";

/** A text without a width of its own is broken here, in pixels. */
const WIDEST = 640;

export class Editor {
  isOver = false;

  /**
   * @param {import("./board.js").Board} board
   * @param {{shape: Record<string, any>, set?: Record<string, any>}} element
   * @param {(changes: Record<string, any> | undefined) => void} done what it became, if anything
   */
  constructor(board, element, done) {
    this.board = board;
    this.done = done;
    this.fields = new Fields(element);
    this.isNote = element.shape.type === "note";
    this.size = this.fields.number("size") ?? 16;
    this.before = this.fields.text("text") ?? "";
    const [bold, italic] = [this.fields.flag("bold"), this.fields.flag("italic")];
    this.ink = /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
    this.ink.font = fontOf({ size: this.size, bold, italic });
    const isAligned = Boolean(this.fields.style("align")) && sizeOf(this.fields.box).x > 0;
    /** Its lines end where its box does. */
    this.isBoxed = this.isNote || isAligned;
    const width = sizeOf(this.fields.box).x;
    /** Where lines end at the latest, in pixels of the scene. */
    this.room = this.isNote ? Math.max(width - 2 * PADDING, this.size)
      : isAligned ? width : Math.max(WIDEST, width);
    this.field = document.createElement("textarea");
    this.field.value = this.#source();
    this.#dress(bold, italic);
    board.root.append(this.field);
    this.field.addEventListener("input", () => this.place());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("blur", () => this.finish());
    this.place();
    this.field.focus({ preventScroll: true });
    this.field.select();
  }

  /** What was written before lines were broken, if that is what is there: taking a word out closes the
   *  gap. */
  #source() {
    const { text } = this.fields.value("meta") ?? {};
    return typeof text === "string" && this.#broken(text) === this.before ? text : this.before;
  }

  /** @param {string} line */
  #measure(line) { return this.ink.measureText(line).width; }
  /** @param {string} text */
  #broken(text) { return broken(text, this.room, (line) => this.#measure(line)); }

  /** @param {boolean} isBold @param {boolean} isItalic */
  #dress(isBold, isItalic) {
    const { fields, board, field } = this;
    const colour = fields.colour("textColor") ?? (this.isNote ? undefined : fields.colour("colour"))
      ?? "#1e1e1e";
    const lines = [fields.flag("underline") && "underline", fields.flag("lineThrough") && "line-through"];
    Object.assign(field.style, {
      position: "absolute", left: "0", top: "0", margin: "0", padding: "0", border: "0", outline: "none",
      resize: "none",
      overflow: "hidden", background: "transparent", whiteSpace: "pre-wrap", overflowWrap: "break-word",
      transformOrigin: "0 0", fontFamily: "sans-serif", fontSize: `${this.size}px`,
      lineHeight: String(LINE_HEIGHT),
      fontWeight: isBold ? "bold" : "normal", fontStyle: isItalic ? "italic" : "normal", zIndex: "1",
      textDecoration: lines.filter(Boolean).join(" ") || "none", textAlign: fields.style("align") ?? "left",
      opacity: String(fields.share("opacity") ?? 1), color: board.colour(colour), caretColor: "currentColor",
    });
    Object.assign(field, { rows: 1, spellcheck: false, className: "board-writing" });
    field.setAttribute("aria-label", board.words.text);
  }

  /** Puts the field where the view shows the element now. */
  place() {
    const { fields, board: { view } } = this;
    // The canvas puts a line's letters `size` below its top; a page puts them by the measures of the font.
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.ink.measureText("字g");
    const drop = this.size - ((LINE_HEIGHT * this.size - up - down) / 2 + up);
    const inside = this.isNote ? PADDING : 0;
    const corner = spot(fields.box.left + inside, fields.box.top + inside + drop);
    const { transform = [1, 0, 0, 1, 0, 0] } = fields;
    const { x, y } = view.toScreen(moved(/** @type {Transform} */ (transform), corner));
    const lines = linesOf(this.#broken(this.field.value));
    const widest = Math.max(this.size, ...lines.map((line) => this.#measure(line)));
    Object.assign(this.field.style, {
      width: `${Math.ceil(this.isBoxed ? this.room : widest) + 2}px`,
      height: `${lines.length * this.size * LINE_HEIGHT}px`,
      transform: `matrix(${transform.slice(0, 4).map((part) => part * view.scale).join()}, ${x}, ${y})`,
    });
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

  /** What is written goes to the element. */
  finish() {
    // Taking the field away takes the focus from it, which ends it once more.
    if (this.isOver) return;
    this.isOver = true;
    const changes = this.#changes(this.field.value.replace(/\r\n?/g, "\n"));
    this.field.remove();
    this.done(changes);
  }

  /** @param {string} source */
  #changes(source) {
    const text = this.#broken(source);
    if (text === this.before) return undefined;
    const lines = linesOf(text);
    const [width, height] = [sizeOf(this.fields.box).x, Math.ceil(lines.length * this.size * LINE_HEIGHT)];
    const { text: old, ...meta } = this.fields.value("meta") ?? {};
    const kept = text === source && old === undefined ? {} : { meta: { ...meta, text: source } };
    const widest = Math.ceil(Math.max(0, ...lines.map((line) => this.#measure(line))));
    if (!this.isNote) return { text, ...kept, width: this.isBoxed ? width : widest, height };
    // A note grows with its text, and does not shrink under a hand.
    const grows = height + 2 * PADDING > sizeOf(this.fields.box).y;
    return { text, ...kept, ...grows ? { height: height + 2 * PADDING } : {} };
  }
}
