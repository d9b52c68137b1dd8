// Draws the timeline: activity by kind, markers and the axis on one canvas, lanes of members on
// another.
import { find, h } from "../ui/dom.js";
import { clockText, heat, lanes, markers, stack, timeAt, xOf } from "./layout.js";
import { MARKER_NAMES } from "./log.js";

/** Heights in pixels, from the top: the axis, markers, activity. */
const AXIS = 16;

const STRIP = 14;
const HEAT = 40;

/** Pixels between labels of the axis. */
const LABEL = 96;

/** @type {Record<string, string>} which marker stands for what befell a member */
const LANE_MARKS = { kicked: "kick", replaced: "takeover", refused: "refused", left: "join" };

/** @type {Record<string, string>} colours of phases; of all others "bad" */
const PHASE_COLOURS = { connected: "ok", reconnecting: "warn" };

/**
 * How far below the middle of its lane a line is drawn, and how high: as the server saw it, as the
 * client did.
 */
const SERVER_LINE = { top: -3, height: 6 };

const CLIENT_LINE = { top: 5, height: 2 };

/** @typedef {{shape: Path2D, colour: string, isLine: boolean}} Marker */

export class TimelinePainter {
  /** Whose time is drawn, as far as it is seen. */
  window = { from: 0, to: 1, width: 1 };

  /** @param {HTMLElement} page */
  constructor(page) {
    this.root = find(page, ".tracks");
    this.heat = find(page, ".heat", HTMLCanvasElement);
    this.lanes = find(page, ".lanes canvas", HTMLCanvasElement);
    /** @type {Map<string, Marker>} */
    this.markers = new Map(MARKER_NAMES.map((name) => [name, markerOf(page, name)]));
  }

  /** Measures the width of the timeline. */
  measure() {
    this.window.width = Math.max(this.heat.clientWidth, 1);
  }

  /** On a phone lanes are not shown. */
  get hasLanes() {
    return this.lanes.clientWidth > 0;
  }

  /** @param {Replay.Shown} shown */
  draw(shown) {
    this.#drawActivity(shown);
    if (this.hasLanes) this.#drawLanes(shown);
  }

