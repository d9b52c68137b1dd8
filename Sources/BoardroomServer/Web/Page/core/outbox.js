import { writeCommand } from "./records.js";
import { Refusal } from "./refusal.js";

// The commands of one session that have no answer yet, in the order of their counters.

/**
 * @typedef {object} Pending a command on its way
 * @property {number} n its counter; another one after a server forgot some
 * @property {string} name
 * @property {any} body
 * @property {Uint8Array} bytes
 * @property {number | null} revision of a receipt that came before its events
 * @property {string | null} code what the log says of it, if it was refused
 * @property {(receipt: {revision: number}) => void} resolve
 * @property {(refusal: Refusal) => void} reject
 */

const limit = 10_000;

export class Outbox {
  constructor() {
    this.last = 0;
    /** @type {Map<number, Pending>} */
    this.waiting = new Map();
    /** @type {number | null} where counters were made to go on */
    this.renumbered = null;
  }

  get isFull() { return this.waiting.size >= limit; }

  /**
   * Null if it is larger than `allowed` bytes: then it was rejected.
   * @param {string} name @param {any} body @param {number} allowed
   * @param {{resolve: any, reject: any}} answer @returns {Pending | null}
   */
  add(name, body, allowed, { resolve, reject }) {
    const n = this.last + 1;
    const bytes = writeCommand(n, name, body);
    if (bytes.length > allowed) {
      reject(new Refusal({ code: "tooLarge", actual: bytes.length, allowed }));
      return null;
    }
    const command = { n, name, body, bytes, revision: null, code: null, resolve, reject };
    this.last = n;
    this.waiting.set(n, command);
    return command;
  }

  /** @param {Array<[number, number]>} receipts counters and revisions */
  receipts(receipts) {
    for (const [n, revision] of receipts) {
      const command = this.waiting.get(n);
      if (command) command.revision = revision;
    }
  }

  /** @param {number} n of the command to take out @returns {Pending | undefined} */
  take(n) {
    const command = this.waiting.get(n);
    this.waiting.delete(n);
    return command;
  }

  /** What has a receipt up to this revision: done, and nothing is left to come of it.
   * @param {number} revision */
  ripe(revision) {
    return [...this.waiting.values()].filter((one) => one.revision !== null && one.revision <= revision);
  }

  /** @param {number} counter up to which a server that we come back to has decided @returns {Pending[]} */
  decided(counter) {
    this.renumbered = null;
    return [...this.waiting.values()].filter((one) => one.n <= counter);
  }

  /**
   * A server that was restarted knows only counters that led to an event. It says which one it expects:
   * what waits takes the counters from there on.
   * @param {number} expected @returns {Pending[]} none if that was done before
   */
  renumber(expected) {
    if (expected === this.renumbered) return [];
    this.renumbered = expected;
    const commands = [...this.waiting.values()];
    this.waiting.clear();
    this.last = expected - 1;
    for (const command of commands) {
      command.n = ++this.last;
      command.bytes = writeCommand(command.n, command.name, command.body);
      this.waiting.set(command.n, command);
    }
    return commands;
  }

  /** @returns {Pending[]} what was not decided when the session ended */
  abandon() {
    const commands = [...this.waiting.values()];
    this.waiting.clear();
    this.last = 0;
    this.renumbered = null;
    return commands;
  }
}

/**
 * What fits into one message each.
 * @param {Pending[]} commands @param {number} budget bytes
 */
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
