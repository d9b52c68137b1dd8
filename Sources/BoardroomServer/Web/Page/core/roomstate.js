// A room's state as the whiteboard SDK shows it to apps (spec 2.4 and 2.6), and what of it has changed since an app
// was last told: its own changes are not news to it, but for those that the server settles (CB-11, CB-12).

/** @typedef {import("./state.js").RoomState} RoomState */
/** @typedef {import("./state.js").Member} Member */
/** @typedef {import("./fold.js").Change} Change */

const echoed = new Set(["sceneState", "pageState", "broadcastState", "cameraState"]);
const scene = ["sceneState", "pageState"];
const everything = ["globalState", "memberState", "roomMembers", ...scene, "broadcastState", "cameraState"];

/** @param {RoomState} state */
const pagesOf = (state) => {
  const current = state.scene(state.currentScene);
  return state.scenes.filter((page) => page.directory === current?.directory);
};

/** @param {Member} member */
const listed = (member) => ({
  memberId: member.id, session: member.session, uid: member.uid, payload: member.payload,
  memberState: member.state.plain(), isReconnecting: member.phase === "reconnecting",
});

/** Whose camera a member looks through. @param {RoomState} state @param {number | null} me */
export function cameraOf(state, me) {
  const member = me === null ? undefined : state.members.get(me);
  const follows = member?.viewMode === "follower" && state.broadcaster !== null;
  return (follows ? state.members.get(/** @type {number} */ (state.broadcaster)) : member)?.camera;
}

/** @type {Record<string, (state: RoomState, me: number | null) => any>} */
const views = {
  globalState: (state) => state.globalState.plain(),
  memberState: (state, me) => (me === null ? {} : state.members.get(me)?.state.plain() ?? {}),
  roomMembers: (state) => [...state.members.values()].filter((member) => member.writable).map(listed),
  sceneState(state) {
    const current = state.scene(state.currentScene);
    const pages = pagesOf(state);
    return {
      scenePath: current?.path ?? "", sceneName: current?.name ?? "", contextPath: current?.directory ?? "/",
      index: Math.max(0, pages.findIndex((page) => page.id === state.currentScene)),
      scenes: pages.map(({ name, ppt, pptStep }) => ({ name, ppt, pptStep, componentsCount: 0 })),
    };
  },
  pageState(state) {
    const pages = pagesOf(state);
    const index = Math.max(0, pages.findIndex((page) => page.id === state.currentScene));
    return { index, length: pages.length };
  },
  broadcastState(state, me) {
    const leader = state.broadcaster === null ? undefined : state.members.get(state.broadcaster);
    return {
      mode: (me === null ? undefined : state.members.get(me)?.viewMode) ?? "freedom",
      broadcasterId: leader?.id,
      broadcasterInformation: leader && { id: leader.id, payload: leader.payload },
    };
  },
  cameraState(state, me) {
    const camera = cameraOf(state, me);
    if (!camera) return { centerX: 0, centerY: 0, scale: 1 };
    return { centerX: camera.x * 2 ** camera.unit, centerY: camera.y * 2 ** camera.unit, scale: camera.scale / 65536 };
  },
};

/** All of a room's state, or some parts of it. @param {RoomState} state @param {number | null} me own number */
export const roomState = (state, me, /** @type {Iterable<string>} */ parts = everything) =>
  Object.fromEntries([...parts].map((part) => [part, views[part](state, me)]));

/** Gathers what changed over any number of events, so that a whole catch-up is told at once (TL-22). */
export class StateDelta {
  constructor() {
    /** @type {Set<string>} */
    this.parts = new Set();
  }

  /** @param {Change} change @param {{by: number | null}} rec @param {RoomState} state @param {number | null} me */
  note(change, rec, state, me) {
    const { fields } = change;
    if (fields.size === 0) return;
    const isOwn = me !== null && rec.by === me;
    const add = (/** @type {string[]} */ ...parts) => {
      for (const part of parts) if (!isOwn || echoed.has(part)) this.parts.add(part);
    };
    if (fields.has("globalState")) add("globalState");
    if (fields.has("roster") || fields.has("writable")) add("roomMembers");
    if (fields.has("memberState")) add("roomMembers");
    if (fields.has("currentScene") || fields.has("scenes")) add(...scene);
    const follows = me !== null && state.members.get(me)?.viewMode === "follower";
    if (fields.has("broadcaster") || fields.has("viewModes")) {
      if (fields.has("broadcaster") || isOwn) add("broadcastState");
      if (follows) add("cameraState");
    }
    if (fields.has("camera") && (isOwn || (follows && rec.by === state.broadcaster))) add("cameraState");
  }

  /** Another state took the place of the one before: all that looks otherwise is news. */
  compare(/** @type {any} */ before, /** @type {any} */ after) {
    for (const part of everything) {
      if (part !== "memberState" && JSON.stringify(before[part]) !== JSON.stringify(after[part])) this.parts.add(part);
    }
  }

  /** What is to be told, or null; forgets it. @param {RoomState} state @param {number | null} me */
  take(state, me) {
    if (this.parts.size === 0) return null;
    const told = roomState(state, me, this.parts);
    this.parts.clear();
    return told;
  }
}
