import { ELEMENT_TYPES } from "./bodies.js";
import { ByteReader, ByteWriter, hex, text, utf8, WireError } from "./bytes.js";
import { History } from "./history.js";
import { Fields, itemsOf, KeyMap, memberOf, membersOf, patchOf, quoted } from "./json.js";
import { Element, Member, RoomState, Scene } from "./state.js";
import { readSegment, readStyle, sceneLimit, writeStyle } from "./strokes.js";

// Snapshots, docs/PROTOCOL.md, section 7: a state as a root (JSON) and parts (the elements of 256 places each), and
// the hash that is the same for the same state, whoever folded it.

const partSize = 256;
const form = Object.freeze({ stroke: 1, shape: 2, fields: 4, buried: 8, copy: 16 });

/** @typedef {(bytes: Uint8Array) => Uint8Array} Hash SHA-256 */

/** An object's text out of its members' texts, those left out that are undefined. @param {Record<string, any>} parts */
const object = (parts) =>
  `{${Object.entries(parts)
    .filter(([, part]) => part !== undefined)
    .map(([key, part]) => `${quoted(key)}:${part}`)
    .join(",")}}`;
/** @template T @param {Iterable<T>} items @param {(item: T) => string | number} write */
const array = (items, write) => `[${Array.from(items, write).join(",")}]`;
/** @param {string | undefined} value */
const maybe = (value) => (value === undefined ? undefined : quoted(value));
/** @template T @param {Map<number, T>} map */
const byNumber = (map) => [...map].sort(([left], [right]) => left - right);

/** @param {Member} member */
const memberText = (member) =>
  object({
    id: member.id,
    session: quoted(member.session),
    generation: member.generation,
    uid: maybe(member.uid),
    role: quoted(member.role),
    writable: member.writable,
    payload: member.payloadText,
    client: maybe(member.client),
    joined: member.joined,
    phase: quoted(member.phase),
    viewMode: quoted(member.viewMode),
    state: member.state.json(),
    camera: member.camera && JSON.stringify(member.camera),
    pointer: member.pointer && JSON.stringify(member.pointer),
    lastCounter: member.lastCounter,
    lastRevision: member.lastRevision,
  });

/** @param {Scene} scene */
const sceneText = (scene) =>
  object({
    id: scene.id,
    directory: quoted(scene.directory),
    name: quoted(scene.name),
    ppt: scene.pptText,
    pptStep: scene.pptStep || undefined,
  });

/** @param {import("./history.js").ShapeContent} shape */
const shapeText = (shape) =>
  object({ shape: shape.text, set: shape.fields?.json(), copy: shape.copy || undefined });

/** @param {import("./history.js").Operation} operation */
function operationText(operation) {
  const id = quoted(operation.id);
  if (operation.op === "replace") {
    return object({ replace: id, before: shapeText(operation.before), after: shapeText(operation.after) });
  }
  if (operation.op !== "set") return object({ [operation.op]: id });
  const { key, before, after } = operation;
  return object({ set: id, key: quoted(key), before: before ?? undefined, after: after ?? undefined });
}

/** @param {readonly import("./history.js").Step[]} steps */
const stepsText = (steps) =>
  array(steps, ({ revision, operations }) =>
    object({ revision, operations: array(operations, operationText) }));

/** @param {[number, History]} entry */
const historyText = ([member, { scenes, depth, tracks }]) =>
  object({
    member, scenes, depth,
    tracks: array(tracks, ({ scene, undo, redo }) =>
      object({ scene, undo: stepsText(undo), redo: stepsText(redo) })),
  });

/** @template V @param {KeyMap<V>} map @param {(value: V) => string | number} write */
const mapText = (map, write) =>
  map.size === 0
    ? undefined
    : `{${map.sorted().map(([key, value]) => `${quoted(key)}:${write(value)}`).join(",")}}`;

/**
 * The root of a snapshot.
 * @param {RoomState} state @param {string[]} partKeys the first 16 bytes of the parts' hashes, hexadecimal
 * @returns {string}
 */
export function rootText(state, partKeys) {
  return object({
    revision: state.revision,
    time: state.time,
    created: state.created ? JSON.stringify(state.created) : undefined,
    createdAt: state.createdAt,
    globalState: state.globalState.json(),
    members: array(state.members.values(), memberText),
    nextMember: state.nextMember,
    scenes: array(state.scenes, sceneText),
    currentScene: state.currentScene,
    nextScene: state.nextScene,
    broadcaster: state.broadcaster ?? undefined,
    banned: state.banned || undefined,
    deleted: state.deleted || undefined,
    limits: mapText(state.limits, (limit) => limit),
    stores: mapText(state.stores, (store) => store.json()),
    bans: state.bans.size ? array(byNumber(state.bans), ([, ban]) => JSON.stringify(ban)) : undefined,
    histories: state.histories.size ? array(byNumber(state.histories), historyText) : undefined,
    space: state.space ?? undefined,
    places: state.places,
    parts: array(partKeys, quoted),
  });
}