  /** @param {string} name of a custom property */
  #value(name) {
    return getComputedStyle(this.root).getPropertyValue(`--${name}`);
  }

  /** @param {Replay.Shown} shown */
  #drawActivity(shown) {
    const ctx = this.#begin(this.heat, AXIS + STRIP + HEAT, shown, AXIS);
    const counted = heat(shown, this.window);
    this.#drawHeat(ctx, counted);
    for (const { x, marker } of markers(counted, this.window.width)) {
      this.#mark(ctx, MARKER_NAMES[marker], x, AXIS + STRIP / 2);
    }
    this.#drawAxis(ctx, shown);
  }

  /**
   * @param {Ink} ctx
   * @param {Replay.Heat} counted
   */
  #drawHeat(ctx, counted) {
    const bottom = AXIS + STRIP + HEAT;
    const colours = [...this.markers.values()].map(({ colour }) => this.#value(colour));
    const inks = [...colours, this.#value("edge")];
    for (let column = 0; column < this.window.width; column++) {
      for (const { marker, from, to } of stack(counted, column)) {
        ctx.fillStyle = inks[marker];
        ctx.fillRect(column, bottom - to * HEAT, 1, (to - from) * HEAT);
      }
    }
  }

  /**
   * @param {Ink} ctx
   * @param {Replay.Shown} shown
   */
  #drawAxis(ctx, { pacing, log }) {
    const { from, to, width } = this.window;
    ctx.fillStyle = this.#value("ink-2");
    ctx.font = "11px system-ui, sans-serif";
    const decimals = decimalsFor(to - from);
    for (let x = 0; x < width - LABEL / 2; x += LABEL) {
      const time = timeAt(this.window, pacing, x);
      ctx.fillRect(x, 3, 1, 10);
      ctx.fillText(clockText(time - log.begin, decimals), x + 4, 12);
    }
  }

  /** @param {Replay.Shown} shown */
  #drawLanes(shown) {
    const rows = lanes(shown.log);
    // Its name beside it is a button, and as high.
    const lane = Number.parseFloat(this.#value("lane"));
    const ctx = this.#begin(this.lanes, rows.length * lane, shown);
    const xAt = (/** @type {number} */ time) => xOf(this.window, shown.pacing, time);
    for (const [row, { spans, seen, marks }] of rows.entries()) {
      const middle = (row + 0.5) * lane;
      this.#drawSpans(ctx, spans, middle + SERVER_LINE.top, SERVER_LINE.height, xAt);
      this.#drawSpans(ctx, seen, middle + CLIENT_LINE.top, CLIENT_LINE.height, xAt);
      for (const { time, phase } of marks) {
        this.#mark(ctx, LANE_MARKS[phase], xAt(time), middle);
      }
    }
  }

  /**
   * @param {Ink} ctx
   * @param {Replay.Span[]} spans
   * @param {number} y
   * @param {number} height
   * @param {(time: number) => number} xAt
   */
  #drawSpans(ctx, spans, y, height, xAt) {
    for (const { from, to, phase } of spans) {
      const x = xAt(from);
      ctx.fillStyle = this.#value(PHASE_COLOURS[phase] ?? "bad");
      ctx.fillRect(x, y, Math.max(xAt(to) - x, 1), height);
    }
  }

  /**
   * Clears a canvas; idle time that is cut short is hatched.
   * @param {HTMLCanvasElement} canvas
   * @param {number} height
   * @param {Replay.Shown} shown
   * @param {number} top of what is hatched
   * @returns {Ink}
   */
  #begin(canvas, height, { pacing }, top = 0) {
    const ratio = devicePixelRatio || 1;
    canvas.width = Math.round(this.window.width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const ctx = /** @type {Ink} */ (canvas.getContext("2d"));
    ctx.scale(ratio, ratio);
    ctx.fillStyle = this.#hatching(ctx);
    for (const gap of pacing.gaps) {
      const from = xOf(this.window, pacing, gap.from);
      const to = xOf(this.window, pacing, gap.to);
      ctx.fillRect(from, top, Math.max(to - from, 2), height - top);
    }
    return ctx;
  }

  /** @param {Ink} ctx */
  #hatching(ctx) {
    const tile = h("canvas", { width: 8, height: 8 });
    const line = /** @type {Ink} */ (tile.getContext("2d"));
    line.strokeStyle = this.#value("edge");
    line.lineWidth = 2;
    line.stroke(new Path2D("M-2 2L2-2M-2 10L10-2M6 10L10 6"));
    return /** @type {CanvasPattern} */ (ctx.createPattern(tile, "repeat"));
  }

  /**
   * @param {Ink} ctx
   * @param {string} marker
   * @param {number} x of its middle
   * @param {number} y
   */
  #mark(ctx, marker, x, y) {
    const { shape, colour, isLine } = /** @type {Marker} */ (this.markers.get(marker));
    ctx.save();
    ctx.translate(x, y);
    // A border in the colour of the background separates shapes from what is behind them.
    ctx.strokeStyle = this.#value("ground");
    ctx.lineWidth = isLine ? 5 : 3;
    ctx.lineJoin = "round";
    ctx.stroke(shape);
    ctx.strokeStyle = this.#value(colour);
    ctx.fillStyle = this.#value(colour);
    ctx.lineWidth = 2;
    if (isLine) ctx.stroke(shape);
    else ctx.fill(shape);
    ctx.restore();
  }
}

/**
 * @param {HTMLElement} page
 * @param {string} marker
 * @returns {Marker} with the shape and colour of the button that filters by it
 */
function markerOf(page, marker) {
  const button = find(page, `[data-marker=${marker}]`);
  const path = find(button, "path", SVGPathElement).getAttribute("d") ?? "";
  const [colour, kind] = button.classList;
  return { shape: new Path2D(path), colour, isLine: kind === "line" };
}

/** @param {number} span ms that the axis shows @returns {number} of its labels */
function decimalsFor(span) {
  if (span < 2_000) return 2;
  return span < 20_000 ? 1 : 0;
}
