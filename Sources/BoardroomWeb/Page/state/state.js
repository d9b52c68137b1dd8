// The state of a room at one revision (docs/PROTOCOL.md, section 7). Elements, scenes and segments
// are values, replaced when they change, so that a copy of a state shares them; members are changed
// in place.
import { Fields } from "../protocol/json.js";
import { byKey, orderKey } from "./order.js";

/** @typedef {Partial<RoomScene> & { id: number; directory: string; name: string }} SceneParts */

/** @typedef {Partial<RoomElement> & { id: string; place: number; scene: number }} ElementParts */

/**
 * @param {ElementParts} parts a stroke, or a shape as its elementPut has it
 * @returns {RoomElement}
 */
export function makeElement(parts) {
  const { id, place, scene, stroke, shape, set, copy = false, buried = false } = parts;
  const [member, number] = id.split(".").map(Number);
  return { id, member, number, place, scene, stroke, shape, set, copy, buried };
}

/**
 * The element with another stroke; without spreading, since this is done for each piece of a
 * stroke.
 * @param {RoomElement} element
 * @param {RoomElement["stroke"]} stroke
 * @returns {RoomElement}
 */
export function withStroke(element, stroke) {
  const { id, member, number, place, scene, shape, set, copy, buried } = element;
  return { id, member, number, place, scene, stroke, shape, set, copy, buried };
}

/**
 * @param {SceneParts} parts
 * @returns {RoomScene}
 */
export function makeScene({ id, directory, name, ppt, pptStep = 0 }) {
  const path = `${directory === "/" ? "" : directory}/${name}`;
  return { id, directory, name, ppt: ppt ?? undefined, pptStep, path };
}

export class RoomState {
  revision = 0;
  time = 0;

  /** @type {{name: string, limit: number, isRecord: boolean} | undefined} */
  created = undefined;

  createdAt = 0;
  globalState = new Fields();

  /**
   * By number, in rising order.
   * @type {Map<number, RoomMember>}
   */
  members = new Map();

  nextMember = 0;

  /** @type {RoomScene[]} */
  scenes = [];

  currentScene = 0;
  nextScene = 1;

  /** @type {number | undefined} */
  broadcaster = undefined;

  /**
   * The broadcaster whom this spectator has stopped following; the log has nothing of it.
   * @type {number | undefined}
   */
  unfollowed = undefined;

  banned = false;
  deleted = false;

  /**
   * While it is set, only member `by` can write; if that member has left, or none is named,
   * administrators.
   * @type {{by?: number} | undefined}
   */
  lock = undefined;

  /** @type {readonly string[]} Uids of members who left while they were not allowed to write. */
  barred = [];

  limits = new Fields();

  /** By name, plain objects. */
  stores = new Fields();

  /**
   * The histories of members, by member.
   * @type {Map<number, import("./history.js").History>}
   */
  histories = new Map();

  /**
   * In the order of their places, erased ones that a history keeps too.
   * @type {Map<string, RoomElement>}
   */
  elements = new Map();

  places = 0;

  /** @type {Set<string>} Ids of strokes that are being drawn. */
  open = new Set();

  /** @param {number} id */
  scene(id) {
    return this.scenes.find((scene) => scene.id === id);
  }

  /**
   * @param {Pick<RoomMember, "id" | "role" | "barred">} member whether it is allowed to write
   */
  mayWrite({ id, role, barred }) {
    const { lock, members } = this;
    if (barred || !lock) return !barred;
    return lock.by !== undefined && members.has(lock.by) ? id === lock.by : role === "admin";
  }

  /**
   * An element on the board.
   * @param {string} id
   */
  element(id) {
    const element = this.elements.get(id);
    return element?.buried ? undefined : element;
  }
}

export const emptyState = () => new RoomState();

/**
 * @param {RoomState} state
 * @returns {RoomState} a copy, which can be folded on alone
 */
export function copyState(state) {
  const copy = Object.assign(new RoomState(), state, {
    globalState: state.globalState.copy(),
    limits: state.limits.copy(),
    stores: state.stores.copy(),
    members: new Map(),
    histories: new Map(),
    elements: new Map(state.elements),
    open: new Set(state.open),
  });
  for (const [id, member] of state.members) {
    copy.members.set(id, { ...member, state: member.state.copy() });
  }
  for (const [id, history] of state.histories) {
    copy.histories.set(id, history.copy());
  }
  return copy;
}

/**
 * @param {RoomState} state
 * @param {number} scene
 * @returns {RoomElement[]} in the order of drawing
 */
export function sceneElements(state, scene) {
  /** @type {RoomElement[]} */
  const found = [];
  for (const one of state.elements.values()) {
    if (one.scene === scene && !one.buried) found.push(one);
  }
  if (found.every(({ set }) => set?.order === undefined)) return found;
  const keyed = found.map((element) => ({ key: orderKey(element), element }));
  return keyed.sort(byKey).map(({ element }) => element);
}
