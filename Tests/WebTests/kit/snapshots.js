// A state as a snapshot, docs/PROTOCOL.md, section 7, and its hash: what tells whether two folds
// agree. The page only reads snapshots; that it folds as the server does is proved with this. The
// server's hash is made of JSON as members wrote it, the page keeps values: the hashes agree where
// JSON was written as JavaScript writes it, as all logs here are.
import { ByteWriter, utf8 } from "../../../Sources/BoardroomWeb/Page/protocol/bytes.js";
import { writeStyle } from "../../../Sources/BoardroomWeb/Page/protocol/strokes.js";

/**
 * @param {string} value
 * @typedef {import("../../../Sources/BoardroomWeb/Page/state/state.js").RoomState} RoomState
 */
const quoted = (value) => JSON.stringify(value);

const partSize = 256;
const form = Object.freeze({ stroke: 1, shape: 2, set: 4, buried: 8, copy: 16 });

/** In the order of their numbers. */
const types = [
  "rectangle",
  "text",
  "ellipse",
  "triangle",
  "rhombus",
  "pentagram",
  "speechBalloon",
  "straight",
  "arrow",
  "image",
  "note",
];

/**
 * @param {Uint8Array} bytes
 * @typedef {(bytes: Uint8Array) => Uint8Array} Hash SHA-256
 */
const hex = (bytes) => Buffer.from(bytes).toString("hex");

/**
 * An object's text, keys sorted by their UTF-8.
 * @param {Record<string, any>} values
 * @param {(value: any) => string} [write]
 */
const sorted = (values, write = JSON.stringify) =>
  `{${Object.entries(values)
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([key, value]) => `${quoted(key)}:${write(value)}`)
    .join(",")}}`;

/**
 * @param {Record<string, any>} values
 * @param {(value: any) => string} write
 */
const unlessEmpty = (values, write) => (Object.keys(values).length > 0 ? write(values) : undefined);

/**
 * An object's text out of its members' texts, those left out that are undefined.
 * @param {Record<string, any>} parts
 */
const object = (parts) =>
  `{${Object.entries(parts)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => `${quoted(key)}:${part}`)
    .join(",")}}`;

/**
 * @template T
 * @param {Iterable<T>} items
 * @param {(item: T) => string | number} write
 */
const array = (items, write) => `[${Array.from(items, write).join(",")}]`;

/** @param {string | undefined} value */
const maybe = (value) => (value === undefined ? undefined : quoted(value));

/**
 * @template T
 * @param {Map<number, T>} map
 */
const byNumber = (map) => [...map].sort(([left], [right]) => left - right);

/** @param {RoomMember} member */
const memberText = (member) =>
  object({
    id: member.id,
    session: quoted(member.session),
    generation: member.generation,
    uid: maybe(member.uid),
    role: quoted(member.role),
    writable: member.writable,
    payload: JSON.stringify(member.payload),
    client: maybe(member.client),
    joined: member.joined,
    phase: quoted(member.phase),
    viewMode: quoted(member.viewMode),
    state: sorted(member.state.plain()),
    camera: member.camera && JSON.stringify(member.camera),
    pointer: member.pointer && JSON.stringify(member.pointer),
    lastCounter: member.lastCounter,
    lastRevision: member.lastRevision,
    kept: member.kept || undefined,
    barred: member.barred || undefined,
    hand: member.hand,
    bound: member.bound || undefined,
  });

/** @param {RoomScene} scene */
const sceneText = (scene) =>
  object({
    id: scene.id,
    directory: quoted(scene.directory),
    name: quoted(scene.name),
    ppt: JSON.stringify(scene.ppt),
    pptStep: scene.pptStep || undefined,
  });

/** @param {ShapeContent} shape */
const shapeText = ({ shape, set, copy }) =>
  object({ shape: JSON.stringify(shape), set: set && sorted(set), copy: copy || undefined });

/** @param {any} value */
const valueText = (value) => (value === null ? undefined : JSON.stringify(value));

/** @param {Operation} operation */
function operationText({ put, erase, set, replace, key = "", before, after }) {
  if (replace) {
    return object({ replace: quoted(replace), before: shapeText(before), after: shapeText(after) });
  }
  if (!set) return object({ put: maybe(put), erase: maybe(erase) });
  return object({
    set: quoted(set),
    key: quoted(key),
    before: valueText(before),
    after: valueText(after),
  });
}

/** @param {readonly Step[]} steps */
const stepsText = (steps) =>
  array(steps, ({ revision, operations }) =>
    object({ revision, operations: array(operations, operationText) }),
  );

