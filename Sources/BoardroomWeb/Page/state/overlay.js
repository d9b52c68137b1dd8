// Own commands on their way, laid over the confirmed elements, so that what is drawn is seen at
// once: folded as the events that they will become, into a view that keeps what differs; what is
// known is never touched. The log's answer takes the place of what was laid, and what is refused is
// gone from the view.
import { Rec } from "../protocol/records.js";
import { Change, foldBody, sceneElements } from "./model.js";

/** @typedef {ReadonlySet<string> | "all"} Ids */

/** Kinds whose event is the command's body, byte for byte. */
const verbatim = ["stroke", "erased", "elementPut", "elementsChanged", "elementsCopied"];

/** @extends {Map<string, RoomElement | null>} elements over others; null: taken off */
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
 * A state that shares everything with another, but for its elements.
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
    /** @type {Set<(ids: Ids) => void>} */
    this.listeners = new Set();
    /** The page that was shown last, and what lies under its elements. */
    this.shown = { scene: this.scene, ppt: this.ppt(this.scene) };
    session.watcher = {
      sent: (command) => this.notify(this.overlayCommand(command)),
      changed: (change, rec) => this.changed(change, rec),
      pendingRemoved: () => this.rebuild(new Set()),
    };
  }

  get scene() {
    return this.session.state.currentScene;
  }

  /**
   * What a ppt's page has under what is drawn.
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
   * @returns {RoomElement | undefined} what is on the board, with what is on its way
   */
  element(id) {
    return this.view.element(id);
  }

  /** @returns {RoomElement[]} what is on the board of a scene, in the order of drawing */
  elements(scene = this.scene) {
    return sceneElements(this.overlaid.size === 0 ? this.session.state : this.view, scene);
  }

  /**
   * @param {(ids: Ids) => void} listener hears what looks otherwise
   * @returns {() => void} ends it
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
    // A page that is turned changes no element, and shows others.
    if (this.#updateShown() || all) this.rebuild("all");
    else if (this.overlaid.size > 0 && (isOwn || elements.size > 0)) this.rebuild(elements);
    else this.notify(elements);
  }

  /** Is another page shown than before, or another picture under it? */
  #updateShown() {
    const { scene, ppt } = this.shown;
    const now = { scene: this.scene, ppt: this.ppt(this.scene) };
    this.shown = now;
    return now.scene !== scene || now.ppt !== ppt;
  }

  /** @param {Ids} ids of what is another below; or less is on its way */
  rebuild(ids) {
    const before = this.overlaid;
    this.view = viewOf(this.session.state);
    for (const command of this.session.pending) {
      this.overlayCommand(command);
    }
    this.notify(ids === "all" ? ids : new Set([...ids, ...before.keys(), ...this.overlaid.keys()]));
  }

  /**
   * @param {Pending} command whose work is to be seen
   * @returns {Ids} the elements
   */
  overlayCommand({ name, bytes }) {
    const { member, clock } = this.session;
    if (!verbatim.includes(name) || member === null) return new Set();
    return foldBody(this.view, Rec.ofCommand(bytes, member, clock.now()), new Change()).elements;
  }

  /** @param {Ids} ids */
  notify(ids) {
    if (ids !== "all" && ids.size === 0) return;
    for (const listener of this.listeners) {
      listener(ids);
    }
  }
}
