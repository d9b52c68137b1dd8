import { readPieces } from "../core/messages.js";
import { applyAll, copyState, emptyState, stateFromSnapshot } from "../core/model.js";
import { Refusal } from "../core/refusal.js";
import { lastAtMost, Log } from "./log.js";

// Where the player has its room from: index, blocks and snapshots over HTTP (docs/HTTP.md, "Replay"), and
// states passed on the way. Nothing is folded before somebody wants to see it, then from the nearest state.

/** A state is kept every so many events that are folded on the way somewhere. Where snapshots leave a hole
 * (an imported log has none), what is read in passing is folded too, and states kept farther apart. */
const [APART, WIDE, HOLE] = [2_000, 16_000, 100_000];
/** So many states are kept, of so many elements together, and so many blocks of so many stored bytes. */
const [MOST_STATES, MOST_ELEMENTS, MOST_BLOCKS, CHUNK] = [80, 2_000_000, 24, 256 << 10];
/** So far from a kept state no snapshot is asked for. */
export const NEAR = 4_000;

/** @param {{revision: number}[]} all rising @param {number} revision */
const nearest = (all, revision) => lastAtMost(all.map((one) => one.revision), revision);

export class Source {
  index = /** @type {Replay.Index} */ ({ epoch: "", low: 1, last: 0, blocks: [], snapshots: [] });
  log = new Log(this.index);
  /** By the first revision of each, the one used last at the end. */
  blocks = /** @type {Map<number, Promise<Replay.Rec[]>>} */ (new Map());
  /** By rising revision; nobody changes them. */
  kept = /** @type {Replay.State[]} */ ([]);
  /** The next block that is read in passing, and the state before it, where that is folded. */
  ahead = 0;
  walked = emptyState();
  isWalking = false;

  /** @param {string} room @param {Replay.Ask} ask */
  constructor(room, ask) {
    this.ask = ask;
    this.path = `/v5/rooms/${room}/replay`;
  }

  /** What there is, without reading any of it. */
  async open() {
    /** @type {Replay.Index} */
    const index = await this.ask(this.path);
    this.index = { ...index, blocks: chunks(index.blocks) };
    const stops = [0, ...index.snapshots.map(({ revision }) => revision), index.last];
    const isWalking = index.low <= 1 && stops.some((stop, at) => stop - (stops[at - 1] ?? 0) > HOLE);
    Object.assign(this, { log: new Log(index), kept: [], ahead: 0, walked: emptyState(), isWalking });
    this.blocks.clear();
  }

  /** The earliest moment there is: what retention has removed is gone. */
  get first() {
    const { low, snapshots } = this.index;
    return low <= 1 ? 0 : snapshots.find(({ revision }) => revision >= low - 1)?.revision ?? low;
  }
  /** Where to begin: the end, unless the way there is long. */
  get home() { return this.isWalking ? this.first : this.log.last; }

  // Events

  blockAt(/** @type {number} */ revision) {
    const { blocks } = this.index;
    return blocks[Math.max(lastAtMost(blocks.map(({ first }) => first), revision), 0)];
  }

