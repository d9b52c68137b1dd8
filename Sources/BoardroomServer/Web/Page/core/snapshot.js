import { ByteReader, text, WireError } from "./bytes.js";
import { History } from "./history.js";
import { Fields, itemsOf, memberOf, membersOf } from "./json.js";
import { Element, Member, RoomState, Scene } from "./state.js";
import { readStyle, sceneLimit, Stroke } from "./strokes.js";

// Snapshots, docs/PROTOCOL.md, section 7: a state as a root (JSON) and parts (the elements of 256 places
// each).

const partSize = 256;
const form = Object.freeze({ stroke: 1, shape: 2, fields: 4, buried: 8, copy: 16 });
const lastForm = 31;

/** @param {ByteReader} reader @returns {string} a whole number that may need 64 bits, as ids have them */
function readWide(reader) {
  let length = 1;
  while (reader.bytes[reader.at + length - 1] > 127) length++;
  if (length < 8) return String(reader.uv());
  let value = 0n;
  for (let shift = 0n, byte = 128; byte > 127; shift += 7n) {
    if (shift > 63n) reader.fail("a number is too large");
    byte = reader.u8();
    value |= BigInt(byte & 127) << shift;
  }
  return String(value);
}

/** @param {ByteReader} reader @param {number} scene @returns {Stroke} whose points nobody has read yet */
function readStroke(reader, scene) {
  const begin = readStyle(reader, scene);
  const ended = reader.u8() === 1;
  const points = reader.uv();
  const length = reader.uv();
  const stored = new ByteReader(reader.bytes, reader.at, reader.pass(length));
  return new Stroke(begin, ended, points, null, stored);
}

/** @param {ByteReader} reader @param {number} place @returns {Element} */
function readElement(reader, place) {
  const flags = reader.u8();
  if (flags > lastForm) reader.fail("an element has an unknown form");
  const id = `${readWide(reader)}.${readWide(reader)}`;
  const scene = reader.upTo("a scene", sceneLimit);
  const isStroke = (flags & form.stroke) !== 0;
  const stroke = isStroke ? readStroke(reader, scene) : undefined;
  // The type stands in the body, too.
  const shape = isStroke ? undefined : (reader.u8(), text(reader.take(reader.uv())));
  const fields = flags & form.fields ? new Fields(membersOf(text(reader.take(reader.uv())))) : null;
  const [copy, buried] = [(flags & form.copy) !== 0, (flags & form.buried) !== 0];
  return new Element(id, { place, scene, stroke, text: shape, fields, copy, buried });
}

/** @param {Uint8Array} bytes @returns {Element[]} the elements of a part */
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
  return elements;
}

/** Keys with the texts of their values, of an object in an object.
 * @param {string} source @param {string} key */
const textsIn = (source, key) => membersOf(memberOf(source, key) ?? "{}");
/** @param {string} source @param {string} key @returns {string[]} the texts of an array in an object */
const listIn = (source, key) => itemsOf(memberOf(source, key) ?? "[]");

/** @param {string} source @returns {Member} */
function readMember(source) {
  const { id, joined, generation, phase, viewMode, camera, pointer, lastCounter, lastRevision, kept = false,
    barred = false, hand, ...fields } = JSON.parse(source);
  const member = new Member(id, fields, memberOf(source, "payload"), joined);
  member.state = new Fields(textsIn(source, "state"));
  const rest = { generation, phase, viewMode, camera, pointer, lastCounter, lastRevision, kept, barred, hand };
  return Object.assign(member, rest);
}

/** @param {string} source @param {string} key @returns {import("./history.js").ShapeContent} */
function readShape(source, key) {
  const shape = memberOf(source, key) ?? "{}";
  const fields = new Fields(textsIn(shape, "set"));
  const copy = JSON.parse(shape).copy === true;
  return { text: memberOf(shape, "shape") ?? "", fields: fields.size ? fields : null, copy };
}

/** @param {string} source @returns {import("./history.js").Operation} */
function readOperation(source) {
  const { put, erase, set, key, replace } = JSON.parse(source);
  if (put !== undefined) return { op: "put", id: put };
  if (erase !== undefined) return { op: "erase", id: erase };
  if (set === undefined) {
    const [before, after] = [readShape(source, "before"), readShape(source, "after")];
    return { op: "replace", id: replace, before, after };
  }
  const [before, after] = [memberOf(source, "before") ?? null, memberOf(source, "after") ?? null];
  return { op: "set", id: set, key, before, after };
}

/** @param {string} track @param {"undo" | "redo"} side */
const readSteps = (track, side) =>
  listIn(track, side).map((step) => ({
    revision: JSON.parse(step).revision, operations: listIn(step, "operations").map(readOperation),
  }));

/** @param {string} source @returns {[number, History]} */
function readHistory(source) {
  const { member, scenes, depth, tracks } = JSON.parse(source);
  const history = new History(scenes, depth);
  history.tracks = listIn(source, "tracks").map((track, place) => ({
    scene: tracks[place].scene, undo: readSteps(track, "undo"), redo: readSteps(track, "redo"),
  }));
  for (const { undo, redo } of history.tracks) [...undo, ...redo].forEach((step) => history.use(step));
  return [member, history];
}

/**
 * The state of a snapshot: of the message snapshotRoot and its messages snapshotPart.
 * @param {import("./messages.js").Message} message @param {import("./messages.js").Message[]} parts
 * @returns {RoomState}
 */
export function stateFromSnapshot(message, parts) {
  const source = /** @type {string} */ (message.text);
  const root = JSON.parse(source);
  const { members, scenes, parts: keys, globalState, histories, limits, stores, ...fields } = root;
  if (keys.length !== parts.length) throw new WireError("a snapshot has another number of parts", 0);
  const state = Object.assign(new RoomState(), fields);
  state.globalState = new Fields(textsIn(source, "globalState"));
  for (const text of listIn(source, "members")) {
    const member = readMember(text);
    state.members.set(member.id, member);
  }
  state.scenes = listIn(source, "scenes").map((text, place) => {
    const { id, directory, name, pptStep } = scenes[place];
    return new Scene(id, directory, name, memberOf(text, "ppt"), pptStep);
  });
  for (const [name, limit] of Object.entries(limits ?? {})) state.limits.put(name, limit);
  for (const [name, store] of textsIn(source, "stores")) state.stores.put(name, new Fields(membersOf(store)));
  state.histories = new Map(listIn(source, "histories").map(readHistory));
  for (const element of parts.flatMap((part) => readPart(part.bytes))) {
    state.elements.set(element.id, element);
    if (element.isOpen && !element.buried) state.open.add(element.id);
  }
  return state;
}
