// Writes the log of a large room as JSONL, for `boardroom import`: twenty people who draw, point,
// turn pages, drop out and come back for hours.
//   node Tests/WebTests/kit/large-room.js 1000000 > room.jsonl
import { fileURLToPath } from "node:url";
import { chance } from "./doings.js";

/** Strokes are wiped off a page after so many of them. */
const WIPE = 4_000;

/** So many people are there. */
const PEOPLE = 20;

/**
 * @typedef {{n: number, element: number, left: number, isAway: boolean}} Guest `left`: of a stroke
 */

/**
 * @param {number} count of events
 * @param {(line: string) => void} put
 * @param {number} [wipe]
 */
export function largeRoom(count, put, wipe = WIPE) {
  const room = new LargeRoom(put, wipe);
  room.begin();
  while (room.rev < count) {
    room.go();
  }
}

class LargeRoom {
  random = chance(7);
  rev = 0;
  time = 1_764_000_000_000;
  strokes = 0;
  nextMember = 0;

  /** @type {Map<number, Guest>} */
  members = new Map();

  /**
   * @type {[limit: number, act: (by: number, member: Guest) => void][]} up to which share of chance
   */
  acts = [
    [0.5, (by) => this.point(by)],
    [0.88, (by, member) => this.beginStroke(by, member)],
    [0.93, (by) => this.turnCamera(by)],
    [0.96, (by, member) => this.putShape(by, member)],
    [0.99, (by) => this.log(by, "memberState", { strokeWidth: this.whole(1, 20) })],
    [0.9985, (by) => this.answer(by)],
    [0.9992, (by) => this.log(by, "refused", { kind: 28, code: "locked" })],
    [0.9998, (by, member) => this.dropOut(by, member)],
    [Infinity, (by) => this.kick(by)],
  ];

  /**
   * @param {(line: string) => void} put
   * @param {number} wipe
   */
  constructor(put, wipe) {
    this.put = put;
    this.wipe = wipe;
  }

  begin() {
    this.log(null, "roomCreated", { name: "A large room", limit: 0, isRecord: true });
    for (let number = 0; number < PEOPLE; number++) {
      this.join();
    }
  }

  /** Somebody does something, some time later. */
  go() {
    const { random } = this;
    this.time += random.is(0.0002) ? this.whole(8_000, 600_000) : this.whole(0, 12);
    const by = random.pick([...this.members.keys()]);
    const member = /** @type {Guest} */ (this.members.get(by));
    if (member.isAway) return this.comeBack(by, member);
    const what = random.int(10_000) / 10_000;
    if (member.left > 0) return this.goOn(by, member);
    const chosen = this.acts.find(([limit]) => what < limit);
    chosen?.[1](by, member);
  }

  /**
   * @param {number} low
   * @param {number} high
   */
  whole(low, high) {
    return low + this.random.int(high - low + 1);
  }

  /**
   * @param {number | null} by
   * @param {string} kind
   * @param {any} body
   */
  log(by, kind, body, hasCommand = true) {
    const member = by === null ? undefined : this.members.get(by);
    if (member && hasCommand) member.n += 1;
    const n = member && hasCommand ? member.n : 0;
    this.rev += 1;
    this.put(JSON.stringify({ rev: this.rev, t: this.time, by, n, kind, body }));
  }

  join() {
    const number = this.nextMember;
    this.nextMember += 1;
    this.members.set(number, { n: 0, element: 0, left: 0, isAway: false });
    const joined = {
      session: number.toString(16).padStart(32, "0"),
      role: number ? "writer" : "admin",
      writable: true,
      uid: `u${number}`,
      payload: { name: `Guest ${number}` },
    };
    this.log(number, "memberJoined", joined, false);
  }

  /**
   * @param {number} by
   * @param {Guest} member
   */
  comeBack(by, member) {
    member.isAway = false;
    this.log(by, "memberPhase", { phase: "connected", generation: 1 }, false);
  }

  /**
   * @param {number} by
   * @param {Guest} member
   */
  dropOut(by, member) {
    member.isAway = true;
    this.log(by, "memberPhase", { phase: "reconnecting", generation: 1 }, false);
  }

  /** @param {number} by */
  kick(by) {
    this.log(null, "memberKicked", { member: by, reason: "kickByAdmin" });
    this.log(by, "memberLeft", { cause: "kicked" }, false);
    this.members.delete(by);
    this.join();
  }

  /** @param {number} by */
  point(by) {
    const x = this.whole(-8_000, 8_000);
    const y = this.whole(-6_000, 6_000);
    this.log(by, "pointer", { scene: 1, unit: -2, x, y });
  }

  /** @param {number} by */
  turnCamera(by) {
    const x = this.whole(-900, 900);
    const y = this.whole(-900, 900);
    this.log(by, "camera", { unit: -2, x, y, scale: 65_536 });
  }

  /** @param {number} by */
  answer(by) {
    const payload = { answer: this.whole(1, 4), words: `choice ${this.rev}` };
    this.log(by, "magix", { event: "quiz", payload });
  }

  /**
   * @param {number} by
   * @param {Guest} member
   */
  putShape(by, member) {
    member.element += 1;
    const x = this.whole(-2_000, 2_000);
    const y = this.whole(-1_500, 1_500);
    const id = `${by}.${member.element}`;
    const shape = { type: "rectangle", x, y, width: 90, height: 60 };
    this.log(by, "elementPut", { id, scene: 1, ...shape });
  }

  /**
   * @param {number} by
   * @param {Guest} member
   */
  beginStroke(by, member) {
    member.element += 1;
    member.left = 3;
    this.strokes += 1;
    const colour = [this.whole(0, 200), this.whole(0, 200), this.whole(0, 200)];
    const begin = { scene: 1, unit: -2, tool: "pencil", colour, opacity: 255, width: 12 };
    const dx = [this.whole(-8_000, 8_000), this.whole(-30, 30)];
    const dy = [this.whole(-6_000, 6_000), this.whole(-30, 30)];
    this.log(by, "stroke", { stroke: member.element, begin, end: false, dx, dy, dt: [0, 8] });
    if (this.strokes % this.wipe === 0) this.clean(by);
  }

  /**
   * @param {number} by
   * @param {Guest} member
   */
  goOn(by, member) {
    member.left -= 1;
    const points = Array.from({ length: 8 }, () => [this.whole(-40, 40), this.whole(-40, 40)]);
    this.log(by, "stroke", {
      stroke: member.element,
      end: member.left === 0,
      dx: points.map(([x]) => x),
      dy: points.map(([, y]) => y),
      dt: points.map(() => 8),
    });
  }

  /** @param {number} by */
  clean(by) {
    for (const member of this.members.values()) {
      member.left = 0;
    }
    this.log(by, "sceneCleaned", { scene: 1, retainPPT: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  /** @type {string[]} */
  let lines = [];
  const count = Number(process.argv[2] ?? 1_000_000);
  const wipe = Number(process.argv[3] ?? WIPE);
  const flush = () => void process.stdout.write(`${lines.join("\n")}\n`);
  largeRoom(
    count,
    (line) => {
      lines.push(line);
      if (lines.length < 10_000) return;
      flush();
      lines = [];
    },
    wipe,
  );
  if (lines.length) flush();
}
