// The board: canvases, hands, and what the others do, in one element of a page (docs/WEB.md, "The
// board").
import { shown } from "../render/colours.js";
import { touches } from "../render/geom.js";
import { paint } from "../render/paint.js";
import { View } from "../render/view.js";
import { edit } from "./editor.js";
import { boxAt, copies, moves, orders, placed, portions, restyle, styleOf } from "./edits.js";
import { Feed } from "./feed.js";
import { glide } from "./glide.js";
import { Input } from "./input.js";
import { takeKey } from "./keys.js";
import { picture, preview } from "./picture.js";
import { Presence } from "./presence.js";
import { Reactions } from "./reactions.js";
import { Selection } from "./selection.js";
import { Stage } from "./stage.js";
import { PLAIN, STYLE, unusual } from "./style.js";
import { makeTools, READING, stateOf } from "./tools/index.js";

/** Ms of a frame for what came. */
const BUDGET = 6;

/** Ms that a style rests before the others are told. */
const REMEMBERS = 300;

export class Board {
  drawStyle = { ...STYLE };

  /** @type {string | undefined} an own stroke under way: its tool draws it */
  hidden = undefined;

  /** @type {Editor | undefined} */
  editor = undefined;

  /**
   * Is the space bar down, so that hands move the paper; what was copied, how far aside it lies.
   */
  keys = { isHolding: false, copied: /** @type {string[]} */ ([]), pasted: 0 };

  #tool = "";
  #byHand = false;
  #glides = 0;
  #stopTelling = () => {};

  // What pages listen to.

  onTool = (/** @type {string} */ _name) => {};

  onStyle = (/** @type {Style} */ _style) => {};
  onSelection = (/** @type {string[]} */ _ids) => {};

  /** `byHand`: this member's own hands moved the view, so that a follower becomes free. */
  onView = (/** @type {View} */ _view, /** @type {boolean} */ _byHand) => {};

  /** An image came that was not there when things were drawn. */
  onImage = () => {};

  onRefused = (/** @type {any} */ _refusal) => {};

