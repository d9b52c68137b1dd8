import { Rec } from "./records.js";
import { foldBody } from "./fold.js";
import { Change } from "./folding.js";
import { sceneElements } from "./state.js";

// Own commands on their way, laid over the confirmed elements, so that what is drawn is seen at once. A
// command is folded as the event that it will become, into a view that keeps what differs; what is known is
// never touched. The log's answer takes the place of what was laid, and what is refused is gone from the
// view.

/** @typedef {import("./state.js").Element} Element */
/** @typedef {(ids: ReadonlySet<string> | "all") => void} Listener */

/** Kinds whose event is the command's body, byte for byte. */
const verbatim = new Set(["stroke", "erased", "elementPut", "elementsChanged", "elementsCopied"]);
/** @type {ReadonlySet<string>} */
const none = new Set();

/** @extends {Map<string, Element | null>} elements over others; null: taken off */
class Laid extends Map {
  /** @param {Map<string, Element>} below */
  constructor(below) {
    super();
    this.below = below;
  }

  /** @param {string} id @returns {any} */
  get(id) { return this.has(id) ? super.get(id) ?? undefined : this.below.get(id); }

  /** @param {string} id */
  delete(id) {
    super.set(id, null);
    return true;
  }

  /** @returns {IterableIterator<any>} in the order of their places */
  *values() {
    for (const id of this.below.keys()) if (this.get(id)) yield this.get(id);
    for (const [id, element] of this) if (element !== null && !this.below.has(id)) yield element;
  }
}

/** A state that shares everything with another, but for its elements.
 * @param {import("./state.js").RoomState} state */
function viewOf(state) {
  const view = Object.create(state);
  return Object.assign(view, { elements: new Laid(state.elements), open: new Set(), histories: new Map() });
}

export class Overlay {
  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
    this.view = viewOf(session.state);
    /** @type {Set<Listener>} */
    this.listeners = new Set();
    session.watch({
      sent: (command) => this.tell(this.lay(command)),
      changed: (change, rec) => this.changed(change, rec),
      settled: () => this.layAnew(none),
    });
  }

  /** The current page. */
  get scene() { return this.session.state.currentScene; }
  /** @param {number} scene the page's own of a ppt, under what is drawn */
  ppt(scene) { return this.session.state.scenes.find(({ id }) => id === scene)?.ppt; }
  /** @returns {Laid} */
  get laid() { return this.view.elements; }

  /** @param {string} id @returns {Element | undefined} an element on the board, with what is on its way */
  element(id) { return this.view.element(id); }

  /** @param {number} [scene] @returns {Element[]} what is on the board of a scene, in the order of drawing */
  elements(scene = this.scene) {
    return this.laid.size === 0 ? sceneElements(this.session.state, scene) : sceneElements(this.view, scene);
  }

  /** @param {Listener} listener hears which elements look otherwise @returns {() => void} ends it */
  onChanged(listener) {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** @param {Change} change @param {Rec | null} rec */
  changed(change, rec) {
    if (change.all) return this.layAnew("all");
    const isOwn = rec !== null && rec.by === this.session.member;
    if (this.laid.size > 0 && (isOwn || change.elements.size > 0)) return this.layAnew(change.elements);
    return this.tell(change.elements);
  }

  /** @param {ReadonlySet<string> | "all"} ids of what is another below; or less is on its way */
  layAnew(ids) {
    const before = this.laid;
    this.view = viewOf(this.session.state);
    for (const command of this.session.outbox.waiting.values()) this.lay(command);
    this.tell(ids === "all" ? ids : new Set([...ids, ...before.keys(), ...this.laid.keys()]));
  }

  /** Shows what a command will do.
   * @param {import("./outbox.js").Pending} command @returns {ReadonlySet<string>} the elements */
  lay(command) {
    const { member } = this.session;
    const change = new Change();
    if (verbatim.has(command.name) && member !== null) {
      foldBody(this.view, Rec.ofCommand(command.bytes, member, this.session.clock.now()), change);
    }
    return change.elements;
  }

  /** @param {ReadonlySet<string> | "all"} ids */
  tell(ids) {
    if (ids !== "all" && ids.size === 0) return;
    for (const listener of this.listeners) listener(ids);
  }
}