  #read(/** @type {Replay.Block} */ block) {
    const records = this.blocks.get(block.first) ?? this.#fetch(block);
    this.blocks.delete(block.first);
    this.blocks.set(block.first, records);
    if (this.blocks.size > MOST_BLOCKS) this.blocks.delete([...this.blocks.keys()][0]);
    return records;
  }

  async #fetch(/** @type {Replay.Block} */ { first, last, bytes }) {
    const { log } = this;
    let there = /** @type {Replay.Rec[]} */ ([]);
    try {
      for (let after = first - 1; after < last; after = there[there.length - 1]?.rev ?? last) {
        there = there.concat(await this.#runs(after, last, bytes));
      }
    } catch (why) {
      this.blocks.delete(first);
      throw why;
    }
    log.note(there);
    return there;
  }

  /** @param {number} after @param {number} last; pieces may have been put together since the index */
  async #runs(after, last, limit = 1 << 20) {
    const runs = await this.ask(`${this.path}/runs?after=${after}&limit=${limit}&epoch=${this.index.epoch}`);
    /** @type {Replay.Rec[]} */
    const records = readPieces(runs).flatMap((piece) => piece.records);
    return records.filter(({ rev }) => rev > after && rev <= last);
  }

  /** @param {number} after @param {number} to @returns {Promise<Replay.Rec[]>} */
  async records(after, to) {
    const parts = [];
    for (let next = after + 1; next <= to; next = this.blockAt(next).last + 1) {
      parts.push(this.#read(this.blockAt(next)));
    }
    return (await Promise.all(parts)).flat().filter(({ rev }) => rev > after && rev <= to);
  }

  /** Reads the next block that nobody has read; false: there is none. */
  async readAhead() {
    const { index: { blocks }, walked, isWalking, log } = this;
    while (!isWalking && this.ahead < blocks.length && log.kind(blocks[this.ahead].last)) this.ahead++;
    const block = blocks[this.ahead++];
    // One that is damaged is passed over here; whoever wants to see it is told.
    const records = block ? await this.#read(block).catch(() => []) : [];
    if (isWalking && walked === this.walked && walked.revision === (block?.first ?? 0) - 1) {
      applyAll(walked, records);
      this.pass(walked, WIDE);
    }
    return block !== undefined;
  }

  /** Asks for what came after the last event. @returns how many there were */
  async tail() {
    const { index: { blocks }, log } = this;
    const there = await this.#runs(log.last, Infinity);
    if (!there.length || this.log !== log) return 0;
    const [begin, end] = [there[0], there[there.length - 1]];
    blocks.push({ first: begin.rev, last: end.rev, begin: begin.t, end: end.t, bytes: 1 });
    this.blocks.set(begin.rev, Promise.resolve(there));
    log.note(there);
    return there.length;
  }

  // States

  /** Of one's own, to be folded on; undefined: nobody wanted it any more.
   * @param {number} revision @returns {Promise<Replay.State | undefined>} */
  async stateAt(revision, isWanted = () => true) {
    const base = await this.#nearest(revision);
    const state = isWanted() ? copyState(base) : undefined;
    while (state && state.revision < revision) {
      const to = Math.min(this.blockAt(state.revision + 1).last, revision, state.revision + APART);
      const records = this.records(state.revision, to);
      if (to < revision) this.records(to, to + 1).catch(() => {});
      applyAll(state, await records);
      if (!isWanted()) return undefined;
      this.pass(state);
    }
    return state;
  }

  async #nearest(/** @type {number} */ revision) {
    const { kept, walked, index: { snapshots, epoch } } = this;
    const snapshot = snapshots[nearest(snapshots, revision)];
    const passed = kept[nearest(kept, revision)] ?? emptyState();
    const known = walked.revision <= revision && walked.revision > passed.revision ? walked : passed;
    if (!snapshot || snapshot.revision - known.revision <= NEAR) return known;
    const bytes = await this.ask(`${this.path}/snapshots/${snapshot.revision}?epoch=${epoch}`);
    const [root, ...parts] = readPieces(bytes);
    const state = stateFromSnapshot(root, parts);
    this.pass(state, 1);
    return state;
  }

  /** @param {Replay.State} state on the way: a copy is kept if none is near */
  pass(state, apart = APART) {
    const { kept } = this;
    const place = nearest(kept, state.revision);
    if (state.revision - (kept[place]?.revision ?? 0) < apart) return;
    kept.splice(place + 1, 0, copyState(state));
    const elements = () => kept.reduce((sum, one) => sum + one.elements.size, 0);
    while (kept.length > MOST_STATES || (kept.length > 2 && elements() > MOST_ELEMENTS)) {
      // The one goes that leaves the smallest gap.
      const gaps = kept.map((_, at) => (kept[at + 1]?.revision ?? Infinity) - (kept[at - 1]?.revision ?? 0));
      kept.splice(gaps.indexOf(Math.min(...gaps)), 1);
    }
  }
}

/** @param {Replay.Block[]} blocks of which neighbours are read together */
function chunks(blocks) {
  const all = /** @type {Replay.Block[]} */ ([]);
  for (const { last, end, bytes, ...block } of blocks) {
    const before = all[all.length - 1];
    if (!before || before.bytes + bytes > CHUNK) all.push({ ...block, last, end, bytes });
    else Object.assign(before, { last, end, bytes: before.bytes + bytes });
  }
  return all;
}

/** @type {(token: string) => Replay.Ask} who asks in the name of a token */
export const asking = (token) => async (path) => {
  const answer = await fetch(path, { headers: token ? { token } : {} }).catch(() => {
    throw new Refusal({ code: "notConnected" });
  });
  const isJSON = answer.headers.get("content-type")?.startsWith("application/json");
  if (!answer.ok) throw new Refusal({ code: "internal", ...isJSON ? await answer.json() : {} });
  return isJSON ? answer.json() : new Uint8Array(await answer.arrayBuffer());
};
