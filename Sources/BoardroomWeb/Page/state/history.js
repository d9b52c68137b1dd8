// What a member can undo and redo (docs/PROTOCOL.md, section 8, "Histories"): tracks, one a scene,
// the one that was changed last at the end; steps, oldest first, which are replaced, never changed;
// operations.
import { canonical } from "../protocol/json.js";

/**
 * Steps of one scene, oldest first.
 * @typedef {{ scene: number; undo: Step[]; redo: Step[] }} Track
 */

/** @param {Operation} operation */
const idOf = ({ put, erase, set, replace }) => put ?? erase ?? set ?? replace ?? "";

/** @param {Array<{operations: readonly Operation[]}>} steps */
const idsOf = (steps) => steps.flatMap(({ operations }) => operations.map(idOf));

export class History {
  /** @type {Track[]} */
  tracks = [];

  /** @type {Map<string, number>} How many operations refer to an element. */
  uses = new Map();

  /**
   * @param {number} scenes for how many scenes steps are kept
   * @param {number} depth how many a scene
   */
  constructor(scenes, depth) {
    this.scenes = scenes;
    this.depth = depth;
  }

  copy() {
    const copy = new History(this.scenes, this.depth);
    copy.uses = new Map(this.uses);
    copy.tracks = this.tracks.map(({ scene, undo, redo }) => ({
      scene,
      undo: [...undo],
      redo: [...redo],
    }));
    return copy;
  }

  /** @param {number} scene */
  track(scene) {
    return this.tracks.find((track) => track.scene === scene);
  }

  /**
   * @param {number} scene
   * @returns {Track} the track, which is the last one from now on
   */
  last(scene) {
    const track = this.track(scene) ?? { scene, undo: [], redo: [] };
    this.tracks = [...this.tracks.filter((other) => other !== track), track];
    return track;
  }

  /** @param {Step[]} steps */
  addUses(steps) {
    for (const id of idsOf(steps)) {
      this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
    }
  }

  /**
   * `released`, here and below, collects the elements to which this history does not refer any
   * more.
   * @param {Array<{operations: readonly Operation[]}>} steps
   * @param {string[]} released
   */
  removeUses(steps, released) {
    for (const id of idsOf(steps)) {
      const count = this.uses.get(id) ?? 0;
      if (count > 1) this.uses.set(id, count - 1);
      else if (this.uses.delete(id)) released.push(id);
    }
  }

  /**
   * @param {string[]} released
   * @param {Track[]} gone the tracks that have not been changed for longest
   */
  drop(released, gone = this.tracks.slice(0, Math.max(0, this.tracks.length - this.scenes))) {
    const left = this.tracks.filter((track) => !gone.includes(track));
    this.tracks = left.filter(({ undo, redo }) => undo.length + redo.length > 0);
    const steps = gone.flatMap(({ undo, redo }) => [...undo, ...redo]);
    this.removeUses(steps, released);
  }

  /**
   * Adds a step; the steps of its scene that could be redone are dropped.
   * @param {Step} step
   * @param {number} scene
   * @param {string[]} released
   */
  record(step, scene, released) {
    const { undo, redo } = this.last(scene);
    undo.push(step);
    this.addUses([step]);
    this.removeUses([...redo.splice(0), ...undo.splice(0, undo.length - this.depth)], released);
    this.drop(released);
  }

  /**
   * @param {number} scene whose newest step is moved to the other side
   * @param {Side} from
   * @param {Side} to
   */
  move(scene, from, to) {
    const track = this.last(scene);
    track[to].push(...track[from].splice(-1));
  }

  /**
   * Strikes out operations that conflict with a change of elements of one scene: of their
   * attributes `keys`, or of the whole elements.
   * @param {string[]} ids
   * @param {string[] | null} keys
   * @param {number} scene
   * @param {string[]} released
   */
  strike(ids, keys, scene, released) {
    const known = new Set(ids.filter((id) => this.uses.has(id)));
    const track = known.size > 0 ? this.track(scene) : undefined;
    if (track === undefined) return;
    /** @type {Operation[]} */
    const operations = [];
    track.undo = struck(track.undo, known, keys, operations);
    track.redo = struck(track.redo, known, keys, operations, false);
    this.removeUses([{ operations }], released);
    this.drop(released, []);
  }

  /**
   * Sets how much is kept: the oldest steps are dropped first, then those that would be redone
   * last.
   * @param {number} scenes
   * @param {number} depth
   * @param {string[]} released
   */
  keep(scenes, depth, released) {
    this.scenes = scenes;
    this.depth = depth;
    this.drop(released);
    for (const { undo, redo } of this.tracks) {
      const excess = Math.max(0, undo.length + redo.length - depth);
      const old = undo.splice(0, excess);
      this.removeUses([...old, ...redo.splice(0, excess - old.length)], released);
    }
    this.drop(released, []);
  }
}

/**
 * Steps without the operations that conflict with a change, and without those that depend on them:
 * once an operation on a whole element is struck out, so are those before it (or, for redo, after
 * it).
 * @param {Step[]} steps
 * @param {Set<string>} ids
 * @param {string[] | null} keys
 * @param {Operation[]} gone
 */
function struck(steps, ids, keys, gone, isUndo = true) {
  const known = keys?.map(canonical);
  const whole = new Set();
  const keeps = (/** @type {Operation} */ operation) => {
    const id = idOf(operation);
    const { set, key = "" } = operation;
    if (!ids.has(id)) return true;
    if (set === undefined) whole.add(id);
    else if (!whole.has(id) && known && !known.includes(canonical(key))) return true;
    gone.push(operation);
    return false;
  };
  const left = [...steps].reverse().map(({ revision, operations: all }) => ({
    revision,
    operations: isUndo ? [...all].reverse().filter(keeps).reverse() : all.filter(keeps),
  }));
  return left.filter(({ operations }) => operations.length > 0).reverse();
}
