// The still part of a board: tiles that a painter has drawn, put where the view is. Moving the view draws no stroke:
// what is missing is asked for, and until it comes a tile of another scale is stretched to its place.

import { touches, union } from "./geom.js";
import { TILE, TilePainter, tileBox } from "./tile-painter.js";

/** @typedef {import("./geom.js").Box} Box */
/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {{scale: number, theme: Theme, column: number, row: number, version: number, bitmap?: ImageBitmap,
 *   needs: number, used: number}} Tile */
/** Screen pixels that one of the scene takes, and where the scene's origin lies, both in device pixels.
 *  @typedef {{scale: number, x: number, y: number, width: number, height: number}} Frame */

/** Some 100 MB of pixels. */
const CAP = 96;
/** Scales that are laid over each other at most where tiles are missing. */
const LAYERS = 3;
/** Changes that are remembered, to know whether a tile that comes late has seen them. */
const REMEMBERED = 64;

export class Tiles {
  /**
   * @param {{clock: {now(): number, after(ms: number, fn: () => void): any}, onTile(): void,
   *   onMissing(src: string): void, isLocal?: boolean}} host
   */
  constructor({ clock, onTile, onMissing, isLocal = false }) {
    this.clock = clock;
    this.onTile = onTile;
    this.onMissing = onMissing;
    /** @type {Map<string, Tile>} */
    this.tiles = new Map();
    /** Tiles that a screen shows. @type {Set<string>} */
    this.seen = new Set();
    /** What the painter was last asked for. */
    this.asked = "";
    this.version = 0;
    this.count = 0;
    // What changed in the last versions.
    /** @type {{boxes: Box[], version: number}[]} */
    this.changes = [];
    this.port = isLocal ? this.#local() : this.#worker();
  }

