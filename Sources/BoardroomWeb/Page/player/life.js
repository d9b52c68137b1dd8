// The life of an element, event by event: made, drawn on, changed, copied, erased, restored. Pure:
// a walk shows it the events (walk.js).
import { body } from "../protocol/records.js";

/** Events of a life that are kept, at most: the first ones, and the last ones. */
const MOST_ENTRIES = 10_000;

/** The first ones of them. */
export const FIRST_ENTRIES = 1_000;

/** Attributes that say where an element is, and how large. */
const PLACE = ["x", "y", "width", "height", "transform", "points"];

/**
 * What the change of an attribute is called; of any other: "changed".
 * @type {Record<string, string>}
 */
const ACT_OF_KEY = {
  ...Object.fromEntries(PLACE.map((key) => [key, "moved"])),
  text: "rewritten",
  order: "reordered",
  src: "pictured",
  size: "restyled",
};

/** Kinds of events that take a step back, or do it again. */
const STEPS = ["undone", "redone"];

/**
 * @param {string} text as a person writes an id: 2.14, 2-14, or element:2-14
 * @returns {string | undefined} the id
 */
export function idIn(text) {
  const [, member, number] = /^(?:element:)?(\d+)[.-](\d+)$/.exec(text.trim()) ?? [];
  return number && `${Number(member)}.${Number(number)}`;
}

export class Life {
  /** @type {Replay.Entry[]} */
  entries = [];

  /** Events between the first ones and the last ones that are not kept. */
  dropped = 0;

  /** @type {RoomElement | undefined} as it is on the board at the end of the walk */
  element = undefined;

  /** @type {RoomElement | undefined} as it was last on the board */
  last = undefined;

  /** @param {string} id */
  constructor(id) {
    this.id = id;
  }

  /** @param {Replay.State} state before the first event that is shown */
  begin(state) {
    this.element = state.element(this.id);
    this.last = this.element;
    if (this.element)
      this.entries.push({ revision: state.revision, time: 0, by: -1, act: "early" });
  }

  /**
   * @param {Replay.Rec} rec
   * @param {FoldChange} change
   * @param {Replay.State} state after it
   * @returns {boolean} whether it is an event of its life
   */
  see(rec, change, state) {
    const was = this.element;
    const before = this.entries.length;
    if (change.elements.has(this.id)) {
      const is = state.element(this.id);
      this.element = is;
      this.last = is ?? this.last;
      this.#note(rec, state, this.#actOf(rec, change, was, is));
    }
    if (rec.name === "elementsCopied" && was) this.#noteCopies(rec, state);
    this.#noteRestored(rec, change, state);
    const isOfLife = this.entries.length > before;
    if (this.entries.length > 1.1 * MOST_ENTRIES) this.#dropSome();
    return isOfLife;
  }

  /** Those in the middle go: how a life began and how it ended is asked for most. */
  #dropSome() {
    const excess = this.entries.length - MOST_ENTRIES;
    this.entries.splice(FIRST_ENTRIES, excess);
    this.dropped += excess;
  }

  /**
   * @param {Replay.Rec} rec
   * @param {FoldChange} change
   * @param {RoomElement | undefined} was
   * @param {RoomElement | undefined} is
   * @returns {Partial<Replay.Entry> | undefined} none: nothing that people would tell
   */
  #actOf(rec, change, was, is) {
    if (is && !was) return madeBy(rec, this.id, this.entries.length > 0);
    if (was && !is) return { act: erasedBy(rec), together: change.elements.size };
    if (!was || !is || was === is) return undefined;
    if (was.stroke && is.stroke && was.set === is.set) {
      const first = this.entries[this.entries.length - 1];
      // A stroke that grows is made until its last point.
      if (is.stroke.points > was.stroke.points && first) first.until = rec.rev;
      return undefined;
    }
    return { act: changedBy(rec, this.id) };
  }

  /**
   * @param {Replay.Rec} rec
   * @param {Replay.State} state
   * @param {Partial<Replay.Entry> | undefined} what
   */
  #note(rec, state, what) {
    if (!what?.act) return;
    const by = rec.by ?? -1;
    const client = state.members.get(by)?.client;
    this.entries.push({
      revision: rec.rev,
      time: rec.t,
      by,
      client,
      kind: rec.name,
      ...what,
      act: what.act,
    });
  }

  /**
   * Copies that were made of it.
   * @param {Replay.Rec} rec
   * @param {Replay.State} state
   */
  #noteCopies(rec, state) {
    for (const { from, id } of body(rec)?.copies ?? []) {
      if (from === this.id && state.element(id))
        this.#note(rec, state, { act: "copiedAs", other: id });
    }
  }

  /**
   * Elements that were put on the board in its place after it was erased (restore.js).
   * @param {Replay.Rec} rec
   * @param {FoldChange} change
   * @param {Replay.State} state
   */
  #noteRestored(rec, change, state) {
    if (rec.name !== "elementPut" && rec.name !== "elementsChanged") return;
    for (const id of change.elements) {
      const source = restoredFrom(state.element(id));
      if (id !== this.id && source === this.id && !this.#isNoted(id)) {
        this.#note(rec, state, { act: "restoredAs", other: id });
      }
    }
  }

  /** @param {string} id of an element that was put in its place */
  #isNoted(id) {
    return this.entries.some(({ act, other }) => act === "restoredAs" && other === id);
  }
}

/**
 * @param {Pick<RoomElement, "set"> | undefined} element
 * @returns {string | undefined} the erased element in whose place it was put
 */
export function restoredFrom(element) {
  const source = element?.set?.meta?.restored;
  return typeof source === "string" ? source : undefined;
}

/**
 * @param {Replay.Rec} rec
 * @param {string} id
 * @param {boolean} wasThere whether it was on the board before
 * @returns {Partial<Replay.Entry>}
 */
function madeBy(rec, id, wasThere) {
  if (STEPS.includes(rec.name)) return { act: rec.name === "undone" ? "restored" : "redone" };
  const copies = rec.name === "elementsCopied" ? (body(rec)?.copies ?? []) : [];
  const other = copies.find((/** @type {any} */ copy) => copy.id === id)?.from;
  if (other) return { act: "copiedFrom", other };
  return { act: wasThere ? "madeAgain" : "made" };
}

/** @param {Replay.Rec} rec */
function erasedBy({ name }) {
  if (STEPS.includes(name)) return "takenBack";
  if (name === "sceneCleaned") return "cleaned";
  return name.startsWith("scenes") ? "pageRemoved" : "erased";
}

/**
 * @param {Replay.Rec} rec
 * @param {string} id
 */
function changedBy(rec, id) {
  if (STEPS.includes(rec.name)) return "changedBack";
  if (rec.name === "elementPut") return "replaced";
  /** @type {any[]} */
  const changes = body(rec)?.changes ?? [];
  const keys = changes.filter((one) => one.id === id).flatMap(({ set }) => Object.keys(set));
  if (keys.includes("locked")) {
    const isLocked = changes.some((one) => one.id === id && one.set.locked === true);
    return isLocked ? "locked" : "unlocked";
  }
  const acts = keys.map((key) => (key.startsWith("style.") ? "restyled" : ACT_OF_KEY[key]));
  // A text that is written anew has another size, too.
  if (acts.includes("rewritten")) return "rewritten";
  return acts.every((act) => act === acts[0]) ? (acts[0] ?? "changed") : "changed";
}
