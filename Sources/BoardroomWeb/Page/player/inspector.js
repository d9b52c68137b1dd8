// The panel beside the board: the event itself, what changed between two moments, the state, what
// was found.
import { Fields } from "../protocol/json.js";
import { mirror } from "../protocol/records.js";
import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText } from "./layout.js";

/**
 * `by`: who that is; below 0 the server.
 * @typedef {{ go(revision: number): void; by(member: number): string }} Uses
 */

/** @typedef {{ path: string; before: any; after: any }} Difference */

/** The texts where there is no event. */
const NO_EVENT = { ".time": "", ".date": "", ".who": "", pre: "" };

/** Items of a list that are shown, at most. */
const MOST_ITEMS = 100;

/** Letters of a value in one line, at most. */
const MOST_LETTERS = 80;

/** Hits before the present one that are shown. */
const MOST_BEFORE = 5;

/** Differs in every two states, or follows from what else is shown. */
const PASSED_OVER =
  /^(revision|time|places|next(Member|Scene)|open|segments|last(Counter|Revision))$/;

/**
 * Groups of differences, in the order in which they are shown, by the first part of their path; what
 * is in none is bookkeeping, which is folded away.
 * @type {Record<string, string[]>}
 */
const GROUPS = {
  elements: ["elements"],
  scenes: ["scenes", "currentScene"],
  members: ["members", "broadcaster"],
  room: ["globalState", "stores", "lock", "barred", "limits", "banned", "deleted", "created"],
};

/**
 * An erased element that no history needs any more was off the board before: that is bookkeeping.
 * @param {Difference} difference
 */
const isForgotten = ({ before, after }) => before?.buried === true && after === undefined;

/** @param {Difference} difference */
function groupOf(difference) {
  const [first] = difference.path.split(".");
  const named = Object.keys(GROUPS).find((name) => GROUPS[name].includes(first));
  return (!isForgotten(difference) && named) || "books";
}

/**
 * @param {Difference[]} found
 * @returns {[group: string, differences: Difference[]][]} those that there are, bookkeeping last
 */
export const grouped = (found) =>
  [...Object.keys(GROUPS), "books"]
    .map(
      (name) =>
        /** @type {[string, Difference[]]} */ ([
          name,
          found.filter((one) => groupOf(one) === name),
        ]),
    )
    .filter(([, own]) => own.length > 0);

/**
 * @param {any} value of a state, or in one
 * @returns {Map<string, any> | undefined} what is inside
 */
function inside(value) {
  if (value instanceof Map) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value instanceof Fields ? value.plain() : value);
  return new Map(entries.filter(([key, one]) => one !== undefined && !PASSED_OVER.test(key)));
}

/**
 * @param {any} before
 * @param {any} after two states
 * @returns {Difference[]}
 */
export function diff(before, after, path = "") {
  if (before === after) return [];
  const left = inside(before);
  const right = inside(after);
  if (!left || !right) return [{ path: path.slice(1), before, after }];
  const keys = new Set([...left.keys(), ...right.keys()]);
  return [...keys].flatMap((key) => diff(left.get(key), right.get(key), `${path}.${key}`));
}

/** @param {any} value */
function short(value) {
  const text = JSON.stringify(value instanceof Fields ? value.plain() : value) ?? "";
  return text.length > MOST_LETTERS ? `${text.slice(0, MOST_LETTERS)}…` : text;
}

/** @param {string} words */
const quiet = (words) => h("p", { class: "quiet" }, words);

/** @param {number} all */
const more = (all) => all > MOST_ITEMS && quiet(t("player.more", { count: all - MOST_ITEMS }));

export class Inspector {
  /** Paths of the state that are unfolded. */
  unfolded = new Set([".members", ".globalState"]);

  /** Groups of differences that are folded away. */
  foldedGroups = new Set(["books"]);

  /** @type {Replay.State | undefined} */
  state = undefined;

  /**
   * @param {HTMLElement} page
   * @param {Uses} uses
   */
  constructor(page, uses) {
    this.part = (/** @type {string} */ selector) => find(page, `.inspector ${selector}`);
    this.uses = uses;
    this.part(".tree").addEventListener("toggle", () => this.showTree(this.state));
  }

  /**
   * @param {Replay.Rec | undefined} rec none: the beginning
   * @param {number} begin
   * @param {boolean} fits
   */
  showEvent(rec, begin, fits) {
    this.part(".event .body").hidden = !rec;
    this.part(".misfit").hidden = fits;
    const texts = rec ? this.#textsOf(rec, begin) : { ...NO_EVENT, summary: t("player.beginning") };
    for (const [name, said] of Object.entries(texts)) {
      this.part(`.event ${name}`).textContent = said;
    }
  }

