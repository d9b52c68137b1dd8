import { Fields } from "./json.js";
import { Element, Scene } from "./state.js";

// One event being folded: what the rules do to elements, and what members can take back of it. Where nobody
// keeps a history, nothing of that costs more than the question whether there is one.

/**
 * @typedef {import("./state.js").RoomState} RoomState
 * @typedef {import("./records.js").Rec} Rec
 * @typedef {import("./history.js").History} History
 * @typedef {import("./json.js").Patch} Patch
 * @typedef {{scene: number, operation: import("./history.js").Operation}} Work scene: of its track
 * @typedef {(fold: Folding, body: any) => boolean} Rule false: the event did not fit
 */

/** @type {ReadonlySet<any>} */
const none = new Set();
/** @template T @param {ReadonlySet<T>} set @param {T} item */
const withItem = (set, item) => (set === none ? new Set() : /** @type {Set<T>} */ (set)).add(item);

/** What an event changed. The sets are not to be written to. */
export class Change {
  constructor() {
    this.fits = true;
    /** Everything may be another: a snapshot took the place of the state. */
    this.all = false;
    /** @type {ReadonlySet<string>} ids of elements */
    this.elements = none;
    /** @type {ReadonlySet<number>} numbers of scenes whose elements or properties changed */
    this.scenes = none;
    /**
     * Parts of the state that are another than before: created, globalState, roster (of writable members),
     * audience, memberState, phase, writable, viewModes, broadcaster, scenes, currentScene, camera, pointer,
     * elements, stores, history (the actor's), struck (others' histories), limits, closing.
     * @type {ReadonlySet<string>}
     */
    this.fields = none;
  }

  /** @param {string} id @param {number} scene */
  element(id, scene) {
    this.elements = withItem(this.elements, id);
    this.scene(scene);
    this.field("elements");
  }

  /** @param {number} id */
  scene(id) { this.scenes = withItem(this.scenes, id); }

  /** @param {string} name */
  field(name) { this.fields = withItem(this.fields, name); }
}

export class Folding {
  /** @param {RoomState} state @param {Rec} rec @param {Change} change */
  constructor(state, rec, change) {
    this.state = state;
    this.rec = rec;
    this.change = change;
    /** @type {string | undefined} */
    this.source = undefined;
  }

  /** The payload of a kind that is JSON, as it came. */
  get text() { return (this.source ??= this.rec.text); }

  /** The actor, if it is here. */
  get actor() { return this.rec.by === null ? undefined : this.state.members.get(this.rec.by); }

  /** Whether the actor keeps a history. */
  get buries() { return this.rec.by !== null && this.state.histories.has(this.rec.by); }

  // Elements

  /** @param {Element} element another value of an element, or one at the next place */
  set(element) {
    const { elements, open } = this.state;
    elements.set(element.id, element);
    if (element.isOpen && !element.buried) open.add(element.id);
    else if (open.size > 0) open.delete(element.id);
    this.change.element(element.id, element.scene);
  }

  /** @param {Element} element to go for good, its place with it */
  remove(element) {
    this.state.elements.delete(element.id);
    this.state.open.delete(element.id);
    this.change.element(element.id, element.scene);
  }

  /** @param {Element} element to be off the board, but kept for a history to bring back */
  bury(element) {
    this.set(element.with({ buried: true, stroke: element.stroke?.lifted() }));
  }

  /** At the next place; what is buried under this id is given up.
   * @param {string} id @param {import("./state.js").ElementParts} parts */
  putNext(id, parts) {
    this.strike(id);
    const grave = this.state.elements.get(id);
    if (grave) this.remove(grave);
    this.set(new Element(id, { ...parts, place: this.state.places++ }));
  }

  /** @param {Element} element that the actor takes off the board */
  takeOff(element) {
    if (this.buries) this.bury(element);
    else this.remove(element);
  }

  /** @param {number} member whose pens go up */
  endStrokes(member) {
    for (const id of [...this.state.open]) {
      const element = this.state.elements.get(id);
      if (element?.stroke && element.member === member) {
        this.set(element.with({ stroke: element.stroke.lifted() }));
      }
    }
  }

