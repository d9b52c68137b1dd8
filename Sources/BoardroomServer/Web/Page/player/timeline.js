import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText, heat, lanes, markers, stack, ticks, timeAt, xOf } from "./layout.js";
import { NAMES } from "./log.js";

// The timeline: activity, markers and lanes on two canvases that are drawn when something of them changed;
// playhead and range are elements over them, so that playing draws nothing anew. Shapes and colours of the
// markers are those of the buttons that filter by them (replay.html).

/** In pixels: axis, markers, activity; a lane. */
const [AXIS, STRIP, HEAT, LANE] = [16, 14, 40, 18];
/** No closer than this many ms. */
const CLOSEST = 200;
const LANE_MARKS = /** @type {Record<string, string>} */ (
  { kicked: "kick", replaced: "takeover", refused: "refused", left: "join" });
const PHASE_COLOURS = /** @type {Record<string, string>} */ ({ connected: "ok", reconnecting: "warn" });

export class Timeline {
  /** @type {Replay.Window} */
  window = { from: 0, to: 1, width: 1 };
  shown = /** @type {Replay.Shown | undefined} */ (undefined);
  isAsked = false;

  /** @param {HTMLElement} page @param {Replay.TimelineUses} uses */
  constructor(page, uses) {
    this.uses = uses;
    this.root = find(page, ".tracks");
    this.heat = find(page, ".heat", HTMLCanvasElement);
    this.lanes = find(page, ".lanes canvas", HTMLCanvasElement);
    this.marks = new Map(NAMES.map((name) => {
      const button = find(page, `[data-family=${name}]`);
      const shape = new Path2D(find(button, "path", SVGPathElement).getAttribute("d") ?? "");
      return [name, { shape, colour: button.classList[0], isLine: button.classList.contains("line") }];
    }));
    new ResizeObserver(() => this.ask()).observe(this.heat);
    this.#listen(this.heat);
    this.#listen(this.lanes);
  }

  #listen(/** @type {HTMLCanvasElement} */ canvas) {
    let begun = /** @type {number | undefined} */ (undefined);
    const hover = find(this.root, ".hover");
    const move = (/** @type {PointerEvent} */ event) => {
      if (!this.shown) return;
      const { left, width } = canvas.getBoundingClientRect();
      const x = Math.min(Math.max(event.clientX - left, 0), width);
      const time = timeAt(this.window, this.shown.pacing, x);
      const { log } = this.shown;
      hover.hidden = event.pointerType === "touch";
      hover.textContent = `${clockText(time - log.begin)} · #${log.revisionAt(time).toLocaleString()}`;
      hover.style.left = `${canvas.offsetLeft + Math.min(Math.max(x, 70), width - 70)}px`;
      if (!canvas.hasPointerCapture(event.pointerId)) return;
      if (event.shiftKey) begun ??= time;
      if (begun === undefined) this.uses.seek(time);
      else this.uses.range(begun, time);
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", () => { hover.hidden = true; });
    canvas.addEventListener("dblclick", () => this.look(0, Infinity));
    canvas.addEventListener("pointerdown", (event) => {
      begun = undefined;
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    if (canvas === this.heat) canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  #wheel(/** @type {WheelEvent} */ event) {
    event.preventDefault();
    const { from, to, width } = this.window;
    const isAside = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const span = Math.max((to - from) * (isAside ? 1 : 1.25 ** Math.sign(event.deltaY)), CLOSEST);
    const moved = isAside ? ((event.deltaX || event.deltaY) / width) * span : (event.offsetX / width) * (to - from - span);
    this.look(from + moved, span);
  }

  /** @param {number} from @param {number} span of the shown time that is looked at */
  look(from, span) {
    const length = Math.max(this.shown?.pacing.length ?? 0, 1);
    this.window.from = Math.max(Math.min(from, length - span), 0);
    this.window.to = Math.min(this.window.from + span, length);
    this.ask();
  }

  /** @param {Replay.Shown} shown; who saw all of what was shown before sees all of it */
  set(shown) {
    const { from, to } = this.window;
    const isAll = from === 0 && to >= (this.shown?.pacing.length ?? 0);
    this.shown = shown;
    this.look(from, isAll ? Infinity : to - from);
  }

  /** Puts the playhead, and the range between two times of the log; while it plays it is kept in sight.
   * @param {number} at @param {(number | undefined)[]} marks */
  place(at, isPlaying = false, marks = []) {
    const { shown, window: { from, to, width } } = this;
    if (!shown) return;
    const x = (time = at) => Math.round(xOf(this.window, shown.pacing, time));
    if (isPlaying && (x() > width || x() < 0)) this.look(shown.pacing.shown(at) - (to - from) * 0.1, to - from);
    const [playhead, range] = [find(this.root, ".playhead"), find(this.root, ".range")];
    playhead.hidden = x() < 0 || x() > width;
    playhead.style.left = `${x()}px`;
    range.hidden = marks[0] === undefined;
    range.style.left = `${Math.min(x(marks[0]), x(marks[1]))}px`;
    range.style.width = `${Math.abs(x(marks[1]) - x(marks[0]))}px`;
  }

  // Drawing

  ask() {
    if (!this.isAsked) this.uses.clock.frame(() => {
      this.isAsked = false;
      this.window.width = Math.max(this.heat.clientWidth, 1);
      if (this.shown) this.#drawHeat(this.shown);
      if (this.shown && this.lanes.clientWidth > 0) this.#drawLanes(this.shown);
      this.uses.drawn();
    });
    this.isAsked = true;
  }

  colour(/** @type {string} */ name) { return getComputedStyle(this.root).getPropertyValue(`--${name}`); }

  /** @param {HTMLCanvasElement} canvas @param {number} height @param {Replay.Pacing} pacing */
  #begin(canvas, height, pacing, top = 0) {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(this.window.width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const [ctx, tile] = [/** @type {Ink} */ (canvas.getContext("2d")), h("canvas", { width: 8, height: 8 })];
    const line = /** @type {Ink} */ (tile.getContext("2d"));
    ctx.scale(ratio, ratio);
    // Idle time that is cut short, hatched.
    [line.strokeStyle, line.lineWidth] = [this.colour("edge"), 2];
    line.stroke(new Path2D("M-2 2L2-2M-2 10L10-2M6 10L10 6"));
    ctx.fillStyle = /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
    for (const { from, to } of pacing.gaps) {
      const [left, right] = [from, to].map((time) => xOf(this.window, pacing, time));
      if (right > 0 && left < this.window.width) ctx.fillRect(left, top, Math.max(right - left, 2), height - top);
    }
    return ctx;
  }

  #drawHeat(/** @type {Replay.Shown} */ shown) {
    const bottom = AXIS + STRIP + HEAT;
    const ctx = this.#begin(this.heat, bottom, shown.pacing, AXIS);
    const counted = heat(shown, this.window);
    const inks = [...[...this.marks.values()].map(({ colour }) => this.colour(colour)), this.colour("edge")];
    for (let column = 0; column < this.window.width; column++) {
      for (const { family, from, to } of stack(counted, column)) {
        ctx.fillStyle = inks[family];
        ctx.fillRect(column, bottom - to * HEAT, 1, (to - from) * HEAT);
      }
    }
    for (const { x, family } of markers(counted, this.window.width)) this.#mark(ctx, NAMES[family], x, AXIS + STRIP / 2);
    [ctx.fillStyle, ctx.font] = [this.colour("ink-2"), "11px system-ui, sans-serif"];
    for (const { x, words } of ticks(this.window, shown.pacing)) {
      ctx.fillRect(x, 3, 1, 10);
      ctx.fillText(words, x + 4, 12);
    }
  }

