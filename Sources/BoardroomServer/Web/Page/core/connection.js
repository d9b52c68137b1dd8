// Decides when a connection opens, is suspected, is retried and is given up (SPEC.md; spec 10.3). Pure:
// whoever drives it hands in time and chance, carries out the answers, and calls `tick` at `deadline` at
// the latest.

/**
 * @typedef {object} ConnectionPolicy all in milliseconds
 * @property {number} suspectAfter silence after which a connection counts as lost
 * @property {number} lostNotice silence after which a person is told of it; trying goes on
 * @property {number} giveUpAfter how long one outage may take
 * @property {number} joinLimit how long the first entry may take
 * @property {number[]} pace waits before the attempts of one outage; the last one repeats
 * @property {number} spread by how much a wait may differ, so that members do not come back all at once
 *
 * @typedef {{do: "nothing"} | {do: "open", link: number} | {do: "greet"} | {do: "drop"} |
 *   {do: "outage"} | {do: "connected", isBack: boolean} | {do: "lostNotice"} | {do: "goodbye"} |
 *   {do: "end", end: ConnectionEnd}} Answer
 *   drop: give up the socket, another try comes at the deadline; outage: the same, and a new outage begins.
 * @typedef {{why: "left"} | {why: "refused", farewell: Record<string, any>} | {why: "joinLimit"} |
 *   {why: "gaveUp"}} ConnectionEnd
 * @typedef {"disconnected" | "connecting" | "connected" | "reconnecting" | "disconnecting"} Phase
 */

/** The seed's numbers: 4 s, 10 s, and 45 s for one outage as for the first entry. */
export const standardPolicy = (giveUpAfter = 45_000) => ({
  suspectAfter: 4_000, lostNotice: 10_000, giveUpAfter, joinLimit: giveUpAfter,
  pace: [500, 1_000, 2_000, 4_000, 8_000], spread: 0.2,
});

const nothing = /** @type {const} */ ({ do: "nothing" });

export class ConnectionMachine {
  /** @type {Phase} */
  phase = "disconnected";
  /** The socket whose bytes count; 0 if there is none. */
  link = 0;
  lastLink = 0;
  /** When something was last heard. */
  lastByte = 0;
  /** When the present stretch of trying, or the leaving, began. */
  began = 0;
  /** The last byte before the outage. */
  silentSince = 0;
  /** Attempts in the present stretch of trying. */
  tries = 0;
  /** @type {number | null} when the next attempt is due, while none is under way */
  nextAttemptAt = null;
  isLostNoticeGiven = false;

  /** @param {ConnectionPolicy} policy */
  constructor(policy) { this.policy = policy; }

  get isTrying() { return this.phase === "connecting" || this.phase === "reconnecting"; }

  /** @returns {number} when `tick` has something to do next; Infinity: never */
  get deadline() {
    const { policy } = this;
    if (this.phase === "disconnected") return Infinity;
    if (this.phase === "disconnecting") return this.began + policy.suspectAfter;
    if (this.phase === "connected") return this.lastByte + policy.suspectAfter;
    const attempt = this.nextAttemptAt ?? this.lastByte + policy.suspectAfter;
    if (this.phase === "connecting") return Math.min(attempt, this.began + policy.joinLimit);
    const notice = this.isLostNoticeGiven ? Infinity : this.silentSince + policy.lostNotice;
    return Math.min(attempt, notice, this.began + policy.giveUpAfter);
  }

  /** @param {number} now @returns {Answer} somebody wants in */
  join(now) {
    if (this.phase !== "disconnected") return nothing;
    this.begin("connecting", now, now);
    return this.open(now);
  }

  /** @param {number} link @param {number} now @returns {Answer} a socket is open */
  opened(link, now) { return this.heard(link, now) ? { do: "greet" } : nothing; }

  /** @param {number} link @param {number} now @returns {boolean} false: bytes of a socket that is given up */
  heard(link, now) {
    if (link !== this.link || link === 0) return false;
    this.lastByte = now;
    return true;
  }

