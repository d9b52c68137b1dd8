import { Fields, KeyMap } from "./json.js";

// What is true of a room at one revision: docs/PROTOCOL.md, section 7. Elements, scenes and segments are values
// that are replaced when they change, so that a copy of a state shares them; members change in place.

/**
 * @typedef {import("./strokes.js").Begin} Begin
 * @typedef {import("./strokes.js").Segment} Segment
 * @typedef {import("./history.js").History} History
 * @typedef {{begin: Begin, ended: boolean, segments: readonly Segment[], points: number}} Stroke
 * @typedef {{place?: number, scene?: number, stroke?: Stroke, text?: string, fields?: Fields | null,
 *   copy?: boolean, buried?: boolean}} ElementParts
 */

/** A thing on a scene: a stroke, or a shape whose body is that of its elementPut. */
export class Element {
  /** @param {string} id "member.number" @param {ElementParts} parts */
  constructor(id, parts) {
    this.id = id;
    /** Its ordinal in order of creation. */
    this.place = parts.place ?? 0;
    this.scene = parts.scene ?? 0;
    this.stroke = parts.stroke;
    /** The body of a shape as it came. */
    this.text = parts.text;
    /** Attributes as they came; null if there are none. */
    this.fields = parts.fields?.size ? parts.fields : null;
    this.copy = parts.copy ?? false;
    /** Erased, and kept because a history can bring it back. */
    this.buried = parts.buried ?? false;
    /** @type {any} */
    this.decoded = undefined;
  }

  get member() {
    return Number(this.id.slice(0, this.id.indexOf(".")));
  }

  get number() {
    return Number(this.id.slice(this.id.indexOf(".") + 1));
  }

  /** The body of a shape, decoded; undefined for a stroke. */
  get shape() {
    if (this.text !== undefined) this.decoded ??= JSON.parse(this.text);
    return this.decoded;
  }

  /** Attributes that lie over what it was put with; undefined if there are none. */
  get set() {
    return this.fields?.plain();
  }

  get isOpen() {
    return this.stroke !== undefined && !this.stroke.ended;
  }

  get isLocked() {
    return this.fields?.text("locked") === "true";
  }

  /** What says where it stands in the order of drawing. @returns {string} */
  get orderKey() {
    return this.fields?.get("order") ?? standardOrderKey(this.place);
  }

  /** Another value with some parts changed. @param {ElementParts} parts */
  with(parts) {
    return new Element(this.id, {
      place: this.place, scene: this.scene, stroke: this.stroke, text: this.text, fields: this.fields,
      copy: this.copy, buried: this.buried, ...parts,
    });
  }
}

/** A page of the board. */
export class Scene {
  /**
   * @param {number} id @param {string} directory @param {string} name
   * @param {string} [pptText] @param {number} [pptStep]
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

  get path() {
    return this.directory === "/" ? `/${this.name}` : `${this.directory}/${this.name}`;
  }
}

/** Somebody who is in the room. */
export class Member {
  /** @param {number} id @param {{session: string, role: string, writable: boolean, uid?: string | null,
   *   client?: string | null}} joined @param {string | undefined} payloadText @param {number} time */
  constructor(id, joined, payloadText, time) {
    this.id = id;
    this.session = joined.session;
    this.generation = 1;
    this.uid = joined.uid ?? undefined;
    this.role = joined.role;
    this.writable = joined.writable;
    this.payloadText = payloadText;
    this.client = joined.client ?? undefined;
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
  }

  /** What its app said of it at the join, decoded. @returns {any} */
  get payload() {
    return this.payloadText === undefined ? undefined : JSON.parse(this.payloadText);
  }

