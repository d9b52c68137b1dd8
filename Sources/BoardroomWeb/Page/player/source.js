// Where the player reads its room: index, blocks and snapshots over HTTP (docs/HTTP.md, "Rooms and tokens"),
// and states that were folded before. A state is folded only when it is to be shown, from the
// nearest one.
import { readPieces } from "../protocol/messages.js";
import { Refusal } from "../protocol/refusal.js";
import { applyAll, copyState, emptyState, stateFromSnapshot } from "../state/model.js";
import { Log } from "./log.js";

/**
 * An answer of HTTP: JSON, or the bytes of what is none.
 * @typedef {(path: string) => Promise<any>} Ask
 */

/** Events between states that are kept of a fold. */
const STATE_DISTANCE = 2_000;

/** Events between states that are kept where all blocks are folded as they are read. */
const PASSING_STATE_DISTANCE = 16_000;

/**
 * Events without a snapshot from which on all blocks are folded as they are read: an imported log
 * has no snapshots.
 */
const LARGE_GAP = 100_000;

/** States that are kept, at most. */
const MOST_STATES = 80;

/** Elements in all of them together, at most. */
const MOST_ELEMENTS = 2_000_000;

/** Blocks that are kept, at most. */
const MOST_BLOCKS = 24;

/** Stored bytes of one request. */
const CHUNK_BYTES = 256 << 10;

/** Events from a kept state within which no snapshot is requested. */
export const NEAR_DISTANCE = 4_000;

export class Source {
  /** @type {Replay.Index} */
  index = { epoch: "", low: 1, last: 0, blocks: [], snapshots: [] };

  log = new Log(this.index);

  /** @type {Map<number, Promise<Replay.Rec[]>>} by `first`, the last used at the end */
  blocks = new Map();

  /** @type {Replay.State[]} by rising revision; nobody changes them */
  keptStates = [];

  /** The next block to be read ahead. */
  ahead = 0;

  /** Whether blocks that are read ahead are folded, too. */
  foldsAhead = false;

  /** The state before the next block, if they are folded. */
  foldedAhead = emptyState();

  /**
   * @param {string} room
   * @param {Ask} ask
   */
  constructor(room, ask) {
    this.ask = ask;
    this.path = `/v5/rooms/${room}/replay`;
  }

  /** Reads the index, and no block. */
  async open() {
    const index = /** @type {Replay.Index} */ (await this.ask(this.path));
    this.index = { ...index, blocks: chunks(index.blocks) };
    this.log = new Log(index);
    this.keptStates = [];
    this.ahead = 0;
    this.foldedAhead = emptyState();
    this.foldsAhead = index.low <= 1 && hasLargeGap(index);
    this.blocks.clear();
  }

  /** The earliest revision: what is before it was removed by retention. */
  get first() {
    const { low, snapshots } = this.index;
    if (low <= 1) return 0;
    return snapshots.find(({ revision }) => revision >= low - 1)?.revision ?? low;
  }

  /** Where to begin: at the end, unless folding up to it takes long. */
  get home() {
    return this.foldsAhead ? this.first : this.log.last;
  }

