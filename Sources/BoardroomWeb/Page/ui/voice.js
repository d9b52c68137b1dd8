// A voice that says what the others do, for who does not see the board.
import { h } from "./dom.js";

/** Ms between two things that are said: as fast as one can listen. */
const PACE = 2000;

/** Says things one after another, not faster than can be listened to, the newest of a sort only. */
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
  say(text, sort = text) {
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
    this.clock.after(PACE, () => this.#speak());
  }
}
