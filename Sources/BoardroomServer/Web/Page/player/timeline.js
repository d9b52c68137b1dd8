// The timeline: activity, markers and lanes on two canvases that are drawn when something of them
// changed; playhead and range are elements over them, so that playing draws nothing anew.
import { clamp } from "../render/geom.js";
import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText, heat, lanes, markers, stack, timeAt, xOf } from "./layout.js";
import { NAMES } from "./log.js";

/**
 * In pixels: axis, markers, activity; a lane; between labels of the axis. And no closer than so
 * many ms.
 */
const AXIS = 16;

const STRIP = 14;
const HEAT = 40;
const LANE = 18;
const LABEL = 96;
const CLOSEST = 200;

/** @type {Record<string, string>} */
const LANE_MARKS = { kicked: "kick", replaced: "takeover", refused: "refused", left: "join" };

/** @type {Record<string, string>} */
const PHASES = { connected: "ok", reconnecting: "warn" };

export class Timeline {
  window = { from: 0, to: 1, width: 1 };

  /** @type {Replay.Shown | undefined} */
  shown = undefined;

  isAsked = false;

  /**
   * @param {HTMLElement} page
   * @param {Replay.TimelineUses} uses
   */
  constructor(page, uses) {
    this.uses = uses;
    this.root = find(page, ".tracks");
    this.heat = find(page, ".heat", HTMLCanvasElement);
    this.lanes = find(page, ".lanes canvas", HTMLCanvasElement);
    // Shapes and colours are those of the buttons that filter by them.
    this.marks = new Map(
      NAMES.map((name) => {
        const {
          classList: [colour, kind],
        } = find(page, `[data-family=${name}]`);
        const path =
          find(page, `[data-family=${name}] path`, SVGPathElement).getAttribute("d") ?? "";
        return [name, { shape: new Path2D(path), colour, isLine: kind === "line" }];
      }),
    );
    new ResizeObserver(() => this.ask()).observe(this.heat);
    for (const canvas of [this.heat, this.lanes]) {
      this.#listen(canvas);
    }
    this.heat.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  /** @param {HTMLCanvasElement} canvas */
  #listen(canvas) {
    let begun = /** @type {number | undefined} */ (undefined);
    const hover = find(this.root, ".hover");
    const move = (/** @type {PointerEvent} */ { clientX, pointerId, pointerType, shiftKey }) => {
      if (!this.shown) return;
      const { left, width } = canvas.getBoundingClientRect();
      const { log, pacing } = this.shown;
      const x = clamp(clientX - left, 0, width);
      const time = timeAt(this.window, pacing, x);
      hover.hidden = pointerType === "touch";
      hover.textContent = `${clockText(time - log.begin)} · #${log.revisionAt(time).toLocaleString()}`;
      hover.style.left = `${canvas.offsetLeft + clamp(x, 70, width - 70)}px`;
      if (!canvas.hasPointerCapture(pointerId)) return;
      if (shiftKey) begun ??= time;
      if (begun === undefined) this.uses.seek(time);
      else this.uses.range(Math.min(begun, time), Math.max(begun, time));
    };
    canvas.addEventListener("pointermove", move);
    canvas.addEventListener("pointerleave", () => {
      hover.hidden = true;
    });
    canvas.addEventListener("dblclick", () => this.look(0, Infinity));
    canvas.addEventListener("pointerdown", (event) => {
      begun = undefined;
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const { from, to, width } = this.window;
    const { deltaX, deltaY, offsetX, shiftKey } = event;
    const isAside = shiftKey || Math.abs(deltaX) > Math.abs(deltaY);
    const span = Math.max((to - from) * (isAside ? 1 : 1.25 ** Math.sign(deltaY)), CLOSEST);
    this.look(
      from + (isAside ? (deltaX || deltaY) * span : offsetX * (to - from - span)) / width,
      span,
    );
  }

  /**
   * @param {number} from
   * @param {number} span
   */
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

  /** @type {Replay.PlaceMarks} puts playhead and range; while it plays it is kept in sight */
  place(at, isPlaying, marks) {
    const { shown } = this;
    const { from, to, width } = this.window;
    if (!shown) return;
    const [x, a, b] = [at, ...marks].map((time) =>
      Math.round(xOf(this.window, shown.pacing, time ?? at)),
    );
    if (isPlaying && (x > width || x < 0))
      this.look(shown.pacing.shown(at) - (to - from) * 0.1, to - from);
    const playhead = find(this.root, ".playhead");
    const range = find(this.root, ".range");
    playhead.hidden = x < 0 || x > width;
    playhead.style.left = `${x}px`;
    range.hidden = marks[0] === undefined;
    Object.assign(range.style, { left: `${Math.min(a, b)}px`, width: `${Math.abs(b - a)}px` });
  }

  ask() {
    if (!this.isAsked)
      this.uses.clock.frame(() => {
        this.isAsked = false;
        this.window.width = Math.max(this.heat.clientWidth, 1);
        if (this.shown) this.#drawHeat(this.shown);
        if (this.shown && this.lanes.clientWidth > 0) this.#drawLanes(this.shown);
        this.uses.drawn();
      });
    this.isAsked = true;
  }

  /** @param {string} name */
  colour(name) {
    return getComputedStyle(this.root).getPropertyValue(`--${name}`);
  }

  /** @param {number} time */
  x(time) {
    return this.shown ? xOf(this.window, this.shown.pacing, time) : 0;
  }

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {number} height
   */
  #begin(canvas, height, top = 0) {
    const ratio = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [this.window.width, height].map((side) =>
      Math.round(side * ratio),
    );
    canvas.style.height = `${height}px`;
    const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
    const tile = h("canvas", { width: 8, height: 8 });
    const line = /** @type {Ink} */ (tile.getContext("2d"));
    ctx.scale(ratio, ratio);
    // Idle time that is cut short, hatched.
    Object.assign(line, { strokeStyle: this.colour("edge"), lineWidth: 2 });
    line.stroke(new Path2D("M-2 2L2-2M-2 10L10-2M6 10L10 6"));
    ctx.fillStyle = /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
    for (const { from, to } of this.shown?.pacing.gaps ?? []) {
      ctx.fillRect(this.x(from), top, Math.max(this.x(to) - this.x(from), 2), height - top);
    }
    return ctx;
  }

  /** @param {Replay.Shown} shown */
  #drawHeat(shown) {
    const { width } = this.window;
    const bottom = AXIS + STRIP + HEAT;
    const ctx = this.#begin(this.heat, bottom, AXIS);
    const counted = heat(shown, this.window);
    const inks = [...this.marks.values(), { colour: "edge" }].map(({ colour }) =>
      this.colour(colour),
    );
    for (let column = 0; column < width; column++) {
      for (const { family, from, to } of stack(counted, column)) {
        ctx.fillStyle = inks[family];
        ctx.fillRect(column, bottom - to * HEAT, 1, (to - from) * HEAT);
      }
    }
    for (const { x, family } of markers(counted, width)) {
      this.#mark(ctx, NAMES[family], x, AXIS + STRIP / 2);
    }
    Object.assign(ctx, { fillStyle: this.colour("ink-2"), font: "11px system-ui, sans-serif" });
    const span = this.window.to - this.window.from;
    const decimals = span < 2_000 ? 2 : span < 20_000 ? 1 : 0;
    for (let x = 0; x < width - LABEL / 2; x += LABEL) {
      ctx.fillRect(x, 3, 1, 10);
      ctx.fillText(
        clockText(timeAt(this.window, shown.pacing, x) - shown.log.begin, decimals),
        x + 4,
        12,
      );
    }
  }

