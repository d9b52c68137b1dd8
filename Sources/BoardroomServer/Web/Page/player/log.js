import { KINDS } from "../core/kinds.js";
import { body } from "../core/records.js";

// What is known of a log without its payloads: time, kind and author of each event. What nobody has read yet is
// guessed from the index, evenly spread over its block and of no kind: so a room of a million events has a timeline
// at once, which gets exact while blocks are read.

/** Kinds by what they are about, as they are stacked; from `state` on they have markers, the gravest last.
 * @type {Record<string, string>} */
const FAMILIES = {
  draw: "stroke erased elementPut elementsChanged elementsCopied sceneCleaned undone redone historySet",
  pointer: "pointer camera", state: "", custom: "magix channelMessage", phase: "memberPhase clientPhases",
  join: "memberJoined memberLeft", refused: "refused", takeover: "memberReplaced",
  kick: "memberKicked roomBanned roomDeleted",
};
export const NAMES = Object.keys(FAMILIES);
export const FIRST_MARKED = NAMES.indexOf("state");
/** The place of the family of each kind, by number; what no family names is state. 0 is no kind: it has none. */
export const FAMILY_OF = Uint8Array.from({ length: 256 }, (_, kind) => {
  const found = NAMES.findIndex((name) => FAMILIES[name].split(" ").includes(KINDS[kind] ?? "-"));
  return kind === 0 ? NAMES.length : found < 0 ? FIRST_MARKED : found;
});

/** Kinds that tell of people, with the phase that begins; "": the event says it, if there is one.
 * @type {Record<string, string>} */
const TELLING = {
  memberJoined: "connected", memberPhase: "", memberLeft: "left", memberKicked: "kicked", memberReplaced: "replaced",
  refused: "refused", memberState: "", clientPhases: "",
};

/** @param {any} said @returns {string} */
const nameIn = (said) => [said?.name, said?.nickName].find((one) => typeof one === "string" && one.trim()) ?? "";

/** The last place whose value is not above; -1: there is none.
 * @param {ArrayLike<number>} values rising @param {number} value */
export function lastAtMost(values, value, length = values.length) {
  let [low, high] = [0, length];
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
  times = new Float64Array(0);
  kinds = new Uint8Array(0);
  authors = new Int32Array(0);

  /** @param {{low: number, last: number, blocks: Replay.Block[]}} index */
  constructor({ low, last, blocks }) {
    this.low = low;
    this.last = Math.max(last, low - 1);
    this.#make(this.count);
    let end = 0;
    for (const block of blocks) {
      const begin = Math.max(block.begin, end);
      const step = (block.end - begin) / Math.max(block.last - block.first, 1);
      for (let at = block.first; at <= block.last; at++) this.times[at - low] = begin + (at - block.first) * step;
      end = block.end;
    }
  }

  /** Room for so many events; what was there stays.
   * @param {number} size */
  #make(size) {
    const { times, kinds, authors } = this;
    this.times = new Float64Array(size);
    this.kinds = new Uint8Array(size);
    this.authors = new Int32Array(size).fill(-1);
    this.times.set(times);
    this.kinds.set(kinds);
    this.authors.set(authors);
  }

  get count() { return this.last - this.low + 1; }
  get begin() { return this.times[0] ?? 0; }
  get end() { return this.times[this.count - 1] ?? 0; }
  /** Before the first event it is the beginning.
   * @param {number} revision */
  time(revision) { return this.times[Math.min(Math.max(revision, this.low), this.last) - this.low] ?? 0; }
  /** 0: not known yet.
   * @param {number} revision */
  kind(revision) { return this.kinds[revision - this.low] ?? 0; }
  /** @param {number} revision */
  kindName(revision) { return KINDS[this.kind(revision)] ?? String(this.kind(revision) || ""); }
  /** -1: the server, or not known yet.
   * @param {number} revision */
  author(revision) { return this.authors[revision - this.low] ?? -1; }
  /** The last event that is not after a time.
   * @param {number} time */
  revisionAt(time) { return this.low + lastAtMost(this.times, time, this.count); }

  /** Takes in what these are; those after the last one make the log longer.
   * @param {Replay.Rec[]} records */
  note(records) {
    const last = records[records.length - 1]?.rev ?? 0;
    if (last - this.low >= this.times.length) this.#make((last - this.low + 1) * 2);
    this.last = Math.max(this.last, last);
    for (const rec of records) {
      const at = rec.rev - this.low;
      if (at < 0 || this.kinds[at] !== 0) continue;
      [this.times[at], this.kinds[at], this.authors[at]] = [rec.t, rec.kind, rec.by ?? -1];
      if (rec.name in TELLING) this.#meet(rec);
    }
  }

  /** Who came, went, dropped out, is called what.
   * @param {Replay.Rec} rec */
  #meet(rec) {
    const { name, by, rev: revision, t: time } = rec;
    const said = body(rec) ?? {};
    const number = name === "memberKicked" ? said.member : by;
    if (typeof number !== "number") return;
    const person = this.people.get(number) ?? { number, name: "", turns: [], seen: [] };
    this.people.set(number, person);
    if (name === "memberState") person.name = nameIn(said) || person.name;
    if (name === "memberJoined") Object.assign(person, { uid: said.uid, name: person.name || nameIn(said.payload) });
    for (const { phase, ago } of said.phases ?? []) person.seen.push({ revision, time: time - ago, phase });
    const phase = TELLING[name] || said.phase;
    if (phase) person.turns.push({ revision, time, phase });
  }
}
