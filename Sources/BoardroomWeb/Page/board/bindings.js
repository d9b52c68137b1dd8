// Arrows that are bound to shapes: which shape an end is dropped on, and how arrows follow their
// shapes. Whoever changes a shape sends the new points of its arrows with the change, so that one
// undo takes back both (docs/WEB.md, "The board").
import { ElementFields } from "../render/fields.js";
import { clamp, distanceToStretch, sizeOf } from "../render/geom.js";
import { changed, FREE, moves, straightened } from "./edits.js";
import {
  BOUND_ENDS,
  bendAt,
  bentTo,
  boundOf,
  canBind,
  isIn,
  outlineOf,
  partsOf,
  routed,
  routeOf,
} from "./routes.js";
import { COLOURS } from "./selection.js";

/** @typedef {import("./routes.js").Bound} Bound */

/** What of an element says where it is. */
const PLACE = ["x", "y", "width", "height", "points", "transform"];

/** Nearer to the middle of a shape, in parts of its box, an end is bound to the middle. */
const NEAR_MIDDLE = 0.2;

/** Pixels of the screen: a shorter arrow has no handle in its middle. */
const SHORTEST = 48;

/** Of the handle of what can be dragged along one axis. */
const CURSORS = { x: "ew-resize", y: "ns-resize" };

/** @param {Style} set */
const isMoved = (set) => PLACE.some((key) => key in set);

/** @param {Thing} thing */
const isArrow = (thing) => thing.shape?.type === "arrow";

export class Bindings {
  /** @type {Thing | undefined} the shape to which an end would be bound */
  #target = undefined;

