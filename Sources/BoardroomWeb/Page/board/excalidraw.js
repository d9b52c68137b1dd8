// Drawings of Excalidraw (`.excalidraw` files and its clipboard) as elements of a board; what becomes of what
// is in docs/IMPORT.md. A text that is bound to a shape or a line becomes its label, and arrows stay bound.
import { ElementFields, items as listOf } from "../render/fields.js";
import { centre, clamp, moved, rounded, spot, turn } from "../render/geom.js";
import { GROUPS } from "./groups.js";
import { canBind, partsOf } from "./routes.js";

/** @typedef {import("../ui/board-file.js").Item} Item */

/** @typedef {(colour: string) => number[] | undefined} Levels red, green, blue, alpha of a colour */

/** A free-hand line is wider than its field says: the size that Excalidraw gives to its pen. */
const PEN_FACTOR = 4.25;

/** Steps of a stroke in a pixel (its unit is -4), and ms between its points. */
const STEPS = 16;
const PACE = 8;

/** Points in one segment of a stroke. */
const SEGMENT = 1_000;

/** Points of a line, at most: every so many are left out of a longer one. */
const MOST_POINTS = 1_000;

/** Pixels between the ends of a line that is filled, at most. */
const CLOSED = 8;

/** @type {Record<string, string>} */
const BOXES = {
  rectangle: "rectangle",
  ellipse: "ellipse",
  diamond: "rhombus",
  image: "image",
};

/** Types that have a word of their own in the message about what is lost. */
const NAMED = ["frame", "magicframe", "embeddable", "iframe"];

/** @type {Record<string, string>} */
const STROKE_TYPES = { dotted: "dotted", dashed: "longDotted" };

/**
 * @param {any} file
 * @param {Levels} levels
 * @returns {import("./read-file.js").Opened}
 */
export function readExcalidraw({ elements, files }, levels) {
  return new Drawing(listOf(elements), files ?? {}, levels).read();
}

/** @param {any} one */
const number = (one, usual = 0) => (Number.isFinite(one) ? one : usual);

class Drawing {
  /** @type {Map<string, number>} */
  lost = new Map();

  /** @type {Map<string, string>} */
  images = new Map();

  /** @type {Map<string, Item>} by their ids */
  items = new Map();

  /**
   * @param {any[]} elements
   * @param {any} files
   * @param {Levels} levels
   */
  constructor(elements, files, levels) {
    this.elements = elements.filter((one) => one && !one.isDeleted && typeof one.id === "string");
    this.files = files;
    this.levels = levels;
  }

  read() {
    const labels = [];
    for (const one of this.elements) {
      const item = this.#item(one);
      if (!item) {
        this.#lose(NAMED.includes(one.type) ? one.type : "other");
        continue;
      }
      if (one.type === "text" && typeof one.containerId === "string") labels.push(one);
      this.items.set(one.id, item);
      this.#note(one);
    }
    for (const label of labels) {
      this.#bindLabel(label);
    }
    for (const one of this.elements) {
      if (this.items.get(one.id)?.shape?.type === "arrow") this.#bindEnds(one);
    }
    return { items: [...this.items.values()], images: this.images, lost: this.lost };
  }

