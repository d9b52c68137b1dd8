import { KINDS } from "../core/kinds.js";
import { body } from "../core/records.js";
import { FAMILY_OF, NAMES } from "./log.js";

// What to look for in a log:  kind:kick member:Ana text:"out of paper" after:4:10 before:#1200 -kind:pointer
// Kinds are alternatives, so are members; all else has to hold together, and a minus in front turns a term
// round. And the link to a moment, which has one in it:  /replay/ROOM#seq=18204&m=2&f=kind:kick&v=x,y,scale

const KEYS = ["kind", "member", "text", "after", "before"];
const TERM = /(-?)(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g;

/** A place in a log: #revision, a time from the beginning (90, 4:10, 1:02:03.5), or a date and time.
 * @param {string} text @param {Replay.Log} log @returns the last revision not after it */
export function revisionOf(text, log) {
  const wanted = text.trim();
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1));
  const offset = wanted.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  const time = /^(\d+:){0,2}\d+(\.\d+)?$/.test(wanted) ? log.begin + offset : Date.parse(wanted);
  return Number.isNaN(time) ? undefined : log.revisionAt(time);
}

/** @param {string} name @returns numbers of the kinds it means: of a family, or with it in their names */
const kindsOf = (name) => Object.keys(KINDS).map(Number).filter((kind) => (NAMES.includes(name)
  ? NAMES[FAMILY_OF[kind]] === name : KINDS[kind].toLowerCase().includes(name)));

/** @type {Replay.MakeQuery} */
export function makeQuery(text, log, who) {
  const source = text.trim().replace(/\s+/g, " ");
  /** @type {Replay.Term[]} */
  const terms = [...source.matchAll(TERM)].map(([word, minus, key = "text", quoted, bare]) =>
    ({ word, key: key.toLowerCase(), value: (quoted ?? bare).toLowerCase(), isNot: minus !== "" }));
  const problems = terms.filter(({ key }) => !KEYS.includes(key)).map(({ word }) => ({ word, why: "key" }));
  const tests = /** @type {((revision: number) => boolean)[]} */ ([]);
  /** @param {string} key @param {(name: string) => number[]} meant
   *  @param {(revision: number) => number} read */
  const choose = (key, meant, read) => [false, true].forEach((isNot) => {
    const chosen = terms.filter((term) => term.key === key && term.isNot === isNot);
    const wanted = new Set(chosen.flatMap(({ value }) => meant(value)));
    for (const { word, value } of chosen) if (!meant(value).length) problems.push({ word, why: key });
    if (chosen.length) tests.push((revision) => wanted.has(read(revision)) !== isNot);
  });
  choose("kind", kindsOf, (revision) => log.kind(revision));
  choose("member", who, (revision) => log.author(revision));
  for (const { word, key, value, isNot } of terms.filter((term) => /^(after|before)$/.test(term.key))) {
    const edge = revisionOf(value, log);
    if (edge === undefined) problems.push({ word, why: "time" });
    else tests.push((revision) => (revision > edge) === ((key === "after") !== isNot));
  }
  const words = terms.filter(({ key }) => key === "text");
  const parts = source.split(" ").filter(Boolean);
  return {
    source, problems, isEmpty: !words.length && !tests.length, needsText: words.length > 0,
    mayFit: (revision) => tests.every((test) => test(revision)),
    hasWords(rec) {
      const said = `${rec.name} ${rec.kind < 16 ? "" : JSON.stringify(body(rec))}`.toLowerCase();
      return words.every(({ value, isNot }) => said.includes(value) !== isNot);
    },
    toggled: (term) =>
      (parts.includes(term) ? parts.filter((one) => one !== term) : [...parts, term]).join(" "),
  };
}

/** @param {string} hash @returns {Replay.Moment & {token?: string}} */
export function momentIn(hash) {
  const fields = new URLSearchParams(hash.slice(1));
  const number = (/** @type {string} */ key) => (fields.has(key) ? Number(fields.get(key)) || 0 : undefined);
  const [x, y, scale] = (fields.get("v") ?? "").split(",").map(Number);
  return {
    seq: number("seq"), m: number("m"), f: fields.get("f") ?? "",
    view: scale > 0 && Number.isFinite(x + y) ? { x, y, scale } : undefined,
    token: [...fields.keys()].find((key) => /^NETLESS(ROOM|SDK)_[\w-]+$/.test(key)),
  };
}

/** @param {string} room @param {Replay.Moment} moment */
export function momentText(room, { seq, m, f, view }) {
  const v = view && [view.x, view.y, view.scale].map((one) => Math.round(one * 1000) / 1000).join(",");
  const fields = Object.entries({ seq, m, f, v }).filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(fields.map(([key, value]) => [key, String(value)])).toString();
  // Colons and commas need no escape there.
  return `/replay/${room}${text && "#"}${text.replace(/%3A/g, ":").replace(/%2C/g, ",")}`;
}
