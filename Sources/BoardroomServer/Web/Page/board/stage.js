// Two canvases, one over the other: below, what is drawn for good (tiles), above, what is under way. They are drawn only
// when something changed, together and once a frame.

import { PAPER, shown } from "../core/colours.js";
import { marksOf } from "../core/display.js";
import { touches } from "../core/geom.js";
import { Images } from "../core/images.js";
import { paint } from "../core/paint.js";
import { Tiles } from "../core/tiles.js";

/** @typedef {import("../core/display.js").Element} Element */
/** @typedef {import("../core/display.js").Mark} Mark */
/** @typedef {import("../core/view.js").View} View */
/** @typedef {{now(): number, after(ms: number, fn: () => void): any, frame(fn: (now?: number) => void): any}} Clock */

/** A scale that has not changed for so long, in ms, is worth tiles of its own. */
const SETTLED = 140;
/** Dots stand so far apart on the screen at 100 %. */
const DOTS = 24;

export class Stage {
  /**
   * @param {{root: HTMLElement, view: View, clock: Clock, theme: import("../core/colours.js").Theme,
   *   isLocal?: boolean, before(): void, live(ctx: CanvasRenderingContext2D): boolean}} parts
   *   before: called once a frame, first; live: draws above the tiles, gives whether it wants another frame
   */
  constructor({ root, view, clock, theme, isLocal, before, live }) {
    this.root = root;
    this.view = view;
    this.clock = clock;
    this.theme = theme;
    this.before = before;
    this.live = live;
    this.isAsked = false;
    this.isStill = false;
    this.hasDots = true;
    this.isClosed = false;
    this.ratio = 1;
    this.zoomedAt = -Infinity;
    this.lastScale = view.scale;
    /** @type {(() => void) | undefined} */
    this.settles = undefined;
    // Display lists of what is drawn above, for as long as their elements live.
    /** @type {WeakMap<Element, Mark[]>} */
    this.marks = new WeakMap();
    this.below = this.#canvas();
    this.above = this.#canvas();
    this.images = new Images((src, image) => this.#loaded(src, image));
    this.tiles = new Tiles({
      clock, isLocal, onTile: () => this.ask(), onMissing: (src) => this.images.get(src),
    });
    this.look = {
      theme, image: (/** @type {string} */ src) => this.images.get(src),
    };
    this.sizes = new ResizeObserver(() => this.fit());
    this.sizes.observe(root);
    this.moves = () => this.#moved();
    view.listeners.add(this.moves);
    this.fit();
  }

  #canvas() {
    const canvas = document.createElement("canvas");
    Object.assign(canvas.style, { position: "absolute", inset: "0", width: "100%", height: "100%", touchAction: "none" });
    this.root.append(canvas);
    return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  }

  /** Makes the canvases as large as the root is, in device pixels. */
  fit() {
    const { clientWidth, clientHeight } = this.root;
    this.ratio = globalThis.devicePixelRatio || 1;
    for (const { canvas } of [this.below, this.above]) {
      canvas.width = Math.max(Math.round(clientWidth * this.ratio), 1);
      canvas.height = Math.max(Math.round(clientHeight * this.ratio), 1);
    }
    this.view.resize(clientWidth, clientHeight);
    this.ask(true);
  }

  close() {
    this.isClosed = true;
    this.sizes.disconnect();
    this.settles?.();
    this.tiles.close();
    this.view.listeners.delete(this.moves);
    for (const { canvas } of [this.below, this.above]) canvas.remove();
  }

  /** @param {import("../core/colours.js").Theme} theme */
  setTheme(theme) {
    this.theme = this.look.theme = theme;
    this.ask(true);
  }

  /** @param {string} src @param {HTMLImageElement} image */
  async #loaded(src, image) {
    this.tiles.image(src, await createImageBitmap(image));
    this.ask(true);
  }

  #moved() {
    if (this.view.scale !== this.lastScale) {
      [this.lastScale, this.zoomedAt] = [this.view.scale, this.clock.now()];
      this.settles?.();
      const stop = this.clock.after(SETTLED, () => this.ask(true));
      this.settles = typeof stop === "function" ? stop : undefined;
    }
    this.ask(true);
  }

  /** Asks for a frame; `still`: of both canvases. */
  ask(isStill = true) {
    this.isStill ||= isStill;
    if (this.isAsked || this.isClosed) return;
    this.isAsked = true;
    this.clock.frame(() => this.#frame());
  }

  /** Where the scene lies on the canvases: whole device pixels, so that tiles fit together without seams. */
  get frame() {
    const { width, height } = this.below.canvas;
    const scale = this.view.scale * this.ratio;
    return {
      scale, width, height,
      x: Math.round(width / 2 - this.view.x * scale), y: Math.round(height / 2 - this.view.y * scale),
    };
  }

  #frame() {
    this.isAsked = false;
    if (this.isClosed) return;
    if ((globalThis.devicePixelRatio || 1) !== this.ratio) this.fit();
    this.before();
    const { frame } = this;
    if (this.isStill) this.#drawBelow(frame);
    this.isStill = false;
    const ctx = this.above;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, frame.width, frame.height);
    ctx.setTransform(frame.scale, 0, 0, frame.scale, frame.x, frame.y);
    if (this.live(ctx)) this.ask(false);
  }

  /** @param {import("../core/tiles.js").Frame} frame */
  #drawBelow(frame) {
    const ctx = this.below;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, frame.width, frame.height);
    const isSettled = this.clock.now() - this.zoomedAt >= SETTLED;
    const asks = isSettled ? frame.scale : this.ratio * 2 ** Math.round(Math.log2(this.view.scale));
    this.tiles.draw(ctx, frame, this.theme, asks);
    // Paper and dots go under what is there already.
    ctx.globalCompositeOperation = "destination-over";
    if (this.hasDots) this.#drawDots(ctx, frame);
    ctx.fillStyle = PAPER[this.theme];
    ctx.fillRect(0, 0, frame.width, frame.height);
    ctx.globalCompositeOperation = "source-over";
  }

  /** @param {CanvasRenderingContext2D} ctx @param {import("../core/tiles.js").Frame} frame */
  #drawDots(ctx, frame) {
    const gap = DOTS * this.ratio * 2 ** (Math.log2(this.view.scale) - Math.round(Math.log2(this.view.scale)));
    const size = Math.max(Math.round(this.ratio * 1.6), 1);
    ctx.fillStyle = this.theme === "dark" ? "#2c343d" : "#dfe4ea";
    ctx.beginPath();
    for (let y = ((frame.y % gap) + gap) % gap; y < frame.height; y += gap) {
      for (let x = ((frame.x % gap) + gap) % gap; x < frame.width; x += gap) {
        ctx.rect(Math.round(x), Math.round(y), size, size);
      }
    }
    ctx.fill();
  }

  // An element's display list, made once.
  /** @param {Element} element */
  marksOf(element) {
    let marks = this.marks.get(element);
    if (!marks) this.marks.set(element, (marks = marksOf(element)));
    return marks;
  }

  /** @param {CanvasRenderingContext2D} ctx @param {Element} element */
  paint(ctx, element) {
    paint(ctx, this.marksOf(element), this.look);
  }

  // Is a box on the screen at all?
  /** @param {import("../core/geom.js").Box} box */
  sees(box) { return touches(this.view.seen, box); }

  /** @param {string} hex */
  colour(hex) { return shown(hex, this.theme); }
}
