// What the pen costs, measured by the browser itself: from the hand to the screen, and script in
// each frame. The limits are loose, since other work may share the machine; the numbers are
// reported.
import assert from "node:assert/strict";
import { browserTest } from "../kit/test.js";

/**
 * @param {number[]} numbers
 * @param {number} part from 0 to 1
 */
const quantile = (numbers, part) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
};

/**
 * Spans of a name, in ms: their two ends are events of one id.
 * @param {any[]} events
 * @param {string} name
 */
function spans(events, name) {
  /** @type {Map<string, any>} */
  const open = new Map();
  /** @type {{ms: number, args: any}[]} */
  const found = [];
  for (const event of events.filter((one) => one.name === name)) {
    const key = `${event.pid} ${event.id2?.local ?? event.id}`;
    const begun = open.get(key);
    if (event.ph === "b") {
      open.set(key, event);
    } else if (event.ph === "e" && begun) {
      found.push({ ms: (event.ts - begun.ts) / 1_000, args: { ...begun.args, ...event.args } });
      open.delete(key);
    }
  }
  return found;
}

browserTest(
  "the pen: from the hand to the screen, and script in each frame",
  async ({ browser, person, server, room, report }) => {
    const page = await (await person()).open(`${server.url}/r/${room}`);
    await page.see("[data-phase=connected]");
    const stroke = Array.from({ length: 90 }, (_, n) => ({
      x: 200 + n * 8,
      y: 400 + 120 * Math.sin(n / 9),
    }));
    await page.hands.drag(stroke.slice(0, 20), { steady: true });
    const events = await browser.trace(
      ["input", "benchmark", "latencyInfo", "devtools.timeline"],
      () => page.hands.drag(stroke, { steady: true }),
    );
    const moves = spans(events, "EventLatency").filter(({ args }) =>
      /MOUSE_(?:MOVED|DRAGGED)/.test(args.event_latency?.event_type ?? ""),
    );
    const latency = moves.map(({ ms }) => ms);
    const frames = events
      .filter(({ name, ph }) => name === "FireAnimationFrame" && ph === "X")
      .map(({ tdur, dur }) => (tdur ?? dur) / 1_000);
    report(
      `pointer to presentation: median ${quantile(latency, 0.5)?.toFixed(1)} ms, p95 ${quantile(
        latency,
        0.95,
      )?.toFixed(1)} ms of ${latency.length} moves (aim: 35)`,
    );
    report(
      `script a frame: median ${quantile(frames, 0.5)?.toFixed(2)} ms, p95 ${quantile(
        frames,
        0.95,
      )?.toFixed(2)} ms of ${frames.length} frames (aim: 4)`,
    );
    assert.ok(
      latency.length >= 40 && frames.length >= 20,
      `${latency.length} moves, ${frames.length} frames`,
    );
    assert.ok(quantile(latency, 0.5) < 200, "a pen that lags");
    assert.ok(quantile(frames, 0.5) < 16, "script that takes whole frames");
  },
);

browserTest(
  "a board where nothing happens costs no script: no frame is asked for",
  async (stage) => {
    const { browser, person, server, room, report } = stage;
    const page = await (await person()).open(`${server.url}/r/${room}`);
    await page.see("[data-phase=connected]");
    const still = () => page.evaluate(() => new Promise((done) => setTimeout(done, 1_000)));
    await still();
    const events = await browser.trace(["devtools.timeline"], still);
    const frames = events.filter(({ name }) => name === "FireAnimationFrame").length;
    report(`frames asked for in a second of rest: ${frames}`);
    assert.ok(frames <= 2, `${frames} frames`);
  },
);