  /** @param {Replay.Block} block */
  #read(block) {
    const records = this.blocks.get(block.first) ?? this.#fetch(block);
    records.catch(() => this.blocks.delete(block.first));
    this.blocks.delete(block.first);
    this.blocks.set(block.first, records);
    if (this.blocks.size > MOST_BLOCKS) this.blocks.delete([...this.blocks.keys()][0]);
    return records;
  }

  /** @param {Replay.Block} block */
  async #fetch({ first, last, bytes }) {
    const { log } = this;
    /** @type {Replay.Rec[]} */
    let there = [];
    for (let after = first - 1; after < last; after = there[there.length - 1]?.rev ?? last) {
      there = there.concat(await this.#runs(after, last, bytes));
    }
    log.addRecords(there);
    return there;
  }

  /**
   * @param {number} after
   * @param {number} last; pieces may have been put together since the index
   */
  async #runs(after, last, limit = 1 << 20) {
    const { epoch } = this.index;
    const runs = await this.ask(`${this.path}/runs?after=${after}&limit=${limit}&epoch=${epoch}`);
    /** @type {Replay.Rec[]} */
    const records = readPieces(runs).flatMap((piece) => piece.records);
    return records.filter(({ rev }) => rev > after && rev <= last);
  }

  /**
   * @param {number} after
   * @param {number} to
   */
  async records(after, to) {
    const parts = this.index.blocks.filter(({ first, last }) => first <= to && last > after);
    const records = await Promise.all(parts.map((block) => this.#read(block)));
    return records.flat().filter(({ rev }) => rev > after && rev <= to);
  }

  /** Reads the next block that has not been read; false: there is none. */
  async readAhead() {
    const { foldedAhead, foldsAhead, log } = this;
    const { blocks } = this.index;
    while (!foldsAhead && this.ahead < blocks.length && log.kind(blocks[this.ahead].last)) {
      this.ahead++;
    }
    const block = blocks[this.ahead];
    this.ahead++;
    // A damaged block is skipped here; whoever wants to see it gets the error.
    const records = block ? await this.#read(block).catch(() => []) : [];
    if (
      foldsAhead &&
      foldedAhead === this.foldedAhead &&
      foldedAhead.revision === (block?.first ?? 0) - 1
    ) {
      applyAll(foldedAhead, records);
      this.keepState(foldedAhead, PASSING_STATE_DISTANCE);
    }
    return block !== undefined;
  }

  /**
   * Reads the events after the last one.
   * @returns how many there were
   */
  async readNew() {
    const { log } = this;
    const { blocks } = this.index;
    const there = await this.#runs(log.last, Infinity);
    if (!there.length || this.log !== log) return 0;
    const { rev: first, t: begin } = there[0];
    const { rev: last, t: end } = there[there.length - 1];
    blocks.push({ first, last, begin, end, bytes: 1 });
    this.blocks.set(first, Promise.resolve(there));
    log.addRecords(there);
    return there.length;
  }

  /**
   * @param {number} revision
   * @returns a state of the caller's own; undefined: it is not wanted any more
   */
  async stateAt(revision, isWanted = () => true) {
    const state = copyState(await this.#nearest(revision));
    while (isWanted() && state.revision < revision) {
      const block = this.index.blocks.find(({ last }) => last > state.revision);
      const to = Math.min(block?.last ?? revision, revision, state.revision + STATE_DISTANCE);
      const records = this.records(state.revision, to);
      if (to < revision) this.records(to, to + 1).catch(() => {});
      applyAll(state, await records);
      this.keepState(state);
    }
    return isWanted() ? state : undefined;
  }

  /** @param {number} revision */
  async #nearest(revision) {
    const { keptStates, foldedAhead } = this;
    const { snapshots, epoch } = this.index;
    const snapshot = snapshots.filter((one) => one.revision <= revision).pop();
    const passed = keptStates.filter((one) => one.revision <= revision).pop() ?? emptyState();
    const isNearer = foldedAhead.revision <= revision && foldedAhead.revision > passed.revision;
    const known = isNearer ? foldedAhead : passed;
    if (!snapshot || snapshot.revision - known.revision <= NEAR_DISTANCE) return known;
    const path = `${this.path}/snapshots/${snapshot.revision}?epoch=${epoch}`;
    const [root, ...parts] = readPieces(await this.ask(path));
    const state = stateFromSnapshot(root, parts);
    this.keepState(state, 1);
    return state;
  }

  /** @param {Replay.State} state of a fold: a copy is kept if no state near it is */
  keepState(state, apart = STATE_DISTANCE) {
    const { keptStates } = this;
    const place = keptStates.filter(({ revision }) => revision <= state.revision).length;
    if (state.revision - (keptStates[place - 1]?.revision ?? 0) < apart) return;
    keptStates.splice(place, 0, copyState(state));
    while (isTooMuch(keptStates)) {
      dropOne(keptStates);
    }
  }
}

/** @param {Replay.Index} index */
function hasLargeGap({ snapshots, last }) {
  const stops = [0, ...snapshots.map(({ revision }) => revision), last];
  return stops.some((stop, at) => stop - (stops[at - 1] ?? 0) > LARGE_GAP);
}

/** @param {Replay.State[]} kept */
function isTooMuch(kept) {
  if (kept.length <= 2) return false;
  const elements = kept.reduce((sum, { elements }) => sum + elements.size, 0);
  return kept.length > MOST_STATES || elements > MOST_ELEMENTS;
}

/**
 * Removes the state that leaves the smallest gap.
 * @param {Replay.State[]} kept
 */
function dropOne(kept) {
  const gapAt = (/** @type {number} */ at) =>
    (kept[at + 1]?.revision ?? Infinity) - (kept[at - 1]?.revision ?? 0);
  const gaps = kept.map((_, at) => gapAt(at));
  kept.splice(gaps.indexOf(Math.min(...gaps)), 1);
}

/**
 * @param {Replay.Block[]} blocks
 * @returns {Replay.Block[]} put together, so that no answer is too small
 */
function chunks(blocks) {
  /** @type {Replay.Block[]} */
  const all = [];
  for (const { last, end, bytes, ...block } of blocks) {
    const before = all[all.length - 1];
    if (!before || before.bytes + bytes > CHUNK_BYTES) all.push({ ...block, last, end, bytes });
    else Object.assign(before, { last, end, bytes: before.bytes + bytes });
  }
  return all;
}

/**
 * @param {string} token
 * @returns {Ask}
 */
export const requester = (token) => async (path) => {
  const answer = await fetch(path, { headers: token ? { token } : {} }).catch(() => {
    throw new Refusal({ code: "notConnected" });
  });
  const isJSON = answer.headers.get("content-type")?.startsWith("application/json");
  const said = isJSON ? await answer.json() : new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok) throw new Refusal({ code: "internal", ...(isJSON ? said : {}) });
  return said;
};
