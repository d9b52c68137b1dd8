// The board and the player in an element of a page.
import { badOption, RoomError, roomError } from "./errors.js";
import { followPage, serversOf } from "./join.js";
import { loadBoard } from "./load.js";
import { makeRoom } from "./room.js";
import { isOfToken, Tokens } from "./tokens.js";
import { orAborted } from "./waiting.js";

/** Ms that a player may take to open, if nothing is said. */
const PLAYER_WAIT = 15_000;

/** What the page of a player posts to the page around it when it is there. */
const PLAYER_READY = "boardroom.player";

/** What it posts after that: whether the recording is shown. */
const PLAYER_OPENED = "boardroom.player.opened";
const PLAYER_REFUSED = "boardroom.player.refused";

/**
 * Shows the board in an element, and joins with it: a toolbar, pages, members, and all else that is
 * around a board. The board comes from the server, so that both are of one version.
 * @param {import("./types.js").MountElement} element is filled; give it a size
 * @param {import("./types.js").MountBoardOptions} options
 * @returns {Promise<import("./types.js").MountedBoard>}
 * @throws {RoomError}
 */
export async function mountBoard(element, options) {
  const { uuid, signal, giveUpAfter, theme, language, uid, payload, isWritable } = options;
  signal?.throwIfAborted();
  const servers = serversOf(options);
  const { joinRoom } = await loadBoard(servers, { giveUpAfter, signal });
  const tokens = new Tokens(options.token, (error) => inside.tellProblem(error), giveUpAfter);
  const look = { ...(theme ? { theme } : {}), ...(language ? { language } : {}) };
  const who = { uid, payload, isWritable };
  /** @type {any} */
  let embedded = null;
  const { room, inside } = makeRoom({
    uuid,
    async join({ signal: ended }) {
      ended?.throwIfAborted();
      const token = await orAborted(tokens.ask({ reason: "join" }, ended), ended);
      // Without a provider the board's own token stays: an open server may have made it a host's.
      const joined = embedded.join(tokens.canRenew ? token : undefined);
      await orAborted(joined, ended, () => room.leaveAtOnce()).catch(throwRoomError);
    },
    leave: () => embedded.session.disconnect(),
  });
  const told = inside.callbacks({
    onConnected: () => tokens.onConnected(),
    onClosed: () => tokens.stop(),
  });
  // Nobody can listen before the room is there.
  const callbacks = Object.fromEntries(
    Object.entries(told).map(([name, tell]) => [
      name,
      (/** @type {any[]} */ ...said) => void (embedded && tell(...said)),
    ]),
  );
  /** @param {string} token */
  const join = (token) => {
    // Something else may be in the element by now.
    signal?.throwIfAborted();
    // One address may lead to another one: the board's connection goes where the board came from.
    const where = { root: element, uuid, ...(servers.length > 1 ? { servers } : {}) };
    return joinRoom({ ...where, token, callbacks, ...who, ...look }).then(known);
  };
  const joining = tokens
    .ask({ reason: "join" }, signal)
    .then(join)
    .catch(async (why) => {
      if (!tokens.canRenew || !isOfToken(why)) throw why;
      return join(await tokens.ask({ reason: "refused", code: why.code }, signal));
    });
  // A board that comes after the signal is taken away again.
  const dropLate = () => void joining.then((late) => late.disconnect()).catch(() => {});
  embedded = await orAborted(joining, signal, dropLate).catch(throwRoomError);
  tokens.serve(embedded.session);
  inside.attach(embedded);
  tokens.onConnected();
  const unfollow = followPage(room);
  return {
    room,
    setTheme: (worn) => embedded.setTheme(worn),
    async unmount() {
      unfollow();
      await embedded.disconnect();
    },
  };
}

/**
 * @param {any} embedded
 * @returns {any} the same
 */
function known(embedded) {
  if (embedded.session) return embedded;
  embedded.disconnect();
  throw new RoomError({
    code: "noBoard",
    what: "The server's board is older than this package needs.",
    help: "Use a package of the server's version.",
  });
}

/**
 * @param {any} why
 * @returns {never}
 */
function throwRoomError(why) {
  throw roomError(why);
}

