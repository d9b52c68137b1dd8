import { canonical, Fields, patched } from "./json.js";
import { makeScene } from "./state.js";

// What events do to the room itself, its members, pages and stores: docs/PROTOCOL.md, section 8.

/** @typedef {import("./folding.js").Rule} Rule */
/** @typedef {import("./folding.js").Folding} Folding */

const lastScene = 2 ** 32 - 1;
/** @param {string} left @param {string} right */
const isSame = (left, right) => canonical(left) === canonical(right);

/** @param {Folding} fold @param {RoomMember} member @param {string} mode */
function setView({ change }, member, mode) {
  if (member.viewMode !== mode) change.field("viewModes");
  member.viewMode = mode;
}

/** @param {Folding} fold @param {number} member who may have broadcast */
function endBroadcast(fold, member) {
  if (fold.state.broadcaster !== member) return;
  fold.state.broadcaster = undefined;
  fold.change.field("broadcaster");
  for (const other of fold.state.members.values()) setView(fold, other, "freedom");
}

/** @param {Folding} fold @param {number} scene */
function setCurrent({ state, change }, scene) {
  if (state.currentScene !== scene) change.field("currentScene");
  state.currentScene = scene;
}

/** For what only a member that is here can do.
 * @param {(fold: Folding, member: RoomMember, body: any) => boolean | void} act @returns {Rule} */
const byMember = (act) => (fold, body) => (fold.actor ? act(fold, fold.actor, body) : false);

/** For what only befalls a room that was made.
 * @param {Rule} act @returns {Rule} */
const inRoom = (act) => (fold, body) => (fold.state.created ? act(fold, body) : false);

/** Sets a part of the room.
 * @param {"banned" | "deleted"} part @returns {Rule} */
const closing = (part) => inRoom(({ state, change }, { banned = true }) => {
  state[part] = banned;
  change.field("closing");
});

/** Whether numbers rise from the next one, and names differ.
 * @param {number} least @param {Array<{id: number, name: string}>} scenes */
const areFresh = (least, scenes) =>
  scenes.every(({ id }, place) => id >= (place === 0 ? least : scenes[place - 1].id + 1) && id < lastScene) &&
  new Set(scenes.map(({ name }) => canonical(name))).size === scenes.length;

/** Where the pages of a directory end, else all pages.
 * @param {RoomScene[]} scenes @param {string} directory */
function endOf(scenes, directory) {
  const last = scenes.map((scene) => isSame(scene.directory, directory)).lastIndexOf(true);
  return last < 0 ? scenes.length : last + 1;
}

