// A room's state as the whiteboard SDK shows it to apps (spec 2.4 and 2.6), and what of it has changed
// since an app was last told: its own changes are not news to it, but for those that the server settles
// (CB-11, CB-12).

/** @typedef {import("./state.js").RoomState} RoomState */

const echoed = new Set(["sceneState", "pageState", "broadcastState", "cameraState"]);

/** @param {RoomState} state @param {number | null} me */
const memberOf = (state, me) => (me === null ? undefined : state.members.get(me));

/** Whose eyes a member sees with: the broadcaster's while it follows.
 * @param {RoomState} state @param {number | null} me */
export function cameraOf(state, me) {
  const member = memberOf(state, me);
  const leader = member?.viewMode === "follower" ? memberOf(state, state.broadcaster ?? null) : undefined;
  return (leader ?? member)?.camera;
}

/** @param {RoomState} state whose pages beside the current one are asked for, and its place there */
function pagesOf(state) {
  const current = state.scene(state.currentScene);
  const pages = state.scenes.filter((page) => page.directory === current?.directory);
  return { current, pages, index: Math.max(0, pages.findIndex((page) => page === current)) };
}

/** @type {Record<string, (state: RoomState, me: number | null) => any>} */
const views = {
  globalState: (state) => state.globalState.plain(),
  memberState: (state, me) => memberOf(state, me)?.state.plain() ?? {},
  roomMembers: (state) =>
    [...state.members.values()].filter((member) => member.writable).map((member) => ({
      memberId: member.id, session: member.session, uid: member.uid, payload: member.payload,
      memberState: member.state.plain(), isReconnecting: member.phase === "reconnecting",
    })),
  sceneState(state) {
    const { current, pages, index } = pagesOf(state);
    return {
      scenePath: current?.path ?? "", sceneName: current?.name ?? "", index,
      contextPath: current?.directory ?? "/",
      scenes: pages.map(({ name, ppt, pptStep }) => ({ name, ppt, pptStep, componentsCount: 0 })),
    };
  },
  pageState(state) {
    const { pages, index } = pagesOf(state);
    return { index, length: pages.length };
  },
  broadcastState(state, me) {
    const leader = memberOf(state, state.broadcaster ?? null);
    return {
      mode: memberOf(state, me)?.viewMode ?? "freedom", broadcasterId: leader?.id,
      broadcasterInformation: leader && { id: leader.id, payload: leader.payload },
    };
  },
  cameraState(state, me) {
    const { unit, x, y, scale } = cameraOf(state, me) ?? { unit: 0, x: 0, y: 0, scale: 65536 };
    return { centerX: x * 2 ** unit, centerY: y * 2 ** unit, scale: scale / 65536 };
  },
};

/** All of a room's state, or some parts of it.
 * @param {RoomState} state @param {number | null} me @param {Iterable<string>} [parts] */
export const roomState = (state, me, parts = Object.keys(views)) =>
  Object.fromEntries([...parts].map((part) => [part, views[part](state, me)]));

/** Gathers what changed over any number of events, so that a whole catch-up is told at once (TL-22). */
export class StateDelta {
  constructor() {
    /** @type {Set<string>} */
    this.parts = new Set();
  }

  /**
   * @param {import("./folding.js").Change} change @param {number | null} by @param {RoomState} state @param
   * {number} me
   */
  note({ fields }, by, state, me) {
    if (fields.size === 0) return;
    const isOwn = by === me;
    const add = (/** @type {string[]} */ ...parts) => {
      for (const part of parts) if (!isOwn || echoed.has(part)) this.parts.add(part);
    };
    const has = (/** @type {string[]} */ ...names) => names.some((name) => fields.has(name));
    if (has("globalState")) add("globalState");
    if (has("roster", "writable", "memberState")) add("roomMembers");
    if (has("currentScene", "scenes")) add("sceneState", "pageState");
    const follows = memberOf(state, me)?.viewMode === "follower";
    if (has("broadcaster") || (isOwn && has("viewModes"))) add("broadcastState");
    if (follows && has("broadcaster", "viewModes")) add("cameraState");
    if (has("camera") && (isOwn || (follows && by === state.broadcaster))) add("cameraState");
  }

  /** Another state took the place of one: what looks otherwise is news.
   * @param {any} before @param {any} after */
  compare(before, after) {
    for (const part of Object.keys(views)) {
      const isOther = JSON.stringify(before[part]) !== JSON.stringify(after[part]);
      if (part !== "memberState" && isOther) this.parts.add(part);
    }
  }

  /** @param {RoomState} state @param {number} me @returns {Record<string, any> | null} what is to be told */
  take(state, me) {
    if (this.parts.size === 0) return null;
    const told = roomState(state, me, this.parts);
    this.parts.clear();
    return told;
  }
}