  /**
   * Arrows of what is dragged, and as they are drawn now; none: nothing is dragged.
   * @type {{arrows: Thing[], drawn: Thing[]} | undefined}
   */
  #following = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
    board.layers.add(this);
  }

  close() {}

  get #entries() {
    return [...this.board.sceneContent.index.entries.values()];
  }

  #find = (/** @type {string} */ id) => this.board.sceneContent.index.entries.get(id)?.element;

  /**
   * The smallest shape at a place.
   * @param {Point} point
   * @param {Spot} [other] the other end, which is outside of it
   */
  #shapeAt(point, other) {
    if (point.ctrl) return undefined;
    const reach = this.board.hitRadius(point);
    const { x, y } = point.at;
    const around = { left: x - reach, top: y - reach, right: x + reach, bottom: y + reach };
    const found = this.board.sceneContent.index.within(around).flatMap(({ element, box }) => {
      if (!canBind(element)) return [];
      const ring = outlineOf(element);
      const isOn = isIn(ring, point.at) || isNear(ring, point.at, reach);
      if (!isOn || (other && isIn(ring, other))) return [];
      return [{ element, area: sizeOf(box).x * sizeOf(box).y }];
    });
    // Of equal ones the topmost.
    return found.reverse().sort((a, b) => a.area - b.area)[0]?.element;
  }

  /**
   * @param {Point} point
   * @param {Spot} [other]
   * @returns {Bound | undefined}
   */
  #boundAt(point, other) {
    const shape = this.#shapeAt(point, other);
    if (!shape) return undefined;
    const [u, v] = partsOf(shape, point.at);
    const isMiddle = Math.abs(u - 0.5) < NEAR_MIDDLE && Math.abs(v - 0.5) < NEAR_MIDDLE;
    return { element: shape.id, at: isMiddle ? [0.5, 0.5] : [clamp(u, 0, 1), clamp(v, 0, 1)] };
  }

  /**
   * An arrow that a hand draws.
   * @param {Record<string, any>} shape as it is without shapes around
   * @param {Pick<Drag, "from" | "to">} drag
   * @returns {Record<string, any>}
   */
  made(shape, { from, to }) {
    const style = { ...shape.style };
    const first = this.#boundAt({ ...from, ctrl: to.ctrl }, to.at);
    const last = this.#boundAt(to, from.at);
    this.#target = last ? this.#find(last.element) : undefined;
    if (first) style.start = first;
    if (last) style.end = last;
    const { route } = this.board.drawStyle;
    if (route !== "straight") style.route = route;
    if (!first && !last && route === "straight") return shape;
    const arrow = /** @type {any} */ ({ shape: { ...shape, style } });
    const { "style.rounded": isRounded, ...place } = routed(arrow, this.#find);
    return { ...shape, ...place, style: isRounded ? { ...style, rounded: true } : style };
  }

  /**
   * @param {Thing} arrow that is selected alone
   * @param {Thing} now as it is drawn
   * @returns {Handle[]} at its ends, which bind it, and in its middle, which bends it
   */
  handles(arrow, now) {
    const fields = new ElementFields(now);
    const { points } = fields;
    if (points.length < 2) return [];
    const lasts = [points[0], points[points.length - 1]];
    const [first, last] = lasts;
    const ends = BOUND_ENDS.map((name, at) =>
      this.#handle(lasts[at], ({ to }) => this.#endAt(arrow, name, lasts[1 - at], to)),
    );
    // Points between the ends that no route made are moved one by one.
    const isFree = routeOf(fields) === "straight" && points.length > 2;
    if (isFree) return [ends[0], ...this.#corners(arrow, points), ends[1]];
    const middle = bendAt(now, this.#find);
    const length = Math.hypot(last.x - first.x, last.y - first.y) * this.board.view.scale;
    if (!middle || length < SHORTEST) return ends;
    const cursor = middle.axis ? CURSORS[middle.axis] : "move";
    const bend = this.#handle(
      middle.at,
      ({ to }) => {
        const bent = changed(arrow, bentTo(arrow, this.#find, to.at));
        return [{ id: arrow.id, set: { ...bentTo(arrow, this.#find, to.at), ...this.#way(bent) } }];
      },
      cursor,
    );
    return [ends[0], bend, ends[1]];
  }

  /** @param {Thing} arrow */
  #way = (arrow) => routed(arrow, this.#find);

  /**
   * @param {Thing} arrow
   * @param {Spot[]} points
   */
  #corners(arrow, points) {
    return points.slice(1, -1).map((at, index) =>
      this.#handle(at, ({ to }) => {
        const { left, top } = new ElementFields(arrow).box;
        const pairs = points.map((one) => [one.x - left, one.y - top]);
        pairs[index + 1] = [to.at.x - left, to.at.y - top];
        const set = { points: pairs };
        return [{ id: arrow.id, set: { ...set, ...this.#way(changed(arrow, set)) } }];
      }),
    );
  }

  /**
   * @param {Spot} at
   * @param {(drag: Drag) => Change[]} change
   * @returns {Handle}
   */
  #handle = (at, change, cursor = "move") => ({ at, cursor, isRound: true, change });

  /**
   * @param {Thing} arrow
   * @param {"start" | "end"} name
   * @param {Spot} other end
   * @param {Point} to
   * @returns {Change[]}
   */
  #endAt(arrow, name, other, to) {
    const at = to.shift ? straightened(other, to.at) : to.at;
    const bound = this.#boundAt({ ...to, at }, other);
    this.#target = bound ? this.#find(bound.element) : undefined;
    const { box, points } = new ElementFields(arrow);
    const there = points.map((one) => [one.x - box.left, one.y - box.top]);
    const end = [at.x - box.left, at.y - box.top];
    there[name === "start" ? 0 : there.length - 1] = end;
    const set = { points: there, [`style.${name}`]: bound ?? FREE };
    return [{ id: arrow.id, set: { ...set, ...this.#way(changed(arrow, set)) } }];
  }

  /**
   * @param {Change[]} changes
   * @returns {Change[]} with those of the arrows that are bound to what is moved
   */
  withArrows(changes) {
    const moving = new Map(
      changes.filter(({ set }) => isMoved(set)).map((one) => [one.id, one.set]),
    );
    const hasRoute = changes.some(({ set }) => "style.route" in set);
    if (moving.size === 0 && !hasRoute) return changes;
    const sets = new Map(changes.map(({ id, set }) => [id, set]));
    const find = (/** @type {string} */ id) => {
      const thing = this.#find(id);
      const set = sets.get(id);
      return thing && set ? changed(thing, set) : thing;
    };
    const own = changes.map((change) => this.#ownChange(change, moving, find));
    const others = this.#arrowsOf(moving).map((arrow) => ({
      id: arrow.id,
      set: routed(arrow, find),
    }));
    return [...own, ...others];
  }

  /**
   * A change of an arrow itself: it stays bound if one of its shapes goes with it.
   * @param {Change} change
   * @param {Map<string, Style>} moving
   * @param {(id: string) => Thing | undefined} find
   * @returns {Change}
   */
  #ownChange({ id, set }, moving, find) {
    const arrow = this.#find(id);
    if (!arrow || !isArrow(arrow)) return { id, set };
    if ("style.route" in set && !isMoved(set)) {
      const bend = { ...set, "style.bend": null };
      return { id, set: { ...bend, ...routed(changed(arrow, bend), find) } };
    }
    if (!isMoved(set)) return { id, set };
    const later = changed(arrow, set);
    const fields = new ElementFields(later);
    const bound = BOUND_ENDS.filter((name) => boundOf(fields, name));
    if (bound.some((name) => moving.has(boundOf(fields, name)?.element ?? ""))) {
      return { id, set: { ...set, ...routed(later, find) } };
    }
    // Whoever says where its ends are bound, or how it is bent, has given it its way.
    const isDone = BOUND_ENDS.some((name) => `style.${name}` in set) || "style.bend" in set;
    if (isDone) return { id, set };
    const free = Object.fromEntries(bound.map((name) => [`style.${name}`, FREE]));
    return { id, set: { ...set, ...free } };
  }

  /**
   * @param {Map<string, unknown>} shapes
   * @returns {Thing[]} the arrows that are bound to one of them, and are none of them
   */
  #arrowsOf(shapes) {
    const arrows = this.#entries.filter(({ element }) => isArrow(element));
    return arrows.flatMap(({ element }) => {
      const fields = new ElementFields(element);
      const isBound = BOUND_ENDS.some((name) => shapes.has(boundOf(fields, name)?.element ?? ""));
      return isBound && !shapes.has(element.id) && !fields.isLocked ? [element] : [];
    });
  }

  /**
   * Shows the arrows of elements as hands move these.
   * @param {Thing[]} elements as they are drawn, so far aside; none: hands have let go
   * @param {Spot} shift
   */
  follow(elements, { x, y }) {
    const { sceneContent } = this.board;
    if (elements.length === 0) {
      sceneContent.putBackOnTiles(this.#following?.arrows.map(({ id }) => id) ?? []);
      this.#following = undefined;
      this.#target = undefined;
      return;
    }
    const there = new Map(elements.map((element) => [element.id, element]));
    this.#following ??= { arrows: this.#arrowsOf(there), drawn: [] };
    const { arrows } = this.#following;
    if (arrows.length === 0) return;
    const find = (/** @type {string} */ id) => {
      const element = there.get(id);
      return element ? changed(element, moves([element], x, y)[0].set) : this.#find(id);
    };
    this.#following.drawn = arrows.map((arrow) => changed(arrow, routed(arrow, find)));
    sceneContent.takeOffTiles(arrows.map(({ id }) => id));
  }

  /** An end that was about to be bound is not any more. */
  release() {
    this.#target = undefined;
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    const { board } = this;
    for (const arrow of this.#following?.drawn ?? []) {
      board.paint(ctx, board.stage.marksOf(arrow));
    }
    if (!this.#target) return;
    const [first, ...rest] = outlineOf(this.#target);
    ctx.beginPath();
    ctx.moveTo(first.x, first.y);
    for (const { x, y } of rest) ctx.lineTo(x, y);
    const [strokeStyle] = COLOURS[board.theme];
    Object.assign(ctx, { strokeStyle, lineWidth: 3 / board.view.scale, globalAlpha: 0.8 });
    ctx.setLineDash([]);
    ctx.stroke();
    ctx.globalAlpha = 1;
  }
}

/**
 * @param {Spot[]} ring
 * @param {Spot} at
 * @param {number} reach
 */
const isNear = (ring, at, reach) =>
  ring.some((to, n) => n > 0 && distanceToStretch(at, ring[n - 1], to) <= reach);
