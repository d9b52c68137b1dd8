// Pen and highlighter: a stroke from pen down to pen up, sent while it is drawn. The laser leaves
// nothing: others know of it by where this member is, and by its `isPointing`.
import { hex } from "../../render/display.js";
import { Filter, StepWriter, simplified, TOLERANCE, unitFor } from "../../render/smooth.js";
import { strokeMarks } from "../../render/stroke.js";
import { Trail } from "../trail.js";

/**
 * Ms between messages (with ends at most 30 a second); before a finger, perhaps one of two, is told
 * of.
 */
const PERIOD = 36;

const DOUBT = 120;

/**
 * Points after which a stroke goes on as another one; a highlighter is so many times as wide as a
 * pen.
 */
const LONGEST = 12_000;

const BROAD = 6;

/** @type {ToolMaker} */
export function pen(board, name) {
  const [tool, broad, shade] = name === "highlighter" ? [name, BROAD, 0.4] : ["pencil", 1, 1];
  let filter = new Filter();
  let origin = 0;
  let hasPressure = false;
  let stop = () => {};
  let line = /** @type {PenLine | undefined} */ (undefined);
  // What is drawn ahead of the filter, and never sent.
  /** @type {Sample[]} */
  let tip = [];
  const sampleOf = (/** @type {Point} */ { at, time, pressure = 0 }) => ({
    ...at,
    time: time - origin,
    ...(hasPressure ? { pressure } : {}),
  });
  const start = (/** @type {Sample[]} */ points) => {
    const { view, scene } = board;
    const { colour, width, opacity: share } = board.drawStyle;
    const unit = unitFor(view.scale);
    const id = board.newId();
    const opacity = Math.round(share * 255);
    const begin = { scene, unit, tool, colour, opacity, width: Math.round(width * broad * 4) };
    line = { id, begin, steps: new StepWriter(unit), points, told: 0 };
    board.hidden = id;
  };
  const take = (/** @type {Point[]} */ points, /** @type {Point[]} */ predicted = []) => {
    for (const point of points) {
      const smooth = filter.take({ ...sampleOf(point), ...point.screen });
      line?.points.push({ ...smooth, ...board.view.toScene(smooth) });
    }
    tip = [...points.slice(-1), ...predicted.slice(0, 2)].map(sampleOf);
  };
  const send = (/** @type {PenLine} */ one, isEnd = false) => {
    const { id, begin, steps, points, told } = one;
    one.told = points.length;
    // The last point that was sent stands at the beginning of the stretch that is looked at.
    const kept = simplified(points.slice(Math.max(told - 1, 0)), TOLERANCE / board.view.scale);
    const { dp = [], ...segment } = steps.take(told > 0 ? kept.slice(1) : kept);
    const more = { ...(told > 0 ? {} : { begin }), ...(hasPressure ? { dp } : {}) };
    board.send("stroke", { stroke: Number(id.split(".")[1]), end: isEnd, ...segment, ...more });
  };
  const goOn = () => {
    stop = board.clock.after(PERIOD, goOn);
    if (!line || line.told === line.points.length) return;
    const isLong = line.points.length >= LONGEST;
    send(line, isLong);
    if (isLong) start(line.points.slice(-1));
  };
  return {
    cursor: "crosshair",
    move: take,
    keeps: true,
    down(point) {
      filter = new Filter();
      origin = point.time;
      // A pen that always tells one half is one that knows of no pressure.
      hasPressure = point.type === "pen" && point.pressure !== 0.5;
      start([]);
      take([point]);
      stop = board.clock.after(point.type === "touch" ? DOUBT : PERIOD, goOn);
    },
    up({ to }) {
      if (!line) return;
      // The filter lags behind; the line ends where the hand did. A lifted pen tells no pressure
      // any more.
      const { pressure } = line.points[line.points.length - 1];
      if (line.points.length > 1) line.points.push(sampleOf({ ...to, pressure }));
      send(line, true);
    },
    // What nobody was told never was; what was told is taken away again.
    cancel() {
      if (!line?.told) return;
      send(line, true);
      board.send("erased", { elements: [line.id] });
    },
    end() {
      stop();
      line = board.hidden = undefined;
    },
    draw(ctx) {
      if (!line) return;
      const { width, colour, opacity } = line.begin;
      const look = { width: width / 4, colour: hex(colour), opacity: (opacity / 255) * shade };
      board.paint(ctx, strokeMarks([...line.points, ...tip], look));
    },
  };
}

/** @type {ToolMaker} */
export function laser(board) {
  const trail = new Trail();
  let light = /** @type {Spot | undefined} */ (undefined);
  const shine = (/** @type {Point[]} */ points) => {
    for (const { at } of points) {
      trail.add(at, board.clock.now());
    }
    light = points[points.length - 1].at;
  };
  return {
    cursor: "none",
    move: shine,
    down(point) {
      board.send("memberState", { isPointing: true });
      trail.lift();
      shine([point]);
    },
    hover: (point) => (light = point?.at),
    end: () => board.canWrite && board.send("memberState", { isPointing: null }),
    draw(ctx) {
      const goesOn = trail.draw(ctx, board.clock.now(), board.view.scale);
      if (light) Trail.dot(ctx, light, board.view.scale);
      return goesOn;
    },
  };
}
