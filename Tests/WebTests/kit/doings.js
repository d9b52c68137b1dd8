// What members do at random, by a seed: every kind of command, on what is there and on what is not.

/**
 * @typedef {import("../../../Sources/BoardroomWeb/Page/state/session.js").RoomSession}
 *   RoomSession
 */

/** @param {number} seed */
export function chance(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (/** @type {number} */ limit) => Math.floor(next() * limit);
  return {
    int,
    is: (/** @type {number} */ share) => next() < share,
    /**
     * @template T
     * @param {readonly T[]} items
     * @returns {T}
     */
    pick: (items) => items[int(items.length)],
  };
}

const values = [
  1,
  1.5,
  "x",
  "é",
  null,
  true,
  [1, { b: 2, a: 1 }],
  { z: 1, 10: 2, 9: 3 },
  '\u2028\n"\\',
  "😀\uffee",
];

const keys = ["a", "b", "é", "e\u0301", "😀", "\uffee", "__proto__", "10", "9", "x y"];

const shapes = [
  { type: "rectangle", width: 3, height: 4.5 },
  { type: "ellipse", width: 0, height: 1 },
  {
    type: "arrow",
    points: [
      [0, 0],
      [1.5, -2],
    ],
  },
  { type: "text", text: "héllo\n", size: 12 },
  { type: "note", text: "n", width: 10, height: 10 },
  { type: "image", width: 5, height: 5 },
];

const patches = [
  { x: 1 },
  { x: 1, y: 2 },
  { "style.colour": [1, 2, 3] },
  { "style.é": 1 },
  { "style.e\u0301": 2 },
  { locked: false },
  { order: "Vzz" },
  { order: "a1" },
  { order: "V0000001" },
  { transform: [1, 0, 0, 1, 5, 5] },
  { meta: { a: [1] } },
  { x: null, y: null },
  { "style.colour": null },
];

/** @typedef {[share: number, make: () => [kind: string, body: any]]} Doing how often it is done */

/** A member at random: what is there for it to do something to. */
class Hands {
  /**
   * @param {RoomSession} session
   * @param {ReturnType<typeof chance>} random
   */
  constructor(session, random) {
    const { state, member } = session;
    this.session = session;
    this.random = random;
    this.there = [...state.elements.values()].filter((element) => !element.buried);
    this.open = this.there.filter(
      (element) => element.stroke?.ended === false && element.member === member,
    );
    this.page = random.pick(state.scenes);
    this.scene = this.page?.id ?? 1;
    this.path = this.page?.path ?? "/init";
  }

  next() {
    return this.session.nextElement();
  }

  /** An element that is there, or that may not be. */
  any() {
    return this.random.pick(this.there)?.id ?? "0.1";
  }

  /** @param {object} fields that are there in half of the cases */
  half(fields) {
    return this.random.is(0.5) ? fields : {};
  }

  change() {
    return { id: this.any(), set: this.random.pick(patches) };
  }

  /** A stroke begins. */
  begin() {
    const { int, is, pick } = this.random;
    const count = int(5);
    const steps = (/** @type {() => number} */ step) => Array.from({ length: count }, step);
    return {
      stroke: Number(this.next().split(".")[1]),
      begin: {
        scene: this.scene,
        unit: -2,
        tool: pick(["pencil", "highlighter", "laser"]),
        colour: [int(256), 1, 2],
        opacity: 255,
        width: int(100),
      },
      end: is(0.5),
      dx: steps(() => int(999) - 500),
      dy: steps(() => int(99) - 50),
      dt: steps(() => int(20)),
      ...this.half({ dp: steps(() => 0) }),
    };
  }

  /** A stroke goes on. */
  goOn() {
    return {
      stroke: this.random.pick(this.open)?.number ?? 1,
      end: this.random.is(0.3),
      dx: [1, -300000],
      dy: [-3, 4],
      dt: [5, 600],
      ...this.half({ dp: [9, 0] }),
    };
  }

  put() {
    const { int, is, pick } = this.random;
    return {
      id: is(0.7) ? this.next() : this.any(),
      scene: this.scene,
      x: int(100),
      y: 1.25,
      ...pick(shapes),
      ...(is(0.3) ? { set: { x: 7, "style.width": 2 } } : {}),
      ...(is(0.2) ? { style: { fill: [1, 2, 3] } } : {}),
    };
  }

  copy() {
    return {
      from: this.any(),
      id: this.next(),
      scene: this.scene,
      ...this.half({ set: this.random.pick(patches) }),
    };
  }