  /** @returns {Member} */
  copy() {
    const copy = Object.assign(Object.create(Member.prototype), this);
    copy.state = this.state.copy();
    return copy;
  }
}

export class RoomState {
  constructor() {
    this.revision = 0;
    this.time = 0;
    /** @type {{name: string, limit: number, isRecord: boolean} | null} */
    this.created = null;
    this.createdAt = 0;
    this.globalState = new Fields();
    /** By number, in rising order. @type {Map<number, Member>} */
    this.members = new Map();
    this.nextMember = 0;
    /** @type {Scene[]} */
    this.scenes = [];
    this.currentScene = 0;
    this.nextScene = 1;
    /** @type {number | null} */
    this.broadcaster = null;
    this.banned = false;
    this.deleted = false;
    /** @type {KeyMap<number>} */
    this.limits = new KeyMap();
    /** @type {KeyMap<Fields>} */
    this.stores = new KeyMap();
    /** @type {Map<number, History>} */
    this.histories = new Map();
    /** In the operators' log only. @type {Map<number, Record<string, any>>} */
    this.bans = new Map();
    /** What a space without a board holds, as a snapshot has it; null in a room. @type {string | null} */
    this.space = null;
    /** In the order of their places, buried ones too. @type {Map<string, Element>} */
    this.elements = new Map();
    this.places = 0;
    /** Ids of strokes whose pen is down. @type {Set<string>} */
    this.open = new Set();
  }

  /** @param {number} id @returns {Scene | undefined} */
  scene(id) {
    return this.scenes.find((scene) => scene.id === id);
  }

  /** An element on the board. @param {string} id @returns {Element | undefined} */
  element(id) {
    const element = this.elements.get(id);
    return element?.buried ? undefined : element;
  }
}

/** Before the first event. */
export const emptyState = () => new RoomState();

/** A state that goes its own way from here. @param {RoomState} state @returns {RoomState} */
export function copyState(state) {
  const copy = Object.assign(new RoomState(), state);
  copy.globalState = state.globalState.copy();
  copy.members = new Map([...state.members].map(([id, member]) => [id, member.copy()]));
  copy.scenes = [...state.scenes];
  copy.limits = copyMap(state.limits, (limit) => limit);
  copy.stores = copyMap(state.stores, (store) => store.copy());
  copy.histories = new Map([...state.histories].map(([id, history]) => [id, history.copy()]));
  copy.bans = new Map(state.bans);
  copy.elements = new Map(state.elements);
  copy.open = new Set(state.open);
  return copy;
}

/** @template V @param {KeyMap<V>} map @param {(value: V) => V} value @returns {KeyMap<V>} */
function copyMap(map, value) {
  const copy = /** @type {KeyMap<V>} */ (new KeyMap());
  for (const [key, inner] of map.entries.values()) copy.put(key, value(inner));
  return copy;
}

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The order key of an element that was never given one. @param {number} place @returns {string} */
export function standardOrderKey(place) {
  let key = "";
  for (let rest = place; key.length < 7; rest = Math.floor(rest / 62)) key = digits[rest % 62] + key;
  return `V${key}`;
}

/**
 * A key between two, which leaves room on both sides; undefined stands for the end on that side. Undefined if
 * `lower` is not below `upper`, or the room between them is used up.
 * @param {string | undefined} lower @param {string | undefined} upper
 * @returns {string | undefined}
 */
export function orderKeyBetween(lower = "", upper = undefined) {
  if (upper !== undefined && lower >= upper) return undefined;
  let key = "";
  let isBelowUpper = upper === undefined;
  while (key.length < 64) {
    const place = key.length;
    const least = place < lower.length ? digits.indexOf(lower[place]) : -1;
    const most = isBelowUpper ? 62 : digits.indexOf(upper?.[place] ?? "0");
    const floor = Math.max(least, 0);
    const middle = Math.floor((floor + most) / 2);
    if (most - least > 1 && middle > floor && middle < most) return key + digits[middle];
    key += digits[floor];
    if (floor < most) isBelowUpper = true;
  }
  return undefined;
}

/** What is on the board of a scene, in the order in which it is drawn. @param {RoomState} state */
export function sceneElements(state, /** @type {number} */ scene) {
  /** @type {Element[]} */
  const found = [];
  let isOrdered = true;
  for (const element of state.elements.values()) {
    if (element.scene !== scene || element.buried) continue;
    found.push(element);
    if (element.fields !== null && element.fields.text("order") !== undefined) isOrdered = false;
  }
  return isOrdered ? found : inOrder(found);
}

/** Sorted by order key, and by place where keys are equal. @param {Element[]} elements @returns {Element[]} */
export function inOrder(elements) {
  return elements
    .map((element) => ({ key: element.orderKey, element }))
    .sort((left, right) =>
      left.key < right.key ? -1 : left.key > right.key ? 1 : left.element.place - right.element.place)
    .map((keyed) => keyed.element);
}

