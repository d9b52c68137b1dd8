// Puts erased elements back on the board of the live room: joins it for a moment, sends ordinary
// commands of the one who restores, and leaves. An element that is put back is a new one, with
// `meta.restored` to say in whose place it is, at its old place in the order of drawing.
import { Refusal } from "../protocol/refusal.js";
import { orderKey } from "../state/order.js";
import { RoomSession } from "../state/session.js";

/** Points of one piece of a stroke. */
const PIECE = 1_000;

/** Ms that joining may take. */
const PATIENCE = 15_000;

/**
 * `scene`: the page on which they are; `ids`: of the new elements; `problem`: why the rest of them
 * is not back.
 * @typedef {{ revision: number; ids: string[]; scene: number; problem?: unknown }} Restored
 */

/**
 * @typedef {{origin: string, room: string, token: string, name: string, clock: Clock,
 *   makeSocket?: ConnectionOptions["makeSocket"]}} RoomAccess
 */

/**
 * @param {RoomAccess} access
 * @param {RoomElement[]} elements
 * @returns {Promise<Restored>}
 * @throws {Refusal}
 */
export const restore = (access, elements) => inRoom(access, (session) => putAll(session, elements));

/**
 * Takes what was put back off the board again, in one command. (Each element is put by a command of
 * its own, and the history of who left is gone: no undo of the board takes them back together.)
 * @param {RoomAccess} access
 * @param {string[]} ids of the new elements
 * @returns {Promise<{revision?: number, count: number}>} how many were there still
 * @throws {Refusal}
 */
export const takeBack = (access, ids) =>
  inRoom(access, async (session) => {
    const elements = ids.filter((id) => session.state.element(id));
    const count = elements.length;
    return count > 0 ? { ...(await session.send("erased", { elements })), count } : { count };
  });

/**
 * Does something in the live room, and leaves it.
 * @template Result
 * @param {RoomAccess} access
 * @param {(session: RoomSession) => Promise<Result>} act
 * @returns {Promise<Result>}
 */
async function inRoom({ origin, room, token, name, clock, makeSocket }, act) {
  const session = new RoomSession({
    origin,
    clock,
    giveUpAfter: PATIENCE,
    ...(makeSocket ? { makeSocket } : {}),
  });
  await session.join({ room, token, payload: { name }, undoScenes: 0 });
  try {
    if (!session.writable) throw new Refusal({ code: "notWritable" });
    return await act(session);
  } finally {
    await session.disconnect();
  }
}

/**
 * @param {RoomSession} session
 * @param {RoomElement[]} elements
 * @returns {Promise<Restored>}
 */
async function putAll(session, elements) {
  const { state } = session;
  const ids = [];
  let revision = 0;
  let scene = state.currentScene;
  for (const element of elements) {
    const id = session.nextElement();
    // Its page may have been removed.
    scene = state.scene(element.scene) ? element.scene : state.currentScene;
    const commands = commandsFor(element, id, scene);
    const sent = Promise.all(commands.map(([kind, body]) => session.send(kind, body)));
    const receipts = await sent.catch((why) => ({ why }));
    if ("why" in receipts) {
      // What is back is back, and is said to be.
      if (ids.length === 0) throw receipts.why;
      return { revision, ids, scene, problem: receipts.why };
    }
    revision = receipts[receipts.length - 1].revision;
    ids.push(id);
  }
  return { revision, ids, scene };
}

/**
 * @param {RoomElement} element
 * @param {string} id a new one
 * @param {number} scene
 * @returns {[string, any][]} the commands that put it back
 */
export function commandsFor(element, id, scene) {
  const { locked: _, ...attributes } = element.set ?? {};
  const meta = { ...attributes.meta, restored: element.id };
  const set = { ...attributes, order: orderKey(element), meta };
  if (!element.stroke) return [["elementPut", { ...element.shape, id, scene, set }]];
  const begin = { ...element.stroke.begin, scene };
  const pieces = piecesOf(element.stroke, Number(id.split(".")[1]), begin);
  return [...pieces, ["elementsChanged", { changes: [{ id, set }] }]];
}

/**
 * @param {NonNullable<RoomElement["stroke"]>} stroke
 * @param {number} number
 * @param {Begin} begin
 * @returns {[string, any][]} the stroke, drawn anew
 */
function piecesOf(stroke, number, begin) {
  const segments = stroke.segments.map((segment) => segment.read());
  const all = (/** @type {"dx" | "dy" | "dt" | "dp"} */ name) =>
    segments.flatMap((segment) => [...(segment[name] ?? [])]);
  const hasPressure = segments.every(({ dp }) => dp);
  const [dx, dy, dt, dp] = [all("dx"), all("dy"), all("dt"), all("dp")];
  const pieces = [];
  for (let at = 0; at === 0 || at < dx.length; at += PIECE) {
    const cut = (/** @type {number[]} */ steps) => steps.slice(at, at + PIECE);
    const steps = { dx: cut(dx), dy: cut(dy), dt: cut(dt) };
    const piece = { stroke: number, end: at + PIECE >= dx.length, ...steps };
    const first = at === 0 ? { begin } : {};
    /** @type {[string, any]} */
    const command = ["stroke", { ...piece, ...first, ...(hasPressure ? { dp: cut(dp) } : {}) }];
    pieces.push(command);
  }
  return pieces;
}
