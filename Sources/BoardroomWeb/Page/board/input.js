// Pointers, wheel and fingers, for the active tool. The hand tool, two fingers, the middle button
// and the space bar move the view; once a pen was used, one finger moves it, too (palm rejection).
// A tap of two fingers is undo, one of three is redo.
import { clamp, distance, minus } from "../render/geom.js";
import { FingerTaps } from "./finger-taps.js";
import { READING } from "./tools/index.js";

/** Ms between two taps that are a double tap, if they are near each other. */
const DOUBLE_TIME = 400;

/** Pixels of the screen between them, at most. */
const DOUBLE_DISTANCE = 8;

/** A pointer that moves by fewer pixels of the screen has not moved. */
const LEAST_MOVE = 3;

/** Ms that a finger stays down until the menu opens. */
const LONG_PRESS = 500;

/** Ms between positions of the own pointer: 20 a second. */
const POINTER_PERIOD = 50;

/** The own pointer's position is sent in steps of 2 ** POINTER_UNIT pixels. */
const POINTER_UNIT = -2;

/** Pixels of the screen at the edge in which a drag moves the view. */
const EDGE = 24;

/** Pixels of the screen a ms, at the very edge. */
const EDGE_SPEED = 1;

/** Ms of a frame, at most: after a longer one the view does not jump. */
const LONGEST_STEP = 50;

/** Pixels of one unit of a wheel event, by `deltaMode`. */
const WHEEL_STEPS = [1, 18, 400];

/**
 * Factors of zooming. One step of a mouse wheel is 100 to 120 pixels; a pinch on a trackpad sends a
 * few pixels at a time.
 */
const ZOOM_RATES = { notch: 0.0022, pinch: 0.009, fewest: 40, most: 120 };

export class Input {
  /** @type {Drag | undefined} the movement since the tool was put down */
  drag = undefined;

  /**
   * The pointer that the tool follows, or that moves the view.
   * @type {{id: number, type: string, at: Spot, from: Spot} | undefined}
   */
  #followed = undefined;

  /** @type {Map<number, Spot>} positions of the fingers that are down */
  #fingers = new Map();

  #taps = new FingerTaps();

  /** @type {string[]} what was selected when the first finger went down */
  #selected = [];

  /** The last tap; `isSecond`: of a double one. */
  #tap = { time: -Infinity, at: { x: 0, y: 0 }, isSecond: false };

  #usesPen = false;

  /** When the position of the own pointer was last sent. */
  #pointerSentAt = -Infinity;

  #stopSending = () => {};
  #stopAwaiting = () => {};
  #isScrolling = false;

  #ending = new AbortController();

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    const how = { passive: false, signal: this.#ending.signal };
    const listeners = Object.entries(this.#listeners());
    for (const [name, hear] of listeners) {
      board.root.addEventListener(name, /** @type {EventListener} */ (hear), how);
    }
  }

  close() {
    this.#ending.abort();
    this.#stopSending();
    this.#stopAwaiting();
  }

  /** Ends what the active tool is doing. `isMeant`: its result stays. */
  release(isMeant = false) {
    const { board, drag } = this;
    const { activeTool } = board;
    this.#followed = undefined;
    this.drag = undefined;
    if (drag) {
      if (isMeant) activeTool.up?.(drag);
      else activeTool.cancel?.();
      activeTool.end?.();
    }
    board.setCursor();
    board.refresh();
  }

  /** @returns {Listeners} */
  #listeners() {
    const keep = (/** @type {Event} */ event) => this.#preventDefault(event);
    const up = (/** @type {PointerEvent} */ event) => this.#up(event);
    return {
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: up,
      pointercancel: up,
      pointerleave: () => this.#hover(undefined),
      dblclick: (event) => {
        if (this.#isOwn(event) && event.button === 0) this.#openAt(this.#pointOf(event));
      },
      wheel: (event) => this.#wheel(event),
      mousedown: (event) => {
        // Prevents scrolling by the middle button, and that an open text field loses the focus.
        if (event.button === 1 || this.board.editor) keep(event);
      },
      // Prevents Safari's own zooming.
      gesturestart: keep,
      touchstart: keep,
      contextmenu: (event) => this.#askForMenu(event),
      dragstart: keep,
    };
  }

  /**
   * The right button asks for the menu. A finger that stays down does so by itself, in every browser
   * after the same time.
   * @param {MouseEvent} event
   */
  #askForMenu(event) {
    if (!this.#isOwn(event)) return;
    event.preventDefault();
    const { pointerType } = /** @type {Partial<PointerEvent>} */ (event);
    // The menu key tells no place: the page hears of it by itself.
    if (pointerType === "touch" || pointerType === "" || this.drag?.hasMoved) return;
    this.release();
    this.board.onMenu(this.#pointOf(event));
  }

  /**
   * Waits whether a finger stays where it is.
   * @param {Point} point where it went down
   */
  #awaitMenu(point) {
    const { board } = this;
    this.#stopAwaiting();
    // A pen, an eraser or a laser may stay at one place.
    if (point.type !== "touch" || !READING.includes(board.tool)) return;
    this.#stopAwaiting = board.clock.after(LONG_PRESS, () => {
      if (this.drag?.hasMoved || this.#fingers.size !== 1) return;
      this.release();
      board.onMenu(point);
    });
  }

