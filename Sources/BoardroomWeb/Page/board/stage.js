// Two canvases: the lower one shows tiles, the upper one what is being drawn. A frame is drawn if
// something has changed, and of the lower canvas only the tiles that did.
import { PAPER } from "../render/colours.js";
import { marksOf } from "../render/display.js";
import { inkFor } from "../render/far.js";
import { touches } from "../render/geom.js";
import { addressOf } from "../render/image-source.js";
import { onCanvas, Tiles } from "../render/tiles.js";

/**
 * `beforeFrame`: called at the beginning of each frame; `drawAbove`: draws above the tiles, and
 * returns which frame is needed next: one at once, or one `later` (see `requestFrameLater`); `isInHand`: something is being drawn or
 * dragged; `images`: where the room's own images are;
 * `onImage`: a missing image has been loaded.
 * @typedef {{
 *   root: HTMLElement;
 *   view: import("../render/view.js").View;
 *   clock: Clock;
 *   theme: Theme;
 *   isLocal?: boolean;
 *   images: import("../render/image-source.js").ImageHome;
 *   beforeFrame(): void;
 *   drawAbove(context: Ink): boolean | "later";
 *   isInHand(): boolean;
 *   onImage(): void;
 * }} StageParts
 */

/** Ms without a change of the scale after which tiles of exactly this scale are drawn. */
const SETTLE_TIME = 140;

/**
 * Ms after a frame before which what others do asks for none: with screens of 60 frames a second it
 * is drawn 30 times a second. What the own hand does is drawn in each frame, and that of others with
 * it.
 */
const PAUSE = 24;

/**
 * Ms after which a bitmap of a loaded image is made again: a browser that shows several pages
 * fails at it now and then, although the image is decoded.
 */
const BITMAP_PAUSES = [100, 400, 1500];

/** Pixels between the dots of the background at 100 %. */
const DOT_GAP = 24;

const DOT_COLOUR = { light: "#dfe4ea", dark: "#2c343d" };

export class Stage {
  isRequested = false;
  isStill = false;
  isZooming = false;
  ratio = 1;
  stopSettling = () => {};
  stop = () => {};

  /** When the last frame was drawn, in ms. */
  last = 0;

  /** A frame is asked for when the pause is over. */
  isPausing = false;

  stopPausing = () => {};

  /** @type {Place[]} tiles of the lower canvas that are newer than what it shows */
  newTiles = [];

  /** @type {WeakMap<Thing, Mark[]>} display lists, kept as long as their elements */
  marks = new WeakMap();

  /**
   * undefined: still loading, or cannot be loaded
   * @type {Map<string, HTMLImageElement | undefined>}
   */
  images = new Map();

  /** @param {StageParts} parts */
  constructor(parts) {
    const { root, view, clock, theme, isLocal } = parts;
    this.parts = parts;
    this.lastScale = view.scale;
    this.isClosed = false;
    this.below = this.#canvas();
    this.above = this.#canvas();
    /** @type {Look} */
    this.look = { theme, image: (src) => this.#image(src) };
    this.tiles = new Tiles({
      clock,
      isLocal,
      onTile: (place) => {
        if (place) this.newTiles.push(place);
        this.requestFrameLater();
      },
      onReplaced: () => this.requestFrame(),
      onMissing: this.look.image,
    });
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(root);
    view.listeners.add(() => this.#onViewChanged());
    this.#fit();
  }

  #canvas() {
    const canvas = document.createElement("canvas");
    Object.assign(canvas.style, {
      position: "absolute",
      inset: "0",
      width: "100%",
      height: "100%",
    });
    this.parts.root.append(canvas);
    return /** @type {Ink} */ (canvas.getContext("2d"));
  }

  #fit() {
    const { clientWidth, clientHeight } = this.parts.root;
    this.ratio = devicePixelRatio;
    const width = Math.round(clientWidth * this.ratio) || 1;
    const height = Math.round(clientHeight * this.ratio) || 1;
    for (const { canvas } of [this.below, this.above]) {
      Object.assign(canvas, { width, height });
    }
    this.parts.view.resize(clientWidth, clientHeight);
    this.requestFrame();
  }

  close() {
    this.isClosed = true;
    // No frame is requested any more.
    this.isRequested = true;
    for (const end of [this.stop, this.stopSettling, this.stopPausing]) {
      end();
    }
    this.sizes.disconnect();
    this.tiles.close();
    for (const { canvas } of [this.below, this.above]) {
      canvas.remove();
    }
  }

