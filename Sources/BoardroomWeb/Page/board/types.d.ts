// Types of the board. Lengths are in pixels of the scene unless another unit is named.

type Board = import("./board.js").Board;

/** `session`: without one the board cannot be written on; `words`: names for screen readers. */
type BoardParts = {
  root: HTMLElement;
  source: Source;
  session?: Session;
  clock: Clock;
  theme?: Theme;
  words?: { text: string };
  view?: import("../render/view.js").View;
  isLocal?: boolean;
};

/**
 * `beforeFrame`: called at the beginning of each frame; `drawAbove`: draws above the tiles, and
 * returns whether another frame is needed; `onImage`: a missing image has been loaded.
 */
type StageParts = {
  root: HTMLElement;
  view: import("../render/view.js").View;
  clock: Clock;
  theme: Theme;
  isLocal?: boolean;
  beforeFrame(): void;
  drawAbove(ctx: Ink): boolean;
  onImage(): void;
};

/**
 * `onSceneChange`: another scene is about to be shown; `marksOf`: the display list of an element.
 */
type ContentParts = {
  source: Source;
  tiles: import("../render/tiles.js").Tiles;
  clock: { now(): number };
  onChanged(): void;
  onSceneChange(): void;
  marksOf(element: Thing): Mark[];
};

/** What a board uses of state/session.js. */
type Session = {
  member: number | null;
  writable: boolean;
  nextElement(): string;
  limits?: any;
  state?: any;
  send(name: string, body: any): Promise<any>;
};

/** Where a pointer is: `at` on the scene, `screen` in CSS pixels of the board. */
type Point = {
  at: Spot;
  screen: Spot;
  time: number;
  type: string;
  pressure?: number;
  shift: boolean;
  alt: boolean;
};

/** From pointer down to pointer up; `length`: between both, in pixels of the screen. */
type Drag = { from: Point; to: Point; length: number; hasMoved: boolean };

/**
 * What a tool does with a pointer; the board is drawn after each call. `up`: the drag is complete;
 * `cancel`: it was interrupted; `end`: after either. `twice`: a double click or tap, after the
 * `end` of the second one. `keeps`: a drag is completed, not cancelled, when another scene is shown
 * meanwhile. `draw`: draws the drag; true: another frame is needed.
 */
type Tool = {
  cursor: string;
  down?(point: Point): void;
  move?(points: Point[], predicted: Point[], drag: Drag): void;
  up?(drag: Drag): void;
  cancel?(): void;
  end?(): void;
  hover?(point?: Point): void;
  twice?(point: Point): void;
  keeps?: boolean;
  draw?(ctx: Ink, drag?: Drag): boolean | void;
};

type ToolMaker = (board: Board, name: string) => Tool;

/** What tools draw with: `colour`, `fill`, `width`…, or some of it. */
type Style = Record<string, any>;

type OrderStep = "front" | "forward" | "backward" | "back";

type Change = { id: string; set: Record<string, any> };

type ElementCopy = Change & { from: string; scene: number };

/** `change`: what dragging the handle does to the selected elements. */
type Handle = { at: Spot; cursor: string; isRound: boolean; change(drag: Drag): Change[] };

/** The cursor of another member: it moves from `at` to `to`, and began at `since`. */
type Cursor = {
  root: HTMLElement;
  at: Spot;
  to: Spot;
  since: number;
  other: Other;
  trail: import("./trail.js").Trail;
};

/**
 * A stroke that is being drawn. `points`: filtered, on the scene; the first `sent` of them were
 * sent.
 */
type PenLine = {
  id: string;
  begin: Begin;
  points: Sample[];
  sent: number;
  steps: import("../render/smooth.js").StepWriter;
};

/**
 * What is being dragged by the select tool: a handle, the selected elements, or a corner of a
 * marquee; what was selected `before`.
 */
type Held = { before: string[]; hit?: Thing; wasHit: boolean; handle?: Handle; isMarquee: boolean };

/** The element whose text is edited, or one that does not exist yet. */
type Written = { shape?: Record<string, any>; set?: Record<string, any> };

/** The editor of a text: places its field over the element, draws its background, ends. */
type Editor = { place(): void; draw(ctx: Ink): void; finish(): void };

/** What a key does; false: nothing, so that the browser handles it. */
type KeyAction = (board: Board) => boolean | void;

/** Listeners of an element; `gesturestart` is Safari's. */
type Listeners = {
  [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => void;
} & { gesturestart(event: Event): void };
