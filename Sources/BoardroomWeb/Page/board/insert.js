// Elements of a file are put on the page that is shown. They are drawn on a page of their own first,
// which no list shows, and copied from there: so all of them are one step of the history, and
// nobody sees half of them. That page is removed at the end.
import { boxOfElement } from "../render/element-index.js";
import { ElementFields } from "../render/fields.js";
import { union } from "../render/geom.js";
import { FREE, moves, portions } from "./edits.js";
import { freshGroups, GROUPS } from "./groups.js";

/** @typedef {import("../ui/board-file.js").Item} Item */

/** The directory of the pages on which elements are drawn first, by member. */
const DIRECTORY = "/import-";

/** Elements that are sent before the answers are waited for. */
const WAVE = 50;

/** Commands a second: less than the usual rate of a member (docs/SPEC.md, DEC-5). */
const RATE = 400;

/** Bytes of a command beside its elements. */
const MARGIN = 512;

/** Ms until a command is sent again that came too fast, and how often. */
const RETRY_AFTER = 1_000;
const RETRIES = 30;

/** Elements that are put by one command each, without a page of their own. */
const FEW = 1;

/** Pages on which this browser's page draws just now. @type {Set<string>} */
const inUse = new Set();

/**
 * @param {Item[]} items
 * @returns {Box | undefined} around them
 */
export const boxOfItems = (items) =>
  items
    .map((item) => boxOfElement(thingOf(item)))
    .reduce(union, /** @type {Box | undefined} */ (undefined));

/**
 * @param {Item} item
 * @returns {Thing} as if it was on a board
 */
const thingOf = (item) => ({ member: 0, number: 0, place: 0, scene: 0, ...item });

/**
 * @param {Item[]} items
 * @param {Spot} by how far they are moved
 * @returns {Item[]}
 */
export function movedItems(items, { x, y }) {
  const changes = moves(items.map(thingOf), x, y);
  return items.map((item, at) => ({ ...item, set: { ...item.set, ...changes[at].set } }));
}

/**
 * @param {Item[]} items
 * @param {() => string} newId
 * @returns {Item[]} with ids of their own, also in groups and at the ends of arrows. Their order is
 *   that in which they stand, and locks come later.
 */
export function renamed(items, newId) {
  const ids = new Map(items.map(({ id }) => [id, newId()]));
  const groups = freshGroups(items.map(thingOf), newId, undefined);
  return items.map((item) => {
    const { order: _order, locked: _locked, ...set } = item.set ?? {};
    const fields = new ElementFields(thingOf(item));
    const own = groups(thingOf(item));
    if (own) set[GROUPS] = own;
    for (const name of ["start", "end"]) {
      const bound = fields.style(name);
      if (bound === undefined || bound === FREE) continue;
      const id = ids.get(bound?.element);
      set[`style.${name}`] = id ? { ...bound, element: id } : FREE;
    }
    return { ...item, id: /** @type {string} */ (ids.get(item.id)), set };
  });
}

/** Puts the elements of one file. */
export class Insertion {
  /** @type {any[]} why elements are missing */
  refusals = [];

  /** @type {number[]} revisions of the steps that belong together */
  steps = [];

  #sent = 0;
  #since = 0;

  /**
   * @param {Board} board
   * @param {(done: number, all: number) => boolean} goesOn is told how many are done, and says
   *   whether to go on
   */
  constructor(board, goesOn) {
    this.board = board;
    this.session = /** @type {Session} */ (board.session);
    this.goesOn = goesOn;
    this.#since = board.clock.now();
  }

  /**
   * @param {Item[]} items
   * @returns {Promise<string[]>} ids of those that are on the board
   * @throws {import("../protocol/refusal.js").Refusal}
   */
  async put(items) {
    const { board } = this;
    const scene = board.scene;
    const named = renamed(items, () => board.newId());
    const isFew = named.length <= FEW && named.every(({ stroke }) => !stroke);
    try {
      const ids = isFew ? await this.#putFew(named, scene) : await this.#putMany(named, scene);
      await this.#lock(items, named, ids);
      return ids;
    } finally {
      // Also what is there of a file whose rest was refused is one step.
      board.joinSteps(this.steps);
    }
  }