  /** @param {string} src */
  #image(src) {
    if (!this.images.has(src)) this.load(src);
    return this.images.get(src);
  }

  /**
   * Loads a picture; done when it is there or cannot be loaded. It is requested without
   * credentials, and drawn if its server allows that: a canvas with any other picture could not be
   * exported.
   * @param {string} src
   */
  async load(src) {
    if (this.images.get(src)) return;
    this.images.set(src, undefined);
    const image = new Image();
    const address = addressOf(src, this.parts.images);
    Object.assign(image, { crossOrigin: "anonymous", referrerPolicy: "no-referrer", src: address });
    try {
      await image.decode();
    } catch {
      return;
    }
    this.images.set(src, image);
    const bitmap = await this.#bitmapOf(image);
    if (this.isClosed) return bitmap.close();
    this.tiles.image(src, bitmap);
    this.requestFrame();
    this.parts.onImage();
  }

  /**
   * An image as the painters of tiles take it, who have no elements of a page.
   * @param {HTMLImageElement} image that is decoded
   */
  async #bitmapOf(image) {
    for (const pause of BITMAP_PAUSES) {
      if (this.isClosed) break;
      try {
        return await createImageBitmap(image);
      } catch {
        await new Promise((done) => this.parts.clock.after(pause, () => done(undefined)));
      }
    }
    // Drawing an image is another way through the browser than making a bitmap of it.
    const copy = new OffscreenCanvas(image.naturalWidth || 1, image.naturalHeight || 1);
    copy.getContext("2d")?.drawImage(image, 0, 0);
    return copy.transferToImageBitmap();
  }

  #onViewChanged() {
    const { clock } = this.parts;
    const { scale } = this.parts.view;
    this.requestFrame();
    if (scale === this.lastScale) return;
    this.lastScale = scale;
    this.isZooming = true;
    this.stopSettling();
    this.stopSettling = clock.after(SETTLE_TIME, () => {
      this.isZooming = false;
      this.requestFrame();
    });
  }

  /** Requests a frame. `isStill`: of both canvases. */
  requestFrame(isStill = true) {
    this.isStill ||= isStill;
    if (!this.isRequested) this.stop = this.parts.clock.frame(() => this.#draw());
    this.isRequested = true;
  }

  /**
   * Requests a frame for what others have done: soon, but not sixty times a second, because each
   * frame costs the same however little has changed.
   */
  requestFrameLater() {
    if (this.isRequested || this.isPausing) return;
    const { clock } = this.parts;
    const rest = this.last + PAUSE - clock.now();
    if (rest <= 0 || this.parts.isInHand()) return this.requestFrame(false);
    this.isPausing = true;
    this.stopPausing = clock.after(rest, () => {
      this.isPausing = false;
      this.requestFrame(false);
    });
  }

  /** Whole device pixels, so that tiles fit together without seams. */
  get frame() {
    const { width, height } = this.below.canvas;
    const { view } = this.parts;
    const scale = view.scale * this.ratio;
    const x = Math.round(width / 2 - view.x * scale);
    const y = Math.round(height / 2 - view.y * scale);
    return { scale, width, height, x, y };
  }

  /** The scale at which tiles are asked for: while fingers zoom, the nearest power of two. */
  get asked() {
    const { scale } = this.parts.view;
    return this.ratio * (this.isZooming ? 2 ** Math.round(Math.log2(scale)) : scale);
  }

  #draw() {
    this.isRequested = false;
    this.last = this.parts.clock.now();
    if (devicePixelRatio !== this.ratio) this.#fit();
    this.parts.beforeFrame();
    const { frame, above } = this;
    this.#drawBelow(this.below, frame);
    above.setTransform(1, 0, 0, 1, 0, 0);
    above.clearRect(0, 0, frame.width, frame.height);
    const next = this.parts.drawAbove(inkFor(above, frame));
    if (next === "later") this.requestFrameLater();
    else if (next) this.requestFrame(false);
  }

  /**
   * @param {Ink} ctx
   * @param {Frame} frame
   */
  #drawBelow(ctx, frame) {
    const { newTiles, isStill } = this;
    this.newTiles = [];
    this.isStill = false;
    const whole = { left: 0, top: 0, right: frame.width, bottom: frame.height };
    // A tile of another scale may stand in for any part of the canvas.
    const isWhole = isStill || newTiles.some(({ scale }) => scale !== frame.scale);
    const areas = isWhole ? [whole] : newTiles.map((place) => onCanvas(place, frame));
    for (const area of areas.filter((one) => touches(one, whole))) {
      this.#drawArea(ctx, frame, area);
    }
  }

  /**
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {Box} area of the canvas, in whole pixels
   */
  #drawArea(ctx, frame, area) {
    const { ratio } = this;
    const { scale } = this.parts.view;
    const { theme } = this.look;
    const { left, top, right, bottom } = area;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, right - left, bottom - top);
    ctx.clip();
    ctx.clearRect(left, top, right - left, bottom - top);
    const zoom = Math.round(Math.log2(scale));
    this.tiles.draw(ctx, frame, theme, this.asked, area);
    // Background and dots are drawn under what is there already.
    ctx.globalCompositeOperation = "destination-over";
    ctx.fillStyle = DOT_COLOUR[theme];
    this.#drawDots(ctx, frame, DOT_GAP * ratio * (scale / 2 ** zoom), area);
    ctx.fillStyle = PAPER[theme];
    ctx.fillRect(left, top, right - left, bottom - top);
    ctx.restore();
  }

  /**
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {number} gap device pixels between them
   * @param {Box} area
   */
  #drawDots(ctx, frame, gap, area) {
    const size = Math.max(Math.round(this.ratio * 1.6), 1);
    const places = (/** @type {number} */ origin, /** @type {number[]} */ [from, to]) => {
      const first = Math.floor((from - size - origin) / gap);
      const count = Math.ceil((to - origin) / gap) - first;
      return Array.from({ length: count }, (_, n) => Math.round(origin + (first + n) * gap));
    };
    const columns = places(frame.x, [area.left, area.right]);
    ctx.beginPath();
    for (const y of places(frame.y, [area.top, area.bottom])) {
      for (const x of columns) ctx.rect(x, y, size, size);
    }
    ctx.fill();
  }

  /** @param {Thing} element */
  marksOf(element) {
    const marks = this.marks.get(element) ?? marksOf(element);
    this.marks.set(element, marks);
    return marks;
  }
}
