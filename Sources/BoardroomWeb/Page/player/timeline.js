// The timeline: its window, and its pointers and wheel. Activity, markers and lanes are drawn when
// they change; playhead and range are elements over them, so that playing draws nothing.
import { clamp } from "../render/geom.js";
import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText, lanes, timeAt, xOf } from "./layout.js";
import { TimelinePainter } from "./timeline-painter.js";

/** Ms that the window shows, at least. */
const CLOSEST = 200;

/** The factor of a step of the wheel. */
const ZOOM = 1.25;

/** Where in the window the playhead is put when it leaves it while playing, from the left. */
const BACK_AT = 0.1;

/** Pixels between the label under the pointer and both ends, at least. */
const LABEL_MARGIN = 70;

export class Timeline {
  /** @type {Replay.Shown | undefined} */
  shown = undefined;

  isRequested = false;

  /**
   * @param {HTMLElement} page
   * @param {Replay.TimelineUses} uses
   */
  constructor(page, uses) {
    this.uses = uses;
    this.painter = new TimelinePainter(page);
    this.window = this.painter.window;
    this.root = this.painter.root;
    const { heat, lanes: laneCanvas } = this.painter;
    const sizes = new ResizeObserver(() => this.requestFrame());
    sizes.observe(heat);
    // On a telephone lanes are shown with the inspector only.
    sizes.observe(find(page, ".lanes"));
    this.#listen(heat);
    this.#listen(laneCanvas);
    heat.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {HTMLCanvasElement} canvas */
  #listen(canvas) {
    /** @type {number | undefined} where a range begins that is being drawn */
    let begun;
    const move = (/** @type {PointerEvent} */ event) => {
      const time = this.#hover(canvas, event);
      if (time === undefined || !canvas.hasPointerCapture(event.pointerId)) return;
      if (event.shiftKey) begun ??= time;
      if (begun === undefined) this.uses.seek(time);
      else this.uses.range(Math.min(begun, time), Math.max(begun, time));
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", () => {
      find(this.root, ".hover").hidden = true;
    });
    canvas.addEventListener("dblclick", () => this.setWindow(0, Infinity));
    canvas.addEventListener("pointerdown", (event) => {
      begun = undefined;
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
  }

  /**
   * Says what is under the pointer.
   * @param {HTMLCanvasElement} canvas
   * @param {PointerEvent} event
   * @returns {number | undefined} the time there, if there is a log
   */
  #hover(canvas, { clientX, pointerType }) {
    if (!this.shown) return undefined;
    const { log, pacing } = this.shown;
    const { left, width } = canvas.getBoundingClientRect();
    const x = clamp(clientX - left, 0, width);
    const time = timeAt(this.window, pacing, x);
    const revision = log.revisionAt(time).toLocaleString();
    const label = find(this.root, ".hover");
    label.hidden = pointerType === "touch";
    label.textContent = `${clockText(time - log.begin)} · #${revision}`;
    label.style.left = `${canvas.offsetLeft + clamp(x, LABEL_MARGIN, width - LABEL_MARGIN)}px`;
    return time;
  }

  /**
   * Zooms around the pointer; sideways, or with Shift, it moves along.
   * @param {WheelEvent} event
   */
  #wheel(event) {
    event.preventDefault();
    const { from, to, width } = this.window;
    const { deltaX, deltaY, offsetX, shiftKey } = event;
    if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) {
      const span = Math.max(to - from, CLOSEST);
      this.setWindow(from + ((deltaX || deltaY) * span) / width, span);
    } else {
      const span = Math.max((to - from) * ZOOM ** Math.sign(deltaY), CLOSEST);
      this.setWindow(from + (offsetX * (to - from - span)) / width, span);
    }
  }

  /**
   * @param {number} from
   * @param {number} span
   */
  setWindow(from, span) {
    const length = Math.max(this.shown?.pacing.length ?? 0, 1);
    this.window.from = Math.max(Math.min(from, length - span), 0);
    this.window.to = Math.min(this.window.from + span, length);
    this.requestFrame();
  }

  /** @param {Replay.Shown} shown; who saw all of what was shown before sees all of it */
  set(shown) {
    const { from, to } = this.window;
    const isAll = from === 0 && to >= (this.shown?.pacing.length ?? 0);
    this.shown = shown;
    this.setWindow(from, isAll ? Infinity : to - from);
  }

  /**
   * Puts playhead and range; while it plays the playhead is kept in sight.
   * @param {number} at a time of the log
   * @param {boolean} isPlaying
   * @param {[begin?: number, end?: number]} marks around a range; there is one if it has a
   *   beginning
   */
  place(at, isPlaying, [begin, end]) {
    if (!this.shown) return;
    const { pacing } = this.shown;
    const { from, to, width } = this.window;
    const xAt = (/** @type {number} */ time) => Math.round(xOf(this.window, pacing, time));
    const x = xAt(at);
    const isSeen = x >= 0 && x <= width;
    const left = xAt(begin ?? at);
    const right = xAt(end ?? at);
    if (isPlaying && !isSeen) this.setWindow(pacing.shown(at) - (to - from) * BACK_AT, to - from);
    const playhead = find(this.root, ".playhead");
    playhead.hidden = !isSeen;
    playhead.style.left = `${x}px`;
    const range = find(this.root, ".range");
    range.hidden = begin === undefined;
    range.style.left = `${Math.min(left, right)}px`;
    range.style.width = `${Math.abs(right - left)}px`;
  }

  /** Asks for a frame in which all of it is drawn. */
  requestFrame() {
    if (this.isRequested) return;
    this.isRequested = true;
    this.uses.clock.frame(() => {
      this.isRequested = false;
      this.painter.measure();
      if (this.shown) this.#draw(this.shown);
      this.uses.drawn();
    });
  }

  /** @param {Replay.Shown} shown */
  #draw(shown) {
    this.painter.draw(shown);
    if (this.painter.hasLanes) this.#showNames(shown.log);
  }

  /** @param {Replay.Log} log */
  #showNames(log) {
    const buttons = lanes(log).map(({ person }) => this.#nameButton(person.number));
    fill(find(this.root, ".names"), ...buttons);
  }

  /** @param {number} number of a member */
  #nameButton(number) {
    const { nameOf, follow, followed } = this.uses;
    const name = nameOf(number);
    const props = {
      type: "button",
      "aria-pressed": String(number === followed()),
      onclick: () => follow(number),
      title: t("player.followOne", { name }),
    };
    return h("button", props, name);
  }
}
