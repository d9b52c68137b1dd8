// Pictures that elements show, loaded once each. They are asked for without credentials and only drawn if
// their server allows it: a canvas that drew any other could not be exported. What cannot be had stays the
// frame with a cross.

export class Images {
  // Undefined: on its way, or it cannot be had.
  /** @type {Map<string, HTMLImageElement | undefined>} */
  known = new Map();

  /** @param {(src: string, image: HTMLImageElement) => void} onLoaded */
  constructor(onLoaded) {
    this.onLoaded = onLoaded;
  }

  /** @param {string} src */
  get(src) {
    if (!this.known.has(src)) this.load(src);
    return this.known.get(src);
  }

  // Done when it is there or cannot be had.
  /** @param {string} src */
  async load(src) {
    if (this.known.get(src)) return;
    this.known.set(src, undefined);
    const image = Object.assign(new Image(),
      { crossOrigin: "anonymous", referrerPolicy: "no-referrer", src });
    const isThere = await image.decode().then(() => true, () => false);
    if (!isThere) return;
    this.known.set(src, image);
    this.onLoaded(src, image);
  }
}
