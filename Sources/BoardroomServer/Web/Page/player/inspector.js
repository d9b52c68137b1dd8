import { Fields } from "../core/json.js";
import { mirror } from "../core/records.js";
import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText } from "./layout.js";

// The panel beside the board: the event itself, what changed between two moments, the state, what was found. Each
// is a section of replay.html that can be folded up; what a debugger adds (breakpoints, watches, why) are more.

/** Of a long list so much is shown; of a value in one line so many letters. */
const [MOST, SHORT] = [100, 80];
/** Differs in every two states, or follows from what else is shown. */
const PASSED_OVER = ["revision", "time", "places", "nextMember", "nextScene", "open", "segments", "lastCounter", "lastRevision"];

/** @param {any} value of a state, or in one @returns {Map<string, any> | undefined} what is inside, if it is no leaf */
export function inside(value) {
  if (value instanceof Map) return value;
  if (typeof value !== "object" || value === null || value instanceof Set) return undefined;
  const entries = Object.entries(value instanceof Fields ? value.plain() : value);
  return new Map(entries.filter(([key, one]) => one !== undefined && !PASSED_OVER.includes(key)));
}

/** @param {any} before @param {any} after two states @returns what is another, in the order of the state */
export function diff(before, after, most = 4 * MOST) {
  const found = /** @type {{path: string, before: any, after: any}[]} */ ([]);
  /** @param {any} one @param {any} other @param {string} path */
  const compare = (one, other, path) => {
    if (one === other || found.length >= most) return;
    const [left, right] = [inside(one), inside(other)];
    if (!left || !right) return void found.push({ path, before: one, after: other });
    for (const key of new Set([...left.keys(), ...right.keys()])) {
      compare(left.get(key), right.get(key), path ? `${path}.${key}` : String(key));
    }
  };
  compare(before, after, "");
  return found.filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after));
}

const short = (/** @type {any} */ value) => {
  const text = JSON.stringify(inside(value) ? Object.fromEntries(inside(value) ?? []) : value) ?? "";
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
};
const quiet = (/** @type {string} */ words) => h("p", { class: "quiet" }, words);
const more = (/** @type {number} */ count) => count > MOST && quiet(t("player.more", { count: count - MOST }));
const pair = (/** @type {string} */ term, /** @type {(Child | Child[])[]} */ ...values) => [h("dt", {}, term), h("dd", {}, ...values)];

export class Inspector {
  /** Paths of the state that are unfolded. */
  unfolded = new Set([".members", ".globalState"]);
  state = /** @type {Replay.State | undefined} */ (undefined);

  /** @param {HTMLElement} page @param {Replay.Uses} uses */
  constructor(page, uses) {
    this.part = (/** @type {string} */ selector) => find(page, `.inspector ${selector}`);
    this.uses = uses;
    this.part(".tree").addEventListener("toggle", () => this.state && this.showTree(this.state));
  }

  /** @param {Replay.Rec | undefined} rec @param {number} begin @param {boolean} fits */
  showEvent(rec, begin, fits) {
    const [title, body] = [".event summary", ".event .body"].map(this.part);
    title.textContent = rec ? `#${rec.rev.toLocaleString()} · ${rec.name || rec.kind}` : t("player.beginning");
    if (!rec) return fill(body);
    const by = rec.by === null ? t("player.server") : `${this.uses.nameOf(rec.by)} (${rec.by})`;
    const text = JSON.stringify(mirror(rec), null, 2).replace(/\[[-\d\s.,]*\]/g, (all) => all.replace(/\s+/g, ""));
    return fill(body, h("dl", {}, ...pair(t("player.time"), clockText(rec.t - begin)),
      ...pair(t("player.date"), new Date(rec.t).toLocaleString()), ...pair(t("player.member"), by)),
    !fits && h("p", { class: "problem" }, t("player.misfit")),
    h("pre", { tabindex: 0, "aria-label": t("player.mirror") }, text));
  }

  /** @param {Replay.State} before @param {Replay.State} after @param {string} title */
  showChanges(before, after, title) {
    const found = diff(before, after);
    const rows = found.slice(0, MOST).flatMap((one) => pair(one.path,
      one.before !== undefined && h("del", {}, short(one.before)), one.after !== undefined && h("ins", {}, short(one.after))));
    fill(this.part(".changes .body"), quiet(title), !rows.length && quiet(t("player.same")),
      h("dl", { class: "diff" }, ...rows), more(found.length));
  }

  showTree(/** @type {Replay.State} */ state) {
    this.state = state;
    if (this.part(".tree").matches("[open]")) fill(this.part(".tree .body"), ...this.#children(state, ""));
  }

  /** @param {any} value @param {string} path @returns {Child[]} */
  #children(value, path) {
    const all = [...inside(value) ?? []];
    return [...all.slice(0, MOST).map(([key, one]) => this.#node(key, one, `${path}.${key}`)), more(all.length)];
  }

  /** @param {string} key @param {any} value @param {string} path */
  #node(key, value, path) {
    const size = inside(value)?.size;
    if (!size) return h("p", { class: "leaf" }, h("span", {}, key), h("code", {}, short(value)));
    const branch = h("div", { class: "branch" });
    const ontoggle = () => {
      this.unfolded[details.open ? "add" : "delete"](path);
      if (details.open !== branch.hasChildNodes()) fill(branch, ...details.open ? this.#children(value, path) : []);
    };
    const details = h("details", { open: this.unfolded.has(path), ontoggle }, h("summary", {}, key, h("small", {}, ` ${size}`)), branch);
    ontoggle();
    return details;
  }

  /** @param {number[]} hits @param {number} revision @param {string} words @param {Replay.Log} log */
  showFound(hits, revision, words, log) {
    const near = hits.findIndex((hit) => hit >= revision);
    const first = Math.max(Math.min((near < 0 ? hits.length : near) - 5, hits.length - MOST), 0);
    const by = (/** @type {number} */ author) => (author < 0 ? t("player.server") : this.uses.nameOf(author));
    fill(this.part(".found .body"), quiet(words), h("ol", {}, ...hits.slice(first, first + MOST).map((hit) =>
      h("li", {}, h("button", { type: "button", "aria-current": String(hit === revision), onclick: () => this.uses.go(hit) },
        h("span", {}, log.kindName(hit)),
        h("small", {}, `${clockText(log.time(hit) - log.begin, 1)} · #${hit.toLocaleString()} · ${by(log.author(hit))}`))))));
  }
}
