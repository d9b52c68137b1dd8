// Types of the board. Lengths are in pixels of the scene unless another unit is named.

type Board = import("./board.js").Board;

/** What a board uses of state/session.js. */
type Session = {
  member: number | null;
  writable: boolean;
  nextElement(): string;
  limits?: any;
  epoch?: string;
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
  ctrl?: boolean;
};

/** From pointer down to pointer up; `length`: between both, in pixels of the screen. */
type Drag = { from: Point; to: Point; length: number; hasMoved: boolean };

/**
 * What a tool does with a pointer; the board is drawn after each call. `up`: the drag is complete;
 * `cancel`: it was interrupted; `end`: after either. `twice`: a double click or tap, after the
 * `end` of the second one. `keeps`: a drag is completed, not cancelled, when another scene is shown
 * meanwhile. `scrolls`: a drag near the edge moves the view. `draw`: draws the drag; true: another
 * frame is needed.
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
  scrolls?: boolean;
  draw?(ctx: Ink, drag?: Drag): boolean | void;
};

type ToolMaker = (board: Board, name: string) => Tool;

/** What tools draw with: `colour`, `fill`, `width`…, or some of it. */
type Style = Record<string, any>;

type OrderStep = "front" | "forward" | "backward" | "back";

type Change = { id: string; set: Record<string, any> };

/**
 * `change`: what dragging the handle does to the selected elements, `transform`: to a picture of
 * them; `side`: of the frame, -1, 0 or 1 from its middle, if it stretches;
 * `twice`: what a double click on it does.
 */
type Handle = {
  at: Spot;
  cursor: string;
  isRound: boolean;
  side?: Spot;
  keepsShape?: boolean;
  change(drag: Drag): Change[];
  transform?(drag: Drag): Transform;
  twice?(): Change[];
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

/** The editor of a text: places its field over the element, draws its background, ends. */
type Editor = {
  place(): void;
  draw(ctx: Ink): void;
  focus(): void;
  /** `isForced`: also if its text is too long to be sent. */
  finish(isForced?: boolean): void;
};

/** Listeners of an element; `gesturestart` is Safari's. */
type Listeners = {
  [name in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[name]) => void;
} & { gesturestart(event: Event): void };
