import { Fields, KeyMap } from "./json.js";

// What is true of a room at one revision: docs/PROTOCOL.md, section 7. Elements, scenes and segments are
// values that are replaced when they change, so that a copy of a state shares them; members change in
// place.

/**
 * @typedef {import("./history.js").History} History
 * @typedef {import("./strokes.js").Stroke} Stroke
 * @typedef {{place?: number, scene?: number, stroke?: Stroke, text?: string, fields?: Fields | null,
 *   copy?: boolean, buried?: boolean}} ElementParts
 */

/** A thing on a scene: a stroke, or a shape whose body is that of its elementPut. */
export class Element {
  /** @param {string} id "member.number" @param {ElementParts} parts */
  constructor(id, { place = 0, scene = 0, stroke, text, fields = null, copy = false, buried = false }) {
    this.id = id;
    /** Its ordinal in order of creation. */
    this.place = place;
    this.scene = scene;
    this.stroke = stroke;
    /** The body of a shape as it came. */
    this.text = text;
    /** Attributes as they came; null if there are none. */
    this.fields = fields?.size ? fields : null;
    this.copy = copy;
    /** Erased, and kept because a history can bring it back. */
    this.buried = buried;
    /** @type {any} */
    this.decoded = undefined;
  }

  get member() { return Number(this.id.slice(0, this.id.indexOf("."))); }
  get number() { return Number(this.id.slice(this.id.indexOf(".") + 1)); }
  /** The body of a shape, decoded; undefined for a stroke. */
  get shape() { return this.text === undefined ? undefined : (this.decoded ??= JSON.parse(this.text)); }
  /** Attributes that lie over what it was put with; undefined if there are none. */
  get set() { return this.fields?.plain(); }
  get isOpen() { return this.stroke !== undefined && !this.stroke.ended; }
  get isLocked() { return this.fields?.text("locked") === "true"; }
  /** @returns {string} what says where it stands in the order of drawing */
  get orderKey() { return this.set?.order ?? standardOrderKey(this.place); }

  /** @param {ElementParts} parts that are other @returns {Element} another value */
  with({ scene = this.scene, stroke = this.stroke, fields = this.fields, buried = this.buried }) {
    const { id, place, text, copy } = this;
    return new Element(id, { place, scene, stroke, text, fields, copy, buried });
  }
}

/** A page of the board. */
export class Scene {
  /**
   * @param {number} id @param {string} directory @param {string} name @param {string} [pptText] @param
   * {number} [pptStep]
   */
  constructor(id, directory, name, pptText, pptStep = 0) {
    this.id = id;
    this.directory = directory;
    this.name = name;
    this.pptText = pptText;
    this.pptStep = pptStep;
    /** @type {any} */
    this.ppt = pptText === undefined ? undefined : JSON.parse(pptText);
  }

  get path() { return this.directory === "/" ? `/${this.name}` : `${this.directory}/${this.name}`; }
}

/** Somebody who is in the room. */
export class Member {
  /**
   * @param {number} id @param {any} joined what memberJoined says @param {string | undefined} payloadText
   * @param {number} time
   */
  constructor(id, { session, role, writable, uid, client }, payloadText, time) {
    this.id = id;
    /** @type {string} */
    this.session = session;
    this.generation = 1;
    /** @type {string | undefined} */
    this.uid = uid ?? undefined;
    /** @type {"admin" | "writer" | "reader"} */
    this.role = role;
    /** @type {boolean} */
    this.writable = writable;
    this.payloadText = payloadText;
    /** @type {string | undefined} */
    this.client = client ?? undefined;
    this.joined = time;
    this.phase = "connected";
    this.viewMode = "freedom";
    this.state = new Fields();
    /** @type {import("./strokes.js").CameraBody | undefined} */
    this.camera = undefined;
    /** @type {import("./strokes.js").PointerBody | undefined} */
    this.pointer = undefined;
    this.lastCounter = 0;
    this.lastRevision = 0;
    /** Whether it wants to write and may not. */
    this.kept = false;
    /** Whether an administrator does not let it write. */
    this.barred = false;
    /** @type {number | undefined} since when its hand is up */
    this.hand = undefined;
  }

  /** @returns {any} what its app said of it at the join, decoded */
  get payload() { return this.payloadText === undefined ? undefined : JSON.parse(this.payloadText); }

  /** @returns {Member} */
  copy() { return Object.assign(Object.create(Member.prototype), this, { state: this.state.copy() }); }
}

