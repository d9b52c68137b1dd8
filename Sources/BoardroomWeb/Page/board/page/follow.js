// A follower sees what the broadcaster sees, until it moves the view itself.
import { cameraOf } from "../../render/view.js";
import { fill, find, h, icon } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { nameOf } from "../../ui/people.js";
import { Part } from "./part.js";

/** Ms between cameras that are sent; the last one is always sent. */
const CAMERA_PERIOD = 50;

export class Follow extends Part {
  element = find(this.app.element, ".follow");

  /** @type {any} the last camera that was followed */
  followedCamera = null;

  /** @type {(() => void) | null} */
  stopWaiting = null;

  get mode() {
    return this.app.me?.viewMode ?? "freedom";
  }

  /** @param {"freedom" | "follower" | "broadcaster"} mode */
  async setMode(mode) {
    if (await this.app.send("viewMode", { mode })) this.#sendCamera();
  }

  /** The state changed. */
  update() {
    const { mode, element } = this;
    const { board } = this.app;
    const { state } = this.app.session;
    const leader = state.members.get(state.broadcaster ?? -1);
    const camera = mode === "follower" ? leader?.camera : undefined;
    if (camera && camera !== this.followedCamera) board.glide(cameraOf(camera));
    this.followedCamera = camera ?? null;
    const isFree = mode === "freedom";
    const name = leader ? nameOf(leader) : "";
    const said = isFree && !leader ? "" : `${mode} ${name}`;
    if (said === element.dataset.said) return;
    element.dataset.said = said;
    element.classList.toggle("is-shown", said !== "");
    const words = h("span", {}, t(`follow.${mode}`, { name }));
    fill(element, said && [words, followButton(isFree)]);
  }

  /** @param {boolean} byHand the view was moved by this member */
  onViewMoved(byHand) {
    if (byHand && this.mode === "follower") this.setMode("freedom");
    if (this.mode === "broadcaster") {
      this.stopWaiting ??= this.app.clock.after(CAMERA_PERIOD, () => this.#sendCamera());
    }
  }

  #sendCamera() {
    this.stopWaiting = null;
    const { session, board } = this.app;
    if (this.mode === "broadcaster") session.send("camera", board.view.body).catch(() => {});
  }
}

/** @param {boolean} isFree */
function followButton(isFree) {
  const words = h("span", {}, t(isFree ? "follow.follow" : "follow.stop"));
  const props = { class: "button small", "data-do": "follow" };
  return h("button", props, isFree && icon("eye"), words);
}
