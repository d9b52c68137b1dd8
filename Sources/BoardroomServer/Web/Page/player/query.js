import { KINDS } from "../core/kinds.js";
import { FAMILY_OF, NAMES } from "./log.js";

// What to look for in a log:  kind:kick member:Ana text:"out of paper" after:4:10 before:#1200 -kind:pointer
// Kinds are alternatives, so are members; all else has to hold together, and a minus in front turns a term round.
// And the link to a moment, which has one in it.

/** @typedef {Replay.Log} Log */

const KEYS = ["kind", "member", "text", "after", "before"];
const TERM = /(-?)(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g;

/** A place in a log: #revision, a time from the beginning (90, 4:10, 1:02:03.5), or a date and time.
 * @param {string} text @param {Log} log @returns {number | undefined} the last revision not after it */
export function revisionOf(text, log) {
  const wanted = text.trim();
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1));
  const isOffset = /^(\d+:){0,2}\d+(\.\d+)?$/.test(wanted);
  const offset = wanted.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  const time = isOffset ? log.begin + offset : Date.parse(wanted);
  return Number.isNaN(time) ? undefined : log.revisionAt(time);
}

/** Numbers of the kinds that a name means: a family, or kinds with it in theirs.
 * @param {string} name */
const kindsOf = (name) => Object.keys(KINDS).map(Number).filter((kind) =>
  (NAMES.includes(name) ? NAMES[FAMILY_OF[kind]] === name : KINDS[kind].toLowerCase().includes(name)));

export class Query {
  /** @type {Replay.Problem[]} */
  problems = [];
  /** @type {((revision: number) => boolean)[]} of kind, author and time */
  tests = [];

  /** @param {string} source @param {Log} log @param {(name: string) => number[]} who: members who are called so */
  constructor(source, log, who) {
    this.source = source.trim().replace(/\s+/g, " ");
    this.log = log;
    const terms = [...this.source.matchAll(TERM)].map(([word, minus, key = "text", quoted, bare]) =>
      ({ word, key: key.toLowerCase(), value: (quoted ?? bare).toLowerCase(), isNot: minus !== "" }));
    const of = (/** @type {string} */ wanted) => terms.filter(({ key }) => key === wanted);
    for (const { word, key } of terms) if (!KEYS.includes(key)) this.problems.push({ word, why: "key" });
    /** Have to stand in the text of an event. */
    this.words = of("text");
    this.#choose(of("kind"), "kind", kindsOf, (revision) => log.kind(revision));
    this.#choose(of("member"), "member", who, (revision) => log.author(revision));
    for (const { word, key, value, isNot } of [...of("after"), ...of("before")]) {
      const edge = revisionOf(value, log);
      if (edge === undefined) this.problems.push({ word, why: "time" });
      else this.tests.push((revision) => (revision > edge) === ((key === "after") !== isNot));
    }
  }

  get isEmpty() { return !this.words.length && !this.tests.length; }

  /** @param {Replay.Term[]} terms @param {"kind" | "member"} why @param {(name: string) => number[]} meant
   *  @param {(revision: number) => number} read */
  #choose(terms, why, meant, read) {
    for (const { value } of terms) if (!meant(value).length) this.problems.push({ word: `${why}:${value}`, why });
    for (const isNot of [false, true]) {
      const chosen = terms.filter((term) => term.isNot === isNot);
      const wanted = new Set(chosen.flatMap(({ value }) => meant(value)));
      if (chosen.length) this.tests.push((revision) => wanted.has(read(revision)) !== isNot);
    }
  }

  /** As far as kind, author and time say; what nobody has read yet is of no kind.
   * @param {number} revision */
  mayFit(revision) { return this.tests.every((test) => test(revision)); }

  /** @param {Replay.Rec} rec */
  hasWords(rec) {
    const text = this.words.length ? `${rec.name} ${rec.kind >= 16 ? rec.text : ""}`.toLowerCase() : "";
    return this.words.every(({ value, isNot }) => text.includes(value) !== isNot);
  }

  /** The text of a query with a term, or without it if it is in this one.
   * @param {string} term */
  toggled(term) {
    const words = this.source.split(" ").filter(Boolean);
    return (words.includes(term) ? words.filter((one) => one !== term) : [...words, term]).join(" ");
  }
}

// Links: /replay/ROOM#seq=18204&m=2&f=kind:kick&v=x,y,scale

/** @param {string} hash @returns {Replay.Moment & {token?: string}} */
export function momentIn(hash) {
  const parts = hash.replace(/^#/, "").split("&");
  const fields = new Map(parts.map((part) => /** @type {[string, string]} */ (part.split(/=(.*)/s))));
  const number = (/** @type {string} */ key) => (/^\d+$/.test(fields.get(key) ?? "") ? Number(fields.get(key)) : undefined);
  const [x, y, scale] = (fields.get("v") ?? "").split(",").map(Number);
  return {
    seq: number("seq"), m: number("m"), f: decodeURIComponent(fields.get("f") ?? ""),
    view: scale > 0 && Number.isFinite(x + y) ? { x, y, scale } : undefined,
    token: parts.find((part) => /^NETLESS(ROOM|SDK)_[\w-]+$/.test(part)),
  };
}

/** @param {string} room @param {Replay.Moment} moment */
export function momentText(room, { seq, m, f, view }) {
  const rounded = (/** @type {number} */ one) => Math.round(one * 1000) / 1000;
  const parts = [seq !== undefined && `seq=${seq}`, m !== undefined && `m=${m}`, f && `f=${encodeURIComponent(f)}`,
    view && `v=${[view.x, view.y, view.scale].map(rounded).join(",")}`].filter(Boolean);
  return `/replay/${room}${parts.length ? `#${parts.join("&")}` : ""}`;
}
