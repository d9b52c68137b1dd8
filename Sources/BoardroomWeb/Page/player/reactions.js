// Reactions in a replay: shown over the board at their moment.
import { Reactions, SHOWN_FOR } from "../board/reactions.js";
import { body } from "../protocol/records.js";

export class ReplayedReactions {
  /** @param {import("./player.js").Player} player */
  constructor(player) {
    this.player = player;
    this.layer = new Reactions(player.board);
  }

  /**
   * Shows an event if it is a reaction that was still shown at the place of the player.
   * @param {Replay.Rec | undefined} rec
   */
  show(rec) {
    if (rec?.name !== "reaction") return;
    const { log, place } = this.player;
    if (log.time(place.revision) - rec.t < SHOWN_FOR) this.layer.add(rec.rev, body(rec) ?? {});
  }

  clear() {
    this.layer.clear();
  }
}
