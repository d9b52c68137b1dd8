// The global state, the states of members, and stores.
import { patched } from "../../protocol/json.js";
import { byMember } from "./event-fold.js";

/** @type {import("./event-fold.js").Rules} */
export const stateRules = {
  globalState: (fold, patch) => fold.merge(fold.state.globalState, patch, "globalState"),
  memberState: byMember((fold, member, patch) => {
    fold.merge(member.state, patch, "memberState");
    fold.change.addMember(member.id);
  }),
  storeSet({ state, change }, { store, reset, set }) {
    state.stores.set(store, patched(reset ? {} : state.stores.get(store), set).plain());
    change.addField("stores");
  },
  storeDeleted({ state, change }, { store }) {
    if (!state.stores.get(store)) return false;
    state.stores.set(store, null);
    change.addField("stores");
  },
};