  /** Lays attributes over an element; what really changed is added to `work`.
   * @param {Element} element @param {Patch} patch @param {Work[]} work */
  lay(element, patch, work) {
    const { id, scene } = element;
    this.strike(id, this.rec, patch.map(([key]) => key));
    const fields = element.fields?.copy() ?? new Fields();
    const done = work.length;
    for (const [key, after] of patch) {
      const before = fields.text(key) ?? null;
      if (!fields.merge([[key, after]])) continue;
      work.push({ scene, operation: { op: "set", id, key, before, after } });
    }
    if (work.length > done) this.set(element.with({ fields }));
  }

  /** Another value of a page.
   * @param {Scene} page @param {{directory?: string, name?: string, ppt?: string, step?: number}} parts */
  setScene(page, parts) {
    const { directory, name, ppt, step } = {
      directory: page.directory, name: page.name, ppt: page.pptText, step: page.pptStep, ...parts,
    };
    const scene = new Scene(page.id, directory, name, ppt, step);
    this.state.scenes = this.state.scenes.map((other) => (other === page ? scene : other));
    this.change.field("scenes");
    this.change.scene(page.id);
    return scene;
  }

  /** Scenes are gone: so is what is on them, and what could be taken back there.
   * @param {Set<number>} removed */
  takeOut(removed) {
    this.state.scenes = this.state.scenes.filter((scene) => !removed.has(scene.id));
    const gone = [...this.state.elements.values()].filter((element) => removed.has(element.scene));
    for (const element of gone) this.remove(element);
    for (const scene of removed) this.change.scene(scene);
    this.strikeOut(undefined, (history, released) => history.drop(removed, released));
  }

  // Histories

  /** What the event did becomes a step of its author, one for each scene that it worked on.
   * @param {Work[]} work */
  record(work) {
    const history = this.rec.by === null ? undefined : this.state.histories.get(this.rec.by);
    if (history === undefined || work.length === 0) return;
    /** @type {string[]} */
    const released = [];
    for (const scene of new Set(work.map((one) => one.scene))) {
      const operations = work.filter((one) => one.scene === scene).map((one) => one.operation);
      history.record({ revision: this.rec.rev, operations }, scene, released);
    }
    this.change.field("history");
    this.giveUp(released);
  }

  /**
   * Somebody touched an element, or `keys` of it: what others did to it that conflicts is theirs no longer.
   * Without an author nobody is spared.
   * @param {string} id @param {Rec} [author] @param {string[] | null} [keys]
   */
  strike(id, author, keys = null) {
    const scene = this.state.histories.size > 0 ? this.state.elements.get(id)?.scene : undefined;
    if (scene !== undefined) this.strikeAll([id], scene, author, keys);
  }

  /** The same of several on a scene.
   * @param {string[]} ids @param {number} scene @param {Rec} [author] @param {string[] | null} [keys] */
  strikeAll(ids, scene, author, keys = null) {
    this.strikeOut(author, (history, released) => {
      const known = new Set(ids.filter((id) => history.uses.has(id)));
      return known.size > 0 && history.strike(known, keys, scene, released);
    });
  }

  /** @param {Rec | undefined} author @param {(history: History, released: string[]) => boolean} strikes */
  strikeOut(author, strikes) {
    /** @type {string[]} */
    const released = [];
    for (const [owner, history] of this.state.histories) {
      if ((author !== undefined && owner === author.by) || !strikes(history, released)) continue;
      this.change.field("struck");
      if (author === undefined) this.change.field("history");
    }
    this.giveUp(released);
  }

  /** @param {Iterable<string>} released ids; buried elements that no history refers to any more are gone */
  giveUp(released) {
    for (const id of released) {
      const element = this.state.elements.get(id);
      if (element?.buried && !this.isReferred(id)) this.remove(element);
    }
  }

  /** @param {string} id */
  isReferred(id) { return [...this.state.histories.values()].some((history) => history.uses.has(id)); }

  /** @param {number} member */
  endHistory(member) {
    const history = this.state.histories.get(member);
    this.state.histories.delete(member);
    if (history) this.giveUp(history.uses.keys());
  }
}
