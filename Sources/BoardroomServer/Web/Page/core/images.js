// Pictures that elements show, loaded once each. They are asked for without credentials and only drawn if their server
// allows it: a canvas that drew any other could not be exported.

export class Images {
  /** @param {(src: string, image: HTMLImageElement) => void} onLoaded */
  constructor(onLoaded) {
    this.onLoaded = onLoaded;
    // Missing: never asked for; undefined: on its way, or it cannot be had.
    /** @type {Map<string, HTMLImageElement | undefined>} */
    this.known = new Map();
  }

  // The picture, if it is there; else it is asked for.
  /** @param {string} src */
  get(src) {
    if (!this.known.has(src)) this.#load(src);
    return this.known.get(src);
  }

  // Resolves when all of these have come or failed.
  /** @param {Iterable<string>} sources */
  async all(sources) {
    await Promise.all([...sources].map((src) => this.known.get(src) ?? this.#load(src)));
  }

  /** @param {string} src */
  async #load(src) {
    this.known.set(src, undefined);
    const image = new Image();
    image.crossOrigin = "anonymous";
    image.referrerPolicy = "no-referrer";
    image.src = src;
    try {
      await image.decode();
    } catch {
      // The frame with a cross goes on standing in its place: that is how docs/DRAWING.md shows what cannot be had.
      return;
    }
    this.known.set(src, image);
    this.onLoaded(src, image);
  }
}
