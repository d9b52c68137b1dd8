// How the view is moved: by this member, or by an animation, which another movement ends.
import { glide } from "./glide.js";

export class ViewMotion {
  /** Whether the movement that is under way is one of this member. */
  isByHand = false;

  /** The number of the last movement: an animation ends when another one begins. */
  #last = 0;

  /**
   * @param {import("../render/view.js").View} view
   * @param {Clock} clock
   */
  constructor(view, clock) {
    this.view = view;
    this.clock = clock;
  }

  /** @param {Camera} camera */
  glide(camera) {
    const { view, clock, isByHand } = this;
    this.#last += 1;
    const own = this.#last;
    glide({
      from: view.camera,
      to: camera,
      clock,
      isOver: () => this.#last !== own,
      move: (there) => this.#moveAs(isByHand, own, () => view.set(there)),
    });
  }

  /** @param {() => void} move a movement of this member */
  move(move) {
    this.#moveAs(true, this.#last + 1, move);
  }

  /**
   * @param {boolean} isByHand
   * @param {number} number of the movement
   * @param {() => void} move
   */
  #moveAs(isByHand, number, move) {
    this.#last = number;
    this.isByHand = isByHand;
    move();
    this.isByHand = false;
  }
}
