// What members do at random, by a seed: every kind of command, on what is there and on what is not.

/**
 * @typedef {import("../../../Sources/BoardroomServer/Web/Page/state/session.js").RoomSession}
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

/**
 * A command of a member: its kind and body.
 * @param {RoomSession} session
 * @param {ReturnType<typeof chance>} random
 * @returns {[string, any]}
 */
export function doing(session, random) {
  const { state, member } = session;
  const { int, is, pick } = random;
  const next = () => session.nextElement();
  const there = [...state.elements.values()].filter((element) => !element.buried);
  const any = () => pick(there)?.id ?? "0.1";
  const open = there.filter(
    (element) => element.stroke?.ended === false && element.member === member,
  );
  const page = pick(state.scenes);
  const scene = page?.id ?? 1;
  const half = (/** @type {object} */ fields) => (is(0.5) ? fields : {});
  const steps = (/** @type {number} */ count, /** @type {() => number} */ step) =>
    Array.from({ length: count }, step);
  const begin = () => {
    const count = int(5);
    return {
      stroke: Number(next().split(".")[1]),
      begin: {
        scene,
        unit: -2,
        tool: pick(["pencil", "highlighter", "laser"]),
        colour: [int(256), 1, 2],
        opacity: 255,
        width: int(100),
      },
      end: is(0.5),
      dx: steps(count, () => int(999) - 500),
      dy: steps(count, () => int(99) - 50),
      dt: steps(count, () => int(20)),
      ...half({ dp: steps(count, () => 0) }),
    };
  };
  const goOn = () => ({
    stroke: pick(open)?.number ?? 1,
    end: is(0.3),
    dx: [1, -300000],
    dy: [-3, 4],
    dt: [5, 600],
    ...half({ dp: [9, 0] }),
  });
  const change = () => ({ id: any(), set: pick(patches) });
  /** @type {Array<[number, () => [string, any]]>} */
  const table = [
    [20, () => ["stroke", begin()]],
    [10, () => ["stroke", open.length > 0 ? goOn() : begin()]],
    [
      12,
      () => [
        "elementPut",
        {
          id: is(0.7) ? next() : any(),
          scene,
          x: int(100),
          y: 1.25,
          ...pick(shapes),
          ...(is(0.3) ? { set: { x: 7, "style.width": 2 } } : {}),
          ...(is(0.2) ? { style: { fill: [1, 2, 3] } } : {}),
        },
      ],
    ],
    [8, () => ["erased", { elements: is(0.3) ? [any(), any()] : [any()] }]],
    [10, () => ["elementsChanged", { changes: is(0.4) ? [change(), change()] : [change()] }]],
    [
      5,
      () => [
        "elementsCopied",
        { copies: [{ from: any(), id: next(), scene, ...half({ set: pick(patches) }) }] },
      ],
    ],
    [9, () => ["undone", half({ scene })]],
    [5, () => ["redone", half({ scene })]],
    [2, () => ["globalState", { [pick(keys)]: pick(values), [`${pick(keys)}q`]: pick(values) }]],
    [2, () => ["memberState", { [pick(keys)]: pick(values) }]],
    [2, () => ["viewMode", { mode: pick(["freedom", "follower", "broadcaster"]) }]],
    [
      3,
      () => [
        "scenesPut",
        {
          directory: pick(["/", "/d", "/d/é"]),
          index: int(4),
          scenes: [
            { name: pick(["a", "b", "é", "e\u0301"]) },
            ...(is(0.5) ? [{ name: `z${int(3)}`, ppt: { src: "u", steps: 3 } }] : []),
          ],
        },
      ],
    ],
    [2, () => ["sceneSwitched", is(0.5) ? { index: int(3) } : { path: page?.path ?? "/init" }]],
    [1, () => ["sceneCleaned", { scene, retainPPT: is(0.5) }]],
    [1, () => ["scenesRemoved", { path: pick(["/d", "/d/é", page?.path ?? "/init", "/"]) }]],
    [
      2,
      () => [
        "sceneMoved",
        {
          path: page?.path ?? "/init",
          target: pick(["/", "/d", `/n${int(5)}`]),
          ...half({ index: int(3) }),
        },
      ],
    ],
    [2, () => ["handRaised", { raised: is(0.6) }]],
    [
      1,
      () => ["writingAllowed", { member: pick([...state.members.keys()]) ?? 0, allowed: is(0.7) }],
    ],
    [1, () => ["roomLocked", { locked: is(0.3) }]],
    [1, () => ["pptStepped", { by: pick([1, -1]) }]],
    [
      2,
      () => [
        "storeSet",
        {
          store: pick(["s", "é", "e\u0301"]),
          set: { [pick(keys)]: pick(values) },
          ...pick([{}, { reset: true }, { onlyAbsent: true }]),
        },
      ],
    ],
    [1, () => ["storeDeleted", { store: pick(["s", "é"]) }]],
    [1, () => ["historySet", { scenes: pick([0, 1, 2, 20]) }]],
    [1, () => ["pointer", { scene, unit: 0, x: int(100), y: -3 }]],
    [1, () => ["camera", { unit: -4, x: 1, y: 2, scale: 65536 }]],
    [1, () => ["magix", { event: "e", payload: pick(values) }]],
  ];
  const total = table.reduce((sum, [share]) => sum + share, 0);
  let left = int(total);
  for (const [share, make] of table) {
    left -= share;
    if (left < 0) return make();
  }
  return ["magix", { event: "e" }];
}
