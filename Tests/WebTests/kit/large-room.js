// Writes the log of a large room as JSONL, for `boardroom import`: twenty people who draw, point,
// turn pages, drop out and come back for hours. `node Tests/WebTests/kit/large-room.js 1000000 >
// room.jsonl`

import { fileURLToPath } from "node:url";
import { chance } from "./doings.js";

/** Strokes are wiped off a page after so many of them. */
const WIPE = 4_000;

/**
 * @param {number} count of events
 * @param {(line: string) => void} put
 * @param {number} [wipe]
 */
export function largeRoom(count, put, wipe = WIPE) {
  const random = chance(7);
  const whole = (/** @type {number} */ low, /** @type {number} */ high) =>
    low + random.int(high - low + 1);
  let rev = 0;
  let t = 1_764_000_000_000;
  let strokes = 0;
  /**
   * @type {Map<number, {n: number, element: number, x: number, y: number, left: number, isAway:
   *   boolean}>}
   */
  const members = new Map();
  const log = (
    /** @type {number | null} */ by,
    /** @type {string} */ kind,
    /** @type {any} */ body,
    hasCommand = true,
  ) => {
    const member = by === null ? undefined : members.get(by);
    const n = member && hasCommand ? ++member.n : 0;
    put(JSON.stringify({ rev: ++rev, t, by, n, kind, body }));
  };
  const join = (/** @type {number} */ number) => {
    members.set(number, { n: 0, element: 0, x: 0, y: 0, left: 0, isAway: false });
    const session = number.toString(16).padStart(32, "0");
    log(
      number,
      "memberJoined",
      {
        session,
        role: number ? "writer" : "admin",
        writable: true,
        uid: `u${number}`,
        payload: { name: `Guest ${number}` },
      },
      false,
    );
  };
  log(null, "roomCreated", { name: "A large room", limit: 0, isRecord: true });
  for (let number = 0; number < 20; number++) {
    join(number);
  }
  let next = 20;
  while (rev < count) {
    t += random.is(0.0002) ? whole(8_000, 600_000) : whole(0, 12);
    const by = random.pick([...members.keys()]);
    const member = /** @type {any} */ (members.get(by));
    if (member.isAway) {
      member.isAway = false;
      log(by, "memberPhase", { phase: "connected", generation: 1 }, false);
      continue;
    }
    const what = random.int(10_000) / 10_000;
    if (member.left > 0) {
      member.left -= 1;
      const points = Array.from({ length: 8 }, () => [whole(-40, 40), whole(-40, 40)]);
      const dx = points.map(([x]) => x);
      const dy = points.map(([, y]) => y);
      log(by, "stroke", {
        stroke: member.element,
        end: member.left === 0,
        dx,
        dy,
        dt: points.map(() => 8),
      });
    } else if (what < 0.5) {
      member.x = whole(-8_000, 8_000);
      member.y = whole(-6_000, 6_000);
      log(by, "pointer", { scene: 1, unit: -2, x: member.x, y: member.y });
    } else if (what < 0.88) {
      member.element += 1;
      member.left = 3;
      strokes += 1;
      const colour = [whole(0, 200), whole(0, 200), whole(0, 200)];
      const begin = { scene: 1, unit: -2, tool: "pencil", colour, opacity: 255, width: 12 };
      const dx = [whole(-8_000, 8_000), whole(-30, 30)];
      const dy = [whole(-6_000, 6_000), whole(-30, 30)];
      log(by, "stroke", { stroke: member.element, begin, end: false, dx, dy, dt: [0, 8] });
      if (strokes % wipe === 0) {
        for (const one of members.values()) {
          one.left = 0;
        }
        log(by, "sceneCleaned", { scene: 1, retainPPT: true });
      }
    } else if (what < 0.93) {
      log(by, "camera", { unit: -2, x: whole(-900, 900), y: whole(-900, 900), scale: 65_536 });
    } else if (what < 0.96) {
      member.element += 1;
      const x = whole(-2_000, 2_000);
      const y = whole(-1_500, 1_500);
      log(by, "elementPut", {
        id: `${by}.${member.element}`,
        scene: 1,
        type: "rectangle",
        x,
        y,
        width: 90,
        height: 60,
      });
    } else if (what < 0.99) {
      log(by, "memberState", { strokeWidth: whole(1, 20) });
    } else if (what < 0.9985) {
      log(by, "magix", { event: "quiz", payload: { answer: whole(1, 4), words: `choice ${rev}` } });
    } else if (what < 0.9992) {
      log(by, "refused", { kind: 28, code: "locked" });
    } else if (what < 0.9998) {
      member.isAway = true;
      log(by, "memberPhase", { phase: "reconnecting", generation: 1 }, false);
    } else {
      log(null, "memberKicked", { member: by, reason: "kickByAdmin" });
      log(by, "memberLeft", { cause: "kicked" }, false);
      members.delete(by);
      join(next++);
    }
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
