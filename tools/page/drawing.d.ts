// Types of drawing that many files of the page use: core/ (geometry, display lists, tiles) and board/ (hands, edits).
// Pixels of the scene where nothing else is said; y grows downwards.

type Spot = { x: number; y: number };
/** An upright rectangle. */
type Box = { left: number; top: number; right: number; bottom: number };
/** Takes (x, y) to (a x + c y + e, b x + d y + f). */
type Transform = [number, number, number, number, number, number];
/** A piece of an outline, by SVG's letter, and the places that it names. */
type PathStep = { op: "M" | "L" | "Q" | "C" | "Z"; at: Spot[] };
type Path = PathStep[];
type Theme = "light" | "dark";

/** Differences to the point before, as docs/PROTOCOL.md has segments; `read` gives them without keeping them. */
type Steps = { dx: ArrayLike<number>; dy: ArrayLike<number>; dt: ArrayLike<number>; dp?: ArrayLike<number> };
type Segment = (Steps & { read?: undefined }) | { read(): Steps };
type Begin = { scene: number; unit: number; tool: string; colour: number[]; opacity: number; width: number };
type Stroke = { begin: Begin; ended: boolean; segments: readonly Segment[]; points?: number };
/** Time in ms; pressure 0 to 1, missing where the pen told none. */
type Sample = { x: number; y: number; time: number; pressure?: number };
/** An element as the model keeps it: a value that is replaced, never changed. */
type Thing = {
  id: string; member: number; number: number; place: number; scene: number;
  stroke?: Stroke; shape?: Record<string, any>; set?: Record<string, any>; copy?: boolean; buried?: boolean;
};

/** Of a line that is drawn; `closest`: how far apart points have to be to count, for pictures made smaller. */
type StrokeLook = { width: number; colour: string; opacity: number; closest?: number };
/** One act of drawing (docs/DRAWING.md), at full precision. */
type Mark = FillMark | LineMark | TextMark | ImageMark;
type FillMark = { op: "fill"; path: Path; colour: string; opacity: number };
type LineMark = { op: "line"; path: Path; width: number; dash?: number[]; colour: string; opacity: number };
type TextMark = {
  op: "text"; lines: string[]; x: number; y: number; size: number; bold?: boolean; italic?: boolean;
  underline?: boolean; lineThrough?: boolean; align?: string; colour: string; opacity: number; place?: Transform;
};
type ImageMark = {
  op: "image"; src: string; x: number; y: number; width: number; height: number; opacity: number; place?: Transform;
};
type Look = { theme: Theme; image(src: string): CanvasImageSource | undefined };
type Ink = CanvasRenderingContext2D;

/** An element on a shelf: with its order key, and a box that holds all that it draws. */
type Entry = { element: Thing; key: string; box: Box };
/** A scene on a canvas: device pixels that one of the scene takes, and where the scene's origin lies. */
type Frame = { scale: number; x: number; y: number; width: number; height: number };
/** One of the squares that a scene is cut into at a scale. */
type Place = { scale: number; column: number; row: number };
/** `version`: of the elements that it shows; without a bitmap nothing is on it. */
type Tile = Place & { age: number; version: number; bitmap?: ImageBitmap };
/** How much of what lies in a tile is drawn. */
type TileWork = Place & { box: Box; ctx?: Ink; below: Entry[]; at: number; isDone: boolean };
/** Where a painter lives: `later` lets other things happen before the next slice, of so many ms. */
type PaintHost = {
  now(): number; answer(message: FromPainter, transfer?: Transferable[]): void; later?(turn: () => void): void;
  slice?: number;
};
/** To a painter: elements that are drawn for good, as plain values; what is looked at now, where another age has nothing
 * of the one before; a picture that was missing; another scene, forget everything. */
type ToPainter = { do: "put"; version: number; elements: any[]; gone: string[] } | { do: "reset" }
  | { do: "see"; age: number; theme: Theme; frame: Frame } | { do: "image"; src: string; image: CanvasImageSource };
/** When something on a tile in sight changed; keys of tiles it looks after no longer; the address of a picture. */
type FromPainter = { tile?: Tile; gone?: string[]; missing?: string };
/** Who shows tiles; `isLocal`: without a worker. */
type TilesHost = { clock: Clock; isLocal?: boolean; onTile(): void; onMissing(src: string): void };
/** `before`: called once a frame, first; `live`: draws above the tiles, and gives whether it wants another frame;
 *  `onImage`: one that was waited for is there. */
type StageParts = {
  root: HTMLElement; view: import("../../Sources/BoardroomServer/Web/Page/core/view.js").View; clock: Clock; theme: Theme;
  isLocal?: boolean; before(): void; live(ctx: Ink): boolean; onImage(): void;
};
/** `onTurned`: another page is about to be shown; `read`: gives the display list of an element. */
type FeedParts = {
  source: Source; tiles: import("../../Sources/BoardroomServer/Web/Page/core/tiles.js").Tiles; clock: { now(): number };
  onChanged(): void; onTurned(): void; read(element: Thing): Mark[];
};
/** The scene's place in the middle of the screen; screen pixels that one of the scene takes. */
type Camera = { x: number; y: number; scale: number };
type Clock = {
  now(): number; after(ms: number, run: () => void): () => void; frame(run: (now: number) => void): () => void;
};

