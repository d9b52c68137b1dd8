// The selected elements: frames around each and all of them, with handles; dashed if they are
// locked.
import { byKey } from "../render/element-index.js";
import { ElementFields } from "../render/fields.js";
import {
  contains,
  distance,
  grown,
  inverse,
  moved,
  plus,
  spot,
  stretch,
  times,
  turn,
  union,
} from "../render/geom.js";
import { fromCorner } from "../render/shapes.js";
import { Carried, MANY_CARRIED } from "./carried.js";
import { isLine, resized, straightened, stretched, stretches, turns, wholeAngle } from "./edits.js";
import { ElementFrame, frameOf } from "./frame.js";
import { widthHandles } from "./text-width.js";

/** Pixels of the screen between an element and its frame. */
const FRAME_GAP = 6;

/** Pixels of a handle's side. */
const HANDLE_SIZE = 9;

/** Pixels from the frame to the handle above it that turns. */
const TURN_DISTANCE = 26;

/** A side that is shorter has no handle in its middle. */
const LEAST_SIDE = 56;

/**
 * From this number on elements have no frames of their own, and the box around them is that of what
 * they draw.
 */
const MANY_ELEMENTS = 500;

/** Positions of the handles, from the middle of the frame. */
const SIDES = [
  spot(-1, -1),
  spot(0, -1),
  spot(1, -1),
  spot(1, 0),
  spot(1, 1),
  spot(0, 1),
  spot(-1, 1),
  spot(-1, 0),
];

const ABOVE = spot(0, -1);

/** Colours of the lines and of the inside of frames and handles. */
export const COLOURS = { light: ["#1f5fd6", "#ffffff"], dark: ["#7aa7ff", "#171c22"] };

/**
 * What is selected, read out of the index once until either is another.
 * @typedef {{
 *   ids: Set<string>;
 *   version: number;
 *   entries: Entry[];
 *   elements: Thing[];
 *   free: Thing[];
 *   frame?: ElementFrame;
 * }} Read
 */

export class Selection {
  /** @type {Set<string>} is replaced, never changed */
  ids = new Set();

  /**
   * What hands are doing to it: drawn so and so far aside, not yet so.
   * @type {Map<string, Thing>}
   */
  #preview = new Map();

  #shift = spot(0, 0);

  /** @type {Thing[] | undefined} that hands are about to make */
  #copies = undefined;

  /** @type {Carried | undefined} a picture of them, when they are very many */
  #carried = undefined;

  /** What of it is carried: another selection has nothing to do with the picture. */
  #carriedIds = this.ids;

  /** @type {Read | undefined} */
  #known = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @returns {Read} */
  get #read() {
    const { ids } = this;
    const { entries: all, version } = this.board.sceneContent.index;
    if (this.#known?.ids === ids && this.#known.version === version) return this.#known;
    const entries = [...ids].flatMap((id) => all.get(id) ?? []).sort(byKey);
    const elements = entries.map(({ element }) => element);
    const free = elements.filter((element) => !new ElementFields(element).isLocked);
    this.#known = { ids, version, entries, elements, free };
    return this.#known;
  }

  /** From the lowest to the topmost. */
  get entries() {
    return this.#read.entries;
  }

  /** As they are by now: what was let go may not have been read again yet. */
  get elements() {
    this.board.sceneContent.flush();
    return this.#read.elements;
  }

  /** The selected elements that are not locked. */
  get free() {
    this.board.sceneContent.flush();
    return this.#read.free;
  }

  get topmost() {
    const { elements } = this.#read;
    return elements.length > 0 ? elements[elements.length - 1] : undefined;
  }

  get freeIds() {
    return new Set(this.free.map(({ id }) => id));
  }

  /** Whether a selected element is locked. */
  get isLocked() {
    return this.#read.free.length < this.ids.size;
  }

  /** While a picture of what is selected is carried, or stands where the tiles do not show it yet. */
  get carriedFrame() {
    const isIt = this.#carried?.isOver === false && this.#carriedIds === this.ids;
    return isIt ? this.#carried?.frame : undefined;
  }

