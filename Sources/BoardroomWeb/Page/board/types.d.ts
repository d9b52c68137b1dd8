// The board: hands, tools, edits. Pixels of the scene where nothing else is said.

type Board = import("./board.js").Board;

/** `session`: without one the board is looked at only; `words`: the page's, for screen readers. */
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
 * `before`: called once a frame, first; `live`: draws above the tiles, and gives whether it wants
 * another frame; `onImage`: one that was waited for is there.
 */
type StageParts = {
  root: HTMLElement;
  view: import("../render/view.js").View;
  clock: Clock;
  theme: Theme;
  isLocal?: boolean;
  before(): void;
  live(ctx: Ink): boolean;
  onImage(): void;
};

/** `onTurned`: another page is about to be shown; `read`: gives the display list of an element. */
type FeedParts = {
  source: Source;
  tiles: import("../render/tiles.js").Tiles;
  clock: { now(): number };
  onChanged(): void;
  onTurned(): void;
  read(element: Thing): Mark[];
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

/** Where a hand is: `at` on the scene, `screen` in CSS pixels of the board. */
type Point = {
  at: Spot;
  screen: Spot;
  time: number;
  type: string;
  pressure?: number;
  shift: boolean;
  alt: boolean;
};

/** From pen down to pen up; `length`: of the way between both in pixels of the screen. */
type Drag = { from: Point; to: Point; length: number; hasMoved: boolean };

/**
 * What a tool does with a hand; the board is drawn anew after each. `up`: as it was meant;
 * `cancel`: it was not; `end`: after either. `twice`: a double click or tap, after the second one's
 * `end`. `keeps`: what is under way is worth keeping when the page is turned under the hand.
 * `draw`: what is under way; true: it wants another frame.
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

/** What hands draw with: `colour`, `fill`, `width`…, or some of it. */
type Style = Record<string, any>;

type OrderStep = "front" | "forward" | "backward" | "back";

type Change = { id: string; set: Record<string, any> };

type ElementCopy = Change & { from: string; scene: number };

/** `change`: what it does to what is selected, when a hand has dragged it. */
type Handle = { at: Spot; cursor: string; isRound: boolean; change(drag: Drag): Change[] };

/** How somebody else's place is shown: it is on its way `to` a place `since` then. */
type Cursor = {
  root: HTMLElement;
  at: Spot;
  to: Spot;
  since: number;
  other: Other;
  trail: import("./trail.js").Trail;
};

/** A pen's stroke under way. `points`: filtered, on the scene; so many of them are `told`. */
type PenLine = {
  id: string;
  begin: Begin;
  points: Sample[];
  told: number;
  steps: import("../render/smooth.js").StepWriter;
};

/**
 * What a selecting hand holds: a handle, what is selected, or a corner of a marquee; what was
 * selected `before`.
 */
type Held = { before: string[]; hit?: Thing; wasHit: boolean; handle?: Handle; isMarquee: boolean };

/** What is to be written: an element, or one that is not there yet. */
type Written = { shape?: Record<string, any>; set?: Record<string, any> };

/** A text that is being written: puts its field where the element is, draws its paper, ends. */
type Editor = { place(): void; draw(ctx: Ink): void; finish(): void };

/** What a key does; false: nothing, so that it is the browser's. */
type KeyAction = (board: Board) => boolean | void;

/** Of an element's events; `gesturestart` is Safari's. */
type Listeners = {
  [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => void;
} & { gesturestart(event: Event): void };
