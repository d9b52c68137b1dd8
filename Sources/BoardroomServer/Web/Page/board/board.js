// The board: canvases, hands, and what the others do, in one element of a page. It paints a source, and only when
// something changed. This is the whole of what pages and the player need from it:
//
//   const board = new Board({ root, source, session, clock, theme })
//     root      an element; the board fills it (it gets `position: relative` if it has no position)
//     source    {scene, elements(scene), element(id), onChanged(fn), ppt?(scene)}: Overlay, or a replay's
//     session   {member, writable, send(name, body)}; none: the board is looked at, never touched (the player)
//     clock     core/clock.js
//     words     {text}: what a screen reader says of a text field; the page's language
//     theme     "light" or "dark"; a scene is the same, dark shows its colours with their lightness turned round
//
//   board.tool     read, set: one of TOOLS (board/tools/index.js): select hand pen highlighter eraser laser text note
//                  straight arrow rectangle ellipse triangle rhombus pentagram speechBalloon
//   board.style    read; set merges: {colour, fill (null: none), width, opacity, strokeType, rounded, textColor,
//                  size, bold, italic, underline, lineThrough, align}. What is selected takes on what is set
//   board.selection  read: ids, in drawing order; set: an iterable of ids
//   board.view     core/view.js: {x, y, scale, set(), zoomStep(±1), zoomTo(), cameraFor(box), body}
//   board.theme    read, set
//   board.hasDots  read, set: dots on the paper (true)
//   board.usesPen  read, set: a pen was seen, so that touches only move the paper (palm rejection)
//   board.presence board/presence.js: set(members), for cursors, lasers and hands
//
//   board.onTool = (name) => …      board.onStyle = (style) => …      board.onSelection = (ids) => …
//   board.onView = (view, byHand) => …   byHand: this member's own hands moved it (a follower becomes free)
//   board.onEdit = (isEditing) => …      a text is being written
//   board.onRefused = (refusal) => …     a command of the board was refused; it is rolled back already
//
//   board.remove() duplicate() order("front" | "forward" | "backward" | "back") lock(isLocked) nudge(x, y) turn(degrees)
//   selectAll() selectNext(±1) edit(id) undo() redo() cancel()       undo and redo are the commands of the protocol
//   board.putImage({src, width, height}, at?) → id, at once; without src a frame waits; board.setImage(id, src) fills it
//   board.fit() glide(camera) box(id) content(scene) → Box | undefined
//   board.picture(box?, scale?) → Promise<Blob> PNG of the scene, white ground; board.preview(canvas, scene) draws small
//   board.key(event) → true if it was one of the board's own keys (tools' letters, delete, arrows, mod+D, +A, +Z …)
//   board.close()

import { Feed } from "./feed.js";
import { Input } from "./input.js";
import { BoardKeys } from "./keys.js";
import { copies, moves, orders, portions, restyle, styleOf, turns } from "./edits.js";
import { Editor } from "./editor.js";
import { Presence } from "./presence.js";
import { Selection } from "./selection.js";
import { Stage } from "./stage.js";
import { READING, TOOLS, makeTool, stateOfStyle, stateOfTool } from "./tools/index.js";
import { editElement } from "./tools/text.js";
import { marksOf } from "../core/display.js";
import { centre } from "../core/geom.js";
import { paint } from "../core/paint.js";
import { picture, preview } from "./picture.js";
import { boxOfElement } from "../core/shelf.js";
import { View, cameraBetween } from "../core/view.js";

/** @typedef {import("../core/display.js").Element} Element */
/** @typedef {import("../core/geom.js").Box} Box */
/** @typedef {import("../core/geom.js").Spot} Spot */
/** @typedef {import("../core/view.js").Camera} Camera */
/** @typedef {import("../core/colours.js").Theme} Theme */
/** What of core/session.js the board uses.
 *  @typedef {{member: number | null, writable: boolean, nextElement(): string, limits?: any, state?: any,
 *   send(name: string, body: any): Promise<any>}} Session */