  /**
   * @param {Item[]} items shapes
   * @param {number} scene
   */
  async #putFew(items, scene) {
    for (const { id, shape, set } of items) {
      await this.#step("elementPut", { id, scene, ...shape, set });
    }
    return items.map(({ id }) => id);
  }

  /**
   * @param {Item[]} items
   * @param {number} scene where they are in the end
   */
  async #putMany(items, scene) {
    await this.#tidy();
    const path = await this.#makePage();
    try {
      const page = this.#pageAt(path);
      const made = await this.#drawAll(items, page);
      const limit = (this.session.limits?.message ?? 65_536) - MARGIN;
      for (const part of portions(
        made.map((one) => ({ ...one, scene })),
        limit,
      )) {
        await this.#step("elementsCopied", { copies: part });
      }
      return made.map(({ id }) => id);
    } finally {
      inUse.delete(path);
      await this.session.send("scenesRemoved", { path }).catch(() => {});
    }
  }

  /** @returns {Promise<string>} the path of a page on which elements are drawn */
  async #makePage() {
    const name = this.board.newId();
    const directory = DIRECTORY + this.session.member;
    await this.session.send("scenesPut", { directory, index: 0, scenes: [{ name }] });
    inUse.add(`${directory}/${name}`);
    return `${directory}/${name}`;
  }

  /** @param {string} path */
  #pageAt(path) {
    const page = this.session.state.scenes.find(
      (/** @type {RoomScene} */ one) => one.path === path,
    );
    if (!page) throw new Error("The page for the elements is not there.");
    return page.id;
  }

  /** Removes pages of members who left while they put a file. */
  async #tidy() {
    const { state, member } = this.session;
    for (const { directory, path } of state.scenes) {
      const owner = directory.startsWith(DIRECTORY)
        ? Number(directory.slice(DIRECTORY.length))
        : NaN;
      const isLeft = owner === member ? !inUse.has(path) : !state.members.has(owner);
      if (Number.isInteger(owner) && isLeft) {
        await this.session.send("scenesRemoved", { path }).catch(() => {});
      }
    }
  }

  /**
   * @param {Item[]} items
   * @param {number} page
   * @returns {Promise<{from: string, id: string, set?: Record<string, any>}[]>} the copies to make
   */
  async #drawAll(items, page) {
    const made = [];
    for (let at = 0; at < items.length; at += WAVE) {
      const wave = items.slice(at, at + WAVE);
      const drawn = await Promise.all(wave.map((item) => this.#draw(item, page)));
      made.push(...drawn.flatMap((one) => one ?? []));
      if (!this.goesOn(at + wave.length, items.length)) return [];
      await this.#pace();
    }
    return made;
  }

  /** Waits until the server takes more. */
  async #pace() {
    const early = this.#sent / RATE - (this.board.clock.now() - this.#since) / 1_000;
    if (early > 1) await this.#wait(early * 1_000);
  }

  /** @param {number} ms */
  #wait(ms) {
    return new Promise((done) => this.board.clock.after(ms, () => done(undefined)));
  }

  /**
   * @param {Item} item
   * @param {number} page
   */
  async #draw({ id, shape, stroke, set }, page) {
    try {
      const from = await this.#again(async () => {
        const drawn = this.board.newId();
        await (stroke
          ? this.#stroke(drawn, stroke, page)
          : this.#shape(drawn, { ...shape, set }, page));
        return drawn;
      });
      return stroke ? { from, id, set } : { from, id };
    } catch (why) {
      this.refusals.push(why);
      return undefined;
    }
  }

  /**
   * @param {string} id
   * @param {Record<string, any>} shape
   * @param {number} scene
   */
  #shape(id, shape, scene) {
    this.#sent += 1;
    return this.session.send("elementPut", { id, scene, ...shape });
  }

  /**
   * @param {string} id
   * @param {Stroke} stroke
   * @param {number} scene
   */
  #stroke(id, { begin, segments }, scene) {
    const number = Number(id.split(".")[1]);
    const parts = segments.map((segment, at) => ({
      stroke: number,
      ...(at === 0 ? { begin: { ...begin, scene } } : {}),
      end: at === segments.length - 1,
      ...segment,
    }));
    this.#sent += parts.length;
    return Promise.all(parts.map((part) => this.session.send("stroke", part)));
  }

  /**
   * @template Answer
   * @param {() => Promise<Answer>} send is called again if it was too fast
   * @returns {Promise<Answer>}
   */
  async #again(send) {
    for (let tries = 1; ; tries += 1) {
      try {
        return await send();
      } catch (why) {
        if (/** @type {any} */ (why).code !== "rateLimited" || tries === RETRIES) throw why;
        await this.#wait(RETRY_AFTER);
      }
    }
  }

  /**
   * Sends a command that is a step of the history on the page that is shown.
   * @param {string} name
   * @param {any} body
   */
  async #step(name, body) {
    const { revision } = await this.#again(() => this.session.send(name, body));
    this.steps.push(revision);
  }

  /**
   * What is locked could not be taken back by one step: it is locked afterwards.
   * @param {Item[]} items
   * @param {Item[]} named the same with new ids
   * @param {string[]} ids of those that are on the board
   */
  async #lock(items, named, ids) {
    const there = new Set(ids);
    const locked = named.filter(({ id }, at) => {
      return there.has(id) && new ElementFields(thingOf(items[at])).isLocked;
    });
    const changes = locked.map(({ id }) => ({ id, set: { locked: true } }));
    const limit = (this.session.limits?.message ?? 65_536) - MARGIN;
    for (const part of portions(changes, limit)) {
      await this.#step("elementsChanged", { changes: part });
    }
  }
}
