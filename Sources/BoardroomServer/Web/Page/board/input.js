// Pointers, wheel and fingers: what hands do, told to the tool in use. The hand tool, two fingers, the middle
// button and the space bar move the paper; once a pen was seen, one finger does, too (palm rejection).

import { clamp, distance, minus } from "../core/geom.js";

/** Two clicks within so many ms and pixels are a double one; a hand that moves less has not moved. */
const [AGAIN, NEAR, STILL] = [400, 8, 3];
/** Of the wheel: a notch is 100 to 120; a trackpad's pinch sends a few at a time, each meant as it is. */
const ZOOM = { notch: 0.0022, pinch: 0.009, fewest: 40, most: 120 };
/** Line and page deltas in pixels. */
const DELTA = [1, 18, 400];
/** Between positions of the own pointer, in ms: 20 a second. */
const POINTER_PERIOD = 50;

export class Input {
  drag = /** @type {Drag | undefined} */ (undefined);
  // The pointer that the tool follows, or that moves the paper.
  #led = /** @type {{id: number, at: Spot} | undefined} */ (undefined);
  #fingers = /** @type {Map<number, Spot>} */ (new Map());
  #click = { time: -Infinity, at: { x: 0, y: 0 }, clicks: 0 };
  #usesPen = false;
  #told = -Infinity;
  #stopTelling = () => {};

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    const isOwn = (/** @type {EventTarget | null} */ target) =>
      target === board.root || target instanceof HTMLCanvasElement;
    // What browsers would do with it; a text that is being written is none of ours.
    const keep = (/** @type {Event} */ event) => isOwn(event.target) && event.preventDefault();
    /** @type {Record<string, (event: any) => void>} */
    const listeners = {
      pointerdown: (event) => isOwn(event.target) && this.#down(event), wheel: (event) => this.#wheel(event),
      pointermove: (event) => this.#move(event), pointerleave: () => board.hand.hover?.(),
      pointerup: (event) => this.#up(event), pointercancel: (event) => this.#up(event),
      // The middle button's own scrolling; Safari's own zooming.
      mousedown: (event) => event.button === 1 && keep(event), gesturestart: keep, touchstart: keep,
      contextmenu: keep, dragstart: keep,
    };
    const ending = new AbortController();
    const options = { passive: false, signal: ending.signal };
    for (const name in listeners) board.root.addEventListener(name, listeners[name], options);
    this.close = () => {
      ending.abort();
      this.#stopTelling();
    };
  }

  /** @param {MouseEvent} event @returns {Spot} */
  #screen({ clientX, clientY }) {
    const { left, top } = this.board.root.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }
  /** @param {PointerEvent} event @returns {Point} */
  #point(event) {
    const { timeStamp: time, pointerType: type, shiftKey: shift, altKey: alt } = event;
    const [screen, pressure] = [this.#screen(event), type === "pen" ? event.pressure : undefined];
    const [at, { clicks }] = [this.board.view.toScene(screen), this.#click];
    return { screen, at, time, type, shift, alt, pressure, clicks };
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const { board } = this;
    const { pointerType: type, pointerId: id, button, timeStamp: time } = event;
    const at = this.#screen(event);
    this.#usesPen ||= type === "pen";
    try {
      board.root.setPointerCapture(id);
    } catch {
      // The pointer is gone already: its end comes as pointerup or pointercancel all the same.
    }
    if (type === "touch") this.#fingers.set(id, at);
    // The second finger: what the first began was no drawing.
    if (this.#fingers.size > 1) return this.release();
    const isHand = board.keys.isHolding || board.tool === "hand" || (type === "touch" && this.#usesPen);
    const draws = button === 0 && !isHand;
    if (this.#led || button > 1 || (draws && !board.mayUse(board.tool))) return;
    board.editor?.finish();
    this.#led = { id, at };
    if (!draws) return board.setCursor("grabbing");
    const isAgain = distance(at, this.#click.at) < NEAR && time - this.#click.time < AGAIN;
    this.#click = { time, at, clicks: isAgain ? this.#click.clicks + 1 : 1 };
    const point = this.#point(event);
    this.drag = { from: point, to: point, length: 0, hasMoved: false };
    this.#tell(point);
    board.hand.down?.(point);
    board.refresh();
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const [{ board, drag }, led, now] = [this, this.#led, this.#screen(event)];
    if (this.#fingers.size > 1) return this.#pinch(event.pointerId, now);
    if (!led && event.pointerType !== "touch") return this.#hover(this.#point(event));
    if (event.pointerId !== led?.id) return;
    const { x, y } = minus(now, led.at);
    led.at = now;
    if (!drag) return board.moveView(() => board.view.panBy(x, y));
    // Absent on plain HTTP: then the event itself is all there is.
    const coalesced = event.getCoalescedEvents?.() ?? [];
    const points = (coalesced.length ? coalesced : [event]).map((one) => this.#point(one));
    const predicted = (event.getPredictedEvents?.() ?? []).map((one) => this.#point(one));
    this.#dragTo(drag, points[points.length - 1]);
    board.hand.move?.(points, predicted, drag);
    board.refresh();
  }

  /** @param {Point} point */
  #hover(point) {
    this.#tell(point);
    this.board.hand.hover?.(point);
    if (this.board.hand.hover) this.board.refresh();
  }
  /** @param {number} id @param {Spot} now */
  #pinch(id, now) {
    const [old, other] = [this.#fingers.get(id), [...this.#fingers].find(([one]) => one !== id)?.[1]];
    if (!old || !other) return;
    this.#fingers.set(id, now);
    this.board.moveView(() => this.board.view.pinch([old, other], [now, other]));
  }
  /** @param {Drag} drag @param {Point} to */
  #dragTo(drag, to) {
    const length = distance(drag.from.screen, to.screen);
    Object.assign(drag, { to, length, hasMoved: drag.hasMoved || length >= STILL });
    this.#tell(to);
  }

  /** @param {PointerEvent} event */
  #up(event) {
    this.#fingers.delete(event.pointerId);
    if (event.pointerId !== this.#led?.id) return;
    if (this.drag) this.#dragTo(this.drag, this.#point(event));
    this.release(event.type === "pointerup");
  }

  /** The hand's work is over, whatever it was. */
  release(isMeant = false) {
    const { board, drag, board: { hand } } = this;
    this.#led = this.drag = undefined;
    if (drag && isMeant) hand.up?.(drag);
    else if (drag) hand.cancel?.();
    if (drag) hand.end?.();
    board.setCursor();
    board.refresh();
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { board, board: { view } } = this;
    const [x, y] = [event.deltaX, event.deltaY].map((delta) => delta * (DELTA[event.deltaMode] ?? 1));
    const rate = Math.abs(y) < ZOOM.fewest ? ZOOM.pinch : ZOOM.notch;
    const factor = Math.exp(-clamp(y, -ZOOM.most, ZOOM.most) * rate);
    board.moveView(() => {
      if (event.ctrlKey || event.metaKey) view.zoomTo(this.#screen(event), view.scale * factor);
      else if (event.shiftKey && x === 0) view.panBy(-y, 0);
      else view.panBy(-x, -y);
    });
  }

  /** @param {Point} point tells the others where this member's hand is, and at last where it stays */
  #tell({ at: { x, y } }) {
    const { board, board: { clock } } = this;
    this.#stopTelling();
    if (!board.canWrite) return;
    this.#stopTelling = clock.after(this.#told + POINTER_PERIOD - clock.now(), () => {
      this.#told = clock.now();
      board.send("pointer", { scene: board.scene, unit: -2, x: Math.round(x * 4), y: Math.round(y * 4) });
    });
  }
}
