// Pointers, wheel and fingers: what hands do, told to one tool at a time. Two fingers, the middle button and the space bar
// move the paper whatever the tool; once a pen was seen, one finger does, too (palm rejection).

/** @typedef {import("../core/geom.js").Spot} Spot */
/**
 * Where a hand is. `at` on the scene, `screen` in CSS pixels of the board.
 * @typedef {{at: Spot, screen: Spot, time: number, type: string, pressure?: number, shift: boolean, alt: boolean,
 *   mod: boolean, clicks: number}} Point
 */
/**
 * @typedef {{down(point: Point): void, move(points: Point[], predicted: Point[]): void, up(point: Point): void,
 *   cancel(): void, hover(point: Point): void, pan(x: number, y: number): void,
 *   pinch(before: [Spot, Spot], after: [Spot, Spot]): void, zoom(at: Spot, factor: number): void, left(): void,
 *   isHolding(): boolean, sawPen(): void}} Hands
 */

/** Two clicks within this time (ms) and reach (pixels) are a double one. */
const DOUBLE = { time: 400, reach: 8 };
/** A notch of a mouse wheel with the control key is 100 to 120; a trackpad's pinch sends a few at a time. */
const ZOOM_RATE = 0.0022;
const LARGEST_NOTCH = 120;
/** Line and page deltas in pixels. */
const DELTA = [1, 18, 400];

export class Input {
  /** @param {HTMLElement} root @param {import("../core/view.js").View} view @param {Hands} hands */
  constructor(root, view, hands) {
    this.root = root;
    this.view = view;
    this.hands = hands;
    // Fingers on the board.
    /** @type {Map<number, Spot>} */
    this.fingers = new Map();
    // The pointer that a tool follows, or that moves the paper.
    /** @type {{id: number, does: "tool" | "pan"} | undefined} */
    this.led = undefined;
    this.clicked = { time: -Infinity, x: 0, y: 0, clicks: 0 };
    /** @type {Spot | undefined} */
    this.last = undefined;
    this.usesPen = false;
    const listeners = {
      pointerdown: this.#down, pointermove: this.#move, pointerup: this.#up, pointercancel: this.#cancelled,
      pointerleave: () => this.hands.left(), wheel: this.#wheel, contextmenu: this.#keep, dragstart: this.#keep,
      // Safari's own zooming.
      gesturestart: this.#keep, touchstart: this.#keep,
    };
    for (const [name, listener] of Object.entries(listeners)) {
      root.addEventListener(name, /** @type {any} */ (listener), { passive: false });
    }
    this.close = () => {
      for (const [name, listener] of Object.entries(listeners)) root.removeEventListener(name, /** @type {any} */ (listener));
    };
  }

