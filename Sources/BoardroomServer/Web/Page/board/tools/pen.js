// Pen and highlighter: a stroke from pen down to pen up, sent while it is drawn.

import { hex } from "../../core/display.js";
import { strokeMarks } from "../../core/stroke.js";
import { Filter, Steps, TOLERANCE, simplified, unitFor } from "../../core/smooth.js";

/** @typedef {import("../input.js").Point} Point */
/** @typedef {import("../../core/smooth.js").Sample} Sample */

/** At most 30 messages a second. */
const PERIOD = 34;
/** A finger may be the first of two: it is told the others when it stays alone for so long (ms). */
const DOUBT = 120;
/** A stroke that is longer than this goes on as another one, so that no stroke grows without bounds. */
const LONGEST = 6000;

export class Pen {
  /** @param {import("../board.js").Board} board @param {"pen" | "highlighter"} name */
  constructor(board, name) {
    this.board = board;
    this.name = name;
    this.cursor = "crosshair";
    /** @type {{number: number, begin: any, steps: Steps, sent: boolean, count: number} | undefined} */
    this.stroke = undefined;
    // Filtered, on the scene; the ones from `told` on are not sent yet.
    /** @type {Sample[]} */
    this.points = [];
    this.told = 0;
    this.filter = new Filter();
    this.origin = 0;
    this.hasPressure = false;
    // What is drawn ahead of the filter, and never sent.
    /** @type {Sample[]} */
    this.tip = [];
  }

  /** @param {Point} point */
  down(point) {
    [this.filter, this.points, this.told, this.tip] = [new Filter(), [], 0, []];
    // A pen that always tells one half is one that knows of no pressure.
    [this.origin, this.hasPressure] = [point.time, point.type === "pen" && point.pressure !== 0.5];
    this.#begin();
    this.#take([point]);
    this.#wait(point.type === "touch" ? DOUBT : PERIOD);
  }

  #begin() {
    const { view, style, scene } = this.board;
    const isMarker = this.name === "highlighter";
    const unit = unitFor(view.scale);
    // Widths are of the screen's pixels as they are now: a fine line stays one however near it is looked at.
    const begin = {
      scene, unit, tool: isMarker ? "highlighter" : "pencil", colour: style.colour,
      opacity: Math.round(style.opacity * 255), width: Math.round((style.width * (isMarker ? 6 : 1)) * 4),
    };
    this.stroke = { number: this.board.newNumber(), begin, steps: new Steps(unit), sent: false, count: 0 };
    this.board.hide(this.stroke.number);
  }

  /** @param {Point[]} points */
  #take(points) {
    const { view } = this.board;
    for (const { screen, time, pressure } of points) {
      const sample = { ...screen, time: time - this.origin, ...(this.hasPressure ? { pressure: pressure ?? 0 } : {}) };
      const smooth = this.filter.take(sample);
      this.points.push({ ...smooth, ...view.toScene(smooth) });
    }
    const last = points[points.length - 1];
    this.tip = last ? [this.#ahead(last)] : [];
  }

  /** @param {Point} point @returns {Sample} */
  #ahead(point) {
    const { pressure } = this.points[this.points.length - 1];
    return { ...point.at, time: point.time, ...(pressure === undefined ? {} : { pressure }) };
  }

  /** @param {Point[]} points @param {Point[]} predicted */
  move(points, predicted) {
    if (!this.stroke) return;
    this.#take(points);
    this.tip.push(...predicted.slice(0, 2).map((point) => this.#ahead(point)));
    this.board.refresh();
  }

  /** @param {number} ms */
  #wait(ms) {
    this.stop = this.board.clock.after(ms, () => {
      if (!this.stroke) return;
      if (this.points.length > this.told) this.#send(false);
      this.#wait(PERIOD);
    });
  }

  /** @param {boolean} isEnd */
  #send(isEnd) {
    const { stroke } = this;
    if (!stroke) return;
    // The point before was sent; it stands at the beginning of the stretch that is looked at.
    const fresh = this.points.slice(Math.max(this.told - 1, 0));
    const kept = simplified(fresh, TOLERANCE / this.board.view.scale).slice(this.told > 0 ? 1 : 0);
    this.told = this.points.length;
    stroke.count += kept.length;
    const segment = stroke.steps.take(kept);
    const begin = stroke.sent ? {} : { begin: stroke.begin };
    stroke.sent = true;
    const dp = this.hasPressure ? { dp: segment.dp ?? [] } : {};
    const { dx, dy, dt } = segment;
    this.board.send("stroke", { stroke: stroke.number, ...begin, end: isEnd, dx, dy, dt, ...dp });
    if (!isEnd && stroke.count > LONGEST) this.#goOn();
  }

  #goOn() {
    const last = this.points[this.points.length - 1];
    this.#send(true);
    this.#begin();
    [this.points, this.told] = [[last], 0];
  }

  /** @param {Point} point */
  up(point) {
    if (!this.stroke) return;
    // The filter lags behind; the line ends where the hand did.
    if (this.points.length > 1) this.points.push({ ...this.#ahead(point), time: point.time - this.origin });
    this.#send(true);
    this.#end();
  }

  #end() {
    if (typeof this.stop === "function") this.stop();
    this.stroke = undefined;
    [this.points, this.tip] = [[], []];
    this.board.hide(undefined);
  }

  /** What nobody was told never was; what was told is taken away again. */
  cancel() {
    const { stroke } = this;
    if (!stroke) return;
    if (stroke.sent) {
      this.#send(true);
      this.board.send("erased", { elements: [this.board.idOf(stroke.number)] });
    }
    this.#end();
  }

  /** @param {CanvasRenderingContext2D} ctx */
  draw(ctx) {
    if (!this.stroke) return;
    const { begin } = this.stroke;
    const opacity = (begin.opacity / 255) * (this.name === "highlighter" ? 0.4 : 1);
    const look = { width: begin.width / 4, colour: hex(begin.colour), opacity };
    this.board.paint(ctx, strokeMarks([...this.points, ...this.tip], look));
  }
}
