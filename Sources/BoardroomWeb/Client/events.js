// Listeners by the name of an event, and events as an iterator.
import { RoomError } from "./errors.js";
import { whenAborted } from "./waiting.js";

/** @typedef {import("./types.js").RoomEvents} RoomEvents */

/** Events that wait for a slow reader, at most. */
const MOST_WAITING = 10_000;

export class Emitter {
  /** @type {Map<string, Set<(told: any) => void>>} */
  #listeners = new Map();

  /** @param {string} name */
  has(name) {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  /**
   * @param {string} name
   * @param {(told: any) => void} listener
   * @param {AbortSignal} [signal]
   * @returns {() => void} removes the listener
   */
  on(name, listener, signal) {
    if (signal?.aborted) return () => {};
    // A function that is given twice is called twice, and removed once.
    const own = (/** @type {any} */ told) => listener(told);
    const all = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, all.add(own));
    const stopWaiting = whenAborted(signal, () => all.delete(own));
    return () => {
      stopWaiting();
      all.delete(own);
    };
  }

  /**
   * @param {string} name
   * @param {any} told
   */
  emit(name, told) {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        listener(told);
      } catch (error) {
        // A mistake of one listener is shown, and keeps nobody else from being told.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/**
 * @template T
 * @param {Emitter} emitter
 * @param {string} name
 * @param {AbortSignal} [signal] ends the loop
 * @returns {AsyncIterableIterator<T>} ends when the stay is over
 */
export function iterate(emitter, name, signal) {
  /** @type {T[]} */
  const waiting = [];
  let isOver = signal?.aborted === true;
  /** @type {RoomError | null} */
  let problem = null;
  /** @type {Array<() => void>} readers that wait, the first one first */
  const sleeping = [];
  const wake = () => {
    for (const run of sleeping.splice(0)) {
      run();
    }
  };
  const end = () => {
    isOver = true;
    for (const stop of stops) {
      stop();
    }
    wake();
  };
  const stops = [
    emitter.on(name, (told) => {
      if (waiting.length >= MOST_WAITING) {
        problem = tooSlow(name);
        return end();
      }
      waiting.push(told);
      return wake();
    }),
    emitter.on("closed", () => end()),
    whenAborted(signal, () => {
      waiting.length = 0;
      end();
    }),
  ];
  if (isOver) end();
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      while (waiting.length === 0 && !isOver) {
        await new Promise((done) => {
          sleeping.push(() => done(undefined));
        });
      }
      if (waiting.length > 0) return { value: /** @type {T} */ (waiting.shift()), done: false };
      const error = problem;
      problem = null;
      if (error !== null) throw error;
      return { value: undefined, done: true };
    },
    async return() {
      waiting.length = 0;
      end();
      return { value: undefined, done: true };
    },
  };
}

/** @param {string} name */
function tooSlow(name) {
  return new RoomError({
    code: "tooMany",
    what: `More than ${MOST_WAITING} events "${name}" wait to be read.`,
    help: "Do less in the loop, or use room.on.",
    allowed: MOST_WAITING,
  });
}