  /** @param {number} link @param {number} now when everything that was missed is here @returns {Answer} */
  live(link, now) {
    if (link !== this.link || !this.isTrying) return /** @type {Answer} */ (nothing);
    const isBack = this.phase === "reconnecting";
    this.phase = "connected";
    this.lastByte = now;
    this.tries = 0;
    return /** @type {Answer} */ ({ do: "connected", isBack });
  }

  /** @returns {Answer} a socket closed, or did not open: without a farewell that is silence */
  lost(/** @type {number} */ link, /** @type {number} */ chance, /** @type {number} */ now) {
    if (link !== this.link || link === 0) return nothing;
    this.link = 0;
    if (this.phase === "disconnecting") return this.finish({ why: "left" });
    if (this.phase === "connected") return this.outage(chance, now);
    // The first entry has tried at once; its waits begin after that.
    const waits = this.phase === "connecting" ? this.tries - 1 : this.tries;
    this.nextAttemptAt = now + this.wait(waits, chance);
    return { do: "drop" };
  }

  /**
   * The server's last word. One that does not ask us back is final (TL-26).
   * @param {Record<string, any>} farewell @param {number} link @param {number} chance @param {number} now
   * @returns {Answer}
   */
  refused(farewell, link, chance, now) {
    if (link !== this.link || link === 0) return nothing;
    if (this.phase === "disconnecting") return this.finish({ why: "left" });
    if (farewell.comeBack) return this.lost(link, chance, now);
    return this.finish({ why: "refused", farewell });
  }

  /** @param {number} now @returns {Answer} somebody wants out, at once */
  leave(now) {
    if (this.phase === "disconnected" || this.phase === "disconnecting") return nothing;
    if (this.phase !== "connected") return this.finish({ why: "left" });
    this.phase = "disconnecting";
    this.began = now;
    return { do: "goodbye" };
  }

  /** @param {number} now @returns {Answer} there is a network again: try at once */
  networkBack(now) { return this.isTrying ? this.open(now) : nothing; }

  /** Time has passed. Call it again until it answers nothing.
   * @returns {Answer} */
  tick(/** @type {number} */ chance, /** @type {number} */ now) {
    const { policy } = this;
    if (now < this.deadline) return nothing;
    if (this.phase === "disconnecting") return this.finish({ why: "left" });
    if (this.phase === "connected") return this.outage(chance, now);
    const tried = now - this.began;
    if (this.phase === "connecting" && tried >= policy.joinLimit) return this.finish({ why: "joinLimit" });
    if (this.phase === "reconnecting") {
      if (tried >= policy.giveUpAfter) return this.finish({ why: "gaveUp" });
      if (!this.isLostNoticeGiven && now >= this.silentSince + policy.lostNotice) {
        this.isLostNoticeGiven = true;
        return { do: "lostNotice" };
      }
    }
    return this.nextAttemptAt === null ? this.lost(this.link, chance, now) : this.open(now);
  }

  /** @param {number} tries @param {number} chance from 0 to 1 @returns {number} */
  wait(tries, chance) {
    const { pace, spread } = this.policy;
    return Math.round(pace[Math.min(Math.max(tries, 0), pace.length - 1)] * (1 + spread * (2 * chance - 1)));
  }

  /** @param {Phase} phase @param {number} now @param {number} silentSince */
  begin(phase, now, silentSince) {
    this.phase = phase;
    this.began = now;
    this.silentSince = silentSince;
    this.tries = 0;
    this.isLostNoticeGiven = false;
  }

  /** @param {number} now @returns {Answer} */
  open(now) {
    this.link = ++this.lastLink;
    this.lastByte = now;
    this.tries++;
    this.nextAttemptAt = null;
    return { do: "open", link: this.link };
  }

  /** @param {number} chance @param {number} now @returns {Answer} */
  outage(chance, now) {
    this.link = 0;
    this.begin("reconnecting", now, this.lastByte);
    this.nextAttemptAt = now + this.wait(0, chance);
    return { do: "outage" };
  }

  /** @param {ConnectionEnd} end @returns {Answer} */
  finish(end) {
    this.link = 0;
    this.phase = "disconnected";
    this.nextAttemptAt = null;
    return { do: "end", end };
  }
}
