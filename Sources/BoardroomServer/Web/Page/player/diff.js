// A room's state as a tree of plain values, and how two of them differ. Elements stay the values of the fold until
// somebody opens one: most of two moments' elements are the very same.

/** What a tree shows of an element.
 * @param {import("../core/state.js").Element} element */
function viewOf({ scene, place, stroke, shape, set, buried, copy }) {
  const drawn = stroke && { ...stroke.begin, points: stroke.points, ended: stroke.ended };
  return { scene, place, ...drawn ? { stroke: drawn } : {}, ...shape ? { shape } : {}, ...set ? { set } : {},
    ...buried ? { buried } : {}, ...copy ? { copy } : {} };
}

/** @param {import("../core/state.js").RoomState} state @returns {Record<string, any>} */
export function treeOf(state) {
  const { revision, time, created, currentScene, broadcaster, banned, deleted } = state;
  const members = [...state.members].map(([number, { payloadText, state: own, ...member }]) =>
    [number, { ...member, payload: payloadText && JSON.parse(payloadText), state: own.plain() }]);
  const plain = (/** @type {{sorted(): [string, any][]}} */ map, read = (/** @type {any} */ value) => value) =>
    Object.fromEntries(map.sorted().map(([key, value]) => [key, read(value)]));
  const histories = [...state.histories].map(([member, { tracks }]) => [member, Object.fromEntries(
    tracks.map(({ scene, undo, redo }) => [scene, { undo: undo.length, redo: redo.length }]))]);
  return {
    revision, time, created, currentScene, broadcaster, banned, deleted,
    members: Object.fromEntries(members), globalState: state.globalState.plain(),
    scenes: Object.fromEntries(state.scenes.map(({ id, path, ppt, pptStep }) => [id, { path, ppt, pptStep }])),
    elements: new Map(state.elements), stores: plain(state.stores, (store) => store.plain()),
    limits: plain(state.limits), histories: Object.fromEntries(histories),
  };
}

/** What is inside of a value, as keys and values; undefined: it has nothing inside.
 * @param {any} value @returns {Map<string, any> | undefined} */
export function inside(value) {
  if (value instanceof Map) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return new Map(Object.entries(value.isOpen === undefined ? value : viewOf(value)).filter(([, one]) => one !== undefined));
}

/** What is another in one tree than in another, in the order of the tree; `most` at most, none that always differs.
 * @param {any} before @param {any} after @returns {{path: string, before: any, after: any}[]} */
export function diff(before, after, most = 400) {
  /** @type {{path: string, before: any, after: any}[]} */
  const found = [];
  const compare = (/** @type {any} */ one, /** @type {any} */ other, /** @type {string} */ path) => {
    if (one === other || found.length >= most || ["revision", "time"].includes(path)) return;
    const [left, right] = [inside(one), inside(other)];
    if (!left || !right) return void found.push({ path, before: one, after: other });
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      compare(left.get(key), right.get(key), path ? `${path}.${key}` : key);
    }
  };
  compare(before, after, "");
  return found;
}

/** A value in one line.
 * @param {any} value */
export function short(/** @type {any} */ value, most = 80) {
  const text = value === undefined ? "–" : value?.isOpen === undefined ? JSON.stringify(value)
    : value.shape?.type ?? "stroke";
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
