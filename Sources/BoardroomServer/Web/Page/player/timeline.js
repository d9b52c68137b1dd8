import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText, heat, lanes, markers, stack, ticks, timeAt, xOf } from "./layout.js";
import { NAMES } from "./log.js";

// The timeline: activity, markers and lanes on two canvases that are drawn when something of them changed; playhead
// and range are elements over them, so that playing draws nothing anew. Shapes and colours of the markers are those of
// the buttons that filter by them (replay.html).

/** In pixels: axis, markers, activity, a lane. */
const [AXIS, STRIP, HEAT, LANE] = [16, 14, 40, 18];
/** No closer than this many ms. */
const CLOSEST = 200;
/** @type {Record<string, string>} */
const LANE_MARKS = { kicked: "kick", replaced: "takeover", refused: "refused", left: "join" };
/** @type {Record<string, string>} */
const PHASE_COLOURS = { connected: "ok", reconnecting: "warn" };

export class Timeline {
  /** @type {Replay.Window} */
  window = { from: 0, to: 1, width: 1 };
  /** @type {Replay.Shown | undefined} */
  shown = undefined;
  isAsked = false;

  /** @param {HTMLElement} root the part .tracks of replay.html
   *  @param {{clock: Clock, seek(time: number): void, range(from: number, to: number): void, follow(member: number): void,
   *   nameOf(member: number): string, followed(): number | undefined, drawn(): void}} uses */
  constructor(root, uses) {
    const part = (/** @type {string} */ selector) => /** @type {any} */ (root.querySelector(selector));
    /** @type {HTMLCanvasElement[]} */
    const [heat, lanes] = [".heat", ".lanes canvas"].map(part);
    /** @type {HTMLElement[]} */
    const [names, playhead, range, hover] = [".names", ".playhead", ".range", ".hover"].map(part);
    this.parts = { heat, lanes, names, playhead, range, hover };
    this.root = root;
    this.uses = uses;
    this.marks = new Map(NAMES.map((name) => {
      const button = /** @type {any} */ (document.querySelector(`[data-family=${name}]`));
      return [name, { shape: new Path2D(button.querySelector("path").getAttribute("d")), colour: button.classList[0],
        isLine: button.classList.contains("line") }];
    }));
    new ResizeObserver(() => this.ask()).observe(this.parts.heat);
    this.#listen(this.parts.heat);
    this.#listen(this.parts.lanes);
  }

  /** @param {HTMLCanvasElement} canvas */
  #listen(canvas) {
    /** @type {number | undefined} */
    let begun;
    const move = (/** @type {PointerEvent} */ event) => {
      if (!this.shown) return;
      const { left, width } = canvas.getBoundingClientRect();
      const time = timeAt(this.window, this.shown.pacing, Math.min(Math.max(event.clientX - left, 0), width));
      this.#tell(event, time);
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      if (begun === undefined && event.shiftKey) begun = time;
      if (begun === undefined) this.uses.seek(time);
      else this.uses.range(Math.min(begun, time), Math.max(begun, time));
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      begun = undefined;
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", () => { this.parts.hover.hidden = true; });
    canvas.addEventListener("dblclick", () => this.zoom(Infinity));
    this.parts.heat.addEventListener("wheel", (event) => {
      event.preventDefault();
      const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (isAside) this.pan(event.deltaX || event.deltaY);
      else this.zoom(1.25 ** Math.sign(event.deltaY), event.offsetX);
    }, { passive: false });
  }