  #worker() {
    const script = new URL("./tile-worker.js", import.meta.url);
    // In somebody else's page: no script of another origin becomes a worker.
    const isOurs = script.origin === location.origin;
    if (!isOurs || typeof Worker === "undefined" || typeof OffscreenCanvas === "undefined") return this.#local();
    const worker = new Worker(script, { type: "module" });
    worker.onmessage = ({ data }) => this.#answer(data);
    return {
      /** @param {any} message @param {Transferable[]} [transfer] */
      post: (message, transfer = []) => worker.postMessage(message, transfer), close: () => worker.terminate(),
    };
  }

  /** Between frames: 6 ms at a time. */
  #local() {
    const painter = new TilePainter({
      now: () => this.clock.now(), answer: (/** @type {any} */ message) => this.#answer(message),
    });
    let isTurning = false;
    const turn = () => {
      if (isTurning || !painter.isBusy) return;
      isTurning = true;
      this.clock.after(4, () => {
        isTurning = false;
        painter.work(6);
        turn();
      });
    };
    return { post: (/** @type {any} */ message) => { painter.take(message); turn(); }, close: () => painter.take({}) };
  }

  /** @param {any} message */
  #answer({ tile, missing }) {
    if (missing) return this.onMissing(missing);
    const key = keyOf(tile);
    const old = this.tiles.get(key);
    old?.bitmap?.close();
    this.tiles.set(key, { ...tile, needs: this.#needed(tile), used: this.count });
    this.#forget();
    // The ring around what is seen is fetched without a frame for each.
    if (this.seen.has(`${tile.scale} ${tile.column},${tile.row}`)) this.onTile();
  }

  // The version from which a tile would show all that changed on it.
  /** @param {Tile} tile */
  #needed(tile) {
    if (tile.version < (this.changes[0]?.version ?? 0) - 1) return this.version;
    const area = tileBox(tile.column, tile.row, tile.scale);
    const touching = this.changes.filter(({ boxes }) => boxes.some((box) => touches(area, box)));
    return touching[touching.length - 1]?.version ?? 0;
  }

  /** Of what was not looked at for longest. */
  #forget() {
    if (this.tiles.size <= CAP) return;
    const byUse = [...this.tiles].sort(([, a], [, b]) => a.used - b.used);
    for (const [key, tile] of byUse.slice(0, this.tiles.size - CAP)) this.#drop(key, tile);
  }

  /** @param {string} key @param {Tile} tile */
  #drop(key, tile) {
    tile.bitmap?.close();
    this.tiles.delete(key);
  }

  /** Another scene. */
  reset() {
    for (const [key, tile] of this.tiles) this.#drop(key, tile);
    this.asked = "";
    this.port.post({ do: "reset" });
  }

  close() {
    for (const [key, tile] of this.tiles) this.#drop(key, tile);
    this.port.close();
  }

  /**
   * Elements that changed, and where they are and were. Gives the version that tiles show them from.
   * @param {any[]} elements plain @param {string[]} gone @param {Box[]} boxes
   */
  put(elements, gone, boxes) {
    this.version += 1;
    this.port.post({ do: "put", version: this.version, elements, gone });
    this.changes.push({ boxes, version: this.version });
    if (this.changes.length > REMEMBERED) this.changes.shift();
    for (const tile of this.tiles.values()) {
      const area = tileBox(tile.column, tile.row, tile.scale);
      if (boxes.some((box) => touches(area, box))) tile.needs = this.version;
    }
    return this.version;
  }

  /** @param {string} src @param {ImageBitmap} image */
  image(src, image) {
    this.port.post({ do: "image", src, image }, [image]);
    for (const tile of this.tiles.values()) tile.needs = Infinity;
    this.changes = [];
    this.asked = "";
  }

  // Do all tiles that show this box on the screen show this version?
  /** @param {Box} box @param {number} version @param {Frame} frame @param {Theme} theme */
  shows(box, version, frame, theme) {
    const seen = visible(frame).filter(([column, row]) => touches(tileBox(column, row, frame.scale), box));
    return seen.every(([column, row]) => {
      const tile = this.tiles.get(keyOf({ scale: frame.scale, theme, column, row }));
      return tile && tile.version >= version;
    });
  }

  /**
   * Draws what the frame shows and asks for what is missing. While the scale moves (`asks`: the one to ask for), tiles
   * of that scale serve for all that are near it.
   * @param {CanvasRenderingContext2D} ctx @param {Frame} frame @param {Theme} theme @param {number} asks
   */
  draw(ctx, frame, theme, asks) {
    this.count += 1;
    const places = visible(frame);
    const tiles = places.map(([column, row]) => this.tiles.get(keyOf({ scale: frame.scale, theme, column, row })));
    if (tiles.some((tile) => !tile)) {
      const missing = places.filter((_, index) => !tiles[index])
        .map(([column, row]) => placeOf({ scale: frame.scale, column, row }, frame));
      const area = missing.reduce((all, box) => union(all, box) ?? box);
      this.#standIn(ctx, frame, theme, area);
    }
    for (const tile of tiles) {
      if (!tile) continue;
      const { left, top } = placeOf(tile, frame);
      tile.used = this.count;
      ctx.clearRect(left, top, TILE, TILE);
      if (tile.bitmap) ctx.drawImage(tile.bitmap, left, top);
    }
    this.#ask(scaled(frame, asks), theme);
  }

  // Whatever other scales have in an area of the canvas, the nearest on top, until it is covered.
  /** @param {CanvasRenderingContext2D} ctx @param {Frame} frame @param {Theme} theme @param {Box} area */
  #standIn(ctx, frame, theme, area) {
    /** @type {Map<number, {tile: Tile, at: Box}[]>} */
    const scales = new Map();
    for (const tile of this.tiles.values()) {
      const at = placeOf(tile, frame);
      if (tile.theme !== theme || overlap(at, area) === 0) continue;
      scales.set(tile.scale, [...(scales.get(tile.scale) ?? []), { tile, at }]);
    }
    const far = (/** @type {number} */ scale) => Math.abs(Math.log(scale / frame.scale));
    const layers = [];
    const whole = overlap(area, area);
    for (const [, there] of [...scales].sort(([a], [b]) => far(a) - far(b))) {
      layers.unshift(there);
      if (layers.length === LAYERS || there.reduce((sum, { at }) => sum + overlap(at, area), 0) > 0.999 * whole) break;
    }
    for (const { tile, at } of layers.flat()) {
      const { left, top, right, bottom } = at;
      tile.used = this.count;
      if (layers.length > 1) ctx.clearRect(left, top, right - left, bottom - top);
      if (tile.bitmap) ctx.drawImage(tile.bitmap, left, top, right - left, bottom - top);
    }
  }

  // First what is seen, then the ring around it, so that a slow hand never sees a hole.
  /** @param {Frame} frame @param {Theme} theme */
  #ask(frame, theme) {
    const seen = visible(frame);
    const asked = `${frame.scale} ${theme} ${seen[0]} ${seen[seen.length - 1]}`;
    if (asked === this.asked) return;
    this.asked = asked;
    this.seen = new Set(seen.map((place) => `${frame.scale} ${place}`));
    const inside = new Set(seen.map(String));
    const wider = { ...frame, x: frame.x + TILE, y: frame.y + TILE };
    const ring = visible({ ...wider, width: frame.width + 2 * TILE, height: frame.height + 2 * TILE });
    const middle = [frame.width / 2 - frame.x, frame.height / 2 - frame.y].map((place) => place / TILE - 0.5);
    const far = (/** @type {[number, number]} */ [column, row]) => Math.hypot(column - middle[0], row - middle[1]);
    const byFar = (/** @type {[number, number]} */ a, /** @type {[number, number]} */ b) => far(a) - far(b);
    const places = [...seen.sort(byFar), ...ring.filter((place) => !inside.has(String(place))).sort(byFar)];
    const isThere = (/** @type {[number, number]} */ [column, row]) => {
      const tile = this.tiles.get(keyOf({ scale: frame.scale, theme, column, row }));
      return tile !== undefined && tile.version >= tile.needs;
    };
    const tiles = places.map((place) => [...place, isThere(place)]);
    this.port.post({ do: "want", scale: frame.scale, theme, tiles });
  }
}

