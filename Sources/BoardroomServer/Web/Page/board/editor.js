// Writing a text where it stands: a field over the board whose letters lie where the canvas will
// draw them. Measured here, once: line breaks and the size of the box go into the element.
import { Fields, marksOf, PADDING } from "../render/display.js";
import { identity, moved, sizeOf, spot } from "../render/geom.js";
import { broken, fontOf, LINE_HEIGHT, linesOf } from "../render/text.js";
import { isWords } from "./edits.js";

const WIDEST = 640; // pixels: a text without a width of its own is broken here

/**
 * @param {Board} board
 * @param {string} id of a text or note
 */
export function edit(board, id) {
  const element = board.feed.shelf.entries.get(id)?.element;
  if (!element || !isWords(element.shape?.type) || new Fields(element).isLocked) return;
  board.feed.lift([id]);
  write(board, element, (changes) => {
    if (element.shape?.type === "text" && changes?.text === "")
      board.sendParts("erased", "elements", [id]);
    else if (changes) board.change([{ id, set: changes }]);
    board.feed.lower([id]);
  });
}

/** @type {(board: Board, element: Written, done: (became?: Style) => void) => void} */
export function write(board, element, done) {
  board.editor?.finish();
  const fields = new Fields(element);
  const isNote = element.shape?.type === "note";
  const size = fields.number("size") ?? 16;
  const before = fields.text("text") ?? "";
  const meta = fields.value("meta");
  const { x: width, y: height } = sizeOf(fields.box);
  // Its lines end where its box does; `room`: where they end at the latest.
  const isBoxed = isNote || (Boolean(fields.style("align")) && width > 0);
  const room = isNote
    ? Math.max(width - 2 * PADDING, size)
    : isBoxed
      ? width
      : Math.max(WIDEST, width);
  const ink = /** @type {Ink} */ (document.createElement("canvas").getContext("2d"));
  ink.font = fontOf({ size, bold: fields.flag("bold"), italic: fields.flag("italic") });
  const measure = (/** @type {string} */ line) => ink.measureText(line).width;
  const brokenIn = (/** @type {string} */ text) => broken(text, room, measure);
  const sizeOfText = (/** @type {string} */ text) => ({
    x: Math.max(0, ...linesOf(text).map(measure)),
    y: linesOf(text).length * size * LINE_HEIGHT,
  });
  // What all fields share is in board.css.
  const field = document.createElement("textarea");
  Object.assign(field, { rows: 1, spellcheck: false, className: "board-writing" });
  field.setAttribute("aria-label", board.words.text);
  const own = fields.text("type") === "text" ? fields.colour("colour") : undefined;
  const lines = [
    fields.flag("underline") && "underline",
    fields.flag("lineThrough") && "line-through",
  ];
  Object.assign(field.style, {
    font: ink.font,
    lineHeight: String(LINE_HEIGHT),
    textDecoration: lines.filter(Boolean).join(" "),
    textAlign: fields.style("align") ?? "left",
    opacity: String(fields.share("opacity") ?? 1),
    color: board.colour(fields.colour("textColor") ?? own ?? "#1e1e1e"),
  });
  // What was written before lines were broken, if that is what is there: taking a word out closes
  // the gap.
  const isOld = typeof meta?.text === "string" && brokenIn(meta.text) === before;
  field.value = isOld ? meta.text : before;
  const place = () => {
    const { box, transform = identity } = fields;
    // The canvas puts a line's letters `size` below its top; a page puts them by the measures of
    // the font.
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = ink.measureText("字g");
    const drop = size - ((LINE_HEIGHT * size - up - down) / 2 + up);
    const inside = isNote ? PADDING : 0;
    const { x, y } = board.view.toScreen(
      moved(transform, spot(box.left + inside, box.top + inside + drop)),
    );
    const text = sizeOfText(brokenIn(field.value));
    Object.assign(field.style, {
      width: `${Math.ceil(isBoxed ? room : Math.max(size, text.x)) + 2}px`,
      height: `${text.y}px`,
      transform: `matrix(${transform
        .slice(0, 4)
        .map((part) => part * board.view.scale)
        .join()}, ${x}, ${y})`,
    });
  };
  const changes = () => {
    const source = field.value.replace(/\r\n?/g, "\n");
    const text = brokenIn(source);
    if (text === before) return undefined;
    const kept =
      text === source && !meta?.text ? { text } : { text, meta: { ...meta, text: source } };
    const { x: wide, y: high } = sizeOfText(text);
    if (!isNote)
      return { ...kept, width: isBoxed ? width : Math.ceil(wide), height: Math.ceil(high) };
    // A note grows with its text, and does not shrink under a hand.
    const needed = Math.ceil(high) + 2 * PADDING;
    return needed > height ? { ...kept, height: needed } : kept;
  };
  // Taking the field away takes the focus from it, which ends it once more.
  const finish = () => {
    if (board.editor !== editor) return;
    board.editor = undefined;
    field.remove();
    done(changes());
    board.refresh();
  };
  // Its paper; its letters are in the field that lies over it.
  const shape = { ...element.shape, text: "" };
  const set = { ...element.set, text: "" };
  const draw = (/** @type {Ink} */ ctx) =>
    board.paint(ctx, marksOf(/** @type {any} */ ({ shape, set })));
  const editor = (board.editor = { place, draw, finish });
  const onkeydown = (/** @type {KeyboardEvent} */ event) => {
    event.stopPropagation();
    const isEnd =
      event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey));
    // An input method's own Enter and Escape are not ours.
    if (!isEnd || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    finish();
  };
  board.root.append(Object.assign(field, { oninput: place, onblur: finish, onkeydown }));
  place();
  field.focus({ preventScroll: true });
  field.select();
  board.refresh();
}
