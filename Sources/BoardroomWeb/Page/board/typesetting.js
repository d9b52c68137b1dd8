// How the text of an element is laid out while it is edited: measured here, once, because line
// breaks and the size of the box are stored in the element.
import { PADDING } from "../render/display.js";
import { centre, minus, sizeOf, spot, times } from "../render/geom.js";
import { LABEL_MARGIN, labelArea, lineMiddle } from "../render/letters.js";
import { broken, fontOf, LINE_HEIGHT, linesOf } from "../render/text.js";
import { isLine, isWords } from "./edits.js";

/** Pixels after which the lines of a text without a width of its own are broken. */
const WIDEST = 640;

/** The same of the label of a line. */
const WIDEST_OF_LINE = 240;

/** The size of letters of a label that is begun, if no other is told. */
const LABEL_SIZE = 20;

/** @typedef {import("../render/fields.js").ElementFields} ElementFields */

/** @param {ElementFields} fields */
const typeOf = (fields) => fields.text("type") ?? "";

/** @param {ElementFields} fields of a shape that has no text by its type */
const isLabel = (fields) => !isWords(typeOf(fields));

/**
 * @param {ElementFields} fields of what has letters
 * @param {number} size of its letters
 * @returns {number} where its lines end at the latest, in pixels from where they begin
 */
function roomOf(fields, size) {
  const { x: width } = sizeOf(fields.box);
  if (isNote(fields)) return Math.max(width - 2 * PADDING, size);
  if (isLine(typeOf(fields))) return WIDEST_OF_LINE;
  if (isLabel(fields)) {
    return Math.max(sizeOf(labelArea(typeOf(fields), fields.box)).x - 2 * LABEL_MARGIN, size);
  }
  return hasWidth(fields) ? width : Math.max(WIDEST, width);
}

/** @param {ElementFields} fields */
export const isNote = (fields) => fields.text("type") === "note";

/**
 * @param {ElementFields} fields of a text: its lines are set in its
 *   box
 */
const hasWidth = (fields) =>
  (fields.flag("wraps") || Boolean(fields.style("align"))) && sizeOf(fields.box).x > 0;

/**
 * @param {ElementFields} fields
 * @returns {number} the height of its letters, or of those that a label is begun with
 */
function sizeOfLetters(fields) {
  const usual = isLabel(fields) && !fields.text("text") ? LABEL_SIZE : 16;
  return fields.number("size") ?? usual;
}

/**
 * The text as it was written, without the line breaks that were added: after a word is removed the
 * lines are broken anew.
 * @param {ElementFields} fields of a text or note
 */
export function sourceOf(fields, setting = new Typesetting(fields)) {
  const text = fields.text("text") ?? "";
  const meta = fields.value("meta");
  const isSource = typeof meta?.text === "string" && setting.wrap(meta.text) === text;
  return isSource ? meta.text : text;
}

/**
 * @param {ElementFields} fields of a text or note
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
  if (isLabel(fields)) return { ...kept, ...labelChanges(fields, setting.size, needed) };
  if (!isNote(fields)) {
    const wide = setting.isBoxed ? width : Math.ceil(needed.x);
    return { ...kept, width: wide, height: Math.ceil(needed.y) };
  }
  // A note grows with its text, and does not become smaller while it is edited.
  const high = Math.ceil(needed.y) + 2 * PADDING;
  return high > height ? { ...kept, height: high } : kept;
}

/**
 * @param {ElementFields} fields
 * @param {number} size of the letters
 * @param {Spot} needed
 * @returns {Style} what else of the element is another with such a label: a shape grows with it
 */
function labelChanges(fields, size, needed) {
  const sized = fields.number("size") === undefined ? { size } : {};
  if (isLine(typeOf(fields))) return { ...sized, "style.textWidth": Math.ceil(needed.x) };
  const { y: height } = sizeOf(fields.box);
  const { y: room } = sizeOf(labelArea(typeOf(fields), fields.box));
  const more = needed.y + LABEL_MARGIN - room;
  return more > 0 ? { ...sized, height: Math.ceil((height * (room + more)) / room) } : sized;
}

/**
 * @param {ElementFields} fields
 * @param {Typesetting} setting
 * @param {string} text in lines
 * @returns {Spot} the upper left corner of its letters, before the element is turned
 */
export function cornerOf(fields, setting, text) {
  const { box } = fields;
  const half = times(spot(setting.widthFor(text), setting.sizeOf(text).y), 0.5);
  if (isLine(typeOf(fields))) {
    return minus(
      lineMiddle(fields.points, fields.flag("rounded")) ?? spot(box.left, box.top),
      half,
    );
  }
  if (isLabel(fields)) return minus(centre(labelArea(typeOf(fields), box)), half);
  const inside = isNote(fields) ? PADDING : 0;
  return spot(box.left + inside, box.top + inside);
}

/**
 * @param {ElementFields} fields
 * @returns {string} on which side its lines are
 */
export const sideOf = (fields) => {
  if (isLine(typeOf(fields))) return "center";
  return fields.style("align") ?? (isLabel(fields) ? "center" : "left");
};

/** @type {Ink | undefined} what all letters are measured on, made for the first of them */
let measuring;

export class Typesetting {
  /** @param {ElementFields} fields of a text or note */
  constructor(fields) {
    this.size = sizeOfLetters(fields);
    this.room = roomOf(fields, this.size);
    /** Its lines end where its box does. */
    const isShape = isLabel(fields) && !isLine(typeOf(fields));
    this.isBoxed = isNote(fields) || isShape || (!isLabel(fields) && hasWidth(fields));
    const bold = fields.flag("bold");
    const italic = fields.flag("italic");
    this.#font = fontOf({ size: this.size, bold, italic });
  }

  #font = "";

  get #ink() {
    measuring ??= /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
    measuring.font = this.#font;
    return measuring;
  }

  /** As the browser writes it. */
  get font() {
    return this.#ink.font;
  }

  /** @param {string} line */
  #widthOf(line) {
    return this.#ink.measureText(line).width;
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
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } =
      this.#ink.measureText("字g");
    return this.size - ((LINE_HEIGHT * this.size - up - down) / 2 + up);
  }
}