  /**
   * Whether an event is for the board, and not for a text field over it.
   * @param {Event} event
   */
  #isOwn({ target }) {
    return target === this.board.root || target instanceof HTMLCanvasElement;
  }

  /**
   * Prevents what the browser would do with an event.
   * @param {Event} event
   */
  #preventDefault(event) {
    if (this.#isOwn(event)) event.preventDefault();
  }

  /**
   * @param {MouseEvent} event
   * @returns {Spot} in CSS pixels of the board
   */
  #screenOf({ clientX, clientY }) {
    const { left, top } = this.board.root.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /**
   * @param {PointerEvent | MouseEvent} event
   * @returns {Point}
   */
  #pointOf(event) {
    const screen = this.#screenOf(event);
    const type = ("pointerType" in event && event.pointerType) || "mouse";
    return {
      screen,
      at: this.board.view.toScene(screen),
      time: event.timeStamp,
      type,
      shift: event.shiftKey,
      alt: event.altKey,
      ctrl: event.ctrlKey || event.metaKey,
      pressure: "pressure" in event && type === "pen" ? event.pressure : undefined,
    };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.#isOwn(event)) return;
    const { board } = this;
    const { pointerType: type, pointerId: id, button } = event;
    const at = this.#screenOf(event);
    // While a pen draws, a touch is the hand that holds it.
    if (type === "touch" && this.#followed?.type === "pen") return;
    if (type === "pen") this.#usesPen = true;
    // An event that a script has made has no pointer to capture.
    if (event.isTrusted) board.root.setPointerCapture(id);
    if (type === "touch") this.#addFinger(event, at);
    if (this.#fingers.size > 1) return this.#leaveToFingers();
    if (board.onPress(event)) return this.#taps.spoil();
    const draws = button === 0 && !this.#movesPaper(type);
    if (this.#followed || button > 1 || (draws && !board.mayUse(board.tool))) return;
    board.editor?.finish();
    if (board.editor) return board.editor.focus();
    this.#followed = { id, type, at, from: at };
    this.#awaitMenu(this.#pointOf(event));
    if (!draws) return board.setCursor("grabbing");
    this.#noteTap(event, at);
    this.#begin(this.#pointOf(event));
  }

  /**
   * @param {PointerEvent} event
   * @param {Spot} at
   */
  #addFinger({ pointerId: id, timeStamp: time }, at) {
    const { board } = this;
    if (this.#fingers.size === 0) this.#selected = board.selection;
    this.#fingers.set(id, at);
    this.#taps.down(id, at, time);
    // The finger ends the text that is open: that is not to be taken back at once.
    if (board.editor) this.#taps.spoil();
  }

  /** A second finger is down: what the first one began is not a drawing, and selects nothing. */
  #leaveToFingers() {
    const { board } = this;
    this.#stopAwaiting();
    this.#tap.time = -Infinity;
    this.release();
    if (board.tool === "select") board.select(this.#selected);
  }

  /** @param {number} fingers that have tapped */
  #afterTap(fingers) {
    const { board } = this;
    if (!board.canWrite) return;
    if (fingers === 2) board.undo();
    if (fingers === 3) board.redo();
  }

  /** @param {string} type of a pointer whose main button is down */
  #movesPaper(type) {
    const { board } = this;
    const isPalm = type === "touch" && this.#usesPen;
    return board.keys.isHolding || board.tool === "hand" || isPalm;
  }

  /**
   * Notes a tap, to recognise double taps. For a mouse the browser reports double clicks
   * (dblclick), by the speed that its user has set.
   * @param {PointerEvent} event
   * @param {Spot} at
   */
  #noteTap({ pointerType: type, timeStamp: time }, at) {
    const before = this.#tap;
    const isNear = distance(at, before.at) < DOUBLE_DISTANCE;
    const isSoon = time - before.time < DOUBLE_TIME;
    const isSecond = isNear && isSoon && !before.isSecond && type !== "mouse";
    this.#tap = { time, at, isSecond };
  }

  /** @param {Point} point where the tool begins */
  #begin(point) {
    const { board } = this;
    this.drag = { from: point, to: point, length: 0, hasMoved: false };
    this.#sendPointer(point);
    board.activeTool.down?.(point);
    board.refresh();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const now = this.#screenOf(event);
    this.#taps.move(event.pointerId, now);
    if (this.#fingers.size > 1) return this.#pinch(event.pointerId, now);
    const led = this.#followed;
    if (!led && event.pointerType !== "touch") return this.#hover(this.#pointOf(event));
    if (!led || event.pointerId !== led.id) return;
    const { x, y } = minus(now, led.at);
    led.at = now;
    if (distance(now, led.from) >= LEAST_MOVE) this.#stopAwaiting();
    if (this.drag) this.#draw(event, this.drag);
    else this.board.moveView(() => this.board.view.panBy(x, y));
  }

  /**
   * @param {PointerEvent} event
   * @param {Drag} drag
   */
  #draw(event, drag) {
    const { board } = this;
    // Coalesced events are missing on plain HTTP: then the event itself is all there is.
    const coalesced = event.getCoalescedEvents?.() ?? [];
    const events = coalesced.length > 0 ? coalesced : [event];
    const points = events.map((one) => this.#pointOf(one));
    const predicted = (event.getPredictedEvents?.() ?? []).map((one) => this.#pointOf(one));
    // Also of tools that have no `move`, which draw the drag.
    const now = this.#dragTo(drag, points[points.length - 1]);
    board.activeTool.move?.(points, predicted, now);
    board.refresh();
    this.#scrollAtEdge();
  }

  /** While a drag stays near the edge, the view moves on, and the drag with it. */
  #scrollAtEdge() {
    const { board } = this;
    const { view, clock } = board;
    const isMeant = board.activeTool.scrolls && this.drag?.hasMoved;
    if (this.#isScrolling || !this.drag || !isMeant || !edgeSpeed(this.drag.to.screen, view))
      return;
    this.#isScrolling = true;
    let last = clock.now();
    const step = () => {
      const { drag } = this;
      const speed = drag && board.activeTool.scrolls ? edgeSpeed(drag.to.screen, view) : undefined;
      this.#isScrolling = speed !== undefined;
      if (!drag || !speed) return;
      const now = clock.now();
      const time = Math.min(now - last, LONGEST_STEP);
      last = now;
      board.moveView(() => view.panBy(-speed.x * time, -speed.y * time));
      const to = { ...drag.to, at: view.toScene(drag.to.screen) };
      board.activeTool.move?.([to], [], this.#dragTo(drag, to));
      board.refresh();
      clock.frame(step);
    };
    clock.frame(step);
  }

  /**
   * @param {Drag} drag
   * @param {Point} to
   */
  #dragTo({ from, hasMoved }, to) {
    const length = distance(from.screen, to.screen);
    const drag = { from, to, length, hasMoved: hasMoved || length >= LEAST_MOVE };
    this.#sendPointer(to);
    this.drag = drag;
    return drag;
  }

  /**
   * @param {number} id of a finger that has moved
   * @param {Spot} now
   */
  #pinch(id, now) {
    const { board } = this;
    // Fingers that tap move nothing; if it becomes a pinch, it begins where they went down.
    if (this.#taps.isTap) return;
    const old = this.#fingers.get(id);
    const other = [...this.#fingers].find(([one]) => one !== id)?.[1];
    if (!old || !other) return;
    this.#fingers.set(id, now);
    board.moveView(() => board.view.pinch([old, other], [now, other]));
  }

  /** @param {Point | undefined} point undefined: the pointer has left */
  #hover(point) {
    const { activeTool } = this.board;
    if (point) this.#sendPointer(point);
    activeTool.hover?.(point);
    if (activeTool.hover) this.board.refresh();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    const isMeant = event.type === "pointerup";
    this.#fingers.delete(event.pointerId);
    this.#stopAwaiting();
    this.#afterTap(this.#taps.up(event.pointerId, event.timeStamp, isMeant));
    if (event.pointerId !== this.#followed?.id) return;
    const drag = this.drag && this.#dragTo(this.drag, this.#pointOf(event));
    const opens = drag !== undefined && !drag.hasMoved && this.#tap.isSecond && isMeant;
    this.release(isMeant);
    if (opens) this.#openAt(this.#pointOf(event));
  }

  /**
   * Opens the text at a point, after the pointer went up: a mouse that goes down moves the focus.
   * @param {Point} point
   */
  #openAt(point) {
    const { board } = this;
    if (this.#followed || board.editor || board.keys.isHolding || !board.mayUse(board.tool)) return;
    board.activeTool.twice?.(point);
  }

  /**
   * Sends the position of the own pointer, at most every POINTER_PERIOD; the last position always.
   * @param {Point} point
   */
  #sendPointer({ at }) {
    const { board } = this;
    const { clock } = board;
    this.#stopSending();
    if (!board.canWrite) return;
    this.#stopSending = clock.after(this.#pointerSentAt + POINTER_PERIOD - clock.now(), () => {
      this.#pointerSentAt = clock.now();
      const x = Math.round(at.x / 2 ** POINTER_UNIT);
      const y = Math.round(at.y / 2 ** POINTER_UNIT);
      board.send("pointer", { scene: board.scene, unit: POINTER_UNIT, x, y });
    });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { board } = this;
    const { view } = board;
    const step = WHEEL_STEPS[event.deltaMode] ?? 1;
    const x = event.deltaX * step;
    const y = event.deltaY * step;
    board.moveView(() => {
      if (event.ctrlKey || event.metaKey) {
        view.zoomTo(this.#screenOf(event), view.scale * wheelZoom(y));
      } else if (event.shiftKey && x === 0) {
        view.panBy(-y, 0);
      } else {
        view.panBy(-x, -y);
      }
    });
  }
}

/**
 * @param {Spot} screen
 * @param {{width: number, height: number}} view
 * @returns {Spot | undefined} pixels a ms, the faster the nearer; none: it is not near the edge
 */
function edgeSpeed({ x, y }, { width, height }) {
  const part = (/** @type {number} */ at, /** @type {number} */ size) => {
    const near = Math.max(EDGE - at, 0) - Math.max(EDGE - (size - at), 0);
    return -clamp(near / EDGE, -1, 1) * EDGE_SPEED;
  };
  const speed = { x: part(x, width), y: part(y, height) };
  return speed.x || speed.y ? speed : undefined;
}

/**
 * @param {number} y pixels that a wheel was turned
 * @returns the factor of the scale
 */
function wheelZoom(y) {
  const rate = Math.abs(y) < ZOOM_RATES.fewest ? ZOOM_RATES.pinch : ZOOM_RATES.notch;
  return Math.exp(-clamp(y, -ZOOM_RATES.most, ZOOM_RATES.most) * rate);
}