/** What the board draws with until something else is chosen. */
const STYLE = {
  colour: [30, 30, 30], fill: null, width: 3, opacity: 1, strokeType: "normal", rounded: false, size: 20,
  bold: false, italic: false, underline: false, lineThrough: false, align: "left",
};
/** Taking in what came, in ms of a frame. */
const BUDGET = 6;
/** Positions of the own pointer, in ms (PROTOCOL: cursors 20 a second). */
const POINTER_PERIOD = 50;
/** A style that is being dragged to is told when it rests for so long. */
const REMEMBERS = 300;
const GLIDE = 220;

export class Board {
  /**
   * @param {{root: HTMLElement, source: import("./feed.js").Source, session?: Session, clock: import("./stage.js").Clock,
   *   theme?: Theme, words?: {text: string}, isLocal?: boolean}} parts
   */
  constructor({ root, source, session, clock, theme = "light", words = { text: "Text" }, isLocal }) {
    this.root = root;
    this.source = source;
    this.session = session;
    this.clock = clock;
    this.words = words;
    if (getComputedStyle(root).position === "static") root.style.position = "relative";
    Object.assign(root.style, { touchAction: "none", userSelect: "none", overflow: "hidden" });
    this.view = new View();
    this.stage = new Stage({
      root, view: this.view, clock, theme, isLocal, before: () => this.#takeIn(), live: (ctx) => this.#draw(ctx),
    });
    const ppt = (/** @type {number} */ scene) => (source.ppt ? source.ppt(scene) : sceneOf(session, scene)?.ppt);
    const reading = {
      get scene() { return source.scene; }, elements: (/** @type {number} */ scene) => source.elements(scene), ppt,
      element: (/** @type {string} */ id) => source.element(id), onChanged: (/** @type {any} */ fn) => source.onChanged(fn),
    };
    this.feed = new Feed({
      source: reading, tiles: this.stage.tiles, clock, onChanged: () => this.stage.ask(),
      read: (element) => this.stage.marksOf(element),
    });
    this.selected = new Selection(this);
    this.presence = new Presence(this);
    this.keys = new BoardKeys(this);
    this.input = new Input(root, this.view, this.#hands());
    this.drawStyle = { ...STYLE };
    this.glides = 0;
    this.byHand = false;
    this.pointed = -Infinity;
    /** @type {Record<string, any>} */
    this.untold = {};
    this.tools = new Map(TOOLS.map((name) => [name, makeTool(this, name)]));
    this.hand = /** @type {import("./tools/index.js").Tool} */ (this.tools.get(session ? "pen" : "hand"));
    this.setCursor(this.hand.cursor);
    this.view.listeners.add(() => this.#viewed());
  }

  // What pages listen to

  /** @param {string} _name */
  onTool(_name) {}
  /** @param {Record<string, any>} _style */
  onStyle(_style) {}
  /** @param {string[]} _ids */
  onSelection(_ids) {}
  /** @param {View} _view @param {boolean} _byHand */
  onView(_view, _byHand) {}
  /** @param {boolean} _isEditing */
  onEdit(_isEditing) {}
  /** @param {any} _refusal */
  onRefused(_refusal) {}

  // Tools and style

  get tool() { return this.hand.name; }
  set tool(name) {
    const next = this.tools.get(name);
    if (!next || next === this.hand || (!this.canWrite && !READING.includes(name))) return;
    this.input.release();
    this.editor?.finish();
    this.hand.left?.();
    this.hand = next;
    if (name !== "select") this.select([]);
    this.setCursor(next.cursor);
    if (this.session) this.remember(stateOfTool(name));
    this.onTool(name);
    this.refresh();
  }

  /** Of the selection, if there is one: what its topmost element shows. */
  get style() {
    const [last] = this.selected.elements.slice(-1);
    return last ? { ...this.drawStyle, ...styleOf(last) } : { ...this.drawStyle };
  }
  set style(style) {
    Object.assign(this.drawStyle, style);
    const changes = this.selected.free.map((element) => ({ id: element.id, set: restyle(element, style) }));
    this.change(changes.filter(({ set }) => Object.keys(set).length > 0));
    this.remember(stateOfStyle(this.drawStyle));
    this.onStyle(this.style);
  }

  get theme() { return this.stage.theme; }
  set theme(theme) { this.stage.setTheme(theme); }
  get hasDots() { return this.stage.hasDots; }
  set hasDots(hasDots) {
    this.stage.hasDots = hasDots;
    this.stage.ask();
  }
  get usesPen() { return this.input.usesPen; }
  set usesPen(usesPen) { this.input.usesPen = usesPen; }
  get scene() { return this.source.scene; }
  get canWrite() { return this.session?.writable === true; }

  /** @param {boolean} isLine */
  shapeStyle(isLine) {
    const { colour, fill, width, opacity, strokeType, rounded } = this.drawStyle;
    return {
      colour, width, ...(fill && !isLine ? { fill } : {}), ...(opacity < 1 ? { opacity } : {}),
      ...(strokeType !== "normal" ? { strokeType } : {}), ...(rounded ? { rounded } : {}),
    };
  }

  /** @param {"text" | "note"} type */
  letters(type) {
    const { size, colour, align, opacity } = this.drawStyle;
    const flags = ["bold", "italic", "underline", "lineThrough"]
      .filter((name) => /** @type {any} */ (this.drawStyle)[name] === true).map((name) => [name, true]);
    const style = { ...Object.fromEntries(flags), ...(opacity < 1 ? { opacity } : {}), ...(align !== "left" ? { align } : {}) };
    return { size, style: type === "text" ? { textColor: colour, ...style } : style };
  }

  // Commands

  /** @param {string} name @param {any} body */
  send(name, body) {
    this.session?.send(name, body).catch((refusal) => this.onRefused(refusal));
    // What comes next is done to what this made of the board.
    this.feed.takeIn();
  }

  newNumber() {
    const id = this.session?.nextElement();
    return Number(id?.slice(id.indexOf(".") + 1));
  }

  /** @param {number} number */
  idOf(number) { return `${this.session?.member ?? 0}.${number}`; }

  /** @param {Record<string, any>} shape without id and scene @returns {string} its id */
  putShape(shape) {
    const id = this.idOf(this.newNumber());
    this.send("elementPut", { id, scene: this.scene, ...shape });
    this.tool = "select";
    this.select([id]);
    return id;
  }

  // As many commands as it takes.
  /** @param {string} name @param {string} key @param {any[]} items */
  #sendParts(name, key, items) {
    const limit = (this.session?.limits?.element ?? 65_536) - 64;
    for (const part of portions(items, limit)) this.send(name, { [key]: part });
  }

  /** @param {import("./edits.js").Change[]} changes */
  change(changes) {
    if (changes.length && this.canWrite) this.#sendParts("elementsChanged", "changes", changes);
  }

  /** @param {string} name @param {string[]} ids */
  sendIds(name, ids) { this.#sendParts(name, "elements", ids); }

  // Tells the others with what this member draws; several things at once.
  /** @param {Record<string, any>} state */
  remember(state) {
    Object.assign(this.untold, state);
    const tell = () => {
      if (this.canWrite && Object.keys(this.untold).length) this.send("memberState", this.untold);
      this.untold = {};
    };
    this.stopTelling?.();
    if ("isPointing" in state) tell();
    else this.stopTelling = this.clock.after(REMEMBERS, tell);
  }

  undo() { this.send("undone", { scene: this.scene }); }
  redo() { this.send("redone", { scene: this.scene }); }

  // Selection

  get selection() { return this.selected.entries.map(({ element }) => element.id); }
  set selection(ids) { this.select(ids); }

  /** @param {Iterable<string>} ids */
  select(ids) {
    const next = new Set([...ids].filter((id) => this.feed.shelf.entries.has(id)));
    const { ids: before } = this.selected;
    if (next.size === before.size && [...next].every((id) => before.has(id))) return;
    this.selected.ids = next;
    this.onSelection(this.selection);
    this.onStyle(this.style);
    this.refresh();
  }

  selectAll() {
    this.tool = "select";
    this.select(this.feed.shelf.entries.keys());
  }

  // The next in drawing order, or the one before; it is brought into sight.
  /** @param {number} by */
  selectNext(by) {
    const all = [...this.feed.shelf.entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    if (!all.length) return;
    this.tool = "select";
    const [last] = this.selection.slice(-1);
    const at = last ? all.findIndex(({ element }) => element.id === last) + by : by > 0 ? 0 : all.length - 1;
    const { element, box } = all[(at + all.length) % all.length];
    this.select([element.id]);
    if (!this.stage.sees(box)) this.glide({ ...centre(box), scale: this.view.scale });
  }

  remove() { this.sendIds("erased", this.selected.free.map(({ id }) => id)); }

  /** @param {number} [x] @param {number} [y] how far aside, in pixels */
  duplicate(x = 24, y = 24) { this.copyOf(this.selected.elements, x, y); }

  /** @param {Element[]} elements @param {number} x @param {number} y */
  copyOf(elements, x, y) {
    if (!this.canWrite || !elements.length) return;
    const made = copies(elements, { newId: () => this.idOf(this.newNumber()), scene: this.scene, x, y });
    this.#sendParts("elementsCopied", "copies", made);
    this.select(made.map(({ id }) => id));
  }

  /** @param {"front" | "forward" | "backward" | "back"} where */
  order(where) {
    const all = [...this.feed.shelf.entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.change(orders(all, new Set(this.selected.free.map(({ id }) => id)), where));
  }

  /** @param {boolean} isLocked */
  lock(isLocked) {
    const elements = isLocked ? this.selected.free : this.selected.elements;
    this.change(elements.map(({ id }) => ({ id, set: { locked: isLocked || null } })));
  }

  /** @param {number} x @param {number} y */
  nudge(x, y) { this.change(moves(this.selected.free, x, y)); }

  /** @param {number} degrees clockwise */
  turn(degrees) {
    const { box } = this.selected;
    if (box) this.change(turns(this.selected.free, (degrees * Math.PI) / 180, centre(box)));
  }

  /** @param {string} id */
  edit(id) {
    if (this.canWrite) editElement(this, id);
  }

  // A text field over the board.
  /** @param {{shape: Record<string, any>}} element @param {(changes?: Record<string, any>) => void} done */
  write(element, done) {
    this.editor?.finish();
    this.written = element;
    const ended = (/** @type {Record<string, any> | undefined} */ changes) => {
      this.editor = this.written = undefined;
      done(changes);
      this.onEdit(false);
      this.refresh();
    };
    this.editor = new Editor(this, { element, done: ended });
    this.onEdit(true);
    this.refresh();
  }

  /** Hands stop what they do; then the selection goes. */
  cancel() {
    this.input.release();
    this.editor?.finish();
    if (this.selected.ids.size) this.select([]);
    this.refresh();
  }

  // Images

  /** @param {{src?: string, width: number, height: number}} image @param {Spot} [at] its middle; else the screen's */
  putImage({ src, width, height }, at = { x: this.view.x, y: this.view.y }) {
    const shape = { type: "image", x: at.x - width / 2, y: at.y - height / 2, width, height, uniformScale: true };
    return this.putShape({ ...shape, ...(src ? { src } : {}) });
  }

  /** @param {string} id @param {string} src */
  setImage(id, src) { this.change([{ id, set: { src } }]); }

  // View

  /** All of the scene. */
  fit() {
    const box = this.content();
    this.#glideByHand(box ? this.view.cameraFor(box) : { x: 0, y: 0, scale: 1 });
  }

  /** @param {Camera} camera */
  #glideByHand(camera) {
    this.moveView(() => this.glide(camera));
  }

  // The view goes there, at once where motion is not wanted.
  /** @param {Camera} camera */
  glide(camera, ms = GLIDE) {
    const from = this.view.camera;
    const begin = this.clock.now();
    const { byHand } = this;
    const turn = this.glides += 1;
    const isStill = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const step = () => {
      if (this.glides !== turn) return;
      const part = isStill ? 1 : Math.min((this.clock.now() - begin) / ms, 1);
      const go = () => this.view.set(part >= 1 ? camera : cameraBetween(from, camera, 1 - (1 - part) ** 3));
      if (byHand) this.moveView(go, false);
      else go();
      if (part < 1) this.clock.frame(step);
    };
    step();
  }

  // Moves the view as by own hands.
  /** @param {() => void} move */
  moveView(move, endsGlide = true) {
    if (endsGlide) this.glides += 1;
    this.byHand = true;
    move();
    this.byHand = false;
  }

  #viewed() {
    this.editor?.place();
    this.onView(this.view, this.byHand);
  }

  /** @param {string} id @returns {Box | undefined} */
  box(id) { return this.feed.shelf.entries.get(id)?.box; }
  /** @param {Element} element */
  boxOf(element) { return boxOfElement(element); }
  // What is drawn of the scene shown, all together.
  /** @returns {Box | undefined} */
  content() { return this.feed.shelf.box(); }

  // PNG on white ground.
  /** @param {Box} [box] all that is drawn @param {number} [scale] */
  picture(box, scale) { return picture(this, box, scale); }
  // Draws a scene as large as it fits.
  /** @param {HTMLCanvasElement} canvas @param {number} [scene] */
  preview(canvas, scene = this.scene) { preview(this, canvas, scene); }

  // Drawing and hands

  refresh() { this.stage.ask(false); }

  /** @param {CanvasRenderingContext2D} ctx @param {import("../core/display.js").Mark[]} marks */
  paint(ctx, marks) { paint(ctx, marks, this.stage.look); }

  // An own stroke under way is drawn by its tool.
  /** @param {number | undefined} number */
  hide(number) { this.hidden = number === undefined ? undefined : this.idOf(number); }

  /** @param {string} cursor */
  setCursor(cursor) { this.root.style.cursor = cursor; }

  #takeIn() {
    this.feed.work(BUDGET);
    if (this.feed.isBusy) this.stage.ask();
    const gone = [...this.selected.ids].filter((id) => !this.feed.shelf.entries.has(id));
    if (gone.length) this.select([...this.selected.ids].filter((id) => !gone.includes(id)));
  }

  /** @param {CanvasRenderingContext2D} ctx whether another frame is wanted */
  #draw(ctx) {
    const { frame, tiles } = this.stage;
    for (const element of this.feed.above((box, version) => tiles.shows(box, version, frame, this.theme))) {
      if (element.id !== this.hidden && this.stage.sees(this.feed.shelf.entries.get(element.id)?.box ?? this.view.seen)) {
        this.stage.paint(ctx, element);
      }
    }
    if (this.written?.shape.type === "note") {
      this.paint(ctx, marksOf(/** @type {any} */ ({ ...this.written, shape: { ...this.written.shape, text: "" } })));
    }
    this.selected.draw(ctx);
    const isFading = this.hand.draw?.(ctx) === true;
    return this.presence.draw(ctx) || isFading;
  }

