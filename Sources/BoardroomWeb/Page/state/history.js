// What a member can take back (docs/PROTOCOL.md, section 8, "Histories"): tracks, one a scene, the
// one that was worked on last comes last; steps, oldest first, which are replaced, never changed;
// operations.
import { canonical } from "../protocol/json.js";

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
   * @returns {Track} that is worked on now
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
   * `released`, here and below, gets the elements that nothing of this history refers to any more.
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
   * @param {Track[]} gone those that were not worked on for longest
   */
  drop(released, gone = this.tracks.slice(0, Math.max(0, this.tracks.length - this.scenes))) {
    const left = this.tracks.filter((track) => !gone.includes(track));
    this.tracks = left.filter(({ undo, redo }) => undo.length + redo.length > 0);
    const steps = gone.flatMap(({ undo, redo }) => [...undo, ...redo]);
    this.removeUses(steps, released);
  }

  /**
   * A new step: nothing of its scene can be redone after it.
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
   * @param {number} scene whose newest step goes to the other side
   * @param {Side} from
   * @param {Side} to
   */
  move(scene, from, to) {
    const track = this.last(scene);
    track[to].push(...track[from].splice(-1));
  }

  /**
   * Strikes out what conflicts with a touch of elements of one scene: of `keys`, or of the whole
   * elements.
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
   * From now on keeps so much: what is older goes first, then what would be redone last.
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
 * Steps without what a touch conflicts with, nor what could not be taken back (or done again)
 * without that: once an operation on the whole of an element is gone, so is what came before it (or
 * would come after it).
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
