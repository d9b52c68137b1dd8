// Who a visitor is: the same in a room for as long as the browser keeps it, so that a visitor who
// was banned is known in a new tab. Tabs of one room that are open side by side have numbers, each
// the lowest that is free: the first one has the uid that the browser keeps, so that a tab that is
// opened again is the same visitor.
import { keep, kept, randomHex } from "../../ui/storage.js";

/**
 * Ms in which other tabs tell their numbers, where there are no locks (plain HTTP on a network).
 */
const ANSWER_TIME = 250;

/**
 * @param {string} room
 * @returns {string} the same each time, unless the browser keeps nothing
 */
export function visitorOf(room) {
  const known = kept(`visitor.${room}`) ?? `visitor-${randomHex(8)}`;
  keep(`visitor.${room}`, known);
  return known;
}

export class VisitorTab {
  /** Frees the number. */
  leave = () => {};

  /**
   * @param {string} room
   * @param {Pick<Clock, "after">} clock
   */
  constructor(room, clock) {
    this.name = `boardroom.${room}`;
    this.clock = clock;
    this.own = visitorOf(room);
  }

  /**
   * Takes the lowest number that no other tab has.
   * @returns {Promise<string>} the uid of the visitor
   */
  async chooseUid() {
    this.leave();
    const number = globalThis.navigator?.locks
      ? await this.#numberByLocks()
      : await this.#numberByMessages();
    return number === 1 ? this.own : `${this.own}.${number}`;
  }

  async #numberByLocks() {
    for (let number = 1; ; number++) {
      if (await this.#requestLock(`${this.name}.${number}`)) return number;
    }
  }

  /**
   * @param {string} name
   * @returns {Promise<boolean>} whether this tab has the lock, until `leave`
   */
  #requestLock(name) {
    return new Promise((done, fail) => {
      const hold = (/** @type {Lock | null} */ lock) => {
        done(lock !== null);
        if (!lock) return null;
        return new Promise((leave) => {
          this.leave = () => leave(undefined);
        });
      };
      navigator.locks.request(name, { ifAvailable: true }, hold).catch(fail);
    });
  }

  async #numberByMessages() {
    // Of tabs that ask at the same time, the one with the lower name chooses first.
    const own = randomHex(8);
    /** @type {Set<number>} */
    const taken = new Set();
    /** @type {Set<string>} */
    const asking = new Set();
    const channel = new BroadcastChannel(this.name);
    let number = 0;
    this.leave = () => channel.close();
    const ask = () => channel.postMessage({ tab: own });
    channel.onmessage = ({ data }) => {
      if (data.seat) {
        taken.add(data.seat);
        return;
      }
      if (number) return channel.postMessage({ tab: own, seat: number });
      // A tab that began later has not received our question.
      const isNew = !asking.has(data.tab);
      asking.add(data.tab);
      if (isNew) ask();
    };
    ask();
    await new Promise((done) => {
      this.clock.after(ANSWER_TIME, () => done(undefined));
    });
    const before = [...asking].filter((tab) => tab < own).length;
    const all = Array.from({ length: taken.size + before + 1 }, (_, at) => at + 1);
    number = all.filter((at) => !taken.has(at))[before];
    return number;
  }
}
