// What browsers have and the DOM library of Debian's TypeScript (4.8) does not know.

interface OffscreenCanvasRenderingContext2D extends
  CanvasState, CanvasTransform, CanvasCompositing, CanvasImageSmoothing, CanvasFillStrokeStyles, CanvasShadowStyles,
  CanvasFilters, CanvasRect, CanvasDrawPath, CanvasText, CanvasDrawImage, CanvasImageData, CanvasPathDrawingStyles,
  CanvasTextDrawingStyles, CanvasPath {
  readonly canvas: OffscreenCanvas;
}

declare class OffscreenCanvas extends EventTarget {
  constructor(width: number, height: number);
  width: number;
  height: number;
  getContext(kind: "2d", options?: CanvasRenderingContext2DSettings): OffscreenCanvasRenderingContext2D | null;
  transferToImageBitmap(): ImageBitmap;
  convertToBlob(options?: { type?: string; quality?: number }): Promise<Blob>;
}

interface CanvasTextDrawingStyles {
  textRendering: "auto" | "optimizeSpeed" | "optimizeLegibility" | "geometricPrecision";
}
