// Two canvases: below, what is drawn for good (tiles), above, what is under way; once a frame, if
// changed.
import { PAPER } from "../render/colours.js";
import { marksOf } from "../render/display.js";
import { Tiles } from "../render/tiles.js";

/** A scale that has not changed for so many ms is worth tiles of its own. */
const SETTLED = 140;

/** Pixels between the paper's dots at 100 %. */
const DOTS = 24;

const DOT_COLOUR = { light: "#dfe4ea", dark: "#2c343d" };

export class Stage {
  isAsked = false;
  isStill = false;
  isZooming = false;
  ratio = 1;
  settles = () => {};
  stop = () => {};

  /** @type {WeakMap<Thing, Mark[]>} display lists, as long as their elements live */
  marks = new WeakMap();

  /** @type {Map<string, HTMLImageElement | undefined>} none: coming, or not to be had */
  images = new Map();

  /** @param {StageParts} parts */
  constructor(parts) {
    const { root, view, clock, theme, isLocal } = parts;
    this.parts = parts;
    this.lastScale = view.scale;
    this.below = this.#canvas();
    this.above = this.#canvas();
    /** @type {Look} */
    this.look = { theme, image: (src) => this.#image(src) };
    this.tiles = new Tiles({
      clock,
      isLocal,
      onTile: () => this.ask(),
      onMissing: this.look.image,
    });
    this.sizes = new ResizeObserver(() => this.#fit());
    this.sizes.observe(root);
    view.listeners.add(() => this.#moved());
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
    this.ask();
  }

  close() {
    // Nobody else's asking makes a frame any more.
    this.isAsked = true;
    for (const end of [this.stop, this.settles]) {
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
   * Done when it is there or cannot be had. Pictures are asked for without credentials, and drawn
   * if their server allows it: a canvas that drew any other could not be exported.
   * @param {string} src
   */
  async load(src) {
    if (this.images.get(src)) return;
    this.images.set(src, undefined);
    const image = new Image();
    Object.assign(image, { crossOrigin: "anonymous", referrerPolicy: "no-referrer", src });
    try {
      await image.decode();
    } catch {
      return;
    }
    this.images.set(src, image);
    this.tiles.image(src, await createImageBitmap(image));
    this.ask();
    this.parts.onImage();
  }

  #moved() {
    const { clock } = this.parts;
    const { scale } = this.parts.view;
    this.ask();
    if (scale === this.lastScale) return;
    this.lastScale = scale;
    this.isZooming = true;
    this.settles();
    this.settles = clock.after(SETTLED, () => {
      this.isZooming = false;
      this.ask();
    });
  }

  /** Asks for a frame; `isStill`: of both canvases. */
  ask(isStill = true) {
    this.isStill ||= isStill;
    if (!this.isAsked) this.stop = this.parts.clock.frame(() => this.#draw());
    this.isAsked = true;
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

  #draw() {
    this.isAsked = false;
    if (devicePixelRatio !== this.ratio) this.#fit();
    this.parts.before();
    const { frame, above } = this;
    if (this.isStill) this.#drawBelow(this.below, frame);
    this.isStill = false;
    above.setTransform(1, 0, 0, 1, 0, 0);
    above.clearRect(0, 0, frame.width, frame.height);
    above.setTransform(frame.scale, 0, 0, frame.scale, frame.x, frame.y);
    if (this.parts.live(above)) this.ask(false);
  }

  /**
   * @param {Ink} ctx
   * @param {Frame} frame
   */
  #drawBelow(ctx, frame) {
    const { ratio } = this;
    const { scale } = this.parts.view;
    const { theme } = this.look;
    ctx.clearRect(0, 0, frame.width, frame.height);
    const zoom = Math.round(Math.log2(scale));
    this.tiles.draw(ctx, frame, theme, this.isZooming ? ratio * 2 ** zoom : frame.scale);
    // Paper and dots go under what is there already.
    ctx.globalCompositeOperation = "destination-over";
    ctx.fillStyle = DOT_COLOUR[theme];
    this.#drawDots(ctx, frame, DOTS * ratio * (scale / 2 ** zoom));
    ctx.fillStyle = PAPER[theme];
    ctx.fillRect(0, 0, frame.width, frame.height);
    ctx.globalCompositeOperation = "source-over";
  }

  /**
   * @param {Ink} ctx
   * @param {Frame} frame
   * @param {number} gap device pixels between them
   */
  #drawDots(ctx, frame, gap) {
    const size = Math.max(Math.round(this.ratio * 1.6), 1);
    const left = ((frame.x % gap) + gap) % gap;
    const top = ((frame.y % gap) + gap) % gap;
    ctx.beginPath();
    for (let y = top; y < frame.height; y += gap) {
      for (let x = left; x < frame.width; x += gap) {
        ctx.rect(Math.round(x), Math.round(y), size, size);
      }
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
