// What to look for in a log: kind:kick member:Ana text:"out of paper" after:4:10 before:#1200
// -kind:pointer And the link to a moment, which has that in it:
// /replay/ROOM#seq=18204&m=2&f=kind:kick&v=x,y,scale
import { KINDS } from "../protocol/kinds.js";
import { body } from "../protocol/records.js";
import { FAMILY_OF, NAMES } from "./log.js";

const KEYS = ["kind", "member", "text", "after", "before"];
const TERM = /(-?)(?:(\w+):)?(?:"([^"]*)"?|(\S+))/g;

/**
 * @type {Replay.RevisionOf} #revision, time from the beginning (90, 4:10, 1:02:03.5), or date and
 *   time
 */
export function revisionOf(text, log) {
  const wanted = text.trim();
  if (/^#\d+$/.test(wanted)) return Number(wanted.slice(1));
  const offset = wanted.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;
  const time = /^(\d+:){0,2}\d+(\.\d+)?$/.test(wanted) ? log.begin + offset : Date.parse(wanted);
  return Number.isNaN(time) ? undefined : log.revisionAt(time);
}

/**
 * @param {string} name
 * @returns numbers of the kinds it means: of a family, or with it in their names
 */
const kindsOf = (name) =>
  Object.keys(KINDS)
    .map(Number)
    .filter((kind) =>
      NAMES.includes(name)
        ? NAMES[FAMILY_OF[kind]] === name
        : KINDS[kind].toLowerCase().includes(name),
    );

/** @type {Replay.MakeQuery} kinds are alternatives, so are members; the rest goes together */
export function makeQuery(text, log, who) {
  const source = text.trim().replace(/\s+/g, " ");
  const terms = [...source.matchAll(TERM)].map(([word, minus, key = "text", quoted, bare]) => ({
    word,
    key: key.toLowerCase(),
    value: (quoted ?? bare).toLowerCase(),
    isNot: minus !== "",
  }));
  const problems = terms
    .filter(({ key }) => !KEYS.includes(key))
    .map(({ word }) => ({ word, why: "key" }));
  /** @type {((revision: number) => boolean)[]} */
  const tests = [];
  /** @type {Replay.Choose} */
  const choose = (key, meant, read) =>
    [false, true].forEach((isNot) => {
      const chosen = terms.filter((term) => term.key === key && term.isNot === isNot);
      const wanted = new Set(chosen.flatMap(({ value }) => meant(value)));
      for (const { word, value } of chosen) {
        if (!meant(value).length) problems.push({ word, why: key });
      }
      if (chosen.length) tests.push((revision) => wanted.has(read(revision)) !== isNot);
    });
  choose("kind", kindsOf, (revision) => log.kind(revision));
  choose("member", who, (revision) => log.author(revision));
  for (const { word, key, value, isNot } of terms.filter((term) =>
    /^(after|before)$/.test(term.key),
  )) {
    const edge = revisionOf(value, log);
    if (edge === undefined) problems.push({ word, why: "time" });
    else tests.push((revision) => revision > edge === ((key === "after") !== isNot));
  }
  const words = terms.filter(({ key }) => key === "text");
  const parts = source.split(" ").filter(Boolean);
  return {
    source,
    problems,
    isEmpty: !words.length && !tests.length,
    needsText: words.length > 0,
    mayFit: (revision) => tests.every((test) => test(revision)),
    hasWords(rec) {
      const said = `${rec.name} ${rec.kind < 16 ? "" : JSON.stringify(body(rec))}`.toLowerCase();
      return words.every(({ value, isNot }) => said.includes(value) !== isNot);
    },
    toggled: (term) =>
      (parts.includes(term) ? parts.filter((one) => one !== term) : [...parts, term]).join(" "),
  };
}

/**
 * @param {string} hash; a malformed field is as good as none
 * @returns {Replay.Moment & {token?: string}}
 */
export function momentIn(hash) {
  const sound = hash
    .slice(1)
    .split("&")
    .filter((field) => !/%(?![\da-f]{2})/i.test(field));
  const fields = new URLSearchParams(sound.join("&"));
  /** @param {string} key */
  const number = (key) =>
    /^\d+$/.test(fields.get(key) ?? "") ? Number(fields.get(key)) : undefined;
  const [x, y, scale] = (fields.get("v") ?? "").split(",").map(Number);
  return {
    seq: number("seq"),
    m: number("m"),
    f: fields.get("f") ?? "",
    view: scale > 0 && Number.isFinite(x + y) ? { x, y, scale } : undefined,
    token: [...fields.keys()].find((key) => /^NETLESS(ROOM|SDK)_[\w-]+$/.test(key)),
  };
}

/**
 * @param {string} room
 * @param {Replay.Moment} moment
 */
export function momentText(room, { seq, m, f, view }) {
  const v =
    view && [view.x, view.y, view.scale].map((one) => Math.round(one * 1000) / 1000).join(",");
  const fields = Object.entries({ seq, m, f, v }).filter(
    ([, value]) => value !== undefined && value !== "",
  );
  const text = new URLSearchParams(fields.map(([key, value]) => [key, String(value)])).toString();
  // Colons and commas need no escape there.
  return `/replay/${room}${text && "#"}${text.replace(/%3A/g, ":").replace(/%2C/g, ",")}`;
}
