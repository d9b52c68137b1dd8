import { canonical, Fields, itemsOf, memberOf, patchOf } from "./json.js";
import { Member, Scene } from "./state.js";

// What events do to the room itself, its members, pages and stores: docs/PROTOCOL.md, section 8.

/**
 * @typedef {import("./folding.js").Rule} Rule
 * @typedef {import("./folding.js").Folding} Folding
 */

const lastScene = 2 ** 32 - 1;
/** Who is remembered for not being let write, of those who left. */
const mostBarred = 1000;
/** @param {string} left @param {string} right */
const isSame = (left, right) => left === right || canonical(left) === canonical(right);

/** @param {Folding} fold @param {Member} member @param {string} mode */
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

/** A member writes if it wants to and nobody keeps it from it.
 * @param {Folding} fold @param {Member} member */
function settle(fold, member, wants = member.writable || member.kept) {
  const [was, may] = [member.writable, fold.state.mayWrite(member)];
  [member.writable, member.kept] = [wants && may, wants && !may];
  if (member.writable === was) return;
  for (const field of ["writable", "roster"]) fold.change.field(field);
  if (!was) return;
  fold.endStrokes(member.id);
  endBroadcast(fold, member.id);
}

/** @param {Folding} fold */
const settleAll = (fold) => fold.state.members.forEach((member) => settle(fold, member));

/** @param {Folding} fold @param {number} scene */
function setCurrent({ state, change }, scene) {
  if (state.currentScene !== scene) change.field("currentScene");
  state.currentScene = scene;
}

/** For what only a member that is here can do.
 * @param {(fold: Folding, member: Member, body: any) => boolean | void} act @returns {Rule} */
const byMember = (act) => (fold, body) => fold.actor !== undefined && act(fold, fold.actor, body) !== false;

/** For what only befalls a room that was made.
 * @param {(fold: Folding, body: any) => void} act @returns {Rule} */
const inRoom = (act) => (fold, body) => {
  if (!fold.state.created) return false;
  act(fold, body);
  return true;
};

/** Whether numbers rise from the next one, and names differ.
 * @param {number} least @param {Array<{id: number, name: string}>} scenes */
const areFresh = (least, scenes) =>
  scenes.every(({ id }, place) => id >= (place === 0 ? least : scenes[place - 1].id + 1) && id < lastScene) &&
  new Set(scenes.map(({ name }) => canonical(name))).size === scenes.length;

/** Where the page with this index in its directory is, or would be.
 * @param {Scene[]} scenes @param {string} directory @param {number} index */
function placeOf(scenes, directory, index) {
  const pages = [...scenes.keys()].filter((place) => isSame(scenes[place].directory, directory));
  return pages[index] ?? (pages.length > 0 ? pages[pages.length - 1] + 1 : scenes.length);
}

