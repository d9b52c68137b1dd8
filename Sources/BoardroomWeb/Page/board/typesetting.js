// How the text of an element is laid out while it is edited: measured here, once, because line
// breaks and the size of the box are stored in the element.
import { PADDING } from "../render/display.js";
import { sizeOf } from "../render/geom.js";
import { broken, fontOf, LINE_HEIGHT, linesOf } from "../render/text.js";

/** Pixels after which the lines of a text without a width of its own are broken. */
const WIDEST = 640;

/**
 * @param {import("../render/fields.js").ElementFields} fields of a text or note
 * @param {number} size of its letters
 * @returns {number} where its lines end at the latest, in pixels from where they begin
 */
function roomOf(fields, size) {
  const { x: width } = sizeOf(fields.box);
  if (isNote(fields)) return Math.max(width - 2 * PADDING, size);
  return hasWidth(fields) ? width : Math.max(WIDEST, width);
}

/** @param {import("../render/fields.js").ElementFields} fields */
export const isNote = (fields) => fields.text("type") === "note";

/**
 * @param {import("../render/fields.js").ElementFields} fields of a text: its lines are set in its
 *   box
 */
const hasWidth = (fields) => Boolean(fields.style("align")) && sizeOf(fields.box).x > 0;

/**
 * The text as it was written, without the line breaks that were added: after a word is removed the
 * lines are broken anew.
 * @param {import("../render/fields.js").ElementFields} fields of a text or note
 */
export function sourceOf(fields, setting = new Typesetting(fields)) {
  const text = fields.text("text") ?? "";
  const meta = fields.value("meta");
  const isSource = typeof meta?.text === "string" && setting.wrap(meta.text) === text;
  return isSource ? meta.text : text;
}

/**
 * @param {import("../render/fields.js").ElementFields} fields of a text or note
 * @param {Typesetting | undefined} setting
 * @param {string} source
 * @returns {Style | undefined} what of the element is another with this text; nothing: all is as it
 *   was
 */
export function changesFor(fields, setting = new Typesetting(fields), source = "") {
  const meta = fields.value("meta");
  const text = setting.wrap(source);
  if (text === (fields.text("text") ?? "")) return undefined;
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

export class Typesetting {
  /** @param {import("../render/fields.js").ElementFields} fields of a text or note */
  constructor(fields) {
    this.size = fields.number("size") ?? 16;
    this.room = roomOf(fields, this.size);
    /** Its lines end where its box does. */
    this.isBoxed = isNote(fields) || hasWidth(fields);
    this.ink = /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
    const bold = fields.flag("bold");
    const italic = fields.flag("italic");
    this.ink.font = fontOf({ size: this.size, bold, italic });
  }

  get font() {
    return this.ink.font;
  }

  /** @param {string} line */
  #widthOf(line) {
    return this.ink.measureText(line).width;
  }

  /**
   * @param {string} text
   * @returns {string} with the line breaks that it needs
   */
  wrap(text) {
    return broken(text, this.room, (line) => this.#widthOf(line));
  }

  /**
   * @param {string} text in lines
   * @returns {Spot}
   */
  sizeOf(text) {
    const lines = linesOf(text);
    const widths = lines.map((line) => this.#widthOf(line));
    return { x: Math.max(0, ...widths), y: lines.length * this.size * LINE_HEIGHT };
  }

  /** @param {string} text in lines @returns {number} pixels that a field needs to show them */
  widthFor(text) {
    return this.isBoxed ? this.room : Math.max(this.size, this.sizeOf(text).x);
  }

  /**
   * How much lower a text field has to be: the canvas puts the letters of a line `size` below its
   * top, a page puts them by the metrics of the font.
   */
  get drop() {
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = this.ink.measureText("字g");
    return this.size - ((LINE_HEIGHT * this.size - up - down) / 2 + up);
  }
}
