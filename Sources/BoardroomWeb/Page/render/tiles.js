// The finished elements of a board: tiles that a painter has drawn, placed by the view. Moving the
// view draws no stroke: the painter is told what is in sight, and until a tile arrives, tiles of
// other scales are stretched.
import { boxAround, corners, touches } from "./geom.js";
import { PainterGroup } from "./painter-group.js";
import { boxOfTile, keyOf, visible } from "./tile-painter.js";

/**
 * The owner of the tiles; `isLocal`: without a worker. `onTile`: a tile has another picture, or
 * what is drawn of the elements has changed; `onReplaced`: all tiles are others.
 * @typedef {{ clock: Clock; isLocal?: boolean; onTile(place?: Place): void; onReplaced(): void;
 *   onMissing(src: string): void }} TilesHost
 */

/** Without a worker: ms of drawing between frames. */
const SLICE_TIME = 6;

/** Without a worker: ms of rest after that. */
const PAUSE = 4;

/** @typedef {{post(message: ToPainter, transfer?: Transferable[]): void, stop(): void}} Painter */

/** The way to the painters, and of their answers to the layers of tiles. */
class Painters {
  /** @type {Map<number, Tiles>} */
  layers = new Map();

  /** Numbers of painters, and versions of elements, so far. */
  last = { number: 0, version: 0 };

  /** @param {TilesHost} host */
  constructor(host) {
    this.host = host;
    const painter = host.isLocal ? this.#local() : this.#worker();
    this.post = painter.post;
    this.stop = painter.stop;
  }

  /** @returns {Painter} that works between frames */
  #local() {
    const { clock } = this.host;
    const painters = new PainterGroup({
      now: () => clock.now(),
      answer: (message) => this.#answer(message),
      slice: SLICE_TIME,
      later: (turn) => void clock.after(PAUSE, turn),
    });
    return {
      post: (message) => painters.handleMessage(message),
      stop: () => {
        for (const painter of this.layers.keys()) {
          painters.handleMessage({ painter, do: "end" });
        }
      },
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
  #answer(fromPainter) {
    if (fromPainter.missing) this.host.onMissing(fromPainter.missing);
    const layer = this.layers.get(fromPainter.painter ?? 0);
    if (layer) layer.take(fromPainter);
    else fromPainter.tile?.bitmap?.close();
  }
}

export class Tiles {
  /** @type {Map<string, Tile>} */
  tiles = new Map();

  /** Of its elements, as they were sent last, and as all tiles in sight show them. */
  version = 0;
  drawn = 0;

  /** Tiles of another scene or theme have another age. */
  age = 0;

  asked = "";
  theme = "";

  /** @param {TilesHost} host */
  constructor(host, painters = new Painters(host)) {
    this.host = host;
    this.painters = painters;
    painters.last.number += 1;
    this.number = painters.last.number;
    painters.layers.set(this.number, this);
  }

  /**
   * @param {ToPainter} message
   * @param {Transferable[]} [transfer]
   */
  post(message, transfer) {
    this.painters.post({ ...message, painter: this.number }, transfer);
  }

