// Taps of several fingers at once: they go down together, stay where they are, and go up soon.
import { distance } from "../render/geom.js";

/**
 * Ms between the first finger and the last one that goes down. It is shorter than the time after which a
 * stroke of the first one is sent (tools/pen.js): a tap leaves nothing in the log.
 */
const JOIN_TIME = 100;

/** Ms from the first finger that goes down to the last one that goes up. */
const TAP_TIME = 400;

/** Pixels of the screen that a finger moves at most: fingertips roll. */
const MOST_MOVE = 12;

export class FingerTaps {
  /** Whether all that the fingers did so far is part of a tap. */
  isTap = false;

  #begun = 0;
  #count = 0;

  /** @type {Map<number, Spot>} where each finger went down */
  #from = new Map();

  /**
   * @param {number} id of a finger
   * @param {Spot} at
   * @param {number} time in ms
   */
  down(id, at, time) {
    if (this.#from.size === 0) {
      this.isTap = true;
      this.#begun = time;
      this.#count = 0;
    }
    if (time - this.#begun > JOIN_TIME) this.isTap = false;
    this.#from.set(id, at);
    this.#count += 1;
  }

  /** What the fingers that are down do is something else. */
  spoil() {
    this.isTap = false;
  }

  /**
   * @param {number} id
   * @param {Spot} at
   */
  move(id, at) {
    const from = this.#from.get(id);
    if (from && distance(from, at) > MOST_MOVE) this.isTap = false;
  }

  /**
   * @param {number} id
   * @param {number} time in ms
   * @param {boolean} isMeant not: the browser took the finger
   * @returns {number} how many fingers have tapped, when the last one goes up; 0: that was no tap
   */
  up(id, time, isMeant) {
    if (!this.#from.delete(id)) return 0;
    if (!isMeant || time - this.#begun > TAP_TIME) this.isTap = false;
    return this.#from.size === 0 && this.isTap ? this.#count : 0;
  }
}
