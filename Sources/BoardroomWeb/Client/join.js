// Joins a room, without a page around it.
import { realClock } from "../Page/protocol/clock.js";
import { originsOf } from "../Page/protocol/servers.js";
import { Overlay } from "../Page/state/overlay.js";
import { RoomSession } from "../Page/state/session.js";
import { badOption, RoomError, roomError } from "./errors.js";
import { makeRoom } from "./room.js";
import { Tokens } from "./tokens.js";
import { version } from "./version.js";
import { orAborted } from "./waiting.js";

/**
 * @typedef {import("./types.js").JoinOptions} JoinOptions
 * @typedef {import("./room.js").Room} Room
 */

/**
 * @param {{server?: any, uuid?: any}} options
 * @returns {string[]} the origins of the servers
 */
export function serversOf({ server, uuid }) {
  if (!/^[0-9a-f]{32}$/.test(String(uuid))) {
    throw badOption("The uuid of a room is not 32 hexadecimal digits in lower case.");
  }
  try {
    return originsOf(server);
  } catch (why) {
    const { cause, cure } = /** @type {any} */ (why);
    throw badOption(cause, cure);
  }
}

/**
 * Joins a room.
 * @param {JoinOptions} options
 * @returns {Promise<Room>}
 * @throws {RoomError} with `code`, `what` and `help`
 */
export async function joinRoom(options) {
  const { uuid, signal } = options;
  signal?.throwIfAborted();
  const origin = serversOf(options);
  const makeSocket = socketMaker(options.WebSocket);
  const clock = realClock();
  const { giveUpAfter = 45_000 } = options;
  const session = new RoomSession({ origin, clock, giveUpAfter, makeSocket });
  const tokens = new Tokens(options.token, (error) => inside.tellProblem(error), giveUpAfter);
  tokens.serve(session);
  /** @param {{signal?: AbortSignal}} wish */
  const join = async ({ signal: ended }) => {
    ended?.throwIfAborted();
    const token = await orAborted(tokens.ask({ reason: "join" }, ended), ended);
    const { uid, payload, isWritable, undoScenes } = options;
    const joined = session.join({
      room: uuid,
      token,
      uid,
      payload,
      isWritable,
      undoScenes,
      client: `boardroom-client/${version}`,
      callbacks,
    });
    await orAborted(joined, ended, () => session.leaveAtOnce()).catch((why) => {
      throw roomError(why);
    });
  };
  const { room, inside } = makeRoom({ uuid, join, leave: () => session.disconnect() });
  const callbacks = inside.callbacks({
    onConnected: () => tokens.onConnected(),
    onClosed: () => tokens.stop(),
  });
  inside.attach({ session, overlay: new Overlay(session) });
  await join({ signal });
  followPage(room);
  return room;
}

/**
 * @param {import("./types.js").WebSocketConstructor | undefined} given
 * @returns {(url: string, protocol: string) => any}
 */
function socketMaker(given) {
  const Socket = given ?? globalThis.WebSocket;
  if (typeof Socket !== "function") throw new RoomError({ code: "noWebSocket" });
  return (url, protocol) => {
    const socket = new Socket(url, protocol);
    // Its end is told by `close`; a socket of `ws` throws an error that nobody listens to.
    socket.onerror = () => {};
    return socket;
  };
}

/**
 * In a browser: the room follows the network, and the page that goes and comes back. The window holds
 * the room only as long as the member is in it, or may come back with the page.
 * @param {Room} room
 * @returns {() => void} ends it
 */
export function followPage(room) {
  if (typeof globalThis.addEventListener !== "function" || !globalThis.document) return () => {};
  let following = new AbortController();
  let wasHere = false;
  const onHide = () => {
    wasHere = room.phase !== "disconnected";
    room.leaveAtOnce();
  };
  const onShow = (/** @type {{persisted: boolean}} */ { persisted }) => {
    if (persisted && wasHere) room.rejoin().catch(() => {});
  };
  const follow = () => {
    following.abort();
    following = new AbortController();
    const { signal } = following;
    wasHere = false;
    globalThis.addEventListener("online", () => room.networkBack(), { signal });
    globalThis.addEventListener("pagehide", onHide, { signal });
    globalThis.addEventListener("pageshow", onShow, { signal });
  };
  follow();
  const stops = [
    room.on("phase", ({ phase }) => phase === "connected" && follow()),
    room.on("closed", () => wasHere || following.abort()),
  ];
  return () => {
    following.abort();
    for (const stop of stops) {
      stop();
    }
  };
}
