// A clip of a range of the log: what was to be seen, in frames, and the clip as an SVG that plays by
// itself. An element that changes is several values, one after the other (state/state.js); a clip
// is the list of them, with the frames from which and up to which each was seen.
import { Refusal } from "../protocol/refusal.js";
import { background, displayList, extentOf, isDrawn, marksOf } from "../render/display.js";
import { union } from "../render/geom.js";
import { frameOf, svgOf, tag } from "../render/svg.js";
import { apply, Change, sceneElements } from "../state/model.js";
import { byKey, orderKey } from "../state/order.js";

/** Ms between frames, at least. */
const SHORTEST_FRAME = 100;

/** Frames of a clip, at most. */
const MOST_FRAMES = 600;

/** Looks of elements in a clip, at most: an SVG has an element for each, some 200 bytes. */
const MOST_SEEN = 100_000;

/** Frames after which the page may react. */
const BREATH = 10;

/** Ms that the last frame stands. */
export const LAST = 1_000;

/**
 * Something that was seen from one frame on, before another one; `key`: its place in the order of
 * drawing.
 * @typedef {{ element: Thing, key: string, from: number, to: number }} Seen
 *
 * @typedef {object} Clip
 * @property {Seen[]} seen in the order of drawing
 * @property {number} frames
 * @property {number} step ms of a frame
 * @property {Box | undefined} box around all of it
 */

/**
 * @param {Replay.Player} player
 * @param {number} a the revision with which it begins
 * @param {number} b
 * @param {(part: number) => boolean} goesOn is told what is done, and says whether to go on
 * @returns {Promise<Clip | undefined>} undefined: it is not wanted any more
 */
export async function makeClip(player, a, b, goesOn) {
  const { source, log, pacing, place, clock } = player;
  const state = await source.stateAt(a);
  if (!state) return undefined;
  const begin = pacing.shown(log.time(a));
  const length = Math.max(pacing.shown(log.time(b)) - begin, 1) / place.speed;
  const step = Math.max(SHORTEST_FRAME, length / MOST_FRAMES);
  const frames = Math.ceil(length / step) + 1;
  const film = new Film((at) => player.sceneIn(at));
  film.show(state, new Change(), 0);
  for (let frame = 1; frame < frames; frame++) {
    const time = pacing.time(begin + frame * step * place.speed);
    const revision = frame === frames - 1 ? b : Math.min(log.revisionAt(time), b);
    const change = new Change();
    const records = revision > state.revision ? await source.records(state.revision, revision) : [];
    for (const rec of records) {
      apply(state, rec, change);
    }
    film.show(state, change, frame);
    if (film.size > MOST_SEEN) throw new Refusal({ code: "tooLarge", allowed: MOST_SEEN });
    if (!goesOn(frame / frames)) return undefined;
    if (frame % BREATH === 0) await new Promise((done) => clock.after(0, () => done(undefined)));
  }
  const seen = film.end(frames);
  const boxes = seen.map(({ element }) => extentOf(marksOf(element)));
  return { seen, frames, step, box: boxes.reduce(union, undefined) };
}

/** What is seen, frame by frame. */
class Film {
  /** @type {Map<string, Seen>} by the elements' ids */
  #now = new Map();

  /** @type {Seen[]} */
  #past = [];

  #scene = -1;

  /** @param {(state: Replay.State) => number} sceneIn the page that is looked at */
  constructor(sceneIn) {
    this.sceneIn = sceneIn;
  }

  /** How many looks of elements it has. */
  get size() {
    return this.#past.length + this.#now.size;
  }

  /**
   * @param {Replay.State} state
   * @param {Change} change since the frame before
   * @param {number} frame
   */
  show(state, change, frame) {
    const scene = this.sceneIn(state);
    if (scene !== this.#scene || change.fields.has("scenes")) {
      this.#scene = scene;
      this.#showAll(state, frame);
      return;
    }
    for (const id of change.elements) {
      const element = state.element(id);
      this.#put(id, element?.scene === scene ? element : undefined, frame);
    }
  }

  /**
   * @param {Replay.State} state
   * @param {number} frame
   */
  #showAll(state, frame) {
    const elements = sceneElements(state, this.#scene);
    /** @type {Map<string, Thing>} */
    const wanted = new Map(elements.map((element) => [element.id, element]));
    const page = background(state.scene(this.#scene)?.ppt);
    if (page) wanted.set("ppt", pageThing(page));
    for (const id of [...this.#now.keys(), ...wanted.keys()]) {
      this.#put(id, wanted.get(id), frame);
    }
  }

  /**
   * @param {string} id
   * @param {Thing | undefined} element
   * @param {number} frame
   */
  #put(id, element, frame) {
    const old = this.#now.get(id);
    if (old?.element === element) return;
    if (old && old.from < frame) this.#past.push({ ...old, to: frame });
    this.#now.delete(id);
    if (!element || !isDrawn(element)) return;
    const key = id === "ppt" ? "" : orderKey(element);
    this.#now.set(id, { element, key, from: frame, to: Infinity });
  }

  /**
   * @param {number} frames
   * @returns {Seen[]}
   */
  end(frames) {
    const all = [...this.#past, ...this.#now.values()];
    const seen = all.map((one) => ({ ...one, to: Math.min(one.to, frames) }));
    return seen.sort(byKey);
  }
}

/**
 * @param {ImageMark} mark
 * @returns {Thing} the picture under a page's elements
 */
const pageThing = (mark) => ({
  id: "ppt",
  member: 0,
  number: 0,
  place: -1,
  scene: 0,
  shape: { type: "image", ...mark },
});

/**
 * @param {Clip} clip
 * @returns {string} SVG that plays the clip again and again
 */
export function clipSVG({ seen, frames, step, box }) {
  const { left: x, top: y, right, bottom } = frameOf(box);
  const [width, height] = [right - x, bottom - y].map((one) => Math.round(one * 100) / 100);
  const duration = frames * step + LAST;
  const ground = tag("rect", { x, y, width, height, fill: "#ffffff" });
  const groups = seen.map((one) => groupOf(one, frames, step, duration));
  const viewBox = `${x} ${y} ${width} ${height}`;
  const root = { xmlns: "http://www.w3.org/2000/svg", width, height, viewBox };
  return `${tag("svg", root, ground + groups.join(""))}\n`;
}

/**
 * @param {Seen} seen
 * @param {number} frames
 * @param {number} step
 * @param {number} duration ms of the whole clip
 */
function groupOf({ element, from, to }, frames, step, duration) {
  const marks = displayList(element).map(svgOf).join("");
  if (from === 0 && to === frames) return tag("g", {}, marks);
  const part = (/** @type {number} */ frame) =>
    frame === frames ? 1 : Math.round((1e5 * frame * step) / duration) / 1e5;
  /** @type {[number, string][]} */
  const turns = [
    [0, from === 0 ? "visible" : "hidden"],
    ...(from > 0 ? [/** @type {[number, string]} */ ([part(from), "visible"])] : []),
    ...(to < frames ? [/** @type {[number, string]} */ ([part(to), "hidden"])] : []),
  ];
  const animation = tag("animate", {
    attributeName: "visibility",
    values: turns.map(([, value]) => value).join(";"),
    keyTimes: turns.map(([time]) => time).join(";"),
    calcMode: "discrete",
    dur: `${Math.round(duration)}ms`,
    repeatCount: "indefinite",
  });
  return tag("g", { visibility: turns[0][1] }, marks + animation);
}
