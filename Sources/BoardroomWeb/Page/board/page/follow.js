// Who follows sees what the broadcaster sees, until the own hand moves the paper.
import { cameraOf } from "../../render/view.js";
import { fill, find, h, icon } from "../../ui/dom.js";
import { t } from "../../ui/i18n.js";
import { nameOf } from "../../ui/people.js";
import { Part } from "./part.js";

/** Ms between cameras that are sent, at least; the last one always is. */
const PACE = 50;

export class Follow extends Part {
  element = find(this.app.element, ".follow");

  /** @type {any} the last camera that was followed, as it came */
  seen = null;

  /** @type {(() => void) | null} */
  waiting = null;

  get mode() {
    return this.app.me?.viewMode ?? "freedom";
  }

  /** @param {"freedom" | "follower" | "broadcaster"} mode */
  async choose(mode) {
    if (await this.app.send("viewMode", { mode })) this.#sendCamera();
  }

  /** The state changed. */
  update() {
    const { mode, element } = this;
    const { board } = this.app;
    const { state } = this.app.session;
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
    const words = h("span", {}, t(`follow.${mode}`, { name }));
    fill(element, said && [words, followButton(isFree)]);
  }

  /** @param {boolean} byHand the view was moved by this member */
  moved(byHand) {
    if (byHand && this.mode === "follower") this.choose("freedom");
    if (this.mode === "broadcaster") {
      this.waiting ??= this.app.clock.after(PACE, () => this.#sendCamera());
    }
  }

  #sendCamera() {
    this.waiting = null;
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
