// What is selected and how it shows: a frame around each and around all, with handles on it.

import { Fields } from "../core/display.js";
import { contains, distance, grown, sizeOf, spot, union } from "../core/geom.js";
import { boxOfElement, byKey } from "../core/shelf.js";

/** In pixels of the screen. */
const AROUND = 6;
const SIZE = 9;
const TURN = 26;
/** @type {Record<string, number>} */
const REACH = { mouse: 9, pen: 11, touch: 20 };
/** Sides get handles of their own if they are at least so long. */
const ROOMY = 56;
/** @type {Record<Theme, string[]>} */
const COLOURS = { light: ["#1f5fd6", "#ffffff"], dark: ["#7aa7ff", "#171c22"] };
/** More frames than this say nothing. */
const FRAMES = 500;
// Where handles sit in parts of the box, and what the cursor says of them.
/** @type {[string, number, number, string][]} */
const PLACES = [
  ["nw", 0, 0, "nwse-resize"], ["n", 0.5, 0, "ns-resize"], ["ne", 1, 0, "nesw-resize"],
  ["e", 1, 0.5, "ew-resize"], ["se", 1, 1, "nwse-resize"], ["s", 0.5, 1, "ns-resize"],
  ["sw", 0, 1, "nesw-resize"], ["w", 0, 0.5, "ew-resize"],
];

