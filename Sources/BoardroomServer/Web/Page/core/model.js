// A room's state, its fold and its snapshots: what a page imports of them.

export { apply, applyAll, redoSteps, undoSteps } from "./fold.js";
export { Change } from "./folding.js";
export { stateFromSnapshot } from "./snapshot.js";
export {
  copyState, Element, emptyState, inOrder, Member, orderKeyBetween, RoomState, Scene, sceneElements,
  standardOrderKey,
} from "./state.js";