  /** @returns {import("./input.js").Hands} */
  #hands() {
    return {
      down: (point) => {
        this.editor?.finish();
        if (!this.canWrite && !READING.includes(this.tool)) return;
        this.#point(point);
        this.hand.down(point);
      },
      move: (points, predicted) => {
        this.#point(points[points.length - 1]);
        this.hand.move(points, predicted);
      },
      up: (point) => this.hand.up(point),
      cancel: () => this.hand.cancel(),
      hover: (point) => {
        this.#point(point);
        this.hand.hover?.(point);
      },
      left: () => this.hand.left?.(),
      pan: (x, y) => this.moveView(() => this.view.panBy(x, y)),
      pinch: (before, after) => this.moveView(() => this.view.pinch(before, after)),
      zoom: (at, factor) => this.moveView(() => this.view.zoomTo(at, this.view.scale * factor)),
      isHolding: () => this.keys.isHolding,
      sawPen: () => this.onTool(this.tool),
    };
  }

  // Tells the others where this member's hand is; the last place is told, too.
  /** @param {import("./input.js").Point} point */
  #point({ at }) {
    if (!this.canWrite) return;
    const now = this.clock.now();
    this.place = at;
    if (this.isPointing) return;
    const tell = () => {
      this.isPointing = false;
      this.pointed = this.clock.now();
      const { x, y } = /** @type {Spot} */ (this.place);
      this.send("pointer", { scene: this.scene, unit: -2, x: Math.round(x * 4), y: Math.round(y * 4) });
    };
    if (now - this.pointed >= POINTER_PERIOD) return tell();
    this.isPointing = true;
    this.clock.after(POINTER_PERIOD - (now - this.pointed), tell);
  }

  /** @param {KeyboardEvent} event true: it was the board's */
  key(event) { return this.keys.take(event); }

  close() {
    this.input.release();
    this.input.close();
    this.editor?.finish();
    this.stopTelling?.();
    this.feed.close();
    this.presence.close();
    this.stage.close();
  }
}

/** @param {Session | undefined} session @param {number} scene */
const sceneOf = (session, scene) =>
  session?.state?.scenes?.find?.((/** @type {{id: number}} */ { id }) => id === scene);
