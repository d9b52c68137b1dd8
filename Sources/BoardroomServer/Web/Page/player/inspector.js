import { mirror } from "../core/records.js";
import { fill, h } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { diff, inside, short, treeOf } from "./diff.js";
import { clockText } from "./layout.js";

// The panel beside the board: the event itself, what changed between two moments, the state, what was found. Each is a
// section of replay.html that can be folded up; what a debugger adds (breakpoints, watches, why) are more of them.

/** Of a long list so much is shown. */
const MOST = 100;
const quiet = (/** @type {string} */ words) => h("p", { class: "quiet" }, words);
const pair = (/** @type {string} */ term, /** @type {any[]} */ ...values) => [h("dt", {}, term), h("dd", {}, ...values)];

export class Inspector {
  /** Paths of the tree that are unfolded. */
  unfolded = new Set(["members", "globalState"]);

  /** @param {HTMLElement} root @param {{go(revision: number): void, nameOf(member: number): string}} uses */
  constructor(root, uses) {
    const part = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (root.querySelector(selector));
    this.title = part(".event summary");
    this.event = part(".event .body");
    this.changes = part(".changes .body");
    this.tree = part(".tree .body");
    this.found = part(".found .body");
    this.uses = uses;
    part(".tree").addEventListener("toggle", () => this.showTree(this.state));
  }

  /** @param {Replay.Rec | undefined} rec @param {number} begin @param {boolean} fits */
  showEvent(rec, begin, fits) {
    this.title.textContent = rec ? `#${rec.rev.toLocaleString()} · ${rec.name || rec.kind}` : t("player.beginning");
    if (!rec) return fill(this.event);
    const by = rec.by === null ? t("player.server") : `${this.uses.nameOf(rec.by)} (${rec.by})`;
    const text = JSON.stringify(mirror(rec), null, 2).replace(/\[[-\d\s.,]*\]/g, (numbers) => numbers.replace(/\s+/g, ""));
    return fill(this.event, h("dl", {}, ...pair(t("player.time"), clockText(rec.t - begin)),
      ...pair(t("player.date"), new Date(rec.t).toLocaleString()), ...pair(t("player.member"), by)),
    !fits && h("p", { class: "problem" }, t("player.misfit")),
    h("pre", { tabindex: 0, "aria-label": t("player.mirror") }, text));
  }

  /** @param {Replay.State} before @param {Replay.State} after @param {string} title */
  showChanges(before, after, title) {
    const found = diff(treeOf(before), treeOf(after));
    const rows = found.slice(0, MOST).flatMap(({ path, before: old, after: now }) => pair(path,
      old !== undefined && h("del", {}, short(old)), now !== undefined && h("ins", {}, short(now))));
    fill(this.changes, quiet(title), rows.length ? h("dl", { class: "diff" }, ...rows) : quiet(t("player.same")),
      found.length > MOST && quiet(t("player.more", { count: found.length - MOST })));
  }

  /** @type {Replay.State | undefined} */
  state = undefined;
  /** @param {Replay.State | undefined} state */
  showTree(state) {
    this.state = state;
    const { open } = /** @type {HTMLDetailsElement} */ (this.tree.parentElement);
    if (open && state) fill(this.tree, ...this.#children(treeOf(state), ""));
  }

  /** @param {any} value @param {string} path @returns {HTMLElement[]} */
  #children(value, path) {
    const all = [...inside(value) ?? []];
    const rows = all.slice(0, MOST).map(([key, one]) => this.#node(key, one, path ? `${path}.${key}` : key));
    return all.length > MOST ? [...rows, quiet(t("player.more", { count: all.length - MOST }))] : rows;
  }

  /** @param {string} key @param {any} value @param {string} path */
  #node(key, value, path) {
    const size = inside(value)?.size;
    if (!size) return h("p", { class: "leaf" }, h("span", {}, key), h("code", {}, short(value)));
    const branch = h("div", { class: "branch" });
    const show = (/** @type {boolean} */ isOpen) => {
      this.unfolded[isOpen ? "add" : "delete"](path);
      fill(branch, ...isOpen ? this.#children(value, path) : []);
    };
    const isOpen = this.unfolded.has(path);
    if (isOpen) show(true);
    return h("details", { open: isOpen, ontoggle: (/** @type {any} */ { currentTarget: { open } }) => open !== branch.hasChildNodes() && show(open) }, h("summary", {}, key, h("small", {}, ` ${size}`)), branch);
  }

  /** @param {number[]} hits @param {number} revision @param {string} words @param {Replay.Log} log */
  showFound(hits, revision, words, log) {
    const near = hits.findIndex((hit) => hit >= revision);
    const first = Math.max(Math.min((near < 0 ? hits.length : near) - 5, hits.length - MOST), 0);
    fill(this.found, quiet(words), h("ol", {}, ...hits.slice(first, first + MOST).map((hit) => h("li", {}, h("button", {
      type: "button", "aria-current": hit === revision && "true", onclick: () => this.uses.go(hit),
    }, h("span", {}, log.kindName(hit)), h("small", {}, `${clockText(log.time(hit) - log.begin, 1)} · #${hit.toLocaleString()} · ${
      log.author(hit) < 0 ? t("player.server") : this.uses.nameOf(log.author(hit))}`))))));
  }
}
