import { KINDS } from "./kinds.js";

// What the JSON payloads of records must be (docs/PROTOCOL.md, section 6). One that is not is no event of its kind:
// the fold passes it over as the server does.

/** @typedef {(value: any) => boolean} Check */

/** @type {Check} */
const text = (value) => typeof value === "string";
/** @type {Check} */
const bool = (value) => typeof value === "boolean";
/** @type {Check} */
const any = (value) => value !== undefined;
/** @type {Check} */
const finite = (value) => Number.isFinite(value);
/** @type {Check} */
const size = (value) => Number.isFinite(value) && value >= 0;
/** @type {Check} */
const whole = (value) => Number.isInteger(value) && value >= 0;
/** @type {Check} */
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
/** @type {Check} */
const scene = (value) => whole(value) && value < 2 ** 32;
/** @type {Check} */
const label = (value) => text(value) && new TextEncoder().encode(value).length <= 256;
/** @type {Check} */
const id = (value) => text(value) && /^(0|[1-9]\d{0,19})\.(0|[1-9]\d{0,19})$/.test(value);
/** @type {Check} */
const hex = (value) => text(value) && /^[0-9a-f]{32}$/.test(value);
/** @type {Check} */
const name = (value) => text(value) && value !== "" && !value.includes("/");
/** @type {Check} */
const path = (value) => text(value) && /^(\/|(\/[^/]+)+)$/.test(value);

/** @param {Check} check @returns {Check} */
const maybe = (check) => (value) => value === undefined || value === null || check(value);
/** @param {Check} check @returns {Check} */
const list = (check) => (value) => Array.isArray(value) && value.every(check);
/** @param {string[]} choices @returns {Check} */
const oneOf = (...choices) => (value) => choices.includes(value);
/** @param {Check} check @returns {Check} */
const all = (check) => (value) => object(value) && Object.values(value).every(check);
/** @param {Record<string, Check>} fields @returns {Check} */
const shape = (fields) => {
  const checks = Object.entries(fields);
  return (value) => object(value) && checks.every(([key, check]) => check(own(value, key)));
};
/** @param {any} value @param {string} key */
const own = (value, key) => (Object.prototype.hasOwnProperty.call(value, key) ? value[key] : undefined);

/** @param {number} count @returns {Check} */
const numbers = (count) => (value) => Array.isArray(value) && value.length === count && value.every(finite);
/** @type {Check} */
const points = (value) =>
  Array.isArray(value) && value.length >= 2 && value.length <= 1000 && value.every(numbers(2));
/** @type {Check} */
const order = (value) =>
  text(value) && /^[0-9A-Za-z]{1,64}$/.test(value) && (!value.endsWith("0") || /^V.{7}$/.test(value));

/** @type {Record<string, Check>} */
const ATTRIBUTES = {
  x: finite, y: finite, width: size, height: size, size, text, src: text, points, transform: numbers(6), order,
  locked: bool, uniformScale: bool, meta: any,
};

/** A patch of attributes. @type {Check} */
const attributes = (value) =>
  object(value) &&
  Object.entries(value).every(([key, entry]) => {
    if (entry === null) return true;
    const check = own(ATTRIBUTES, key);
    return check ? check(entry) : key.length > 6 && key.startsWith("style.");
  });

const box = { width: size, height: size };
/** @type {Record<string, Record<string, Check>>} */
const NEEDS = {
  rectangle: box, ellipse: box, triangle: box, rhombus: box, pentagram: box, speechBalloon: box,
  straight: { points }, arrow: { points },
  text: { text, size: maybe(size) },
  note: { text, ...box },
  image: { ...box, src: maybe(text), uniformScale: maybe(bool) },
};
/** In the order of their numbers in a snapshot. */
export const ELEMENT_TYPES = Object.freeze([
  "rectangle", "text", "ellipse", "triangle", "rhombus", "pentagram", "speechBalloon", "straight", "arrow", "image",
  "note",
]);
const COMMON = { id, scene, x: finite, y: finite, style: maybe(object), set: maybe(attributes) };
/** @type {Map<string, Check>} */
const ELEMENTS = new Map(Object.entries(NEEDS).map(([type, needs]) => [type, shape({ ...COMMON, ...needs })]));
/** The body of an elementPut. @type {Check} */
const element = (value) => object(value) && (ELEMENTS.get(own(value, "type"))?.(value) ?? false);

