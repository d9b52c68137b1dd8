// What browsers have and the DOM library of Debian's TypeScript (4.8) does not know.

declare class OffscreenCanvas extends EventTarget {
  constructor(width: number, height: number);
  width: number;
  height: number;
  /** What the page draws with is the same on both kinds of canvases. */
  getContext(kind: "2d"): CanvasRenderingContext2D;
  transferToImageBitmap(): ImageBitmap;
  convertToBlob(options?: { type?: string; quality?: number }): Promise<Blob>;
}

interface CanvasTextDrawingStyles {
  textRendering: "auto" | "optimizeSpeed" | "optimizeLegibility" | "geometricPrecision";
}