  /** @param {PointerEvent | WheelEvent} event @returns {Spot} */
  #screen(event) {
    const { left, top } = this.root.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }

  /** @param {PointerEvent} event @returns {Point} */
  #point(event) {
    const screen = this.#screen(event);
    return {
      screen, at: this.view.toScene(screen), time: event.timeStamp, type: event.pointerType,
      pressure: event.pointerType === "pen" ? event.pressure : undefined, shift: event.shiftKey, alt: event.altKey,
      mod: event.ctrlKey || event.metaKey, clicks: this.clicked.clicks,
    };
  }

  /** @param {PointerEvent} event */
  #down = (event) => {
    if (!this.#isOwn(event)) return;
    if (event.pointerType === "pen" && !this.usesPen) {
      this.usesPen = true;
      this.hands.sawPen();
    }
    const screen = this.#screen(event);
    capture(this.root, event.pointerId);
    if (event.pointerType === "touch") {
      this.fingers.set(event.pointerId, screen);
      if (this.fingers.size > 1) return this.#pinches();
    }
    if (this.led) return;
    const isPan = event.button === 1 || this.hands.isHolding() || (event.pointerType === "touch" && this.usesPen);
    if (!isPan && event.button !== 0) return;
    this.led = { id: event.pointerId, does: isPan ? "pan" : "tool" };
    this.last = screen;
    if (isPan) return;
    this.#count(event, screen);
    this.hands.down(this.#point(event));
  };

  // A text that is being written is in the board, too, and is none of ours.
  /** @param {Event} event */
  #isOwn(event) { return event.target === this.root || event.target instanceof HTMLCanvasElement; }

  // What browsers would do with it.
  /** @param {Event} event */
  #keep = (event) => {
    if (this.#isOwn(event)) event.preventDefault();
  };

  /** @param {PointerEvent} event @param {Spot} screen */
  #count(event, { x, y }) {
    const { clicked } = this;
    const isNear = Math.hypot(x - clicked.x, y - clicked.y) < DOUBLE.reach;
    const isSoon = event.timeStamp - clicked.time < DOUBLE.time;
    this.clicked = { time: event.timeStamp, x, y, clicks: isNear && isSoon ? clicked.clicks + 1 : 1 };
  }

  /** The second finger: what the first began was no drawing. */
  #pinches() {
    if (this.led?.does === "tool") this.hands.cancel();
    this.led = undefined;
  }

  /** @param {PointerEvent} event */
  #move = (event) => {
    if (event.pointerType === "touch" && this.fingers.size > 1) return this.#moveFinger(event);
    if (!this.led) {
      if (event.pointerType !== "touch") this.hands.hover(this.#point(event));
      return;
    }
    if (event.pointerId !== this.led.id) return;
    const screen = this.#screen(event);
    if (this.led.does === "pan") {
      this.hands.pan(screen.x - (this.last?.x ?? screen.x), screen.y - (this.last?.y ?? screen.y));
      this.last = screen;
      return;
    }
    // Absent on plain HTTP: then the event itself is all there is.
    const coalesced = event.getCoalescedEvents?.() ?? [];
    const predicted = event.getPredictedEvents?.() ?? [];
    const points = (coalesced.length ? coalesced : [event]).map((one) => this.#point(one));
    this.hands.move(points, predicted.map((one) => this.#point(one)));
  };

  /** @param {PointerEvent} event */
  #moveFinger(event) {
    const old = this.fingers.get(event.pointerId);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!old || !other) return;
    const screen = this.#screen(event);
    this.fingers.set(event.pointerId, screen);
    this.hands.pinch([old, other], [screen, other]);
  }

  /** @param {PointerEvent} event */
  #up = (event) => {
    this.fingers.delete(event.pointerId);
    if (event.pointerId !== this.led?.id) return;
    const { does } = this.led;
    this.led = undefined;
    if (does === "tool") this.hands.up(this.#point(event));
  };

  /** @param {PointerEvent} event */
  #cancelled = (event) => {
    this.fingers.delete(event.pointerId);
    if (event.pointerId !== this.led?.id) return;
    if (this.led.does === "tool") this.hands.cancel();
    this.led = undefined;
  };

  /** @param {WheelEvent} event */
  #wheel = (event) => {
    event.preventDefault();
    const unit = DELTA[event.deltaMode] ?? 1;
    const [x, y] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) {
      const notch = Math.min(Math.max(y, -LARGEST_NOTCH), LARGEST_NOTCH);
      // A pinch on a trackpad comes as small steps, each meant as it is.
      const rate = Math.abs(y) < 40 ? ZOOM_RATE * 4 : ZOOM_RATE;
      this.hands.zoom(this.#screen(event), Math.exp(-notch * rate));
    } else if (event.shiftKey && x === 0) this.hands.pan(-y, 0);
    else this.hands.pan(-x, -y);
  };

  /** The hand's work is over, whatever it was: Escape, or a text begins. */
  release() {
    if (this.led?.does === "tool") this.hands.cancel();
    this.led = undefined;
  }
}

/** @param {HTMLElement} root @param {number} id */
function capture(root, id) {
  try {
    root.setPointerCapture(id);
  } catch {
    // The pointer is gone already: its end comes as pointerup or pointercancel all the same.
  }
}
