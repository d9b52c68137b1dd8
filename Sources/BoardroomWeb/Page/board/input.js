// Pointers, wheel and fingers: what hands do, told to the tool in use. The hand tool, two fingers,
// the middle button and the space bar move the paper; once a pen was seen, one finger does, too
// (palm rejection).
import { clamp, distance, minus } from "../render/geom.js";

/** Two taps within so many ms are a double one, if they are near each other. */
const DOUBLE_TIME = 400;

/** So many pixels of the screen. */
const DOUBLE_DISTANCE = 8;

/** Less than so many pixels of the screen are no move. */
const STILL = 3;

/** Ms between positions of the own pointer: 20 a second. */
const POINTER_PERIOD = 50;

/** The own pointer's place goes out in steps of 2 ** POINTER_UNIT pixels. */
const POINTER_UNIT = -2;

/** What wheels count in, by `deltaMode`, in pixels. */
const WHEEL_STEPS = [1, 18, 400];

/**
 * A notch of a wheel is 100 to 120; a trackpad's pinch sends a few at a time, each meant as it is.
 */
const ZOOM = { notch: 0.0022, pinch: 0.009, fewest: 40, most: 120 };

export class Input {
  /** @type {Drag | undefined} the way of the tool so far */
  drag = undefined;

  /** @type {{id: number, at: Spot} | undefined} whom the tool follows, or who moves the paper */
  #led = undefined;

  /** @type {Map<number, Spot>} fingers that are down, and where */
  #fingers = new Map();

  /** The last tap; `isSecond`: of a double one. */
  #tap = { time: -Infinity, at: { x: 0, y: 0 }, isSecond: false };

  #usesPen = false;

  /** When the others were last told of the own pointer. */
  #told = -Infinity;