export class RoomState {
  constructor() {
    this.revision = 0;
    this.time = 0;
    /** @type {{name: string, limit: number, isRecord: boolean} | undefined} */
    this.created = undefined;
    this.createdAt = 0;
    this.globalState = new Fields();
    /** @type {Map<number, Member>} by number, in rising order */
    this.members = new Map();
    this.nextMember = 0;
    /** @type {Scene[]} */
    this.scenes = [];
    this.currentScene = 0;
    this.nextScene = 1;
    /** @type {number | undefined} */
    this.broadcaster = undefined;
    this.banned = false;
    this.deleted = false;
    /** @type {{by?: number} | undefined} */
    this.lock = undefined;
    /** @type {readonly string[]} uids of those who left while they were not let write */
    this.barred = [];
    this.limits = /** @type {KeyMap<number>} */ (new KeyMap());
    this.stores = /** @type {KeyMap<Fields>} */ (new KeyMap());
    /** @type {Map<number, History>} what members can take back, by member */
    this.histories = new Map();
    /** @type {Map<string, Element>} in the order of their places, buried ones too */
    this.elements = new Map();
    this.places = 0;
    /** @type {Set<string>} ids of strokes whose pen is down */
    this.open = new Set();
  }

  /** @param {number} id */
  scene(id) { return this.scenes.find((scene) => scene.id === id); }

  /** Whether nobody keeps a member from writing.
   * @param {Member} member */
  mayWrite({ id, role, barred }) {
    const { lock, members } = this;
    if (barred || !lock) return !barred;
    return lock.by !== undefined && members.has(lock.by) ? id === lock.by : role === "admin";
  }

  /** @param {string} id of an element on the board */
  element(id) {
    const element = this.elements.get(id);
    return element?.buried ? undefined : element;
  }
}

/** Before the first event. */
export const emptyState = () => new RoomState();

/** @template V @param {Map<number, V>} map @param {(value: V) => V} copy @returns {Map<number, V>} */
const copyMap = (map, copy) => new Map([...map].map(([key, value]) => [key, copy(value)]));

/** @param {RoomState} state @returns {RoomState} a state that goes its own way from here */
export const copyState = (state) =>
  Object.assign(new RoomState(), state, {
    globalState: state.globalState.copy(),
    members: copyMap(state.members, (member) => member.copy()),
    scenes: [...state.scenes],
    limits: state.limits.copy(),
    stores: state.stores.copy((store) => store.copy()),
    histories: copyMap(state.histories, (history) => history.copy()),
    elements: new Map(state.elements),
    open: new Set(state.open),
  });

// The order of drawing

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const longestKey = 64;

/** @param {number} place of an element that was never given an order key @returns {string} its key */
export function standardOrderKey(place) {
  let key = "";
  for (let rest = place; key.length < 7; rest = Math.floor(rest / 62)) key = digits[rest % 62] + key;
  return `V${key}`;
}

/**
 * A key between two; undefined stands for the end on that side. Undefined if there is no room between them.
 * @param {string} [lower] @param {string} [upper]
 * @returns {string | undefined}
 */
export function orderKeyBetween(lower = "", upper) {
  if (upper !== undefined && lower >= upper) return undefined;
  let isBelowUpper = upper === undefined;
  for (let key = ""; key.length < longestKey; ) {
    const least = key.length < lower.length ? digits.indexOf(lower[key.length]) : -1;
    const most = isBelowUpper ? digits.length : digits.indexOf(upper?.[key.length] ?? "0");
    const floor = Math.max(least, 0);
    const middle = Math.floor((floor + most) / 2);
    if (most - least > 1 && middle > floor && middle < most) return key + digits[middle];
    key += digits[floor];
    if (floor < most) isBelowUpper = true;
  }
  return undefined;
}

/** @param {Element[]} elements @returns {Element[]} sorted by order key, and by place where keys are equal */
export function inOrder(elements) {
  const keyed = elements.map((element) => ({ key: element.orderKey, element }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.element.place - b.element.place));
  return keyed.map(({ element }) => element);
}

/** What is on the board of a scene, in the order in which it is drawn.
 * @param {RoomState} state @param {number} scene */
export function sceneElements(state, scene) {
  /** @type {Element[]} */
  const found = [];
  for (const element of state.elements.values()) {
    if (element.scene === scene && !element.buried) found.push(element);
  }
  return found.some((element) => element.fields?.text("order") !== undefined) ? inOrder(found) : found;
}
