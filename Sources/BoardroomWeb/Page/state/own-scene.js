// The scene that this member looks at: the room's, that of the presenter whom it follows, or one to
// which it has turned alone.
import { sceneOf } from "./roomstate.js";

export class OwnScene {
  /** @type {number | undefined} the scene that it looks at in place of the room's */
  #chosen = undefined;

  /** @param {import("./session.js").RoomSession} session */
  constructor(session) {
    this.session = session;
  }

  get isFollower() {
    return this.session.me?.viewMode === "follower";
  }

  /** @returns {number} the scene that is looked at now */
  get now() {
    const { state, member } = this.session;
    if (this.isFollower) return sceneOf(state, member);
    const own = this.#chosen ?? -1;
    return state.scene(own) ? own : state.currentScene;
  }

  /** @param {number} scene that is looked at alone */
  choose(scene) {
    this.#chosen = scene === this.session.state.currentScene ? undefined : scene;
  }

  /** The room's scene is looked at. */
  reset() {
    this.#chosen = undefined;
  }

  /**
   * Who switches the scene takes everybody along, also those who look at another one. A presenter
   * takes along only those who follow: whoever has stopped following stays where it is.
   * @param {Rec} rec
   * @param {number} before the room's scene until then
   * @typedef {import("../protocol/records.js").Rec} Rec
   */
  goAlong({ name, by }, before) {
    const { state, member } = this.session;
    // Who begins to present is followed by all.
    if (name === "viewMode" && by === state.broadcaster) state.unfollowed = undefined;
    if (name === "viewMode" && this.isFollower) this.reset();
    if (name !== "sceneSwitched") return;
    const isByPresenter = by !== member && by === state.broadcaster;
    const stays = isByPresenter && !this.isFollower;
    this.#chosen = stays ? (this.#chosen ?? before) : undefined;
  }

  /**
   * A spectator follows who presents, or stops doing so, for itself alone: it may send nothing.
   * @param {"freedom" | "follower"} mode
   */
  followAlone(mode) {
    const { state, notifier } = this.session;
    const isFollower = mode === "follower";
    state.unfollowed = isFollower ? undefined : state.broadcaster;
    if (isFollower) this.reset();
    notifier.notifyViewMode();
  }
}
