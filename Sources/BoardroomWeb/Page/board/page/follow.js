// A follower sees what the broadcaster sees, until it moves the view or turns a page itself. Who
// looks at another page than the room reads so, and the way back.
import { cameraOf } from "../../render/view.js";
import { screenOf } from "../../state/roomstate.js";
import { fill, find, h, icon } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { nameOf } from "../../ui/people.js";
import { Part } from "./part.js";

/** Ms between cameras that are sent; the last one is always sent. */
const CAMERA_PERIOD = 50;

export class Follow extends Part {
  element = find(this.app.element, ".follow");

  /** @type {any[]} what was followed last: the camera, and the screens of both */
  followed = [];

  /** @type {(() => void) | null} */
  stopWaiting = null;

  /** @type {number | null | undefined} the scene in the state that is on its way */
  toldScene = undefined;

  get mode() {
    return this.app.me?.viewMode ?? "freedom";
  }

  /** @param {"freedom" | "follower" | "broadcaster"} mode */
  async setMode(mode) {
    // Followers begin with what is seen now, not with what was shown at another time.
    if (mode === "broadcaster") this.#sendCamera();
    await this.app.send("viewMode", { mode });
  }

  /** The state changed. */
  update() {
    this.#followView();
    this.#tellScene();
    const { element } = this;
    const [words, ...buttons] = this.#content();
    const { writable } = this.app.me ?? {};
    const said = JSON.stringify([words, writable, ...buttons.map(([action]) => action)]);
    if (said === element.dataset.said) return;
    element.dataset.said = said;
    element.classList.toggle("is-shown", words !== "");
    const made = buttons.map(([action, word, picture]) => this.#button(action, word, picture));
    fill(element, words !== "" && [h("span", {}, words), ...made]);
  }

  /** Shows what the broadcaster sees, all of it, also on another screen than theirs. */
  #followView() {
    const { session, board } = this.app;
    const { state, member } = session;
    const { view } = board;
    const isFollowing = this.mode === "follower";
    const camera = isFollowing ? state.members.get(state.broadcaster ?? -1)?.camera : undefined;
    const screen = screenOf(state, member);
    const now = [camera, screen?.width, screen?.height, view.width, view.height];
    const isNew = now.some((one, place) => one !== this.followed[place]);
    this.followed = now;
    if (camera && isNew) board.glide(view.cameraLike(cameraOf(camera), screen));
  }

  /**
   * @returns {[string, ...[action: string, word: string, picture?: string][]]} what is said, and
   *   the buttons beside it
   */
  #content() {
    const { mode } = this;
    const { session, pages, others } = this.app;
    const { state } = session;
    const leader = state.members.get(state.broadcaster ?? -1);
    const name = leader ? nameOf(leader) : "";
    const room = pages.labelOf(state.currentScene);
    if (mode === "broadcaster") {
      const isAlone = others.every(({ viewMode }) => viewMode === "follower");
      const stop = /** @type {[string, string]} */ (["present", "follow.stop"]);
      const words = t("follow.broadcaster");
      return isAlone ? [words, stop] : [words, ["bring", "follow.bring", "members"], stop];
    }
    if (mode === "follower") return [t("follow.follower", { name }), ["follow", "follow.stop"]];
    if (leader) {
      const words = pages.isElsewhere ? "follow.onPage" : "follow.freedom";
      return [t(words, { name, label: room }), ["follow", "follow.follow", "eye"]];
    }
    if (!pages.isElsewhere) return [""];
    const words = t("pages.elsewhere", { own: pages.labelOf(session.scene), room });
    return [words, ["rejoin", "pages.rejoin"], ["bring", "pages.bring", "members"]];
  }

  /**
   * @param {string} action
   * @param {string} word
   * @param {string} [picture]
   */
  #button(action, word, picture = "") {
    const isBarred = action === "bring" && !this.app.me?.writable;
    const props = {
      class: "button small",
      "data-do": action,
      "aria-disabled": isBarred && "true",
      title: isBarred && t("pages.mayNotBring"),
    };
    return h("button", props, picture && icon(picture), h("span", {}, t(word)));
  }

  /**
   * Says in the own member's state at which page it looks, if it is not the room's: the others see
   * it in their list, and a replay shows it.
   */
  #tellScene() {
    const { session, me, pages } = this.app;
    if (!session.writable || !me) return;
    const isAlone = this.mode !== "follower" && pages.isElsewhere;
    const scene = isAlone ? session.scene : null;
    const isKnown = scene === (me.state.get("scene") ?? null);
    const isOnItsWay = scene === this.toldScene;
    this.toldScene = isKnown ? undefined : scene;
    if (isKnown || isOnItsWay) return;
    session.send("memberState", { scene }).catch(() => {});
  }

  /** @param {boolean} byHand the view was moved by this member */
  onViewMoved(byHand) {
    const { mode } = this;
    if (byHand && mode === "follower") this.setMode("freedom");
    else if (mode === "follower") this.#followView();
    if (mode === "broadcaster") {
      this.stopWaiting ??= this.app.clock.after(CAMERA_PERIOD, () => {
        this.stopWaiting = null;
        if (this.mode === "broadcaster") this.#sendCamera();
      });
    }
  }

  /** Tells the camera, and the size of the screen to which it belongs, if that is another one. */
  #sendCamera() {
    const { session, board, me } = this.app;
    const { width, height, body } = board.view;
    const known = me?.state.get("screen");
    const isKnown = known?.width === width && known?.height === height;
    const screen = { width, height };
    if (!isKnown) session.send("memberState", { screen }).catch(() => {});
    session.send("camera", body).catch(() => {});
  }
}
