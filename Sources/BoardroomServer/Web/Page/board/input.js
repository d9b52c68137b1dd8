// Pointers, wheel and fingers: what hands do, told to the tool in use. The hand tool, two fingers,
// the middle button and the space bar move the paper; once a pen was seen, one finger does, too
// (palm rejection).
import { clamp, distance, minus } from "../render/geom.js";

/** Two taps within so many ms and pixels are a double one; less than STILL pixels are no move. */
const AGAIN = 400;

const NEAR = 8;
const STILL = 3;

/**
 * Of the wheel: a notch is 100 to 120; a trackpad's pinch sends a few at a time, each meant as it
 * is.
 */
const ZOOM = { notch: 0.0022, pinch: 0.009, fewest: 40, most: 120 };

/** What wheels count in, in pixels; ms between positions of the own pointer: 20 a second. */
const DELTA = [1, 18, 400];

const POINTER_PERIOD = 50;

/** @param {Board} board */
export function listenTo(board) {
  const { root, view, clock } = board;
  /** @type {Map<number, Spot>} */
  const fingers = new Map();
  // The pointer that the tool follows, or that moves the paper; and the tool's way so far.
  let [led, drag] = /** @type {[{id: number, at: Spot}?, Drag?]} */ ([]);
  let tap = { time: -Infinity, at: { x: 0, y: 0 }, isSecond: false };
  let usesPen = false;
  let told = -Infinity;
  let stopTelling = () => {};
  const screenOf = (/** @type {MouseEvent} */ { clientX, clientY }) => {
    const { left, top } = root.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const pointOf = (/** @type {PointerEvent | MouseEvent} */ event) => {
    const { timeStamp: time, shiftKey: shift, altKey: alt } = event;
    const screen = screenOf(event);
    const type = ("pointerType" in event && event.pointerType) || "mouse";
    const pressure = "pressure" in event && type === "pen" ? event.pressure : undefined;
    return { screen, at: view.toScene(screen), time, type, shift, alt, pressure };
  };
  // The others see where this member's hand is, and at last where it stays.
  const tell = (/** @type {Point} */ { at: { x, y } }) => {
    stopTelling();
    if (!board.canWrite) return;
    stopTelling = clock.after(told + POINTER_PERIOD - clock.now(), () => {
      told = clock.now();
      board.send("pointer", {
        scene: board.scene,
        unit: -2,
        x: Math.round(x * 4),
        y: Math.round(y * 4),
      });
    });
  };
  const hover = (/** @type {Point | undefined} */ point) => {
    if (point) tell(point);
    board.hand.hover?.(point);
    if (board.hand.hover) board.refresh();
  };
  const dragTo = (/** @type {Drag} */ { from, hasMoved }, /** @type {Point} */ to) => {
    const length = distance(from.screen, to.screen);
    tell(to);
    return (drag = { from, to, length, hasMoved: hasMoved || length >= STILL });
  };
  const pinch = (/** @type {number} */ id, /** @type {Spot} */ now) => {
    const old = fingers.get(id);
    const other = [...fingers].find(([one]) => one !== id)?.[1];
    if (!old || !other) return;
    fingers.set(id, now);
    board.moveView(() => view.pinch([old, other], [now, other]));
  };
  // The hand's work is over, whatever it was.
  const release = (isMeant = false) => {
    const { hand } = board;
    const over = drag;
    led = drag = undefined;
    if (over && isMeant) hand.up?.(over);
    else if (over) hand.cancel?.();
    if (over) hand.end?.();
    board.setCursor();
    board.refresh();
  };
  // A hand that is up again opens things: a mouse that goes down takes the focus to what is under
  // it.
  const twice = (/** @type {Point} */ point) => {
    if (led || board.editor || board.keys.isHolding || !board.mayUse(board.tool)) return;
    board.hand.twice?.(point);
  };
  const up = (/** @type {PointerEvent} */ event) => {
    fingers.delete(event.pointerId);
    if (event.pointerId !== led?.id) return;
    if (drag) dragTo(drag, pointOf(event));
    const isSecondTap = drag !== undefined && !drag.hasMoved && tap.isSecond;
    release(event.type === "pointerup");
    if (isSecondTap && event.type === "pointerup") twice(pointOf(event));
  };
  // What browsers would do with it; a text that is being written is none of ours.
  const isOwn = (/** @type {Event} */ { target }) =>
    target === root || target instanceof HTMLCanvasElement;
  const keep = (/** @type {Event} */ event) => isOwn(event) && event.preventDefault();
  /** @type {Listeners} */
  const listeners = {
    pointerup: up,
    pointercancel: up,
    pointerleave: () => hover(undefined),
    // The middle button's own scrolling; the focus of a field that is open; Safari's own zooming.
    mousedown: (event) => (event.button === 1 || board.editor) && keep(event),
    gesturestart: keep,
    touchstart: keep,
    contextmenu: keep,
    dragstart: keep,
    dblclick: (event) => isOwn(event) && event.button === 0 && twice(pointOf(event)),
    pointerdown(event) {
      if (!isOwn(event)) return;
      const { pointerType: type, pointerId: id, button, timeStamp: time } = event;
      const at = screenOf(event);
      usesPen ||= type === "pen";
      // There is none to capture if a script made the event up.
      if (event.isTrusted) root.setPointerCapture(id);
      if (type === "touch") fingers.set(id, at);
      // The second finger: what the first began was no drawing.
      if (fingers.size > 1) return release();
      const isHand = board.keys.isHolding || board.tool === "hand" || (type === "touch" && usesPen);
      const draws = button === 0 && !isHand;
      if (led || button > 1 || (draws && !board.mayUse(board.tool))) return;
      board.editor?.finish();
      led = { id, at };
      if (!draws) return board.setCursor("grabbing");
      // Of a mouse the browser says it (dblclick), which knows how fast this hand is.
      const isAgain = distance(at, tap.at) < NEAR && time - tap.time < AGAIN;
      tap = { time, at, isSecond: isAgain && !tap.isSecond && type !== "mouse" };
      const point = pointOf(event);
      drag = { from: point, to: point, length: 0, hasMoved: false };
      tell(point);
      board.hand.down?.(point);
      board.refresh();
    },
    pointermove(event) {
      const now = screenOf(event);
      if (fingers.size > 1) return pinch(event.pointerId, now);
      if (!led && event.pointerType !== "touch") return hover(pointOf(event));
      if (event.pointerId !== led?.id) return;
      const { x, y } = minus(now, led.at);
      led.at = now;
      if (!drag) return board.moveView(() => view.panBy(x, y));
      // Absent on plain HTTP: then the event itself is all there is.
      const coalesced = event.getCoalescedEvents?.() ?? [];
      const points = (coalesced.length ? coalesced : [event]).map(pointOf);
      const predicted = (event.getPredictedEvents?.() ?? []).map(pointOf);
      board.hand.move?.(points, predicted, dragTo(drag, points[points.length - 1]));
      board.refresh();
    },
    wheel(event) {
      event.preventDefault();
      const x = event.deltaX * (DELTA[event.deltaMode] ?? 1);
      const y = event.deltaY * (DELTA[event.deltaMode] ?? 1);
      const rate = Math.abs(y) < ZOOM.fewest ? ZOOM.pinch : ZOOM.notch;
      const factor = Math.exp(-clamp(y, -ZOOM.most, ZOOM.most) * rate);
      board.moveView(() => {
        if (event.ctrlKey || event.metaKey) view.zoomTo(screenOf(event), view.scale * factor);
        else if (event.shiftKey && x === 0) view.panBy(-y, 0);
        else view.panBy(-x, -y);
      });
    },
  };
  const ending = new AbortController();
  const how = { passive: false, signal: ending.signal };
  const all = /** @type {[string, any][]} */ (Object.entries(listeners));
  for (const [name, hear] of all) {
    root.addEventListener(name, hear, how);
  }
  ending.signal.onabort = () => stopTelling();
  return {
    get drag() {
      return drag;
    },
    release,
    close: () => ending.abort(),
  };
}
