// What the page costs while many write, and while nothing happens (docs/BENCHMARKS.md):
//   node Tests/WebTests/kit/measure-writers.js [writers] [seconds] [minutes of rest]
// BOARDROOM and WEB_ROOT are as for `tools/web test`. The share is the CPU time of the page's main
// thread in the time that passed, as the browser counts it, so that other work on the machine adds
// nothing to it.
import { randomBytes } from "node:crypto";
import { hold, opened } from "./board.js";
import { Browser } from "./browser.js";
import { chance } from "./doings.js";
import { Company } from "./rooms.js";
import { Server } from "./server.js";

/** So many pieces of a stroke a writer sends in a second, each of two points. */
const PIECES = 60;

/** So many pieces the strokes of the first writer have; of each other one more, so that not all end together. */
const LENGTH = 50;

const writers = Number(process.argv[2] ?? 20);
const seconds = Number(process.argv[3] ?? 60);
const rest = Number(process.argv[4] ?? 0);

/** @param {number} ms */
const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/**
 * Writes strokes that wind through a part of the page of the writer's own.
 * @param {import("../../../Sources/BoardroomWeb/Page/state/session.js").RoomSession} member
 * @param {number} place of the writer among all
 */
function writing(member, place) {
  const random = chance(place + 1);
  const length = LENGTH + place;
  let sent = 0;
  let refused = 0;
  let stroke = 0;
  const begin = performance.now();
  const timer = setInterval(() => {
    // Timers of Node come late; what is due is sent.
    const due = Math.floor(((performance.now() - begin) / 1_000) * PIECES);
    for (; sent < due; sent += 1) {
      const piece = sent % length;
      const x = ((place % 5) * 220 - 560) * 10 + random.int(900);
      const y = (Math.floor(place / 5) * 150 - 320) * 10 + random.int(900);
      if (piece === 0) stroke = Number(member.nextElement().split(".")[1]);
      const first = { scene: 1, unit: -2, tool: "pencil", colour: [38, 98, 217], opacity: 255 };
      const steps = [random.int(60) - 30, random.int(60) - 30];
      const body = {
        stroke,
        ...(piece === 0 ? { begin: { ...first, width: 20 } } : {}),
        end: piece === length - 1,
        dx: piece === 0 ? [x, ...steps] : steps,
        dy: piece === 0 ? [y, ...steps.toReversed()] : steps.toReversed(),
        dt: piece === 0 ? [0, 8, 8] : [8, 8],
      };
      member.send("stroke", body).catch(() => {
        refused += 1;
      });
    }
  }, 4);
  return () => {
    clearInterval(timer);
    return { sent, refused };
  };
}

/**
 * @param {import("./page.js").Page} page
 * @returns {Promise<Record<string, number>>} seconds and bytes
 */
async function metrics(page) {
  const { metrics: all } = await page.send("Performance.getMetrics");
  return Object.fromEntries(
    all.map((/** @type {{name: string, value: number}} */ { name, value }) => [name, value]),
  );
}

/**
 * @param {string} what
 * @param {import("./page.js").Page} page
 * @param {() => Promise<unknown>} work
 */
async function measured(what, page, work) {
  await page.send("HeapProfiler.collectGarbage");
  const before = await metrics(page);
  const start = performance.now();
  await work();
  const passed = (performance.now() - start) / 1_000;
  const busy = await metrics(page);
  await page.send("HeapProfiler.collectGarbage");
  const after = await metrics(page);
  const share = ((busy.ThreadTime - before.ThreadTime) / passed) * 100;
  const megabytes = (/** @type {number} */ bytes) => (bytes / 1e6).toFixed(1);
  console.log(
    `${what}: main thread ${share.toFixed(1)} % of a core in ${passed.toFixed(0)} s ` +
      `(script ${(((busy.ScriptDuration - before.ScriptDuration) / passed) * 100).toFixed(1)} %), ` +
      `heap ${megabytes(before.JSHeapUsedSize)} MB before, ${megabytes(after.JSHeapUsedSize)} MB after`,
  );
}

/** Times between frames, in ms. @param {import("./page.js").Page} page */
async function beginFrames(page) {
  await page.evaluate(() => {
    const seen = { times: /** @type {number[]} */ ([]), last: performance.now(), isOver: false };
    const step = () => {
      const now = performance.now();
      seen.times.push(now - seen.last);
      seen.last = now;
      if (!seen.isOver) requestAnimationFrame(step);
    };
    Object.assign(window, { seen });
    requestAnimationFrame(step);
  });
}

/** @param {import("./page.js").Page} page */
async function tellFrames(page) {
  const times = await page.evaluate("seen.isOver = true, seen.times.slice(1)");
  times.sort((/** @type {number} */ one, /** @type {number} */ other) => one - other);
  const at = (/** @type {number} */ part) =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))]?.toFixed(0);
  console.log(
    `frames: median ${at(0.5)} ms, 95 of 100 ${at(0.95)} ms, longest ${at(1)} ms of ${times.length}`,
  );
}

const server = await Server.start();
const browser = await Browser.launch();

try {
  const room = randomBytes(16).toString("hex");
  const stage = { server, room, person: () => browser.person() };
  const page = await opened(/** @type {any} */ (stage));
  await hold(page);
  await page.send("Performance.enable", { timeDomain: "timeTicks" });
  const company = new Company(server, room, 1);
  for (let count = 0; count < writers; count += 1) await company.join();
  await measured(`${writers} members who do nothing`, page, () => wait(10_000));
  const stops = company.members.map(writing);
  await wait(2_000);
  await beginFrames(page);
  const revision = () => company.members[0].state.revision;
  const first = revision();
  await measured(`${writers} writers`, page, () => wait(seconds * 1_000));
  const events = revision() - first;
  await tellFrames(page);
  const sums = stops.map((stop) => stop());
  const refused = sums.reduce((sum, one) => sum + one.refused, 0);
  console.log(`${(events / seconds).toFixed(0)} events a second arrived, ${refused} were refused`);
  await company.settled();
  const last = revision();
  await page.until(
    (/** @type {number} */ wanted) =>
      /** @type {any} */ (window).theBoard.source.session.state.revision >= wanted,
    [last],
    30_000,
  );
  if (rest > 0) {
    await measured(`${rest} minutes of rest beside them`, page, () => wait(rest * 60_000));
  }
  await company.part();
} finally {
  await browser.close();
  await server.close();
}
