// The board: canvases, hands, and what the others do, in one element of a page. It paints a source, and only
// when something changed. This is the whole of what pages and the player need from it:
//
//   const board = new Board({ root, source, session, clock, theme, words })
//     root      an element; the board fills it (it gets `position: relative` if it has no position)
//     source    {scene, elements(scene), element(id), onChanged(fn), ppt?(scene)}: Overlay, or a replay's
//     session   {member, writable, nextElement(), send(name, body)}; none: the board is looked at only
//     words     {text}: what a screen reader says of a text field; the page's language
//
//   board.tool     read, set: select hand pen highlighter eraser laser text note straight arrow rectangle
//                  ellipse triangle rhombus pentagram speechBalloon
//   board.style    read; set merges: {colour, fill (null: none), width, opacity, strokeType, rounded,
//                  textColor, size, bold, italic, underline, lineThrough, align}. What is selected takes on
//                  what is set
//   board.selection  read: ids, in drawing order; set: an iterable of ids
//   board.view     core/view.js: {x, y, scale, set(), zoomStep(±1), zoomTo(), cameraFor(box), body}
//   board.theme    read, set: "light" or "dark"; dark shows colours with their lightness turned round
//   board.hasDots  read, set: dots on the paper (true)
//   board.usesPen  read, set: a pen was seen, so that touches only move the paper (palm rejection)
//   board.presence board/presence.js: set(members), for cursors, lasers and hands
//
//   board.onTool = (name) => …      board.onStyle = (style) => …      board.onSelection = (ids) => …
//   board.onView = (view, byHand) => …   byHand: this member's own hands moved it (a follower becomes free)
//   board.onEdit = (isEditing) => …      a text is being written
//   board.onRefused = (refusal) => …     a command of the board was refused; it is rolled back already
//
//   board.remove() duplicate() order("front" | "forward" | "backward" | "back") lock(isLocked) nudge(x, y)
//   turn(degrees) selectAll() selectNext(±1) edit(id) cancel() undo() redo()    (the protocol's commands)
//   board.putImage({src, width, height}, at?) → id, at once; without src a frame waits for setImage(id, src)
//   board.fit() glide(camera) moveView(fn) box(id) content() → Box | undefined      moveView: as by own hands
//   board.picture(box?, scale?) → Promise<Blob>, PNG on white ground; preview(canvas, scene) draws small
//   board.key(event) → true if it was one of the board's own keys (board/keys.js); board.close()

import { shown } from "../core/colours.js";
import { marksOf } from "../core/display.js";
import { centre, rounded, touches } from "../core/geom.js";
import { paint } from "../core/paint.js";
import { View, cameraBetween } from "../core/view.js";
import { copies, moves, orders, portions, restyle, styleOf, turns } from "./edits.js";
import { Editor } from "./editor.js";
import { Feed } from "./feed.js";
import { Input } from "./input.js";
import { BoardKeys } from "./keys.js";
import { picture, preview } from "./picture.js";
import { Presence } from "./presence.js";
import { Selection } from "./selection.js";
import { Stage } from "./stage.js";
import { READING, makeTools, stateOfStyle, stateOfTool } from "./tools/index.js";
import { editElement } from "./tools/text.js";

// What the board draws with until something else is chosen.
/** @type {Record<string, any>} */
const STYLE = {
  colour: [30, 30, 30], fill: null, width: 3, opacity: 1, strokeType: "normal", rounded: false, size: 20,
  bold: false, italic: false, underline: false, lineThrough: false, align: "left",
};
/** Taking in what came, in ms of a frame. */
const BUDGET = 6;
/** Of the own pointer: 20 positions a second. */
const POINTER_PERIOD = 50;
/** A style that is being dragged to is told when it rests for so long, in ms. */
const REMEMBERS = 300;
/** The view's way to another place, in ms. */
const GLIDE = 220;
/** Of a command's size, before the server has said what it takes. */
const USUAL_LIMIT = 65_536;