/** @param {ByteWriter} writer @param {string} digits a whole number that may need 64 bits */
function writeWide(writer, digits) {
  if (digits.length < 16) return writer.uv(Number(digits));
  let rest = BigInt(digits);
  for (; rest > 127n; rest >>= 7n) writer.u8(Number(rest & 127n) | 128);
  return writer.u8(Number(rest));
}

/** @param {ByteReader} reader @returns {string} */
function readWide(reader) {
  const start = reader.at;
  let value = 0n;
  for (let shift = 0n, byte = 128; byte > 127; shift += 7n) {
    if (shift > 63n) reader.fail("a number is too large");
    byte = reader.u8();
    value |= BigInt(byte & 127) << shift;
  }
  if (reader.at - start > 1 && reader.bytes[reader.at - 1] === 0) reader.fail("a number is longer than it needs to be");
  return String(value);
}

/** @param {ByteWriter} writer @param {Element} element */
function writeElement(writer, element) {
  const { stroke, fields, buried, copy } = element;
  writer.u8(
    (stroke ? form.stroke : form.shape) | (fields ? form.fields : 0) | (buried ? form.buried : 0) |
      (copy ? form.copy : 0));
  for (const digits of element.id.split(".")) writeWide(writer, digits);
  writer.uv(element.scene);
  if (stroke) {
    writeStyle(writer, stroke.begin);
    const segments = new ByteWriter(256);
    for (const segment of stroke.segments) segment.write(segments);
    writer.u8(stroke.ended ? 1 : 0).uv(stroke.points).uv(segments.length).put(segments.bytes());
  } else {
    const shape = utf8(element.text ?? "");
    writer.u8(ELEMENT_TYPES.indexOf(element.shape.type)).uv(shape.length).put(shape);
  }
  if (fields === null) return;
  const bytes = utf8(fields.json());
  writer.uv(bytes.length).put(bytes);
}

/** The parts of a snapshot, one for every 256 places begun. @param {RoomState} state @returns {Uint8Array[]} */
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
 * @param {RoomState} state @param {Hash} sha256
 * @returns {string} 64 hexadecimal digits
 */
export function stateHash(state, sha256) {
  const hashes = partBytes(state).map(sha256);
  const root = rootText(state, hashes.map((hash) => hex(hash.subarray(0, 16))));
  const whole = new ByteWriter(root.length + 64).put(utf8("boardroom.state.1\n")).put(utf8(root));
  for (const hash of hashes) whole.put(hash);
  return hex(sha256(whole.bytes()));
}

/** @param {ByteReader} reader @param {number} scene @returns {import("./state.js").Stroke} */
function readStoredStroke(reader, scene) {
  const begin = readStyle(reader, scene);
  const ended = reader.u8() === 1;
  const points = reader.uv();
  const inner = new ByteReader(reader.take(reader.uv()));
  const segments = [];
  let counted = 0;
  while (!inner.isAtEnd) {
    const flags = inner.u8();
    if (flags !== 0 && flags !== 4) inner.fail("points have unknown flags");
    const segment = readSegment(inner, flags === 0, segments.length === 0);
    counted += segment.count;
    segments.push(segment);
  }
  if (counted !== points) reader.fail("a stroke has another number of points than it says");
  return { begin, ended, segments, points };
}

/** @param {ByteReader} reader @param {number} place @returns {Element} */
function readElement(reader, place) {
  const flags = reader.u8();
  const isStroke = (flags & 3) === form.stroke;
  if (flags > 31 || (!isStroke && (flags & 3) !== form.shape)) reader.fail("an element has an unknown form");
  const id = `${readWide(reader)}.${readWide(reader)}`;
  const scene = reader.upTo("a scene", sceneLimit);
  const stroke = isStroke ? readStoredStroke(reader, scene) : undefined;
  if (!isStroke && reader.u8() >= ELEMENT_TYPES.length) reader.fail("there is no such type of element");
  const shape = isStroke ? undefined : text(reader.take(reader.uv()));
  const fields = flags & form.fields ? new Fields(patchOf(text(reader.take(reader.uv())))) : null;
  return new Element(id, {
    place, scene, stroke, text: shape, fields, copy: (flags & form.copy) !== 0, buried: (flags & form.buried) !== 0,
  });
}

