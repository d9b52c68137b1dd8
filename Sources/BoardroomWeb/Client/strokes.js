// Strokes that a program draws: points as the protocol has them, in commands that are not too large.
import { levels } from "./elements.js";
import { badOption } from "./errors.js";

/** @typedef {import("./types.js").StrokePoint} StrokePoint */

/** A step of a coordinate is 2^unit pixels. */
const UNIT = -2;

/** Pressure is sent in so many steps. */
const PRESSURES = 1023;

/** Bytes that a point needs, at most, and what a command has beside its points. */
const POINT_BYTES = 24;

const COMMAND_BYTES = 64;

/** Points of one command, at most. */
const MOST_POINTS = 2_000;

/** The largest coordinate, in pixels. */
const FARTHEST = 2 ** 36;

/**
 * @param {any} given {x, y}, or [x, y]
 * @returns {StrokePoint}
 */
function pointOf(given) {
  const point = Array.isArray(given) ? { x: given[0], y: given[1] } : given;
  const isPlace = (/** @type {any} */ one) => Number.isFinite(one) && Math.abs(one) <= FARTHEST;
  if (!isPlace(point?.x) || !isPlace(point.y)) {
    throw badOption("A point of a stroke has no finite x and y.");
  }
  const { pressure = 0 } = point;
  if (pressure >= 0 && pressure <= 1) return point;
  throw badOption("A pressure is not between 0 and 1.");
}

/** Writes the points of one stroke as differences. */
export class StrokeWriter {
  #last = { x: 0, y: 0, time: 0, pressure: 0 };
  #number;
  #begin;

  /**
   * @param {number} number of the stroke among the member's elements
   * @param {number} scene
   * @param {import("./types.js").Pen} pen
   */
  constructor(number, scene, { tool = "pencil", colour = "#1e1e1e", width = 4, opacity = 1 }) {
    if (!(width > 0 && width <= 16_383)) throw badOption("The width of a stroke is not positive.");
    if (!(opacity >= 0 && opacity <= 1)) throw badOption("An opacity is not between 0 and 1.");
    const look = { opacity: Math.round(opacity * 255), width: Math.round(width * 4) };
    this.#number = number;
    this.#begin = { scene, unit: UNIT, tool, colour: levels(colour), ...look };
  }

  /**
   * @param {readonly any[]} given
   * @param {{ends: boolean, limit: number}} options limit: bytes of a command
   * @returns {any[]} bodies of commands, one at least
   */
  write(given, { ends, limit }) {
    const points = given.map(pointOf);
    const size = Math.max(
      1,
      Math.min(MOST_POINTS, Math.floor((limit - COMMAND_BYTES) / POINT_BYTES)),
    );
    const pieces = [points.slice(0, size)];
    for (let at = size; at < points.length; at += size) {
      pieces.push(points.slice(at, at + size));
    }
    return pieces.map((piece, at) => this.#body(piece, ends && at === pieces.length - 1));
  }

  /**
   * @param {StrokePoint[]} points
   * @param {boolean} end
   */
  #body(points, end) {
    const begin = this.#begin;
    this.#begin = /** @type {any} */ (undefined);
    const steps = points.map((point) => this.#step(point));
    const hasPressure = points.some(({ pressure }) => pressure !== undefined);
    const column = (/** @type {"x" | "y" | "time" | "pressure"} */ name) =>
      steps.map((step) => step[name]);
    return {
      stroke: this.#number,
      ...(begin ? { begin } : {}),
      end,
      dx: column("x"),
      dy: column("y"),
      dt: column("time"),
      ...(hasPressure ? { dp: column("pressure") } : {}),
    };
  }

  /** @param {StrokePoint} point */
  #step({ x, y, time = this.#last.time, pressure }) {
    const last = this.#last;
    const next = {
      x: Math.round(x / 2 ** UNIT),
      y: Math.round(y / 2 ** UNIT),
      time: Math.max(last.time, Math.round(Number.isFinite(time) ? time : last.time)),
      pressure: pressure === undefined ? last.pressure : Math.round(pressure * PRESSURES),
    };
    this.#last = next;
    return {
      x: next.x - last.x,
      y: next.y - last.y,
      time: next.time - last.time,
      pressure: next.pressure - last.pressure,
    };
  }
}
