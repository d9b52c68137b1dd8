// What events do to the room itself, its members, pages and stores: docs/PROTOCOL.md, section 8.
// What the server decides before there is an event (numbers of pages, that there is a room) is not
// asked again.
import { canonical, Fields, patched } from "../protocol/json.js";
import { makeScene } from "./state.js";

/**
 * @param {string} a
 * @param {string} b
 */
const isSame = (a, b) => canonical(a) === canonical(b);

/**
 * @param {Folding} fold
 * @param {number} member who may have broadcast
 */
function endBroadcast(fold, member) {
  if (fold.state.broadcaster !== member) return;
  fold.put(fold.state, { broadcaster: undefined }, "broadcaster");
  for (const other of fold.state.members.values()) {
    fold.put(other, { viewMode: "freedom" }, "viewModes");
  }
}

/**
 * @param {Folding} fold
 * @param {RoomMember} member writes if it wants to and nobody keeps it from it
 */
function settle(fold, member, wants = member.writable || member.kept) {
  const was = member.writable;
  const may = fold.state.mayWrite(member);
  fold.put(member, { writable: wants && may, kept: wants && !may }, "writable");
  if (member.writable !== was) fold.change.field("roster");
  if (!was || member.writable) return;
  fold.endStrokes(member.id);
  endBroadcast(fold, member.id);
}

/**
 * @param {MemberRule} act for what only a member that is here can do
 * @returns {Rule}
 */
const byMember = (act) => (fold, body) => (fold.actor ? act(fold, fold.actor, body) : false);

/**
 * @param {RoomScene[]} scenes
 * @param {string} directory
 * @param {number} index in it, of any or a new page
 */
function placeOf(scenes, directory, index) {
  const pages = [...scenes.keys()].filter((place) => isSame(scenes[place].directory, directory));
  const behind = pages.length > 0 ? pages[pages.length - 1] + 1 : scenes.length;
  return pages[Math.max(index, 0)] ?? behind;
}