  #stopTelling = () => {};

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
    this.#stopTelling();
  }

  /** The hand's work is over, whatever it was; `isMeant`: what it did stays. */
  release(isMeant = false) {
    const { board, drag } = this;
    const { hand } = board;
    this.#led = undefined;
    this.drag = undefined;
    if (drag) {
      if (isMeant) hand.up?.(drag);
      else hand.cancel?.();
      hand.end?.();
    }
    board.setCursor();
    board.refresh();
  }

  /** @returns {Listeners} */
  #listeners() {
    const keep = (/** @type {Event} */ event) => this.#keep(event);
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
        // The middle button's own scrolling; the focus of a field that is open.
        if (event.button === 1 || this.board.editor) keep(event);
      },
      // Safari's own zooming.
      gesturestart: keep,
      touchstart: keep,
      contextmenu: keep,
      dragstart: keep,
    };
  }

  /**
   * A text that is being written is none of ours.
   * @param {Event} event
   */
  #isOwn({ target }) {
    return target === this.board.root || target instanceof HTMLCanvasElement;
  }

  /**
   * Keeps browsers from what they would do with it.
   * @param {Event} event
   */
  #keep(event) {
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
      pressure: "pressure" in event && type === "pen" ? event.pressure : undefined,
    };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.#isOwn(event)) return;
    const { board } = this;
    const { pointerType: type, pointerId: id, button } = event;
    const at = this.#screenOf(event);
    if (type === "pen") this.#usesPen = true;
    // There is none to capture if a script made the event up.
    if (event.isTrusted) board.root.setPointerCapture(id);
    if (type === "touch") this.#fingers.set(id, at);
    // The second finger: what the first began was no drawing.
    if (this.#fingers.size > 1) return this.release();
    const draws = button === 0 && !this.#movesPaper(type);
    if (this.#led || button > 1 || (draws && !board.mayUse(board.tool))) return;
    board.editor?.finish();
    this.#led = { id, at };
    if (!draws) return board.setCursor("grabbing");
    this.#noteTap(event, at);
    this.#begin(this.#pointOf(event));
  }

  /** @param {string} type of a pointer whose main button is down */
  #movesPaper(type) {
    const { board } = this;
    const isPalm = type === "touch" && this.#usesPen;
    return board.keys.isHolding || board.tool === "hand" || isPalm;
  }

  /**
   * Of a mouse the browser says that it clicked twice (dblclick): it knows how fast this hand is.
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
    this.#tell(point);
    board.hand.down?.(point);
    board.refresh();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const now = this.#screenOf(event);
    if (this.#fingers.size > 1) return this.#pinch(event.pointerId, now);
    const led = this.#led;
    if (!led && event.pointerType !== "touch") return this.#hover(this.#pointOf(event));
    if (!led || event.pointerId !== led.id) return;
    const { x, y } = minus(now, led.at);
    led.at = now;
    if (this.drag) this.#draw(event, this.drag);
    else this.board.moveView(() => this.board.view.panBy(x, y));
  }

  /**
   * @param {PointerEvent} event
   * @param {Drag} drag
   */
  #draw(event, drag) {
    const { board } = this;
    // Absent on plain HTTP: then the event itself is all there is.
    const coalesced = event.getCoalescedEvents?.() ?? [];
    const events = coalesced.length > 0 ? coalesced : [event];
    const points = events.map((one) => this.#pointOf(one));
    const predicted = (event.getPredictedEvents?.() ?? []).map((one) => this.#pointOf(one));
    board.hand.move?.(points, predicted, this.#dragTo(drag, points[points.length - 1]));
    board.refresh();
  }

  /**
   * @param {Drag} drag
   * @param {Point} to
   */
  #dragTo({ from, hasMoved }, to) {
    const length = distance(from.screen, to.screen);
    const drag = { from, to, length, hasMoved: hasMoved || length >= STILL };
    this.#tell(to);
    this.drag = drag;
    return drag;
  }

  /**
   * @param {number} id of a finger that has moved
   * @param {Spot} now
   */
  #pinch(id, now) {
    const { board } = this;
    const old = this.#fingers.get(id);
    const other = [...this.#fingers].find(([one]) => one !== id)?.[1];
    if (!old || !other) return;
    this.#fingers.set(id, now);
    board.moveView(() => board.view.pinch([old, other], [now, other]));
  }

  /** @param {Point | undefined} point none: the pointer has left */
  #hover(point) {
    const { hand } = this.board;
    if (point) this.#tell(point);
    hand.hover?.(point);
    if (hand.hover) this.board.refresh();
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#fingers.delete(event.pointerId);
    if (event.pointerId !== this.#led?.id) return;
    const drag = this.drag && this.#dragTo(this.drag, this.#pointOf(event));
    const isMeant = event.type === "pointerup";
    const opens = drag !== undefined && !drag.hasMoved && this.#tap.isSecond && isMeant;
    this.release(isMeant);
    if (opens) this.#openAt(this.#pointOf(event));
  }

  /**
   * A hand that is up again opens things: a mouse that goes down takes the focus to what is under
   * it.
   * @param {Point} point
   */
  #openAt(point) {
    const { board } = this;
    if (this.#led || board.editor || board.keys.isHolding || !board.mayUse(board.tool)) return;
    board.hand.twice?.(point);
  }

  /**
   * The others see where this member's hand is, and at last where it stays.
   * @param {Point} point
   */
  #tell({ at }) {
    const { board } = this;
    const { clock } = board;
    this.#stopTelling();
    if (!board.canWrite) return;
    this.#stopTelling = clock.after(this.#told + POINTER_PERIOD - clock.now(), () => {
      this.#told = clock.now();
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
 * @param {number} y pixels that a wheel was turned
 * @returns the factor of the scale
 */
function wheelZoom(y) {
  const rate = Math.abs(y) < ZOOM.fewest ? ZOOM.pinch : ZOOM.notch;
  return Math.exp(-clamp(y, -ZOOM.most, ZOOM.most) * rate);
}
