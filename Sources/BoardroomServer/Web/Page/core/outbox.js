import { writeCommand } from "./records.js";
import { Refusal } from "./refusal.js";

// The commands of one session that have no answer yet, in the order of their counters.

const limit = 10_000;

export class Outbox {
  last = 0;
  /** @type {Map<number, Pending>} */
  waiting = new Map();
  /** @type {number | null} where counters were made to go on */
  renumbered = null;

  get all() { return [...this.waiting.values()]; }

  /** @param {string} name @param {any} body @param {number} allowed bytes @param {Pick<Pending, "resolve" | "reject">} answer
   * @returns {Pending | null} null: it was rejected */
  add(name, body, allowed, answer) {
    const n = this.last + 1;
    const bytes = writeCommand(n, name, body);
    if (bytes.length > allowed || this.waiting.size >= limit) {
      const isLarge = bytes.length > allowed;
      answer.reject(new Refusal(isLarge ? { code: "tooLarge", actual: bytes.length, allowed } : { code: "tooMany" }));
      return null;
    }
    const command = { n, name, body, bytes, revision: null, code: null, ...answer };
    this.last = n;
    this.waiting.set(n, command);
    return command;
  }

  /** @param {Pending[]} commands that wait no longer */
  take(commands) { for (const { n } of commands) this.waiting.delete(n); }

  /**
   * A server that was restarted knows only counters that led to an event. It says which one it expects:
   * what waits takes the counters from there on.
   * @param {number} expected @returns {Pending[]} none if that was done before
   */
  renumber(expected) {
    if (expected === this.renumbered) return [];
    const commands = this.clear();
    this.renumbered = expected;
    this.last = expected - 1;
    for (const command of commands) {
      command.n = ++this.last;
      command.bytes = writeCommand(command.n, command.name, command.body);
      this.waiting.set(command.n, command);
    }
    return commands;
  }

  /** @returns {Pending[]} what was there; counting begins anew */
  clear() {
    const commands = this.all;
    this.waiting.clear();
    this.last = 0;
    this.renumbered = null;
    return commands;
  }
}

/** What fits into one message each.
 * @param {Pending[]} commands @param {number} budget bytes */
export function inBatches(commands, budget) {
  /** @type {Uint8Array[][]} */
  const batches = [];
  let size = Infinity;
  for (const { bytes } of commands) {
    size += bytes.length;
    if (size > budget) {
      batches.push([]);
      size = bytes.length;
    }
    batches[batches.length - 1].push(bytes);
  }
  return batches;
}
