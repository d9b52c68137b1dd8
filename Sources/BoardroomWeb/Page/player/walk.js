// Folds a log from its beginning to its end, block by block, and shows each event to somebody who
// looks for something in it: what an event does to elements is known only with the state before.
import { apply, Change } from "../state/model.js";

/**
 * Somebody who looks: before an event is folded, and after it.
 * @typedef {object} Looking
 * @property {(rec: Replay.Rec, state: Replay.State) => void} [before]
 * @property {(rec: Replay.Rec, change: Change, state: Replay.State) => void} see
 *
 * @typedef {object} WalkUses
 * @property {Replay.State} state to begin with; it is folded on
 * @property {Looking[]} looking
 * @property {() => boolean} isWanted false: the walk ends
 * @property {(part: number) => void} [onProgress] is told which part is done, after each block
 * @property {Clock} clock
 */

/**
 * @param {Replay.Source} source
 * @param {WalkUses} uses
 * @returns {Promise<boolean>} whether it came to the end of the log
 */
export async function walk(source, { state, looking, isWanted, onProgress, clock }) {
  const { log } = source;
  const begin = state.revision;
  while (isWanted() && source.log === log && state.revision < log.last) {
    const block = source.index.blocks.find(({ last }) => last > state.revision);
    if (!block) break;
    // A damaged block is passed over, as in a search; whoever wants to see it gets the error.
    const records = await source.records(state.revision, block.last).catch(() => []);
    if (!isWanted()) break;
    for (const rec of records) {
      step(state, rec, looking);
    }
    state.revision = Math.max(state.revision, block.last);
    onProgress?.((state.revision - begin) / Math.max(log.last - begin, 1));
    // Blocks that have been read come at once: the page has to react in between.
    await new Promise((done) => clock.after(0, () => done(undefined)));
  }
  return isWanted() && source.log === log;
}

/**
 * @param {Replay.State} state
 * @param {Replay.Rec} rec
 * @param {Looking[]} looking
 */
function step(state, rec, looking) {
  for (const one of looking) {
    one.before?.(rec, state);
  }
  const change = apply(state, rec, new Change());
  for (const one of looking) {
    one.see(rec, change, state);
  }
}
