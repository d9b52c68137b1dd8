// The token of a member: one that is given, or a function that asks for it again when it is needed.
import { claimsOf } from "../Page/protocol/rest.js";
import { RoomError } from "./errors.js";
import { whenAborted } from "./waiting.js";

/** @typedef {import("./types.js").TokenRequest} TokenRequest */

/** Ms before its end at which a token is replaced; at half of its life, if that is shorter. */
const RENEW_BEFORE = 60_000;

/** Ms that a timer waits, at most; browsers have no longer timers. */
const LONGEST_WAIT = 24 * 3_600_000;

/** Ms between attempts to get another token before the present one expires, at least. */
const SHORTEST_WAIT = 1_000;

/** Ms that a provider may take, if nothing is said. */
const ANSWER_WAIT = 45_000;

/** How often a token is asked for after refusals in one outage, or in one join. */
const MOST_RENEWALS = 3;

/** Refusals that another token helps against. */
const OF_TOKENS = ["tokenExpired", "tokenInvalid"];

/** @param {any} why */
export const isOfToken = (why) => OF_TOKENS.includes(why?.code);

export class Tokens {
  #source;
  #onProblem;
  #within;

  /** @type {any} */
  #session = null;

  #stopTimer = () => {};
  #renewals = 0;

  /** @type {object | null} the question that has no answer yet; one of an earlier stay counts no more */
  #asking = null;

  /**
   * @param {string | import("./types.js").TokenProvider | undefined} source
   * @param {(error: RoomError) => void} onProblem a token could not be had
   * @param {number} [within] ms that a provider may take
   */
  constructor(source, onProblem, within = ANSWER_WAIT) {
    this.#source = source;
    this.#onProblem = onProblem;
    this.#within = within;
  }

  /** Whether there is somebody to ask for another token. */
  get canRenew() {
    return typeof this.#source === "function";
  }

  /**
   * @param {TokenRequest} request
   * @param {AbortSignal} [signal] nobody waits for the answer any more
   * @returns {Promise<string>}
   */
  async ask(request, signal) {
    if (typeof this.#source !== "function") return this.#source ?? "";
    const limit = new TimeLimit(this.#within, signal);
    /** @type {any} */
    let token;
    try {
      token = await Promise.race([this.#source(request), limit.passed]);
    } catch (cause) {
      throw new RoomError({ code: "noToken", cause });
    } finally {
      limit.stop();
    }
    if (typeof token === "string" && token !== "") return token;
    const what = limit.isPassed
      ? `The token provider gave no token within ${this.#within / 1_000} s.`
      : "The token provider gave something that is no token.";
    throw new RoomError({ code: "noToken", what });
  }

  /** @param {any} session is given other tokens from here on */
  serve(session) {
    this.#session = session;
    session.renewer = (/** @type {any} */ farewell) => this.#renew(farewell);
  }

  /** The member is in the room: counts refusals anew, and plans the next token. */
  onConnected() {
    this.#renewals = 0;
    this.#plan(this.#session?.options.token ?? "");
  }

  /** The stay is over. */
  stop() {
    this.#stopTimer();
    this.#renewals = 0;
    this.#asking = null;
  }

  /** @param {string} token */
  #plan(token) {
    this.#stopTimer();
    const end = Number(claimsOf(token).get("expireAt") ?? NaN);
    const { clock } = this.#session;
    if (!this.canRenew || !Number.isFinite(end) || end <= clock.now()) return;
    const left = end - clock.now();
    const wait = Math.max(left - Math.min(RENEW_BEFORE, left / 2), SHORTEST_WAIT);
    this.#stopTimer = clock.after(Math.min(wait, LONGEST_WAIT), () => {
      if (wait > LONGEST_WAIT) this.#plan(token);
      else void this.#replace({ reason: "expiring" }).then(() => this.#planAfter(token));
    });
  }

  /** @param {string} token the one before */
  #planAfter(token) {
    const { phase, options } = this.#session;
    // If none could be had, the rest of the old one's life is halved.
    if (phase !== "disconnected") this.#plan(options.token ?? token);
  }

  /**
   * @param {any} farewell
   * @returns {boolean} whether another token is asked for
   */
  #renew(farewell) {
    if (!this.canRenew || !isOfToken(farewell) || this.#renewals >= MOST_RENEWALS) return false;
    if (this.#asking === null) {
      this.#renewals += 1;
      void this.#replace({ reason: "refused", code: farewell.code });
    }
    return true;
  }

  /** @param {TokenRequest} request */
  async #replace(request) {
    if (this.#asking !== null) return;
    const asking = {};
    this.#asking = asking;
    const isWanted = () => this.#asking === asking;
    try {
      const token = await this.ask(request);
      if (isWanted()) this.#session.setToken(token);
    } catch (error) {
      if (isWanted()) this.#onProblem(/** @type {RoomError} */ (error));
    } finally {
      if (isWanted()) this.#asking = null;
    }
  }
}

/** A time that may pass before something is there. */
class TimeLimit {
  isPassed = false;

  /**
   * @param {number} ms
   * @param {AbortSignal} [signal] it does not matter any more
   */
  constructor(ms, signal) {
    this.passed = new Promise((done) => {
      const timer = setTimeout(() => {
        this.isPassed = true;
        done(undefined);
      }, ms);
      const stopListening = whenAborted(signal, () => clearTimeout(timer));
      this.stop = () => {
        clearTimeout(timer);
        stopListening();
      };
    });
  }

  stop() {}
}