  /** @param {Replay.Shown} shown */
  #drawLanes({ log }) {
    const rows = lanes(log);
    const { nameOf, follow, followed } = this.uses;
    const ctx = this.#begin(this.lanes, rows.length * LANE);
    rows.forEach(({ spans, seen, marks }, row) => {
      // As the server saw it, and below as the client did.
      for (const [line, down, height] of /** @type {Replay.Line[]} */ ([
        [spans, 6, 6],
        [seen, 14, 2],
      ])) {
        for (const { from, to, phase } of line) {
          ctx.fillStyle = this.colour(PHASES[phase] ?? "bad");
          ctx.fillRect(
            this.x(from),
            row * LANE + down,
            Math.max(this.x(to) - this.x(from), 1),
            height,
          );
        }
      }
      const y = (row + 0.5) * LANE;
      for (const { time, phase } of marks) {
        this.#mark(ctx, LANE_MARKS[phase], this.x(time), y);
      }
    });
    fill(
      find(this.root, ".names"),
      ...rows.map(({ person: { number } }) =>
        h(
          "button",
          {
            type: "button",
            "aria-pressed": String(number === followed()),
            onclick: () => follow(number),
            title: t("player.followOne", { name: nameOf(number) }),
          },
          nameOf(number),
        ),
      ),
    );
  }

  /**
   * @param {Ink} ctx
   * @param {string} family
   * @param {number} x
   * @param {number} y
   */
  #mark(ctx, family, x, y) {
    const { shape, colour, isLine } = /** @type {any} */ (this.marks.get(family));
    const own = this.colour(colour);
    ctx.translate(x, y);
    // A rim of the ground keeps shapes apart from what is behind them.
    Object.assign(ctx, {
      strokeStyle: this.colour("ground"),
      lineWidth: isLine ? 5 : 3,
      lineJoin: "round",
    });
    ctx.stroke(shape);
    Object.assign(ctx, { strokeStyle: own, fillStyle: own, lineWidth: 2 })[
      isLine ? "stroke" : "fill"
    ](shape);
    ctx.translate(-x, -y);
  }
}
