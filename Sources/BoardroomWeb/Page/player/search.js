// A search in a log, and the events that were found: block by block, or by folding all of it where
// elements or a rectangle are looked for.
import { makeQuery } from "./query.js";
import { walk } from "./walk.js";

export class Search {
  /** @type {number[]} revisions of what was found */
  hits = [];

  /** @type {Uint8Array | undefined} 1 at the place of each hit; none: nothing is looked for */
  fits = undefined;

  /** @type {number | undefined} the part of the log that has been searched, while it is */
  progress = undefined;

  /** @type {number | undefined} the part of the log after which the search was stopped */
  stoppedAt = undefined;

  /** Ms that the last search took. */
  took = 0;

  /**
   * @param {Replay.Source} source
   * @param {(member: number) => string} nameOf
   * @param {Clock} clock
   */
  constructor(source, nameOf, clock) {
    this.source = source;
    this.nameOf = nameOf;
    this.clock = clock;
    this.query = this.#queryOf("");
  }

  /** @param {string} text */
  #queryOf(text) {
    return makeQuery(text, this.source.log, (name) => this.#membersCalled(name));
  }

  /**
   * Searches the whole log, block by block.
   * @param {string} text
   * @param {() => void} onBlock is called after each block
   * @returns {Promise<boolean>} false: another search has begun meanwhile
   */
  async run(text, onBlock) {
    const query = this.#queryOf(text);
    this.query = query;
    this.fits = query.isEmpty ? undefined : new Uint8Array(this.source.log.times.length);
    this.hits = [];
    this.progress = query.isEmpty ? undefined : 0;
    this.stoppedAt = undefined;
    const isWanted = () => this.query === query && this.stoppedAt === undefined;
    const onProgress = (/** @type {number} */ part) => {
      this.progress = part;
      onBlock();
    };
    const begun = this.clock.now();
    try {
      if (query.needsFold) await this.#fold(query, isWanted, onProgress);
      else if (!query.isEmpty) await this.#read(query, isWanted, onProgress);
    } finally {
      if (isWanted()) this.progress = undefined;
    }
    this.took = this.clock.now() - begun;
    return isWanted();
  }

  /**
   * @param {Replay.Query} query
   * @param {() => boolean} isWanted
   * @param {(part: number) => void} onProgress
   */
  async #read(query, isWanted, onProgress) {
    const { blocks } = this.source.index;
    for (const [at, block] of blocks.entries()) {
      const found = await this.#found(query, block);
      if (!isWanted()) return;
      this.#note(found);
      onProgress((at + 1) / blocks.length);
    }
  }

  /**
   * @param {Replay.Query} query
   * @param {() => boolean} isWanted
   * @param {(part: number) => void} onProgress
   */
  async #fold(query, isWanted, onProgress) {
    const { source, clock } = this;
    const state = await source.stateAt(source.first, isWanted);
    if (!state) return;
    const look = query.makeLook(state);
    /** @type {import("./walk.js").Looking} */
    const looking = {
      see: (rec, change, after) => {
        const isFound = look(rec, change, after);
        if (!isFound || !query.mayFit(rec.rev)) return;
        if (!query.needsText || query.hasWords(rec)) this.#note([rec.rev]);
      },
    };
    await walk(source, { state, looking: [looking], isWanted, onProgress, clock });
  }

  /** Ends the search; what it found stays. */
  stop() {
    this.stoppedAt = this.progress;
    this.progress = undefined;
  }

  /**
   * @param {string} name in small letters
   * @returns {number[]} members who are called so, by number, uid or a part of their name
   */
  #membersCalled(name) {
    const numbers = [];
    for (const [number, { uid = "" }] of this.source.log.people) {
      const names = [String(number), `u${number}`, uid.toLowerCase()];
      if (names.includes(name) || this.nameOf(number).toLowerCase().includes(name)) {
        numbers.push(number);
      }
    }
    return numbers;
  }

  /**
   * @param {Replay.Query} query
   * @param {Replay.Block} block
   * @returns {Promise<number[]>} revisions of events that fit
   */
  async #found(query, { first, last }) {
    const { source } = this;
    const isKnown = !query.needsText && source.log.kind(last) > 0;
    const records = isKnown ? [] : await source.records(first - 1, last).catch(() => []);
    const fits = (/** @type {Replay.Rec | undefined} */ rec) =>
      isKnown || (rec !== undefined && query.hasWords(rec));
    const found = [];
    for (let one = first; one <= last; one++) {
      if (query.mayFit(one) && fits(records[one - first])) found.push(one);
    }
    return found;
  }

  /** @param {number[]} found revisions */
  #note(found) {
    const { fits, source } = this;
    for (const one of found) {
      this.hits.push(one);
      if (fits) fits[one - source.log.low] = 1;
    }
  }
}
