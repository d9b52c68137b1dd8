// The board: canvases, tools, and what other members do, in one element of a page (docs/WEB.md,
// "The board").
import { shown } from "../render/colours.js";
import { ElementFields } from "../render/fields.js";
import { spot, touches } from "../render/geom.js";
import { paint } from "../render/paint.js";
import { View } from "../render/view.js";
import { aligned, distributed, flipped } from "./align.js";
import { Batches } from "./batches.js";
import { Bindings } from "./bindings.js";
import { edit } from "./commit.js";
import { boxAt, copies, moves, orders, placed, portions, restyle, styleOf } from "./edits.js";
import { Groups } from "./groups.js";
import { Input } from "./input.js";
import { handleKey } from "./keys.js";
import { picture, preview } from "./picture.js";
import { Presence } from "./presence.js";
import { SceneContent } from "./scene-content.js";
import { Selection } from "./selection.js";
import { Snapping } from "./snapping.js";
import { Stage } from "./stage.js";
import { NOTE_PAPER, PLAIN, STYLE, unusual } from "./style.js";
import { relaidBy } from "./text-width.js";
import { makeTools, READING, stateOf } from "./tools/index.js";
import { ViewMotion } from "./view-motion.js";

/**
 * `session`: without one the board cannot be written on; `words`: names for screen readers;
 * `images`: the server and the room whose images are shown.
 * @typedef {{
 *   root: HTMLElement;
 *   source: Source;
 *   session?: Session;
 *   clock: Clock;
 *   theme?: Theme;
 *   words?: { text: string };
 *   view?: import("../render/view.js").View;
 *   isLocal?: boolean;
 *   images?: import("../render/image-source.js").ImageHome;
 * }} BoardParts
 */

/** Ms without another change of style or tool until the other members are told. */
const STYLE_REST = 300;

export class Board {
  drawStyle = { ...STYLE };

  /** @type {string | undefined} an own stroke that is being drawn: its tool draws it */
  hiddenStroke = undefined;

  /** @type {Editor | undefined} */
  editor = undefined;

  /**
   * `isHolding`: the space bar is down, so that pointers move the view; `style`: the one that was copied.
   * @type {{isHolding: boolean, style?: Style}}
   */
  keys = { isHolding: false };

  /** The tool stays in the hand after it has put something. */
  keepsTool = false;

  /** @type {Map<string, string>} texts that could not be sent, by their elements ("": a new one) */
  drafts = new Map();

  /** @type {Set<{draw(ctx: Ink): void, close(): void}>} what else is shown over the canvases */
  layers = new Set();

  /** @type {ViewMotion} */
  #motion;

  #tool = "";

  /** How many elements were gone when the selected ones were looked for last. */
  #removals = 0;

  #stopAnnouncing = () => {};

  #batches = new Batches();

  // Callbacks of the page.

  onTool = (/** @type {string} */ _name) => {};

  onStyle = (/** @type {Style} */ _style) => {};
  onSelection = (/** @type {string[]} */ _ids) => {};

  /** `byHand`: this member moved the view, so that a follower stops following. */
  onView = (/** @type {View} */ _view, /** @type {boolean} */ _byHand) => {};

  /** An image has been loaded that was missing when elements were drawn. */
  onImage = () => {};

  /** A pointer goes down. True: the page has done something with it, and the board does nothing. */
  onPress = (/** @type {PointerEvent} */ _event) => false;

  /** The menu is asked for at a place. */
  onMenu = (/** @type {Point} */ _at) => {};

  onRefused = (/** @type {any} */ _refusal) => {};

