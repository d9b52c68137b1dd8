// Announcements of what the others do, for people who do not see the board.
import { h } from "./dom.js";

/** Ms between two announcements, so that people can follow. */
const ANNOUNCEMENT_PAUSE = 2000;

/** Announces texts one after another, of each sort only the newest. */
export class Voice {
  element = h("div", { class: "unseen", "aria-live": "polite", role: "status" });

  /** @type {Map<string, string>} */
  waiting = new Map();

  isResting = false;

  /** @param {Clock} clock */
  constructor(clock) {
    this.clock = clock;
  }

  /**
   * @param {string} text
   * @param {string} [sort] a later one of the same sort takes its place
   */
  announce(text, sort = text) {
    this.waiting.delete(sort);
    this.waiting.set(sort, text);
    if (!this.isResting) this.#speak();
  }

  #speak() {
    const [next] = this.waiting;
    this.isResting = next !== undefined;
    if (!next) return;
    this.waiting.delete(next[0]);
    this.element.textContent = next[1];
    this.clock.after(ANNOUNCEMENT_PAUSE, () => this.#speak());
  }
}
