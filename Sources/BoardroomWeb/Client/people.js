// Members and scenes as programs see them.

/**
 * @param {any} member of the state
 * @returns {import("./types.js").Member}
 */
export function memberView(member) {
  const { id, uid, role, payload, state, writable, phase, viewMode, joined, hand, barred } = member;
  return {
    id,
    uid,
    role,
    payload,
    state: state.plain(),
    isWritable: writable,
    isReconnecting: phase === "reconnecting",
    viewMode,
    joinedAt: joined,
    handSince: hand,
    isBarred: barred === true,
  };
}

/**
 * @param {any} member of the state
 * @returns {import("./types.js").Pointer | undefined} undefined: it has not pointed yet
 */
export function pointerView({ id, pointer }) {
  if (!pointer) return undefined;
  const { scene, unit, x, y } = pointer;
  return { member: id, scene, x: x * 2 ** unit, y: y * 2 ** unit };
}

/**
 * @param {any} scene of the state
 * @returns {import("./types.js").Scene}
 */
export function sceneView({ id, path, directory, name, ppt, pptStep }) {
  return { id, path, directory, name, ppt, pptStep };
}
