/**
 * @type {Record<string, [string, string]>} what only this side can say, and the log has without a
 *   reason
 */
const CAUSES = {
  timeout: ["The server did not answer in time.", "Check the network, then try again."],
  pending: ["Another join is under way.", "Wait for it to end."],
  notConnected: ["There is no connection to the room.", "Wait until it is back, or join again."],
  notCarriedOut: ["The stay was over before it was carried out.", "Do it again."],
  outcomeUnknown: ["It is not known whether it was carried out.", "Look at the board."],
  misfit: ["An event did not fit the state of the room.", "Nothing: the room goes on without it."],
  malformed: [
    "The server sent something that is not the protocol.",
    "Reload the page; tell the operator.",
  ],
  tooLarge: ["It is larger than a message may be.", "Send less at once."],
  tooMany: ["Too many commands wait for their answers.", "Wait for some of them."],
  internal: ["It was not carried out.", "Try again."],
};

/**
 * Something was not done: what, and what helps. The codes are those of docs/PROTOCOL.md, section 9;
 * a page says them in its reader's language and falls back to `cause` and `cure`.
 */
export class Refusal extends Error {
  name = "Refusal";

  /** @param {RefusalFields} fields */
  constructor({ code, actual, allowed, limit, kick, comeBack = false, ...said }) {
    const [cause, cure] = CAUSES[code] ?? CAUSES.internal;
    super(`${said.cause ?? cause} ${said.cure ?? cure}`);
    this.code = code;
    this.cause = said.cause ?? cause;
    this.cure = said.cure ?? cure;
    this.actual = actual;
    this.allowed = allowed;
    this.limit = limit;
    this.kick = kick;
    this.comeBack = comeBack;
  }
}
