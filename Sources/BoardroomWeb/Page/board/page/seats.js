// Who a visitor is: the same in a room for as long as the browser keeps it, so that whoever was
// banned is known in a new tab. Tabs of one room that are open side by side sit on numbered seats,
// the lowest that is free: the first has the browser's own name, so that a tab that is opened anew
// is who it was.
import { keep, kept, randomHex } from "../../ui/storage.js";

/**
 * Where there are no locks (plain HTTP on a network): ms in which other tabs say where they sit.
 */
const ANSWERS = 250;

/**
 * @param {string} room
 * @returns {string} the same each time, unless the browser keeps nothing
 */
export function visitorOf(room) {
  const known = kept(`visitor.${room}`) ?? `visitor-${randomHex(8)}`;
  keep(`visitor.${room}`, known);
  return known;
}

export class Seats {
  /** Gives the seat up. */
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
   * Takes the lowest seat that no other tab has.
   * @returns {Promise<string>} the uid of who sits there
   */
  async take() {
    this.leave();
    const seat = globalThis.navigator?.locks ? await this.#lock() : await this.#ask();
    return seat === 1 ? this.own : `${this.own}.${seat}`;
  }

  async #lock() {
    for (let seat = 1; ; seat++) {
      if (await this.#takeLock(`${this.name}.${seat}`)) return seat;
    }
  }

  /**
   * @param {string} name
   * @returns {Promise<boolean>} whether it is ours; it stays so until we leave
   */
  #takeLock(name) {
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

  async #ask() {
    // Of tabs that ask at the same time the lower one chooses first.
    const own = randomHex(8);
    /** @type {Set<number>} */
    const taken = new Set();
    /** @type {Set<string>} */
    const asking = new Set();
    const channel = new BroadcastChannel(this.name);
    let seat = 0;
    this.leave = () => channel.close();
    const ask = () => channel.postMessage({ tab: own });
    channel.onmessage = ({ data }) => {
      if (data.seat) {
        taken.add(data.seat);
        return;
      }
      if (seat) return channel.postMessage({ tab: own, seat });
      // Whoever asks later has not heard us.
      const isNew = !asking.has(data.tab);
      asking.add(data.tab);
      if (isNew) ask();
    };
    ask();
    await new Promise((done) => {
      this.clock.after(ANSWERS, () => done(undefined));
    });
    const before = [...asking].filter((tab) => tab < own).length;
    const all = Array.from({ length: taken.size + before + 1 }, (_, at) => at + 1);
    seat = all.filter((at) => !taken.has(at))[before];
    return seat;
  }
}
