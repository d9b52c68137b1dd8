// What is selected and how it shows: frames around each and all, with handles; dashed if it is
// locked.
import { Fields } from "../render/display.js";
import { centre, contains, distance, grown, plus, sizeOf, spot, union } from "../render/geom.js";
import { fromCorner } from "../render/shapes.js";
import { boxOfElement, byKey } from "../render/shelf.js";
import { isLine, straightened, stretched, stretches, turns, wholeAngle } from "./edits.js";

/** Pixels of the screen between what is selected and its frame. */
const AROUND = 6;

/** Pixels of a handle's side. */
const SIZE = 9;

/** Pixels from the frame up to the handle that turns. */
const TURN = 26;

/** A side that is shorter has no handle in its middle. */
const ROOMY = 56;

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
    const { entries } = this.board.feed.shelf;
    return [...this.ids].flatMap((id) => entries.get(id) ?? []).sort(byKey);
  }

  get elements() {
    return this.entries.map(({ element }) => element);
  }

  get free() {
    return this.elements.filter((element) => !new Fields(element).isLocked);
  }

  get isLocked() {
    return this.free.length < this.ids.size;
  }

  get box() {
    return this.entries.map((entry) => this.#frameOf(entry)).reduce(union, undefined);
  }

  /**
   * Of straight shapes their own box, of all else that of what they draw.
   * @param {Entry} entry
   */
  #frameOf({ element, box }) {
    const now = this.#preview.get(element.id) ?? element;
    const { x, y } = this.#shift;
    const fields = new Fields(now);
    const hasBox = element.shape && !fields.transform && sizeOf(fields.box).x > 0;
    const drawn = now === element ? box : boxOfElement(now);
    const { left, top, right, bottom } = hasBox ? fields.box : drawn;
    return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
  }

  /** @returns {Handle[] | undefined} of a straight line or arrow alone */
  get #ends() {
    const [element, second] = this.elements;
    if (!isLine(element?.shape?.type) || second || new Fields(element).transform) return undefined;
    const { points } = new Fields(this.#preview.get(element.id) ?? element);
    return points.map((at, index) => ({
      at: plus(at, this.#shift),
      cursor: "move",
      isRound: true,
      change({ to }) {
        const end = to.shift ? straightened(points[index === 0 ? 1 : index - 1], to.at) : to.at;
        return [{ id: element.id, set: fromCorner(points.map((one) => (one === at ? end : one))) }];
      },
    }));
  }

  /** @returns {Handle[]} */
  get handles() {
    const { box, free, elements } = this;
    const { canWrite } = this.board;
    const { scale } = this.board.view;
    if (!box || this.isLocked || !canWrite) return [];
    if (this.#ends) return this.#ends;
    const around = grown(box, AROUND / scale);
    const middle = centre(box);
    const { x: wide, y: high } = sizeOf(around);
    // Texts, and images that ask for it, keep their proportions.
    const keepsShape = elements.every(
      (element) =>
        element.shape?.type === "text" ||
        (element.shape?.type === "image" && new Fields(element).value("uniformScale") !== false),
    );
    const sides = ["nw", "n", "ne", "e", "se", "s", "sw", "w"].filter(
      (name) =>
        name.length === 2 || (!keepsShape && ("ns".includes(name) ? wide : high) * scale >= ROOMY),
    );
    const handles = sides.map((name) => {
      const [n, e, s, w] = [..."nesw"].map((letter) => Number(name.includes(letter)));
      const side = spot(e - w, s - n);
      const at = spot(middle.x + (side.x * wide) / 2, middle.y + (side.y * high) / 2);
      const change = (/** @type {Drag} */ way) =>
        stretches(free, box, stretched(box, side, way, keepsShape));
      return { at, cursor: `${name}-resize`, isRound: false, change };
    });
    const change = (/** @type {Drag} */ { from, to }) => {
      const [a, b] = [from, to].map(({ at }) => Math.atan2(at.y - middle.y, at.x - middle.x));
      return turns(free, to.shift ? wholeAngle(b - a) : b - a, middle);
    };
    const above = spot(middle.x, around.top - TURN / scale);
    return [...handles, { at: above, cursor: "grab", isRound: true, change }];
  }

  /** @param {Point} point */
  handleAt(point) {
    const away = (/** @type {Handle} */ { at }) => distance(at, point.at);
    const nearest = this.handles.sort((a, b) => away(a) - away(b))[0];
    return nearest && away(nearest) <= 1.5 * this.board.reach(point) ? nearest : undefined;
  }

  /**
   * Is a place held by what lies between several things?
   * @param {Spot} at
   */
  surrounds(at) {
    return this.ids.size > 1 && !!this.box && contains(this.box, at);
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { box, entries, isLocked } = this;
    const { stage, theme } = this.board;
    const { scale } = this.board.view;
    ctx.save();
    ctx.translate(this.#shift.x, this.#shift.y);
    for (const element of this.#preview.values()) {
      this.board.paint(ctx, stage.marksOf(element));
    }
    ctx.restore();
    if (!box) return;
    const [strokeStyle, fillStyle] = COLOURS[theme];
    Object.assign(ctx, { strokeStyle, fillStyle, lineWidth: 1 / scale, globalAlpha: 0.55 });
    ctx.setLineDash(isLocked ? [4 / scale, 4 / scale] : []);
    // Very many frames say nothing.
    const isFew = entries.length > 1 && entries.length < 500;
    if (isFew) {
      for (const entry of entries) {
        strokeBox(ctx, this.#frameOf(entry));
      }
    }
    Object.assign(ctx, { lineWidth: 1.5 / scale, globalAlpha: 1 });
    if (!this.#ends) strokeBox(ctx, grown(box, AROUND / scale));
    ctx.setLineDash([]);
    const half = SIZE / 2 / scale;
    for (const {
      at: { x, y },
      isRound,
    } of this.handles) {
      ctx.beginPath();
      if (isRound) ctx.arc(x, y, half, 0, 2 * Math.PI);
      else ctx.rect(x - half, y - half, 2 * half, 2 * half);
      ctx.fill();
      ctx.stroke();
    }
  }

  /** @param {Thing[]} elements */
  show(elements, shift = spot(0, 0)) {
    this.#preview = new Map(elements.map((element) => [element.id, element]));
    this.#shift = shift;
    this.board.feed.lift(this.#preview.keys());
  }

  settle() {
    this.board.feed.lower(this.#preview.keys());
    this.show([]);
  }
}

/**
 * @param {Ink} ctx
 * @param {Box} box
 */
const strokeBox = (ctx, box) => ctx.strokeRect(box.left, box.top, sizeOf(box).x, sizeOf(box).y);
