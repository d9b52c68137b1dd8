// What goes wrong: one type of error, with a code, what it is and what helps.
import { Refusal } from "../Page/protocol/refusal.js";

/** @type {Record<string, [string, string]>} what only this package can say */
const OWN = {
  badOption: ["A value cannot be used.", "See the README of boardroom-client."],
  noWebSocket: [
    "This runtime has no WebSocket.",
    "Use Node 22, or run: npm install ws, and give its WebSocket as joinRoom({ WebSocket, … }).",
  ],
  noToken: [
    "The token provider gave no token.",
    "Look at the cause of this error, and at the backend that makes tokens.",
  ],
  noBoard: [
    "The board could not be loaded from the server.",
    "Check the address of the server, and that the site's policy allows its scripts.",
  ],
  noPlayer: [
    "The player did not open in its frame.",
    "Name this site in the server's setting page.frames, and check the room.",
  ],
};

/** Something was not done. `code`: for programs; `what` and `help`: for people. */
export class RoomError extends Error {
  /**
   * @param {{code: string, what?: string, help?: string, cause?: unknown, actual?: number,
   *   allowed?: number, limit?: string, kick?: string, comeBack?: boolean}} fields
   */
  constructor({ code, what, help, cause, actual, allowed, limit, kick, comeBack = false }) {
    const [ownWhat = "It was not done.", ownHelp = "Try again."] = OWN[code] ?? [];
    super(`${what ?? ownWhat} ${help ?? ownHelp}`, cause === undefined ? undefined : { cause });
    /** @type {"RoomError"} */
    this.name = "RoomError";
    /** @type {import("./types.js").RoomErrorCode} */
    this.code = code;
    /** What is wrong: a sentence. */
    this.what = what ?? ownWhat;
    /** What helps: a sentence. */
    this.help = help ?? ownHelp;
    /** What was sent, if a limit was exceeded. */
    this.actual = actual;
    /** What is allowed, if a limit was exceeded. */
    this.allowed = allowed;
    /** The name of the limit. */
    this.limit = limit;
    /** Why the server removed this member, if it did. */
    this.kick = kick;
    /** Whether it may succeed if it is tried again later, without other input. */
    this.comeBack = comeBack;
  }
}

/**
 * @param {any} why
 * @returns {any} a refusal as an error of this package; anything else as it is
 */
export function roomError(why) {
  if (why instanceof RoomError || why?.name !== "Refusal") return why;
  const { code, cause: what, cure: help, actual, allowed, limit, kick, comeBack } = why;
  return new RoomError({ code, what, help, actual, allowed, limit, kick, comeBack });
}

/**
 * @param {string} code of what only this side can say
 * @param {string} [kick]
 */
export function localError(code, kick) {
  return roomError(new Refusal({ code, kick }));
}

/**
 * @param {string} what of an argument is wrong
 * @param {string} [help]
 */
export function badOption(what, help) {
  return new RoomError({ code: "badOption", what, help });
}
