// Snapshots, docs/PROTOCOL.md, section 7: a root (JSON), and parts with the elements of 256 places
// each.
import { ByteReader, text, WireError } from "../protocol/bytes.js";
import { Fields } from "../protocol/json.js";
import { readStyle, Stroke } from "../protocol/strokes.js";
import { History } from "./history.js";
import { makeElement, makeScene, RoomState } from "./state.js";

/** Places of elements in a part. */
const partSize = 256;

/** No flags of an element are above this. */
const lastForm = 31;

/** Flags of an element. */
const form = { stroke: 1, set: 4, buried: 8, copy: 16 };

/**
 * @param {ByteReader} reader
 * @returns {string} a whole number that may need 64 bits, as ids have them
 */
function readWide(reader) {
  let length = 1;
  while (reader.bytes[reader.at + length - 1] > 127) {
    length++;
  }
  if (length < 8) return String(reader.uv());
  if (length > 10) reader.fail("a number is too large");
  return String(
    reader.readBytes(length).reduceRight((value, byte) => (value << 7n) | BigInt(byte & 127), 0n),
  );
}

/**
 * @param {ByteReader} reader
 * @param {number} scene
 * @returns {Stroke} whose points nobody has read yet
 */
function readStroke(reader, scene) {
  const begin = readStyle(reader, scene);
  const ended = reader.u8() === 1;
  const points = reader.uv();
  return new Stroke(begin, ended, points, new ByteReader(reader.readBytes(reader.uv())));
}

/**
 * @param {ByteReader} reader
 * @returns {any}
 */
const readJSON = (reader) => JSON.parse(text(reader.readBytes(reader.uv())));

/**
 * @param {Uint8Array} bytes
 * @returns {RoomElement[]} the elements of a part
 */
export function readPart(bytes) {
  const reader = new ByteReader(bytes);
  /** @type {RoomElement[]} */
  const elements = [];
  const first = reader.uv();
  for (let place = first; !reader.isAtEnd; ) {
    place += reader.uv();
    const flags = reader.u8();
    if (place >= first + partSize || flags > lastForm) reader.fail("an element is out of place");
    const id = `${readWide(reader)}.${readWide(reader)}`;
    const scene = reader.uv();
    const stroke = flags & form.stroke ? readStroke(reader, scene) : undefined;
    // The type stands in the body, too.
    if (!stroke) reader.u8();
    const shape = stroke ? undefined : readJSON(reader);
    const set = flags & form.set ? readJSON(reader) : undefined;
    const copy = (flags & form.copy) !== 0;
    const buried = (flags & form.buried) !== 0;
    elements.push(makeElement({ id, place, scene, stroke, shape, set, copy, buried }));
  }
  return elements;
}

/**
 * @param {Message} message a snapshotRoot
 * @param {Message[]} parts its snapshotParts
 * @returns {RoomState}
 */
export function stateFromSnapshot({ root }, parts) {
  if (root.parts.length !== parts.length) {
    throw new WireError("a snapshot has another number of parts", 0);
  }
  const state = stateFromRoot(root);
  for (const element of parts.flatMap((part) => readPart(part.bytes))) {
    state.elements.set(element.id, element);
    if (element.stroke?.ended === false && !element.buried) state.open.add(element.id);
  }
  return state;
}

/**
 * @param {any} root all but the elements
 * @returns {RoomState}
 */
function stateFromRoot(root) {
  const {
    members,
    scenes,
    parts: _,
    globalState,
    histories = [],
    limits,
    stores,
    ...fields
  } = root;
  const state = Object.assign(new RoomState(), fields, {
    globalState: new Fields(globalState),
    limits: new Fields(limits),
    stores: new Fields(stores),
    scenes: scenes.map(makeScene),
  });
  for (const member of members) {
    const own = { kept: false, barred: false, ...member, state: new Fields(member.state) };
    state.members.set(member.id, own);
  }
  for (const { member, ...history } of histories) {
    state.histories.set(member, historyFrom(history));
  }
  return state;
}

/**
 * @param {any} history as a root has it
 * @returns {History}
 */
function historyFrom({ scenes, depth, tracks }) {
  const history = new History(scenes, depth);
  history.tracks = tracks;
  for (const { undo, redo } of tracks) {
    history.addUses([...undo, ...redo]);
  }
  return history;
}
