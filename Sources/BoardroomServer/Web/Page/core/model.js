// A room's state, its fold and its snapshots: what a page imports of them.

export { apply, applyAll, Change, redoSteps, undoSteps } from "./fold.js";
export { stateFromSnapshot } from "./snapshot.js";
export {
  copyState, Element, emptyState, inOrder, Member, orderKeyBetween, RoomState, Scene, sceneElements,
  standardOrderKey,
} from "./state.js";