export class Board {
  drawStyle = { ...STYLE };
  // An own stroke under way is drawn by its tool.
  /** @type {string | undefined} */
  hidden = undefined;
  /** @type {Editor | undefined} */
  editor = undefined;
  /** @type {any} */
  written = undefined;
  byHand = false;
  glides = 0;
  /** @type {Spot} */
  place = { x: 0, y: 0 };
  pointed = -Infinity;
  isTelling = false;
  /** @type {Record<string, any>} */
  untold = {};
  stopTelling = () => {};

  // What pages listen to

  /** @type {(name: string) => void} */
  onTool = () => {};
  /** @type {(style: Record<string, any>) => void} */
  onStyle = () => {};
  /** @type {(ids: string[]) => void} */
  onSelection = () => {};
  /** @type {(view: View, byHand: boolean) => void} */
  onView = () => {};
  /** @type {(isEditing: boolean) => void} */
  onEdit = () => {};
  /** @type {(refusal: any) => void} */
  onRefused = () => {};

  /**
   * @param {{root: HTMLElement, source: Source, session?: Session, clock: Clock, theme?: Theme,
   *   words?: {text: string}, isLocal?: boolean}} parts
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
      root, view: this.view, clock, theme, isLocal, before: () => this.#takeIn(),
      live: (ctx) => this.#draw(ctx),
    });
    const pages = () => session?.state?.scenes ?? [];
    /** @type {Source} */
    const reading = {
      get scene() { return source.scene; }, elements: (scene) => source.elements(scene),
      element: (id) => source.element(id), onChanged: (listener) => source.onChanged(listener) ?? (() => {}),
      ppt: (scene) => source.ppt ? source.ppt(scene)
        : pages().find((/** @type {any} */ { id }) => id === scene)?.ppt,
    };
    this.feed = new Feed({
      source: reading, tiles: this.stage.tiles, clock, onChanged: () => this.stage.ask(),
      read: (element) => this.stage.marksOf(element),
    });
    this.selected = new Selection(this);
    this.presence = new Presence(this);
    this.keys = new BoardKeys(this);
    this.input = new Input(root, this.view, this.#hands());
    this.tools = makeTools(this);
    this.hand = /** @type {Tool} */ (this.tools.get(session ? "pen" : "hand"));
    this.setCursor(this.hand.cursor);
    this.view.listeners.add(() => this.#viewed());
  }

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
    this.remember(stateOfTool(name));
    this.onTool(name);
    this.refresh();
  }

  /** Of the selection, if there is one: what its topmost element shows. */
  get style() {
    const [last] = this.selected.elements.slice(-1);
    return { ...this.drawStyle, ...last ? styleOf(last) : {} };
  }
  set style(style) {
    Object.assign(this.drawStyle, style);
    const changes = this.selected.free.map((element) => ({ id: element.id, set: restyle(element, style) }));
    this.change(changes.filter(({ set }) => Object.keys(set).length > 0));
    this.remember(stateOfStyle(this.drawStyle));
    this.onStyle(this.style);
  }

  get theme() { return this.stage.look.theme; }
  set theme(theme) {
    this.stage.look.theme = theme;
    this.stage.ask();
  }
  get hasDots() { return this.stage.hasDots; }
  set hasDots(hasDots) {
    this.stage.hasDots = hasDots;
    this.stage.ask();
  }
  get usesPen() { return this.input.usesPen; }
  set usesPen(usesPen) { this.input.usesPen = usesPen; }
  get scene() { return this.source.scene; }
  get canWrite() { return this.session?.writable === true; }

