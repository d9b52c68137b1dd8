// What has been read of a log for stories: the lives of elements, and what was erased. Reading goes
// on where it ended when the log has grown, and can be ended.
import { boxOfElement } from "../render/element-index.js";
import { contains, grown, sizeOf } from "../render/geom.js";
import { hits } from "../render/hit.js";
import { Graveyard } from "./graveyard.js";
import { Life } from "./life.js";
import { walk } from "./walk.js";

/**
 * Something that is read in a walk, and how far it has come.
 * @typedef {{ looking: import("./walk.js").Looking, state: Replay.State }} Reading
 */

export class Past {
  graveyard = new Graveyard();

  /** @type {Replay.Log | undefined} whose past it is */
  #log = undefined;

  /** @type {Reading | undefined} */
  #graves = undefined;

  /** @type {{life: Life, reading: Reading} | undefined} the life that was read last */
  #life = undefined;

  /** @type {WeakMap<Thing, Box>} */
  #boxes = new WeakMap();

  /**
   * @param {Replay.Player} player
   * @param {(part: number) => void} onProgress
   */
  constructor(player, onProgress) {
    this.player = player;
    this.onProgress = onProgress;
  }

  /**
   * Reads the life of an element up to the end of the log.
   * @param {string} id
   * @param {() => boolean} isWanted
   * @returns {Promise<Life | undefined>} undefined: it is not wanted any more
   */
  async lifeOf(id, isWanted) {
    this.#followLog();
    if (this.#life?.life.id !== id) {
      const state = await this.player.source.stateAt(this.#beginOf(id), isWanted);
      if (!state) return undefined;
      const life = new Life(id);
      life.begin(state);
      this.#life = { life, reading: { looking: life, state } };
    }
    const { life, reading } = this.#life;
    return (await this.#read(reading, isWanted)) ? life : undefined;
  }

  /** The log has another epoch: nothing of what was read is of use. */
  #followLog() {
    const { log } = this.player;
    if (this.#log === log) return;
    this.#log = log;
    this.#life = undefined;
    this.#graves = undefined;
    this.graveyard = new Graveyard();
  }

  /**
   * @param {string} id
   * @returns {number} a revision before which nothing happened to it
   */
  #beginOf(id) {
    const { source, log } = this.player;
    const [member] = id.split(".").map(Number);
    const turns = log.people.get(member)?.turns ?? [];
    const isWhole = source.index.blocks.every(({ last }) => log.kind(last) > 0);
    if (!isWhole || turns.length === 0) return source.first;
    return Math.max(Math.min(...turns.map(({ revision }) => revision)) - 1, source.first);
  }

  /**
   * Reads what was erased, up to the end of the log.
   * @param {() => boolean} isWanted
   */
  async readGraves(isWanted) {
    this.#followLog();
    if (!this.#graves) {
      const { source } = this.player;
      const state = await source.stateAt(source.first, isWanted);
      if (!state) return false;
      this.#graves = { looking: this.graveyard, state };
    }
    return this.#read(this.#graves, isWanted);
  }

  /**
   * @param {Reading} reading
   * @param {() => boolean} isWanted
   */
  #read({ looking, state }, isWanted) {
    const { onProgress } = this;
    const { source, clock } = this.player;
    return walk(source, { state, looking: [looking], isWanted, onProgress, clock });
  }

  /**
   * @param {RoomElement} element
   * @returns {number} the page on which it is shown at the place of the player
   */
  pageOf({ scene }) {
    return this.graveyard.pagesAt(this.player.place.revision)(scene);
  }

  /** Erased elements of the page, at the place of the player. */
  get erased() {
    return this.#at.filter(({ isMoved }) => !isMoved);
  }

  get #at() {
    const { place, scene } = this.player;
    return this.graveyard.at(place.revision, scene);
  }

  /**
   * What was at a place: on what it drew, the last one first; or else around it, the smallest one
   * first, since nobody remembers exactly where a line was.
   * @param {Spot} at
   * @param {number} reach
   * @returns {Replay.Grave[]} one for each element
   */
  gravesAt(at, reach) {
    const { stage } = this.player.board;
    const around = this.#at.filter(({ element }) =>
      contains(grown(this.#boxOf(element), reach), at),
    );
    const isOn = (/** @type {Replay.Grave} */ { element }) =>
      stage.marksOf(element).some((mark) => hits(mark, at, reach));
    const on = around.filter(isOn).reverse();
    const area = (/** @type {Replay.Grave} */ { element }) => {
      const { x, y } = sizeOf(this.#boxOf(element));
      return x * y;
    };
    const near = around.filter(({ isMoved }) => !isMoved).reverse();
    const found = on.length > 0 ? on : near.sort((a, b) => area(a) - area(b));
    const ids = found.map(({ element }) => element.id);
    return found.filter((_, place) => ids.indexOf(ids[place]) === place);
  }

  /** @param {Thing} element */
  #boxOf(element) {
    const box = this.#boxes.get(element) ?? boxOfElement(element);
    this.#boxes.set(element, box);
    return box;
  }
}