/** @type {Record<string, Rule>} */
export const roomRules = {
  roomCreated({ state, change, rec }, { name, limit, isRecord }) {
    if (state.created) return false;
    state.created = { name, limit, isRecord };
    state.createdAt = rec.t;
    state.scenes = [makeScene({ id: state.nextScene, directory: "/", name: "init" })];
    state.currentScene = state.nextScene++;
    for (const field of ["created", "scenes", "currentScene"]) change.field(field);
    return true;
  },

  memberJoined({ state, change, rec }, { session, role, writable, uid, client, payload }) {
    const { by: id, t: joined } = rec;
    if (id === null || id < state.nextMember) return false;
    state.members.set(id, {
      id, session, generation: 1, uid, role, writable, payload, client, joined, phase: "connected",
      viewMode: state.broadcaster === undefined ? "freedom" : "follower", state: new Fields(), camera: undefined,
      pointer: undefined, lastCounter: 0, lastRevision: 0,
    });
    state.nextMember = id + 1;
    change.field(writable ? "roster" : "audience");
    return true;
  },

  memberLeft: byMember((fold, { id, writable }) => {
    fold.state.members.delete(id);
    fold.change.field(writable ? "roster" : "audience");
    fold.endStrokes(id);
    fold.endHistory(id);
    endBroadcast(fold, id);
  }),

  memberPhase: byMember(({ change }, member, { phase, generation }) => {
    Object.assign(member, { phase, generation });
    change.field("phase");
  }),

  memberWritable: byMember((fold, member, { writable }) => {
    if (member.writable === writable) return;
    member.writable = writable;
    for (const field of ["writable", "roster"]) fold.change.field(field);
    if (writable) return;
    fold.endStrokes(member.id);
    endBroadcast(fold, member.id);
  }),

  memberKicked: ({ state }, { member }) => state.members.has(member),
  memberReplaced: ({ actor, rec }) => rec.by === null || actor !== undefined,

  globalState({ state, change }, patch) {
    if (state.globalState.merge(patch)) change.field("globalState");
  },

  memberState: byMember(({ change }, member, patch) => {
    if (member.state.merge(patch)) change.field("memberState");
  }),

  pointer: byMember(({ change }, member, pointer) => {
    member.pointer = pointer;
    change.field("pointer");
  }),

  camera: byMember((fold, member, camera) => {
    member.camera = camera;
    fold.change.field("camera");
    if (member.viewMode === "follower") setView(fold, member, "freedom");
  }),

  viewMode: byMember((fold, member, { mode }) => {
    const { state, change } = fold;
    if (mode !== "broadcaster") {
      endBroadcast(fold, member.id);
      const follows = mode === "follower" && state.broadcaster !== undefined;
      setView(fold, member, follows ? "follower" : "freedom");
      return mode === "freedom" || follows;
    }
    if (state.broadcaster !== member.id) change.field("broadcaster");
    state.broadcaster = member.id;
    for (const other of state.members.values()) setView(fold, other, other === member ? mode : "follower");
    return true;
  }),

  scenesPut(fold, { directory, index, scenes }) {
    const { state, change } = fold;
    if (!state.created || !areFresh(state.nextScene, scenes)) return false;
    /** @type {RoomScene[]} */
    const fresh = scenes.map((/** @type {any} */ scene) => makeScene({ ...scene, directory, pptStep: 0 }));
    const heirOf = (/** @type {RoomScene | undefined} */ scene) =>
      scene && isSame(scene.directory, directory) ? fresh.find(({ name }) => isSame(name, scene.name)) : undefined;
    const heir = heirOf(state.scene(state.currentScene));
    fold.takeOut(new Set(state.scenes.filter(heirOf).map((scene) => scene.id)));
    if (heir) setCurrent(fold, heir.id);
    const pages = state.scenes.filter((scene) => isSame(scene.directory, directory));
    const next = pages[Math.max(index, 0)];
    const place = next ? state.scenes.indexOf(next) : endOf(state.scenes, directory);
    state.scenes.splice(place, 0, ...fresh);
    for (const { id } of fresh) {
      state.nextScene = id + 1;
      change.scene(id);
      change.field("scenes");
    }
    return true;
  },

  sceneSwitched(fold, { scene }) {
    if (!fold.state.scene(scene)) return false;
    setCurrent(fold, scene);
    return true;
  },

  scenesRemoved(fold, { scenes, current, fresh = null }) {
    const { state, change } = fold;
    const removed = new Set(/** @type {number[]} */ (scenes));
    if (removed.size === 0 || ![...removed].every((id) => state.scene(id))) return false;
    const isEmptied = removed.size === state.scenes.length;
    const fits = fresh === null
      ? !removed.has(current) && state.scene(current)
      : isEmptied && current === fresh && fresh >= state.nextScene && fresh < lastScene;
    if (!fits) return false;
    fold.takeOut(removed);
    change.field("scenes");
    if (fresh !== null) {
      state.scenes = [makeScene({ id: fresh, directory: "/", name: "init" })];
      state.nextScene = fresh + 1;
    }
    setCurrent(fold, current);
    return true;
  },

  sceneMoved(fold, { scene, directory, name }) {
    const { state } = fold;
    const page = state.scene(scene);
    const isTaken = state.scenes.some((other) =>
      other !== page && isSame(other.directory, directory) && isSame(other.name, name));
    if (!page || isTaken) return false;
    const moved = fold.setScene(page, { directory, name });
    if (isSame(page.directory, directory)) return true;
    const others = state.scenes.filter((other) => other !== moved);
    others.splice(endOf(others, directory), 0, moved);
    state.scenes = others;
    return true;
  },

  pptStepped(fold, { scene, step }) {
    const page = fold.state.scene(scene);
    if (!page) return false;
    if (page.pptStep !== step) fold.setScene(page, { pptStep: step });
    setCurrent(fold, scene);
    return true;
  },

  storeSet: inRoom(({ state, change }, { store, reset, set }) => {
    state.stores.put(store, patched(reset ? {} : state.stores.get(store), set));
    change.field("stores");
  }),

  storeDeleted({ state, change }, { store }) {
    if (!state.stores.get(store)) return false;
    state.stores.put(store, null);
    change.field("stores");
    return true;
  },

  limitsSet: inRoom(({ state, change }, { set }) => {
    state.limits.merge(set);
    change.field("limits");
  }),

  roomBanned: closing("banned"),
  roomDeleted: closing("deleted"),
};
