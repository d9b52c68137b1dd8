// Loads the board from one of the servers that have it. A server may take a connection and say
// nothing, and an import cannot be ended: the next server is asked beside it.
import { DEFAULT_SUSPECT_AFTER } from "../Page/protocol/connection.js";
import { ServerTurn } from "../Page/protocol/servers.js";
import { RoomError } from "./errors.js";
import { whenAborted } from "./waiting.js";

/** Ms that the board may take to come, if nothing is said. */
const LOAD_WAIT = 45_000;

/** @param {string} origin */
const importBoard = (origin) =>
  import(/* @vite-ignore */ /* webpackIgnore: true */ `${origin}/assets/embed.js`);

/**
 * @param {readonly string[]} servers
 * @param {object} [options]
 * @param {number} [options.giveUpAfter] ms that all of it may take
 * @param {AbortSignal} [options.signal] asks no further server
 * @param {() => number} [options.chance] for the order
 * @param {(origin: string) => Promise<any>} [options.load]
 * @returns {Promise<any>} embed.js of the server from which it comes first; in an order that chance
 *   makes, the next one is asked when one has failed, or has been silent for as long as a connection
 *   may be
 * @throws {RoomError} `noBoard`
 */
export function loadBoard(servers, options = {}) {
  const { giveUpAfter = LOAD_WAIT, signal, chance = Math.random, load = importBoard } = options;
  const turn = new ServerTurn(servers.length, chance);
  return new Promise((resolve, reject) => {
    let asked = 0;
    let failed = 0;
    let isOver = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let silence;
    /** @param {() => void} tell */
    const end = (tell) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(silence);
      clearTimeout(limit);
      stopListening();
      tell();
    };
    const ask = () => {
      clearTimeout(silence);
      if (isOver || asked === servers.length) return;
      asked += 1;
      const number = asked;
      const origin = servers[turn.current];
      turn.advance();
      silence = setTimeout(ask, DEFAULT_SUSPECT_AFTER);
      load(origin).then(
        (board) => end(() => resolve(board)),
        (cause) => {
          failed += 1;
          if (failed === servers.length)
            end(() => reject(new RoomError({ code: "noBoard", cause })));
          // One that fails late has the next one beside it already.
          else if (number === asked) ask();
        },
      );
    };
    const stopListening = whenAborted(signal, () => end(() => reject(signal?.reason)));
    const limit = setTimeout(() => {
      const what = `No server has sent the board within ${giveUpAfter / 1_000} s.`;
      end(() => reject(new RoomError({ code: "noBoard", what })));
    }, giveUpAfter);
    ask();
  });
}
