import { applyAll, copyState, emptyState, stateFromSnapshot } from "../core/model.js";
import { readPieces } from "../core/messages.js";
import { Refusal } from "../core/refusal.js";
import { lastAtMost, Log } from "./log.js";

// Where the player has its room from: index, blocks and snapshots over HTTP (docs/HTTP.md, "Replay"), and states that
// were passed on the way. Nothing is folded before somebody wants to see it, and then from the nearest state.

/** A state is kept every so many events that are folded on the way somewhere. Where snapshots leave a hole (an imported
 *  log has none), blocks that are read in passing are folded too, and states kept farther apart. */
const [APART, WIDE, HOLE] = [2_000, 16_000, 100_000];
/** So many states are kept, of so many elements together; of so many events the records. */
const [MOST_STATES, MOST_ELEMENTS, MOST_EVENTS] = [80, 2_000_000, 200_000];
/** So many stored bytes are read at once. */
const CHUNK = 256 << 10;
/** So far from a kept state no snapshot is asked for. */
export const NEAR = 4_000;

export class Source {
  /** @type {Replay.Index} */
  index = { epoch: "", low: 1, last: 0, blocks: [], snapshots: [] };
  log = new Log(this.index);
  /** By the first revision of a block, the one used last at the end; `there` when it has come.
   * @type {Map<number, {records: Promise<Replay.Rec[]>, there?: Replay.Rec[]}>} */
  blocks = new Map();
  /** @type {Replay.State[]} by rising revision; nobody changes them */
  kept = [];
  /** The next block that is read in passing, and the state before it. */
  ahead = 0;
  walked = emptyState();
  isWalking = false;

  /** @param {{room: string, ask: Replay.Ask}} parts */
  constructor({ room, ask }) {
    this.ask = ask;
    this.room = `/v5/rooms/${room}`;
  }

