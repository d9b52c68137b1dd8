// Snapping, as in tldraw: while Ctrl is held, or always (then not while it is held), what is moved,
// resized or drawn stops where its edges and its middle are in line with those of other elements,
// or where the gaps between neighbours are the same. Guides show why.
import { isDrawn } from "../render/display.js";
import { centre, distance, spot } from "../render/geom.js";
import { isLine } from "./edits.js";
import { frameOf } from "./frame.js";

/** Pixels of the screen at which things snap. */
const REACH = 8;

/** The nearest elements that are looked at. */
const MOST_TARGETS = 200;

/** Pixels of the scene that are no difference. */
const SAME = 0.01;

/** Pixels of the screen from the middle to the ends of the crosses and ends of guides. */
const CROSS = 3;

const COLOURS = { light: "#d6336c", dark: "#ff7aa8" };

/** @typedef {import("./align.js").Axis} Axis */

/**
 * A line of the scene along an axis, with crosses; or a gap, with ends.
 * @typedef {{ axis: Axis; at: number; from: number; to: number; crosses: number[]; isGap: boolean }} Guide
 */

/** @type {Record<Axis, Axis>} the axis that goes across one */
const ACROSS = { x: "y", y: "x" };

/**
 * @param {Box} box
 * @param {Axis} axis
 * @returns {[low: number, high: number]}
 */
const span = (box, axis) => (axis === "x" ? [box.left, box.right] : [box.top, box.bottom]);

/**
 * @param {Box} box
 * @param {Axis} axis
 * @returns {number[]} its edges and its middle
 */
function lines(box, axis) {
  const [low, high] = span(box, axis);
  return [low, (low + high) / 2, high];
}

/**
 * @param {Axis} axis
 * @param {number} by
 */
const along = (axis, by) => (axis === "x" ? spot(by, 0) : spot(0, by));

/**
 * @param {Box} box
 * @param {Spot} shift
 */
const shifted = ({ left, top, right, bottom }, { x, y }) => ({
  left: left + x,
  top: top + y,
  right: right + x,
  bottom: bottom + y,
});

/**
 * @param {number[]} own
 * @param {Box[]} targets
 * @param {Axis} axis
 * @param {number} reach
 * @returns {number | undefined} by how much to move, so that one of the own lines is on another
 */
export function lineSnap(own, targets, axis, reach) {
  /** @type {number | undefined} */
  let best;
  for (const there of targets.flatMap((box) => lines(box, axis))) {
    for (const here of own) {
      const by = there - here;
      if (Math.abs(by) <= Math.min(reach, Math.abs(best ?? Infinity))) best = by;
    }
  }
  return best;
}

/**
 * @param {Box} box
 * @param {Box[]} targets
 * @param {Axis} axis
 * @returns {{by: number, gaps: [number, number][]}[]} by how much to move for gaps that are the same
 */
export function gapSnaps(box, targets, axis) {
  const across = ACROSS[axis];
  const [near, far] = span(box, across);
  const [low, high] = span(box, axis);
  const row = targets.filter((one) => span(one, across)[0] < far && near < span(one, across)[1]);
  const spans = row.map((one) => span(one, axis)).sort((a, b) => a[0] - b[0]);
  return spans.slice(1).flatMap((after, at) => {
    const before = spans[at];
    const gap = after[0] - before[1];
    if (gap <= 0) return [];
    const size = high - low;
    const half = (gap - size) / 2;
    /** @type {[number, number]} */
    const between = [before[1], after[0]];
    /** @type {{to: number, gaps: [number, number][]}[]} */
    const found = [
      { to: after[1] + gap, gaps: [between, [after[1], after[1] + gap]] },
      { to: before[0] - gap - size, gaps: [[before[0] - gap, before[0]], between] },
    ];
    if (half > 0) {
      const middle = before[1] + half;
      found.push({
        to: middle,
        gaps: [
          [before[1], middle],
          [middle + size, after[0]],
        ],
      });
    }
    return found.map(({ to, gaps }) => ({ by: to - low, gaps }));
  });
}

export class Snapping {
  /** Things snap without Ctrl, and not with it. */
  isAlways = false;

  /** @type {Guide[]} */
  #guides = [];

  /** @type {Box[] | undefined} boxes of other elements, read when a drag begins to snap */
  #targets = undefined;

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /** @param {Point} point */
  isOn({ ctrl }) {
    return (ctrl === true) !== this.isAlways;
  }