  // What of the style differs from what is usual.
  /** @param {string[]} names */
  #unusual(names) {
    const differing = names
      .filter((name) => this.drawStyle[name] !== STYLE[name] && this.drawStyle[name] !== null);
    return Object.fromEntries(differing.map((name) => [name, this.drawStyle[name]]));
  }

  /** @param {boolean} isLine */
  shapeStyle(isLine) {
    const { colour, width } = this.drawStyle;
    const names = ["opacity", "strokeType", "rounded", ...isLine ? [] : ["fill"]];
    return { colour, width, ...this.#unusual(names) };
  }

  /** @param {string} type text or note */
  letters(type) {
    const { size, colour } = this.drawStyle;
    const style = this.#unusual(["bold", "italic", "underline", "lineThrough", "opacity", "align"]);
    return { size, style: type === "text" ? { textColor: colour, ...style } : style };
  }

  // Commands

  /** @param {string} name @param {any} body */
  send(name, body) {
    this.session?.send(name, body).catch((refusal) => this.onRefused(refusal));
    // What comes next is done to what this made of the board.
    this.feed.takeIn();
  }

  // As many commands as it takes.
  /** @param {string} name @param {string} key @param {any[]} items */
  sendParts(name, key, items) {
    if (!this.canWrite) return;
    const limit = (this.session?.limits?.element ?? USUAL_LIMIT) - 64;
    for (const part of portions(items, limit)) this.send(name, { [key]: part });
  }

  /** @param {Change[]} changes */
  change(changes) { this.sendParts("elementsChanged", "changes", changes); }

  newId() { return this.session?.nextElement() ?? ""; }

  /** @param {Record<string, any>} shape without id and scene @returns {string} its id */
  putShape(shape) {
    const id = this.newId();
    this.send("elementPut", { id, scene: this.scene, ...shape });
    this.tool = "select";
    this.select([id]);
    return id;
  }

  // Tells the others with what this member draws; several things at once.
  /** @param {Record<string, any>} state */
  remember(state) {
    Object.assign(this.untold, state);
    const tell = () => {
      if (this.canWrite && Object.keys(this.untold).length) this.send("memberState", this.untold);
      this.untold = {};
    };
    this.stopTelling();
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
    const { ids: before } = this.selected;
    const next = new Set([...ids].filter((id) => this.feed.shelf.entries.has(id)));
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
    const { all } = this.feed.shelf;
    if (!all.length) return;
    this.tool = "select";
    const [last] = this.selection.slice(-1);
    const at = last ? all.findIndex(({ element }) => element.id === last) + by : by > 0 ? 0 : -1;
    const { element, box } = all[(at + all.length) % all.length];
    this.select([element.id]);
    if (!touches(this.view.seen, box)) this.glide({ ...centre(box), scale: this.view.scale });
  }

  remove() { this.sendParts("erased", "elements", this.selected.free.map(({ id }) => id)); }

  /** @param {number} [x] @param {number} [y] how far aside, in pixels */
  duplicate(x = 24, y = 24) { this.copyOf(this.selected.elements, x, y); }

  /** @param {Thing[]} elements @param {number} x @param {number} y */
  copyOf(elements, x, y) {
    if (!this.canWrite) return;
    const made = copies(elements, { newId: () => this.newId(), scene: this.scene, x, y });
    this.sendParts("elementsCopied", "copies", made);
    this.select(made.map(({ id }) => id));
  }

  /** @param {"front" | "forward" | "backward" | "back"} where */
  order(where) {
    const ids = new Set(this.selected.free.map(({ id }) => id));
    this.change(orders(this.feed.shelf.all, ids, where));
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
    const { box, free } = this.selected;
    if (box) this.change(turns(free, (degrees * Math.PI) / 180, centre(box)));
  }

  /** Hands stop what they do; then the selection goes. */
  cancel() {
    this.input.release();
    this.editor?.finish();
    this.select([]);
  }

  // Texts and images

  /** @param {string} id */
  edit(id) { if (this.canWrite) editElement(this, id); }

  /** @param {{shape: Record<string, any>}} element
   *  @param {(changes: Record<string, any> | undefined) => void} done */
  write(element, done) {
    this.editor?.finish();
    this.written = element;
    this.editor = new Editor(this, element, (changes) => {
      this.editor = this.written = undefined;
      done(changes);
      this.onEdit(false);
      this.refresh();
    });
    this.onEdit(true);
    this.refresh();
  }

  /** @param {{src?: string, width: number, height: number}} image
   *  @param {Spot} [at] its middle; else the screen's */
  putImage({ src, width, height }, at = this.view.camera) {
    const place = { x: rounded(at.x - width / 2), y: rounded(at.y - height / 2), width, height };
    return this.putShape({ type: "image", ...place, uniformScale: true, ...src ? { src } : {} });
  }

  /** @param {string} id @param {string} src */
  setImage(id, src) { this.change([{ id, set: { src } }]); }

  // View

  /** All of the scene. */
  fit() {
    // Whoever asks right after the start means what is about to come.
    this.feed.work(Infinity);
    const box = this.content();
    this.moveView(() => this.glide(box ? this.view.cameraFor(box) : { x: 0, y: 0, scale: 1 }));
  }

  // The view goes there, at once where motion is not wanted.
  /** @param {Camera} camera */
  glide(camera, ms = GLIDE) {
    const [from, begin, { byHand }] = [this.view.camera, this.clock.now(), this];
    const turn = this.glides += 1;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
    const step = () => {
      if (this.glides !== turn) return;
      const part = isStill ? 1 : Math.min((this.clock.now() - begin) / ms, 1);
      this.byHand = byHand;
      this.view.set(part >= 1 ? camera : cameraBetween(from, camera, 1 - (1 - part) ** 3));
      this.byHand = false;
      if (part < 1) this.clock.frame(step);
    };
    step();
  }

  /** @param {() => void} move */
  moveView(move) {
    this.glides += 1;
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
  /** Around all that is drawn of the scene. */
  content() { return this.feed.shelf.box(); }
  /** @param {Box} [box] @param {number} [scale] */
  picture(box, scale) { return picture(this, box, scale); }
  /** @param {HTMLCanvasElement} canvas @param {number} [scene] */
  preview(canvas, scene = this.scene) { preview(this, canvas, scene); }

  // Drawing and hands

  refresh() { this.stage.ask(false); }
  /** @param {string} cursor */
  setCursor(cursor) { this.root.style.cursor = cursor; }
  /** @param {string} hex */
  colour(hex) { return shown(hex, this.theme); }
  /** @param {Ink} ctx @param {Mark[]} marks */
  paint(ctx, marks) { paint(ctx, marks, this.stage.look); }
  /** @param {Ink} ctx @param {Thing} element */
  paintThing(ctx, element) { this.paint(ctx, this.stage.marksOf(element)); }

  #takeIn() {
    this.feed.work(BUDGET);
    if (this.feed.isBusy) this.stage.ask();
    this.select(this.selected.ids);
  }

  // Draws above the tiles; whether another frame is wanted.
  /** @param {Ink} ctx */
  #draw(ctx) {
    const { stage: { frame, tiles }, view: { seen } } = this;
    const above = this.feed.above((box, version) => tiles.shows(box, version, frame));
    for (const { element, box } of above) {
      if (element.id !== this.hidden && touches(seen, box)) this.paintThing(ctx, element);
    }
    // Its paper; its letters are in the field that lies over it.
    if (this.written) this.paint(ctx, marksOf({ ...this.written, ...withoutText(this.written) }));
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

  // Tells the others where this member's hand is; the last place of a movement, too.
  /** @param {Point} point */
  #point({ at }) {
    this.place = at;
    if (this.isTelling || !this.canWrite) return;
    const tell = () => {
      this.isTelling = false;
      this.pointed = this.clock.now();
      const { x, y } = this.place;
      const place = { scene: this.scene, unit: -2, x: Math.round(x * 4), y: Math.round(y * 4) };
      if (this.canWrite) this.send("pointer", place);
    };
    const rest = POINTER_PERIOD - (this.clock.now() - this.pointed);
    if (rest <= 0) return tell();
    this.isTelling = true;
    this.clock.after(rest, tell);
  }

  /** @param {KeyboardEvent} event */
  key(event) { return this.keys.take(event); }

  close() {
    this.input.release();
    this.input.close();
    this.editor?.finish();
    this.stopTelling();
    this.feed.close();
    this.presence.close();
    this.stage.close();
  }
}

/** @param {Thing} element */
const withoutText = ({ shape, set }) => ({ shape: { ...shape, text: "" }, set: { ...set, text: "" } });
