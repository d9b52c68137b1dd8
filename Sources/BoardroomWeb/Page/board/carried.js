// What hands carry when it is very much: a picture of the elements, in a layer of tiles of its own,
// is moved, stretched and turned, and no element is drawn. When the hand lets go, the picture stays
// until the tiles below show the elements where they are put.

import { compose, identity, inverse } from "../render/geom.js";
import { ElementFrame } from "./frame.js";

/** From so many elements on a picture of them is carried. */
export const MANY_CARRIED = 200;

export class Carried {
  /** @type {Transform} what the hand does to the elements */
  transform = identity;

  /** Copies are carried: the elements stay, and are seen there as well. */
  isCopy = false;

  /** The picture stays until the tiles below have this version. */
  #until = Infinity;

  isOver = false;

  /** The hand has let go. */
  isSettled = false;

  #frame;

  /**
   * @param {Board} board
   * @param {string[]} ids
   * @param {ElementFrame} frame around them
   */
  constructor(board, ids, frame) {
    const { sceneContent } = board;
    this.board = board;
    this.scene = board.scene;
    this.isMost = 2 * ids.length > sceneContent.index.entries.size;
    this.tiles = sceneContent.lift(ids, this.isMost);
    this.#frame = frame;
  }

  /** As the hand has it now. */
  get frame() {
    const { box, transform } = this.#frame;
    return new ElementFrame(box, compose(this.transform, transform));
  }

  /** The elements are sent as the hand has put them. */
  settle() {
    const { sceneContent } = this.board;
    this.isSettled = true;
    sceneContent.settle((version) => {
      this.#until = version;
    });
  }

  /** The hand leaves the elements where they were. */
  land() {
    const { sceneContent, stage } = this.board;
    this.isSettled = true;
    sceneContent.drop();
    this.transform = identity;
    stage.tiles.join(this.tiles, this.isMost);
    this.#until = stage.tiles.version;
    if (this.isMost) this.end();
  }

  end() {
    if (this.isOver) return;
    this.isOver = true;
    this.board.sceneContent.drop();
    this.tiles.end();
    this.board.stage.requestFrame();
  }

  /** @param {Ink} ctx nothing is on it yet */
  draw(ctx) {
    const { stage, scene } = this.board;
    if (stage.tiles.drawn >= this.#until || scene !== this.scene) this.end();
    if (this.isOver) return;
    const { frame, asked, look } = stage;
    const [a, b, c, d, x, y] = this.transform;
    ctx.save();
    if (a === 1 && b === 0 && c === 0 && d === 1) {
      const left = frame.x + Math.round(x * frame.scale);
      const top = frame.y + Math.round(y * frame.scale);
      ctx.setTransform(1, 0, 0, 1, 0, 0);
      this.tiles.draw(ctx, { ...frame, x: left, y: top }, look.theme, asked);
    } else {
      ctx.setTransform(...onScreen(this.transform, frame));
      this.tiles.draw(ctx, frame, look.theme, asked);
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    if (this.isCopy) {
      ctx.globalCompositeOperation = "destination-over";
      this.tiles.drawOver(ctx, frame);
    }
    stage.tiles.clearShown(ctx, this.#until, frame);
    ctx.restore();
  }
}

/**
 * @param {Transform} transform of the scene
 * @param {Frame} frame
 * @returns {Transform} of the canvas
 */
function onScreen(transform, { scale, x, y }) {
  /** @type {Transform} */
  const toScreen = [scale, 0, 0, scale, x, y];
  const back = /** @type {Transform} */ (inverse(toScreen));
  return compose(compose(toScreen, transform), back);
}
