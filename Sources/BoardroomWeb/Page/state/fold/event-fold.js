// One event while it is folded: the operations of which the rules of all kinds consist, and the
// steps that its author can undo. For a member without a history, histories cost one look-up.
import { Fields } from "../../protocol/json.js";
import { makeElement, makeScene } from "../state.js";

/**
 * @typedef {import("../../protocol/records.js").Rec} Rec
 * @typedef {import("./change.js").Change} Change
 *
 * @typedef {{scene: number, operation: Operation}} Work An operation, and the scene of its track.
 */

export class EventFold {
  /** @type {Work[]} What the actor can undo of it. */
  work = [];

  /** @type {string[]} Ids of elements to which a history does not refer any more. */
  released = [];

  /**
   * @param {RoomState} state
   * @param {Rec} rec
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
   * Sets properties of the room or of a member. The change names the field, and the member, if a
   * value differs.
   * @param {any} target
   * @param {Patch} parts
   * @param {string} field
   */
  assign(target, parts, field) {
    if (Object.keys(parts).some((key) => target[key] !== parts[key])) {
      this.change.addField(field);
      if (this.state.members.get(target.id) === target) this.change.addMember(target.id);
    }
    Object.assign(target, parts);
  }

  /**
   * Merges a patch into fields. The change names the field if a value differs.
   * @param {Fields} fields
   * @param {Patch} patch
   * @param {string} field
   */
  merge(fields, patch, field) {
    if (fields.merge(patch).length > 0) this.change.addField(field);
  }

  /**
   * Stores a new value of an element that is there, or an element at the next place.
   * @param {RoomElement} element
   */
  setElement(element) {
    const { elements, open } = this.state;
    elements.set(element.id, element);
    if (element.stroke?.ended === false) open.add(element.id);
    else if (open.size > 0) open.delete(element.id);
    this.change.addElement(element);
  }

  /**
   * Removes an element for ever, and its place.
   * @param {RoomElement} element
   */
  removeElement(element) {
    this.state.elements.delete(element.id);
    this.state.open.delete(element.id);
    this.change.addElement(element);
  }

  /**
   * Takes an element off the board.
   * @param {RoomElement} element
   * @param {boolean} isKept the element stays in the state, so that a history can restore it
   */
  eraseElement(element, isKept = this.history !== undefined) {
    this.recordOperation(element.scene, { erase: element.id });
    if (isKept) this.setElement({ ...element, buried: true, stroke: element.stroke?.lifted() });
    else this.removeElement(element);
  }

  /**
   * Adds an element at the next place. An erased element that had this id is removed for ever.
   * @param {string} id
   * @param {Partial<RoomElement> & {scene: number}} parts
   */
  addElement(id, parts) {
    const erased = this.state.elements.get(id);
    if (erased) {
      this.strike([id], erased.scene, null, -1);
      this.removeElement(erased);
    }
    this.setElement(makeElement({ ...parts, id, place: this.state.places++ }));
    this.recordOperation(parts.scene, { put: id });
  }

  /**
   * @param {RoomElement} element
   * @param {Patch} patch new values of attributes; null: the attribute is removed
   */
  setAttributes(element, patch) {
    const { id, scene } = element;
    this.strike([id], scene, Object.keys(patch));
    const fields = new Fields(element.set);
    const changes = fields.merge(patch);
    for (const [key, before, after] of changes) {
      this.recordOperation(scene, { set: id, key, before, after });
    }
    if (changes.length > 0) this.setElement({ ...element, set: fields.plainUnlessEmpty() });
  }

  /**
   * Calls `act` for each item whose element is on the board.
   * @param {any[]} items each with the id of an element
   * @param {(element: RoomElement, item: any) => void} act
   * @returns {boolean} false if an element is not on the board
   */
  forEachElement(items, act) {
    let fits = true;
    for (const item of items) {
      const element = this.state.element(item.id);
      if (element) act(element, item);
      else fits = false;
    }
    return fits;
  }

