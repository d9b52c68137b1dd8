/**
 * Something was not done: what, and what helps. The codes are those of docs/PROTOCOL.md, section 9; a page
 * says them in its reader's language and falls back to `cause` and `cure`.
 */
export class Refusal extends Error {
  /** @param {{code: string, cause?: string, cure?: string, actual?: number, allowed?: number, limit?: string,
   *   kick?: string, comeBack?: boolean}} fields */
  constructor(fields) {
    const own = CAUSES[fields.code] ?? CAUSES.internal;
    const cause = fields.cause ?? own[0];
    const cure = fields.cure ?? own[1];
    super(`${cause} ${cure}`);
    this.name = "Refusal";
    this.code = fields.code;
    this.cause = cause;
    this.cure = cure;
    this.actual = fields.actual;
    this.allowed = fields.allowed;
    /** The name of the limit that was reached. */
    this.limit = fields.limit;
    /** Why the server removed this member, if it did. */
    this.kick = fields.kick;
    /** Whether to come back without being asked. */
    this.comeBack = fields.comeBack ?? false;
  }
}

/** What only this side can say, and what the log has without its reason.
 * @type {Record<string, [string, string]>} */
const CAUSES = {
  timeout: ["The server did not answer in time.", "Check the network, then try again."],
  pending: ["Another join is under way.", "Wait for it to end."],
  notConnected: ["There is no connection to the room.", "Wait until it is back, or join again."],
  notCarriedOut: ["The stay was over before it was carried out.", "Do it again."],
  outcomeUnknown: ["It is not known whether it was carried out.", "Look at the board."],
  misfit: ["An event did not fit the state of the room.", "Nothing: the room goes on without it."],
  malformed: ["The server sent something that is not the protocol.", "Reload the page; tell the operator."],
  tooLarge: ["It is larger than a message may be.", "Send less at once."],
  tooMany: ["Too many commands wait for their answers.", "Wait for some of them."],
  internal: ["It was not carried out.", "Try again."],
};
