// The selected elements: frames around each and all of them, with handles; dashed if they are
// locked.

import { boxOfElement, byKey } from "../render/element-index.js";
import { ElementFields } from "../render/fields.js";
import { centre, contains, distance, grown, plus, sizeOf, spot, union } from "../render/geom.js";
import { fromCorner } from "../render/shapes.js";
import { isLine, straightened, stretched, stretches, turns, wholeAngle } from "./edits.js";

/** Pixels of the screen between an element and its frame. */
const FRAME_GAP = 6;

/** Pixels of a handle's side. */
const HANDLE_SIZE = 9;

/** Pixels from the frame to the handle above it that turns. */
const TURN_DISTANCE = 26;

/** A side that is shorter has no handle in its middle. */
const LEAST_SIDE = 56;

/** From this number on elements have no frames of their own. */
const MANY_ELEMENTS = 500;

/** Positions of the handles, from the middle of the box, and their cursors. */
const SIDES = [
  { name: "nw", x: -1, y: -1 },
  { name: "n", x: 0, y: -1 },
  { name: "ne", x: 1, y: -1 },
  { name: "e", x: 1, y: 0 },
  { name: "se", x: 1, y: 1 },
  { name: "s", x: 0, y: 1 },
  { name: "sw", x: -1, y: 1 },
  { name: "w", x: -1, y: 0 },
];

/** Colours of the lines and of the inside of frames and handles. */
const COLOURS = { light: ["#1f5fd6", "#ffffff"], dark: ["#7aa7ff", "#171c22"] };

export class Selection {
  /** @type {Set<string>} */
  ids = new Set();

  /**
   * What hands are doing to it: drawn so and so far aside, not yet so.
   * @type {Map<string, Thing>}
   */
  #preview = new Map();

  #shift = spot(0, 0);

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  get entries() {
    const { entries } = this.board.sceneContent.index;
    return [...this.ids].flatMap((id) => entries.get(id) ?? []).sort(byKey);
  }

  get elements() {
    return this.entries.map(({ element }) => element);
  }

  /** The selected elements that are not locked. */
  get free() {
    return this.elements.filter((element) => !new ElementFields(element).isLocked);
  }

  get freeIds() {
    return new Set(this.free.map(({ id }) => id));
  }

  /** Whether a selected element is locked. */
  get isLocked() {
    return this.free.length < this.ids.size;
  }

  get box() {
    return this.entries.map((entry) => this.#frameOf(entry)).reduce(union, undefined);
  }

  /**
   * The frame of an entry: the own box of an upright shape, else the box of what the element draws.
   * @param {Entry} entry
   */
  #frameOf({ element, box }) {
    const now = this.#preview.get(element.id) ?? element;
    const { x, y } = this.#shift;
    const fields = new ElementFields(now);
    const hasBox = element.shape && !fields.transform && sizeOf(fields.box).x > 0;
    const drawn = now === element ? box : boxOfElement(now);
    const { left, top, right, bottom } = hasBox ? fields.box : drawn;
    return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
  }

  /** @returns {Handle[] | undefined} of a straight line or arrow alone */
  get #ends() {
    const { elements } = this;
    const [element] = elements;
    if (elements.length !== 1 || !isLine(element.shape?.type)) return undefined;
    if (new ElementFields(element).transform) return undefined;
    const { points } = new ElementFields(this.#preview.get(element.id) ?? element);
    return points.map((at, index) => ({
      at: plus(at, this.#shift),
      cursor: "move",
      isRound: true,
      change({ to }) {
        const neighbour = points[index === 0 ? 1 : index - 1];
        const end = to.shift ? straightened(neighbour, to.at) : to.at;
        const moved = points.map((one) => (one === at ? end : one));
        return [{ id: element.id, set: fromCorner(moved) }];
      },
    }));
  }

  /** @returns {Handle[]} */
  get handles() {
    const { box } = this;
    if (!box || this.isLocked || !this.board.canWrite) return [];
    return this.#ends ?? [...this.#stretchHandles(box), this.#turnHandle(box)];
  }

  /** Texts, and images that ask for it, keep their proportions. */
  get #keepsShape() {
    return this.elements.every((element) => {
      const type = element.shape?.type;
      if (type !== "image") return type === "text";
      return new ElementFields(element).value("uniformScale") !== false;
    });
  }

  /**
   * @param {Box} box
   * @returns {Handle[]} at corners, and in the middle of sides where there is room for them
   */
  #stretchHandles(box) {
    const { free } = this;
    const { scale } = this.board.view;
    const keepsShape = this.#keepsShape;
    const middle = centre(box);
    const { x: wide, y: high } = sizeOf(grown(box, FRAME_GAP / scale));
    return SIDES.filter(({ x, y }) => {
      const isCorner = x !== 0 && y !== 0;
      const length = (x === 0 ? wide : high) * scale;
      return isCorner || (!keepsShape && length >= LEAST_SIDE);
    }).map(({ name, x, y }) => ({
      at: spot(middle.x + (x * wide) / 2, middle.y + (y * high) / 2),
      cursor: `${name}-resize`,
      isRound: false,
      change: (way) => stretches(free, box, stretched(box, spot(x, y), way, keepsShape)),
    }));
  }

  /**
   * @param {Box} box
   * @returns {Handle} above it, to turn all that is selected around its middle
   */
  #turnHandle(box) {
    const { free } = this;
    const { scale } = this.board.view;
    const middle = centre(box);
    const { top } = grown(box, FRAME_GAP / scale);
    const angleOf = (/** @type {Point} */ { at }) => Math.atan2(at.y - middle.y, at.x - middle.x);
    return {
      at: spot(middle.x, top - TURN_DISTANCE / scale),
      cursor: "grab",
      isRound: true,
      change({ from, to }) {
        const angle = angleOf(to) - angleOf(from);
        return turns(free, to.shift ? wholeAngle(angle) : angle, middle);
      },
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
    const { box, isLocked } = this;
    if (!box) return;
    const { scale } = this.board.view;
    const [strokeStyle, fillStyle] = COLOURS[this.board.theme];
    Object.assign(ctx, { strokeStyle, fillStyle, lineWidth: 1 / scale, globalAlpha: 0.55 });
    ctx.setLineDash(isLocked ? [4 / scale, 4 / scale] : []);
    this.#drawFrames(ctx);
    Object.assign(ctx, { lineWidth: 1.5 / scale, globalAlpha: 1 });
    if (!this.#ends) strokeBox(ctx, grown(box, FRAME_GAP / scale));
    ctx.setLineDash([]);
    this.#drawHandles(ctx, HANDLE_SIZE / 2 / scale);
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
      strokeBox(ctx, this.#frameOf(entry));
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

  /** @param {Thing[]} elements */
  preview(elements, shift = spot(0, 0)) {
    this.#preview = new Map(elements.map((element) => [element.id, element]));
    this.#shift = shift;
    this.board.sceneContent.takeOffTiles(this.#preview.keys());
  }

  endPreview() {
    this.board.sceneContent.putBackOnTiles(this.#preview.keys());
    this.preview([]);
  }
}

/**
 * @param {Ink} ctx
 * @param {Box} box
 */
const strokeBox = (ctx, box) => ctx.strokeRect(box.left, box.top, sizeOf(box).x, sizeOf(box).y);