  /** What there is, without reading any of it. */
  async open() {
    const index = await this.ask(`${this.room}/replay`);
    this.index = { ...index, blocks: chunks(index.blocks) };
    Object.assign(this, { log: new Log(index), kept: [], ahead: 0, walked: emptyState() });
    const stops = [0, ...index.snapshots.map((/** @type {{revision: number}} */ { revision }) => revision), index.last];
    this.isWalking = index.low <= 1 && stops.some((stop, at) => stop - (stops[at - 1] ?? 0) > HOLE);
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

  /** @param {number} revision */
  #blockAt(revision) {
    const { blocks } = this.index;
    return blocks[Math.max(lastAtMost(this.#firsts, revision, blocks.length), 0)];
  }
  /** Their first revisions, to be searched as numbers are. */
  get #firsts() {
    const { blocks } = this.index;
    if (this.firsts?.length !== blocks.length) this.firsts = blocks.map(({ first }) => first);
    return this.firsts;
  }
  /** @type {number[]} */
  firsts = [];

  /** @param {Replay.Block} block */
  #read(block) {
    const entry = this.blocks.get(block.first) ?? { records: this.#fetch(block) };
    this.blocks.delete(block.first);
    this.blocks.set(block.first, entry);
    let events = 0;
    for (const [first, { there }] of [...this.blocks].reverse()) {
      events += there?.length ?? 0;
      if (events > MOST_EVENTS && first !== block.first) this.blocks.delete(first);
    }
    return entry.records;
  }

  /** @param {Replay.Block} block */
  async #fetch({ first, last, bytes }) {
    try {
      /** @type {Replay.Rec[]} */
      const there = [];
      for (let after = first - 1; after < last; after = there[there.length - 1]?.rev ?? last) {
        const path = `${this.room}/replay/runs?after=${after}&limit=${bytes}&epoch=${this.index.epoch}`;
        // Pieces may have been put together with others since.
        there.push(...readPieces(await this.ask(path)).flatMap(({ records }) => records)
          .filter(({ rev }) => rev > after && rev <= last));
      }
      Object.assign(this.blocks.get(first) ?? {}, { there });
      this.log.note(there);
      return there;
    } catch (why) {
      this.blocks.delete(first);
      throw why;
    }
  }

  /** Behind one revision, up to another.
   * @param {number} after @param {number} to */
  async records(after, to) {
    const parts = [];
    for (let block = this.#blockAt(after + 1); block && block.first <= to; block = this.#blockAt(block.last + 1)) {
      parts.push(this.#read(block));
      if (block.last >= to) break;
    }
    return (await Promise.all(parts)).flat().filter(({ rev }) => rev > after && rev <= to);
  }

  /** The same if it has come already.
   * @param {number} after @param {number} to @returns {Replay.Rec[] | undefined} */
  atHand(after, to) {
    const block = this.#blockAt(after + 1);
    const there = this.blocks.get(block?.first ?? 0)?.there;
    return there && block.last >= to ? there.slice(after + 1 - block.first, to + 1 - block.first) : undefined;
  }

  /** Reads the next block that nobody has read; false: there is none. */
  async readAhead() {
    const { index: { blocks }, walked, isWalking } = this;
    while (!isWalking && this.ahead < blocks.length && this.log.kind(blocks[this.ahead].last)) this.ahead++;
    const block = blocks[this.ahead++];
    if (!block) return false;
    // One that is damaged is passed over here; whoever wants to see it is told.
    const records = await this.#read(block).catch(() => []);
    if (!isWalking || walked !== this.walked || walked.revision !== block.first - 1) return true;
    applyAll(walked, records);
    this.pass(walked, WIDE);
    return true;
  }

  /** As JSONL.
   * @param {number} after @param {number} to @returns {Promise<Uint8Array>} */
  lines(after, to) { return this.ask(`${this.room}/log?after=${after}&to=${to}`); }

  /** Asks for what came after the last event; how many there were. */
  async tail() {
    const { index: { epoch, blocks }, log: { last } } = this;
    const bytes = await this.ask(`${this.room}/replay/runs?after=${last}&epoch=${epoch}`);
    const there = readPieces(bytes).flatMap(({ records }) => records).filter(({ rev }) => rev > last);
    if (there.length && this.index.blocks === blocks) {
      const [begin, end] = [there[0], there[there.length - 1]];
      blocks.push({ first: begin.rev, last: end.rev, begin: begin.t, end: end.t, bytes: 1 });
      this.log.note(there);
      this.blocks.set(begin.rev, { records: Promise.resolve(there), there });
    }
    return there.length;
  }

  // States

  /** Of one's own, to be folded on; undefined: nobody wanted it any more.
   * @param {number} revision @param {() => boolean} [isWanted] @returns {Promise<Replay.State | undefined>} */
  async stateAt(revision, isWanted = () => true) {
    const base = await this.#nearest(revision);
    const state = isWanted() ? copyState(base) : undefined;
    while (state && state.revision < revision) {
      const to = Math.min(this.#blockAt(state.revision + 1).last, revision, state.revision + APART);
      const records = this.records(state.revision, to);
      if (to < revision) void this.records(to, to + 1).catch(() => {});
      applyAll(state, await records);
      if (!isWanted()) return undefined;
      this.pass(state);
    }
    return state;
  }

  /** @param {number} revision */
  async #nearest(revision) {
    const { kept, index: { snapshots, epoch } } = this;
    const nearest = (/** @type {{revision: number}[]} */ all) => all[lastAtMost(all.map((one) => one.revision), revision)];
    const far = this.walked.revision <= revision ? this.walked : emptyState();
    const known = /** @type {Replay.State} */ (nearest([...kept, far].sort((one, other) => one.revision - other.revision)));
    const snapshot = nearest(snapshots);
    if (!snapshot || snapshot.revision - known.revision <= NEAR) return known;
    const bytes = await this.ask(`${this.room}/replay/snapshots/${snapshot.revision}?epoch=${epoch}`);
    const [root, ...parts] = readPieces(bytes);
    const state = stateFromSnapshot(root, parts);
    this.pass(state, 1);
    return state;
  }

  /** On the way: a copy is kept if none is near.
   * @param {Replay.State} state */
  pass(state, apart = APART) {
    const { kept } = this;
    const place = lastAtMost(kept.map(({ revision }) => revision), state.revision);
    if (state.revision - (kept[place]?.revision ?? 0) < apart) return;
    kept.splice(place + 1, 0, copyState(state));
    const isTooMuch = () => kept.length > MOST_STATES || kept.reduce((sum, one) => sum + one.elements.size, 0) > MOST_ELEMENTS;
    while (kept.length > 2 && isTooMuch()) {
      // The one goes that leaves the smallest gap.
      const gaps = kept.map((_, at) => (kept[at + 1]?.revision ?? Infinity) - (kept[at - 1]?.revision ?? 0));
      kept.splice(gaps.indexOf(Math.min(...gaps)), 1);
    }
  }
}

/** Neighbours are read together.
 * @param {Replay.Block[]} blocks */
function chunks(blocks) {
  /** @type {Replay.Block[]} */
  const all = [];
  for (const block of blocks) {
    const last = all[all.length - 1];
    if (!last || last.bytes + block.bytes > CHUNK) all.push({ ...block });
    else Object.assign(last, { last: block.last, end: block.end, bytes: last.bytes + block.bytes });
  }
  return all;
}

/** Asks a server in the name of a token.
 * @param {string} origin @param {string} token @returns {Replay.Ask} */
export const asking = (origin, token) => async (path) => {
  const answer = await fetch(origin + path, { headers: token ? { token } : {} }).catch(() => {
    throw new Refusal({ code: "notConnected" });
  });
  const isJSON = answer.headers.get("content-type")?.startsWith("application/json");
  if (!answer.ok) throw new Refusal({ code: "internal", ...isJSON ? await answer.json() : {} });
  return isJSON ? answer.json() : new Uint8Array(await answer.arrayBuffer());
};
