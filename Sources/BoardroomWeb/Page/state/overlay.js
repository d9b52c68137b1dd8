// Own commands that have no answer yet, shown over the confirmed elements at once: they are folded
// as the events that they will become, into a view that keeps only what differs; the confirmed
// state is never changed. The event from the log replaces what was shown, and a refused command
// disappears from the view.
import { body, Rec } from "../protocol/records.js";
import { Change, foldBody, sceneElements } from "./model.js";

/** @typedef {ReadonlySet<string> | "all"} Ids */

/** Kinds whose event has the command's body, byte for byte. */
const verbatim = ["stroke", "erased", "elementPut", "elementsChanged", "elementsCopied"];

/**
 * Kinds of commands that only touch elements that they name.
 * @type {Record<string, (said: any) => string[]>}
 */
const NAMED = {
  erased: ({ elements }) => elements,
  elementsChanged: ({ changes }) => changes.map((/** @type {any} */ { id }) => id),
};

/** @param {Rec} rec */
const namedIn = (rec) => NAMED[rec.name]?.(body(rec) ?? {});

/** @extends {Map<string, RoomElement | null>} the elements that differ; null: erased */
class OverlaidElements extends Map {
  /** @param {Map<string, RoomElement>} below */
  constructor(below) {
    super();
    this.below = below;
  }

  /**
   * @param {string} id
   * @returns {any}
   */
  get(id) {
    return this.has(id) ? (super.get(id) ?? undefined) : this.below.get(id);
  }

  /** @param {string} id */
  delete(id) {
    return super.set(id, null) !== undefined;
  }

  /** @param {Iterable<string>} ids of elements that are as below again */
  uncover(ids) {
    for (const id of ids) {
      super.delete(id);
    }
  }

  /** @returns {IterableIterator<any>} in the order of their places */
  *values() {
    for (const id of this.below.keys()) {
      if (this.get(id)) yield this.get(id);
    }
    for (const [id, element] of this) {
      if (element !== null && !this.below.has(id)) yield element;
    }
  }
}

/**
 * A state that shares everything with another one, except its elements.
 * @param {RoomState} state
 */
function viewOf(state) {
  const own = {
    elements: new OverlaidElements(state.elements),
    open: new Set(),
    histories: new Map(),
  };
  return Object.assign(Object.create(state), own);
}

export class Overlay {
  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
    this.view = viewOf(session.state);
    /** @type {WeakMap<Pending, Set<string>>} the elements that own commands change */
    this.touched = new WeakMap();
    /** @type {Set<(ids: Ids) => void>} */
    this.listeners = new Set();
    /** The scene that was shown last, and the picture under its elements. */
    this.shown = { scene: this.scene, ppt: this.ppt(this.scene) };
    session.watcher = {
      sent: (command) => this.notify(this.overlayCommand(command)),
      changed: (change, rec) => this.changed(change, rec),
      pendingRemoved: () => this.rebuild(new Set()),
    };
  }

  get scene() {
    return this.session.scene;
  }

  /**
   * The picture of a ppt page, under the elements.
   * @param {number} scene
   */
  ppt(scene) {
    return this.session.state.scene(scene)?.ppt;
  }

  /** @returns {OverlaidElements} */
  get overlaid() {
    return this.view.elements;
  }

  /**
   * @param {string} id
   * @returns {RoomElement | undefined} with own commands that have no answer yet
   */
  element(id) {
    return this.view.element(id);
  }

  /** @returns {RoomElement[]} the elements of a scene, in the order of drawing */
  elements(scene = this.scene) {
    return sceneElements(this.overlaid.size === 0 ? this.session.state : this.view, scene);
  }

  /**
   * @param {(ids: Ids) => void} listener is called with the elements that look different
   * @returns {() => void} removes the listener
   */
  onChanged(listener) {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /**
   * @param {Change} change
   * @param {Rec | null} rec
   */
  changed({ all, elements }, rec) {
    const isOwn = rec !== null && rec.by === this.session.member;
    // Another scene changes no element, and shows others.
    if (this.#updateShown() || all) this.rebuild("all");
    else if (isOwn && this.#isAlone(rec)) this.#uncover(rec, elements);
    else if (this.overlaid.size > 0 && (isOwn || elements.size > 0)) this.rebuild(elements);
    else this.notify(elements);
  }

  /**
   * Whether no other own command touches what an own event is about: then the others stay as they
   * are, which counts when thousands of elements are moved by many commands.
   * @param {Rec} rec
   */
  #isAlone(rec) {
    const ids = namedIn(rec);
    if (!ids) return false;
    return this.session.pending.every((command) => {
      if (!verbatim.includes(command.name)) return true;
      const touched = this.touched.get(command);
      return touched !== undefined && command.name in NAMED && !ids.some((id) => touched.has(id));
    });
  }

  /**
   * @param {Rec} rec an own event
   * @param {Set<string>} changed
   */
  #uncover(rec, changed) {
    const ids = new Set([...changed, ...(namedIn(rec) ?? [])]);
    this.overlaid.uncover(ids);
    this.notify(ids);
  }

  /** Whether another scene is shown than before, or another picture under it. */
  #updateShown() {
    const { scene, ppt } = this.shown;
    const now = { scene: this.scene, ppt: this.ppt(this.scene) };
    this.shown = now;
    return now.scene !== scene || now.ppt !== ppt;
  }

  /** @param {Ids} ids of elements that changed in the confirmed state */
  rebuild(ids) {
    const before = this.overlaid;
    this.view = viewOf(this.session.state);
    for (const command of this.session.pending) {
      this.overlayCommand(command);
    }
    this.notify(ids === "all" ? ids : new Set([...ids, ...before.keys(), ...this.overlaid.keys()]));
  }

  /**
   * @param {Pending} command to show at once
   * @returns {Ids} the elements
   */
  overlayCommand(command) {
    const { name, bytes, body: said } = command;
    const { member, clock } = this.session;
    if (!verbatim.includes(name) || member === null) return new Set();
    // What is put on a page that is not shown is seen by nobody before the log has it.
    const scene = said?.scene ?? said?.begin?.scene ?? this.scene;
    if (scene !== this.scene) return new Set();
    const rec = Rec.ofCommand(bytes, member, clock.now());
    const { elements } = foldBody(this.view, rec, new Change());
    this.touched.set(command, elements);
    return elements;
  }

  /** @param {Ids} ids */
  notify(ids) {
    if (ids !== "all" && ids.size === 0) return;
    for (const listener of this.listeners) {
      listener(ids);
    }
  }
}