/** What a board paints: core/overlay.js, or a replay's. `ppt`: of a scene; without it that of the session's state. */
type Source = {
  scene: number; elements(scene: number): Iterable<Thing>; element(id: string): Thing | undefined;
  onChanged(listener: (ids: any) => void): () => void; ppt?(scene: number): any;
};
/** What a board uses of core/session.js. */
type Session = {
  member: number | null; writable: boolean; nextElement(): string; limits?: any; state?: any;
  send(name: string, body: any): Promise<any>;
};
/** Where a hand is: `at` on the scene, `screen` in CSS pixels of the board. */
type Point = {
  at: Spot; screen: Spot; time: number; type: string; pressure?: number; shift: boolean; alt: boolean;
};
/** From pen down to pen up; `length`: of the way between both in pixels of the screen. */
type Drag = { from: Point; to: Point; length: number; hasMoved: boolean };
/** What a tool does with a hand; the board is drawn anew after each. `up`: as it was meant; `cancel`: it was not;
 *  `end`: after either. `twice`: a double click or tap, after the second one's `end`. `keeps`: what is under way is worth
 *  keeping when the page is turned under the hand. `draw`: what is under way; true: it wants another frame. */
type Tool = {
  cursor: string; down?(point: Point): void; move?(points: Point[], predicted: Point[], drag: Drag): void;
  up?(drag: Drag): void; cancel?(): void; end?(): void; hover?(point?: Point): void;
  twice?(point: Point): void; keeps?: boolean; draw?(ctx: Ink, drag?: Drag): boolean | void;
};
type ToolMaker = (board: Board, name: string) => Tool;
type Board = import("../../Sources/BoardroomServer/Web/Page/board/board.js").Board;
/** `session`: without one the board is looked at only; `words`: the page's, for screen readers. */
type BoardParts = {
  root: HTMLElement; source: Source; session?: Session; clock: Clock; theme?: Theme; words?: { text: string };
  view?: import("../../Sources/BoardroomServer/Web/Page/core/view.js").View; isLocal?: boolean;
};
/** What hands draw with: `colour`, `fill`, `width`…, or some of it. */
type Style = Record<string, any>;
type OrderStep = "front" | "forward" | "backward" | "back";
type Change = { id: string; set: Record<string, any> };
/** What board/edits.js makes of elements. `side`: -1, 0 or 1 from the middle of the box; `angle`: radians; `all`: in
 *  drawing order; `limit`: of the JSON of a part, in bytes. */
type Edits = {
  moves(elements: Thing[], x: number, y: number): Change[]; turns(elements: Thing[], angle: number, at: Spot): Change[];
  stretches(elements: Thing[], from: Box, to: Box): Change[];
  stretched(box: Box, side: Spot, drag: Pick<Drag, "from" | "to">, keepsShape: boolean): Box;
  changed(element: Thing, change: Style): Thing; restyle(element: Thing, style: Style): Style;
  orders(all: Entry[], ids: Set<string>, where: OrderStep): Change[];
  copies(elements: Thing[], where: { newId(): string; scene: number; x: number; y: number }): ElementCopy[];
  portions(items: any[], limit: number): any[][];
};
type ElementCopy = Change & { from: string; scene: number };
/** `change`: what it does to what is selected, when a hand has dragged it. */
type Handle = { at: Spot; cursor: string; isRound: boolean; change(drag: Drag): Change[] };
/** Somebody else in the room. `colour`: of CSS, white letters can be read on it. */
type Other = {
  number: number; name: string; colour: string; pointer?: { scene: number; unit: number; x: number; y: number };
  isPointing?: boolean; hasRaised?: boolean; isAway?: boolean;
};
/** How somebody else's place is shown: it is on its way `to` a place `since` then. */
type Cursor = {
  root: HTMLElement; at: Spot; to: Spot; since: number; other: Other;
  trail: import("../../Sources/BoardroomServer/Web/Page/board/trail.js").Trail;
};
/** A pen's stroke under way. `points`: filtered, on the scene; so many of them are `told`. */
type PenLine = {
  id: string; begin: Begin; points: Sample[]; told: number;
  steps: import("../../Sources/BoardroomServer/Web/Page/core/smooth.js").StepWriter;
};
/** What a selecting hand holds: a handle, what is selected, or a corner of a marquee; what was selected `before`. */
type Held = { before: string[]; hit?: Thing; wasHit: boolean; handle?: Handle; isMarquee: boolean };
/** What is to be written: an element, or one that is not there yet. */
type Written = { shape?: Record<string, any>; set?: Record<string, any> };
/** A text that is being written: puts its field where the element is, draws its paper, ends. */
type Editor = { place(): void; draw(ctx: Ink): void; finish(): void };
/** What a key does; false: nothing, so that it is the browser's. */
type KeyAction = (board: Board) => boolean | void;
/** Of an element's events; `gesturestart` is Safari's. */
type Listeners = { [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => void }
  & { gesturestart(event: Event): void };
