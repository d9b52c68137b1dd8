// Values by keys, both of clients: a state, a store, or the attributes of an element.

/**
 * @param {string} key
 * @returns {string} one spelling for all that are canonically equivalent
 */
export const canonical = (key) => (/^[\x20-\x7e]*$/.test(key) ? key : key.normalize());

/**
 * @param {any} left
 * @param {any} right
 */
const isSame = (left, right) =>
  left === right || (typeof left === "object" && JSON.stringify(left) === JSON.stringify(right));

/**
 * Keys that are canonically equivalent are one key, spelt as it was first. Values are replaced,
 * never changed.
 */
export class Fields {
  /** @type {Map<string, [string, any]>} */
  entries = new Map();

  /** @type {Patch | null} */
  plainObject = null;

  /** @param {Patch} [values] */
  constructor(values = {}) {
    for (const [key, value] of Object.entries(values)) {
      this.entries.set(canonical(key), [key, value]);
    }
  }

  /** @param {string} key */
  get(key) {
    return this.entries.get(canonical(key))?.[1];
  }

  /**
   * @param {string} key
   * @param {any} value null removes the key
   */
  set(key, value) {
    const name = canonical(key);
    if (value === null) this.entries.delete(name);
    else this.entries.set(name, [this.entries.get(name)?.[0] ?? key, value]);
    this.plainObject = null;
  }

  /**
   * @param {Patch} patch
   * @returns {Array<[string, any, any]>} the changes: key, value before, value after
   */
  merge(patch) {
    /** @type {Array<[string, any, any]>} */
    const others = [];
    for (const [key, after] of Object.entries(patch)) {
      const before = this.get(key) ?? null;
      if (isSame(before, after)) continue;
      this.set(key, after);
      others.push([key, before, after]);
    }
    return others;
  }

  /**
   * The values as a plain object, which is the same object until a value changes, and must not be
   * changed.
   */
  plain() {
    this.plainObject ??= /** @type {Patch} */ (Object.fromEntries(this.entries.values()));
    return this.plainObject;
  }

  plainUnlessEmpty() {
    return this.entries.size > 0 ? this.plain() : undefined;
  }

  copy() {
    return new Fields(this.plain());
  }
}

/**
 * @param {Patch | undefined} values
 * @param {Patch} patch to merge into them
 */
export function patched(values, patch) {
  const fields = new Fields(values);
  fields.merge(patch);
  return fields;
}
