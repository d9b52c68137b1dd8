// One action of hands that is too much for one command is sent in several: a batch, which is taken
// back, and done again, as a whole. A server knows no batches: each of the commands is a step there.

/** Commands of which the batch is known, at most; one of an older batch is taken back alone. */
const MOST = 10_000;

/** @typedef {Promise<{revision?: number} | undefined>} Answer */

export class Batches {
  /** @type {Map<number, object>} the batch of each event, by its revision */
  #known = new Map();

  /** The epoch of the log to which these revisions belong. */
  #epoch = "";

  /** @type {Set<Answer>} what is known only when they are answered */
  #waiting = new Set();

  /**
   * A log of another epoch (docs/PROTOCOL.md) counts anew: its revisions are those of other events.
   * @param {string} epoch of the log to which the revisions belong that come from here on
   */
  #turnTo(epoch) {
    if (epoch !== this.#epoch) this.#known.clear();
    this.#epoch = epoch;
  }

  /**
   * @param {Answer[]} answers
   * @param {() => string} epochOf of the log, when an answer is there
   */
  add(answers, epochOf) {
    const batch = {};
    for (const answer of answers) {
      this.#await(answer);
      answer.then((receipt) => {
        this.#turnTo(epochOf());
        if (receipt?.revision !== undefined) this.#note(receipt.revision, batch);
      });
    }
  }

  /**
   * @param {number[]} revisions of events that are taken back together
   * @param {string} epoch of their log
   */
  join(revisions, epoch) {
    this.#turnTo(epoch);
    const batch = {};
    for (const revision of revisions) this.#note(revision, batch);
  }

  /**
   * @param {number} revision
   * @param {object} batch
   */
  #note(revision, batch) {
    this.#known.set(revision, batch);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST) this.#known.delete(oldest);
  }

  /** @param {Answer} answer */
  #await(answer) {
    this.#waiting.add(answer);
    answer.then(() => this.#waiting.delete(answer));
  }

  /**
   * Takes back the last step, or does it again, with all of its batch.
   * @param {Pick<Board, "session" | "scene">} board
   * @param {"undo" | "redo"} side
   * @param {() => Answer} send one step
   */
  async step(board, side, send) {
    const { scene } = board;
    while (this.#waiting.size > 0) await Promise.all(this.#waiting);
    if (board.scene !== scene) return;
    this.#turnTo(board.session?.epoch ?? "");
    const count = this.#count(board, side);
    for (let at = 0; at < count; at += 1) {
      const answer = send();
      // What comes next has to be known as it is then.
      if (this.#known.size > 0) this.#await(answer);
    }
  }

  /**
   * @param {Pick<Board, "session" | "scene">} board
   * @param {"undo" | "redo"} side
   * @returns {number} of steps that belong together
   */
  #count({ session, scene }, side) {
    const history = session?.state?.histories?.get(session.member ?? -1);
    const steps = history?.track(scene)?.[side] ?? [];
    const batchAt = (/** @type {number} */ at) => this.#known.get(steps.at(at)?.revision);
    const batch = batchAt(-1);
    let count = 1;
    while (batch && batchAt(-1 - count) === batch) count += 1;
    return count;
  }
}
