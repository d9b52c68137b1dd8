// Pen and highlighter: a stroke from pen down to pen up, sent while it is drawn.

import { hex } from "../../core/display.js";
import { Filter, StepWriter, TOLERANCE, simplified, unitFor } from "../../core/smooth.js";
import { strokeMarks } from "../../core/stroke.js";

/** At most 30 messages a second. */
const PERIOD = 34;
/** A finger may be the first of two: the others are told when it has stayed alone for so long (ms). */
const DOUBT = 120;
/** A stroke with more points than this goes on as another one, so that no stroke grows without bounds. */
const LONGEST = 6000;
/** A highlighter is so many times as wide as a pen. */
const BROAD = 6;

export class Pen {
  cursor = "crosshair";
  /** @type {{id: string, begin: any, steps: StepWriter, isSent: boolean, count: number} | undefined} */
  stroke = undefined;
  // Filtered, on the scene; the ones from `told` on are not sent yet.
  /** @type {Sample[]} */
  points = [];
  told = 0;
  filter = new Filter();
  origin = 0;
  hasPressure = false;
  // What is drawn ahead of the filter, and never sent.
  /** @type {Sample[]} */
  tip = [];
  stop = () => {};

  /** @param {import("../board.js").Board} board @param {string} name */
  constructor(board, name) {
    this.board = board;
    this.name = name;
    this.isMarker = name === "highlighter";
  }

  /** @param {Point} point */
  down(point) {
    this.filter = new Filter();
    this.origin = point.time;
    // A pen that always tells one half is one that knows of no pressure.
    this.hasPressure = point.type === "pen" && point.pressure !== 0.5;
    this.#begin([]);
    this.#take([point]);
    this.#wait(point.type === "touch" ? DOUBT : PERIOD);
  }

  /** @param {Sample[]} points */
  #begin(points) {
    const { view, drawStyle: { colour, width, opacity }, scene } = this.board;
    const unit = unitFor(view.scale);
    const begin = {
      scene, unit, tool: this.isMarker ? "highlighter" : "pencil", colour,
      opacity: Math.round(opacity * 255), width: Math.round(width * (this.isMarker ? BROAD : 1) * 4),
    };
    this.stroke = { id: this.board.newId(), begin, steps: new StepWriter(unit), isSent: false, count: 0 };
    this.points = points;
    this.told = 0;
    this.board.hidden = this.stroke.id;
  }

  /** @param {Point[]} points */
  #take(points) {
    for (const point of points) {
      const sample = { ...this.#sample(point), ...point.screen };
      const smooth = this.filter.take(sample);
      this.points.push({ ...smooth, ...this.board.view.toScene(smooth) });
    }
    this.tip = [this.#sample(points[points.length - 1])];
  }

  /** @param {Point} point @returns {Sample} */
  #sample({ at, time, pressure }) {
    return { ...at, time: time - this.origin, ...this.hasPressure ? { pressure: pressure ?? 0 } : {} };
  }

  /** @param {Point[]} points @param {Point[]} predicted */
  move(points, predicted) {
    if (!this.stroke) return;
    this.#take(points);
    this.tip.push(...predicted.slice(0, 2).map((point) => this.#sample(point)));
    this.board.refresh();
  }

  /** @param {number} ms */
  #wait(ms) {
    this.stop = this.board.clock.after(ms, () => {
      if (this.points.length > this.told) this.#send(false);
      this.#wait(PERIOD);
    });
  }

  /** @param {boolean} isEnd */
  #send(isEnd) {
    const { stroke } = this;
    if (!stroke) return;
    // The last point that was sent stands at the beginning of the stretch that is looked at.
    const fresh = this.points.slice(Math.max(this.told - 1, 0));
    const kept = simplified(fresh, TOLERANCE / this.board.view.scale).slice(this.told > 0 ? 1 : 0);
    this.told = this.points.length;
    stroke.count += kept.length;
    const { dx, dy, dt, dp = [] } = stroke.steps.take(kept);
    const begin = stroke.isSent ? {} : { begin: stroke.begin };
    stroke.isSent = true;
    const number = Number(stroke.id.slice(stroke.id.indexOf(".") + 1));
    const pressure = this.hasPressure ? { dp } : {};
    this.board.send("stroke", { stroke: number, ...begin, end: isEnd, dx, dy, dt, ...pressure });
    if (isEnd || stroke.count < LONGEST) return;
    this.#send(true);
    this.#begin(this.points.slice(-1));
  }

  /** @param {Point} point */
  up(point) {
    // The filter lags behind; the line ends where the hand did. A lifted pen tells no pressure any more.
    const { pressure } = this.points[this.points.length - 1] ?? {};
    if (this.points.length > 1) this.points.push(this.#sample({ ...point, pressure }));
    this.#send(true);
    this.#end();
  }

  #end() {
    this.stop();
    this.stroke = this.board.hidden = undefined;
    this.points = this.tip = [];
    this.board.refresh();
  }

  /** What nobody was told never was; what was told is taken away again. */
  cancel() {
    if (this.stroke?.isSent) {
      const { id } = this.stroke;
      this.#send(true);
      this.board.send("erased", { elements: [id] });
    }
    this.#end();
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    if (!this.stroke) return;
    const { width, colour, opacity } = this.stroke.begin;
    const look = { width: width / 4, colour: hex(colour),
      opacity: (opacity / 255) * (this.isMarker ? 0.4 : 1) };
    this.board.paint(ctx, strokeMarks([...this.points, ...this.tip], look));
  }
}
