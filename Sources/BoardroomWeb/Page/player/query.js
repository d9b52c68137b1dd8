// What to look for in a log:
//   kind:kick member:Ana text:"out of paper" after:4:10 before:#1200 -kind:pointer
//   element:2-14 area:x,y,width,height,page
// And the link to a moment, which has that in it:
//   /replay/ROOM#seq=18204&m=2&f=kind:kick&v=x,y,scale&e=2.14
import { KINDS } from "../protocol/kinds.js";
import { body } from "../protocol/records.js";
import { readStroke } from "../protocol/strokes.js";
import { areaIn, areaText, looksInArea } from "./area.js";
import { idIn, Life } from "./life.js";
import { MARKER_NAMES, MARKER_OF_KIND } from "./log.js";

/** @typedef {{ word: string; key: string; value: string; isNot: boolean }} Term */

const KEYS = ["kind", "member", "text", "after", "before", "element", "area"];
const TERM = /(-?)(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g;

/**
 * @param {string} text #revision, time from the beginning (90, 4:10, 1:02:03.5), or date and time
 * @param {Replay.Log} log
 * @returns {number | undefined} the last revision not after it, if it is understood
 */
export function revisionOf(text, log) {
  const wanted = text.trim();
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1));
  const isOffset = /^(\d+:){0,2}\d+(\.\d+)?$/.test(wanted);
  const time = isOffset ? log.begin + 1000 * secondsOf(wanted) : Date.parse(wanted);
  return Number.isNaN(time) ? undefined : log.revisionAt(time);
}

/** @param {string} text as 1:02:03.5 */
const secondsOf = (text) => text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0);

/**
 * @param {string} name
 * @returns {number[]} the kinds that it means: of a marker, or with it in their names
 */
function kindsOf(name) {
  const kinds = Object.keys(KINDS).map(Number);
  if (MARKER_NAMES.includes(name))
    return kinds.filter((kind) => MARKER_NAMES[MARKER_OF_KIND[kind]] === name);
  return kinds.filter((kind) => KINDS[kind].toLowerCase().includes(name));
}

/**
 * @param {string} source
 * @returns {Term[]}
 */
const termsOf = (source) =>
  [...source.matchAll(TERM)].map(([word, minus, key = "text", quoted, bare]) => ({
    word,
    key: key.toLowerCase(),
    value: (quoted ?? bare).toLowerCase(),
    isNot: minus !== "",
  }));

/**
 * Kinds are alternatives, so are members; the rest goes together.
 * @param {string} text
 * @param {Replay.Log} log
 * @param {(name: string) => number[]} who members who are called so
 * @returns {Replay.Query}
 */
export function makeQuery(text, log, who) {
  const source = text.trim().replace(/\s+/g, " ");
  const terms = termsOf(source);
  const unknown = terms.filter(({ key }) => !KEYS.includes(key));
  const conditions = [
    ...alternatives(terms, "kind", kindsOf, (revision) => log.kind(revision)),
    ...alternatives(terms, "member", who, (revision) => log.author(revision)),
    ...edges(terms, log),
  ];
  const tests = conditions.flatMap(({ test }) => test ?? []);
  const words = terms.filter(({ key }) => key === "text");
  const looks = [...elementLooks(terms), ...areaLooks(terms)];
  const parts = source.split(" ").filter(Boolean);
  return {
    source,
    problems: [
      ...unknown.map(({ word }) => ({ word, why: "key" })),
      ...[...conditions, ...looks].flatMap(({ problems }) => problems),
    ],
    isEmpty: !words.length && !tests.length && !looks.some(({ make }) => make),
    needsText: words.length > 0,
    needsFold: looks.some(({ make }) => make),
    area: terms.flatMap(({ key, value }) => (key === "area" && areaIn(value)) || [])[0],
    mayFit: (revision) => tests.every((test) => test(revision)),
    hasWords(rec) {
      const said = `${rec.name} ${textOf(rec)}`.toLowerCase();
      return words.every(({ value, isNot }) => said.includes(value) !== isNot);
    },
    makeLook(state) {
      const made = looks.flatMap(({ make }) => make?.(state) ?? []);
      // Each is shown every event, so that none misses what another one leaves out.
      return (...event) => made.map((look) => look(...event)).every(Boolean);
    },
    with: (term) => (parts.includes(term) ? parts : [...parts, term]).join(" "),
    withArea(box, page) {
      const others = parts.filter((part) => !/^area:/i.test(part));
      return [...others, areaText(box, page)].join(" ");
    },
    toggled(term) {
      const isIn = parts.includes(term);
      return (isIn ? parts.filter((one) => one !== term) : [...parts, term]).join(" ");
    },
  };
}

/**
 * @param {Replay.Rec} rec
 * @returns {string} what it says, as text; of a stroke its id, and how it is drawn
 */
function textOf(rec) {
  if (rec.kind >= 16) return JSON.stringify(body(rec));
  if (rec.name !== "stroke") return "";
  try {
    const { number, begin } = readStroke(rec.reader);
    return JSON.stringify({ id: `${rec.by}.${number}`, begin });
  } catch {
    return "";
  }
}

