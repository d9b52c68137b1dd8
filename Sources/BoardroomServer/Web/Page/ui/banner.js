import { fill, h, wordButton } from "./dom.js";
import { refusalText, t } from "./i18n.js";
import { icon } from "./icons.js";

// What the connection is doing: a word beside the room's name always, a banner when it is not well, and notes
// that go.

/** @typedef {import("../core/connection.js").Phase} Phase */
/** @typedef {import("../core/session.js").Trying} Trying */
/** @typedef {import("../core/refusal.js").Refusal} Refusal */
/** @typedef {{tone: "warn" | "bad", text: string, action?: "now" | "again" | "home"}} Said */

const NOTE_TIME = 6000;
const MOST_NOTES = 3;
/** A connection that comes at once needs no banner. */
const PATIENCE = 700;
/** Seconds are counted down without a jump, ms. */
const COUNTING = 250;

/**
 * What a banner says; null: all is well.
 * @param {Phase} phase @param {Trying} trying @param {Refusal | null} end @param {number} now
 * @returns {Said | null}
 */
export function bannerOf(phase, trying, end, now) {
  if (phase === "connected" || phase === "disconnecting") return null;
  if (phase === "disconnected") {
    if (!end) return { tone: "warn", text: t("banner.left"), action: "again" };
    const isFinal = ["notFound", "tokenInvalid", "tokenExpired", "forbidden"].includes(end.code);
    return { tone: "bad", text: end.kick ? kickText(end.kick) : refusalText(end),
      action: isFinal ? "home" : "again" };
  }
  const { attempt, nextAttemptAt, isLost } = trying;
  const seconds = nextAttemptAt === null ? 0 : Math.max(Math.ceil((nextAttemptAt - now) / 1000), 0);
  const when = seconds > 0 ? t("banner.next", { attempt: attempt + 1, seconds })
    : t("banner.attempt", { attempt: Math.max(attempt, 1) });
  const what = phase === "connecting" ? t("banner.connecting")
    : t(isLost ? "banner.lost" : "banner.reconnecting");
  if (phase === "connecting" && attempt < 2) return { tone: "warn", text: what };
  return { tone: isLost ? "bad" : "warn", text: `${what} ${when}`, action: "now" };
}

/** @param {string} reason */
export function kickText(reason) {
  const key = `kick.${reason}`;
  const words = t(key);
  return words === key ? t("kick.kickByAdmin") : words;
}

export class Banner {
  /**
   * @param {{clock: Clock, trying(): Trying, retry(): void, again(): void,
   *   home(): void}} what
   *   trying: how the present outage stands, asked for as it counts
   */
  constructor({ clock, trying, ...actions }) {
    this.clock = clock;
    this.trying = trying;
    this.actions = actions;
    this.element = h("div", { class: "banner", role: "status" });
    this.notes = h("div", { class: "notes", role: "log" });
    this.status = h("span", { class: "status" });
    /** @type {Phase} */
    this.phase = "connecting";
    /** @type {Refusal | null} */
    this.end = null;
    this.since = clock.now();
    /** @type {(() => void) | null} */
    this.ticking = null;
    this.render();
  }

  /** @param {Phase} phase @param {Refusal | null} [end] why the stay is over */
  show(phase, end = phase === "disconnected" ? this.end : null) {
    if (phase !== this.phase) this.since = this.clock.now();
    this.phase = phase;
    this.end = end;
    this.render();
  }

  render() {
    const now = this.clock.now();
    const trying = this.trying();
    this.status.dataset.phase = this.phase;
    fill(this.status, h("span", { class: "mark" }),
      h("span", { class: "status-word" }, t(`phase.${this.phase}`)));
    const isYoung = now - this.since < PATIENCE;
    const isQuiet = isYoung && this.phase === "connecting";
    const said = isQuiet ? null : bannerOf(this.phase, trying, this.end, now);
    this.ticking?.();
    this.ticking = null;
    const isCounting = this.phase === "connecting" || this.phase === "reconnecting";
    if (isCounting) this.ticking = this.clock.after(isYoung ? PATIENCE : COUNTING, () => this.render());
    const key = said ? `${said.tone} ${said.text}` : "";
    if (this.element.dataset.said === key) return;
    const hadButton = this.element.querySelector("button:focus") !== null;
    this.element.dataset.said = key;
    this.element.className = `banner ${said ? `is-shown ${said.tone}` : ""}`;
    fill(this.element);
    if (!said) return;
    fill(this.element, icon(said.tone === "bad" ? "offline" : "warning"), h("span", {}, said.text),
      this.#button(said.action));
    if (hadButton) this.element.querySelector("button")?.focus();
  }

  /** @param {Said["action"]} action */
  #button(action) {
    if (!action) return null;
    const run = { now: this.actions.retry, again: this.actions.again, home: this.actions.home }[action];
    return wordButton("", t(`banner.${action}`), run, { class: "button small" });
  }

  /** A note that goes by itself. */
  /** @param {string} text */
  note(text, isBad = false, picture = isBad ? "warning" : "check") {
    const same = [...this.notes.children].find((one) => one.textContent === text);
    same?.remove();
    const note = h("div", { class: `note ${isBad ? "bad" : ""}` }, icon(picture),
      h("span", {}, text));
    this.notes.append(note);
    while (this.notes.children.length > MOST_NOTES) this.notes.firstElementChild?.remove();
    this.clock.after(NOTE_TIME, () => note.remove());
  }

  close() { this.ticking?.(); }
}
