// The still part of a board: tiles that a painter has drawn, put where the view is. Moving the view draws no
// stroke: what is missing is asked for, and until it comes a tile of another scale is stretched to its place.

import { touches, union } from "./geom.js";
import { TILE, TilePainter, tileBox } from "./tile-painter.js";

/** Some 100 MB of pixels. */
const CAP = 96;
/** Scales that are laid over each other at most where tiles are missing. */
const LAYERS = 3;
/** Changes that are remembered, to know whether a tile that comes late has seen them. */
const REMEMBERED = 64;
/** Without a worker: how long it draws between frames, and rests, in ms. */
const [SLICE, REST] = [6, 4];

export class Tiles {
  /** @type {Map<string, Tile>} */
  tiles = new Map();
  /** @type {Set<string>} */
  seen = new Set();
  /** What the painter was last asked for. */
  asked = "";
  version = 0;
  count = 0;
  /** @type {{boxes: Box[], version: number}[]} */
  changes = [];

  /** @param {{clock: Clock, onTile(): void, onMissing(src: string): void, isLocal?: boolean}} host */
  constructor({ clock, onTile, onMissing, isLocal = false }) {
    this.clock = clock;
    this.onTile = onTile;
    this.onMissing = onMissing;
    const isAlone = isLocal || typeof Worker === "undefined" || typeof OffscreenCanvas === "undefined";
    this.port = isAlone ? this.#local() : this.#worker();
  }

