import { canonical } from "./json.js";

// What a member can take back (docs/PROTOCOL.md, section 8, "Histories"): tracks, one a scene, the one that
// was worked on last comes last; steps, oldest first; operations. Steps are values: they are replaced,
// never changed.

export class History {
  /** @type {Track[]} */
  tracks = [];
  /** @type {Map<string, number>} how many operations refer to an element */
  uses = new Map();

  /** @param {number} scenes for how many scenes steps are kept @param {number} depth how many a scene */
  constructor(scenes, depth) {
    this.scenes = scenes;
    this.depth = depth;
  }

  copy() {
    const copy = new History(this.scenes, this.depth);
    copy.tracks = this.tracks.map(({ scene, undo, redo }) => ({ scene, undo: [...undo], redo: [...redo] }));
    copy.uses = new Map(this.uses);
    return copy;
  }

  /** @param {number} scene */
  track(scene) { return this.tracks.find((track) => track.scene === scene); }

  /** @param {Step[]} steps */
  use(steps) {
    for (const { operations } of steps) {
      for (const { id } of operations) this.uses.set(id, (this.uses.get(id) ?? 0) + 1);
    }
  }

  // What follows adds to `released` the elements that nothing of this history refers to any more.

  /** @param {Array<{operations: readonly Operation[]}>} steps @param {string[]} released */
  release(steps, released) {
    for (const { id } of steps.flatMap(({ operations }) => operations)) {
      const count = this.uses.get(id) ?? 0;
      if (count > 1) this.uses.set(id, count - 1);
      else if (this.uses.delete(id)) released.push(id);
    }
  }

  /** @param {Track[]} tracks @param {string[]} released */
  releaseTracks(tracks, released) {
    this.release(tracks.flatMap(({ undo, redo }) => [...undo, ...redo]), released);
  }

  /** @param {number} scene @returns {Track} taken out, or made */
  take(scene) {
    const place = this.tracks.findIndex((track) => track.scene === scene);
    return place < 0 ? { scene, undo: [], redo: [] } : this.tracks.splice(place, 1)[0];
  }

  /** A new step: nothing of its scene can be redone after it.
   * @param {Step} step @param {number} scene @param {string[]} released */
  record(step, scene, released) {
    const track = this.take(scene);
    this.tracks.push(track);
    track.undo.push(step);
    this.use([step]);
    const old = track.undo.splice(0, track.undo.length - this.depth);
    this.release([...track.redo.splice(0), ...old], released);
    this.dropFirst(released);
  }

  /** @param {string[]} released by the scenes that were not worked on for longest */
  dropFirst(released) {
    this.releaseTracks(this.tracks.splice(0, Math.max(0, this.tracks.length - this.scenes)), released);
  }

  /** Moves the newest step of a scene to the other side; false if there is none.
   * @param {number} scene @param {"undo" | "redo"} from @param {"undo" | "redo"} to */
  move(scene, from, to) {
    if (!this.track(scene)?.[from].length) return false;
    const track = this.take(scene);
    this.tracks.push(track);
    track[to].push(...track[from].splice(-1));
    return true;
  }

  /**
   * Strikes out what conflicts with a touch of elements of one scene: of `keys`, or of the whole elements.
   * @param {ReadonlySet<string>} ids @param {readonly string[] | null} keys
   * @param {number} scene @param {string[]} released
   */
  strike(ids, keys, scene, released) {
    const track = this.track(scene);
    if (track === undefined) return;
    /** @type {Operation[]} */
    const operations = [];
    track.undo = struck(track.undo, ids, keys, operations, true);
    track.redo = struck(track.redo, ids, keys, operations, false);
    this.release([{ operations }], released);
    this.dropEmpty();
  }

  dropEmpty() { this.tracks = this.tracks.filter(({ undo, redo }) => undo.length + redo.length > 0); }

  /** @param {ReadonlySet<number>} scenes to forget @param {string[]} released */
  drop(scenes, released) {
    this.releaseTracks(this.tracks.filter((track) => scenes.has(track.scene)), released);
    this.tracks = this.tracks.filter((track) => !scenes.has(track.scene));
  }

  /** From now on keeps so much: what is older goes first, then what would be redone last.
   * @param {number} scenes @param {number} depth @param {string[]} released */
  keep(scenes, depth, released) {
    [this.scenes, this.depth] = [scenes, depth];
    this.dropFirst(released);
    for (const { undo, redo } of this.tracks) {
      const excess = Math.max(0, undo.length + redo.length - depth);
      const old = undo.splice(0, excess);
      this.release([...old, ...redo.splice(0, excess - old.length)], released);
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
  const known = keys?.map(canonical);
  /** @type {Set<string>} */
  const whole = new Set();
  const keeps = (/** @type {Operation} */ operation) => {
    if (!ids.has(operation.id)) return true;
    if (operation.op !== "set") whole.add(operation.id);
    else if (!whole.has(operation.id) && known && !known.includes(canonical(operation.key))) return true;
    gone.push(operation);
    return false;
  };
  const left = [...steps].reverse().map(({ revision, operations }) => ({
    revision, operations: isUndo ? [...operations].reverse().filter(keeps).reverse() : operations.filter(keeps),
  }));
  return left.filter(({ operations }) => operations.length > 0).reverse();
}