/** @type {Record<string, Rule>} */
export const roomRules = {
  roomCreated(fold, { name, limit, isRecord }) {
    const { state, rec } = fold;
    if (state.created) return false;
    fold.put(state, { created: { name, limit, isRecord }, createdAt: rec.t }, "created");
    const id = state.nextScene;
    const init = makeScene({ id, directory: "/", name: "init" });
    fold.put(state, { scenes: [init], nextScene: id + 1 }, "scenes");
    return fold.put(state, { currentScene: id }, "currentScene");
  },
  memberJoined({ state, change, rec }, { session, role, writable, uid, client, payload, bound }) {
    const { by: id, t: joined } = rec;
    if (id === null || id < state.nextMember) return false;
    const viewMode = state.broadcaster === undefined ? "freedom" : "follower";
    const barred = state.barred.includes(uid);
    if (barred) state.barred = state.barred.filter((other) => other !== uid);
    const may = state.mayWrite({ id, role, barred });
    const writing = { writable: writable && may, kept: writable && !may, barred };
    state.members.set(id, {
      id,
      session,
      generation: 1,
      uid,
      role,
      ...writing,
      bound: bound || undefined,
      payload,
      client,
      joined,
      phase: "connected",
      viewMode,
      state: new Fields(),
      camera: undefined,
      pointer: undefined,
      lastCounter: 0,
      lastRevision: 0,
    });
    state.nextMember = id + 1;
    return change.field(writable && may ? "roster" : "audience");
  },
  memberLeft: byMember((fold, { id, uid, writable, barred }) => {
    const { state } = fold;
    state.members.delete(id);
    fold.change.field(writable ? "roster" : "audience");
    fold.endStrokes(id);
    fold.endHistory(id);
    endBroadcast(fold, id);
    // The last thousand are remembered.
    if (barred && uid) {
      state.barred = [...state.barred.filter((other) => other !== uid), uid].slice(-1000);
    }
    if (state.lock?.by === id) {
      for (const member of state.members.values()) {
        settle(fold, member);
      }
    }
  }),
  memberPhase: byMember((fold, me, { phase, generation }) =>
    fold.put(me, { phase, generation }, "phase"),
  ),
  memberWritable: byMember((fold, member, { writable }) => settle(fold, member, writable)),
  handRaised: byMember((fold, me, { raised }) =>
    fold.put(me, { hand: raised ? (me.hand ?? fold.rec.t) : undefined }, "hands"),
  ),
  writingAllowed(fold, { member: id, allowed }) {
    const member = fold.state.members.get(id);
    if (!member || member.role === "reader") return false;
    fold.put(member, { barred: !allowed }, "lock");
    settle(fold, member, allowed || undefined);
  },
  roomLocked(fold, { locked }) {
    const { state, rec, actor } = fold;
    if (rec.by !== null && !actor) return false;
    fold.put(state, { lock: locked ? { by: actor?.id } : undefined }, "lock");
    for (const member of state.members.values()) {
      settle(fold, member);
    }
  },
  globalState: (fold, patch) => fold.merge(fold.state.globalState, patch, "globalState"),
  memberState: byMember((fold, member, patch) => fold.merge(member.state, patch, "memberState")),
  pointer: byMember((fold, member, pointer) => fold.put(member, { pointer }, "pointer")),
  camera: byMember((fold, member, camera) => {
    fold.put(member, { camera }, "camera");
    if (member.viewMode === "follower") fold.put(member, { viewMode: "freedom" }, "viewModes");
  }),
  viewMode: byMember((fold, member, { mode }) => {
    const { state } = fold;
    if (mode !== "broadcaster") {
      endBroadcast(fold, member.id);
      const follows = mode === "follower" && state.broadcaster !== undefined;
      fold.put(member, { viewMode: follows ? mode : "freedom" }, "viewModes");
      return mode === "freedom" || follows;
    }
    fold.put(state, { broadcaster: member.id }, "broadcaster");
    for (const other of state.members.values()) {
      fold.put(other, { viewMode: other === member ? mode : "follower" }, "viewModes");
    }
  }),
  scenesPut(fold, { directory, index, scenes }) {
    const { state, change } = fold;
    const fresh = /** @type {any[]} */ (scenes).map((scene) => makeScene({ ...scene, directory }));
    const heirOf = (/** @type {RoomScene | undefined} */ old) =>
      fresh.find(({ name }) => old && isSame(old.directory, directory) && isSame(name, old.name));
    const heir = heirOf(state.scene(state.currentScene));
    fold.takeOut(new Set(state.scenes.filter(heirOf).map((scene) => scene.id)));
    if (heir) fold.put(state, { currentScene: heir.id }, "currentScene");
    state.scenes.splice(placeOf(state.scenes, directory, index), 0, ...fresh);
    state.nextScene = Math.max(state.nextScene, ...fresh.map(({ id }) => id + 1));
    for (const { id } of fresh) {
      change.scene(id);
    }
    return change.field("scenes");
  },
  sceneSwitched: (fold, { scene }) =>
    fold.state.scene(scene) ? fold.put(fold.state, { currentScene: scene }, "currentScene") : false,
  scenesRemoved(fold, { scenes, current, fresh = null }) {
    const { state } = fold;
    const removed = new Set(/** @type {number[]} */ (scenes));
    if (![...removed].every((id) => state.scene(id))) return false;
    fold.takeOut(removed);
    const init =
      fresh === null ? undefined : makeScene({ id: fresh, directory: "/", name: "init" });
    const nextScene = Math.max(state.nextScene, fresh + 1);
    fold.put(state, { scenes: init ? [init] : state.scenes, nextScene }, "scenes");
    fold.change.field("scenes");
    return fold.put(state, { currentScene: current }, "currentScene");
  },
  sceneMoved(fold, { scene, directory, name, index = null }) {
    const { state } = fold;
    const page = state.scene(scene);
    if (!page) return false;
    const moved = fold.setScene(page, { directory, name });
    if (index === null && isSame(page.directory, directory)) return;
    state.scenes = state.scenes.filter((other) => other !== moved);
    state.scenes.splice(placeOf(state.scenes, directory, index ?? state.scenes.length), 0, moved);
  },
  pptStepped(fold, { scene, step }) {
    const page = fold.state.scene(scene);
    if (!page) return false;
    if (page.pptStep !== step) fold.setScene(page, { pptStep: step });
    return fold.put(fold.state, { currentScene: scene }, "currentScene");
  },
  storeSet({ state, change }, { store, reset, set }) {
    state.stores.put(store, patched(reset ? {} : state.stores.get(store), set).plain());
    change.field("stores");
  },
  storeDeleted({ state, change }, { store }) {
    if (!state.stores.get(store)) return false;
    state.stores.put(store, null);
    return change.field("stores");
  },
  limitsSet: (fold, { set }) => fold.merge(fold.state.limits, set, "limits"),
  roomBanned: (fold, { banned }) => fold.put(fold.state, { banned }, "closing"),
  roomDeleted: (fold) => fold.put(fold.state, { deleted: true }, "closing"),
};