  /** @param {string} what */
  #lose(what) {
    this.lost.set(what, (this.lost.get(what) ?? 0) + 1);
  }

  /** @param {any} one what of it has no like here */
  #note(one) {
    if (typeof one.link === "string" && one.link !== "") this.#lose("link");
    const isFilled = (this.#colour(one.backgroundColor)?.[3] ?? 0) > 0;
    const isHatched = ["hachure", "cross-hatch", "zigzag"].includes(one.fillStyle);
    if (isFilled && isHatched && one.type !== "text") this.#lose("hatching");
    const hasBoth = one.startArrowhead && one.endArrowhead;
    if (hasBoth) this.#lose("arrowhead");
  }

  /** @param {any} one @returns {Item | undefined} undefined: there is nothing like it */
  #item(one) {
    const { id, type, x, y } = one;
    if (!Number.isFinite(x) || !Number.isFinite(y)) return undefined;
    const set = this.#attributes(one);
    if (type === "freedraw" || type === "draw") {
      const stroke = this.#stroke(one);
      return stroke && { id, stroke, set: { ...set, ...turned(one, boxOfPoints(one)) } };
    }
    const shape = this.#shape(one);
    if (!shape) return undefined;
    const box = type === "line" || type === "arrow" ? boxOfPoints(one) : boxOf(one);
    return { id, shape, set: { ...set, ...turned(one, box) } };
  }

  /** @param {any} one */
  #attributes({ groupIds, locked }) {
    const groups = listOf(groupIds).filter((id) => typeof id === "string");
    return {
      ...(groups.length > 0 ? { [GROUPS]: groups } : {}),
      ...(locked === true ? { locked: true } : {}),
    };
  }

  /** @param {any} one */
  #shape(one) {
    const { type } = one;
    if (type === "line" || type === "arrow") return this.#line(one);
    const { left: x, top: y, right, bottom } = boxOf(one);
    const box = {
      x: rounded(x),
      y: rounded(y),
      width: rounded(right - x),
      height: rounded(bottom - y),
    };
    if (type === "text") {
      const { text = "", fontSize } = one;
      if (typeof text !== "string") return undefined;
      const style = { ...this.#letters(one), ...(one.autoResize === false ? { wraps: true } : {}) };
      return { type, ...box, text, size: number(fontSize, 20), style };
    }
    const own = Object.hasOwn(BOXES, type) ? BOXES[type] : undefined;
    if (!own) return undefined;
    if (own !== "image") return { type: own, ...box, style: this.#style(one, true) };
    const opacity = this.#share(one);
    const style = opacity < 1 ? { opacity } : {};
    return { type: own, ...box, uniformScale: true, style, ...this.#source(one) };
  }

  /** @param {any} one an image */
  #source({ fileId }) {
    const file =
      typeof fileId === "string" && Object.hasOwn(this.files, fileId) && this.files[fileId];
    if (!file || typeof file.dataURL !== "string") {
      this.#lose("image");
      return {};
    }
    const src = `file:${fileId}`;
    this.images.set(src, file.dataURL);
    return { src };
  }

  /** @param {any} one */
  #line(one) {
    const isBackwards = one.startArrowhead && !one.endArrowhead;
    const all = pointsOf(one);
    if (all.length < 2) return undefined;
    const step = Math.ceil((all.length - 1) / (MOST_POINTS - 1));
    const kept = all.filter((_, at) => at % step === 0 || at === all.length - 1);
    const points = isBackwards ? kept.slice().reverse() : kept;
    const x = Math.min(...points.map((at) => at.x));
    const y = Math.min(...points.map((at) => at.y));
    const isClosed =
      points.length > 2 &&
      Math.hypot(all[0].x - all[all.length - 1].x, all[0].y - all[all.length - 1].y) <= CLOSED;
    const hasHead = Boolean(one.startArrowhead || one.endArrowhead);
    const pairs = points.map((at) => [rounded(at.x - x), rounded(at.y - y)]);
    const style = this.#style(one, isClosed && !hasHead);
    if (one.elbowed === true) delete style.rounded;
    const type = hasHead ? "arrow" : "straight";
    return { type, x: rounded(x), y: rounded(y), points: pairs, style };
  }

  /** @param {any} text @returns {number[] | undefined} */
  #colour(text) {
    return typeof text === "string" ? this.levels(text) : undefined;
  }

  /** @param {any} one */
  #share({ opacity }) {
    return clamp(number(opacity, 100) / 100, 0, 1);
  }

  /** @param {any} one @param {boolean} isFilled */
  #style(one, isFilled) {
    const share = this.#share(one);
    const [red, green, blue, alpha] = this.#colour(one.strokeColor) ?? [30, 30, 30, 255];
    const isHidden = alpha === 0;
    const colour = isHidden ? [30, 30, 30] : [red, green, blue];
    const width = isHidden ? 0 : Math.max(number(one.strokeWidth, 2), 0);
    const opacity = rounded(isHidden ? share : (share * alpha) / 255, 4);
    /** @type {Record<string, any>} */
    const style = { colour, width };
    if (opacity < 1) style.opacity = opacity;
    const paper = isFilled ? this.#colour(one.backgroundColor) : undefined;
    if (paper && paper[3] > 0) {
      style.fill = paper.slice(0, 3);
      const shade = rounded((share * paper[3]) / 255, 4);
      if (shade !== opacity) style.fillOpacity = shade;
    }
    const dashes = Object.hasOwn(STROKE_TYPES, one.strokeStyle) && STROKE_TYPES[one.strokeStyle];
    if (dashes) style.strokeType = dashes;
    const isRound = one.roundness
      ? true
      : one.roundness === undefined && one.strokeSharpness === "round";
    if (isRound && one.type !== "ellipse") style.rounded = true;
    return style;
  }

  /** @param {any} one a text */
  #letters(one) {
    const [red, green, blue, alpha] = this.#colour(one.strokeColor) ?? [30, 30, 30, 255];
    const opacity = rounded((this.#share(one) * alpha) / 255, 4);
    const isAside = one.textAlign === "center" || one.textAlign === "right";
    return {
      colour: [red, green, blue],
      ...(opacity < 1 ? { opacity } : {}),
      ...(isAside ? { align: one.textAlign } : {}),
    };
  }

  /** @param {any} one @returns {Stroke | undefined} */
  #stroke(one) {
    const points = pointsOf(one);
    if (points.length === 0) return undefined;
    const { colour, width, opacity = 1 } = this.#style(one, false);
    const quarters = Math.round(width * PEN_FACTOR * 4);
    const begin = /** @type {any} */ ({
      unit: -Math.log2(STEPS),
      tool: "pencil",
      colour,
      opacity: Math.round(opacity * 255),
      width: clamp(quarters, 1, 65_535),
    });
    const given = listOf(one.pressures);
    const hasPressure = one.simulatePressure !== true && given.length >= points.length;
    const pressure = (/** @type {number} */ at) =>
      Math.round(clamp(number(given[at], 0.5), 0, 1) * 1_023);
    let last = { x: 0, y: 0, p: 0 };
    const steps = points.map((at, n) => {
      const next = { x: Math.round(at.x * STEPS), y: Math.round(at.y * STEPS), p: pressure(n) };
      const step = {
        dx: next.x - last.x,
        dy: next.y - last.y,
        dt: n === 0 ? 0 : PACE,
        dp: next.p - last.p,
      };
      last = next;
      return step;
    });
    const segments = [];
    for (let at = 0; at < steps.length; at += SEGMENT) {
      const some = steps.slice(at, at + SEGMENT);
      const row = (/** @type {"dx" | "dy" | "dt" | "dp"} */ name) => some.map((step) => step[name]);
      const segment = { dx: row("dx"), dy: row("dy"), dt: row("dt") };
      segments.push(hasPressure ? { ...segment, dp: row("dp") } : segment);
    }
    return { begin, ended: true, segments };
  }

  /** @param {any} label a text in a shape or on a line, of which it becomes a part */
  #bindLabel(label) {
    const container = this.items.get(label.containerId);
    const { shape } = container ?? {};
    const text = this.items.get(label.id)?.shape;
    if (!shape || !text || shape.type === "image" || shape.type === "text") return;
    const { colour, align } = text.style;
    const isLine = Array.isArray(shape.points);
    shape.text = text.text;
    shape.size = text.size;
    shape.style.textColor = colour;
    if (isLine) shape.style.textWidth = Math.max(text.width, 1);
    else shape.style.align = align ?? "left";
    this.items.delete(label.id);
  }

  /** @param {any} one an arrow */
  #bindEnds(one) {
    const item = /** @type {Item} */ (this.items.get(one.id));
    const isBackwards = one.startArrowhead && !one.endArrowhead;
    const ends = isBackwards
      ? [one.endBinding, one.startBinding]
      : [one.startBinding, one.endBinding];
    const shape = /** @type {Record<string, any>} */ (item.shape);
    const points = new ElementFields({ shape, set: item.set }).points;
    const { transform } = new ElementFields({ shape, set: item.set });
    const drawn = transform ? points.map((at) => moved(transform, at)) : points;
    const around = [
      [drawn[1], drawn[0]],
      [drawn[drawn.length - 2], drawn[drawn.length - 1]],
    ];
    for (const [at, name] of ["start", "end"].entries()) {
      const to = this.items.get(ends[at]?.elementId);
      const thing = to && { member: 0, number: 0, place: 0, scene: 0, ...to };
      if (!to || !thing || !canBind(thing)) continue;
      const [from, end] = around[at];
      shape.style[name] = { element: to.id, at: partsOf(thing, aimed(thing, from, end)) };
    }
    const isBound = shape.style.start || shape.style.end;
    if (isBound && one.elbowed === true && points.length <= 4) shape.style.route = "elbow";
  }
}

