// Members: who joins and leaves, their phases, whether they write, whom they follow.
import { Fields } from "../../protocol/json.js";
import { byMember } from "./event-fold.js";
import { endBroadcast, updateWriting, updateWritingOfAll } from "./writing.js";

/** How many uids are remembered of those who left while they were not allowed to write. */
const BARRED_UIDS = 1_000;

/** @type {import("./event-fold.js").Rules} */
export const membersRules = {
  memberJoined({ state, change, rec }, { session, role, writable, uid, client, payload, bound }) {
    const { by: id, t: joined } = rec;
    if (id === null || id < state.nextMember) return false;
    const barred = state.barred.includes(uid);
    if (barred) state.barred = state.barred.filter((other) => other !== uid);
    const isAllowed = state.mayWrite({ id, role, barred });
    state.members.set(id, {
      id,
      session,
      generation: 1,
      uid,
      role,
      writable: writable && isAllowed,
      kept: writable && !isAllowed,
      barred,
      bound: bound || undefined,
      payload,
      client,
      joined,
      phase: "connected",
      viewMode: state.broadcaster === undefined ? "freedom" : "follower",
      state: new Fields(),
      camera: undefined,
      pointer: undefined,
      lastCounter: 0,
      lastRevision: 0,
    });
    state.nextMember = id + 1;
    change.addMember(id);
    change.addField(writable && isAllowed ? "roster" : "audience");
  },
  memberLeft: byMember((fold, { id, uid, writable, barred }) => {
    const { state } = fold;
    state.members.delete(id);
    fold.change.addMember(id);
    fold.change.addField(writable ? "roster" : "audience");
    fold.endStrokes(id);
    fold.endHistory(id);
    endBroadcast(fold, id);
    if (barred && uid) {
      const others = state.barred.filter((other) => other !== uid);
      state.barred = [...others, uid].slice(-BARRED_UIDS);
    }
    if (state.lock?.by === id) updateWritingOfAll(fold);
  }),
  memberPhase: byMember((fold, member, { phase, generation }) =>
    fold.assign(member, { phase, generation }, "phase"),
  ),
  memberWritable: byMember((fold, member, { writable }) => updateWriting(fold, member, writable)),
  viewMode: byMember((fold, member, { mode }) => {
    const { state } = fold;
    if (mode !== "broadcaster") {
      endBroadcast(fold, member.id);
      const follows = mode === "follower" && state.broadcaster !== undefined;
      fold.assign(member, { viewMode: follows ? mode : "freedom" }, "viewModes");
      return mode === "freedom" || follows;
    }
    fold.assign(state, { broadcaster: member.id }, "broadcaster");
    for (const other of state.members.values()) {
      fold.assign(other, { viewMode: other === member ? mode : "follower" }, "viewModes");
    }
  }),
};
