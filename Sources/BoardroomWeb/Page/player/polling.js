// Asks the server for new events, again and again: often while the room is watched live.

/** Ms between requests while the room is watched live. */
const LIVE_PERIOD = 800;

/** Ms between them while another place is shown. */
const PERIOD = 4_000;

export class Polling {
  #stop = () => {};

  /** @param {import("./player.js").Player} player */
  constructor(player) {
    this.player = player;
  }

  begin() {
    this.#pollAfter(PERIOD);
  }

  pollNow() {
    this.#pollAfter(0);
  }

  /** @param {number} wait ms */
  #pollAfter(wait) {
    this.#stop();
    this.#stop = this.player.clock.after(wait, async () => {
      const { player } = this;
      const count = await player.source.readNew().catch((why) => this.#handleError(why));
      if (count) player.showNew();
      this.#pollAfter(player.place.isLive ? LIVE_PERIOD : PERIOD);
    });
  }

  /** @param {any} why */
  async #handleError(why) {
    const { player } = this;
    if (why.code === "conflict") await player.reopen();
    else if (player.place.isLive) player.onProblem(why);
  }
}