export class Selection {
  /** @type {Set<string>} */
  ids = new Set();
  // What hands are doing to it: drawn so, not yet so.
  /** @type {Map<string, Thing>} */
  preview = new Map();
  /** @type {Spot | undefined} */
  shift = undefined;

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
  }

  /** In drawing order. */
  get entries() {
    const { entries } = this.board.feed.shelf;
    return /** @type {Entry[]} */ ([...this.ids].map((id) => entries.get(id)).filter((entry) => entry))
      .sort(byKey);
  }
  get elements() { return this.entries.map(({ element }) => element); }
  get free() { return this.elements.filter((element) => !new Fields(element).isLocked); }
  get isLocked() { return this.free.length < this.ids.size; }

  /** @returns {Box | undefined} */
  get box() {
    const boxes = this.entries.map((entry) => this.frameOf(entry));
    return boxes.reduce((/** @type {Box | undefined} */ all, box) => union(all, box), undefined);
  }

  // A frame that fits: of shapes that lie straight their own box, of all else what they draw.
  /** @param {Entry} entry @returns {Box} */
  frameOf({ element, box }) {
    const now = this.preview.get(element.id) ?? element;
    const fields = new Fields(now);
    const hasBox = element.shape && !fields.transform && sizeOf(fields.box).x > 0;
    const own = hasBox ? fields.box : now === element ? box : boxOfElement(now);
    const { x, y } = this.shift ?? spot(0, 0);
    return { left: own.left + x, top: own.top + y, right: own.right + x, bottom: own.bottom + y };
  }

  /** A straight line or arrow alone is held by its ends. */
  get line() {
    const [element, second] = this.elements;
    const isLine = element?.shape?.type === "straight" || element?.shape?.type === "arrow";
    return isLine && !second && !new Fields(element).transform ? element : undefined;
  }

  /** Texts, and images that ask for it, keep their proportions. */
  get keepsShape() {
    return this.elements.every((element) => {
      const isEven = new Fields(element).value("uniformScale") !== false;
      return element.shape?.type === "text" || (element.shape?.type === "image" && isEven);
    });
  }

  /** @returns {Handle[]} */
  get handles() {
    const { box, line } = this;
    if (!box || this.isLocked || !this.board.canWrite) return [];
    const { scale } = this.board.view;
    if (line) {
      const { points } = new Fields(this.preview.get(line.id) ?? line);
      return points.map((at, index) => ({ name: `point${index}`, at, cursor: "move" }));
    }
    const { left, top, right, bottom } = grown(box, AROUND / scale);
    const [width, height] = [right - left, bottom - top];
    const handles = PLACES.filter(([name]) => name.length === 2
      || (!this.keepsShape && (name === "n" || name === "s" ? width : height) * scale >= ROOMY));
    const turn = { name: "turn", at: spot((left + right) / 2, top - TURN / scale), cursor: "grab" };
    const placed = handles.map(([name, x, y, cursor]) =>
      ({ name, at: spot(left + x * width, top + y * height), cursor }));
    return [...placed, turn];
  }

  /** @param {Spot} at @param {string} type @returns {Handle | undefined} */
  handleAt(at, type) {
    const near = this.handles
      .filter((handle) => distance(handle.at, at) <= REACH[type] / this.board.view.scale);
    return near.sort((a, b) => distance(a.at, at) - distance(b.at, at))[0];
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    this.#drawPreview(ctx);
    const { box, entries, board } = this;
    if (!box) return;
    const { scale } = board.view;
    const [accent, paper] = COLOURS[board.theme];
    Object.assign(ctx, { strokeStyle: accent, fillStyle: paper, lineWidth: 1 / scale, globalAlpha: 0.55 });
    ctx.setLineDash([]);
    const framed = entries.length > 1 && entries.length <= FRAMES ? entries : [];
    for (const entry of framed) strokeBox(ctx, this.frameOf(entry));
    Object.assign(ctx, { lineWidth: 1.5 / scale, globalAlpha: 1 });
    if (this.isLocked) ctx.setLineDash([4 / scale, 4 / scale]);
    const around = grown(box, AROUND / scale);
    if (!this.line) strokeBox(ctx, around);
    ctx.setLineDash([]);
    for (const { name, at } of this.handles) {
      const half = SIZE / 2 / scale;
      ctx.beginPath();
      if (name.length > 2) ctx.arc(at.x, at.y, half, 0, 2 * Math.PI);
      else ctx.rect(at.x - half, at.y - half, 2 * half, 2 * half);
      ctx.fill();
      ctx.stroke();
    }
    if (this.isLocked) drawLock(ctx, spot(around.right, around.top), scale, accent);
  }

  /** @param {Ink} ctx */
  #drawPreview(ctx) {
    if (!this.shift && !this.preview.size) return;
    ctx.save();
    if (this.shift) ctx.translate(this.shift.x, this.shift.y);
    for (const { element } of this.entries) {
      const now = this.preview.get(element.id);
      const isShifted = this.shift && this.board.feed.lifted.has(element.id);
      if (now || isShifted) this.board.paintThing(ctx, now ?? element);
    }
    ctx.restore();
  }

  /** @param {Change[]} changes */
  show(changes) {
    this.board.feed.lift(changes.map(({ id }) => id));
    for (const { id, set } of changes) {
      const element = this.board.feed.shelf.entries.get(id)?.element;
      if (!element) continue;
      const { stroke, shape, member, number, place, scene } = element;
      this.preview.set(id,
        { id, stroke, shape, member, number, place, scene, set: { ...element.set, ...set } });
    }
  }

  /** Nothing is being done to it any more. */
  settle() {
    this.preview.clear();
    this.shift = undefined;
    this.board.feed.lower([...this.ids].filter((id) => this.board.feed.lifted.has(id)));
  }

  // What lies between several things takes hold of them, too.
  /** @param {Spot} at */
  surrounds(at) { return this.ids.size > 1 && this.box !== undefined && contains(this.box, at); }
}

/** @param {Ink} ctx @param {Box} box */
function strokeBox(ctx, box) {
  const { x, y } = sizeOf(box);
  ctx.strokeRect(box.left, box.top, x, y);
}

/** @param {Ink} ctx @param {Spot} at @param {number} scale @param {string} colour */
function drawLock(ctx, { x, y }, scale, colour) {
  const one = 1 / scale;
  Object.assign(ctx, { fillStyle: colour, strokeStyle: colour, lineWidth: 1.8 * one });
  ctx.fillRect(x - 6 * one, y - 2 * one, 12 * one, 9 * one);
  ctx.beginPath();
  ctx.arc(x, y - 3.5 * one, 3.5 * one, Math.PI, 0);
  ctx.stroke();
}
