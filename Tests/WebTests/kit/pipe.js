// The DevTools protocol over two pipes: JSON texts with a NUL after each, on file descriptors 3 and
// 4.
import { EventEmitter } from "node:events";

/** What the browser refused to do. */
export class ProtocolError extends Error {}

export class Pipe extends EventEmitter {
  #write;
  #next = 1;

  /**
   * @type {Map<number, {method: string, done: (result: any) => void, failed: (error: Error) =>
   *   void}>}
   */
  #waiting = new Map();

  #isClosed = false;

  /**
   * @param {import("node:stream").Writable} write
   * @param {import("node:stream").Readable} read
   */
  constructor(write, read) {
    super();
    this.setMaxListeners(0);
    this.#write = write;
    /** @type {Buffer[]} */
    let begun = [];
    read.on("data", (/** @type {Buffer} */ data) => {
      let bytes = data;
      for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0)) {
        begun.push(bytes.subarray(0, end));
        this.#receive(JSON.parse(Buffer.concat(begun).toString("utf8")));
        begun = [];
        bytes = bytes.subarray(end + 1);
      }
      if (bytes.length > 0) begun.push(bytes);
    });
    read.on("close", () => this.#close());
    write.on("error", () => this.#close());
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId] of a page; without it the browser itself is meant
   * @returns {Promise<any>}
   */
  send(method, params = {}, sessionId) {
    if (this.#isClosed) {
      return Promise.reject(new ProtocolError(`${method}: the browser has ended`));
    }
    const id = this.#next++;
    return new Promise((done, failed) => {
      this.#waiting.set(id, { method, done, failed });
      this.#write.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /**
   * The next event of this name that fits.
   * @param {string} method
   * @param {string | undefined} sessionId
   * @param {(params: any) => boolean} [fits]
   * @returns {Promise<any>}
   */
  event(method, sessionId, fits = () => true) {
    return new Promise((done) => {
      /**
       * @param {any} params
       * @param {string | undefined} from
       */
      const heard = (params, from) => {
        if (from !== sessionId || !fits(params)) return;
        this.off(method, heard);
        done(params);
      };
      this.on(method, heard);
    });
  }

  /** @param {any} message */
  #receive({ id, result, error, method, params, sessionId }) {
    if (id === undefined) {
      this.emit(method, params, sessionId);
      return;
    }
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.failed(new ProtocolError(`${waiting.method}: ${error.message}`));
    else waiting?.done(result);
  }

  #close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const { method, failed } of this.#waiting.values()) {
      failed(new ProtocolError(`${method}: the browser has ended`));
    }
    this.#waiting.clear();
    this.emit("closed");
  }
}