  /** Of one element its own frame, of several an upright one around them. */
  get frame() {
    const { carriedFrame } = this;
    if (carriedFrame) return carriedFrame;
    const known = this.#read;
    if (this.#preview.size > 0) return this.#frameNow();
    known.frame ??= this.#frameNow();
    return known.frame;
  }

  get box() {
    return this.frame?.around;
  }

  #frameNow() {
    const { entries } = this;
    if (entries.length === 1) return this.#frameOf(entries[0]);
    const isMany = entries.length >= MANY_ELEMENTS;
    const boxes = entries.map((entry) => (isMany ? entry.box : this.#frameOf(entry).around));
    const box = boxes.reduce(union, /** @type {Box | undefined} */ (undefined));
    return box && new ElementFrame(box);
  }

  /** @param {Entry} entry */
  #frameOf({ element, box }) {
    const now = this.#preview.get(element.id) ?? element;
    return frameOf(now, now === element ? box : undefined).shifted(this.#shift);
  }

  /** @returns {Handle[] | undefined} of a straight line or arrow alone */
  get #ends() {
    const { elements } = this.#read;
    const [element] = elements;
    if (elements.length !== 1 || !isLine(element.shape?.type)) return undefined;
    const { transform: turned } = new ElementFields(element);
    if (element.shape?.type === "arrow" && !turned) {
      return this.board.bindings.handles(element, this.#preview.get(element.id) ?? element);
    }
    const { points, transform } = new ElementFields(this.#preview.get(element.id) ?? element);
    const onScene = (/** @type {Spot} */ at) => (transform ? moved(transform, at) : at);
    const back = transform && inverse(transform);
    if (transform && !back) return undefined;
    return points.map((at, index) => ({
      at: plus(onScene(at), this.#shift),
      cursor: "move",
      isRound: true,
      change({ to }) {
        const neighbour = onScene(points[index === 0 ? 1 : index - 1]);
        const end = to.shift ? straightened(neighbour, to.at) : to.at;
        const own = back ? moved(back, end) : end;
        const changed = points.map((one) => (one === at ? own : one));
        return [{ id: element.id, set: fromCorner(changed) }];
      },
    }));
  }

  /** @returns {Handle[]} */
  get handles() {
    const { frame, box } = this;
    const { elements } = this.#read;
    if (!frame || !box || this.isLocked || !this.board.canWrite) return [];
    const [first] = elements;
    const isText = elements.length === 1 && first.shape?.type === "text" && frame.isUpright;
    const wide = grown(box, FRAME_GAP / this.board.view.scale);
    const sides = isText ? widthHandles(first, wide) : [];
    return this.#ends ?? [...this.#stretchHandles(frame), ...sides, this.#turnHandle(frame)];
  }

  /** Texts, and images that ask for it, keep their proportions. */
  get #keepsShape() {
    return this.#read.elements.every((element) => {
      const type = element.shape?.type;
      if (type !== "image") return type === "text";
      return new ElementFields(element).value("uniformScale") !== false;
    });
  }

  /**
   * @param {ElementFrame} frame
   * @returns {Handle[]} at corners, and in the middle of sides where there is room for them
   */
  #stretchHandles(frame) {
    const { scale } = this.board.view;
    const keepsShape = this.#keepsShape;
    const outer = frame.grown(FRAME_GAP / scale);
    const { x: wide, y: high } = outer.size;
    return SIDES.filter(({ x, y }) => {
      const isCorner = x !== 0 && y !== 0;
      const length = (x === 0 ? wide : high) * scale;
      return isCorner || (!keepsShape && length >= LEAST_SIDE);
    }).map((side) => ({
      at: outer.at(side),
      cursor: frame.cursor(side),
      isRound: false,
      side,
      keepsShape,
      change: (drag) => this.#stretch(frame, side, drag, keepsShape),
      transform: (drag) => stretch(frame.box, this.#stretched(frame, side, drag, keepsShape)),
    }));
  }

  /**
   * @param {ElementFrame} frame as it was when the drag began
   * @param {Spot} side
   * @param {Drag} drag
   * @param {boolean} keepsShape
   * @returns {Change[]} one element is stretched along its own axes
   */
  #stretch(frame, side, drag, keepsShape) {
    const { free } = this;
    const box = this.#stretched(frame, side, drag, keepsShape);
    if (free.length === 1) return [resized(free[0], frame.box, box)];
    return stretches(free, frame.box, box);
  }

