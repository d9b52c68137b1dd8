import { canonical } from "./json.js";

// What a member can take back (docs/PROTOCOL.md, section 8, "Histories"): tracks, one a scene, the one that was
// worked on last comes last; steps, oldest first; operations. Steps are values: they are replaced, never changed.

/**
 * @typedef {import("./json.js").Fields} Fields
 * @typedef {{text: string, fields: Fields | null, copy: boolean}} ShapeContent
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
    /** How many operations refer to an element. @type {Map<string, number>} */
    this.uses = new Map();
  }

  /** @returns {History} */
  copy() {
    const copy = new History(this.scenes, this.depth);
    copy.tracks = this.tracks.map(({ scene, undo, redo }) => ({ scene, undo: [...undo], redo: [...redo] }));
    copy.uses = new Map(this.uses);
    return copy;
  }

  /** @param {number} scene @returns {Track | undefined} */
  track(scene) {
    return this.tracks.find((track) => track.scene === scene);
  }

  /** @param {Step} step */
  use(step) {
    for (const { id } of step.operations) this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
  }

  // What follows adds to `released` the elements that nothing of this history refers to any more.

  /** @param {readonly Operation[]} operations @param {string[]} released */
  release(operations, released) {
    for (const { id } of operations) {
      const count = this.uses.get(id) ?? 0;
      if (count > 1) {
        this.uses.set(id, count - 1);
      } else if (this.uses.delete(id)) {
        released.push(id);
      }
    }
  }

  /** @param {readonly Step[]} steps @param {string[]} released */
  releaseAll(steps, released) {
    for (const step of steps) this.release(step.operations, released);
  }

  /** @param {number} scene @returns {Track} taken out, or made */
  take(scene) {
    const place = this.tracks.findIndex((track) => track.scene === scene);
    return place < 0 ? { scene, undo: [], redo: [] } : this.tracks.splice(place, 1)[0];
  }

  /** A new step: nothing of this scene can be redone after it. */
  record(/** @type {Step} */ step, /** @type {number} */ scene, /** @type {string[]} */ released) {
    this.use(step);
    const track = this.take(scene);
    this.releaseAll(track.redo, released);
    track.redo = [];
    track.undo.push(step);
    if (track.undo.length > this.depth) {
      this.releaseAll(track.undo.splice(0, track.undo.length - this.depth), released);
    }
    this.tracks.push(track);
    this.dropFirst(released);
  }

  /** @param {string[]} released */
  dropFirst(released) {
    while (this.tracks.length > this.scenes) this.dropTrack(/** @type {Track} */ (this.tracks.shift()), released);
  }

  /** @param {Track} track @param {string[]} released */
  dropTrack(track, released) {
    this.releaseAll(track.undo, released);
    this.releaseAll(track.redo, released);
  }

  /**
   * Moves the newest step of a scene to the other side; false if there is none.
   * @param {number} scene @param {"undo" | "redo"} from @param {"undo" | "redo"} to
   */
  move(scene, from, to) {
    if (!this.track(scene)?.[from].length) return false;
    const track = this.take(scene);
    track[to].push(/** @type {Step} */ (track[from].pop()));
    this.tracks.push(track);
    return true;
  }

  /**
   * Strikes out what conflicts with a touch of elements of one scene by somebody else: of `keys`, or of the
   * whole elements if there are none. False if nothing does.
   * @param {ReadonlySet<string>} ids @param {readonly string[] | null} keys @param {number} scene
   * @param {string[]} released
   */
  strike(ids, keys, scene, released) {
    const place = this.tracks.findIndex((track) => track.scene === scene);
    if (place < 0) return false;
    const track = this.tracks[place];
    /** @type {Operation[]} */
    const gone = [];
    track.undo = struck(track.undo, ids, keys, gone, true);
    track.redo = struck(track.redo, ids, keys, gone, false);
    this.release(gone, released);
    if (track.undo.length === 0 && track.redo.length === 0) this.tracks.splice(place, 1);
    return gone.length > 0;
  }

  /** Forgets scenes; false if there was nothing of them. */
  drop(/** @type {ReadonlySet<number>} */ scenes, /** @type {string[]} */ released) {
    const dropped = this.tracks.filter((track) => scenes.has(track.scene));
    this.tracks = this.tracks.filter((track) => !scenes.has(track.scene));
    for (const track of dropped) this.dropTrack(track, released);
    return dropped.length > 0;
  }

  /** From now on keeps so much: what is older goes first, then what would be redone last. */
  keep(/** @type {number} */ scenes, /** @type {number} */ depth, /** @type {string[]} */ released) {
    [this.scenes, this.depth] = [scenes, depth];
    this.dropFirst(released);
    for (const track of this.tracks) {
      while (track.undo.length + track.redo.length > depth) {
        const step = /** @type {Step} */ ((track.undo.length > 0 ? track.undo : track.redo).shift());
        this.release(step.operations, released);
      }
    }
    this.tracks = this.tracks.filter((track) => track.undo.length + track.redo.length > 0);
  }
}

/**
 * Steps without what a touch conflicts with, nor what could not be taken back (or done again) without that: once
 * an operation on the whole of an element is gone, so is what came before it (or would come after it).
 * @param {Step[]} steps @param {ReadonlySet<string>} ids @param {readonly string[] | null} keys
 * @param {Operation[]} gone @param {boolean} isUndo
 * @returns {Step[]}
 */
function struck(steps, ids, keys, gone, isUndo) {
  /** @type {Set<string>} */
  const whole = new Set();
  const keeps = (/** @type {Operation} */ operation) => {
    if (!ids.has(operation.id)) return true;
    if (operation.op === "set") {
      if (!whole.has(operation.id) && keys !== null && !hasKey(keys, operation.key)) return true;
    } else {
      whole.add(operation.id);
    }
    gone.push(operation);
    return false;
  };
  /** @type {Step[]} */
  const kept = [];
  for (const step of [...steps].reverse()) {
    const operations = isUndo
      ? [...step.operations].reverse().filter(keeps).reverse()
      : step.operations.filter(keeps);
    if (operations.length === step.operations.length) kept.push(step);
    else if (operations.length > 0) kept.push({ revision: step.revision, operations });
  }
  return kept.reverse();
}

/** @param {readonly string[]} keys @param {string} key */
const hasKey = (keys, key) => keys.some((other) => other === key || canonical(other) === canonical(key));
