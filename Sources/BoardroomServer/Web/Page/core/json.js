// JSON whose texts must come back as they came: the state hash is made of the very bytes that members sent,
// and parsing and writing again would change `1.0`, escapes, spaces and the order of number-like keys. The
// texts here have been through JSON.parse, so that only their structure is looked at.

const [quote, backslash, comma] = [34, 92, 44];
const [openArray, closeArray, openObject, closeObject] = [91, 93, 123, 125];
const isSpace = (/** @type {number} */ code) => code === 32 || (code >= 9 && code <= 13);

/** @param {string} text @param {number} at @returns {number} */
function afterSpace(text, at) {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** @param {string} text @param {number} at behind the string that begins at `at` */
function afterString(text, at) {
  for (at++; text.charCodeAt(at) !== quote; at++) if (text.charCodeAt(at) === backslash) at++;
  return at + 1;
}

/** @param {string} text @param {number} at behind the value that begins at `at` */
function afterValue(text, at) {
  for (let depth = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = afterString(text, at) - 1;
    else if (code === openObject || code === openArray) depth++;
    else if ((code === closeObject || code === closeArray) && depth-- === 0) return at;
    else if (depth === 0 && (code === comma || isSpace(code))) return at;
  }
  return at;
}

/** @param {string} text @param {number} at @returns {number} behind the comma, if there is one */
function afterComma(text, at) {
  at = afterSpace(text, at);
  return text.charCodeAt(at) === comma ? afterSpace(text, at + 1) : at;
}

/** @param {string} text @returns {string[]} the texts of an array's items; none of anything else */
export function itemsOf(text) {
  /** @type {string[]} */
  const items = [];
  if (text.charCodeAt(0) !== openArray) return items;
  for (let at = afterSpace(text, 1); text.charCodeAt(at) !== closeArray; ) {
    const end = afterValue(text, at);
    items.push(text.slice(at, end));
    at = afterComma(text, end);
  }
  return items;
}

/** @param {string} text @returns {Array<[string, string]>} an object's keys in order, with their texts */
export function membersOf(text) {
  /** @type {Array<[string, string]>} */
  const members = [];
  for (let at = afterSpace(text, 1); text.charCodeAt(at) === quote; ) {
    const behind = afterString(text, at);
    const key = text.slice(at + 1, behind - 1);
    at = afterSpace(text, afterSpace(text, behind) + 1);
    const end = afterValue(text, at);
    members.push([key.includes("\\") ? JSON.parse(`"${key}"`) : key, text.slice(at, end)]);
    at = afterComma(text, end);
  }
  return members;
}

/** @param {string} text @param {string} key @returns {string | undefined} the text of one member */
export const memberOf = (text, key) => membersOf(text).find((member) => member[0] === key)?.[1];

/** A patch: keys with the texts of their values, null where one is taken away.
 * @typedef {Array<[string, string | null]>} Patch */
/** @param {string} [text] @returns {Patch} */
export const patchOf = (text = "{}") =>
  membersOf(text).map(([key, value]) => [key, value === "null" ? null : value]);

/** @param {string} left @param {string} right @returns {number} the order of their UTF-8 bytes */
export function byBytes(left, right) {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    if (a === b) continue;
    // Halves of pairs stand for more than all that follows them.
    const [isHalfA, isHalfB] = [a >= 0xd800 && a < 0xe000, b >= 0xd800 && b < 0xe000];
    return isHalfA === isHalfB ? a - b : isHalfA ? 1 : -1;
  }
  return left.length - right.length;
}

/** @param {string} key @returns {string} one spelling for all that are canonically equivalent */
export const canonical = (key) => (/^[\x20-\x7e]*$/.test(key) ? key : key.normalize());

/**
 * Values by keys of clients: those that are canonically equivalent are one, as it was first written.
 * @template V
 */
export class KeyMap {
  constructor() {
    /** @type {Map<string, [string, V]>} */
    this.entries = new Map();
  }

  get size() { return this.entries.size; }

  /** @param {string} key @returns {V | undefined} what stands under a key, as it came */
  text(key) { return this.entries.get(canonical(key))?.[1]; }

  /** @param {string} key @param {V | null} value null takes it away */
  put(key, value) {
    const known = canonical(key);
    if (value === null) this.entries.delete(known);
    else this.entries.set(known, [this.entries.get(known)?.[0] ?? key, value]);
  }

  /** Keys and values, ordered by the keys' bytes. */
  sorted() { return [...this.entries.values()].sort((left, right) => byBytes(left[0], right[0])); }

  /** @param {(value: V) => V} [value] @returns {this} */
  copy(value = (same) => same) {
    const copy = Object.assign(Object.create(Object.getPrototypeOf(this)), this);
    copy.entries = new Map([...this.entries].map(([known, [key, inner]]) => [known, [key, value(inner)]]));
    return copy;
  }
}

/** @extends {KeyMap<string>} keys and JSON texts: a state, a store, or the attributes of an element */
export class Fields extends KeyMap {
  /** @param {Patch} [patch] */
  constructor(patch = []) {
    super();
    /** @type {Record<string, any> | null} */
    this.decoded = null;
    this.merge(patch);
  }

  /** @param {Patch} patch to set; null removes @returns {boolean} whether anything is another than before */
  merge(patch) {
    let isChanged = false;
    for (const [key, value] of patch) {
      if ((this.text(key) ?? null) === value) continue;
      this.put(key, value);
      isChanged = true;
    }
    if (isChanged) this.decoded = null;
    return isChanged;
  }

  /** All of it, decoded; the same object until something changes. Not to be written to.
   * @returns {Record<string, any>} */
  plain() {
    const decode = () => [...this.entries.values()].map(([key, text]) => [key, JSON.parse(text)]);
    return (this.decoded ??= Object.fromEntries(decode()));
  }

  /** As a snapshot has it. */
  json() { return `{${this.sorted().map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(",")}}`; }
}
