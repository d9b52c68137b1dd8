// A search in a log, and the events that were found.
import { makeQuery } from "./query.js";

export class Search {
  /** @type {number[]} revisions of what was found */
  hits = [];

  /** @type {Uint8Array | undefined} 1 at the place of each hit; none: nothing is looked for */
  fits = undefined;

  /**
   * @param {Replay.Source} source
   * @param {(member: number) => string} nameOf
   */
  constructor(source, nameOf) {
    this.source = source;
    this.nameOf = nameOf;
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
    for (const block of query.isEmpty ? [] : this.source.index.blocks) {
      const found = await this.#found(query, block);
      if (this.query !== query) return false;
      this.#note(found);
      onBlock();
    }
    return true;
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