/** The elements of a part. @param {Uint8Array} bytes @returns {{first: number, elements: Element[]}} */
export function readPart(bytes) {
  const reader = new ByteReader(bytes);
  const first = reader.uv();
  /** @type {Element[]} */
  const elements = [];
  for (let place = first; !reader.isAtEnd; ) {
    place += reader.uv();
    if (place >= first + partSize) reader.fail("an element is out of its part");
    elements.push(readElement(reader, place));
  }
  return { first, elements };
}

/** @param {string} source @returns {Member} */
function readMember(source) {
  const { id, joined, generation, phase, viewMode, camera, pointer, lastCounter, lastRevision, ...fields } =
    JSON.parse(source);
  const member = new Member(id, fields, memberOf(source, "payload"), joined);
  member.state = new Fields(patchTexts(source, "state"));
  return Object.assign(member, { generation, phase, viewMode, camera, pointer, lastCounter, lastRevision });
}

/** Keys with texts, where null is a value. @param {string} source @param {string} key */
const patchTexts = (source, key) => membersOf(memberOf(source, key) ?? "{}");

/** @param {string | undefined} source @returns {import("./history.js").ShapeContent} */
function readShape(source = "{}") {
  const set = memberOf(source, "set");
  const fields = set === undefined ? null : new Fields(membersOf(set));
  return { text: memberOf(source, "shape") ?? "", fields, copy: memberOf(source, "copy") === "true" };
}

/** @param {string} source @returns {import("./history.js").Operation} */
function readOperation(source) {
  const { put, erase, set, key, replace } = JSON.parse(source);
  if (put !== undefined) return { op: "put", id: put };
  if (erase !== undefined) return { op: "erase", id: erase };
  const [before, after] = [memberOf(source, "before"), memberOf(source, "after")];
  if (set !== undefined) return { op: "set", id: set, key, before: before ?? null, after: after ?? null };
  return { op: "replace", id: replace, before: readShape(before), after: readShape(after) };
}

/** @param {string} source @returns {[number, History]} */
function readHistory(source) {
  const { member, scenes, depth } = JSON.parse(source);
  const history = new History(scenes, depth);
  const items = (/** @type {string} */ inner, /** @type {string} */ key) => itemsOf(memberOf(inner, key) ?? "[]");
  const steps = (/** @type {string} */ track, /** @type {string} */ side) =>
    items(track, side).map((step) => ({
      revision: JSON.parse(step).revision,
      operations: items(step, "operations").map(readOperation),
    }));
  history.tracks = items(source, "tracks").map((track) => ({
    scene: JSON.parse(track).scene, undo: steps(track, "undo"), redo: steps(track, "redo"),
  }));
  for (const { undo, redo } of history.tracks) [...undo, ...redo].forEach((step) => history.use(step));
  return [member, history];
}

/**
 * The state of a snapshot.
 * @param {{text: string}} root the message snapshotRoot, as readMessage gives it
 * @param {Array<{bytes: Uint8Array}>} parts its messages snapshotPart, in order
 * @returns {RoomState}
 */
export function stateFromSnapshot(root, parts) {
  const source = root.text;
  const fields = JSON.parse(source);
  if (fields.parts.length !== parts.length) throw new WireError("a snapshot has another number of parts", 0);
  const state = new RoomState();
  const texts = (/** @type {string} */ key) => itemsOf(memberOf(source, key) ?? "[]");
  const { revision, time, created, createdAt, nextMember, currentScene, nextScene, places } = fields;
  Object.assign(state, { revision, time, createdAt, nextMember, currentScene, nextScene, places });
  state.created = created ?? null;
  state.broadcaster = fields.broadcaster ?? null;
  state.banned = fields.banned ?? false;
  state.deleted = fields.deleted ?? false;
  state.space = memberOf(source, "space") ?? null;
  state.globalState = new Fields(patchTexts(source, "globalState"));
  for (const member of texts("members").map(readMember)) state.members.set(member.id, member);
  state.scenes = texts("scenes").map((scene) => {
    const { id, directory, name, pptStep } = JSON.parse(scene);
    return new Scene(id, directory, name, memberOf(scene, "ppt"), pptStep);
  });
  for (const [name, limit] of Object.entries(fields.limits ?? {})) state.limits.put(name, /** @type {number} */ (limit));
  for (const [name, store] of patchTexts(source, "stores")) state.stores.put(name, new Fields(membersOf(store)));
  for (const ban of fields.bans ?? []) state.bans.set(ban.ban, ban);
  state.histories = new Map(texts("histories").map(readHistory));
  for (const part of parts) {
    for (const element of readPart(part.bytes).elements) {
      state.elements.set(element.id, element);
      if (element.isOpen && !element.buried) state.open.add(element.id);
    }
  }
  return state;
}
