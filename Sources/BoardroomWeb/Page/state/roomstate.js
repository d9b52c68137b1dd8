// The state of a room as the whiteboard SDK shows it to apps (PARITY rows EC, RS, GET), and which parts of
// it an event changes for a member: its own changes are not notified, except those that the server
// decides (CB-11, CB-12).
import { spectatorIn } from "./spectator.js";

const echoed = ["sceneState", "pageState", "broadcastState", "cameraState"];

/** CSS pixels of a member's screen, at most: what a state says beyond it is not used. */
const LARGEST_SCREEN = 32_768;

/**
 * @param {RoomState} state
 * @param {number | null} me
 * @returns {RoomMember | undefined} the own member, or what stands for one
 */
export const memberOf = (state, me) => state.members.get(me ?? -1) ?? spectatorIn(state, me);

/**
 * @param {RoomState} state
 * @param {number | null} me
 * @returns {RoomMember | undefined} the member whose view this one has: the broadcaster while it
 *   follows
 */
function leaderOf(state, me) {
  const { members, broadcaster = -1 } = state;
  const member = memberOf(state, me);
  return (member?.viewMode === "follower" && members.get(broadcaster)) || member;
}

/**
 * @param {RoomState} state
 * @param {number | null} me has the camera of the broadcaster while it follows
 */
export const cameraOf = (state, me) => leaderOf(state, me)?.camera;

/**
 * The size of the screen to which the camera belongs. Not every client says it.
 * @param {RoomState} state
 * @param {number | null} me
 * @returns {{width: number, height: number} | undefined}
 */
export function screenOf(state, me) {
  const { width, height } = leaderOf(state, me)?.state.get("screen") ?? {};
  const isSize = (/** @type {any} */ size) => size >= 1 && size <= LARGEST_SCREEN;
  const isScreen = [width, height].every((size) => typeof size === "number" && isSize(size));
  return isScreen ? { width, height } : undefined;
}

/**
 * @param {RoomState} state
 * @param {number | null} me
 * @returns {number} the scene that it looks at: its own choice, if it says one, else the room's
 */
export function sceneOf(state, me) {
  const chosen = leaderOf(state, me)?.state.get("scene");
  return state.scene(chosen) ? chosen : state.currentScene;
}

/**
 * The pages in the directory of the current one, and its place among them.
 * @param {RoomState} state
 */
function pagesOf(state) {
  const current = state.scene(state.currentScene);
  const pages = state.scenes.filter((page) => page.directory === current?.directory);
  const place = pages.findIndex((page) => page === current);
  return { current, pages, index: Math.max(0, place) };
}

/** @param {RoomMember} member */
const memberView = ({ id, session, uid, payload, state, phase }) => ({
  memberId: id,
  session,
  uid,
  payload,
  memberState: state.plain(),
  isReconnecting: phase === "reconnecting",
});

/** @type {Record<string, (state: RoomState, me: number) => any>} */
const views = {
  globalState: ({ globalState }) => globalState.plain(),
  memberState: ({ members }, me) => members.get(me)?.state.plain() ?? {},
  roomMembers({ members }) {
    const writers = [...members.values()].filter(({ writable }) => writable);
    return writers.map(memberView);
  },
  sceneState(state) {
    const { current, pages, index } = pagesOf(state);
    const scenes = pages.map(({ name, ppt, pptStep }) => ({
      name,
      ppt,
      pptStep,
      componentsCount: 0,
    }));
    const { path = "", name = "", directory = "/" } = current ?? {};
    return { scenePath: path, sceneName: name, index, contextPath: directory, scenes };
  },
  pageState: (state) => ({ index: pagesOf(state).index, length: pagesOf(state).pages.length }),
  broadcastState(state, me) {
    const leader = state.members.get(state.broadcaster ?? -1);
    const broadcasterInformation = leader && { id: leader.id, payload: leader.payload };
    const mode = memberOf(state, me)?.viewMode ?? "freedom";
    return { mode, broadcasterId: leader?.id, broadcasterInformation };
  },
  cameraState(state, me) {
    const { unit, x, y, scale } = cameraOf(state, me) ?? { unit: 0, x: 0, y: 0, scale: 65536 };
    return { centerX: x * 2 ** unit, centerY: y * 2 ** unit, scale: scale / 65536 };
  },
};

/**
 * @param {RoomState} state
 * @param {number | null} me
 * @param {Iterable<string>} [parts] of it, or all
 */
export const roomState = (state, me, parts = Object.keys(views)) =>
  Object.fromEntries([...parts].map((part) => [part, views[part](state, me ?? -1)]));

/**
 * The parts of which a member is notified after an event that changed `fields`.
 * @param {Set<string>} fields
 * @param {number | null} by
 * @param {RoomState} state
 * @param {number} me
 */
export function changedPartsOf(fields, by, state, me) {
  if (fields.size === 0) return [];
  const has = (/** @type {string[]} */ ...names) => names.some((name) => fields.has(name));
  const isOwn = by === me;
  const follows = memberOf(state, me)?.viewMode === "follower";
  const isMoved = has("camera") && (isOwn || (follows && by === state.broadcaster));
  const isTurned = has("currentScene", "scenes");
  const news = {
    globalState: has("globalState"),
    roomMembers: has("roster", "writable", "memberState"),
    sceneState: isTurned,
    pageState: isTurned,
    broadcastState: has("broadcaster") || (isOwn && has("viewModes")),
    cameraState: isMoved || (follows && has("broadcaster", "viewModes")),
  };
  const parts = Object.entries(news).flatMap(([part, isNew]) => (isNew ? part : []));
  return isOwn ? parts.filter((part) => echoed.includes(part)) : parts;
}

/**
 * @param {any} before
 * @param {any} after a state that replaced it
 * @returns the parts that differ
 */
export function differingParts(before, after) {
  const differs = (/** @type {string} */ part) =>
    JSON.stringify(before[part]) !== JSON.stringify(after[part]);
  return Object.keys(views).filter((part) => part !== "memberState" && differs(part));
}