  /**
   * @param {Replay.Rec} rec
   * @param {number} begin of the log
   * @returns {Record<string, string>} what is said of it, and where
   */
  #textsOf(rec, begin) {
    const json = JSON.stringify(mirror(rec), null, 2);
    const number = rec.by === null ? "" : ` (${rec.by})`;
    return {
      summary: `#${rec.rev.toLocaleString()} · ${rec.name || rec.kind}`,
      ".time": clockText(rec.t - begin),
      ".date": new Date(rec.t).toLocaleString(),
      ".who": this.uses.by(rec.by ?? -1) + number,
      // Numbers stand in one line.
      pre: json.replace(/\[[-\d\s.,]*\]/g, (numbers) => numbers.replace(/\s+/g, "")),
    };
  }

  /**
   * @param {Replay.State} one
   * @param {Replay.State} other
   * @param {string} title
   */
  showChanges(one, other, title) {
    const found = diff(one, other);
    const same = found.length === 0 && quiet(t("player.same"));
    const groups = grouped(found).map(([name, own]) => this.#group(name, own));
    fill(this.part(".changes .body"), quiet(title), same, ...groups);
  }

  /**
   * @param {string} name
   * @param {Difference[]} found
   */
  #group(name, found) {
    const rows = found.slice(0, MOST_ITEMS).flatMap(differenceRow);
    const count = h("small", {}, ` ${found.length.toLocaleString()}`);
    const title = h("summary", {}, t(`player.group.${name}`), count);
    const isOpen = !this.foldedGroups.has(name);
    const list = h("dl", { class: "diff" }, ...rows);
    const details = h("details", { class: "group", open: isOpen }, title, list, more(found.length));
    details.dataset.group = name;
    details.addEventListener("toggle", () => {
      if (details.open) this.foldedGroups.delete(name);
      else this.foldedGroups.add(name);
    });
    return details;
  }

  /** @param {Replay.State | undefined} state */
  showTree(state) {
    this.state = state;
    if (this.part(".tree").matches("[open]")) {
      fill(this.part(".tree .body"), this.#branches(state, ""));
    }
  }

  /**
   * @param {any} value
   * @param {string} path
   * @returns {Child[]}
   */
  #branches(value, path) {
    const all = [...(inside(value) ?? [])];
    const nodes = all.slice(0, MOST_ITEMS).map(([name, one]) => {
      const key = String(name);
      const size = inside(one)?.size;
      return size ? this.#branch(key, one, size, `${path}.${key}`) : leaf(key, one);
    });
    return [...nodes, more(all.length)];
  }

  /**
   * @param {string} key
   * @param {any} value
   * @param {number} size
   * @param {string} path
   */
  #branch(key, value, size, path) {
    const inner = h("div", { class: "branch" });
    const title = h("summary", {}, key, h("small", {}, ` ${size}`));
    const details = h("details", { open: this.unfolded.has(path) }, title, inner);
    const turned = () => {
      if (details.open) this.unfolded.add(path);
      else this.unfolded.delete(path);
      fill(inner, details.open ? this.#branches(value, path) : []);
    };
    details.addEventListener("toggle", turned);
    turned();
    return details;
  }

  /**
   * @param {number[]} hits
   * @param {number} revision
   * @param {string} words
   * @param {Replay.Log} log
   */
  showFound(hits, revision, words, log) {
    const near = hits.findIndex((hit) => hit >= revision);
    const around = (near < 0 ? hits.length : near) - MOST_BEFORE;
    const first = Math.max(Math.min(around, hits.length - MOST_ITEMS), 0);
    const shown = hits.slice(first, first + MOST_ITEMS);
    const rows = shown.map((hit) => this.#hitRow(hit, hit === revision, log));
    fill(this.part(".found .body"), quiet(words), h("ol", {}, ...rows));
  }

  /**
   * @param {number} hit a revision
   * @param {boolean} isCurrent
   * @param {Replay.Log} log
   */
  #hitRow(hit, isCurrent, log) {
    const time = clockText(log.time(hit) - log.begin, 1);
    const about = `${time} · #${hit.toLocaleString()} · ${this.uses.by(log.author(hit))}`;
    const props = { "aria-current": String(isCurrent), onclick: () => this.uses.go(hit) };
    const kind = h("span", {}, log.kindName(hit));
    return h("li", {}, h("button", props, kind, h("small", {}, about)));
  }
}

/**
 * @param {Difference} difference
 * @returns {HTMLElement[]}
 */
function differenceRow({ path, before, after }) {
  const old = before !== undefined && h("del", {}, short(before));
  const fresh = after !== undefined && h("ins", {}, short(after));
  return [h("dt", {}, path), h("dd", {}, old, fresh)];
}

/**
 * @param {string} key
 * @param {any} value
 */
const leaf = (key, value) =>
  h("p", { class: "leaf" }, h("span", {}, key), h("code", {}, short(value)));
