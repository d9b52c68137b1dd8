// Editing a text in its place: a text field over the board, whose letters are where the canvas will
// draw them. What becomes of what was written is in commit.js.
import { marksOf } from "../render/display.js";
import { ElementFields, INK } from "../render/fields.js";
import { identity, moved, plus, spot } from "../render/geom.js";
import { LINE_HEIGHT } from "../render/text.js";
import { t } from "../ui/i18n.js";
import { changesFor, cornerOf, isNote, sideOf, sourceOf, Typesetting } from "./typesetting.js";
import { excess } from "./weight.js";

/**
 * The element whose text is edited, or one that does not exist yet.
 * @typedef {{ id?: string; shape?: Record<string, any>; set?: Record<string, any> }} Written
 */

/** The key of the draft of an element that does not exist yet. */
export const NEW = "";

/**
 * @param {Board} board
 * @param {Written} element
 * @param {(source: string, isForced: boolean) => void} done is told what is written
 * @returns whether it is open: a text that cannot be ended yet stays
 */
export function write(board, element, done) {
  board.editor?.finish();
  if (board.editor) return false;
  const editor = new TextEditor(board, element, done);
  board.editor = editor;
  editor.open();
  return true;
}

/** @implements {Editor} */
class TextEditor {
  /** Says how much too long the text is. */
  #warning = Object.assign(document.createElement("div"), { className: "board-too-long" });

  /**
   * @param {Board} board
   * @param {Written} element
   * @param {(source: string, isForced: boolean) => void} done
   */
  constructor(board, element, done) {
    this.board = board;
    this.element = element;
    this.done = done;
    this.fields = new ElementFields(element);
    this.setting = new Typesetting(this.fields);
    this.key = element.id ?? NEW;
    this.field = this.#makeField();
    this.#warning.setAttribute("role", "alert");
  }

  open() {
    const { board, field } = this;
    board.root.append(field);
    this.#update();
    this.focus();
    field.select();
    board.refresh();
  }

  focus() {
    this.field.focus({ preventScroll: true });
  }

  #makeField() {
    const { fields, board } = this;
    const field = document.createElement("textarea");
    // What all fields share is in board.css.
    Object.assign(field, {
      rows: 1,
      spellcheck: false,
      className: "board-writing",
      value: board.drafts.get(this.key) ?? sourceOf(fields, this.setting),
      oninput: () => this.#update(),
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
      textAlign: sideOf(fields),
      opacity: String(fields.share("opacity") ?? 1),
      color: isNote(fields) ? this.#colour() : board.colour(this.#colour()),
    });
    return field;
  }

  #colour() {
    const { fields } = this;
    const own = isNote(fields) ? undefined : fields.colour("colour");
    return fields.colour("textColor") ?? own ?? INK;
  }

  get #source() {
    return this.field.value.replace(/\r\n?/g, "\n");
  }

  /** How many characters are too many. */
  get #excess() {
    const { board, element } = this;
    const changes = changesFor(this.fields, this.setting, this.#source);
    return changes ? excess(element, changes, board.session?.limits?.element) : 0;
  }

  #update() {
    const count = this.#excess;
    const text = t("board.tooLong", { count });
    this.field.classList.toggle("is-too-long", count > 0);
    if (this.#warning.textContent !== text) this.#warning.textContent = text;
    if (count === 0) this.#warning.remove();
    else if (!this.#warning.isConnected) this.board.root.append(this.#warning);
    this.place();
  }

  /** Places the field over the element. */
  place() {
    const { fields, setting, field } = this;
    const { view } = this.board;
    const { transform = identity } = fields;
    const text = setting.wrap(field.value);
    const corner = plus(cornerOf(fields, setting, text), spot(0, setting.drop));
    const { x, y } = view.toScreen(moved(transform, corner));
    const scales = transform.slice(0, 4).map((part) => part * view.scale);
    Object.assign(field.style, {
      width: `${Math.ceil(setting.widthFor(text)) + 2}px`,
      height: `${setting.sizeOf(text).y}px`,
      transform: `matrix(${scales.join()}, ${x}, ${y})`,
    });
    this.#warning.style.transform = `translate(${Math.max(x, 12)}px, ${Math.max(y, 80)}px)`;
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

  /**
   * Ends the editing. A text that is too long stays open, unless it has to end: then it is kept, and
   * is there again when somebody writes on.
   */
  finish(isForced = false) {
    const { board, key } = this;
    if (board.editor !== this) return;
    const isTooLong = this.#excess > 0;
    if (isTooLong && !isForced) return;
    board.editor = undefined;
    // Removing the field moves the focus from it, which would end the editing once more.
    this.field.remove();
    this.#warning.remove();
    board.drafts.delete(key);
    const source = this.#source;
    if (isTooLong) board.drafts.set(key, source);
    const before = sourceOf(this.fields, this.setting);
    this.done(isTooLong ? before : source, isForced);
    if (key !== NEW) {
      if (board.canWrite) board.send("memberState", { writing: null });
      board.sceneContent.putBackOnTiles([key]);
    }
    board.refresh();
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