/**
 * @param {[number, import("../../../Sources/BoardroomWeb/Page/state/history.js").History]}
 *   entry
 */
const historyText = ([member, { scenes, depth, tracks }]) =>
  object({
    member,
    scenes,
    depth,
    tracks: array(tracks, ({ scene, undo, redo }) =>
      object({ scene, undo: stepsText(undo), redo: stepsText(redo) }),
    ),
  });

/**
 * The root of a snapshot.
 * @param {RoomState} state
 * @param {string[]} partKeys the first 16 bytes of the parts' hashes, hexadecimal
 * @returns {string}
 */
export function rootText(state, partKeys) {
  return object({
    revision: state.revision,
    time: state.time,
    created: state.created ? JSON.stringify(state.created) : undefined,
    createdAt: state.createdAt,
    globalState: sorted(state.globalState.plain()),
    members: array(state.members.values(), memberText),
    nextMember: state.nextMember,
    scenes: array(state.scenes, sceneText),
    currentScene: state.currentScene,
    nextScene: state.nextScene,
    broadcaster: state.broadcaster,
    banned: state.banned || undefined,
    deleted: state.deleted || undefined,
    lock: state.lock && object({ by: state.lock.by }),
    barred: state.barred.length ? array(state.barred, quoted) : undefined,
    limits: unlessEmpty(state.limits.plain(), (limits) => sorted(limits)),
    stores: unlessEmpty(state.stores.plain(), (stores) => sorted(stores, (store) => sorted(store))),
    histories: state.histories.size ? array(byNumber(state.histories), historyText) : undefined,
    places: state.places,
    parts: array(partKeys, quoted),
  });
}

/**
 * @param {ByteWriter} writer
 * @param {string} digits a whole number that may need 64 bits
 */
function writeWide(writer, digits) {
  if (digits.length < 16) return writer.uv(Number(digits));
  let rest = BigInt(digits);
  for (; rest > 127n; rest >>= 7n) {
    writer.u8(Number(rest & 127n) | 128);
  }
  return writer.u8(Number(rest));
}

/**
 * @param {ByteWriter} writer
 * @param {RoomElement} element
 */
function writeElement(writer, element) {
  const { stroke, shape, set, buried, copy } = element;
  writer.u8(
    (stroke ? form.stroke : form.shape) |
      (set ? form.set : 0) |
      (buried ? form.buried : 0) |
      (copy ? form.copy : 0),
  );
  for (const digits of element.id.split(".")) {
    writeWide(writer, digits);
  }
  writer.uv(element.scene);
  if (stroke) {
    writeStyle(writer, stroke.begin);
    const segments = new ByteWriter(256);
    for (const { hasPressure, bytes, start, end } of stroke.segments) {
      segments.u8(hasPressure ? 0 : 4).append(bytes.subarray(start, end));
    }
    writer
      .u8(stroke.ended ? 1 : 0)
      .uv(stroke.points)
      .uv(segments.length)
      .append(segments.bytes());
  } else {
    const text = utf8(JSON.stringify(shape));
    writer.u8(types.indexOf(shape?.type)).uv(text.length).append(text);
  }
  if (set === undefined) return;
  const bytes = utf8(sorted(set));
  writer.uv(bytes.length).append(bytes);
}

/**
 * The parts of a snapshot, one for every 256 places begun.
 * @param {RoomState} state
 * @returns {Uint8Array[]}
 */
export function partBytes(state) {
  const writers = Array.from({ length: Math.ceil(state.places / partSize) }, (_, part) => {
    const first = part * partSize;
    return { writer: new ByteWriter(4096).uv(first), before: first };
  });
  for (const element of state.elements.values()) {
    const part = writers[Math.floor(element.place / partSize)];
    writeElement(part.writer.uv(element.place - part.before), element);
    part.before = element.place;
  }
  return writers.map((part) => part.writer.bytes());
}

/**
 * The hash that the server has for the same state.
 * @param {RoomState} state
 * @param {Hash} sha256
 * @returns {string} 64 hexadecimal digits
 */
export function stateHash(state, sha256) {
  const hashes = partBytes(state).map(sha256);
  const root = rootText(
    state,
    hashes.map((hash) => hex(hash.subarray(0, 16))),
  );
  const whole = new ByteWriter(root.length + 64)
    .append(utf8("boardroom.state.1\n"))
    .append(utf8(root));
  for (const hash of hashes) {
    whole.append(hash);
  }
  return hex(sha256(whole.bytes()));
}