// The same part of the scene at another scale.
/** @param {Frame} frame @param {number} scale @returns {Frame} */
function scaled(frame, scale) {
  const grow = scale / frame.scale;
  return grow === 1 ? frame : {
    scale, x: frame.x * grow, y: frame.y * grow, width: frame.width * grow, height: frame.height * grow,
  };
}

/** @param {{scale: number, theme: Theme, column: number, row: number}} tile */
const keyOf = ({ scale, theme, column, row }) => `${theme} ${scale} ${column},${row}`;

// Where a tile lies on the canvas; whole pixels, or tiles that are stretched would show their seams.
/** @param {{scale: number, column: number, row: number}} tile @param {Frame} frame @returns {Box} */
function placeOf({ scale, column, row }, frame) {
  const size = (TILE * frame.scale) / scale;
  const [x, y] = [frame.x + column * size, frame.y + row * size];
  return { left: Math.round(x), top: Math.round(y), right: Math.round(x + size), bottom: Math.round(y + size) };
}

// The area that two boxes share.
/** @param {Box} a @param {Box} b */
const overlap = (a, b) =>
  Math.max(Math.min(a.right, b.right) - Math.max(a.left, b.left), 0)
  * Math.max(Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top), 0);

// Columns and rows that a frame shows.
/** @param {Frame} frame @returns {[number, number][]} */
export function visible({ x, y, width, height }) {
  /** @type {[number, number][]} */
  const tiles = [];
  for (let row = Math.floor(-y / TILE); row * TILE < height - y; row += 1) {
    for (let column = Math.floor(-x / TILE); column * TILE < width - x; column += 1) tiles.push([column, row]);
  }
  return tiles;
}