  /** @param {PointerEvent} event @param {number} time */
  #tell({ clientX, pointerType }, time) {
    const { log } = /** @type {Replay.Shown} */ (this.shown);
    const { left, width } = this.root.getBoundingClientRect();
    this.parts.hover.hidden = pointerType === "touch";
    this.parts.hover.textContent = `${clockText(time - log.begin)} · #${Math.max(log.revisionAt(time), 0).toLocaleString()}`;
    this.parts.hover.style.left = `${Math.min(Math.max(clientX - left, 70), width - 70)}px`;
  }

  // The window

  /** Shows so many times as much; what is at `x` stays there.
   * @param {number} factor */
  zoom(factor, x = 0) {
    const { from, to, width } = this.window;
    const span = Math.min(Math.max((to - from) * factor, CLOSEST), this.shown?.pacing.length ?? 1);
    this.#turn(from + (x / width) * (to - from - span), span);
  }

  /** @param {number} pixels */
  pan(pixels) {
    const { from, to, width } = this.window;
    this.#turn(from + (pixels / width) * (to - from), to - from);
  }

  /** @param {number} from @param {number} span */
  #turn(from, span) {
    const length = Math.max(this.shown?.pacing.length ?? 0, 1);
    this.window.from = Math.max(Math.min(from, length - span), 0);
    this.window.to = Math.min(this.window.from + span, length);
    this.ask();
  }

  /** @param {Replay.Shown} shown; who saw all of it sees all of it */
  set(shown) {
    const { from, to } = this.window;
    const isAll = !this.shown || (from === 0 && to >= Math.max(this.shown.pacing.length, 1));
    this.shown = shown;
    this.#turn(from, isAll ? Math.max(shown.pacing.length, 1) : to - from);
  }

  /** Puts the playhead, and the range between two times of the log; while it plays it is kept in sight.
   * @param {number} at @param {(number | undefined)[]} marks */
  place(at, isPlaying = false, marks = []) {
    const { shown, window } = this;
    if (!shown) return;
    const x = xOf(window, shown.pacing, at);
    const [a, b] = [marks[0] ?? at, marks[1] ?? at].map((time) => xOf(window, shown.pacing, time)).sort((one, other) => one - other);
    if (isPlaying && (x > window.width || x < 0)) this.pan(x - window.width * 0.1);
    this.parts.playhead.hidden = x < -1 || x > window.width + 1;
    this.parts.playhead.style.transform = `translateX(${Math.round(x)}px)`;
    this.parts.range.hidden = marks[0] === undefined;
    this.parts.range.style.left = `${a}px`;
    this.parts.range.style.width = `${b - a}px`;
  }

  // Drawing

  ask() {
    if (this.isAsked) return;
    this.isAsked = true;
    this.uses.clock.frame(() => {
      this.isAsked = false;
      if (this.shown) this.#draw(this.shown);
    });
  }

  /** @param {Replay.Shown} shown */
  #draw(shown) {
    this.window.width = Math.max(this.parts.heat.clientWidth, 1);
    const style = getComputedStyle(this.root);
    /** @param {string} name */
    this.colour = (name) => style.getPropertyValue(`--${name}`);
    this.#drawHeat(shown);
    if (this.parts.lanes.clientWidth > 0) this.#drawLanes(shown);
    this.uses.drawn();
  }
  /** @type {(name: string) => string} */
  colour = () => "";

  /** @param {HTMLCanvasElement} canvas @param {number} height @param {Replay.Pacing} pacing */
  #begin(canvas, height, pacing, top = 0) {
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(this.window.width * ratio), Math.round(height * ratio)];
    canvas.style.height = `${height}px`;
    const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
    ctx.scale(ratio, ratio);
    // Idle time that is cut short, hatched.
    const tile = h("canvas", { width: 8, height: 8 });
    const line = /** @type {Ink} */ (tile.getContext("2d"));
    [line.strokeStyle, line.lineWidth] = [this.colour("edge"), 2];
    line.stroke(new Path2D("M-2 2L2-2M-2 10L10-2M6 10L10 6"));
    ctx.fillStyle = /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
    for (const { from, to } of pacing.gaps) {
      const [left, right] = [from, to].map((time) => xOf(this.window, pacing, time));
      if (right > 0 && left < this.window.width) ctx.fillRect(left, top, Math.max(right - left, 2), height - top);
    }
    return ctx;
  }

  /** @param {Replay.Shown} shown */
  #drawHeat(shown) {
    const { window: { width }, colour } = this;
    const bottom = AXIS + STRIP + HEAT;
    const ctx = this.#begin(this.parts.heat, bottom, shown.pacing, AXIS);
    const counted = heat(shown, this.window);
    const inks = [...[...this.marks.values()].map((mark) => colour(mark.colour)), colour("edge")];
    for (let column = 0; column < width; column++) {
      for (const { family, from, to } of stack(counted, column)) {
        ctx.fillStyle = inks[family];
        ctx.fillRect(column, bottom - to * HEAT, 1, (to - from) * HEAT);
      }
    }
    for (const { x, family } of markers(counted, width)) this.#mark(ctx, NAMES[family], x, AXIS + STRIP / 2);
    [ctx.fillStyle, ctx.font] = [colour("ink-2"), "11px system-ui, sans-serif"];
    for (const { x, past, decimals } of ticks(this.window, shown.pacing)) {
      ctx.fillRect(Math.round(x), 3, 1, 10);
      ctx.fillText(clockText(past, decimals), Math.round(x) + 4, 12);
    }
  }

  /** @param {Replay.Shown} shown */
  #drawLanes({ log, pacing }) {
    const rows = lanes(log);
    const ctx = this.#begin(this.parts.lanes, rows.length * LANE, pacing);
    const x = (/** @type {number} */ time) => xOf(this.window, pacing, time);
    rows.forEach(({ spans, seen, marks }, row) => {
      const bars = [...spans.map((span) => ({ ...span, y: 6, height: 6 })), ...seen.map((span) => ({ ...span, y: 14, height: 2 }))];
      for (const { from, to, phase, y, height } of bars) {
        ctx.fillStyle = this.colour(PHASE_COLOURS[phase] ?? "bad");
        ctx.fillRect(x(from), row * LANE + y, Math.max(x(to) - x(from), 1), height);
      }
      for (const { time, phase } of marks) this.#mark(ctx, LANE_MARKS[phase], x(time), row * LANE + LANE / 2);
    });
    const { nameOf, follow, followed } = this.uses;
    fill(this.parts.names, ...rows.map(({ person: { number } }) => h("button", {
      type: "button", "aria-pressed": String(number === followed()), title: t("player.followOne", { name: nameOf(number) }),
      onclick: () => follow(number),
    }, nameOf(number))));
  }

  /** @param {Ink} ctx @param {string} family @param {number} x @param {number} y */
  #mark(ctx, family, x, y) {
    const { shape, colour, isLine } = /** @type {any} */ (this.marks.get(family));
    ctx.save();
    ctx.translate(x, y);
    // A rim of the ground keeps shapes apart from what is behind them.
    [ctx.strokeStyle, ctx.lineWidth, ctx.lineJoin, ctx.lineCap] = [this.colour("ground"), isLine ? 5 : 3, "round", "round"];
    ctx.stroke(shape);
    [ctx.strokeStyle, ctx.fillStyle, ctx.lineWidth] = [this.colour(colour), this.colour(colour), 2];
    if (isLine) ctx.stroke(shape);
    else ctx.fill(shape);
    ctx.restore();
  }
}