  scenes() {
    const { int, is, pick } = this.random;
    const more = () => [{ name: `z${int(3)}`, ppt: { src: "u", steps: 3 } }];
    return {
      directory: pick(["/", "/d", "/d/é"]),
      index: int(4),
      scenes: [{ name: pick(["a", "b", "é", "e\u0301"]) }, ...(is(0.5) ? more() : [])],
    };
  }
}

/**
 * @param {Hands} hands
 * @returns {Doing[]}
 */
function ofElements(hands) {
  const { is } = hands.random;
  const { scene } = hands;
  return [
    [20, () => ["stroke", hands.begin()]],
    [10, () => ["stroke", hands.open.length > 0 ? hands.goOn() : hands.begin()]],
    [12, () => ["elementPut", hands.put()]],
    [8, () => ["erased", { elements: is(0.3) ? [hands.any(), hands.any()] : [hands.any()] }]],
    [10, () => ["elementsChanged", { changes: changes(hands) }]],
    [5, () => ["elementsCopied", { copies: [hands.copy()] }]],
    [9, () => ["undone", hands.half({ scene })]],
    [5, () => ["redone", hands.half({ scene })]],
  ];
}

/** @param {Hands} hands */
const changes = (hands) =>
  hands.random.is(0.4) ? [hands.change(), hands.change()] : [hands.change()];

/**
 * @param {Hands} hands
 * @returns {Doing[]}
 */
function ofStates({ random }) {
  const { pick } = random;
  const two = () => ({ [pick(keys)]: pick(values), [`${pick(keys)}q`]: pick(values) });
  return [
    [2, () => ["globalState", two()]],
    [2, () => ["memberState", { [pick(keys)]: pick(values) }]],
    [2, () => ["viewMode", { mode: pick(["freedom", "follower", "broadcaster"]) }]],
  ];
}

/**
 * @param {Hands} hands
 * @returns {Doing[]}
 */
function ofPages(hands) {
  const { random, scene, path } = hands;
  const { int, is, pick } = random;
  const move = () => ({
    path,
    target: pick(["/", "/d", `/n${int(5)}`]),
    ...hands.half({ index: int(3) }),
  });
  return [
    [3, () => ["scenesPut", hands.scenes()]],
    [2, () => ["sceneSwitched", is(0.5) ? { index: int(3) } : { path }]],
    [1, () => ["sceneCleaned", { scene, retainPPT: is(0.5) }]],
    [1, () => ["scenesRemoved", { path: pick(["/d", "/d/é", path, "/"]) }]],
    [2, () => ["sceneMoved", move()]],
  ];
}

/**
 * @param {Hands} hands
 * @returns {Doing[]}
 */
function ofRights({ random, session }) {
  const { is, pick } = random;
  const anybody = () => pick([...session.state.members.keys()]) ?? 0;
  return [
    [2, () => ["handRaised", { raised: is(0.6) }]],
    [1, () => ["writingAllowed", { member: anybody(), allowed: is(0.7) }]],
    [1, () => ["roomLocked", { locked: is(0.3) }]],
    [1, () => ["pptStepped", { by: pick([1, -1]) }]],
  ];
}

/**
 * @param {Hands} hands
 * @returns {Doing[]}
 */
function ofTheRest({ random, scene }) {
  const { int, pick } = random;
  const store = () => ({
    store: pick(["s", "é", "e\u0301"]),
    set: { [pick(keys)]: pick(values) },
    ...pick([{}, { reset: true }, { onlyAbsent: true }]),
  });
  return [
    [2, () => ["storeSet", store()]],
    [1, () => ["storeDeleted", { store: pick(["s", "é"]) }]],
    [1, () => ["historySet", { scenes: pick([0, 1, 2, 20]) }]],
    [1, () => ["pointer", { scene, unit: 0, x: int(100), y: -3 }]],
    [1, () => ["camera", { unit: -4, x: 1, y: 2, scale: 65536 }]],
    [1, () => ["magix", { event: "e", payload: pick(values) }]],
  ];
}

/**
 * A command of a member: its kind and body.
 * @param {RoomSession} session
 * @param {ReturnType<typeof chance>} random
 * @returns {[string, any]}
 */
export function doing(session, random) {
  const hands = new Hands(session, random);
  const groups = [ofElements, ofStates, ofPages, ofRights, ofTheRest];
  const table = groups.flatMap((group) => group(hands));
  const total = table.reduce((sum, [share]) => sum + share, 0);
  let left = random.int(total);
  for (const [share, make] of table) {
    left -= share;
    if (left < 0) return make();
  }
  return ["magix", { event: "e" }];
}