  /** @param {BoardParts} parts */
  constructor({ root, source, session, clock, theme = "light", ...parts }) {
    const { view = new View(), words = { text: "Text" }, isLocal } = parts;
    const { images = { origin: location.origin, room: "" } } = parts;
    this.root = root;
    this.source = source;
    this.session = session;
    this.clock = clock;
    this.view = view;
    this.words = words;
    this.images = images;
    if (getComputedStyle(root).position === "static") root.style.position = "relative";
    Object.assign(root.style, { touchAction: "none", userSelect: "none", overflow: "hidden" });
    this.stage = new Stage({
      root,
      view,
      clock,
      theme,
      isLocal,
      images,
      beforeFrame: () => this.#updateContent(),
      drawAbove: (ctx) => this.#draw(ctx),
      isInHand: () => this.input?.drag !== undefined,
      onImage: () => this.onImage(),
    });
    this.sceneContent = new SceneContent({
      source,
      tiles: this.stage.tiles,
      clock,
      onChanged: () => this.stage.requestFrameLater(),
      onSceneChange: () => this.#leaveScene(),
      marksOf: (element) => this.stage.marksOf(element),
    });
    this.selected = new Selection(this);
    this.groups = new Groups(this);
    this.snapping = new Snapping(this);
    this.bindings = new Bindings(this);
    this.presence = new Presence(this);
    this.input = new Input(this);
    this.tools = makeTools(this);
    this.#tool = session ? "pen" : "hand";
    this.#motion = new ViewMotion(view, clock);
    this.setCursor();
    view.listeners.add(() => {
      this.editor?.place();
      this.onView(view, this.#motion.isByHand);
    });
  }

  /** The scene that is shown: what is drawn there belongs there. */
  get scene() {
    return this.sceneContent.scene;
  }

  get canWrite() {
    return this.session?.writable === true;
  }

  get theme() {
    return this.stage.look.theme;
  }

  set theme(theme) {
    this.stage.look.theme = theme;
    this.stage.requestFrame();
  }

  get activeTool() {
    return /** @type {Tool} */ (this.tools.get(this.#tool));
  }

  get tool() {
    return this.#tool;
  }

  set tool(name) {
    if (!this.tools.has(name) || name === this.#tool || !this.mayUse(name)) return;
    this.input.release();
    this.editor?.finish();
    if (this.editor) return;
    this.activeTool.hover?.();
    this.#tool = name;
    if (name !== "select") this.#selectNothing();
    this.setCursor();
    this.#announceStyle();
    this.onTool(name);
    this.refresh();
  }

  /** @param {string} tool */
  mayUse(tool) {
    return this.canWrite || READING.includes(tool);
  }

  /** The style of the topmost selected element, or the style to draw with. */
  get style() {
    const { topmost } = this.selected;
    if (!topmost) return this.toolStyle;
    // An element that was put without an attribute has the plain value of it, whatever the present
    // style is.
    return { ...this.drawStyle, ...PLAIN, ...styleOf(topmost) };
  }

  set style(style) {
    const isHighlight = this.#tool === "highlighter" && style.colour;
    const { colour, ...rest } = style;
    Object.assign(this.drawStyle, isHighlight ? { ...rest, highlight: colour } : style);
    this.restyle(style);
    this.#announceStyle();
    this.onStyle(this.style);
  }

  /** @param {Style} style that the selected elements get, as far as they have such a thing */
  restyle(style) {
    const setOf = (/** @type {Thing} */ element) => relaidBy(element, restyle(element, style));
    const changes = this.selected.free.map((one) => ({ id: one.id, set: setOf(one) }));
    this.change(changes.filter(({ set }) => Object.keys(set).length > 0));
  }

  /**
   * What the tool in use draws with: the highlighter has a colour of its own, a note is paper.
   * @returns {Style}
   */
  get toolStyle() {
    const { drawStyle } = this;
    const { highlight, fill } = drawStyle;
    if (this.#tool === "highlighter") return { ...drawStyle, colour: highlight };
    return this.#tool === "note" ? { ...drawStyle, fill: fill ?? NOTE_PAPER } : { ...drawStyle };
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
   * @param {(refusal: any) => void} [refused] is told why not; else the page is
   * @returns {Promise<boolean>} whether it was carried out
   */
  send(name, body, refused) {
    return this.#answered(name, body, refused).then((receipt) => receipt !== undefined);
  }

  /**
   * @param {string} name
   * @param {any} body
   * @param {(refusal: any) => void} [refused]
   * @returns {Promise<{revision?: number} | undefined>} none: it was refused
   */
  #answered(name, body, refused = (refusal) => this.onRefused(refusal)) {
    const answer = this.session?.send(name, body) ?? Promise.resolve();
    // Code that follows sees the elements as this command has changed them.
    this.sceneContent.applyChanges();
    return answer.then(
      (receipt) => receipt ?? {},
      (refusal) => void refused(refusal),
    );
  }

  /**
   * Sends what may be too much for one command in several, which are taken back together.
   * @param {string} name
   * @param {string} key
   * @param {any[]} items
   * @param {(refusal: any) => void} [refused]
   * @returns {Promise<boolean[]>} which of the commands were carried out
   */
  sendParts(name, key, items, refused) {
    const limit = (this.session?.limits?.element ?? 65_536) - 64;
    const parts = items.length > 0 ? portions(items, limit) : [];
    const answers = parts.map((part) => this.#answered(name, { [key]: part }, refused));
    if (parts.length > 1) this.#batches.add(answers, () => this.session?.epoch ?? "");
    return Promise.all(answers.map((answer) => answer.then((receipt) => receipt !== undefined)));
  }

  /** @param {Change[]} changes */
  change(changes) {
    if (!this.canWrite) return;
    this.sendParts("elementsChanged", "changes", this.bindings.withArrows(changes));
  }

  newId() {
    return this.session?.nextElement() ?? "";
  }

  /**
   * @param {Record<string, any>} shape without id, and without scene if it goes on the page that is
   *   shown
   * @param {(refusal: any) => void} [refused]
   * @returns {string} its id
   */
  putShape(shape, refused) {
    const id = this.newId();
    this.send("elementPut", { id, scene: this.scene, ...shape }, refused);
    if (!this.keepsTool) {
      this.tool = "select";
      this.select([id]);
    }
    return id;
  }

  /** Tells the other members which tool and style this member draws with. */
  #announceStyle() {
    const tell = () => {
      if (this.canWrite) this.send("memberState", stateOf(this.#tool, this.toolStyle));
    };
    this.#stopAnnouncing();
    this.#stopAnnouncing = this.clock.after(STYLE_REST, tell);
  }

  undo() {
    this.#batches.step(this, "undo", () => this.#answered("undone", { scene: this.scene }));
  }

  redo() {
    this.#batches.step(this, "redo", () => this.#answered("redone", { scene: this.scene }));
  }

  /**
   * Several steps become one for who undoes them.
   * @param {number[]} revisions of their events
   */
  joinSteps(revisions) {
    this.#batches.join(revisions, this.session?.epoch ?? "");
  }

  get selection() {
    return this.selected.entries.map(({ element }) => element.id);
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

  /** All that can be changed: what is locked is selected by a click. */
  selectAll() {
    this.tool = "select";
    // Right after a page was turned they are still being read.
    this.sceneContent.update(Infinity);
    const all = [...this.sceneContent.index.entries.values()];
    const free = all.filter(({ element }) => !new ElementFields(element).isLocked);
    this.select(free.map(({ element }) => element.id));
  }

  remove() {
    if (this.canWrite) this.sendParts("erased", "elements", [...this.selected.freeIds]);
  }

  /**
   * @param {Thing[]} [elements]
   * @param {number | Spot} [aside] how far the copies are put aside
   */
  duplicate(elements = this.selected.elements, aside = 24) {
    if (!this.canWrite) return;
    const newId = () => this.newId();
    const shift = typeof aside === "number" ? spot(aside, aside) : aside;
    const { entered } = this.groups;
    const made = copies(elements, { newId, scene: this.scene, entered, ...shift });
    this.sendParts("elementsCopied", "copies", made);
    this.select(made.map(({ id }) => id));
  }

  /** @param {OrderStep} where */
  reorder(where) {
    this.change(orders(this.sceneContent.index.all, this.selected.freeIds, where));
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

  /** @param {import("./align.js").Side} side */
  align(side) {
    this.change(aligned(this.groups.units(this.selected.free), side));
  }

  /** @param {import("./align.js").Axis} axis */
  distribute(axis) {
    this.change(distributed(this.groups.units(this.selected.free), axis));
  }

  /** @param {import("./align.js").Axis} axis */
  flip(axis) {
    this.change(flipped(this.selected.free, axis));
  }

  /**
   * Ends what is under way; else leaves the group that is entered; else selects nothing; else takes
   * the select tool.
   */
  cancel() {
    const isBusy = this.input.drag !== undefined || this.editor !== undefined;
    this.input.release();
    this.editor?.finish();
    if (this.editor) return;
    if (!isBusy && this.groups.leave()) return;
    if (isBusy || this.selected.ids.size > 0) this.#selectNothing();
    else this.tool = "select";
  }

  #selectNothing() {
    this.groups.entered = undefined;
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
    // Right after the start elements are still being read: all of them are meant.
    this.sceneContent.update(Infinity);
    const box = this.content();
    this.moveView(() => this.glide(box ? this.view.cameraFor(box) : { x: 0, y: 0, scale: 1 }));
  }

  /** Shows what is selected as large as possible, but at its own size at most, or as it is now. */
  fitSelection() {
    const { box } = this.selected;
    const { view } = this;
    if (!box) return false;
    this.moveView(() => this.glide(view.cameraFor(box, Math.max(view.scale, 1))));
  }

  /**
   * Moves the view to a camera step by step, or at once for people who want no motion.
   * @param {Camera} camera
   */
  glide(camera) {
    this.#motion.glide(camera);
  }

  /**
   * Moves the view as by this member, which ends an animation of the view.
   * @param {() => void} move
   */
  moveView(move) {
    this.#motion.move(move);
  }

  /** @param {string} id */
  box(id) {
    return this.sceneContent.index.entries.get(id)?.box;
  }

  content() {
    return this.sceneContent.index.box();
  }

  /**
   * @param {Box} [box] what of the scene; else all that is drawn
   * @param {number} [scale] pixels of the picture for one of the scene, if there is room
   * @param {Mark[]} [marks] what is drawn; else all of the scene
   */
  picture(box, scale, marks) {
    return picture(this, box, scale, marks);
  }

  /** @param {HTMLCanvasElement} canvas is filled with a small picture of a scene */
  preview(canvas, scene = this.scene) {
    preview(this, canvas, scene);
  }

  refresh() {
    this.stage.requestFrame(false);
  }

  setCursor(cursor = this.keys.isHolding ? "grab" : this.activeTool.cursor) {
    this.root.style.cursor = cursor;
  }

  /**
   * How far from an element a pointer still hits it.
   * @param {Point} point
   */
  hitRadius({ type }) {
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

  /**
   * Another scene is about to be shown: what a tool has begun is finished on this scene, or
   * cancelled.
   */
  #leaveScene() {
    this.input.release(this.activeTool.keeps);
    this.editor?.finish(true);
    this.groups.entered = undefined;
  }

  #updateContent() {
    this.sceneContent.update();
    if (this.sceneContent.isBusy) this.stage.requestFrame(false);
    const { removals } = this.sceneContent.index;
    if (removals !== this.#removals) this.select(this.selected.ids);
    this.#removals = removals;
  }

  /**
   * Draws what is above the tiles. Returns which frame is needed next.
   * @param {Ink} ctx
   * @returns {boolean | "later"}
   */
  #draw(ctx) {
    const { frame, tiles } = this.stage;
    const { seen } = this.view;
    this.selected.drawCarried(ctx);
    const above = this.sceneContent.above((box, version) => tiles.shows(box, version, frame));
    for (const { element, box } of above) {
      if (element.id !== this.hiddenStroke && touches(seen, box)) {
        this.paint(ctx, this.stage.marksOf(element));
      }
    }
    this.editor?.draw(ctx);
    this.selected.draw(ctx);
    this.snapping.draw(ctx);
    for (const layer of this.layers) {
      layer.draw(ctx);
    }
    const isFading = this.activeTool.draw?.(ctx, this.input.drag) === true;
    const isMoving = this.presence.draw(ctx);
    return isFading || (isMoving && "later");
  }

  /** @param {KeyboardEvent} event */
  handleKey(event) {
    return handleKey(this, event);
  }

  close() {
    this.input.release();
    this.editor?.finish(true);
    this.#stopAnnouncing();
    for (const part of [this.input, this.sceneContent, this.presence, ...this.layers, this.stage]) {
      part.close();
    }
  }
}