/**
 * Where in a shape an arrow points: on its last stretch, as near to the middle as it comes.
 * @param {Thing} thing
 * @param {Spot} from
 * @param {Spot} end
 * @returns {Spot}
 */
function aimed(thing, from, end) {
  const fields = new ElementFields(thing);
  const { box, transform } = fields;
  const middle = transform ? moved(transform, centre(box)) : centre(box);
  const way = spot(end.x - from.x, end.y - from.y);
  const long = way.x * way.x + way.y * way.y;
  if (long === 0) return middle;
  const part = ((middle.x - end.x) * way.x + (middle.y - end.y) * way.y) / long;
  const on = spot(end.x + way.x * Math.max(part, 0), end.y + way.y * Math.max(part, 0));
  const [across, down] = partsOf(thing, on);
  const isInside = across >= 0 && across <= 1 && down >= 0 && down <= 1;
  return isInside ? on : middle;
}

/**
 * @param {any} one
 * @returns {Spot[]}
 */
function pointsOf({ x, y, points }) {
  const pairs = listOf(points).filter(
    (pair) => listOf(pair).slice(0, 2).filter(Number.isFinite).length === 2,
  );
  return pairs.map(([dx, dy]) => spot(x + dx, y + dy));
}

/** @param {any} one @returns {Box} around its points */
function boxOfPoints(one) {
  const points = pointsOf(one);
  const xs = points.map((at) => at.x);
  const ys = points.map((at) => at.y);
  const low = (/** @type {number[]} */ row) => row.reduce((a, b) => Math.min(a, b), Infinity);
  const high = (/** @type {number[]} */ row) => row.reduce((a, b) => Math.max(a, b), -Infinity);
  return { left: low(xs), top: low(ys), right: high(xs), bottom: high(ys) };
}

/** @param {any} one @returns {Box} older files have boxes that were drawn from right to left */
function boxOf({ x, y, width, height }) {
  const right = x + number(width);
  const bottom = y + number(height);
  return {
    left: Math.min(x, right),
    top: Math.min(y, bottom),
    right: Math.max(x, right),
    bottom: Math.max(y, bottom),
  };
}

/**
 * @param {any} one
 * @param {Box} box
 * @returns {Record<string, any>} its rotation around the middle of its box
 */
function turned({ angle }, box) {
  if (!Number.isFinite(angle) || angle === 0) return {};
  const transform = turn(angle, centre(box)).map((part, at) => rounded(part, at < 4 ? 6 : 2));
  return { transform };
}
