// The commands of one session that have no answer yet, in the order of their counters.
import { writeCommand } from "./records.js";
import { Refusal } from "./refusal.js";

const limit = 10_000;

export class Outbox {
  last = 0;

  /** @type {Map<number, Pending>} */
  waiting = new Map();

  /** The counter from which commands were numbered again. */
  renumbered = 0;

  /** The counter of the last command that was written to a socket. */
  written = 0;

  get all() {
    return [...this.waiting.values()];
  }

  /**
   * @param {string} name
   * @param {any} body
   * @param {number} allowed bytes
   * @param {Pick<Pending, "resolve" | "reject">} answer
   * @returns {Pending}
   * @throws {Refusal}
   */
  add(name, body, allowed, answer) {
    const n = this.last + 1;
    const bytes = writeCommand(n, name, body);
    if (bytes.length > allowed) {
      throw new Refusal({
        code: "tooLarge",
        actual: bytes.length,
        allowed,
        limit: "limits.message",
      });
    }
    if (this.waiting.size >= limit) throw new Refusal({ code: "tooMany" });
    const command = { n, name, body, bytes, revision: null, code: null, ...answer };
    this.last = n;
    this.waiting.set(n, command);
    return command;
  }

  /**
   * @param {(command: Pending) => boolean} isDone which commands to remove
   * @returns {Pending[]} the commands that were removed
   */
  removeWhere(isDone) {
    const done = this.all.filter(isDone);
    for (const { n } of done) {
      this.waiting.delete(n);
    }
    return done;
  }

  /** @returns {Pending[]} the commands that were removed; the next counter is 1 */
  clear() {
    this.last = 0;
    this.written = 0;
    this.renumbered = 0;
    return this.removeWhere(() => true);
  }

  /**
   * Numbers commands again, from the counter that the server expects: after a restart it knows
   * only counters that led to an event. Those below are decided, and keep their numbers for their
   * answers (IDEM-7). Returns none if that was done before.
   * @param {number} expected
   */
  renumber(expected) {
    if (expected === this.renumbered) return [];
    this.renumbered = expected;
    const commands = this.removeWhere(({ n }) => n >= expected);
    this.last = expected - 1;
    this.written = this.last;
    this.#number(commands);
    return commands;
  }

  /**
   * Removes a command that was never written to a socket; those after it are numbered again.
   * @param {Pending} command
   * @returns {boolean} whether it was removed
   */
  withdraw(command) {
    const { n } = command;
    if (n <= this.written || this.waiting.get(n) !== command) return false;
    const [, ...later] = this.removeWhere((other) => other.n >= n);
    this.last = n - 1;
    this.#number(later);
    return true;
  }

  /** @param {Pending[]} commands get the next counters */
  #number(commands) {
    for (const command of commands) {
      const n = ++this.last;
      const bytes = writeCommand(n, command.name, command.body);
      this.waiting.set(n, Object.assign(command, { n, bytes }));
    }
  }

  /**
   * @param {Pending[]} commands
   * @param {number} budget bytes of each
   * @returns {Uint8Array[][]}
   */
  batches(commands, budget) {
    /** @type {Uint8Array[][]} */
    const batches = [];
    let size = Infinity;
    for (const { bytes } of commands) {
      const fits = size + bytes.length <= budget;
      size = fits ? size + bytes.length : bytes.length;
      if (!fits) batches.push([]);
      batches[batches.length - 1].push(bytes);
    }
    return batches;
  }
}