  #nextVersion() {
    this.painters.last.version += 1;
    this.version = this.painters.last.version;
    return this.version;
  }

  /** @param {FromPainter} fromPainter */
  take({ tile, drawn, gone = [] }) {
    this.#drop(gone);
    if (drawn !== undefined && drawn !== this.drawn) {
      this.drawn = drawn;
      this.host.onTile();
    }
    if (!tile) return;
    if (tile.age !== this.age) return tile.bitmap?.close();
    this.#drop([keyOf(tile)]);
    this.tiles.set(keyOf(tile), tile);
    this.host.onTile(tile);
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
    this.host.onReplaced();
  }

  reset() {
    this.#begin();
    this.post({ do: "reset" });
  }

  close() {
    this.#begin();
    this.painters.stop();
  }

  /**
   * Passes elements that changed, as plain values; returns the version of the tiles that show them.
   * @param {any[]} elements
   * @param {string[]} gone
   * @param {boolean} [more] are on their way
   */
  update(elements, gone, more = false) {
    const version = this.#nextVersion();
    this.post({ do: "put", version, elements, gone, ...(more ? { more } : {}) });
    return version;
  }

  /**
   * Takes elements into a layer of their own.
   * @param {string[]} ids
   * @param {boolean} isMost the pictures that are there go with them, and the others are drawn anew
   * @returns {Tiles}
   */
  split(ids, isMost) {
    const other = new Tiles(this.host, this.painters);
    Object.assign(other, { age: this.age, theme: this.theme });
    if (!isMost) {
      this.post({ do: "move", to: other.number, version: this.#nextVersion(), ids });
      return other;
    }
    this.#exchange(other);
    other.post({ do: "move", to: this.number, version: this.#nextVersion(), except: ids });
    return other;
  }

  /**
   * Takes back the elements of a layer that was split off, which is to be ended when they are drawn
   * here.
   * @param {Tiles} other
   * @param {boolean} isMost its pictures are taken over: at once, all is as it was
   */
  join(other, isMost) {
    if (isMost) this.#exchange(other);
    other.post({ do: "move", to: this.number, version: this.#nextVersion() });
  }

  /** @param {Tiles} other whose painter and pictures become these, and these the other's */
  #exchange(other) {
    const { number, tiles, asked, drawn } = this;
    Object.assign(this, {
      number: other.number,
      tiles: other.tiles,
      asked: other.asked,
      drawn: other.drawn,
    });
    Object.assign(other, { number, tiles, asked, drawn });
    this.painters.layers.set(this.number, this).set(other.number, other);
    this.host.onReplaced();
  }

  /** Ends a layer that was split off. */
  end() {
    this.#drop([...this.tiles.keys()]);
    this.painters.layers.delete(this.number);
    this.post({ do: "end" });
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
   * Clears the places of a canvas at which tiles have this version.
   * @param {Ink} ctx
   * @param {number} version
   * @param {Frame} frame
   */
  clearShown(ctx, version, frame) {
    for (const place of visible(frame)) {
      if ((this.tiles.get(keyOf(place))?.version ?? -1) < version) continue;
      const { left, top, right, bottom } = onCanvas(place, frame);
      ctx.clearRect(left, top, right - left, bottom - top);
    }
  }

  /**
   * Draws what the frame shows, and requests what is missing: at a near scale while the view moves
   * (`asks`).
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {Theme} theme
   * @param {number} asks
   * @param {Box} [area] of the canvas; else all of it
   */
  draw(ctx, frame, theme, asks, area) {
    if (theme !== this.theme) this.#begin();
    this.theme = theme;
    this.drawOver(ctx, frame, false, area);
    this.#setFrame(frame, asks);
  }

  /**
   * Draws what is there.
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {boolean} [isOver] what is on the canvas stays
   * @param {Box} [area] of the canvas; else all of it
   */
  drawOver(ctx, frame, isOver = true, area = undefined) {
    const isIn = (/** @type {Place} */ place) => !area || touches(onCanvas(place, frame), area);
    const places = visible(frame).filter(isIn);
    const tiles = places.flatMap((place) => this.tiles.get(keyOf(place)) ?? []);
    const holes = places.filter((place) => !this.tiles.has(keyOf(place)));
    const hole = boxAround(holes.flatMap((place) => corners(onCanvas(place, frame))));
    for (const tile of hole ? [...this.#standIns(frame, hole), ...tiles] : tiles) {
      const { left, top, right, bottom } = onCanvas(tile, frame);
      if (!isOver) ctx.clearRect(left, top, right - left, bottom - top);
      if (tile.bitmap) ctx.drawImage(tile.bitmap, left, top, right - left, bottom - top);
    }
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
export function onCanvas(place, frame) {
  const box = boxOfTile(place, frame);
  const left = Math.round(box.left);
  const top = Math.round(box.top);
  const right = Math.round(box.right);
  const bottom = Math.round(box.bottom);
  return { left, top, right, bottom };
}
