// Pointers, wheel and fingers: what hands do, told to one tool at a time. Two fingers, the middle button and
// the space bar move the paper whatever the tool; once a pen was seen, one finger does, too (palm rejection).

import { distance } from "../core/geom.js";

/**
 * @typedef {{down(point: Point): void, move(points: Point[], predicted: Point[]): void,
 *   up(point: Point): void, cancel(): void, hover(point: Point): void, left(): void,
 *   pan(x: number, y: number): void, pinch(before: [Spot, Spot], after: [Spot, Spot]): void,
 *   zoom(at: Spot, factor: number): void, isHolding(): boolean, sawPen(): void}} Hands
 */

/** Two clicks within this time (ms) and reach (pixels) are a double one. */
const DOUBLE = { time: 400, reach: 8 };
/** Of the wheel: a notch is 100 to 120; a trackpad's pinch sends a few at a time, each meant as it is. */
const ZOOM = { notch: 0.0022, pinch: 0.009, fewest: 40, most: 120 };
/** Line and page deltas in pixels. */
const DELTA = [1, 18, 400];

export class Input {
  /** @type {Map<number, Spot>} */
  fingers = new Map();
  // The pointer that a tool follows, or that moves the paper.
  /** @type {{id: number, isPan: boolean, at: Spot} | undefined} */
  led = undefined;
  clicked = { time: -Infinity, at: { x: 0, y: 0 }, clicks: 0 };
  usesPen = false;

  /** @param {HTMLElement} root @param {import("../core/view.js").View} view @param {Hands} hands */
  constructor(root, view, hands) {
    this.root = root;
    this.view = view;
    this.hands = hands;
    /** @type {Record<string, (event: any) => void>} */
    const listeners = {
      pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event, true), pointercancel: (event) => this.#up(event, false),
      pointerleave: () => hands.left(), wheel: (event) => this.#wheel(event),
      contextmenu: (event) => this.#keep(event), dragstart: (event) => this.#keep(event),
      // The middle button's own scrolling.
      mousedown: (event) => event.button === 1 && this.#keep(event),
      // Safari's own zooming.
      gesturestart: (event) => this.#keep(event), touchstart: (event) => this.#keep(event),
    };
    for (const name in listeners) root.addEventListener(name, listeners[name], { passive: false });
    this.close = () => Object.keys(listeners)
      .forEach((name) => root.removeEventListener(name, listeners[name]));
  }

  /** @param {MouseEvent} event @returns {Spot} */
  #screen({ clientX, clientY }) {
    const { left, top } = this.root.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {PointerEvent} event @returns {Point} */
  #point(event) {
    const { timeStamp: time, pointerType: type, shiftKey: shift, altKey: alt } = event;
    const screen = this.#screen(event);
    return {
      screen, at: this.view.toScene(screen), time, type, shift, alt, mod: event.ctrlKey || event.metaKey,
      pressure: type === "pen" ? event.pressure : undefined, clicks: this.clicked.clicks,
    };
  }

  // A text that is being written is in the board, too, and is none of ours.
  /** @param {Event} event */
  #isOwn({ target }) { return target === this.root || target instanceof HTMLCanvasElement; }
  // What browsers would do with it.
  /** @param {Event} event */
  #keep(event) { if (this.#isOwn(event)) event.preventDefault(); }

  /** @param {PointerEvent} event */
  #down(event) {
    if (!this.#isOwn(event)) return;
    const { pointerType: type, pointerId: id, button } = event;
    if (type === "pen" && !this.usesPen) {
      this.usesPen = true;
      this.hands.sawPen();
    }
    const at = this.#screen(event);
    capture(this.root, id);
    if (type === "touch") this.fingers.set(id, at);
    // The second finger: what the first began was no drawing.
    if (this.fingers.size > 1) return this.release();
    const isPan = button === 1 || this.hands.isHolding() || (type === "touch" && this.usesPen);
    if (this.led || (!isPan && button !== 0)) return;
    this.led = { id, isPan, at };
    if (isPan) return;
    const { time, clicks } = this.clicked;
    const isAgain = distance(at, this.clicked.at) < DOUBLE.reach && event.timeStamp - time < DOUBLE.time;
    this.clicked = { time: event.timeStamp, at, clicks: isAgain ? clicks + 1 : 1 };
    this.hands.down(this.#point(event));
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { led } = this;
    if (event.pointerType === "touch" && this.fingers.size > 1) return this.#moveFinger(event);
    if (!led && event.pointerType !== "touch") return this.hands.hover(this.#point(event));
    if (event.pointerId !== led?.id) return;
    if (led.isPan) {
      const { x, y } = this.#screen(event);
      this.hands.pan(x - led.at.x, y - led.at.y);
      led.at = { x, y };
      return;
    }
    // Absent on plain HTTP: then the event itself is all there is.
    const coalesced = event.getCoalescedEvents?.() ?? [];
    const points = (coalesced.length ? coalesced : [event]).map((one) => this.#point(one));
    this.hands.move(points, (event.getPredictedEvents?.() ?? []).map((one) => this.#point(one)));
  }

  /** @param {PointerEvent} event */
  #moveFinger(event) {
    const old = this.fingers.get(event.pointerId);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (!old || !other) return;
    const now = this.#screen(event);
    this.fingers.set(event.pointerId, now);
    this.hands.pinch([old, other], [now, other]);
  }

  /** @param {PointerEvent} event @param {boolean} isMeant */
  #up(event, isMeant) {
    const { led } = this;
    this.fingers.delete(event.pointerId);
    if (event.pointerId !== led?.id) return;
    if (!isMeant) return this.release();
    this.led = undefined;
    if (!led.isPan) this.hands.up(this.#point(event));
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const [x, y] = [event.deltaX, event.deltaY].map((delta) => delta * (DELTA[event.deltaMode] ?? 1));
    if (event.ctrlKey || event.metaKey) {
      const rate = Math.abs(y) < ZOOM.fewest ? ZOOM.pinch : ZOOM.notch;
      this.hands.zoom(this.#screen(event), Math.exp(-Math.min(Math.max(y, -ZOOM.most), ZOOM.most) * rate));
    } else if (event.shiftKey && x === 0) this.hands.pan(-y, 0);
    else this.hands.pan(-x, -y);
  }

  /** The hand's work is over, whatever it was. */
  release() {
    if (this.led && !this.led.isPan) this.hands.cancel();
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
