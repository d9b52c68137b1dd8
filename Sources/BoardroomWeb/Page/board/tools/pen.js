// Pen and highlighter: a stroke from pen down to pen up, sent while it is drawn. The laser leaves
// nothing: others know of it by where this member is, and by its `isPointing`.
import { hex } from "../../render/fields.js";
import { Filter, StepWriter, simplified, TOLERANCE, unitFor } from "../../render/smooth.js";
import { strokeMarks } from "../../render/stroke.js";
import { Trail } from "../trail.js";

/** Ms between messages: with the ends of strokes at most 30 a second. */
const PERIOD = 36;

/** Ms before the others are told of a finger: it may be one of two. */
const DOUBT = 120;

/** Points after which a stroke goes on as another one. */
const LONGEST = 12_000;

/** So many of the points that the browser predicts are drawn. */
const PREDICTED = 2;

/** What a pen is called in strokes, how much wider than chosen it is, how much it covers. */
const PENCIL = { tool: "pencil", broad: 1, shade: 1 };

const HIGHLIGHTER = { tool: "highlighter", broad: 6, shade: 0.4 };

/** @type {ToolMaker} */
export const pen = (board, name) => new Pen(board, name === "highlighter" ? HIGHLIGHTER : PENCIL);

/** @type {ToolMaker} */
export const laser = (board) => new Laser(board);

/** @implements {Tool} */
class Pen {
  cursor = "crosshair";
  keeps = true;

  /** @type {PenLine | undefined} what is being drawn */
  #line = undefined;

  /** @type {Sample[]} what is drawn ahead of the filter, and never sent */
  #tip = [];

  #filter = new Filter();

  /** When the pen went down. */
  #origin = 0;

  #hasPressure = false;
  #stopSending = () => {};

  /**
   * @param {Board} board
   * @param {typeof PENCIL} kind
   */
  constructor(board, kind) {
    this.board = board;
    this.kind = kind;
  }

  /** @param {Point} point */
  down(point) {
    this.#filter = new Filter();
    this.#origin = point.time;
    // A pen that always tells one half is one that knows of no pressure.
    this.#hasPressure = point.type === "pen" && point.pressure !== 0.5;
    this.#start([]);
    this.move([point]);
    const wait = point.type === "touch" ? DOUBT : PERIOD;
    this.#stopSending = this.board.clock.after(wait, () => this.#goOn());
  }

  /**
   * @param {Point[]} points
   * @param {Point[]} predicted
   */
  move(points, predicted = []) {
    for (const point of points) {
      const smooth = this.#filter.take({ ...this.#sampleOf(point), ...point.screen });
      this.#line?.points.push({ ...smooth, ...this.board.view.toScene(smooth) });
    }
    const ahead = [...points.slice(-1), ...predicted.slice(0, PREDICTED)];
    this.#tip = ahead.map((point) => this.#sampleOf(point));
  }

  /** @param {Drag} drag */
  up({ to }) {
    const line = this.#line;
    if (!line) return;
    // The filter lags behind; the line ends where the hand did. A lifted pen tells no pressure any
    // more.
    const { pressure } = line.points[line.points.length - 1];
    if (line.points.length > 1) line.points.push(this.#sampleOf({ ...to, pressure }));
    this.#send(line, true);
  }

  /** What nobody was told never was; what was told is taken away again. */
  cancel() {
    const line = this.#line;
    if (!line?.told) return;
    this.#send(line, true);
    this.board.send("erased", { elements: [line.id] });
  }

  end() {
    this.#stopSending();
    this.#line = undefined;
    this.board.hidden = undefined;
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    if (!this.#line) return;
    const { begin, points } = this.#line;
    const look = {
      width: begin.width / 4,
      colour: hex(begin.colour),
      opacity: (begin.opacity / 255) * this.kind.shade,
    };
    this.board.paint(ctx, strokeMarks([...points, ...this.#tip], look));
  }

  /**
   * @param {Point} point
   * @returns {Sample}
   */
  #sampleOf({ at, time, pressure = 0 }) {
    const sample = { ...at, time: time - this.#origin };
    return this.#hasPressure ? { ...sample, pressure } : sample;
  }

  /** @param {Sample[]} points that the stroke begins with */
  #start(points) {
    const { board, kind } = this;
    const { colour, width, opacity } = board.drawStyle;
    const unit = unitFor(board.view.scale);
    const begin = {
      scene: board.scene,
      unit,
      tool: kind.tool,
      colour,
      opacity: Math.round(opacity * 255),
      width: Math.round(width * kind.broad * 4),
    };
    const id = board.newId();
    this.#line = { id, begin, steps: new StepWriter(unit), points, told: 0 };
    board.hidden = id;
  }

  /** Sends what has come since, and once more after a while. */
  #goOn() {
    this.#stopSending = this.board.clock.after(PERIOD, () => this.#goOn());
    const line = this.#line;
    if (!line || line.told === line.points.length) return;
    const isLong = line.points.length >= LONGEST;
    this.#send(line, isLong);
    if (isLong) this.#start(line.points.slice(-1));
  }

  /**
   * @param {PenLine} line
   * @param {boolean} isEnd
   */
  #send(line, isEnd) {
    const { id, begin, steps, points, told } = line;
    const isFirst = told === 0;
    line.told = points.length;
    // The last point that was sent stands at the beginning of the stretch that is looked at.
    const stretch = points.slice(Math.max(told - 1, 0));
    const kept = simplified(stretch, TOLERANCE / this.board.view.scale);
    const { dp = [], ...segment } = steps.take(isFirst ? kept : kept.slice(1));
    this.board.send("stroke", {
      stroke: Number(id.split(".")[1]),
      end: isEnd,
      ...segment,
      ...(isFirst ? { begin } : {}),
      ...(this.#hasPressure ? { dp } : {}),
    });
  }
}

/** @implements {Tool} */
class Laser {
  cursor = "none";
  #trail = new Trail();

  /** @type {Spot | undefined} where it points */
  #light = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  down(point) {
    this.board.send("memberState", { isPointing: true });
    this.#trail.lift();
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    for (const { at } of points) {
      this.#trail.add(at, this.board.clock.now());
    }
    this.#light = points[points.length - 1].at;
  }

  /** @param {Point | undefined} point none: the pointer has left */
  hover(point) {
    this.#light = point?.at;
  }

  end() {
    if (this.board.canWrite) this.board.send("memberState", { isPointing: null });
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { clock, view } = this.board;
    const goesOn = this.#trail.draw(ctx, clock.now(), view.scale);
    if (this.#light) Trail.dot(ctx, this.#light, view.scale);
    return goesOn;
  }
}
