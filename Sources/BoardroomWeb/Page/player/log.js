// What is known of a log without its payloads: time, kind and author of each event. For events that
// have not been read these are guesses from the index, evenly spread over their block, of no kind:
// so there is a timeline at once.
import { KINDS, MARKER_OF, MARKERS } from "../protocol/kinds.js";
import { body } from "../protocol/records.js";
import { clamp } from "../render/geom.js";

/**
 * The markers of events, as they are stacked; from `state` on they are shown as signs, the most
 * serious last.
 */
export const MARKER_NAMES = MARKERS;
export const FIRST_MARKED = MARKER_NAMES.indexOf("state");

/**
 * The index of the marker of each kind; unknown kinds have `state`. Kind 0, not read yet: one more.
 */
export const MARKER_OF_KIND = Uint8Array.from({ length: 256 }, (_, kind) =>
  kind === 0 ? MARKER_NAMES.length : MARKER_NAMES.indexOf(MARKER_OF[kind] ?? "state"),
);

/**
 * Kinds of events about members, with the phase that begins; "": the event names it, if there is
 * one.
 * @type {Record<string, string>}
 */
const PHASE_OF = {
  memberJoined: "connected",
  memberLeft: "left",
  memberKicked: "kicked",
  memberReplaced: "replaced",
  refused: "refused",
  memberPhase: "",
  memberState: "",
  clientPhases: "",
};

/** @param {any} said */
const nameOf = (said) =>
  [said?.name, said?.nickName].find((one) => typeof one === "string" && one.trim()) ?? "";

/**
 * @param {ArrayLike<number>} values that rise
 * @param {number} value
 * @param {number} [length] of the part that is searched
 * @returns {number} the last index whose value is not above; -1: there is none
 */
export function lastAtMost(values, value, length = values.length) {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

export class Log {
  /** @type {Map<number, Replay.Person>} */
  people = new Map();

  /** @type {Map<number, string>} emoji by the revisions of reactions */
  reactions = new Map();

  /** @param {Pick<Replay.Index, "low" | "last" | "blocks">} index */
  constructor({ low, last, blocks }) {
    this.low = low;
    this.last = Math.max(last, low - 1);
    this.times = new Float64Array(this.count);
    this.kinds = new Uint8Array(this.count);
    this.authors = new Int32Array(this.count);
    let before = 0;
    for (const { first, last: end, ...block } of blocks) {
      const begin = Math.max(block.begin, before);
      const step = (block.end - begin) / Math.max(end - first, 1);
      for (let one = first; one <= end; one++) {
        this.times[one - low] = begin + (one - first) * step;
      }
      before = block.end;
    }
  }

  get count() {
    return this.last - this.low + 1;
  }

  get begin() {
    return this.times[0] ?? 0;
  }

  get end() {
    return this.times[this.count - 1] ?? 0;
  }

  /**
   * The time of a revision; before the first event the beginning. (Kind 0: not read yet. Author -1:
   * not read yet, or the server.)
   * @param {number} one
   */
  time(one) {
    return this.times[clamp(one, this.low, this.last) - this.low] ?? 0;
  }

  /** @param {number} revision */
  kind(revision) {
    return this.kinds[revision - this.low] ?? 0;
  }

  /** @param {number} revision */
  kindName(revision) {
    return KINDS[this.kind(revision)] ?? "";
  }

  /** @param {number} revision */
  author(revision) {
    return (this.authors[revision - this.low] ?? 0) - 1;
  }

  /**
   * @param {number} time
   * @returns the last event that is not after it
   */
  revisionAt(time) {
    return this.low + lastAtMost(this.times, time, this.count);
  }

  /**
   * Adds records that were read; those after the last event make the log longer.
   * @param {Replay.Rec[]} records
   */
  addRecords(records) {
    this.last = Math.max(this.last, records[records.length - 1]?.rev ?? 0);
    if (this.count > this.times.length) this.#grow(2 * this.count);
    for (const rec of records) {
      const at = rec.rev - this.low;
      if (at < 0 || this.kinds[at] !== 0) continue;
      this.times[at] = rec.t;
      this.kinds[at] = rec.kind;
      this.authors[at] = (rec.by ?? -1) + 1;
      if (rec.name in PHASE_OF) this.#notePerson(rec, body(rec) ?? {});
      if (rec.name === "reaction") this.reactions.set(rec.rev, String(body(rec)?.emoji ?? ""));
    }
  }

  /**
   * @param {number} revision
   * @returns {[string, number][]} emoji, and how often each was shown up to it, the most frequent
   *   first
   */
  reactionsUpTo(revision) {
    /** @type {Map<string, number>} */
    const counts = new Map();
    for (const [one, emoji] of this.reactions) {
      if (one <= revision && emoji) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
    }
    return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  }

  /** @param {number} room for so many events */
  #grow(room) {
    const { times, kinds, authors } = this;
    this.times = new Float64Array(room);
    this.kinds = new Uint8Array(room);
    this.authors = new Int32Array(room);
    this.times.set(times);
    this.kinds.set(kinds);
    this.authors.set(authors);
  }

  /**
   * @param {Replay.Rec} rec of a member who came, left, lost the connection or has a name
   * @param {any} said
   */
  #notePerson({ name, by, rev: revision, t: time }, said) {
    const number = name === "memberKicked" ? said.member : by;
    if (typeof number !== "number") return;
    const person = this.people.get(number) ?? { number, name: "", turns: [], seen: [] };
    this.people.set(number, person);
    person.uid ??= said.uid;
    person.name = (name === "memberState" && nameOf(said)) || person.name || nameOf(said.payload);
    for (const { phase, ago } of said.phases ?? []) {
      person.seen.push({ revision, time: time - ago, phase });
    }
    const phase = PHASE_OF[name] || said.phase;
    if (phase) person.turns.push({ revision, time, phase });
  }
}