/** @type {Record<string, Rule>} */
export const roomRules = {
  roomCreated({ state, change, rec }, { name, limit, isRecord }) {
    if (state.created) return false;
    state.created = { name, limit, isRecord };
    state.createdAt = rec.t;
    state.scenes = [new Scene(state.nextScene, "/", "init")];
    state.currentScene = state.nextScene++;
    for (const field of ["created", "scenes", "currentScene"]) change.field(field);
    return true;
  },

  memberJoined({ state, change, rec, text }, joined) {
    if (rec.by === null || rec.by < state.nextMember) return false;
    const member = new Member(rec.by, joined, memberOf(text, "payload"), rec.t);
    if (state.broadcaster !== undefined) member.viewMode = "follower";
    const { uid } = member;
    member.barred = uid !== undefined && state.barred.includes(uid);
    if (member.barred) state.barred = state.barred.filter((other) => other !== uid);
    member.kept = member.writable && !state.mayWrite(member);
    if (member.kept) member.writable = false;
    state.members.set(rec.by, member);
    state.nextMember = rec.by + 1;
    change.field(member.writable ? "roster" : "audience");
    return true;
  },

  memberLeft: byMember((fold, { id, writable, uid, barred }) => {
    const { state } = fold;
    state.members.delete(id);
    fold.change.field(writable ? "roster" : "audience");
    fold.endStrokes(id);
    fold.endHistory(id);
    endBroadcast(fold, id);
    if (barred && uid !== undefined) {
      state.barred = [...state.barred.filter((other) => other !== uid), uid].slice(-mostBarred);
    }
    if (state.lock?.by === id) settleAll(fold);
  }),

  memberPhase: byMember((fold, member, { phase, generation }) => {
    Object.assign(member, { phase, generation });
    fold.change.field("phase");
  }),

  memberWritable: byMember((fold, member, { writable }) => settle(fold, member, writable)),

  handRaised: byMember(({ change, rec }, member, { raised }) => {
    const hand = raised ? member.hand ?? rec.t : undefined;
    if (member.hand !== hand) change.field("hands");
    member.hand = hand;
  }),

  writingAllowed(fold, { member: id, allowed }) {
    const member = fold.state.members.get(id);
    if (!member || member.role === "reader") return false;
    if (member.barred === allowed) fold.change.field("lock");
    member.barred = !allowed;
    settle(fold, member, allowed || undefined);
    return true;
  },

  roomLocked(fold, { locked }) {
    const { state, change, rec, actor } = fold;
    if (!state.created || (rec.by !== null && !actor)) return false;
    const lock = locked ? { by: actor?.id } : undefined;
    if (Boolean(state.lock) !== locked || state.lock?.by !== lock?.by) change.field("lock");
    state.lock = lock;
    settleAll(fold);
    return true;
  },

  memberKicked: ({ state }, { member }) => state.members.has(member),
  memberReplaced: ({ actor, rec }) => rec.by === null || actor !== undefined,

  globalState({ state, change, text }) {
    if (state.globalState.merge(patchOf(text))) change.field("globalState");
    return true;
  },

  memberState: byMember(({ change, text }, member) => {
    if (member.state.merge(patchOf(text))) change.field("memberState");
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
    for (const other of state.members.values()) setView(fold, other, "follower");
    setView(fold, member, "broadcaster");
    return true;
  }),

  scenesPut(fold, { directory, index, scenes }) {
    const { state, change } = fold;
    if (!state.created || !areFresh(state.nextScene, scenes)) return false;
    const texts = itemsOf(memberOf(fold.text, "scenes") ?? "[]");
    const fresh = texts.map((text, place) => {
      const { id, name, ppt = null } = scenes[place];
      return new Scene(id, directory, name, ppt === null ? undefined : memberOf(text, "ppt"));
    });
    const heirs = new Map(fresh.map((scene) => [canonical(scene.name), scene]));
    const heirOf = (/** @type {Scene | undefined} */ scene) =>
      scene && isSame(scene.directory, directory) ? heirs.get(canonical(scene.name)) : undefined;
    const heir = heirOf(state.scene(state.currentScene));
    fold.takeOut(new Set(state.scenes.filter(heirOf).map((scene) => scene.id)));
    if (heir) setCurrent(fold, heir.id);
    state.scenes.splice(placeOf(state.scenes, directory, index), 0, ...fresh);
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
      state.scenes = [new Scene(fresh, "/", "init")];
      state.nextScene = fresh + 1;
    }
    setCurrent(fold, current);
    return true;
  },

  sceneMoved(fold, { scene, directory, name, index = null }) {
    const { state } = fold;
    const page = state.scene(scene);
    const isTaken = state.scenes.some((other) =>
      other !== page && isSame(other.directory, directory) && isSame(other.name, name));
    if (!page || isTaken) return false;
    const moved = fold.setScene(page, { directory, name });
    if (index === null && isSame(page.directory, directory)) return true;
    const others = state.scenes.filter((other) => other !== moved);
    others.splice(placeOf(others, directory, index ?? others.length), 0, moved);
    state.scenes = others;
    return true;
  },

  pptStepped(fold, { scene, step }) {
    const page = fold.state.scene(scene);
    if (!page) return false;
    if (page.pptStep !== step) fold.setScene(page, { step });
    setCurrent(fold, scene);
    return true;
  },

  storeSet: inRoom(({ state, change, text }, { store, reset }) => {
    const before = state.stores.text(store);
    const fields = before && !reset ? before.copy() : new Fields();
    fields.merge(patchOf(memberOf(text, "set")));
    state.stores.put(store, fields);
    if (before?.json() !== fields.json()) change.field("stores");
  }),

  storeDeleted({ state, change }, { store }) {
    if (!state.stores.text(store)) return false;
    state.stores.put(store, null);
    change.field("stores");
    return true;
  },

  roomBanned: inRoom(({ state, change }, { banned }) => {
    if (state.banned !== banned) change.field("closing");
    state.banned = banned;
  }),

  roomDeleted: inRoom(({ state, change }) => {
    if (!state.deleted) change.field("closing");
    state.deleted = true;
  }),

  limitsSet: inRoom(({ state, change }, { set }) => {
    for (const [name, limit] of Object.entries(set)) state.limits.put(name, limit);
    change.field("limits");
  }),
};
