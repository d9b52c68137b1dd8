// Two people have changed one text: what both did, put together word by word where that can be done.
// All functions are pure.

/** Pairs of words that are compared at most; of longer texts whole lines are. */
const MOST_PAIRS = 4e6;

/** Words, the space between them, and the signs of Chinese one by one. */
const WORDS = /\s+|[^\s⺀-\u{10ffff}]+|[⺀-\u{10ffff}]/gu;

const LINES = /[^\n]*\n|[^\n]+/g;

/**
 * @param {string} base what both began with
 * @param {string} mine
 * @param {string} theirs
 * @returns {string | undefined} a text with all that each has changed; none: both changed the same
 *   words, and a person has to choose
 */
export function merged(base, mine, theirs) {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  return mergedBy(WORDS, base, mine, theirs) ?? mergedBy(LINES, base, mine, theirs);
}

/**
 * Both texts, one below the other: nothing is lost.
 * @param {string} mine
 * @param {string} theirs
 */
export const both = (mine, theirs) => joined(theirs, mine, "\n");

/**
 * @param {RegExp} parts
 * @param {string[]} texts base, mine, theirs
 */
function mergedBy(parts, ...texts) {
  const [base, mine, theirs] = texts.map((text) => text.match(parts) ?? []);
  const toMine = kept(base, mine);
  const toTheirs = kept(base, theirs);
  if (!toMine || !toTheirs) return undefined;
  let at = { base: 0, mine: 0, theirs: 0 };
  let text = "";
  // From one part that both have kept to the next, and to the end.
  for (let part = 0; part <= base.length; part += 1) {
    const isEnd = part === base.length;
    const next = { base: part, mine: toMine[part] ?? -1, theirs: toTheirs[part] ?? -1 };
    if (isEnd) Object.assign(next, { mine: mine.length, theirs: theirs.length });
    else if (next.mine < 0 || next.theirs < 0) continue;
    const between = chosen(
      base.slice(at.base, next.base).join(""),
      mine.slice(at.mine, next.mine).join(""),
      theirs.slice(at.theirs, next.theirs).join(""),
    );
    if (between === undefined) return undefined;
    text += between + (base[part] ?? "");
    at = { base: part + 1, mine: next.mine + 1, theirs: next.theirs + 1 };
  }
  return text;
}

/**
 * What stands between two parts that both have kept.
 * @param {string} base
 * @param {string} mine
 * @param {string} theirs
 */
function chosen(base, mine, theirs) {
  if (mine === theirs || theirs === base) return mine;
  if (mine === base) return theirs;
  // Both have only added something here: both stay.
  return base === "" ? joined(theirs, mine, " ") : undefined;
}

/**
 * @param {string} first
 * @param {string} second
 * @param {string} space between them, if there is none
 */
function joined(first, second, space) {
  const isApart = first === "" || second === "" || /\s$/.test(first) || /^\s/.test(second);
  return first + (isApart ? "" : space) + second;
}

/**
 * The longest sequence of parts that both have, in their order.
 * @param {string[]} base
 * @param {string[]} other
 * @returns {number[] | undefined} where each part of the base stands in the other; -1: it is gone.
 *   None: there are too many to compare
 */
function kept(base, other) {
  let head = 0;
  while (head < base.length && base[head] === other[head]) head += 1;
  let tail = 0;
  const room = Math.min(base.length, other.length) - head;
  while (tail < room && base[base.length - 1 - tail] === other[other.length - 1 - tail]) tail += 1;
  const rows = base.length - head - tail;
  const columns = other.length - head - tail;
  if (rows * columns > MOST_PAIRS) return undefined;
  const isSame = (/** @type {number} */ row, /** @type {number} */ column) =>
    base[head + row] === other[head + column];
  const found = commonParts(rows, columns, isSame);
  return base.map((_, part) => {
    if (part < head) return part;
    if (part >= head + rows) return part - base.length + other.length;
    const column = found[part - head];
    return column < 0 ? -1 : head + column;
  });
}

/**
 * @param {number} rows
 * @param {number} columns
 * @param {(row: number, column: number) => boolean} isSame
 * @returns {number[]} the column of each row where a common part stands, or -1
 */
function commonParts(rows, columns, isSame) {
  const wide = columns + 1;
  const lengths = new Uint16Array((rows + 1) * wide);
  for (let row = rows - 1; row >= 0; row -= 1) {
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * wide + column;
      lengths[at] = isSame(row, column)
        ? lengths[at + wide + 1] + 1
        : Math.max(lengths[at + wide], lengths[at + 1]);
    }
  }
  const found = [];
  let column = 0;
  for (let row = 0; row < rows; row += 1) {
    while (
      column < columns &&
      !isSame(row, column) &&
      lengths[row * wide + column + 1] >= lengths[(row + 1) * wide + column]
    ) {
      column += 1;
    }
    const isKept = column < columns && isSame(row, column);
    found.push(isKept ? column : -1);
    if (isKept) column += 1;
  }
  return found;
}
