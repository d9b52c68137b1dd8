// A room's state, its fold and its snapshots: what a page imports of them.

export { apply, applyAll, Change } from "./fold.js";
export { redoSteps, undoSteps } from "./fold-history.js";
export { partBytes, rootText, stateFromSnapshot, stateHash } from "./snapshot.js";
export {
  copyState, Element, emptyState, inOrder, Member, orderKeyBetween, RoomState, Scene, sceneElements, standardOrderKey,
} from "./state.js";
