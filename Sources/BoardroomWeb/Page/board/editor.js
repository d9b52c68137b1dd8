// Editing a text in its place: a text field over the board, whose letters are where the canvas will
// draw them.
import { marksOf, PADDING } from "../render/display.js";
import { ElementFields, INK } from "../render/fields.js";
import { identity, moved, sizeOf, spot } from "../render/geom.js";
import { LINE_HEIGHT } from "../render/text.js";
import { isWords } from "./edits.js";
import { isNote, Typesetting } from "./typesetting.js";

/**
 * The element whose text is edited, or one that does not exist yet.
 * @typedef {{ shape?: Record<string, any>; set?: Record<string, any> }} Written
 */

/**
 * @param {Board} board
 * @param {string} id of a text or note
 */
export function edit(board, id) {
  const element = board.sceneContent.index.entries.get(id)?.element;
  if (!element || !isWords(element.shape?.type) || new ElementFields(element).isLocked) return;
  board.sceneContent.takeOffTiles([id]);
  write(board, element, (changes) => {
    const isEmptied = element.shape?.type === "text" && changes?.text === "";
    if (isEmptied) board.sendParts("erased", "elements", [id]);
    else if (changes) board.change([{ id, set: changes }]);
    board.sceneContent.putBackOnTiles([id]);
  });
}

/**
 * @param {Board} board
 * @param {Written} element
 * @param {(changes?: Style) => void} done is told what the element becomes; nothing: it stays
 */
export function write(board, element, done) {
  board.editor?.finish();
  const editor = new TextEditor(board, element, done);
  board.editor = editor;
  editor.open();
}

/** @implements {Editor} */
class TextEditor {
  /**
   * @param {Board} board
   * @param {Written} element
   * @param {(changes?: Style) => void} done
   */
  constructor(board, element, done) {
    this.board = board;
    this.element = element;
    this.done = done;
    this.fields = new ElementFields(element);
    this.setting = new Typesetting(this.fields);
    this.before = this.fields.text("text") ?? "";
    this.meta = this.fields.value("meta");
    this.field = this.#makeField();
  }

  open() {
    const { board, field } = this;
    board.root.append(field);
    this.place();
    field.focus({ preventScroll: true });
    field.select();
    board.refresh();
  }

  #makeField() {
    const { fields, board } = this;
    const field = document.createElement("textarea");
    // What all fields share is in board.css.
    Object.assign(field, {
      rows: 1,
      spellcheck: false,
      className: "board-writing",
      value: this.#source(),
      oninput: () => this.place(),
      onblur: () => this.finish(),
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.#press(event),
    });
    field.setAttribute("aria-label", board.words.text);
    const lines = [
      fields.flag("underline") ? "underline" : "",
      fields.flag("lineThrough") ? "line-through" : "",
    ];
    Object.assign(field.style, {
      font: this.setting.font,
      lineHeight: String(LINE_HEIGHT),
      textDecoration: lines.filter(Boolean).join(" "),
      textAlign: fields.style("align") ?? "left",
      opacity: String(fields.share("opacity") ?? 1),
      color: board.colour(this.#colour()),
    });
    return field;
  }

  #colour() {
    const { fields } = this;
    const own = fields.text("type") === "text" ? fields.colour("colour") : undefined;
    return fields.colour("textColor") ?? own ?? INK;
  }

  /**
   * The text as it was written, without the line breaks that were added: after a word is removed
   * the lines are broken anew.
   */
  #source() {
    const { meta, before, setting } = this;
    const isSource = typeof meta?.text === "string" && setting.wrap(meta.text) === before;
    return isSource ? meta.text : before;
  }

  /** Places the field over the element. */
  place() {
    const { fields, setting, field } = this;
    const { view } = this.board;
    const { box, transform = identity } = fields;
    const inside = isNote(fields) ? PADDING : 0;
    const corner = spot(box.left + inside, box.top + inside + setting.drop);
    const { x, y } = view.toScreen(moved(transform, corner));
    const scales = transform.slice(0, 4).map((part) => part * view.scale);
    const text = setting.wrap(field.value);
    Object.assign(field.style, {
      width: `${Math.ceil(setting.widthFor(text)) + 2}px`,
      height: `${setting.sizeOf(text).y}px`,
      transform: `matrix(${scales.join()}, ${x}, ${y})`,
    });
  }

  /**
   * Draws the element without its letters, which are in the field over it.
   * @param {Ink} ctx
   */
  draw(ctx) {
    const shape = { ...this.element.shape, text: "" };
    const set = { ...this.element.set, text: "" };
    this.board.paint(ctx, marksOf(/** @type {any} */ ({ shape, set })));
  }

  /** Removing the field moves the focus from it, which would end the editing once more. */
  finish() {
    const { board } = this;
    if (board.editor !== this) return;
    board.editor = undefined;
    this.field.remove();
    this.done(this.#changes());
    board.refresh();
  }

  /** @returns {Style | undefined} what of the element is another now; nothing: all is as it was */
  #changes() {
    const { fields, setting, meta } = this;
    const source = this.field.value.replace(/\r\n?/g, "\n");
    const text = setting.wrap(source);
    if (text === this.before) return undefined;
    const isPlain = text === source && !meta?.text;
    const kept = isPlain ? { text } : { text, meta: { ...meta, text: source } };
    const { x: width, y: height } = sizeOf(fields.box);
    const needed = setting.sizeOf(text);
    if (!isNote(fields)) {
      const wide = setting.isBoxed ? width : Math.ceil(needed.x);
      return { ...kept, width: wide, height: Math.ceil(needed.y) };
    }
    // A note grows with its text, and does not become smaller while it is edited.
    const high = Math.ceil(needed.y) + 2 * PADDING;
    return high > height ? { ...kept, height: high } : kept;
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    event.stopPropagation();
    const isSent = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (event.key !== "Escape" && !isSent) return;
    // An input method's own Enter and Escape are not ours.
    if (event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    this.finish();
  }
}
