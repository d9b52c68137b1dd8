// One event being folded: what the rules do to elements, and what members can take back of it.
// Where nobody keeps a history, nothing of that costs more than the question whether there is one.
import { Fields } from "../protocol/json.js";
import { makeElement, makeScene } from "./state.js";

/** What an event changed. */
export class Change {
  fits = true;

  /** Everything may be another: a snapshot took the place of the state. */
  all = false;

  /** @type {Set<string>} */
  elements = new Set();

  /** @type {Set<number>} Whose elements or properties changed. */
  scenes = new Set();

  /**
   * Parts of the state that are another than before, as rules name them. `roster`: of writable
   * members.
   * @type {Set<string>}
   */
  fields = new Set();

  /** @param {RoomElement} element */
  element({ id, scene }) {
    this.elements.add(id);
    this.scene(scene);
    this.field("elements");
  }

  /** @param {number} id */
  scene(id) {
    this.scenes.add(id);
  }

  /** @param {string} name */
  field(name) {
    this.fields.add(name);
  }
}

export class Folding {
  /** @type {Work[]} What the actor can take back of it. */
  work = [];

  /** @type {string[]} Elements that a history referred to. */
  released = [];

  /**
   * @param {RoomState} state
   * @param {import("../protocol/records.js").Rec} rec
   * @param {Change} change
   */
  constructor(state, rec, change) {
    this.state = state;
    this.rec = rec;
    this.change = change;
    this.by = rec.by ?? -1;
  }

  /** The actor, if it is here. */
  get actor() {
    return this.state.members.get(this.by);
  }

  /** The actor's history, if it keeps one. */
  get history() {
    return this.state.histories.get(this.by);
  }

  /**
   * Sets parts of the room, or of a member; notes it if they are others.
   * @param {any} target
   * @param {Patch} parts
   * @param {string} field
   */
  put(target, parts, field) {
    if (Object.keys(parts).some((key) => target[key] !== parts[key])) this.change.field(field);
    Object.assign(target, parts);
  }

  /**
   * @param {Fields} fields
   * @param {Patch} patch
   * @param {string} field
   */
  merge(fields, patch, field) {
    if (fields.merge(patch).length > 0) this.change.field(field);
  }

  /**
   * Another value of an element, or one at the next place.
   * @param {RoomElement} element
   */
  set(element) {
    const { elements, open } = this.state;
    elements.set(element.id, element);
    if (element.stroke?.ended === false) open.add(element.id);
    else if (open.size > 0) open.delete(element.id);
    this.change.element(element);
  }

  /**
   * For good, its place with it.
   * @param {RoomElement} element
   */
  remove(element) {
    this.state.elements.delete(element.id);
    this.state.open.delete(element.id);
    this.change.element(element);
  }

  /**
   * @param {RoomElement} element to be off the board
   * @param {boolean} isKept for a history to bring back
   */
  takeOff(element, isKept = this.history !== undefined) {
    this.did(element.scene, { erase: element.id });
    if (isKept) this.set({ ...element, buried: true, stroke: element.stroke?.lifted() });
    else this.remove(element);
  }

  /**
   * At the next place; what is buried under this id is given up.
   * @param {string} id
   * @param {Partial<RoomElement> & {scene: number}} parts
   */
  putNext(id, parts) {
    const grave = this.state.elements.get(id);
    if (grave) {
      this.strike([id], grave.scene, null, -1);
      this.remove(grave);
    }
    this.set(makeElement({ ...parts, id, place: this.state.places++ }));
    this.did(parts.scene, { put: id });
  }

  /**
   * @param {RoomElement} element
   * @param {Patch} patch attributes that are laid over it
   */
  lay(element, patch) {
    const { id, scene } = element;
    this.strike([id], scene, Object.keys(patch));
    const fields = new Fields(element.set);
    const others = fields.merge(patch);
    for (const [key, before, after] of others) {
      this.did(scene, { set: id, key, before, after });
    }
    if (others.length > 0) this.set({ ...element, set: fields.any() });
  }

  /**
   * The member's pens go up.
   * @param {number} member
   */
  endStrokes(member) {
    for (const id of [...this.state.open]) {
      const element = this.state.elements.get(id);
      if (element?.member === member) this.set({ ...element, stroke: element.stroke?.lifted() });
    }
  }

  /**
   * @param {RoomScene} page
   * @param {Partial<RoomScene>} parts that get other values
   */
  setScene(page, parts) {
    const scene = makeScene({ ...page, ...parts });
    this.state.scenes = this.state.scenes.map((other) => (other === page ? scene : other));
    this.change.field("scenes");
    this.change.scene(page.id);
    return scene;
  }

  /** @param {Set<number>} removed scenes, with all that is on them and could be taken back there */
  takeOut(removed) {
    const { state, change } = this;
    state.scenes = state.scenes.filter((scene) => !removed.has(scene.id));
    for (const element of [...state.elements.values()]) {
      if (removed.has(element.scene)) this.remove(element);
    }
    for (const scene of removed) {
      change.scene(scene);
    }
    for (const history of state.histories.values()) {
      const gone = history.tracks.filter((track) => removed.has(track.scene));
      history.drop(this.released, gone);
    }
  }

  /**
   * @param {number} scene
   * @param {Operation} operation
   */
  did(scene, operation) {
    if (this.history) this.work.push({ scene, operation });
  }

  /**
   * What others did to elements of a scene, or `keys` of them, and this conflicts with, is theirs
   * no longer.
   * @param {string[]} ids
   * @param {number} scene
   * @param {string[] | null} [keys]
   */
  strike(ids, scene, keys = null, spared = this.by) {
    for (const [owner, history] of this.state.histories) {
      if (owner !== spared) history.strike(ids, keys, scene, this.released);
    }
  }

  /** @param {string} id */
  isReferred(id) {
    return [...this.state.histories.values()].some(({ uses }) => uses.has(id));
  }

  /** @param {number} member */
  endHistory(member) {
    this.released.push(...(this.state.histories.get(member)?.uses.keys() ?? []));
    this.state.histories.delete(member);
  }

  /**
   * What the event did becomes steps of its author, one a scene; what only a history held is gone.
   */
  finish() {
    for (const scene of new Set(this.work.map((one) => one.scene))) {
      const operations = this.work.flatMap((one) => (one.scene === scene ? one.operation : []));
      this.history?.record({ revision: this.rec.rev, operations }, scene, this.released);
    }
    for (const id of this.released) {
      const element = this.state.elements.get(id);
      if (element?.buried && !this.isReferred(id)) this.remove(element);
    }
  }
}