  #drawLanes(/** @type {Replay.Shown} */ { log, pacing }) {
    const [rows, { nameOf, follow, followed }] = [lanes(log), this.uses];
    const ctx = this.#begin(this.lanes, rows.length * LANE, pacing);
    const x = (/** @type {number} */ time) => xOf(this.window, pacing, time);
    rows.forEach(({ spans, seen, marks }, row) => {
      const own = [...spans.map((span) => ({ ...span, y: 6, height: 6 })), ...seen.map((span) => ({ ...span, y: 14, height: 2 }))];
      for (const { from, to, phase, y, height } of own) {
        ctx.fillStyle = this.colour(PHASE_COLOURS[phase] ?? "bad");
        ctx.fillRect(x(from), row * LANE + y, Math.max(x(to) - x(from), 1), height);
      }
      for (const { time, phase } of marks) this.#mark(ctx, LANE_MARKS[phase], x(time), row * LANE + LANE / 2);
    });
    fill(find(this.root, ".names"), ...rows.map(({ person: { number } }) => h("button", {
      type: "button", "aria-pressed": String(number === followed()), onclick: () => follow(number),
      title: t("player.followOne", { name: nameOf(number) }),
    }, nameOf(number))));
  }

  /** @param {Ink} ctx @param {string} family @param {number} x @param {number} y */
  #mark(ctx, family, x, y) {
    const { shape, colour, isLine } = this.marks.get(family) ?? { shape: new Path2D(), colour: "", isLine: true };
    ctx.save();
    ctx.translate(x, y);
    // A rim of the ground keeps shapes apart from what is behind them.
    Object.assign(ctx, { strokeStyle: this.colour("ground"), lineWidth: isLine ? 5 : 3, lineJoin: "round", lineCap: "round" });
    ctx.stroke(shape);
    Object.assign(ctx, { strokeStyle: this.colour(colour), fillStyle: this.colour(colour), lineWidth: 2 });
    if (isLine) ctx.stroke(shape);
    else ctx.fill(shape);
    ctx.restore();
  }
}
