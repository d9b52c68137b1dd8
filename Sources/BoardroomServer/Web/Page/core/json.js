// JSON whose texts must come back as they came: the state hash is made of the very bytes that members sent, and
// parsing and writing again would change `1.0`, escapes, spaces and the order of number-like keys. The texts here
// have been through JSON.parse, so that only their structure is looked at.

const QUOTE = 34;
const BACKSLASH = 92;
const isSpace = (/** @type {number} */ code) => code === 32 || (code >= 9 && code <= 13);

/** Behind the string that begins at `at`. @param {string} text @param {number} at */
function afterString(text, at) {
  for (at++; text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++;
  return at + 1;
}

/** Behind the value that begins at `at`. @param {string} text @param {number} at */
function afterValue(text, at) {
  let depth = 0;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) {
      if (depth === 0) return at;
      depth--;
    } else if (depth === 0 && (code === 44 || isSpace(code))) return at;
  }
  return at;
}

/** @param {string} text @param {number} at */
function afterSpace(text, at) {
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** The texts of an array's items. @param {string} text @returns {string[]} */
export function itemsOf(text) {
  /** @type {string[]} */
  const items = [];
  if (!text.startsWith("[")) return items;
  let at = afterSpace(text, 1);
  while (text.charCodeAt(at) !== 93) {
    const end = afterValue(text, at);
    items.push(text.slice(at, end));
    at = afterSpace(text, end);
    if (text.charCodeAt(at) === 44) at = afterSpace(text, at + 1);
  }
  return items;
}

/** The keys of an object in their order, with the texts of their values. @param {string} text */
export function membersOf(text) {
  /** @type {Array<[string, string]>} */
  const members = [];
  let at = afterSpace(text, 1);
  while (text.charCodeAt(at) === QUOTE) {
    const behind = afterString(text, at);
    const key = text.slice(at + 1, behind - 1);
    at = afterSpace(text, afterSpace(text, behind) + 1);
    const end = afterValue(text, at);
    members.push([key.includes("\\") ? JSON.parse(`"${key}"`) : key, text.slice(at, end)]);
    at = afterSpace(text, end);
    if (text.charCodeAt(at) === 44) at = afterSpace(text, at + 1);
  }
  return members;
}

/** The text of one member; undefined if it is not there. @param {string} text @param {string} key */
export function memberOf(text, key) {
  return membersOf(text).find((member) => member[0] === key)?.[1];
}

/** A patch: keys with the texts of their values, null where one is taken away. @param {string} text */
export function patchOf(text) {
  return /** @type {Array<[string, string | null]>} */ (
    membersOf(text).map(([key, value]) => [key, value === "null" ? null : value])
  );
}

/** As the server writes strings: escapes what must be, and nothing else. @param {string} value */
export const quoted = (value) => JSON.stringify(value);

/** Orders texts as their UTF-8 bytes are ordered. @param {string} left @param {string} right */
export function byBytes(left, right) {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    const isHighA = a >= 0xd800 && a < 0xe000;
    const isHighB = b >= 0xd800 && b < 0xe000;
    return isHighA === isHighB ? a - b : isHighA ? 1 : -1;
  }
  return left.length - right.length;
}

/** One spelling for all that are canonically equivalent. @param {string} key */
export const canonical = (key) => (/^[\x20-\x7e]*$/.test(key) ? key : key.normalize());

/**
 * Values by keys of clients: keys that are canonically equivalent in Unicode are one, as it was first written.
 * @template V
 */
export class KeyMap {
  constructor() {
    /** @type {Map<string, [string, V]>} */
    this.entries = new Map();
  }

  get size() {
    return this.entries.size;
  }

  /** @param {string} key @returns {V | undefined} */
  text(key) {
    return this.entries.get(canonical(key))?.[1];
  }

  /** @param {string} key @param {V} value */
  put(key, value) {
    const known = canonical(key);
    this.entries.set(known, [this.entries.get(known)?.[0] ?? key, value]);
  }

  /** @param {string} key @returns {boolean} */
  delete(key) {
    return this.entries.delete(canonical(key));
  }

  /** Keys and values, ordered by the keys' bytes. */
  sorted() {
    return [...this.entries.values()].sort((left, right) => byBytes(left[0], right[0]));
  }
}

/**
 * Keys and JSON texts: a state, a store, or the attributes of an element.
 * @extends {KeyMap<string>}
 */
export class Fields extends KeyMap {
  /** @param {Iterable<[string, string | null]>} [patch] */
  constructor(patch = []) {
    super();
    /** @type {Record<string, any> | null} */
    this.decoded = null;
    this.merge(patch);
  }

  /** A value, decoded. @param {string} key @returns {any} */
  get(key) {
    const found = this.text(key);
    return found === undefined ? undefined : JSON.parse(found);
  }

  /** Sets keys, removes those that are null; whether anything is another than before. */
  merge(/** @type {Iterable<[string, string | null]>} */ patch) {
    let changed = false;
    for (const [key, value] of patch) {
      if ((this.text(key) ?? null) === value) continue;
      if (value === null) this.delete(key);
      else this.put(key, value);
      changed = true;
    }
    if (changed) this.decoded = null;
    return changed;
  }

  /** @returns {Fields} */
  copy() {
    const copy = new Fields();
    copy.entries = new Map(this.entries);
    copy.decoded = this.decoded;
    return copy;
  }

  /** All of it, decoded; the same object until something changes. Not to be written to. */
  plain() {
    if (this.decoded === null) {
      /** @type {Record<string, any>} */
      const decoded = Object.create(null);
      for (const [key, value] of this.entries.values()) decoded[key] = JSON.parse(value);
      this.decoded = decoded;
    }
    return this.decoded;
  }

  /** As a snapshot has it. @returns {string} */
  json() {
    return `{${this.sorted().map(([key, value]) => `${quoted(key)}:${value}`).join(",")}}`;
  }

  /** @param {Fields} other */
  equals(other) {
    return this.size === other.size && this.json() === other.json();
  }
}