const service = oneOf("white", "rtc", "rtm", "signaling");
const changes = list(shape({ id, set: attributes }));
const compensation = shape({
  scene, erased: maybe(list(id)), restored: maybe(list(id)), puts: maybe(list(shape({ id, shape: element }))),
  changes: maybe(changes),
});
/** @type {Record<string, Check>} */
const STEPS = {
  created: shape({
    service, channel: text, callee: text, extra: text, needsPeer: bool, until: maybe(whole),
  }),
  waiting: any, sent: any, ringing: any, accepted: shape({ extra: text }), refused: shape({ extra: text }),
  failed: shape({ code: whole }), ended: shape({ byCaller: bool, extra: text }),
  tones: shape({ byCaller: bool, digits: text }),
};
/** @type {Record<string, Check>} */
const NEWS = {
  offered: shape({ extra: text }), withdrawn: any, accepted: any, refused: any,
  ended: shape({ byCaller: bool, extra: text }), tones: shape({ digits: text }),
};

/** @type {Record<string, Check>} */
const CHECKS = {
  roomCreated: shape({ name: text, limit: whole, isRecord: bool }),
  memberJoined: shape({
    session: hex, role: oneOf("admin", "writer", "reader"), writable: bool, uid: maybe(text), client: maybe(text),
  }),
  memberLeft: shape({ cause: oneOf("left", "timeout", "kicked", "replaced", "serverRestart") }),
  memberPhase: shape({ phase: oneOf("connected", "reconnecting"), generation: scene }),
  memberWritable: shape({ writable: bool }),
  memberKicked: shape({
    member: whole,
    reason: oneOf(
      "kickByAdmin", "roomDelete", "roomZombie", "roomBan", "GatewayAdjust", "replaceByOther", "crash"),
  }),
  memberReplaced: shape({ by: hex }),
  globalState: object,
  memberState: object,
  viewMode: shape({ mode: oneOf("freedom", "follower", "broadcaster") }),
  scenesPut: shape({ directory: path, index: whole, scenes: list(shape({ id: scene, name })) }),
  sceneSwitched: shape({ scene }),
  erased: shape({ elements: list(id) }),
  elementPut: element,
  magix: shape({ event: (value) => text(value) && value !== "" }),
  refused: shape({ kind: (value) => whole(value) && value < 256, code: text }),
  clientPhases: shape({
    phases: (value) =>
      list(shape({ phase: label, ago: whole, revision: maybe(whole) }))(value) && value.length <= 288,
  }),
  elementsChanged: shape({ changes }),
  elementsCopied: shape({ copies: list(shape({ from: id, id, scene, set: maybe(attributes) })) }),
  sceneCleaned: shape({ scene, retainPPT: bool }),
  scenesRemoved: shape({ scenes: list(scene), current: scene, fresh: maybe(scene) }),
  sceneMoved: shape({ scene, directory: path, name }),
  pptStepped: shape({ scene, step: whole }),
  storeSet: shape({ store: (value) => label(value) && value !== "", set: object, reset: maybe(bool) }),
  storeDeleted: shape({ store: (value) => label(value) && value !== "" }),
  historySet: shape({ scenes: whole, depth: whole }),
  undone: compensation,
  redone: compensation,
  roomBanned: shape({ banned: bool }),
  limitsSet: shape({ set: all(maybe(whole)) }),
  roomDeleted: object,
  banSet: shape({ ban: whole, room: maybe(hex), uid: maybe(text), address: maybe(text), until: maybe(whole) }),
  banLifted: shape({ ban: whole }),
  spaceCreated: (value) =>
    shape({ space: oneOf("account", "channel"), name: text })(value) &&
    (value.space === "account" || service(value.service)),
  attributesSet: (value) =>
    shape({ set: all(maybe(text)), by: maybe(text) })(value) && Object.keys(value.set).length > 0,
  attributesCleared: shape({ by: maybe(text) }),
  channelMessage: shape({ id: label, text, by: maybe(text) }),
  numbersTold: shape({ members: whole, total: maybe(whole) }),
  spaceExpired: object,
  inboxMessage: shape({ version: whole, service, from: text, id: label, text }),
  inboxAcked: shape({ version: whole }),
  inboxExpired: shape({ service, version: whole }),
  channelEntered: shape({ channel: text }),
  channelLeft: shape({
    service, channel: text, cause: oneOf("left", "moved", "logout", "offline", "kicked", "replaced"),
  }),
  inviteMoved: (value) =>
    shape({ invite: whole, step: text })(value) && (own(STEPS, value.step)?.(value) ?? false),
  inviteHeard: (value) =>
    shape({ caller: text, invite: whole, service, channel: text, news: text })(value) &&
    (own(NEWS, value.news)?.(value) ?? false),
  presence: shape({ account: text, channel: maybe(text), here: bool }),
};

/**
 * The JSON payload of a kind, decoded; undefined if it is not what the kind describes.
 * @param {number} kind @param {string} payload
 * @returns {any}
 */
export function readBody(kind, payload) {
  const check = CHECKS[KINDS[kind]];
  if (check === undefined || !payload.startsWith("{") || !payload.endsWith("}")) return undefined;
  try {
    const value = JSON.parse(payload);
    return check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
