// Whether a text is larger than the server takes it, and by how much.

/** Bytes of an element, if the server names no limit. */
const LIMIT = 65_536;

/** Bytes around what is counted. */
const AROUND = 256;

/** @param {any} value */
const bytesOf = (value) => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * @param {import("./editor.js").Written} element
 * @param {Style} changes
 * @param {number} [limit] bytes of an element
 * @returns {number} how many characters of the text are too many
 */
export function excess({ id, shape, set }, changes, limit = LIMIT) {
  // Attributes are counted by themselves; of an element that is put, all that it has is.
  const whole = id === undefined ? { ...shape, ...changes } : { ...set, ...changes };
  let over = bytesOf(whole) + AROUND - limit;
  if (over <= 0) return 0;
  const { text, meta } = changes;
  const letters = [...(meta?.text ?? text)];
  const times = meta?.text === undefined ? 1 : 2;
  let count = 0;
  while (over > 0 && count < letters.length) {
    count += 1;
    over -= (bytesOf(letters[letters.length - count]) - 2) * times;
  }
  return count;
}
