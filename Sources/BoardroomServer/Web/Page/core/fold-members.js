import { endStrokes } from "./fold-elements.js";
import { endHistory } from "./fold-history.js";
import { Fields, memberOf, patchOf } from "./json.js";
import { Member, Scene } from "./state.js";

// What events do to the room itself, its members, their states and views.

/** @typedef {import("./fold.js").Rule} Rule */
/** @typedef {import("./fold.js").Change} Change */
/** @typedef {import("./state.js").RoomState} RoomState */

/** The actor, if it is here. @param {RoomState} state @param {import("./records.js").Rec} rec */
const actor = (state, rec) => (rec.by === null ? undefined : state.members.get(rec.by));

/** @param {Member} member @param {string} mode @param {Change} change */
function setView(member, mode, change) {
  if (member.viewMode === mode) return;
  member.viewMode = mode;
  change.field("viewModes");
}

/** @param {RoomState} state @param {Change} change */
function endBroadcast(state, change) {
  state.broadcaster = null;
  change.field("broadcaster");
  for (const member of state.members.values()) setView(member, "freedom", change);
}

/** @type {Record<string, Rule>} */
export const memberRules = {
  roomCreated(state, { name, limit, isRecord }, change, rec) {
    if (state.created !== null) return false;
    state.created = { name, limit, isRecord };
    state.createdAt = rec.t;
    state.scenes = [new Scene(state.nextScene, "/", "init")];
    state.currentScene = state.nextScene++;
    for (const field of ["created", "scenes", "currentScene"]) change.field(field);
    return true;
  },

  memberJoined(state, joined, change, rec) {
    if (rec.by === null || rec.by < state.nextMember) return false;
    const payload = "payload" in joined ? memberOf(rec.text, "payload") : undefined;
    const member = new Member(rec.by, joined, payload, rec.t);
    if (state.broadcaster !== null) member.viewMode = "follower";
    state.members.set(rec.by, member);
    state.nextMember = rec.by + 1;
    change.field(joined.writable ? "roster" : "audience");
    return true;
  },

  memberLeft(state, _, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    state.members.delete(member.id);
    change.field(member.writable ? "roster" : "audience");
    endStrokes(state, member.id, change);
    endHistory(state, member.id, change);
    if (state.broadcaster === member.id) endBroadcast(state, change);
    return true;
  },

  memberPhase(state, { phase, generation }, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    Object.assign(member, { phase, generation });
    change.field("phase");
    return true;
  },

  memberWritable(state, { writable }, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    if (member.writable === writable) return true;
    member.writable = writable;
    change.field("writable");
    change.field("roster");
    if (writable) return true;
    endStrokes(state, member.id, change);
    if (state.broadcaster === member.id) endBroadcast(state, change);
    return true;
  },

  memberKicked: (state, { member }) => state.members.has(member),

  memberReplaced: (state, _, __, rec) => rec.by === null || state.members.has(rec.by),

  globalState(state, _, change, rec) {
    if (state.globalState.merge(patchOf(rec.text))) change.field("globalState");
    return true;
  },

  memberState(state, _, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    if (member.state.merge(patchOf(rec.text))) change.field("memberState");
    return true;
  },

  pointer(state, pointer, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    member.pointer = pointer;
    change.field("pointer");
    return true;
  },

  camera(state, camera, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    member.camera = camera;
    change.field("camera");
    if (member.viewMode === "follower") setView(member, "freedom", change);
    return true;
  },

  viewMode(state, { mode }, change, rec) {
    const member = actor(state, rec);
    if (member === undefined) return false;
    if (mode === "broadcaster") {
      if (state.broadcaster !== member.id) change.field("broadcaster");
      state.broadcaster = member.id;
      for (const other of state.members.values()) {
        setView(other, other === member ? "broadcaster" : "follower", change);
      }
      return true;
    }
    if (state.broadcaster === member.id) endBroadcast(state, change);
    const follows = mode === "follower" && state.broadcaster !== null;
    setView(member, follows ? "follower" : "freedom", change);
    return mode === "freedom" || follows;
  },

  storeSet(state, { store, reset }, change, rec) {
    if (state.created === null) return false;
    const before = state.stores.text(store);
    const fields = reset || before === undefined ? new Fields() : before.copy();
    fields.merge(patchOf(/** @type {string} */ (memberOf(rec.text, "set"))));
    state.stores.put(store, fields);
    if (before === undefined || !before.equals(fields)) change.field("stores");
    return true;
  },

  storeDeleted(state, { store }, change) {
    if (!state.stores.delete(store)) return false;
    change.field("stores");
    return true;
  },

  roomBanned(state, { banned }, change) {
    if (state.created === null) return false;
    if (state.banned !== banned) change.field("closing");
    state.banned = banned;
    return true;
  },

  roomDeleted(state, _, change) {
    if (state.created === null) return false;
    if (!state.deleted) change.field("closing");
    state.deleted = true;
    return true;
  },

  limitsSet(state, { set }, change) {
    if (state.created === null) return false;
    for (const [name, limit] of Object.entries(set)) {
      if ((state.limits.text(name) ?? null) === limit) continue;
      if (limit === null) state.limits.delete(name);
      else state.limits.put(name, limit);
      change.field("limits");
    }
    return true;
  },

  banSet(state, { ban, room, uid, address, until }, change) {
    const none = undefined;
    state.bans.set(ban, { ban, room: room ?? none, uid: uid ?? none, address: address ?? none, until: until ?? none });
    change.field("bans");
    return true;
  },

  banLifted(state, { ban }, change) {
    if (!state.bans.delete(ban)) return false;
    change.field("bans");
    return true;
  },
};
