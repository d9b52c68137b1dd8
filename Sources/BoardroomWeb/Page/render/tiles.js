// The finished elements of a board: tiles that a painter has drawn, placed by the view. Moving the
// view draws no stroke: the painter is told what is in sight, and until a tile arrives, tiles of
// other scales are stretched.
import { boxAround, corners, touches } from "./geom.js";
import { boxOfTile, keyOf, TilePainter, visible } from "./tile-painter.js";

/**
 * The owner of the tiles; `isLocal`: without a worker.
 * @typedef {{ clock: Clock; isLocal?: boolean; onTile(): void; onMissing(src: string): void }} TilesHost
 */

/** Without a worker: ms of drawing between frames. */
const SLICE_TIME = 6;

/** Without a worker: ms of rest after that. */
const PAUSE = 4;

/** @typedef {{post(message: ToPainter, transfer?: Transferable[]): void, stop(): void}} Painter */

export class Tiles {
  /** @type {Map<string, Tile>} */
  tiles = new Map();

  version = 0;

  /** Tiles of another scene or theme have another age. */
  age = 0;

  asked = "";
  theme = "";

  /** @param {TilesHost} host */
  constructor(host) {
    this.host = host;
    const painter = host.isLocal ? this.#localPainter() : this.#worker();
    this.post = painter.post;
    this.stop = painter.stop;
  }

  /** @returns {Painter} that works between frames */
  #localPainter() {
    const { clock } = this.host;
    const painter = new TilePainter({
      now: () => clock.now(),
      answer: (message) => this.#answer(message),
      slice: SLICE_TIME,
      later: (turn) => void clock.after(PAUSE, turn),
    });
    return {
      post: (message) => painter.handleMessage(message),
      stop: () => painter.handleMessage({ do: "reset" }),
    };
  }

  /** @returns {Painter} in a thread of its own */
  #worker() {
    const worker = new Worker(new URL("./tile-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => this.#answer(data);
    return {
      post: (message, transfer = []) => worker.postMessage(message, transfer),
      stop: () => worker.terminate(),
    };
  }

  /** @param {FromPainter} fromPainter */
  #answer({ tile, missing, gone = [] }) {
    if (missing) this.host.onMissing(missing);
    this.#drop(gone);
    if (!tile) return;
    if (tile.age !== this.age) return tile.bitmap?.close();
    this.#drop([keyOf(tile)]);
    this.tiles.set(keyOf(tile), tile);
    this.host.onTile();
  }

  /** @param {string[]} keys */
  #drop(keys) {
    for (const key of keys) {
      this.tiles.get(key)?.bitmap?.close();
      this.tiles.delete(key);
    }
  }

  #begin() {
    this.#drop([...this.tiles.keys()]);
    this.age += 1;
  }

  reset() {
    this.#begin();
    this.post({ do: "reset" });
  }

  close() {
    this.#begin();
    this.stop();
  }

  /**
   * Passes elements that changed, as plain values; returns the version of the tiles that show them.
   * @param {any[]} elements
   * @param {string[]} gone
   */
  update(elements, gone) {
    this.version += 1;
    this.post({ do: "put", version: this.version, elements, gone });
    return this.version;
  }

  /**
   * @param {string} src
   * @param {ImageBitmap} image
   */
  image(src, image) {
    this.post({ do: "image", src, image }, [image]);
  }

  /**
   * Whether all tiles on the screen that show a box have this version.
   * @param {Box} box
   * @param {number} version
   * @param {Frame} frame
   */
  shows(box, version, frame) {
    const near = visible(frame).filter((place) => touches(boxOfTile(place), box));
    return near.every((place) => (this.tiles.get(keyOf(place))?.version ?? -1) >= version);
  }

  /**
   * Draws what the frame shows, and requests what is missing: at a near scale while the view moves
   * (`asks`).
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {Theme} theme
   * @param {number} asks
   */
  draw(ctx, frame, theme, asks) {
    if (theme !== this.theme) this.#begin();
    this.theme = theme;
    const places = visible(frame);
    const tiles = places.flatMap((place) => this.tiles.get(keyOf(place)) ?? []);
    const holes = places.filter((place) => !this.tiles.has(keyOf(place)));
    const hole = boxAround(holes.flatMap((place) => corners(onCanvas(place, frame))));
    for (const tile of hole ? [...this.#standIns(frame, hole), ...tiles] : tiles) {
      const { left, top, right, bottom } = onCanvas(tile, frame);
      ctx.clearRect(left, top, right - left, bottom - top);
      if (tile.bitmap) ctx.drawImage(tile.bitmap, left, top, right - left, bottom - top);
    }
    this.#setFrame(frame, asks);
  }

  /**
   * Tells the painter what is in sight, if other tiles are.
   * @param {Frame} frame
   * @param {number} scale that is asked for
   */
  #setFrame(frame, scale) {
    const by = scale / frame.scale;
    const x = frame.x * by;
    const y = frame.y * by;
    const width = frame.width * by;
    const height = frame.height * by;
    const near = { scale, x, y, width, height };
    const keys = visible(near).map(keyOf);
    const asked = `${this.age} ${keys[0]} ${keys[keys.length - 1]}`;
    if (asked !== this.asked) {
      this.post({
        do: "see",
        age: this.age,
        theme: /** @type {Theme} */ (this.theme),
        frame: near,
      });
    }
    this.asked = asked;
  }

  /**
   * Tiles of other scales for an area of the canvas, the nearest ones last.
   * @param {Frame} frame
   * @param {Box} area
   */
  #standIns(frame, area) {
    const far = (/** @type {Tile} */ { scale }) => Math.abs(Math.log(scale / frame.scale));
    const tiles = [...this.tiles.values()].filter((tile) => touches(onCanvas(tile, frame), area));
    return tiles.filter(({ scale }) => scale !== frame.scale).sort((a, b) => far(b) - far(a));
  }
}

/**
 * Whole pixels: else the borders of stretched tiles would be seen.
 * @param {Place} place
 * @param {Frame} frame
 */
function onCanvas(place, frame) {
  const box = boxOfTile(place, frame);
  const left = Math.round(box.left);
  const top = Math.round(box.top);
  const right = Math.round(box.right);
  const bottom = Math.round(box.bottom);
  return { left, top, right, bottom };
}
