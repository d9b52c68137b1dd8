// Pen and highlighter: a stroke is sent while it is drawn. The laser makes no element: other
// members see it by the position of this one, and by its `isPointing`.
import { fixed } from "../../render/display.js";
import { hex } from "../../render/fields.js";
import { Filter, StepWriter, simplified, TOLERANCE, unitFor } from "../../render/smooth.js";
import { strokeMarks } from "../../render/stroke.js";
import { Trail } from "../trail.js";

/** Ms between messages: with the ends of strokes at most 30 a second. */
const SEND_PERIOD = 36;

/** Ms before a stroke of a finger is sent: a second finger may follow. */
const TOUCH_DELAY = 120;

/** Points of one stroke at most; after them another stroke continues it. */
const MOST_POINTS = 12_000;

/** Points predicted by the browser that are drawn, at most. */
const MOST_PREDICTED = 2;

/** The name of the tool in strokes, the factor of its width, and how much it covers. */
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

  /** @type {PenLine | undefined} the stroke that is being drawn */
  #line = undefined;

  /** @type {Sample[]} points ahead of the filter: drawn, and never sent */
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
    // A pen whose pressure is always one half does not measure it.
    this.#hasPressure = point.type === "pen" && point.pressure !== 0.5;
    this.#beginLine([]);
    this.move([point]);
    const wait = point.type === "touch" ? TOUCH_DELAY : SEND_PERIOD;
    this.#stopSending = this.board.clock.after(wait, () => this.#sendPeriodically());
  }

  /**
   * @param {Point[]} points
   * @param {Point[]} predicted
   */
  move(points, predicted = []) {
    for (const point of points) {
      const smooth = this.#filter.filter({ ...this.#sampleOf(point), ...point.screen });
      this.#line?.points.push({ ...smooth, ...this.board.view.toScene(smooth) });
    }
    const ahead = [...points.slice(-1), ...predicted.slice(0, MOST_PREDICTED)];
    this.#tip = ahead.map((point) => this.#sampleOf(point));
  }

  /** @param {Drag} drag */
  up({ to }) {
    const line = this.#line;
    if (!line) return;
    // The filter is late; the line ends where the pointer did. A pen that was lifted reports no
    // pressure.
    const { pressure } = line.points[line.points.length - 1];
    if (line.points.length > 1) line.points.push(this.#sampleOf({ ...to, pressure }));
    this.#send(line, true);
  }

  /** A stroke that was not sent is dropped; one that was sent is erased. */
  cancel() {
    const line = this.#line;
    if (!line?.sent) return;
    this.#send(line, true);
    this.board.send("erased", { elements: [line.id] });
  }

  end() {
    this.#stopSending();
    this.#line = undefined;
    this.board.hiddenStroke = undefined;
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
    const marks = strokeMarks([...points, ...this.#tip], look);
    this.board.paint(ctx, this.kind === HIGHLIGHTER ? marks.map(fixed) : marks);
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
  #beginLine(points) {
    const { board, kind } = this;
    const { colour, width, opacity } = board.toolStyle;
    const unit = unitFor(board.view.scale, board.view);
    const begin = {
      scene: board.scene,
      unit,
      tool: kind.tool,
      colour,
      opacity: Math.round(opacity * 255),
      width: Math.round(width * kind.broad * 4),
    };
    const id = board.newId();
    this.#line = { id, begin, steps: new StepWriter(unit), points, sent: 0 };
    board.hiddenStroke = id;
  }

  /** Sends the points since the last message, now and periodically. */
  #sendPeriodically() {
    this.#stopSending = this.board.clock.after(SEND_PERIOD, () => this.#sendPeriodically());
    const line = this.#line;
    if (!line || line.sent === line.points.length) return;
    const isLong = line.points.length >= MOST_POINTS;
    this.#send(line, isLong);
    if (isLong) this.#beginLine(line.points.slice(-1));
  }

  /**
   * @param {PenLine} line
   * @param {boolean} isEnd
   */
  #send(line, isEnd) {
    const { id, begin, steps, points, sent } = line;
    const isFirst = sent === 0;
    line.sent = points.length;
    // The last point that was sent is the beginning of the part that is simplified.
    const stretch = points.slice(Math.max(sent - 1, 0));
    const kept = simplified(stretch, TOLERANCE / this.board.view.scale);
    const { dp = [], ...segment } = steps.write(isFirst ? kept : kept.slice(1));
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
  #spot = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  down(point) {
    this.board.send("memberState", { isPointing: true });
    this.#trail.endLine();
    this.move([point]);
  }

  /** @param {Point[]} points */
  move(points) {
    for (const { at } of points) {
      this.#trail.add(at, this.board.clock.now());
    }
    this.#spot = points[points.length - 1].at;
  }

  /** @param {Point | undefined} point undefined: the pointer has left */
  hover(point) {
    this.#spot = point?.at;
  }

  end() {
    if (this.board.canWrite) this.board.send("memberState", { isPointing: null });
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { clock, view } = this.board;
    const goesOn = this.#trail.draw(ctx, clock.now(), view.scale);
    if (this.#spot) Trail.dot(ctx, this.#spot, view.scale);
    return goesOn;
  }
}