  get #reach() {
    return REACH / this.board.view.scale;
  }

  /**
   * @param {Box} box that is moved
   * @returns {Box[]} of others in sight
   */
  #near(box) {
    const { board } = this;
    const { ids } = board.selected;
    const middle = centre(box);
    this.#targets ??= board.sceneContent.index
      .within(board.view.seen)
      .filter(({ element }) => !ids.has(element.id) && isDrawn(element))
      .filter(({ element }) => !isLine(element.shape?.type))
      .map((entry) => frameOf(entry.element, entry.box).around)
      .sort((a, b) => distance(centre(a), middle) - distance(centre(b), middle))
      .slice(0, MOST_TARGETS);
    return this.#targets;
  }

  /**
   * What is moved as a whole.
   * @param {Box} box as the hand has it
   * @param {Axis[]} axes along which it may move
   * @returns {Spot} by how much it is to move, too
   */
  whole(box, axes = ["x", "y"]) {
    const targets = this.#near(box);
    let by = spot(0, 0);
    /** @type {Guide[]} */
    const gapGuides = [];
    for (const axis of axes) {
      const line = lineSnap(lines(box, axis), targets, axis, this.#reach);
      const most = Math.min(this.#reach, line === undefined ? Infinity : Math.abs(line) - SAME);
      const [gap] = gapSnaps(box, targets, axis)
        .filter((one) => Math.abs(one.by) <= most)
        .sort((a, b) => Math.abs(a.by) - Math.abs(b.by));
      const shift = along(axis, gap?.by ?? line ?? 0);
      by = spot(by.x + shift.x, by.y + shift.y);
      if (gap) gapGuides.push(...this.#gaps(gap.gaps, axis, box));
    }
    const now = shifted(box, by);
    this.#guides = [...this.#lines(now, targets, axes, lines), ...gapGuides];
    return by;
  }

  /**
   * An edge or a corner that is moved.
   * @param {Spot} at
   * @param {Axis[]} axes
   * @returns {Spot} by how much it is to move, too
   */
  corner(at, axes = ["x", "y"]) {
    const box = { left: at.x, top: at.y, right: at.x, bottom: at.y };
    const targets = this.#near(box);
    let by = spot(0, 0);
    for (const axis of axes) {
      const shift = along(axis, lineSnap([at[axis]], targets, axis, this.#reach) ?? 0);
      by = spot(by.x + shift.x, by.y + shift.y);
    }
    const one = (/** @type {Box} */ corner, /** @type {Axis} */ axis) => [span(corner, axis)[0]];
    this.#guides = this.#lines(shifted(box, by), targets, axes, one);
    return by;
  }

  /**
   * @param {Box} box as it is now
   * @param {Box[]} targets
   * @param {Axis[]} axes
   * @param {(box: Box, axis: Axis) => number[]} own its lines
   * @returns {Guide[]} one for each line on which it and others are
   */
  #lines(box, targets, axes, own) {
    return axes.flatMap((axis) => {
      const across = ACROSS[axis];
      return own(box, axis).flatMap((at) => {
        const isOn = (/** @type {number} */ line) => Math.abs(line - at) < SAME;
        const others = targets.filter((one) => lines(one, axis).some(isOn));
        if (others.length === 0) return [];
        const ends = [...others, box].flatMap((one) => span(one, across));
        const from = Math.min(...ends);
        return { axis: across, at, from, to: Math.max(...ends), crosses: ends, isGap: false };
      });
    });
  }

  /**
   * @param {[number, number][]} gaps
   * @param {Axis} axis
   * @param {Box} box
   * @returns {Guide[]}
   */
  #gaps(gaps, axis, box) {
    const at = centre(box)[ACROSS[axis]];
    return gaps.map(([from, to]) => ({ axis, at, from, to, crosses: [from, to], isGap: true }));
  }

  /** Nothing is in line: guides of the last move are gone. */
  clear() {
    this.#guides = [];
  }

  /** A drag is over. */
  end() {
    this.clear();
    this.#targets = undefined;
  }

  get guides() {
    return this.#guides;
  }

  /** @param {Ink} ctx */
  draw(ctx) {
    if (this.#guides.length === 0) return;
    const { view, theme } = this.board;
    const cross = CROSS / view.scale;
    Object.assign(ctx, { strokeStyle: COLOURS[theme], lineWidth: 1 / view.scale, globalAlpha: 1 });
    ctx.setLineDash([]);
    ctx.beginPath();
    for (const { axis, at, from, to, crosses, isGap } of this.#guides) {
      const put = (/** @type {number} */ on, /** @type {number} */ beside) =>
        axis === "x" ? spot(on, at + beside) : spot(at + beside, on);
      stretch(ctx, put(from, 0), put(to, 0));
      for (const on of crosses) {
        const slant = isGap ? 0 : cross;
        stretch(ctx, put(on - slant, -cross), put(on + slant, cross));
        if (!isGap) stretch(ctx, put(on - slant, cross), put(on + slant, -cross));
      }
    }
    ctx.stroke();
  }
}

/**
 * @param {Ink} ctx
 * @param {Spot} from
 * @param {Spot} to
 */
function stretch(ctx, from, to) {
  ctx.moveTo(from.x, from.y);
  ctx.lineTo(to.x, to.y);
}
