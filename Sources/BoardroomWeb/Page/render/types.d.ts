// Geometry, display lists and tiles. Pixels of the scene where nothing else is said; y grows
// downwards.

type Spot = { x: number; y: number };

/** An upright rectangle. */
type Box = { left: number; top: number; right: number; bottom: number };

/** Takes (x, y) to (a x + c y + e, b x + d y + f). */
type Transform = [number, number, number, number, number, number];

/** A piece of an outline, by SVG's letter, and the places that it names. */
type PathStep = { op: "M" | "L" | "Q" | "C" | "Z"; at: Spot[] };

type Path = PathStep[];

type Theme = "light" | "dark";

/**
 * Differences to the point before, as docs/PROTOCOL.md has segments; `read` gives them without
 * keeping them.
 */
type Steps = {
  dx: ArrayLike<number>;
  dy: ArrayLike<number>;
  dt: ArrayLike<number>;
  dp?: ArrayLike<number>;
};

type Segment = (Steps & { read?: undefined }) | { read(): Steps };

type Stroke = { begin: Begin; ended: boolean; segments: readonly Segment[]; points?: number };

/** Time in ms; pressure 0 to 1, missing where the pen told none. */
type Sample = { x: number; y: number; time: number; pressure?: number };

/** An element of the state: a value that is replaced, never changed. */
type Thing = {
  id: string;
  member: number;
  number: number;
  place: number;
  scene: number;
  stroke?: Stroke;
  shape?: Record<string, any>;
  set?: Record<string, any>;
  copy?: boolean;
  buried?: boolean;
};

/**
 * Of a line that is drawn; `closest`: how far apart points have to be to count, for pictures made
 * smaller.
 */
type StrokeLook = { width: number; colour: string; opacity: number; closest?: number };

/**
 * One act of drawing (docs/DRAWING.md), at full precision. `isFixed`: its colour is
 * the same on a dark board.
 */
type Mark = FillMark | LineMark | TextMark | ImageMark;

type FillMark = { op: "fill"; path: Path; colour: string; opacity: number; isFixed?: boolean };

type LineMark = {
  op: "line";
  path: Path;
  width: number;
  dash?: number[];
  colour: string;
  opacity: number;
  isFixed?: boolean;
};

type TextMark = {
  op: "text";
  lines: string[];
  x: number;
  y: number;
  size: number;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  lineThrough?: boolean;
  align?: string;
  colour: string;
  opacity: number;
  isFixed?: boolean;
  place?: Transform;
};

type ImageMark = {
  op: "image";
  src: string;
  x: number;
  y: number;
  width: number;
  height: number;
  opacity: number;
  place?: Transform;
};

type Look = { theme: Theme; image(src: string): CanvasImageSource | undefined };

type Ink = CanvasRenderingContext2D;

/**
 * An entry of the element index: an element with its order key, and a box around all that it draws.
 */
type Entry = { element: Thing; key: string; box: Box };

/**
 * A scene on a canvas: device pixels that one of the scene takes, and where the scene's origin
 * lies.
 */
type Frame = { scale: number; x: number; y: number; width: number; height: number };

/** One of the squares that a scene is cut into at a scale. */
type Place = { scale: number; column: number; row: number };

/** `version`: of the elements that it shows; without a bitmap nothing is on it. */
type Tile = Place & { age: number; version: number; bitmap?: ImageBitmap };

/**
 * To a painter: finished elements, as plain values, of which `more` come; what is in sight now,
 * where tiles of another age are not used; a picture that was missing; `reset`: another scene is
 * shown; `move`: another painter has these elements from here on, or all except some; `end`: it is
 * not needed any more.
 */
type ToPainter = { painter?: number } & (
  | { do: "put"; version: number; elements: any[]; gone: string[]; more?: boolean }
  | { do: "reset" }
  | { do: "see"; age: number; theme: Theme; frame: Frame }
  | { do: "image"; src: string; image: CanvasImageSource }
  | { do: "move"; to: number; version: number; ids?: string[]; except?: string[] }
  | { do: "end" }
);

/**
 * A tile that has changed; keys of tiles that the painter has forgotten; the address of a missing
 * picture; the version that all that is in sight has by now.
 */
type FromPainter = {
  painter?: number;
  tile?: Tile;
  gone?: string[];
  missing?: string;
  drawn?: number;
};

/** The scene's place in the middle of the screen; screen pixels that one of the scene takes. */
type Camera = { x: number; y: number; scale: number };

/**
 * The source of a board: state/overlay.js, or a replay. `ppt`: of a scene; without it that of the
 * session's state.
 */
type Source = {
  scene: number;
  elements(scene: number): Iterable<Thing>;
  element(id: string): Thing | undefined;
  onChanged(listener: (ids: any) => void): () => void;
  ppt?(scene: number): any;
};
