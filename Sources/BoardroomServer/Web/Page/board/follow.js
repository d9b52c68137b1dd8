import { cameraOf } from "../core/view.js";
import { h, wordButton } from "../ui/dom.js";
import { t } from "../ui/i18n.js";
import { nameOf } from "./people.js";

// Presenting and following: the three view modes of the protocol. Who follows sees what the broadcaster sees,
// until the own hand moves the paper.

/** Cameras are sent no more often than this, in ms; the last one always is. */
const PACE = 50;

export class Follow {
  /** @param {import("./app.js").App} app */
  constructor(app) {
    this.app = app;
    this.element = h("div", { class: "follow", role: "status" });
    /** The last camera that was followed, as it came. */
    /** @type {any} */
    this.seen = null;
    /** @type {(() => void) | null} */
    this.waiting = null;
  }

  get #state() { return this.app.session.state; }
  get mode() { return this.app.people.me?.viewMode ?? "freedom"; }
  get leader() { return this.#state.members.get(this.#state.broadcaster ?? -1); }

  /** @param {"freedom" | "follower" | "broadcaster"} mode */
  choose(mode) {
    this.app.send("viewMode", { mode }).then((isDone) => {
      if (isDone && mode === "broadcaster") this.#sendCamera();
    });
  }

  /** The state changed. */
  update() {
    const { leader, mode } = this;
    const camera = mode === "follower" ? leader?.camera : undefined;
    if (camera && camera !== this.seen) this.app.board.glide(cameraOf(camera));
    this.seen = camera ?? null;
    this.#show(mode, leader ? nameOf(leader) : "");
  }

  /** @param {string} mode @param {string} name */
  #show(mode, name) {
    const said = `${mode} ${name}`;
    if (said === this.element.dataset.said) return;
    this.element.dataset.said = said;
    const free = wordButton("", t("follow.stop"), () => this.choose("freedom"), { class: "button small" });
    const again = wordButton(
      "eye", t("follow.follow"), () => this.choose("follower"), { class: "button small" });
    const [words, button] = mode === "broadcaster" ? [t("follow.presenting"), free]
      : mode === "follower" ? [t("follow.following", { name }), free]
        : name ? [t("follow.presents", { name }), again] : ["", null];
    this.element.replaceChildren(...(button ? [h("span", {}, words), button] : []));
    this.element.classList.toggle("is-shown", button !== null);
  }

  /** The view was moved. */
  /** @param {boolean} byHand */
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
