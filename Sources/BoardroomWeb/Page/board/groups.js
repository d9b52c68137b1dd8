// Groups of elements: each element has the ids of its groups, the innermost first, as its attribute
// `style.groups` (docs/WEB.md), which every server keeps. A click selects the outermost group; a double click enters it, and then
// what is in it is selected alone.
import { groupsOf } from "../render/fields.js";
import { union } from "../render/geom.js";

/** The attribute. */
export const GROUPS = "style.groups";

/**
 * @param {string[]} groups of an element
 * @param {string | undefined} entered
 * @returns {string[]} those of them that are inside of the group that is entered
 */
function inside(groups, entered) {
  const at = entered === undefined ? -1 : groups.indexOf(entered);
  return at < 0 ? groups : groups.slice(0, at);
}

/**
 * @param {Thing} element
 * @param {string | undefined} entered
 * @returns {string | undefined} the group with which it is selected
 */
const groupFor = (element, entered) => inside(groupsOf(element), entered).at(-1);

/**
 * @param {Thing[]} elements
 * @param {string} group
 * @param {string | undefined} entered
 * @returns {Change[]} one group of them, inside of the one that is entered
 */
export function grouped(elements, group, entered) {
  return elements.map((element) => {
    const groups = groupsOf(element);
    const within = inside(groups, entered);
    return {
      id: element.id,
      set: { [GROUPS]: [...within, group, ...groups.slice(within.length)] },
    };
  });
}

/**
 * @param {Thing[]} elements
 * @param {string | undefined} entered
 * @returns {Change[]} the outermost group of each is gone
 */
export function ungrouped(elements, entered) {
  return elements.flatMap((element) => {
    const gone = groupFor(element, entered);
    if (gone === undefined) return [];
    const groups = groupsOf(element).filter((id) => id !== gone);
    return { id: element.id, set: { [GROUPS]: groups.length > 0 ? groups : null } };
  });
}

/**
 * Copies are groups of their own.
 * @param {Thing[]} elements that are copied
 * @param {() => string} newId
 * @param {string | undefined} entered stays what they are in
 * @returns {(element: Thing) => string[] | undefined} their groups; none: they have none
 */
export function freshGroups(elements, newId, entered) {
  /** @type {Map<string, string>} */
  const fresh = new Map();
  for (const id of elements.flatMap((element) => inside(groupsOf(element), entered))) {
    if (!fresh.has(id)) fresh.set(id, newId());
  }
  return (element) => {
    const groups = groupsOf(element);
    return groups.length > 0 ? groups.map((id) => fresh.get(id) ?? id) : undefined;
  };
}

/** The groups of a board, as hands select them. */
export class Groups {
  /** @type {string | undefined} the group in which elements are selected */
  entered = undefined;

  /** @type {{entered: string, version: number, box?: Box}} the box around it, as it was read last */
  #known = { entered: "", version: -1 };

  /** @param {Board} board */
  constructor(board) {
    this.board = board;
  }

  /**
   * @param {string} group
   * @returns {Entry[]}
   */
  #entriesOf(group) {
    const { entries, groups } = this.board.sceneContent.index;
    return [...(groups.get(group) ?? [])].flatMap((id) => entries.get(id) ?? []);
  }

  /** @returns {Box | undefined} around the group that is entered */
  get box() {
    const { entered } = this;
    if (entered === undefined) return undefined;
    const { version } = this.board.sceneContent.index;
    if (this.#known.entered !== entered || this.#known.version !== version) {
      const box = this.#entriesOf(entered)
        .map((one) => one.box)
        .reduce(union, /** @type {Box | undefined} */ (undefined));
      this.#known = { entered, version, box };
    }
    return this.#known.box;
  }

  /**
   * @param {Thing[]} elements
   * @returns {string[]} ids of them and of all that is selected with them
   */
  whole(elements) {
    const groups = new Set(elements.flatMap((one) => groupFor(one, this.entered) ?? []));
    const ids = elements.map(({ id }) => id);
    if (groups.size === 0) return ids;
    const { index } = this.board.sceneContent;
    return [
      ...new Set([...ids, ...[...groups].flatMap((one) => [...(index.groups.get(one) ?? [])])]),
    ];
  }

  /**
   * Leaves the group that is entered, if an element is none of it.
   * @param {Thing | undefined} element none: the paper
   */
  leaveFor(element) {
    const { entered } = this;
    if (entered && !(element && groupsOf(element).includes(entered))) this.entered = undefined;
  }

  /**
   * Enters the group of an element.
   * @param {Thing} element
   * @returns whether it has one that is not entered yet
   */
  enter(element) {
    const group = groupFor(element, this.entered);
    if (group === undefined) return false;
    this.entered = group;
    this.board.select(this.whole([element]));
    return true;
  }

  /**
   * Leaves it, and selects all of it.
   * @returns whether one was entered
   */
  leave() {
    const { entered } = this;
    if (entered === undefined) return false;
    const [one] = this.#entriesOf(entered);
    const groups = one ? groupsOf(one.element) : [];
    this.entered = groups[groups.indexOf(entered) + 1];
    this.board.select(one ? this.whole([one.element]) : []);
    return true;
  }

  /** Whether what is selected is one group, and nothing else. */
  get isOne() {
    const { elements } = this.board.selected;
    const [first] = elements;
    const group = first && groupFor(first, this.entered);
    return group !== undefined && elements.every((one) => groupFor(one, this.entered) === group);
  }

  /** Whether something that is selected is in a group. */
  get isAny() {
    return this.board.selected.elements.some((one) => groupFor(one, this.entered) !== undefined);
  }

  group() {
    const { board } = this;
    const { free } = board.selected;
    if (free.length > 1 && !this.isOne) board.change(grouped(free, board.newId(), this.entered));
  }

  ungroup() {
    const { board } = this;
    board.change(ungrouped(board.selected.free, this.entered));
  }

  /**
   * @param {Thing[]} elements
   * @returns {Thing[][]} each group as one, and each that is alone
   */
  units(elements) {
    /** @type {Map<string, Thing[]>} */
    const units = new Map();
    for (const element of elements) {
      const name = groupFor(element, this.entered) ?? `alone ${element.id}`;
      units.set(name, [...(units.get(name) ?? []), element]);
    }
    return [...units.values()];
  }
}