  /**
   * @param {ElementFrame} frame
   * @param {Spot} side
   * @param {Drag} drag
   * @param {boolean} keepsShape
   * @returns {Box} of the frame, as it becomes
   */
  #stretched(frame, side, { from, to }, keepsShape) {
    const own = (/** @type {Point} */ point) => ({ ...point, at: frame.inside(point.at) });
    return stretched(frame.box, side, { from: own(from), to: own(to) }, keepsShape);
  }

  /**
   * @param {ElementFrame} frame
   * @returns {Handle} above it, to turn all that is selected around its middle
   */
  #turnHandle(frame) {
    const { scale } = this.board.view;
    const { middle } = frame;
    const away = times(frame.direction(ABOVE), (FRAME_GAP + TURN_DISTANCE) / scale);
    const angleOf = (/** @type {Point} */ { at }) => Math.atan2(at.y - middle.y, at.x - middle.x);
    const turned = (/** @type {Drag} */ { from, to }) => {
      const angle = angleOf(to) - angleOf(from);
      return to.shift ? wholeAngle(angle) : angle;
    };
    return {
      at: plus(frame.at(ABOVE), away),
      cursor: "grab",
      isRound: true,
      change: (drag) => turns(this.free, turned(drag), middle),
      transform: (drag) => turn(turned(drag), middle),
    };
  }

  /** @param {Point} point */
  handleAt(point) {
    const away = (/** @type {Handle} */ { at }) => distance(at, point.at);
    const nearest = this.handles.sort((a, b) => away(a) - away(b))[0];
    return nearest && away(nearest) <= 1.5 * this.board.hitRadius(point) ? nearest : undefined;
  }

  /**
   * Whether a place is inside of the frame around several selected elements.
   * @param {Spot} at
   */
  surrounds(at) {
    return this.ids.size > 1 && !!this.box && contains(this.box, at);
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    this.#drawPreview(ctx);
    const { carriedFrame } = this;
    if (carriedFrame) return this.#drawOutline(ctx, carriedFrame);
    const { frame, isLocked } = this;
    if (!frame) return;
    const { scale } = this.board.view;
    const [strokeStyle, fillStyle] = COLOURS[this.board.theme];
    Object.assign(ctx, { strokeStyle, fillStyle, lineWidth: 1 / scale, globalAlpha: 0.55 });
    ctx.setLineDash(isLocked ? [4 / scale, 4 / scale] : []);
    this.#drawFrames(ctx);
    Object.assign(ctx, { lineWidth: 1.5 / scale, globalAlpha: 1 });
    if (!this.#ends) strokeFrame(ctx, frame.grown(FRAME_GAP / scale));
    ctx.setLineDash([]);
    this.#drawHandles(ctx, HANDLE_SIZE / 2 / scale);
  }

  /**
   * What is carried: below all else on the upper canvas.
   * @param {Ink} ctx
   */
  drawCarried(ctx) {
    this.#carried?.draw(ctx);
  }

  /**
   * @param {Ink} ctx
   * @param {ElementFrame} frame
   */
  #drawOutline(ctx, frame) {
    const { scale } = this.board.view;
    const [strokeStyle] = COLOURS[this.board.theme];
    Object.assign(ctx, { strokeStyle, lineWidth: 1.5 / scale, globalAlpha: 1 });
    ctx.setLineDash([]);
    strokeFrame(ctx, frame.grown(FRAME_GAP / scale));
  }

  /** @param {Ink} ctx */
  #drawPreview(ctx) {
    const { board } = this;
    ctx.save();
    ctx.translate(this.#shift.x, this.#shift.y);
    for (const element of this.#preview.values()) {
      board.paint(ctx, board.stage.marksOf(element));
    }
    ctx.restore();
  }

  /**
   * A frame around each of several elements; very many frames would only confuse.
   * @param {Ink} ctx
   */
  #drawFrames(ctx) {
    const { entries } = this;
    if (entries.length < 2 || entries.length >= MANY_ELEMENTS) return;
    for (const entry of entries) {
      strokeFrame(ctx, this.#frameOf(entry));
    }
  }

  /**
   * @param {Ink} ctx
   * @param {number} half of a handle's side
   */
  #drawHandles(ctx, half) {
    for (const { at, isRound } of this.handles) {
      ctx.beginPath();
      if (isRound) ctx.arc(at.x, at.y, half, 0, 2 * Math.PI);
      else ctx.rect(at.x - half, at.y - half, 2 * half, 2 * half);
      ctx.fill();
      ctx.stroke();
    }
  }

  /** Whether a picture of them is carried instead of themselves. */
  get isMuch() {
    return this.#read.free.length >= MANY_CARRIED;
  }

  /**
   * @param {Transform} transform what hands do to a picture of them
   * @param {boolean} isCopy they stay where they are, and copies are carried
   */
  carry(transform, isCopy = false) {
    if (this.#carried === undefined || this.#carried.isSettled) {
      this.#carried?.end();
      const { frame } = this;
      if (!frame) return;
      this.#carried = new Carried(this.board, [...this.freeIds], frame);
      this.#carriedIds = this.ids;
    }
    Object.assign(this.#carried, { transform, isCopy });
  }

  /** What is carried is put where it is: the commands for it come now. */
  settle() {
    this.#carried?.settle();
  }

  /**
   * Shows copies of the elements, which stay where they are.
   * @param {Spot} shift
   */
  previewCopies(shift) {
    if (!this.#copies) this.endPreview();
    this.#copies ??= this.free.map((element) => ({ ...element, id: `copy of ${element.id}` }));
    this.#preview = new Map(this.#copies.map((element) => [element.id, element]));
    this.#shift = shift;
  }

  /** @param {Thing[]} elements */
  preview(elements, shift = spot(0, 0)) {
    this.#copies = undefined;
    this.#preview = new Map(elements.map((element) => [element.id, element]));
    this.#shift = shift;
    this.board.sceneContent.takeOffTiles(this.#preview.keys());
    this.board.bindings.follow(elements, shift);
  }

  endPreview() {
    if (this.#carried?.isSettled === false) this.#carried.land();
    this.board.sceneContent.putBackOnTiles(this.#preview.keys());
    this.preview([]);
  }
}

/**
 * @param {Ink} ctx
 * @param {ElementFrame} frame
 */
function strokeFrame(ctx, { corners }) {
  ctx.beginPath();
  for (const { x, y } of corners) {
    ctx.lineTo(x, y);
  }
  ctx.closePath();
  ctx.stroke();
}
