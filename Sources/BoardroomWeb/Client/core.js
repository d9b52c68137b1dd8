// boardroom-client/core: the modules that the page in the server is made of, below its own parts.
// `tools/web check` fails if the page uses something of them that is not here. They change with the
// page; the names of index.js do not.

export { realClock } from "../Page/protocol/clock.js";
export { canonical, Fields } from "../Page/protocol/json.js";
export { KINDS, MARKER_OF, MARKERS } from "../Page/protocol/kinds.js";
export { readPieces } from "../Page/protocol/messages.js";
export { body, mirror } from "../Page/protocol/records.js";
export { Refusal } from "../Page/protocol/refusal.js";
export { Rest, rightsOf } from "../Page/protocol/rest.js";
export { originsOf } from "../Page/protocol/servers.js";
export { readStroke } from "../Page/protocol/strokes.js";
export {
  apply,
  applyAll,
  Change,
  copyState,
  emptyState,
  sceneElements,
  stateFromSnapshot,
} from "../Page/state/model.js";
export { byKey, keyBetween, keyOfPlace, orderKey } from "../Page/state/order.js";
export { Overlay } from "../Page/state/overlay.js";
export { cameraOf, sceneOf, screenOf } from "../Page/state/roomstate.js";
export { RoomSession } from "../Page/state/session.js";