/**
 * Shows the player of a room in an element: a frame with the server's own page. The server's setting
 * `page.frames` has to name the site.
 * @param {import("./types.js").MountElement} element is filled; give it a size
 * @param {import("./types.js").MountPlayerOptions} options
 * @returns {Promise<import("./types.js").MountedPlayer>} done when the recording is shown
 * @throws {RoomError} `noPlayer`; or with the code of the room's refusal
 */
export async function mountPlayer(element, options) {
  const { signal } = options;
  signal?.throwIfAborted();
  if (Array.isArray(options.server)) throw badOption("A player is shown from one server.");
  const [origin] = serversOf(options);
  const tokens = new Tokens(options.token, () => {});
  const token = await orAborted(tokens.ask({ reason: "join" }, signal), signal);
  return showPlayer(element, options, origin, token).catch(async (why) => {
    if (!tokens.canRenew || !isOfToken(why)) throw why;
    const another = tokens.ask({ reason: "refused", code: why.code }, signal);
    return showPlayer(element, options, origin, await orAborted(another, signal));
  });
}

/**
 * @param {import("./types.js").MountElement} element
 * @param {import("./types.js").MountPlayerOptions} options
 * @param {string} origin
 * @param {string} token
 * @returns {Promise<import("./types.js").MountedPlayer>}
 */
async function showPlayer(element, options, origin, token) {
  const { uuid, signal, giveUpAfter = PLAYER_WAIT } = options;
  const address = `${origin}/replay/${uuid}`;
  const frame = element.ownerDocument.createElement("iframe");
  frame.title = "Boardroom";
  frame.allow = "clipboard-write; fullscreen";
  Object.assign(frame.style, { width: "100%", height: "100%", border: "0", display: "block" });
  frame.src = address + momentOf(options, token);
  const opening = opened(frame, origin, giveUpAfter);
  element.replaceChildren(frame);
  await orAborted(opening, signal).catch((why) => {
    frame.remove();
    throw why;
  });
  return {
    show(moment) {
      // Only what is after # differs, so that the page stays.
      frame.src = address + (momentOf(moment) || "#");
    },
    unmount: () => frame.remove(),
  };
}

/**
 * @param {import("./types.js").Moment} moment
 * @param {string} [token] the player takes it out of its address
 * @returns {string} what stands after # in an address of the player
 */
function momentOf({ revision, member, search }, token = "") {
  const fields = Object.entries({ seq: revision, m: member, f: search })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  const all = [...(token ? [token] : []), ...fields];
  return all.length > 0 ? `#${all.join("&")}` : "";
}

/**
 * @param {HTMLIFrameElement} frame
 * @param {string} origin
 * @param {number} within ms
 * @returns {Promise<void>} done when its page says that the recording is shown
 */
function opened(frame, origin, within) {
  return new Promise((resolve, reject) => {
    const waiting = new AbortController();
    let isReady = false;
    const end = () => {
      clearTimeout(timer);
      waiting.abort();
    };
    const timer = setTimeout(() => {
      end();
      reject(isReady ? tooSlowPlayer(within) : new RoomError({ code: "noPlayer" }));
    }, within);
    globalThis.addEventListener(
      "message",
      ({ source, origin: from, data }) => {
        if (source !== frame.contentWindow || from !== origin) return;
        if (data === PLAYER_READY) isReady = true;
        if (data?.type !== PLAYER_OPENED && data?.type !== PLAYER_REFUSED) return;
        end();
        if (data.type === PLAYER_OPENED) resolve();
        else reject(refusedPlayer(data));
      },
      { signal: waiting.signal },
    );
  });
}

/** @param {{code?: unknown, cause?: unknown, cure?: unknown}} told by the player's page */
function refusedPlayer({ code, cause, cure }) {
  return new RoomError({ code: String(code), what: String(cause), help: String(cure) });
}

/** @param {number} within ms */
function tooSlowPlayer(within) {
  return new RoomError({
    code: "noPlayer",
    what: `The player is there, and did not show the recording within ${within / 1_000} s.`,
    help: "Allow more time with giveUpAfter, and use a package of the server's version.",
  });
}
