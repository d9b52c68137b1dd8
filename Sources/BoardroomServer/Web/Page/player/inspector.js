import { Fields } from "../protocol/json.js";
import { mirror } from "../protocol/records.js";
import { fill, find, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { clockText } from "./layout.js";

// The panel beside the board: the event itself, what changed between two moments, the state, what
// was found.
/** Of a long list so much is shown. */
const MOST = 100;

/** Of a value in one line so many letters are shown. */
const SHORT = 80;

/** Differs in every two states, or follows from what else is shown. */
const PASSED_OVER =
  /^(revision|time|places|next(Member|Scene)|open|segments|last(Counter|Revision))$/;

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
 * @returns {Replay.Difference[]}
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
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

/** @param {string} words */
const quiet = (words) => h("p", { class: "quiet" }, words);

/** @param {number} all */
const more = (all) => all > MOST && quiet(t("player.more", { count: all - MOST }));

export class Inspector {
  /** Paths of the state that are unfolded. */
  unfolded = new Set([".members", ".globalState"]);

  /** @type {Replay.State | undefined} */
  state = undefined;

  /**
   * @param {HTMLElement} page
   * @param {Replay.Uses} uses
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
    const text = rec ? JSON.stringify(mirror(rec), null, 2) : "";
    const texts = {
      summary: rec
        ? `#${rec.rev.toLocaleString()} · ${rec.name || rec.kind}`
        : t("player.beginning"),
      ".time": rec ? clockText(rec.t - begin) : "",
      ".date": rec ? new Date(rec.t).toLocaleString() : "",
      ".who": rec ? this.uses.by(rec.by ?? -1) + (rec.by === null ? "" : ` (${rec.by})`) : "",
      pre: text.replace(/\[[-\d\s.,]*\]/g, (numbers) => numbers.replace(/\s+/g, "")),
    };
    for (const [name, said] of Object.entries(texts)) {
      this.part(`.event ${name}`).textContent = said;
    }
  }

  /**
   * @param {Replay.State} one
   * @param {Replay.State} other
   * @param {string} title
   */
  showChanges(one, other, title) {
    const found = diff(one, other);
    const rows = found
      .slice(0, MOST)
      .flatMap(({ path, before, after }) => [
        h("dt", {}, path),
        h(
          "dd",
          {},
          before !== undefined && h("del", {}, short(before)),
          after !== undefined && h("ins", {}, short(after)),
        ),
      ]);
    fill(
      this.part(".changes .body"),
      quiet(title),
      !rows.length && quiet(t("player.same")),
      h("dl", { class: "diff" }, ...rows),
      more(found.length),
    );
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
    const nodes = all.slice(0, MOST).map(([name, one]) => {
      const key = String(name);
      const own = `${path}.${name}`;
      const size = inside(one)?.size;
      if (!size) return h("p", { class: "leaf" }, h("span", {}, key), h("code", {}, short(one)));
      const branch = h("div", { class: "branch" });
      const ontoggle = () => {
        this.unfolded[details.open ? "add" : "delete"](own);
        fill(branch, details.open ? this.#branches(one, own) : []);
      };
      const title = h("summary", {}, key, h("small", {}, ` ${size}`));
      const details = h("details", { open: this.unfolded.has(own), ontoggle }, title, branch);
      ontoggle();
      return details;
    });
    return [...nodes, more(all.length)];
  }

  /**
   * @param {number[]} hits
   * @param {number} revision
   * @param {string} words
   * @param {Replay.Log} log
   */
  showFound(hits, revision, words, log) {
    const near = hits.findIndex((hit) => hit >= revision);
    const first = Math.max(Math.min((near < 0 ? hits.length : near) - 5, hits.length - MOST), 0);
    const rows = hits.slice(first, first + MOST).map((hit) => {
      const at = `${clockText(log.time(hit) - log.begin, 1)} · #${hit.toLocaleString()}`;
      const props = { "aria-current": String(hit === revision), onclick: () => this.uses.go(hit) };
      return h(
        "li",
        {},
        h(
          "button",
          props,
          h("span", {}, log.kindName(hit)),
          h("small", {}, `${at} · ${this.uses.by(log.author(hit))}`),
        ),
      );
    });
    fill(this.part(".found .body"), quiet(words), h("ol", {}, ...rows));
  }
}
