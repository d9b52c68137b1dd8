import { cameraOf } from "../core/view.js";
import { Part, fill, find, h, wordButton } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { nameOf } from "./people.js";

// Presenting and following: the three view modes of the protocol. Who follows sees what the broadcaster sees,
// until the own hand moves the paper.

/** Cameras are sent no more often than this, in ms; the last one always is. */
const PACE = 50;
/** @type {Record<string, string>} by view mode */
const WORDS = {
  freedom: "follow.presents", follower: "follow.following", broadcaster: "follow.presenting",
};

export class Follow extends Part {
  element = find(this.app.element, ".follow");
  /** @type {any} the last camera that was followed, as it came */
  seen = null;
  /** @type {(() => void) | null} */
  waiting = null;

  get mode() { return this.app.people.me?.viewMode ?? "freedom"; }

  async choose(/** @type {"freedom" | "follower" | "broadcaster"} */ mode) {
    if (await this.app.send("viewMode", { mode })) this.#sendCamera();
  }

  /** The state changed. */
  update() {
    const { mode, element, app: { session: { state }, board } } = this;
    const leader = state.members.get(state.broadcaster ?? -1);
    const camera = mode === "follower" ? leader?.camera : undefined;
    if (camera && camera !== this.seen) board.glide(cameraOf(camera));
    this.seen = camera ?? null;
    const isFree = mode === "freedom";
    const name = leader ? nameOf(leader) : "";
    const said = isFree && !leader ? "" : `${mode} ${name}`;
    if (said === element.dataset.said) return;
    element.dataset.said = said;
    element.classList.toggle("is-shown", said !== "");
    const button = wordButton(isFree ? "eye" : "", t(isFree ? "follow.follow" : "follow.stop"),
      () => this.choose(isFree ? "follower" : "freedom"), { class: "button small" });
    fill(element, said && [h("span", {}, t(WORDS[mode], { name })), button]);
  }

  /** @param {boolean} byHand the view was moved by this member */
  moved(byHand) {
    if (byHand && this.mode === "follower") this.choose("freedom");
    if (this.mode === "broadcaster") this.waiting ??= this.app.clock.after(PACE, () => this.#sendCamera());
  }

  #sendCamera() {
    this.waiting = null;
    const { session, board } = this.app;
    if (this.mode === "broadcaster") session.send("camera", board.view.body).catch(() => {});
  }
}