  #worker() {
    const worker = new Worker(new URL("./tile-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => this.#answer(data);
    return {
      /** @param {any} message @param {Transferable[]} [transfer] */
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      close: () => worker.terminate(),
    };
  }

  #local() {
    const now = () => this.clock.now();
    const painter = new TilePainter({ now, answer: (message) => this.#answer(message) });
    let isTurning = false;
    const turn = () => {
      if (isTurning || !painter.isBusy) return;
      isTurning = true;
      this.clock.after(REST, () => {
        isTurning = false;
        painter.work(SLICE);
        turn();
      });
    };
    const post = (/** @type {any} */ message) => {
      painter.take(message);
      turn();
    };
    return { post, close: () => painter.take({}) };
  }

  /** @param {any} message */
  #answer({ tile, missing }) {
    if (missing) return this.onMissing(missing);
    const key = keyOf(tile);
    this.tiles.get(key)?.bitmap?.close();
    this.tiles.set(key, { ...tile, needs: this.#needed(tile), used: this.count });
    const byUse = this.tiles.size > CAP ? [...this.tiles].sort(([, a], [, b]) => a.used - b.used) : [];
    for (const [old] of byUse.slice(0, this.tiles.size - CAP)) this.#drop(old);
    // The ring around what is seen is fetched without a frame for each.
    if (this.seen.has(key)) this.onTile();
  }

  // A tile that was drawn before something on it changed is not what it should be.
  /** @param {Tile} tile */
  #needed(tile) {
    if (tile.version < (this.changes[0]?.version ?? 0) - 1) return this.version;
    const area = tileBox(tile, tile.scale);
    const touching = this.changes.filter(({ boxes }) => boxes.some((box) => touches(area, box)));
    return touching[touching.length - 1]?.version ?? 0;
  }

  /** @param {string} key */
  #drop(key) {
    this.tiles.get(key)?.bitmap?.close();
    this.tiles.delete(key);
  }

  /** Another scene. */
  reset() {
    for (const key of [...this.tiles.keys()]) this.#drop(key);
    this.asked = "";
    this.port.post({ do: "reset" });
  }

  close() {
    for (const key of [...this.tiles.keys()]) this.#drop(key);
    this.port.close();
  }

  /**
   * Elements that changed, and where they are and were.
   * @param {any[]} elements plain @param {string[]} gone @param {Box[]} boxes
   * @returns {number} the version that tiles show them from
   */
  put(elements, gone, boxes) {
    this.version += 1;
    this.port.post({ do: "put", version: this.version, elements, gone });
    this.changes.push({ boxes, version: this.version });
    if (this.changes.length > REMEMBERED) this.changes.shift();
    for (const tile of this.tiles.values()) {
      const area = tileBox(tile, tile.scale);
      if (boxes.some((box) => touches(area, box))) tile.needs = this.version;
    }
    return this.version;
  }

  /** @param {string} src @param {ImageBitmap} image */
  image(src, image) {
    this.port.post({ do: "image", src, image }, [image]);
    for (const tile of this.tiles.values()) tile.needs = Infinity;
    this.asked = "";
  }

  // Do all tiles that show this box on the screen show this version?
  /** @param {Box} box @param {number} version @param {Frame} frame @param {Theme} theme */
  shows(box, version, frame, theme) {
    const near = visible(frame).filter((place) => touches(tileBox(place, frame.scale), box));
    return near.every((place) => (this.#at(place, frame.scale, theme)?.version ?? -1) >= version);
  }

  /** @param {{column: number, row: number}} place @param {number} scale @param {Theme} theme */
  #at(place, scale, theme) { return this.tiles.get(keyOf({ ...place, scale, theme })); }

  /**
   * Draws what the frame shows and asks for what is missing. While the scale moves, tiles of one that is near
   * serve (`asks`).
   * @param {Ink} ctx @param {Frame} frame @param {Theme} theme @param {number} asks
   */
  draw(ctx, frame, theme, asks) {
    this.count += 1;
    const places = visible(frame);
    const tiles = places.map((place) => this.#at(place, frame.scale, theme));
    const missing = places.filter((_, index) => !tiles[index])
      .map((place) => placeOf(place, frame.scale, frame));
    const hole = missing.reduce((/** @type {Box | undefined} */ all, box) => union(all, box), undefined);
    if (hole) this.#standIn(ctx, frame, theme, hole);
    for (const tile of tiles) if (tile) this.#lay(ctx, tile, placeOf(tile, tile.scale, frame));
    this.#ask(scaled(frame, asks), theme);
  }

  /** @param {Ink} ctx @param {Tile} tile @param {Box} at */
  #lay(ctx, tile, { left, top, right, bottom }) {
    tile.used = this.count;
    ctx.clearRect(left, top, right - left, bottom - top);
    if (tile.bitmap) ctx.drawImage(tile.bitmap, left, top, right - left, bottom - top);
  }

  // Whatever other scales have in an area of the canvas, the nearest on top, until it is covered.
  /** @param {Ink} ctx @param {Frame} frame @param {Theme} theme @param {Box} area */
  #standIn(ctx, frame, theme, area) {
    /** @type {Map<number, {tile: Tile, at: Box}[]>} */
    const scales = new Map();
    for (const tile of this.tiles.values()) {
      const at = placeOf(tile, tile.scale, frame);
      if (tile.theme !== theme || overlap(at, area) === 0) continue;
      scales.set(tile.scale, [...scales.get(tile.scale) ?? [], { tile, at }]);
    }
    const far = (/** @type {number} */ scale) => Math.abs(Math.log(scale / frame.scale));
    const layers = [];
    for (const [, there] of [...scales].sort(([a], [b]) => far(a) - far(b))) {
      layers.unshift(there);
      const covered = there.reduce((sum, { at }) => sum + overlap(at, area), 0);
      if (layers.length === LAYERS || covered > 0.999 * overlap(area, area)) break;
    }
    for (const { tile, at } of layers.flat()) this.#lay(ctx, tile, at);
  }

  // First what is seen, then the ring around it, so that a slow hand never sees a hole.
  /** @param {Frame} frame @param {Theme} theme */
  #ask(frame, theme) {
    const { scale, x, y, width, height } = frame;
    const seen = visible(frame);
    const keys = seen.map((place) => keyOf({ ...place, scale, theme }));
    const asked = `${keys[0]} ${keys[keys.length - 1]}`;
    if (asked === this.asked) return;
    this.asked = asked;
    this.seen = new Set(keys);
    const wider = { scale, x: x + TILE, y: y + TILE, width: width + 2 * TILE, height: height + 2 * TILE };
    const ring = visible(wider).filter((place) => !this.seen.has(keyOf({ ...place, scale, theme })));
    const [column, row] = [width / 2 - x, height / 2 - y].map((place) => place / TILE - 0.5);
    const far = (/** @type {{column: number, row: number}} */ at) =>
      Math.hypot(at.column - column, at.row - row);
    const byFar = (/** @type {any} */ a, /** @type {any} */ b) => far(a) - far(b);
    const tiles = [...seen.sort(byFar), ...ring.sort(byFar)].map((place) => {
      const tile = this.#at(place, scale, theme);
      return [place.column, place.row, tile !== undefined && tile.version >= tile.needs];
    });
    this.port.post({ do: "want", scale, theme, tiles });
  }
}

/** @param {Frame} frame @param {number} scale @returns {Frame} */
function scaled(frame, scale) {
  const by = scale / frame.scale;
  return { scale, x: frame.x * by, y: frame.y * by, width: frame.width * by, height: frame.height * by };
}

/** @param {{scale: number, theme: Theme, column: number, row: number}} tile */
const keyOf = ({ scale, theme, column, row }) => `${theme} ${scale} ${column},${row}`;

// Where a tile lies on the canvas; whole pixels, or tiles that are stretched would show their seams.
/** @param {{column: number, row: number}} tile @param {number} scale @param {Frame} frame @returns {Box} */
function placeOf({ column, row }, scale, frame) {
  const size = (TILE * frame.scale) / scale;
  const [x, y] = [frame.x + column * size, frame.y + row * size];
  return { left: Math.round(x), top: Math.round(y), right: Math.round(x + size),
    bottom: Math.round(y + size) };
}

/** @param {Box} a @param {Box} b */
const overlap = (a, b) => Math.max(Math.min(a.right, b.right) - Math.max(a.left, b.left), 0)
  * Math.max(Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top), 0);

/** @param {Frame} frame @returns {{column: number, row: number}[]} */
export function visible({ x, y, width, height }) {
  const tiles = [];
  for (let row = Math.floor(-y / TILE); row * TILE < height - y; row += 1) {
    for (let column = Math.floor(-x / TILE); column * TILE < width - x; column += 1) {
      tiles.push({ column, row });
    }
  }
  return tiles;
}
