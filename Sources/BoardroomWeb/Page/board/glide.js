// Animates the view to another camera, frame by frame.
import { cameraBetween } from "../render/view.js";

/** Ms of the animation. */
const GLIDE_TIME = 220;

/**
 * @param {object} way
 * @param {Camera} way.from
 * @param {Camera} way.to
 * @param {Clock} way.clock
 * @param {() => boolean} way.isOver something else has moved the view
 * @param {(camera: Camera) => void} way.move
 */
export function glide({ from, to, clock, isOver, move }) {
  const begin = clock.now();
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;
  const step = () => {
    if (isOver()) return;
    const part = isStill ? 1 : Math.min((clock.now() - begin) / GLIDE_TIME, 1);
    move(part >= 1 ? to : cameraBetween(from, to, 1 - (1 - part) ** 3));
    if (part < 1) clock.frame(step);
  };
  step();
}
