// What is selected and how it shows: a frame around each and around all, with handles on it.

import { Fields } from "../core/display.js";
import { centre, grown, spot, union } from "../core/geom.js";

/** @typedef {import("../core/geom.js").Box} Box */
/** @typedef {import("../core/geom.js").Spot} Spot */
/** @typedef {{name: string, at: Spot, cursor: string}} Handle */

/** In pixels of the screen. */
const AROUND = 6;
const SIZE = 9;
const TURN = 26;
const REACH = { mouse: 9, pen: 11, touch: 20 };
/** Sides get handles of their own if they are at least so long. */
const ROOMY = 56;

// Where handles sit in parts of the box, and what the cursor says of them.
/** @type {[string, number, number, string][]} */
const PLACES = [
  ["nw", 0, 0, "nwse-resize"], ["n", 0.5, 0, "ns-resize"], ["ne", 1, 0, "nesw-resize"], ["e", 1, 0.5, "ew-resize"],
  ["se", 1, 1, "nwse-resize"], ["s", 0.5, 1, "ns-resize"], ["sw", 0, 1, "nesw-resize"], ["w", 0, 0.5, "ew-resize"],
];

export class Selection {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    /** @type {Set<string>} */
    this.ids = new Set();
    // What hands are doing to it: drawn so, not yet so.
    /** @type {Map<string, import("../core/display.js").Element>} */
    this.preview = new Map();
    // All of it shifted by so much.
    /** @type {Spot | undefined} */
    this.shift = undefined;
  }

  /** In drawing order. */
  get entries() {
    const { entries } = this.board.feed.shelf;
    const found = [...this.ids].map((id) => entries.get(id)).filter((entry) => entry !== undefined);
    return /** @type {import("../core/shelf.js").Entry[]} */ (found).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  get elements() { return this.entries.map(({ element }) => element); }
  get isLocked() { return this.elements.some((element) => new Fields(element).isLocked); }
  get free() { return this.elements.filter((element) => !new Fields(element).isLocked); }

  // The box around it, as drawn.
  /** @returns {Box | undefined} */
  get box() {
    /** @type {Box | undefined} */
    let box;
    for (const entry of this.entries) box = union(box, this.frameOf(entry));
    return box;
  }

  // A frame that fits: of shapes that lie straight their own box, of all else what they draw.
  /** @param {import("../core/shelf.js").Entry} entry @returns {Box} */
  frameOf({ element, box }) {
    const now = this.preview.get(element.id) ?? element;
    const fields = new Fields(now);
    const isStraight = element.shape && !fields.transform && !["straight", "arrow"].includes(element.shape.type);
    const own = isStraight && fields.box.right > fields.box.left ? fields.box
      : now === element ? box : this.board.boxOf(now);
    const { x, y } = this.shift ?? spot(0, 0);
    return { left: own.left + x, top: own.top + y, right: own.right + x, bottom: own.bottom + y };
  }

  /** A straight line or arrow alone is held by its ends. */
  get line() {
    const [element, second] = this.elements;
    const isLine = element?.shape?.type === "straight" || element?.shape?.type === "arrow";
    return isLine && !second && !new Fields(element).transform ? element : undefined;
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
    const isEven = this.keepsShape;
    const handles = PLACES.filter(([name]) => {
      if (name.length === 2) return true;
      return !isEven && (name === "n" || name === "s" ? width : height) * scale >= ROOMY;
    }).map(([name, x, y, cursor]) => ({ name, at: spot(left + x * width, top + y * height), cursor }));
    return [...handles, { name: "turn", at: spot((left + right) / 2, top - TURN / scale), cursor: "grab" }];
  }

  /** Texts, and images that ask for it, keep their proportions. */
  get keepsShape() {
    return this.elements.every((element) => {
      const fields = new Fields(element);
      return element.shape?.type === "text" || (element.shape?.type === "image" && fields.value("uniformScale") !== false);
    });
  }

  /** @param {Spot} at @param {string} type @returns {Handle | undefined} */
  handleAt(at, type) {
    const reach = (REACH[/** @type {"mouse"} */ (type)] ?? REACH.mouse) / this.board.view.scale;
    const far = (/** @type {Handle} */ handle) => Math.hypot(handle.at.x - at.x, handle.at.y - at.y);
    return this.handles.filter((handle) => far(handle) <= reach).sort((a, b) => far(a) - far(b))[0];
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    this.#drawPreview(ctx);
    const { box, entries } = this;
    if (!box) return;
    const { scale } = this.board.view;
    const accent = this.board.theme === "dark" ? "#7aa7ff" : "#1f5fd6";
    ctx.setLineDash([]);
    [ctx.strokeStyle, ctx.lineWidth, ctx.globalAlpha] = [accent, 1 / scale, 0.55];
    if (entries.length > 1 && entries.length <= 500) for (const entry of entries) strokeBox(ctx, this.frameOf(entry), 0);
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.5 / scale;
    if (this.isLocked) ctx.setLineDash([4 / scale, 4 / scale]);
    if (!this.line) strokeBox(ctx, box, AROUND / scale);
    ctx.setLineDash([]);
    this.#drawHandles(ctx, accent);
    if (this.isLocked) drawLock(ctx, spot(box.right + AROUND / scale, box.top - AROUND / scale), scale, accent);
  }

  /** @param {CanvasRenderingContext2D} ctx @param {string} accent */
  #drawHandles(ctx, accent) {
    const { scale } = this.board.view;
    [ctx.fillStyle, ctx.strokeStyle] = [this.board.theme === "dark" ? "#171c22" : "#ffffff", accent];
    for (const { name, at } of this.handles) {
      const isRound = name === "turn" || name.startsWith("point");
      ctx.beginPath();
      if (isRound) ctx.arc(at.x, at.y, (SIZE / 2 + 0.5) / scale, 0, 2 * Math.PI);
      else ctx.rect(at.x - SIZE / 2 / scale, at.y - SIZE / 2 / scale, SIZE / scale, SIZE / scale);
      ctx.fill();
      ctx.stroke();
    }
  }

  /** @param {CanvasRenderingContext2D} ctx */
  #drawPreview(ctx) {
    const { stage } = this.board;
    if (!this.shift && !this.preview.size) return;
    ctx.save();
    if (this.shift) ctx.translate(this.shift.x, this.shift.y);
    for (const { element } of this.entries) {
      if (this.shift || this.preview.has(element.id)) stage.paint(ctx, this.preview.get(element.id) ?? element);
    }
    ctx.restore();
  }

  /** Nothing is being done to it any more. */
  settle() {
    const lifted = [...this.ids].filter((id) => this.board.feed.lifted.has(id));
    this.preview.clear();
    this.shift = undefined;
    this.board.feed.lower(lifted);
  }

  // Shows changes as if they were made.
  /** @param {import("./edits.js").Change[]} changes */
  show(changes) {
    const { entries } = this.board.feed.shelf;
    this.board.feed.lift(changes.map(({ id }) => id));
    for (const { id, set } of changes) {
      const element = entries.get(id)?.element;
      if (!element) continue;
      const { stroke, shape, member, number, place, scene } = element;
      this.preview.set(id, { id, stroke, shape, member, number, place, scene, set: { ...element.set, ...set } });
    }
  }
}

/** @param {CanvasRenderingContext2D} ctx @param {Box} box @param {number} around */
function strokeBox(ctx, box, around) {
  const { left, top, right, bottom } = grown(box, around);
  ctx.strokeRect(left, top, right - left, bottom - top);
}

/** @param {CanvasRenderingContext2D} ctx @param {Spot} at @param {number} scale @param {string} colour */
function drawLock(ctx, at, scale, colour) {
  ctx.save();
  ctx.translate(at.x, at.y);
  ctx.scale(1 / scale, 1 / scale);
  [ctx.fillStyle, ctx.strokeStyle, ctx.lineWidth] = [colour, colour, 1.8];
  ctx.fillRect(-6, -2, 12, 9);
  ctx.beginPath();
  ctx.moveTo(-3.5, -2);
  ctx.arc(0, -4.5, 3.5, Math.PI, 0);
  ctx.lineTo(3.5, -2);
  ctx.stroke();
  ctx.restore();
}

/** @param {Box} box */
export const middleOf = (box) => centre(box);