/**
 * A term for which events have to be folded, and what of it was not understood.
 * @typedef {{make?: (state: Replay.State) => Replay.Look, problems: Replay.Problem[]}} FoldTerm
 */

/**
 * @param {Term[]} terms
 * @returns {FoldTerm[]} of those that name elements
 */
function elementLooks(terms) {
  const own = terms.filter(({ key }) => key === "element");
  return own.map(({ word, value, isNot }) => {
    const id = idIn(value);
    if (!id) return { problems: [{ word, why: "element" }] };
    const make = (/** @type {Replay.State} */ state) => {
      const life = new Life(id);
      life.begin(state);
      return (/** @type {Parameters<Replay.Look>} */ ...event) => life.see(...event) !== isNot;
    };
    return { make, problems: [] };
  });
}

/**
 * @param {Term[]} terms
 * @returns {FoldTerm[]} of those that name a rectangle
 */
function areaLooks(terms) {
  const own = terms.filter(({ key }) => key === "area");
  return own.map(({ word, value, isNot }) => {
    const area = areaIn(value);
    if (!area) return { problems: [{ word, why: "area" }] };
    const make = (/** @type {Replay.State} */ state) => {
      const look = looksInArea(area, state);
      return (/** @type {Parameters<Replay.Look>} */ ...event) => look(...event) !== isNot;
    };
    return { make, problems: [] };
  });
}

/**
 * Something that an event has to fulfil, and what of it was not understood.
 * @typedef {{test?: (revision: number) => boolean, problems: Replay.Problem[]}} Condition
 */

/**
 * Terms of a key: one of those that are wanted, none of those that are not.
 * @param {Term[]} terms
 * @param {string} key
 * @param {(name: string) => number[]} meant the numbers that a name means
 * @param {(revision: number) => number} read that of an event
 * @returns {Condition[]}
 */
function alternatives(terms, key, meant, read) {
  const own = terms.filter((term) => term.key === key);
  return [false, true].flatMap((isNot) => {
    const chosen = own.filter((term) => term.isNot === isNot);
    if (chosen.length === 0) return [];
    const wanted = new Set(chosen.flatMap(({ value }) => meant(value)));
    const strange = chosen.filter(({ value }) => meant(value).length === 0);
    return {
      test: (/** @type {number} */ revision) => wanted.has(read(revision)) !== isNot,
      problems: strange.map(({ word }) => ({ word, why: key })),
    };
  });
}

/**
 * @param {Term[]} terms
 * @param {Replay.Log} log
 * @returns {Condition[]} of those that say after or before when
 */
function edges(terms, log) {
  const own = terms.filter(({ key }) => key === "after" || key === "before");
  return own.map(({ word, key, value, isNot }) => {
    const edge = revisionOf(value, log);
    if (edge === undefined) return { problems: [{ word, why: "time" }] };
    const isAfter = (key === "after") !== isNot;
    return { test: (revision) => revision > edge === isAfter, problems: [] };
  });
}

/**
 * @param {string} hash; a malformed field is as good as none
 * @returns {Replay.Moment & {token?: string}}
 */
export function momentIn(hash) {
  const isSound = (/** @type {string} */ field) => !/%(?![\da-f]{2})/i.test(field);
  const fields = new URLSearchParams(hash.slice(1).split("&").filter(isSound).join("&"));
  const [x, y, scale] = (fields.get("v") ?? "").split(",").map(Number);
  return {
    seq: numberIn(fields, "seq"),
    m: numberIn(fields, "m"),
    f: fields.get("f") ?? "",
    view: scale > 0 && Number.isFinite(x + y) ? { x, y, scale } : undefined,
    ...elementOf(fields.get("e")),
    ...pageOf(numberIn(fields, "p")),
    token: [...fields.keys()].find((key) => /^NETLESS(ROOM|SDK)_[\w-]+$/.test(key)),
  };
}

/** @param {number | undefined} p the page that is looked at */
const pageOf = (p) => (p === undefined ? {} : { p });

/** @param {string | null} text of the element whose story is told */
function elementOf(text) {
  const e = idIn(text ?? "");
  return e ? { e } : {};
}

/**
 * @param {URLSearchParams} fields
 * @param {string} key
 */
function numberIn(fields, key) {
  const value = fields.get(key) ?? "";
  return /^\d+$/.test(value) ? Number(value) : undefined;
}

/**
 * @param {string} room
 * @param {Replay.Moment} moment
 * @returns {string} the address of it
 */
export function momentText(room, { seq, m, p, f, view, e }) {
  const v = view && cameraText(view);
  const all = Object.entries({ seq, m, p, f, v, e });
  const fields = all.filter(([, value]) => value !== undefined && value !== "");
  const text = new URLSearchParams(fields.map(([key, value]) => [key, String(value)])).toString();
  // Colons and commas need no escape there.
  return `/replay/${room}${text && "#"}${text.replace(/%3A/g, ":").replace(/%2C/g, ",")}`;
}

/** @param {Camera} camera */
const cameraText = ({ x, y, scale }) =>
  [x, y, scale].map((one) => Math.round(one * 1000) / 1000).join(",");
