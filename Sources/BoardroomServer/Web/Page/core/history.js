import { canonical } from "./json.js";

// What a member can take back (docs/PROTOCOL.md, section 8, "Histories"): tracks, one a scene, the one that
// was worked on last comes last; steps, oldest first; operations. Steps are values: they are replaced,
// never changed.

/**
 * @typedef {{text: string, fields: import("./json.js").Fields | null, copy: boolean}} ShapeContent
 * @typedef {{op: "put" | "erase", id: string} |
 *   {op: "set", id: string, key: string, before: string | null, after: string | null} |
 *   {op: "replace", id: string, before: ShapeContent, after: ShapeContent}} Operation
 * @typedef {{revision: number, operations: readonly Operation[]}} Step
 * @typedef {{scene: number, undo: Step[], redo: Step[]}} Track
 */

export class History {
  /** @param {number} scenes for how many scenes steps are kept @param {number} depth how many a scene */
  constructor(scenes, depth) {
    this.scenes = scenes;
    this.depth = depth;
    /** @type {Track[]} */
    this.tracks = [];
    /** @type {Map<string, number>} how many operations refer to an element */
    this.uses = new Map();
  }

  copy() {
    const copy = new History(this.scenes, this.depth);
    copy.tracks = this.tracks.map(({ scene, undo, redo }) => ({ scene, undo: [...undo], redo: [...redo] }));
    copy.uses = new Map(this.uses);
    return copy;
  }

  /** @param {number} scene */
  track(scene) { return this.tracks.find((track) => track.scene === scene); }

  /** @param {Step} step */
  use(step) {
    for (const { id } of step.operations) this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
  }

  // What follows adds to `released` the elements that nothing of this history refers to any more.

  /** @param {readonly Operation[]} operations @param {string[]} released */
  release(operations, released) {
    for (const { id } of operations) {
      const count = this.uses.get(id) ?? 0;
      if (count > 1) this.uses.set(id, count - 1);
      else if (this.uses.delete(id)) released.push(id);
    }
  }

  /** @param {readonly Step[]} steps @param {string[]} released */
  releaseAll(steps, released) {
    for (const { operations } of steps) this.release(operations, released);
  }

  /** @param {number} scene @returns {Track} taken out, or made */
  take(scene) {
    const place = this.tracks.findIndex((track) => track.scene === scene);
    return place < 0 ? { scene, undo: [], redo: [] } : this.tracks.splice(place, 1)[0];
  }

  /** A new step: nothing of its scene can be redone after it.
   * @param {Step} step @param {number} scene @param {string[]} released */
  record(step, scene, released) {
    this.use(step);
    const track = this.take(scene);
    this.releaseAll(track.redo.splice(0), released);
    track.undo.push(step);
    this.releaseAll(track.undo.splice(0, track.undo.length - this.depth), released);
    this.tracks.push(track);
    this.dropFirst(released);
  }

  /** @param {string[]} released by the scenes that were not worked on for longest */
  dropFirst(released) {
    const dropped = this.tracks.splice(0, Math.max(0, this.tracks.length - this.scenes));
    for (const { undo, redo } of dropped) this.releaseAll([...undo, ...redo], released);
  }

  /**
   * Moves the newest step of a scene to the other side; false if there is none.
   * @param {number} scene @param {"undo" | "redo"} from @param {"undo" | "redo"} to
   */
  move(scene, from, to) {
    if (!this.track(scene)?.[from].length) return false;
    const track = this.take(scene);
    track[to].push(...track[from].splice(-1));
    this.tracks.push(track);
    return true;
  }

  /**
   * Strikes out what conflicts with a touch of elements of one scene by somebody else: of `keys`, or of the
   * whole elements if there are none. False if nothing does.
   * @param {ReadonlySet<string>} ids @param {readonly string[] | null} keys
   * @param {number} scene @param {string[]} released
   */
  strike(ids, keys, scene, released) {
    const track = this.track(scene);
    if (track === undefined) return false;
    /** @type {Operation[]} */
    const gone = [];
    track.undo = struck(track.undo, ids, keys, gone, true);
    track.redo = struck(track.redo, ids, keys, gone, false);
    this.release(gone, released);
    this.dropEmpty();
    return gone.length > 0;
  }

  dropEmpty() { this.tracks = this.tracks.filter(({ undo, redo }) => undo.length + redo.length > 0); }

  /** Forgets scenes; false if there was nothing of them.
   * @param {ReadonlySet<number>} scenes @param {string[]} released */
  drop(scenes, released) {
    const dropped = this.tracks.filter((track) => scenes.has(track.scene));
    this.tracks = this.tracks.filter((track) => !scenes.has(track.scene));
    for (const { undo, redo } of dropped) this.releaseAll([...undo, ...redo], released);
    return dropped.length > 0;
  }

  /**
   * From now on keeps so much: what is older goes first, then what would be redone last.
   * @param {number} scenes @param {number} depth @param {string[]} released
   */
  keep(scenes, depth, released) {
    [this.scenes, this.depth] = [scenes, depth];
    this.dropFirst(released);
    for (const { undo, redo } of this.tracks) {
      const excess = Math.max(0, undo.length + redo.length - depth);
      const fromUndo = undo.splice(0, excess);
      this.releaseAll([...fromUndo, ...redo.splice(0, excess - fromUndo.length)], released);
    }
    this.dropEmpty();
  }
}

/**
 * Steps without what a touch conflicts with, nor what could not be taken back (or done again) without that:
 * once an operation on the whole of an element is gone, so is what came before it (or would come after it).
 * @param {Step[]} steps @param {ReadonlySet<string>} ids @param {readonly string[] | null} keys
 * @param {Operation[]} gone @param {boolean} isUndo
 */
function struck(steps, ids, keys, gone, isUndo) {
  /** @type {Set<string>} */
  const whole = new Set();
  const keeps = (/** @type {Operation} */ operation) => {
    if (!ids.has(operation.id)) return true;
    if (operation.op !== "set") whole.add(operation.id);
    else if (!whole.has(operation.id) && keys !== null && !hasKey(keys, operation.key)) return true;
    gone.push(operation);
    return false;
  };
  /** @type {Step[]} */
  const kept = [];
  for (const step of [...steps].reverse()) {
    const { revision, operations } = step;
    const left = isUndo ? [...operations].reverse().filter(keeps).reverse() : operations.filter(keeps);
    if (left.length === operations.length) kept.push(step);
    else if (left.length > 0) kept.push({ revision, operations: left });
  }
  return kept.reverse();
}

/** @param {readonly string[]} keys @param {string} key */
const hasKey = (keys, key) => keys.some((other) => other === key || canonical(other) === canonical(key));