  /** @param {BoardParts} parts */
  constructor({ root, source, session, clock, theme = "light", ...parts }) {
    const { view = new View(), words = { text: "Text" }, isLocal } = parts;
    this.root = root;
    this.source = source;
    this.session = session;
    this.clock = clock;
    this.view = view;
    this.words = words;
    if (getComputedStyle(root).position === "static") root.style.position = "relative";
    Object.assign(root.style, { touchAction: "none", userSelect: "none", overflow: "hidden" });
    this.stage = new Stage({
      root,
      view,
      clock,
      theme,
      isLocal,
      before: () => this.#takeIn(),
      live: (ctx) => this.#draw(ctx),
      onImage: () => this.onImage(),
    });
    this.feed = new Feed({
      source,
      tiles: this.stage.tiles,
      clock,
      onChanged: () => this.stage.ask(),
      onTurned: () => this.#turned(),
      read: (element) => this.stage.marksOf(element),
    });
    this.selected = new Selection(this);
    this.presence = new Presence(this);
    this.reactions = new Reactions(this);
    this.input = new Input(this);
    this.tools = makeTools(this);
    this.#tool = session ? "pen" : "hand";
    this.setCursor();
    view.listeners.add(() => {
      this.editor?.place();
      this.onView(view, this.#byHand);
    });
  }

  get scene() {
    return this.source.scene;
  }

  get canWrite() {
    return this.session?.writable === true;
  }

  get theme() {
    return this.stage.look.theme;
  }

  set theme(theme) {
    this.stage.look.theme = theme;
    this.stage.ask();
  }

  get hand() {
    return /** @type {Tool} */ (this.tools.get(this.#tool));
  }

  get tool() {
    return this.#tool;
  }

  set tool(name) {
    if (!this.tools.has(name) || name === this.#tool || !this.mayUse(name)) return;
    this.input.release();
    this.editor?.finish();
    this.hand.hover?.();
    this.#tool = name;
    if (name !== "select") this.select([]);
    this.setCursor();
    this.#remember();
    this.onTool(name);
    this.refresh();
  }

  /** @param {string} tool */
  mayUse(tool) {
    return this.canWrite || READING.includes(tool);
  }

  /** Of the selection, if there is one: what its topmost element shows. */
  get style() {
    const { elements } = this.selected;
    if (elements.length === 0) return { ...this.drawStyle };
    // What it was put without it does not have, whatever is drawn with now.
    return { ...this.drawStyle, ...PLAIN, ...styleOf(elements[elements.length - 1]) };
  }

  set style(style) {
    Object.assign(this.drawStyle, style);
    const { free } = this.selected;
    const changes = free.map((element) => ({ id: element.id, set: restyle(element, style) }));
    this.change(changes.filter(({ set }) => Object.keys(set).length > 0));
    this.#remember();
    this.onStyle(this.style);
  }

  /** @param {boolean} isLine */
  shapeStyle(isLine) {
    const { colour, width } = this.drawStyle;
    const more = isLine ? ["opacity", "strokeType"] : ["opacity", "strokeType", "fill"];
    return { colour, width, ...unusual(this.drawStyle, more) };
  }

  /**
   * @param {string} name
   * @param {any} body
   */
  send(name, body) {
    this.session?.send(name, body).catch((refusal) => this.onRefused(refusal));
    // What comes next is done to what this made of the board.
    this.feed.takeIn();
  }

  /**
   * @param {string} name
   * @param {string} key
   * @param {any[]} items
   */
  sendParts(name, key, items) {
    if (!this.canWrite || !items.length) return;
    const limit = (this.session?.limits?.element ?? 65_536) - 64;
    for (const part of portions(items, limit)) {
      this.send(name, { [key]: part });
    }
  }

  /** @param {Change[]} changes */
  change(changes) {
    this.sendParts("elementsChanged", "changes", changes);
  }

  newId() {
    return this.session?.nextElement() ?? "";
  }

  /**
   * @param {Record<string, any>} shape without id, and without scene if it goes on the page that is
   *   shown
   * @returns {string} its id
   */
  putShape(shape) {
    const id = this.newId();
    this.send("elementPut", { id, scene: this.scene, ...shape });
    this.tool = "select";
    this.select([id]);
    return id;
  }

  /** Others are told what this member draws with. */
  #remember() {
    const tell = () => {
      if (this.canWrite) this.send("memberState", stateOf(this.#tool, this.drawStyle));
    };
    this.#stopTelling();
    this.#stopTelling = this.clock.after(REMEMBERS, tell);
  }

  undo() {
    this.send("undone", { scene: this.scene });
  }

  redo() {
    this.send("redone", { scene: this.scene });
  }

  get selection() {
    return this.selected.elements.map(({ id }) => id);
  }

  set selection(ids) {
    this.select(ids);
  }

  /** @param {Iterable<string>} ids */
  select(ids) {
    const before = this.selected.ids;
    const next = new Set([...ids].filter((id) => this.box(id)));
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

  remove() {
    this.sendParts("erased", "elements", [...this.selected.freeIds]);
  }

  duplicate(elements = this.selected.elements, aside = 24) {
    if (!this.canWrite) return;
    const newId = () => this.newId();
    const made = copies(elements, { newId, scene: this.scene, x: aside, y: aside });
    this.sendParts("elementsCopied", "copies", made);
    this.select(made.map(({ id }) => id));
  }

  /** @param {OrderStep} where */
  order(where) {
    this.change(orders(this.feed.shelf.all, this.selected.freeIds, where));
  }

  /** @param {boolean} isLocked */
  lock(isLocked) {
    const { free, elements } = this.selected;
    const set = { locked: isLocked || null };
    this.change((isLocked ? free : elements).map(({ id }) => ({ id, set })));
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  nudge(x, y) {
    this.change(moves(this.selected.free, x, y));
  }

  cancel() {
    this.input.release();
    this.editor?.finish();
    this.select([]);
  }

  /** @param {string} id */
  edit(id) {
    if (this.canWrite) edit(this, id);
  }

  /**
   * @param {{src?: string, width: number, height: number}} image
   * @param {Spot} [at] its middle, or ours
   */
  putImage({ src, width, height }, at = this.view.camera) {
    const box = placed(boxAt(at, { x: width, y: height }));
    return this.putShape({ type: "image", ...box, uniformScale: true, ...(src ? { src } : {}) });
  }

  fit() {
    // Whoever asks right after the start means what is about to come.
    this.feed.work(Infinity);
    const box = this.content();
    this.moveView(() => this.glide(box ? this.view.cameraFor(box) : { x: 0, y: 0, scale: 1 }));
  }

  /**
   * Moves the view there; at once where motion is not wanted.
   * @param {Camera} camera
   */
  glide(camera) {
    const byHand = this.#byHand;
    this.#glides += 1;
    const turn = this.#glides;
    glide({
      from: this.view.camera,
      to: camera,
      clock: this.clock,
      isOver: () => this.#glides !== turn,
      move: (there) => this.moveView(() => this.view.set(there), byHand, turn),
    });
  }

  /**
   * As by own hands, which end a glide.
   * @param {() => void} move
   */
  moveView(move, byHand = true, turn = this.#glides + 1) {
    this.#glides = turn;
    this.#byHand = byHand;
    move();
    this.#byHand = false;
  }

  /** @param {string} id */
  box(id) {
    return this.feed.shelf.entries.get(id)?.box;
  }

  content() {
    return this.feed.shelf.box();
  }

  /**
   * @param {Box} [box] what of the scene; else all that is drawn
   * @param {number} [scale] pixels of the picture for one of the scene, if there is room
   */
  picture(box, scale) {
    return picture(this, box, scale);
  }

  /** @param {HTMLCanvasElement} canvas is filled with a small picture of a scene */
  preview(canvas, scene = this.scene) {
    preview(this, canvas, scene);
  }

  refresh() {
    this.stage.ask(false);
  }

  setCursor(cursor = this.keys.isHolding ? "grab" : this.hand.cursor) {
    this.root.style.cursor = cursor;
  }

  /**
   * How far from a thing a hand still takes hold of it.
   * @param {Point} point
   */
  reach({ type }) {
    return (type === "touch" ? 12 : 7) / this.view.scale;
  }

  /** @param {string} hex */
  colour(hex) {
    return shown(hex, this.theme);
  }

  /**
   * @param {Ink} ctx
   * @param {Mark[]} marks
   */
  paint(ctx, marks) {
    paint(ctx, marks, this.stage.look);
  }

  /** The page is turned under the hands: what they hold stays on its page, or is let go. */
  #turned() {
    this.input.release(this.hand.keeps);
    this.editor?.finish();
  }

  #takeIn() {
    this.feed.work(BUDGET);
    if (this.feed.isBusy) this.stage.ask();
    this.select(this.selected.ids);
  }

  /**
   * Above the tiles; is another frame wanted?
   * @param {Ink} ctx
   */
  #draw(ctx) {
    const { frame, tiles } = this.stage;
    const { seen } = this.view;
    const above = this.feed.above((box, version) => tiles.shows(box, version, frame));
    for (const { element, box } of above) {
      if (element.id !== this.hidden && touches(seen, box)) {
        this.paint(ctx, this.stage.marksOf(element));
      }
    }
    this.editor?.draw(ctx);
    this.selected.draw(ctx);
    this.reactions.draw();
    const isFading = this.hand.draw?.(ctx, this.input.drag) === true;
    return this.presence.draw(ctx) || isFading;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return takeKey(this, event);
  }

  close() {
    this.input.release();
    this.editor?.finish();
    this.#stopTelling();
    for (const part of [this.input, this.feed, this.presence, this.reactions, this.stage]) {
      part.close();
    }
  }
}