  /**
   * Takes elements off the board; no member can redo or undo what was done to them before.
   * @param {string[]} ids
   * @param {(id: string) => boolean | undefined} [isKept] as of `eraseElement`
   * @returns {boolean} false if an element is not on the board
   */
  eraseElements(ids, isKept) {
    const items = ids.map((id) => ({ id }));
    return this.forEachElement(items, (element) => {
      this.strike([element.id], element.scene);
      this.eraseElement(element, isKept?.(element.id));
    });
  }

  /**
   * Ends the strokes that a member is drawing.
   * @param {number} member
   */
  endStrokes(member) {
    for (const id of [...this.state.open]) {
      const element = this.state.elements.get(id);
      if (element?.member === member)
        this.setElement({ ...element, stroke: element.stroke?.lifted() });
    }
  }

  /**
   * @param {RoomScene} scene
   * @param {Partial<RoomScene>} parts the properties that get new values
   * @returns {RoomScene} the new value of the scene
   */
  changeScene(scene, parts) {
    const changed = makeScene({ ...scene, ...parts });
    this.state.scenes = this.state.scenes.map((other) => (other === scene ? changed : other));
    this.change.addField("scenes");
    this.change.addScene(scene.id);
    return changed;
  }

  /**
   * Removes scenes, their elements, and the steps of histories that belong to them.
   * @param {Set<number>} removed
   */
  removeScenes(removed) {
    const { state, change } = this;
    state.scenes = state.scenes.filter((scene) => !removed.has(scene.id));
    for (const element of [...state.elements.values()]) {
      if (removed.has(element.scene)) this.removeElement(element);
    }
    for (const scene of removed) {
      change.addScene(scene);
    }
    for (const history of state.histories.values()) {
      const gone = history.tracks.filter((track) => removed.has(track.scene));
      history.drop(this.released, gone);
    }
  }

  /**
   * Records what the actor can undo, if it keeps a history.
   * @param {number} scene
   * @param {Operation} operation
   */
  recordOperation(scene, operation) {
    if (this.history) this.work.push({ scene, operation });
  }

  /**
   * Strikes operations on elements of a scene out of the histories of members: those that the event
   * conflicts with.
   * @param {string[]} ids of the elements
   * @param {number} scene
   * @param {string[] | null} [keys] the attributes that the event touches; null: the whole elements
   * @param {number} [spared] the member whose history is not touched; -1: none
   */
  strike(ids, scene, keys = null, spared = this.by) {
    for (const [owner, history] of this.state.histories) {
      if (owner !== spared) history.strike(ids, keys, scene, this.released);
    }
  }

  /**
   * Whether a history refers to an element.
   * @param {string} id
   */
  isReferenced(id) {
    return [...this.state.histories.values()].some(({ uses }) => uses.has(id));
  }

  /** @param {number} member */
  endHistory(member) {
    this.released.push(...(this.state.histories.get(member)?.uses.keys() ?? []));
    this.state.histories.delete(member);
  }

  /**
   * Adds the recorded operations to the history of the actor, one step a scene, and removes erased
   * elements to which no history refers any more.
   */
  finish() {
    for (const scene of new Set(this.work.map((one) => one.scene))) {
      const operations = this.work.flatMap((one) => (one.scene === scene ? one.operation : []));
      this.history?.record({ revision: this.rec.rev, operations }, scene, this.released);
    }
    for (const id of this.released) {
      const element = this.state.elements.get(id);
      if (element?.buried && !this.isReferenced(id)) this.removeElement(element);
    }
  }
}

/**
 * What an event of a kind does to a state; false: the event did not fit.
 * @typedef {(fold: EventFold, body: any) => boolean | void} Rule
 * @typedef {(fold: EventFold, member: RoomMember, body: any) => boolean | void} MemberRule
 * @typedef {Record<string, Rule>} Rules by the name of the kind
 */

/**
 * A rule for a kind whose author has to be in the room.
 * @param {MemberRule} act
 * @returns {Rule}
 */
export const byMember = (act) => (fold, body) => (fold.actor ? act(fold, fold.actor, body) : false);
