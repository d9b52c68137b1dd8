// The state of the connection: a word beside the name of the room, a banner while there is no
// connection; and notes.
import { find, h, icon } from "../../ui/dom.js";
import { refusalText, t } from "../../ui/i18n.js";
import { Part } from "./part.js";

/**
 * What is said of a connection, and what can be done: a button's `data-do`.
 * @typedef {{ tone: "warn" | "bad"; text: string; action?: "now" | "again" | "home" }} BannerWords
 */

/** Ms that a note is shown. */
const NOTE_TIME = 6000;

/** Notes that are shown at once, at most. */
const MOST_NOTES = 3;

/** Ms without a connection after which the banner is shown. */
const BANNER_DELAY = 700;

/** Ms between updates of the banner: short, so that the seconds count down evenly. */
const COUNT_PERIOD = 250;

/** Codes of refusals after which joining again ends in the same way. */
const FINAL_CODES = ["notFound", "tokenInvalid", "tokenExpired", "forbidden"];

/** Reasons for which a board cannot be opened: it is gone, or this visitor is not let in. */
const REFUSED = [...FINAL_CODES, "banned", "roomDelete", "roomBan"];

const KICKS = ["roomDelete", "roomZombie", "roomBan", "GatewayAdjust", "replaceByOther", "crash"];

/** @param {RoomRefusal} end why the session ended */
export const endText = (end) =>
  end.kick === undefined
    ? refusalText(end)
    : t(`kick.${KICKS.includes(end.kick) ? end.kick : "kickByAdmin"}`);

/**
 * @param {RoomRefusal | null} end none: this page has left
 * @returns {BannerWords}
 */
function endWords(end) {
  if (!end) return { tone: "warn", text: t("banner.left"), action: "again" };
  const action = FINAL_CODES.includes(end.code) ? "home" : "again";
  return { tone: "bad", text: endText(end), action };
}

/**
 * The words of the banner; null: the connection is fine.
 * @param {RoomPhase} phase
 * @param {RoomTrying} trying
 * @param {RoomRefusal | null} end why the stay is over
 * @param {number} now
 * @returns {BannerWords | null}
 */
export function bannerOf(phase, { attempt, nextAttemptAt, isLost }, end, now) {
  if (phase === "connected" || phase === "disconnecting") return null;
  if (phase === "disconnected") return endWords(end);
  if (phase === "connecting" && attempt < 2) return { tone: "warn", text: t("banner.connecting") };
  const what = t(`banner.${phase === "reconnecting" && isLost ? "lost" : phase}`);
  const seconds = Math.max(Math.ceil(((nextAttemptAt ?? now) - now) / 1000), 0);
  const when = seconds
    ? t("banner.next", { attempt: attempt + 1, seconds })
    : t("banner.attempt", { attempt: Math.max(attempt, 1) });
  return { tone: isLost ? "bad" : "warn", text: `${what} ${when}`, action: "now" };
}

export class Banner extends Part {
  /** @type {RoomPhase} */
  phase = "connecting";

  /** @type {RoomRefusal | null} */
  end = null;

  since = this.app.clock.now();
  stopCounting = () => {};
  element = find(this.app.element, ".banner");
  notes = find(this.app.element, ".notes");
  status = find(this.app.element, ".status");

  /**
   * @param {RoomPhase} phase
   * @param {RoomRefusal | null} [end] why the stay is over
   */
  show(phase, end = phase === "disconnected" ? this.end : null) {
    if (phase !== this.phase) this.since = this.app.clock.now();
    this.phase = phase;
    this.end = end;
    this.render();
  }

  render() {
    const { phase, status } = this;
    const { clock, session } = this.app;
    const now = clock.now();
    const isYoung = now - this.since < BANNER_DELAY;
    this.stopCounting();
    if (phase === "connecting" || phase === "reconnecting") {
      this.stopCounting = clock.after(isYoung ? BANNER_DELAY : COUNT_PERIOD, () => this.render());
    }
    status.dataset.phase = phase;
    find(status, ".status-word").textContent = t(`phase.${phase}`);
    const isQuiet = isYoung && phase === "connecting";
    this.#showWords(isQuiet ? null : bannerOf(phase, session.trying, this.end, now));
  }

  /** @param {BannerWords | null} said null: the connection is fine */
  #showWords(said) {
    const { element } = this;
    element.className = `banner ${said ? `is-shown ${said.tone}` : ""}`;
    const { action, text = "" } = said ?? {};
    const words = find(element, "span");
    const button = find(element, "button");
    // A screen reader reads a text again if it is set again.
    if (words.textContent !== text) words.textContent = text;
    button.hidden = !action;
    button.dataset.do = action;
    button.textContent = action ? t(`banner.${action}`) : "";
    const isRefused = REFUSED.includes(this.end?.kick ?? this.end?.code ?? "");
    const isOffered = said?.tone === "bad" && isRefused && this.app.options.isListed?.();
    find(element, "[data-do=forget]").hidden = !isOffered;
  }

  /**
   * Says in a note, and to who does not see it.
   * @param {string} text
   */
  tell(text, isBad = true) {
    this.addNote(text, isBad);
    this.app.voice.announce(text);
  }

  /** @param {string} text of a note, which is removed after NOTE_TIME */
  addNote(text, isBad = false, picture = isBad ? "warning" : "check") {
    [...this.notes.children].find((one) => one.textContent === text)?.remove();
    const props = { class: `note ${isBad ? "bad" : ""}` };
    const note = h("div", props, icon(picture), h("span", {}, text));
    this.notes.append(note);
    if (this.notes.children.length > MOST_NOTES) this.notes.firstElementChild?.remove();
    this.app.clock.after(NOTE_TIME, () => note.remove());
  }
}
