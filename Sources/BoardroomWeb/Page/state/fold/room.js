// That there is a room, its limits and its end.
import { makeScene } from "../state.js";

/** @type {import("./event-fold.js").Rules} */
export const roomRules = {
  roomCreated(fold, { name, limit, isRecord }) {
    const { state, rec } = fold;
    if (state.created) return false;
    fold.assign(state, { created: { name, limit, isRecord }, createdAt: rec.t }, "created");
    const id = state.nextScene;
    const init = makeScene({ id, directory: "/", name: "init" });
    fold.assign(state, { scenes: [init], nextScene: id + 1 }, "scenes");
    fold.assign(state, { currentScene: id }, "currentScene");
  },
  limitsSet: (fold, { set }) => fold.merge(fold.state.limits, set, "limits"),
  roomBanned: (fold, { banned }) => fold.assign(fold.state, { banned }, "closing"),
  roomDeleted: (fold) => fold.assign(fold.state, { deleted: true }, "closing"),
};
