// Drawing far from the origin. A canvas counts in numbers of 32 bits, which have steps of 64 pixels
// at 1e9: so places are told to it from an origin near what is seen.
import { boxAround, distance, minus, moved, spot } from "./geom.js";

/** From here on, in pixels of the scene, the steps of a canvas could be seen. */
const FAR = 2 ** 15;

/**
 * Methods of a canvas that are told places: at which of their parameters the first of them stands,
 * and how many there are.
 * @type {Record<string, [number, number]>}
 */
const PLACES = {
  moveTo: [0, 1],
  lineTo: [0, 1],
  quadraticCurveTo: [0, 2],
  bezierCurveTo: [0, 3],
  arc: [0, 1],
  arcTo: [0, 2],
  ellipse: [0, 1],
  rect: [0, 1],
  roundRect: [0, 1],
  fillRect: [0, 1],
  strokeRect: [0, 1],
  clearRect: [0, 1],
  fillText: [1, 1],
  strokeText: [1, 1],
  drawImage: [1, 1],
};

/** @param {Spot} at */
export const isFar = ({ x, y }) => Math.max(Math.abs(x), Math.abs(y)) > FAR;

/**
 * Makes a canvas draw a scene, also far from the origin.
 * @param {Ink} ctx
 * @param {{scale: number, x: number, y: number}} frame device pixels of one of the scene, and where
 *   the scene's origin lies
 * @returns {Ink} which takes places of the scene
 */
export function inkFor(ctx, { scale, x, y }) {
  const { width, height } = ctx.canvas;
  const centre = spot((width / 2 - x) / scale, (height / 2 - y) / scale);
  // So far out that a whole screen of it would be.
  if (!isFar(centre)) {
    ctx.setTransform(scale, 0, 0, scale, x, y);
    return ctx;
  }
  const origin = spot(Math.round(centre.x), Math.round(centre.y));
  ctx.setTransform(scale, 0, 0, scale, x + origin.x * scale, y + origin.y * scale);
  return new FarInk(ctx, origin).proxy;
}

/** @type {WeakMap<object, FarInk>} by their proxies */
const farInks = new WeakMap();

/** A canvas whose own origin lies at a place of the scene. */
class FarInk {
  /** @type {Spot[]} of the states that were saved */
  #saved = [];

  /**
   * @param {Ink} ctx
   * @param {Spot} origin
   */
  constructor(ctx, origin) {
    this.ctx = ctx;
    this.origin = origin;
    this.proxy = new Proxy(ctx, {
      get: (_, name) => this.#get(String(name)),
      set: (_, name, value) => Reflect.set(ctx, name, value),
    });
    farInks.set(this.proxy, this);
  }

  /** @param {string} name */
  #get(name) {
    const value = /** @type {any} */ (this.ctx)[name];
    if (typeof value !== "function") return value;
    return (/** @type {any[]} */ ...given) => {
      if (name === "save") this.#saved.push(this.origin);
      if (name === "restore") this.origin = this.#saved.pop() ?? this.origin;
      // Whoever sets a transform tells places in it.
      if (name === "setTransform" || name === "resetTransform") this.origin = spot(0, 0);
      return value.apply(this.ctx, this.#shifted(name, given));
    };
  }

  /**
   * @param {string} name
   * @param {any[]} given
   */
  #shifted(name, given) {
    const [first, count] = PLACES[name] ?? [0, 0];
    // The form with a part of the picture.
    const from = name === "drawImage" && given.length > 5 ? 5 : first;
    const { x, y } = this.origin;
    return given.map((value, at) => {
      if (at < from || at >= from + 2 * count) return value;
      return value - ((at - from) % 2 === 0 ? x : y);
    });
  }
}

/**
 * A path as a canvas takes it: from its own first place, or from the canvas's origin if it is long.
 * @type {WeakMap<Path, {from: Spot, on: Path2D}>}
 */
const known = new WeakMap();

/**
 * Draws a path far from the origin.
 * @param {Ink} ctx
 * @param {Path} path
 * @param {(path: Path) => Path2D} trace
 * @param {(on: Path2D, ctx: Ink) => void} draw
 * @returns {boolean} false: the canvas is an ordinary one, which takes the path as it is
 */
export function drawnFar(ctx, path, trace, draw) {
  const far = farInks.get(ctx);
  if (!far) return false;
  const { from, on } = known.get(path) ?? nearPath(path, far.origin, trace);
  const { x, y } = minus(from, far.origin);
  far.ctx.save();
  far.ctx.translate(x, y);
  draw(on, far.ctx);
  far.ctx.restore();
  return true;
}

/**
 * @param {Path} path
 * @param {Spot} origin
 * @param {(path: Path) => Path2D} trace
 */
function nearPath(path, origin, trace) {
  const places = path.flatMap(({ at }) => at);
  const box = boxAround(places);
  const first = places[0] ?? origin;
  const isLong =
    box !== undefined && distance(spot(box.left, box.top), spot(box.right, box.bottom)) > FAR;
  const from = isLong ? origin : first;
  const near = path.map(({ op, at }) => ({ op, at: at.map((one) => minus(one, from)) }));
  const made = { from, on: trace(near) };
  // A long path is as exact as it can be only near what is seen now.
  if (!isLong) known.set(path, made);
  return made;
}

/**
 * Draws a text or an image far from the origin, as if it stood at the canvas's own.
 * @param {Ink} ctx
 * @param {{x: number, y: number, place?: Transform}} mark
 * @param {(ctx: Ink) => void} draw
 * @returns {boolean} false: the canvas is an ordinary one
 */
export function placedFar(ctx, { x, y, place = [1, 0, 0, 1, 0, 0] }, draw) {
  const far = farInks.get(ctx);
  if (!far) return false;
  const at = minus(moved(place, spot(x, y)), far.origin);
  const [a, b, c, d] = place;
  far.ctx.save();
  far.ctx.transform(a, b, c, d, at.x, at.y);
  draw(far.ctx);
  far.ctx.restore();
  return true;
}
