// Views of many things of one kind, of which few change at a time.

/**
 * @template T
 */
export class Views {
  #source;
  #viewOf;

  /** @type {Map<number, T | undefined>} those that were made and have not changed since */
  #known = new Map();

  /** @type {readonly T[] | null} null: something has changed since it was read */
  #all = null;

  /**
   * @param {() => Map<number, any>} source gives all that there is now
   * @param {(one: any) => T | undefined} viewOf undefined: it is not shown
   */
  constructor(source, viewOf) {
    this.#source = source;
    this.#viewOf = viewOf;
  }

  /** @param {"all" | ReadonlySet<number>} ids what came, went, or differs */
  change(ids) {
    this.#all = null;
    if (ids === "all") return this.#known.clear();
    for (const id of ids) {
      this.#known.delete(id);
    }
  }

  /**
   * @param {number} id
   * @returns {T | undefined} the same object until it changes
   */
  get(id) {
    const one = this.#source().get(id);
    if (one === undefined) return undefined;
    if (!this.#known.has(id)) this.#known.set(id, this.#viewOf(one));
    return this.#known.get(id);
  }

  /** All that are shown, in their order; the same array until one changes. */
  get all() {
    this.#all ??= [...this.#source().keys()].flatMap((id) => this.get(id) ?? []);
    return this.#all;
  }
}
